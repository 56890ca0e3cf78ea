//! Sums over judged queries: means by category, percentiles, reliability of scores.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judge::Judged;

/// Means over some queries.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Queries that have an answer.
    pub queries: usize,
    /// Mean NDCG@10 over them.
    pub ndcg10: f64,
    /// Share with a target within five.
    pub hit5: f64,
    /// Mean reciprocal rank.
    pub mrr: f64,
    /// Mean share of the targets' files on the page.
    pub file_recall10: f64,
    /// The same for targets with lines; `None` where there are none.
    pub span_recall10: Option<f64>,
    /// Share with a named definition within five; `None` where the truth names none.
    pub symbol_hit5: Option<f64>,
    /// Queries without an answer that got none, and how many there are.
    pub absent: (usize, usize),
    /// Mean tokens up to the first right passage.
    pub tokens: f64,
}

impl Figures {
    /// Sums up.
    pub fn of<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> Figures {
        let (mut answerable, mut absent) = (Vec::new(), (0, 0));
        for one in judged {
            match one.absent {
                Some(right) => absent = (absent.0 + usize::from(right), absent.1 + 1),
                None => answerable.push(one),
            }
        }
        let some = |value: fn(&Judged) -> Option<f64>| {
            let all: Vec<f64> = answerable.iter().filter_map(|j| value(j)).collect();
            (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
        };
        let mean = |value: fn(&Judged) -> f64| {
            answerable.iter().map(|j| value(j)).sum::<f64>() / answerable.len().max(1) as f64
        };
        Figures {
            queries: answerable.len(),
            ndcg10: mean(|j| j.ndcg.unwrap_or_default()),
            hit5: mean(|j| j.hit5),
            mrr: mean(|j| j.mrr),
            file_recall10: mean(|j| j.file_recall),
            span_recall10: some(|j| j.span_recall),
            symbol_hit5: some(|j| j.symbol5.map(|hit| f64::from(u8::from(hit)))),
            absent,
            tokens: mean(|j| j.tokens as f64),
        }
    }

    /// By category, in order of names.
    pub fn by_category<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> BTreeMap<String, Figures> {
        let mut groups: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
        for one in judged {
            groups.entry(&one.category).or_default().push(one);
        }
        groups.into_iter().map(|(name, group)| (name.to_owned(), Figures::of(group))).collect()
    }
}

/// How long queries took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Latency {
    /// Half of them at most.
    pub p50: f64,
    /// Nineteen of twenty.
    pub p95: f64,
    /// All but one of a hundred.
    pub p99: f64,
}

impl Latency {
    /// Percentiles of judged queries.
    pub fn of(judged: &[Judged]) -> Latency {
        let mut took: Vec<f64> = judged.iter().map(|j| j.took_ms).collect();
        took.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (took.len() as f64 * share) as usize;
            took.get(place.min(took.len().saturating_sub(1))).copied().unwrap_or_default()
        };
        Latency { p50: at(0.50), p95: at(0.95), p99: at(0.99) }
    }
}

/// First results with a score in one range: what the score promised and what came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bin {
    /// From here.
    pub from: f32,
    /// Up to here.
    pub to: f32,
    /// How many.
    pub queries: usize,
    /// Their mean score.
    pub predicted: f64,
    /// Share with a target among the first five.
    pub observed: f64,
}

/// Edges of the ranges.
const EDGES: [f32; 9] = [0.0, 0.1, 0.25, 0.5, 0.7, 0.85, 0.95, 0.99, 1.01];

/// Predicted against observed: queries with and without an answer together, by the first result's score.
pub fn reliability(judged: &[Judged]) -> Vec<Bin> {
    let firsts: Vec<(f32, bool)> = judged.iter().map(|j| j.first.unwrap_or((0.0, false))).collect();
    let bin = |edge: &[f32]| {
        let inside: Vec<_> = firsts.iter().filter(|f| (edge[0]..edge[1]).contains(&f.0)).collect();
        let count = inside.len().max(1) as f64;
        Bin {
            from: edge[0],
            to: edge[1].min(1.0),
            queries: inside.len(),
            predicted: inside.iter().map(|f| f64::from(f.0)).sum::<f64>() / count,
            observed: inside.iter().filter(|f| f.1).count() as f64 / count,
        }
    };
    EDGES.windows(2).map(bin).filter(|bin| bin.queries > 0).collect()
}
