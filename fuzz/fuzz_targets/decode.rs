//! Any bytes → text → terms and vectors: nothing panics, terms are bounded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wherein_engine::Embedder;
use wherein_engine::internals::{Analyzer, StaticModel, counter, decode};

fuzz_target!(|bytes: &[u8]| {
    let Some(text) = decode(bytes.to_vec()) else { return };
    Analyzer::default().for_each(&text.content, |term| assert!(!term.is_empty() && term.len() < 4096));
    assert!(counter(true)(&text.content) <= text.content.len());
    let mut vector = [0.0; 128];
    StaticModel::get().embed(&[&text.content], &mut vector);
    assert!(vector.iter().all(|v| v.is_finite()));
});
