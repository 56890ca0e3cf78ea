//! The weights of the features, one column for names and paths, one for words.
//! Where each number comes from: docs/measurements.md, "Ranking".

use crate::types::Term;

use super::features::{FEATURES, Features};
use super::query::QueryKind;

/// Weights in the order of [`FEATURES`]: (words, names).
const WEIGHTS: [(f32, f32); FEATURES.len()] = [
    (2.0, 0.5),   // cosine
    (1.0, 0.25),  // rank_cosine
    (1.4, 0.5),   // bm25
    (1.2, 0.4),   // rank_bm25
    (0.4, 0.0),   // coverage
    (0.2, 0.0),   // file_coverage
    (1.5, 1.0),   // symbol_match
    (1.5, 1.0),   // stem_match
    (1.7, 1.5),   // stem_place
    (2.0, 1.0),   // stem_capital
    (0.0, 1.0),   // stem_name
    (0.7, 1.3),   // defines_capital
    (0.2, 2.0),   // defines
    (0.4, 0.5),   // defines_word
    (0.7, 0.5),   // sum_cosine
    (0.3, 0.3),   // sum_bm25
    (0.2, 0.1),   // mean_cosine
    (0.5, 0.3),   // path_bm25
    (0.3, 0.3),   // symbol_bm25
    (0.3, 0.0),   // doc_bm25
    (-2.0, -0.5), // test
    (-1.2, -0.5), // example
    (-2.0, -1.0), // generated
    (-1.0, -0.5), // vendored
    (-0.8, -0.4), // legacy
    (-1.2, -1.0), // prose
    (-1.5, -1.0), // changelog
    (-0.8, -0.8), // data
    (-0.6, -0.4), // stub
];

fn weight(kind: QueryKind, feature: usize) -> f32 {
    let (words, names) = WEIGHTS[feature];
    if kind == QueryKind::Natural { words } else { names }
}

/// The ranking score of a file: on no scale of its own, comparable within one query only.
pub(crate) fn score(kind: QueryKind, features: &Features) -> f32 {
    features.iter().enumerate().map(|(i, value)| value * weight(kind, i)).sum()
}

/// The arithmetic of [`score`], largest share first.
pub(crate) fn explain(kind: QueryKind, features: &Features) -> Vec<Term> {
    let mut terms: Vec<Term> = features
        .iter()
        .enumerate()
        .map(|(i, value)| Term { feature: FEATURES[i], value: *value, weight: weight(kind, i) })
        .filter(|t| t.value * t.weight != 0.0)
        .collect();
    terms.sort_by(|a, b| {
        (b.value * b.weight).abs().total_cmp(&(a.value * a.weight).abs()).then(a.feature.cmp(b.feature))
    });
    terms
}
