//! From features to scores: the weights, as a table apart from the features, and the arithmetic.
//!
//! The built-in numbers stand in `table.rs`, which `wherein-eval fit` writes; docs/measurements.md, "Ranking", says from what.

use std::sync::LazyLock;

use crate::types::Term;

use super::order::QUOTED;
use super::query::QueryKind;
use super::{evidence, features, passage, table};

/// Weights of a ranker.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// A row a feature of a file, in their order; columns as in [`Column`].
    pub files: Vec<[f32; 4]>,
    /// A row a feature of a passage, in their order; columns as in [`Within`].
    pub passages: Vec<[f32; 3]>,
    /// A row a kind of evidence, in their order, the last the constant: without deep vectors, with some.
    pub evidence: Vec<[f32; 2]>,
}

/// Which weights a file is scored with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Column {
    /// A question in words, a file of code or data.
    Words = 0,
    /// A name, any file.
    Names = 1,
    /// A question in words, a file of prose.
    Prose = 2,
    /// The same where the deep lane ran.
    Deep = 3,
}

/// Which weights a passage is scored with among its file's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Within {
    /// A file of code or data.
    Code = 0,
    /// A file of prose.
    Prose = 1,
    /// The same where the deep lane ran.
    Deep = 2,
}

impl Within {
    /// The column for a file.
    pub(crate) fn of(is_prose: bool, is_deep: bool) -> Within {
        match (is_prose, is_deep) {
            (false, _) => Within::Code,
            (true, false) => Within::Prose,
            (true, true) => Within::Deep,
        }
    }
}

impl Column {
    /// The column for a query and a file.
    pub(crate) fn of(kind: QueryKind, within: Within) -> Column {
        match (kind, within) {
            (QueryKind::Symbol, _) => Column::Names,
            (_, Within::Code) => Column::Words,
            (_, Within::Prose) => Column::Prose,
            (_, Within::Deep) => Column::Deep,
        }
    }
}

impl Weights {
    /// The fitted weights that every search uses.
    pub fn built_in() -> &'static Weights {
        static BUILT_IN: LazyLock<Weights> = LazyLock::new(|| Weights {
            files: table::FILES.iter().map(|row| row.1).collect(),
            passages: table::PASSAGES.iter().map(|row| row.1).collect(),
            evidence: table::EVIDENCE.iter().map(|row| row.1).collect(),
        });
        &BUILT_IN
    }

    /// The log odds of a file against the query's other candidates: comparable within one query only.
    pub(crate) fn file(&self, column: Column, row: &features::Features) -> f32 {
        row.iter().zip(&self.files).map(|(value, weights)| value * weights[column as usize]).sum()
    }

    /// The log odds of a passage against its file's others.
    pub(crate) fn passage(&self, within: Within, row: &passage::Features) -> f32 {
        row.iter().zip(&self.passages).map(|(value, weights)| value * weights[within as usize]).sum()
    }

    /// The log odds that a page or a passage with this evidence answers.
    pub(crate) fn answer(&self, row: &evidence::Features, is_deep: bool) -> f32 {
        let column = usize::from(is_deep);
        let constant = self.evidence.last().map_or(0.0, |weights| weights[column]);
        row.iter().zip(&self.evidence).map(|(value, weights)| value * weights[column]).sum::<f32>() + constant
    }

    /// The arithmetic of [`Self::file`] and [`Self::passage`] and of what is quoted, largest share first.
    pub(crate) fn explain(
        &self,
        (column, file): (Column, &features::Features),
        (within, here): (Within, &passage::Features),
        quoted: f32,
    ) -> Vec<Term> {
        let term =
            |(feature, value, weight): (&&'static str, &f32, f32)| Term { feature, value: *value, weight };
        let files = features::FEATURES.iter().zip(file).zip(&self.files);
        let files = files.map(|((name, value), w)| term((name, value, w[column as usize])));
        let passages = passage::FEATURES.iter().zip(here).zip(&self.passages);
        let passages = passages.map(|((name, value), w)| term((name, value, w[within as usize])));
        let quoted = Term { feature: "quoted", value: quoted, weight: QUOTED };
        let mut terms: Vec<Term> =
            files.chain(passages).chain([quoted]).filter(|t| t.value * t.weight != 0.0).collect();
        terms.sort_by(|a, b| {
            (b.value * b.weight).abs().total_cmp(&(a.value * a.weight).abs()).then(a.feature.cmp(b.feature))
        });
        terms
    }
}
