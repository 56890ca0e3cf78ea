//! Asking every question of a set over one index.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wherein_engine::{Engine, Hit, Query, Snapshot, THRESHOLD};

use crate::figures::{Bin, Figures, Latency, reliability};
use crate::judge::{Found, Judged, PAGE, judge};
use crate::truth::Item;

/// A run of a truth set, as `--json` writes it and `--compare` reads it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Means over everything.
    pub total: Figures,
    /// Means by category.
    pub categories: BTreeMap<String, Figures>,
    /// What grep finds, where it was asked.
    pub grep: Option<Figures>,
    /// How long queries took.
    pub latency: Latency,
    /// Scores against what came.
    pub reliability: Vec<Bin>,
    /// Every query.
    pub queries: Vec<Judged>,
}

impl Run {
    /// Sums up judged queries.
    pub fn of(queries: Vec<Judged>, grep: Option<Figures>) -> Run {
        Run {
            total: Figures::of(&queries),
            categories: Figures::by_category(&queries),
            grep,
            latency: Latency::of(&queries),
            reliability: reliability(&queries),
            queries,
        }
    }
}

/// Where questions are asked.
pub struct Place<'a> {
    /// The engine of the root.
    pub engine: &'a Engine,
    /// The generation that answers.
    pub snapshot: &'a Snapshot,
    /// Folders in which a target's path may begin, the searched one first.
    pub folders: Vec<&'a Path>,
    /// What is asked besides the text: scope, boosts, threshold.
    pub like: Query,
}

impl Place<'_> {
    /// Asks one question and judges its answer.
    ///
    /// # Errors
    /// As [`Engine::search_in`].
    pub fn ask(&self, item: &Item) -> anyhow::Result<Judged> {
        // Everything is asked for, so that scores below the threshold are seen too; the cut is the same.
        let query = Query { text: item.query.clone(), k: PAGE, min_score: Some(0.0), ..self.like.clone() };
        let answer = self.engine.search_in(self.snapshot, &query)?;
        let all: Vec<Found> = answer.results.iter().map(found).collect();
        let threshold = self.like.min_score.unwrap_or(THRESHOLD);
        let shown: Vec<Found> = all.iter().filter(|f| f.score >= threshold).cloned().collect();
        let uncut = judge(item, &all, &self.folders);
        let mut judged = judge(item, &shown, &self.folders);
        judged.first = all.first().map(|first| (first.score, uncut.hit5 > 0.0));
        judged.took_ms = answer.took_ms;
        Ok(judged)
    }
}

fn found(hit: &Hit) -> Found {
    let file: PathBuf = hit.root.join(&hit.path);
    Found {
        file: file.canonicalize().unwrap_or(file),
        path: hit.path.clone(),
        lines: (hit.start_line, hit.end_line),
        symbol: hit.symbol.clone(),
        score: hit.score,
        bytes: hit.text.len(),
    }
}
