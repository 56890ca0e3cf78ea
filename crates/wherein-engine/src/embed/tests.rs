use super::*;
use crate::config::DeepModel;
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
    cosines: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    ids: Vec<u16>,
    vector_first8: Vec<f32>,
}

fn vector(text: &str) -> Vec<f32> {
    StaticModel::of(text)
}

#[test]
fn golden_ids_vectors_and_cosines() {
    let golden: Golden =
        serde_json::from_str(include_str!("../../models/static-code-128/golden.json")).unwrap();
    let vectors: Vec<Vec<f32>> = golden.cases.iter().map(|c| vector(&c.text)).collect();
    for (case, vector) in golden.cases.iter().zip(&vectors) {
        assert_eq!(StaticModel::ids(&case.text), case.ids, "{}", case.text);
        for (got, want) in vector.iter().zip(&case.vector_first8) {
            assert!((got - want).abs() < 1e-4, "{}: {got} {want}", case.text);
        }
    }
    for (a, row) in vectors.iter().zip(&golden.cosines) {
        for (b, want) in vectors.iter().zip(row) {
            let got: f32 = a.iter().zip(b).map(|(x, y)| x * y).sum();
            assert!((got - want).abs() < 1e-4, "{got} {want}");
        }
    }
}

#[test]
fn batches_do_not_mix() {
    let model = StaticModel::get();
    let mut both = vec![0.0; 2 * model.dimensions()];
    model.embed(Role::Passage, &["retry with backoff", "parse json"], &mut both).unwrap();
    assert_eq!(both[..model.dimensions()], vector("retry with backoff")[..]);
    assert_eq!(both[model.dimensions()..], vector("parse json")[..]);
}

/// Expected counts come from the `tokenizers` library with the model's tokenizer.json, truncation and padding off.
#[test]
fn minilm_counts() {
    for (text, want) in include_str!("minilm_counts.tsv")
        .lines()
        .map(|l| l.split_once('\t').unwrap())
        .map(|(n, t)| (serde_json::from_str::<String>(t).unwrap(), n.parse::<usize>().unwrap()))
    {
        assert_eq!(counter(true)(&text), want, "{text:?}");
    }
}

#[test]
fn a_passage_begins_with_the_tail_of_its_path() {
    let chunk = |kind, signature: Option<&str>| Chunk {
        start: 0,
        end: 1,
        start_line: 1,
        end_line: 1,
        kind,
        symbols: Vec::new(),
        trail: vec!["Guide".into(), "Start".into()],
        signature: signature.map(str::to_owned),
        docs: Vec::new(),
    };
    assert_eq!(passage("a/b/c/d.rs", &chunk(Kind::Struct, None), "x"), "b/c/d.rs\nx");
    assert_eq!(passage("d.rs", &chunk(Kind::Function, Some("fn f()")), "x"), "d.rs\nfn f()\nx");
    assert_eq!(passage("d.md", &chunk(Kind::Section, Some("# Start")), "x"), "d.md\nGuide > Start\nx");
}

/// The float32 model's vectors, from `models/minilm/convert.py`.
#[derive(Deserialize)]
struct WithPieces {
    text: String,
    ids: Vec<u16>,
    vector: Vec<f32>,
}

#[test]
fn the_deep_model_agrees_with_the_float_model() {
    let references: Vec<WithPieces> =
        serde_json::from_str(include_str!("../../models/minilm/golden.json")).unwrap();
    let model = deep(&DeepModel::BuiltIn).unwrap();
    for WithPieces { text, ids, vector } in &references {
        let mut pieces = Vec::new();
        wordpiece::pieces(text, &mut pieces);
        pieces.truncate(ids.len() - 2);
        assert_eq!(pieces, ids[1..ids.len() - 1], "{text}");
        let out = model.vector(Role::Passage, text).unwrap();
        let cosine: f32 = out.iter().zip(vector).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.9985, "{cosine} for {text:?}");
    }
}

#[test]
fn every_model_agrees_with_what_is_known_of_it() {
    for info in models() {
        let model = info.load().unwrap();
        assert_eq!((model.identity(), model.dimensions()), (&*info.identity, info.dimensions));
        assert!(!info.references().unwrap().is_empty());
        assert_eq!(model.pieces(&"word ".repeat(1000)), Some(info.max_pieces.unwrap_or(1000)));
    }
    assert!(passages().count() > 40);
    assert!(model("no such model").is_none());
}

#[test]
fn the_scale_of_the_built_in_model_is_what_is_measured() {
    let Scale { mean, deviation } = Scale::measure(&*deep(&DeepModel::BuiltIn).unwrap()).unwrap();
    let known = Scale::BUILT_IN;
    assert!(
        (mean - known.mean).abs() < 1e-3 && (deviation - known.deviation).abs() < 1e-3,
        "{mean} {deviation}"
    );
    let other = Scale { mean: 0.7, deviation: 0.02 };
    assert!((other.as_built_in(0.74) - (known.mean + 2.0 * known.deviation)).abs() < 1e-5);
}
