//! What changed between two runs.

use std::collections::HashMap;

use serde::Serialize;

use crate::run::Run;

/// A query whose answer got better or worse.
#[derive(Clone, Debug, Serialize)]
pub struct Moved {
    /// What was asked.
    pub query: String,
    /// NDCG@10 before and now; 1 or 0 where "nothing" is the right answer.
    pub ndcg: (f64, f64),
    /// Ranks of its targets before and now.
    pub ranks: (Vec<Option<usize>>, Vec<Option<usize>>),
}

/// Smaller changes are noise of rounding.
const SAME: f64 = 1e-6;

/// Queries of both runs whose figures differ, worst loss first.
pub fn compare(before: &Run, now: &Run) -> Vec<Moved> {
    let worth =
        |j: &crate::judge::Judged| j.ndcg.unwrap_or_else(|| f64::from(u8::from(j.absent == Some(true))));
    let known: HashMap<&str, _> = before.queries.iter().map(|j| (j.query.as_str(), j)).collect();
    let mut out: Vec<Moved> = (now.queries.iter())
        .filter_map(|j| known.get(j.query.as_str()).map(|old| (*old, j)))
        .filter(|(old, new)| (worth(old) - worth(new)).abs() > SAME)
        .map(|(old, new)| Moved {
            query: new.query.clone(),
            ndcg: (worth(old), worth(new)),
            ranks: (old.ranks.clone(), new.ranks.clone()),
        })
        .collect();
    out.sort_by(|a, b| (a.ndcg.1 - a.ndcg.0).total_cmp(&(b.ndcg.1 - b.ndcg.0)));
    out
}

/// Ranks as people read them: `1, 4, –`.
pub fn ranks(ranks: &[Option<usize>]) -> String {
    let one = |rank: &Option<usize>| rank.map_or_else(|| "–".to_owned(), |r| r.to_string());
    ranks.iter().map(one).collect::<Vec<_>>().join(", ")
}
