//! NDCG@10, hit@5, MRR and the absent rate, as the truth sets' contract defines them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use wherein_engine::{Answer, Hit};

use crate::truth::Item;

/// Results that count.
const PAGE: usize = 10;

/// One query, judged.
pub(crate) struct Judged {
    /// Binary NDCG over the page; `None` where the right answer is "nothing".
    pub(crate) ndcg: Option<f64>,
    hit5: f64,
    mrr: f64,
    /// Where "nothing" was right: whether it was answered.
    pub(crate) absent: Option<bool>,
    took_ms: f64,
    /// The answer, for messages.
    pub(crate) page: Vec<String>,
}

/// Judges one answer.
pub(crate) fn judge(item: &Item, answer: &Answer, folder: &Path) -> Judged {
    let hits = &answer.results[..answer.results.len().min(PAGE)];
    let page =
        hits.iter().map(|h| format!("{:.2} {}:{}-{}", h.score, h.path, h.start_line, h.end_line)).collect();
    let targets: Vec<_> = item.targets().map(|(path, lines)| (file_of(folder, path), lines)).collect();
    if targets.is_empty() {
        return Judged {
            ndcg: None,
            hit5: 0.0,
            mrr: 0.0,
            absent: Some(hits.is_empty()),
            took_ms: answer.took_ms,
            page,
        };
    }
    let mut ranks: BTreeSet<usize> = targets.iter().filter_map(|t| rank_of(hits, t)).collect();
    let best = ranks.first().copied();
    let mut wanted = targets.len();
    if item.any {
        ranks = best.into_iter().collect();
        wanted = 1;
    }
    let gain: f64 = ranks.iter().map(|r| discount(*r)).sum();
    let ideal: f64 = (1..=wanted.min(PAGE)).map(discount).sum();
    Judged {
        ndcg: Some(gain / ideal),
        hit5: f64::from(u8::from(best.is_some_and(|r| r <= 5))),
        mrr: best.map_or(0.0, |r| 1.0 / r as f64),
        absent: None,
        took_ms: answer.took_ms,
        page,
    }
}

fn discount(rank: usize) -> f64 {
    1.0 / ((rank + 1) as f64).log2()
}

/// A truth path is relative to the searched folder, or to a checkout around it.
fn file_of(folder: &Path, path: &str) -> PathBuf {
    folder.ancestors().map(|f| f.join(path)).find(|p| p.is_file()).unwrap_or_else(|| folder.join(path))
}

fn rank_of(hits: &[Hit], (file, lines): &(PathBuf, Option<(u32, u32)>)) -> Option<usize> {
    let overlaps = |h: &Hit| lines.is_none_or(|(first, last)| h.end_line >= first && h.start_line <= last);
    hits.iter().position(|h| h.root.join(&h.path) == *file && overlaps(h)).map(|i| i + 1)
}

/// Sums over queries.
#[derive(Default)]
pub(crate) struct Figures {
    count: usize,
    ndcg: f64,
    hit5: f64,
    mrr: f64,
    absent: (usize, usize),
    took: Vec<f64>,
    by_category: BTreeMap<String, (usize, f64)>,
}

impl Figures {
    /// Adds a query.
    pub(crate) fn add(&mut self, item: &Item, judged: &Judged) {
        self.took.push(judged.took_ms);
        if let Some(right) = judged.absent {
            self.absent.0 += usize::from(right);
            self.absent.1 += 1;
        }
        if let Some(ndcg) = judged.ndcg {
            self.count += 1;
            self.ndcg += ndcg;
            self.hit5 += judged.hit5;
            self.mrr += judged.mrr;
            let category = self.by_category.entry(item.category.clone()).or_default();
            category.0 += 1;
            category.1 += ndcg;
        }
    }

    /// Adds other sums.
    pub(crate) fn merge(&mut self, other: Figures) {
        self.count += other.count;
        self.ndcg += other.ndcg;
        self.hit5 += other.hit5;
        self.mrr += other.mrr;
        self.absent.0 += other.absent.0;
        self.absent.1 += other.absent.1;
        self.took.extend(other.took);
        for (category, (count, sum)) in other.by_category {
            let mine = self.by_category.entry(category).or_default();
            mine.0 += count;
            mine.1 += sum;
        }
    }

    /// Mean NDCG@10.
    pub(crate) fn ndcg(&self) -> f64 {
        self.ndcg / self.count.max(1) as f64
    }

    /// Share of "nothing" answers where that is right; `None` where no query is of that kind.
    pub(crate) fn absent_rate(&self) -> Option<f64> {
        (self.absent.1 > 0).then(|| self.absent.0 as f64 / self.absent.1 as f64)
    }

    /// The figures on one line.
    pub(crate) fn line(&self) -> String {
        let count = self.count.max(1) as f64;
        let mut took = self.took.clone();
        took.sort_by(f64::total_cmp);
        let median = took.get(took.len() / 2).copied().unwrap_or_default();
        let absent = if self.absent.1 > 0 {
            format!("  nothing {}/{}", self.absent.0, self.absent.1)
        } else {
            String::new()
        };
        format!(
            "n={:3} ndcg@10 {:.4} hit@5 {:.3} mrr {:.3}{absent}  query {median:.2} ms",
            self.count,
            self.ndcg(),
            self.hit5 / count,
            self.mrr / count
        )
    }

    /// NDCG@10 by category.
    pub(crate) fn categories(&self) -> String {
        let part = |(name, (count, sum)): (&String, &(usize, f64))| {
            format!("{name} {:.3} (n={count})", sum / (*count).max(1) as f64)
        };
        self.by_category.iter().map(part).collect::<Vec<_>>().join(", ")
    }
}
