//! The candidates of a query with their features, for the evaluation crate: what weights are fitted on, and what a page would
//! be with other weights.

use std::path::Path;

use crate::config::Config;
use crate::error::Result;
use crate::rank::{self, QueryKind, Weights};
use crate::store::Snapshot;
use crate::types::Query;

use super::{Ask, Measured, Part, measure, vectors};

/// Names of what weights are fitted for.
pub struct Fitted;

impl Fitted {
    /// Features of files.
    pub const FILES: &'static [&'static str] = rank::FILE_FEATURES;
    /// Features of passages.
    pub const PASSAGES: &'static [&'static str] = rank::PASSAGE_FEATURES;
    /// Kinds of evidence.
    pub const EVIDENCE: &'static [&'static str] = rank::EVIDENCE;
}

/// A query's candidates.
pub struct Study<'a> {
    measured: Measured<'a>,
    query: Query,
    /// Candidate files, in order of paths.
    pub files: Vec<StudyFile>,
}

/// A candidate file.
pub struct StudyFile {
    /// Relative to the root.
    pub path: String,
    /// Whether it is prose.
    pub is_prose: bool,
    /// Its features, in the order of their names.
    pub features: Vec<f32>,
    /// Its candidate passages: first and last line, features in the order of their names.
    pub passages: Vec<((u32, u32), Vec<f32>)>,
}

/// Measures the candidates of a query.
///
/// # Errors
/// As [`super::retrieve`].
pub fn study<'a>(snapshot: &'a Snapshot, query: &Query, config: &Config) -> Result<Study<'a>> {
    let part = Part { snapshot, root: Path::new(""), query, config };
    let ask = Ask { snapshots: &[snapshot], queries: &[query], forced: None, without: None };
    let mut measured = measure(&ask, &vectors(&[part], query))?;
    measured.failed.take().map_or(Ok(()), Err)?;
    let rows = measured.rows.iter().zip(&measured.passages);
    let files = measured.files.iter().zip(rows).map(|((_, file), (row, passages))| StudyFile {
        path: file.path.to_owned(),
        is_prose: file.lang.is_prose(),
        features: row.to_vec(),
        passages: (file.passages.iter().zip(passages))
            .map(|(passage, row)| {
                let chunk = snapshot.chunk(passage.candidate.slot);
                ((chunk.start_line, chunk.end_line), row.to_vec())
            })
            .collect(),
    });
    let files = files.collect();
    Ok(Study { measured, query: query.clone(), files })
}

impl Study<'_> {
    /// Whether the deep lane ran.
    pub fn is_deep(&self) -> bool {
        self.measured.asked.is_deep
    }

    /// What it asks for.
    pub fn kind(&self) -> QueryKind {
        self.measured.reading.kind
    }

    /// The page that these weights give: places in [`Self::files`] and in their passages, best first.
    pub fn page(&self, weights: &Weights) -> Vec<(usize, usize)> {
        let ranked = self.measured.order(weights, &[&self.query], self.query.k);
        ranked.iter().map(|hit| (hit.file, hit.passage)).collect()
    }

    /// The best evidence on the page that these weights give, in the order of the names of evidence, and whether deep vectors are
    /// part of it.
    pub fn evidence(&self, weights: &Weights) -> (Vec<f32>, bool) {
        let ranked = self.measured.order(weights, &[&self.query], super::page::PAGE);
        let best = self.measured.best_support(&ranked);
        (best.row(self.measured.asked).to_vec(), best.deep.is_some())
    }
}
