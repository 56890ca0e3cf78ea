use super::*;
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
    let model = StaticModel::get();
    let mut out = vec![0.0; model.dimensions()];
    model.embed(&[text], &mut out);
    out
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
    model.embed(&["retry with backoff", "parse json"], &mut both);
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
    assert_eq!(passage("a/b/c/d.rs", None, "x"), "b/c/d.rs\nx");
    assert_eq!(passage("d.rs", Some("fn f()"), "x"), "d.rs\nfn f()\nx");
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
    let model = MiniLm::get();
    for WithPieces { text, ids, vector } in &references {
        let mut pieces = Vec::new();
        wordpiece::pieces(text, &mut pieces);
        pieces.truncate(ids.len() - 2);
        assert_eq!(pieces, ids[1..ids.len() - 1], "{text}");
        let mut out = vec![0.0; model.dimensions()];
        model.embed(&[text], &mut out);
        let cosine: f32 = out.iter().zip(vector).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.9985, "{cosine} for {text:?}");
    }
}

#[test]
fn every_model_agrees_with_what_is_known_of_it() {
    for info in models() {
        let model = info.load();
        assert_eq!((model.identity(), model.dimensions()), (&*info.identity, info.dimensions));
        assert!(!info.references().is_empty());
        assert_eq!(info.pieces(&"word ".repeat(1000)), info.max_pieces.unwrap_or(1000));
    }
    assert!(passages().count() > 40);
    assert!(model("no such model").is_none());
}
