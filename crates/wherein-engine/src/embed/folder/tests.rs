use std::path::PathBuf;

use super::*;
use crate::embed::Reference;

/// Tiny models with what the reference library makes of some texts (`tests/models/make.py`).
fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn reference<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    serde_json::from_str(&std::fs::read_to_string(folder(name).join("reference.json")).unwrap()).unwrap()
}

#[test]
fn vectors_are_those_of_the_reference_library() {
    for (name, role, kind) in [
        ("bert", Role::Passage, ModelKind::Encoder),
        ("xlm-roberta", Role::Question, ModelKind::Encoder),
        ("nomic-bert", Role::Passage, ModelKind::Encoder),
        ("model2vec", Role::Passage, ModelKind::Table),
    ] {
        let card = describe(&folder(name), name).unwrap();
        assert_eq!((card.kind, card.dimensions, card.is_known), (kind, 16, false), "{name}");
        let model = FolderModel::load(&folder(name), Card { max_pieces: 64, ..card }).unwrap();
        for Reference { text, vector } in reference(name) {
            let got = model.vector(role, &text).unwrap();
            let cosine: f32 = got.iter().zip(&vector).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.99999, "{name}: {cosine} for {text:?}");
        }
    }
}

#[derive(serde::Deserialize)]
struct Scored {
    question: String,
    passage: String,
    score: f32,
}

#[test]
fn scores_are_those_of_the_reference_library() {
    for name in ["cross-encoder", "xlm-cross-encoder"] {
        let card = describe(&folder(name), name).unwrap();
        assert_eq!(card.kind, ModelKind::CrossEncoder, "{name}");
        let model = CrossEncoder::load(&folder(name), &card).unwrap();
        for Scored { question, passage, score } in reference(name) {
            let got = model.score(&question, &passage).unwrap();
            assert!((got - score).abs() < 1e-3, "{name}: {got}, not {score}");
        }
    }
}

#[test]
fn a_card_says_what_the_files_say() {
    let bert = describe(&folder("bert"), "bert").unwrap();
    let xlm = describe(&folder("xlm-roberta"), "xlm-roberta").unwrap();
    assert_eq!((bert.pooling, xlm.pooling), (Pooling::Cls, Pooling::Mean));
    assert_eq!((&*xlm.question_prefix, &*xlm.passage_prefix), ("query: ", "passage: "));
    assert_eq!((bert.max_pieces, xlm.max_pieces), (64, 64));
    assert_ne!(bert.identity(), Card { pooling: Pooling::Mean, ..bert.clone() }.identity());
    let dir = tempfile::tempdir().unwrap();
    bert.write(dir.path()).unwrap();
    assert_eq!(Card::read(dir.path()).unwrap(), bert);
}

#[test]
fn a_folder_that_is_no_model_says_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let message = |name: &str| describe(dir.path(), name).unwrap_err().to_string();
    assert!(message("x").contains("config.json"), "{}", message("x"));
    std::fs::write(dir.path().join("config.json"), r#"{"model_type": "t5", "max_position_embeddings": 8}"#)
        .unwrap();
    assert!(message("x").contains("t5"), "{}", message("x"));
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::copy(folder("bert").join(file), dir.path().join(file)).unwrap();
    }
    assert!(message("bge-small").contains("384"), "{}", message("bge-small"));
    let weights = std::fs::read(dir.path().join("model.safetensors")).unwrap();
    std::fs::write(dir.path().join("model.safetensors"), &weights[..weights.len() / 2]).unwrap();
    assert!(message("x").contains("safetensors"), "{}", message("x"));
    std::fs::write(dir.path().join("model.safetensors"), "<!doctype html><title>Please log in</title>")
        .unwrap();
    assert!(message("x").contains("safetensors"), "{}", message("x"));
    // Half the heads of a size that does not go into the width.
    std::fs::write(dir.path().join("model.safetensors"), weights).unwrap();
    let config = std::fs::read_to_string(dir.path().join("config.json")).unwrap();
    let config = config.replace("\"num_attention_heads\": 2", "\"num_attention_heads\": 3");
    std::fs::write(dir.path().join("config.json"), config).unwrap();
    assert!(message("x").contains("fit"), "{}", message("x"));
}
