//! One answer against its targets: NDCG@10, hit@5, MRR as the truth sets' contract defines them, and what agents pay.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::truth::{Item, Wanted};

/// Results that count.
pub const PAGE: usize = 10;
/// Bytes of a token, as coarsely as a budget for readers needs.
const TOKEN_BYTES: usize = 4;

/// A result, whoever found it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The file, absolute.
    #[serde(skip)]
    pub file: PathBuf,
    /// The file, relative to the root.
    pub path: String,
    /// First and last line.
    pub lines: (u32, u32),
    /// The name shown.
    pub symbol: Option<String>,
    /// The score, 0 where the finder has none.
    pub score: f32,
    /// Bytes of the passage.
    pub bytes: usize,
}

/// One query, judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judged {
    /// What was asked.
    pub query: String,
    /// Its kind.
    pub category: String,
    /// Rank of each target, from 1; `None` where it is not on the page.
    pub ranks: Vec<Option<usize>>,
    /// Binary NDCG over the page; `None` where the right answer is "nothing".
    pub ndcg: Option<f64>,
    /// A target within five.
    pub hit5: f64,
    /// One over the rank of the best.
    pub mrr: f64,
    /// Share of the targets' files on the page.
    pub file_recall: f64,
    /// Share of the targets with lines on the page; `None` where none has lines.
    pub span_recall: Option<f64>,
    /// Whether a named definition is among the first five; `None` where the truth names none.
    pub symbol5: Option<bool>,
    /// Where "nothing" was right: whether it was answered.
    pub absent: Option<bool>,
    /// Tokens of the page up to the first right passage, of all of it where none is.
    pub tokens: usize,
    /// Retrieval and ranking, in milliseconds.
    pub took_ms: f64,
    /// The score of the first result before the threshold cut, and whether a target is among the first five there.
    pub first: Option<(f32, bool)>,
    /// The page.
    pub page: Vec<Found>,
}

/// Judges a page. `folders` are where a target's path may begin, the searched folder first.
pub fn judge(item: &Item, page: &[Found], folders: &[&Path]) -> Judged {
    let page = &page[..page.len().min(PAGE)];
    let targets: Vec<(Wanted<'_>, PathBuf)> =
        item.targets().map(|wanted| (wanted, file_of(folders, wanted.path))).collect();
    let ranks: Vec<Option<usize>> = targets.iter().map(|target| rank_of(page, target)).collect();
    let mut distinct: BTreeSet<usize> = ranks.iter().flatten().copied().collect();
    let best = distinct.first().copied();
    let mut wanted = targets.len();
    if item.any {
        distinct = best.into_iter().collect();
        wanted = 1;
    }
    let gain: f64 = distinct.iter().map(|rank| discount(*rank)).sum();
    let ideal: f64 = (1..=wanted.min(PAGE)).map(discount).sum();
    let share = |found: usize, all: usize| if all == 0 { 0.0 } else { found as f64 / all as f64 };
    let files: BTreeSet<&PathBuf> = targets.iter().map(|target| &target.1).collect();
    let found = files.iter().filter(|file| page.iter().any(|r| r.file == ***file)).count();
    let spans = targets.iter().zip(&ranks).filter(|(target, _)| target.0.lines.is_some());
    let (spans, seen) =
        spans.fold((0, 0), |(all, seen), (_, rank)| (all + 1, seen + usize::from(rank.is_some())));
    let names: Vec<&str> = targets.iter().filter_map(|target| target.0.symbol).collect();
    let has_name = |r: &Found| r.symbol.as_deref().is_some_and(|s| names.contains(&s));
    Judged {
        query: item.query.clone(),
        category: item.category.clone(),
        ndcg: (!targets.is_empty()).then(|| gain / ideal),
        hit5: f64::from(u8::from(best.is_some_and(|rank| rank <= 5))),
        mrr: best.map_or(0.0, |rank| 1.0 / rank as f64),
        file_recall: share(found, files.len()),
        span_recall: (spans > 0)
            .then(|| if item.any { f64::from(u8::from(seen > 0)) } else { share(seen, spans) }),
        symbol5: (!names.is_empty()).then(|| page.iter().take(5).any(has_name)),
        absent: targets.is_empty().then_some(page.is_empty()),
        tokens: page.iter().take(best.unwrap_or(PAGE)).map(|r| r.bytes.div_ceil(TOKEN_BYTES)).sum(),
        took_ms: 0.0,
        first: None,
        page: page.to_vec(),
        ranks,
    }
}

fn discount(rank: usize) -> f64 {
    1.0 / ((rank + 1) as f64).log2()
}

/// The file that a truth path names: in the first folder that holds it.
pub fn file_of(folders: &[&Path], path: &str) -> PathBuf {
    let place = |folder: &&Path| folder.join(path);
    let found = folders.iter().map(place).find(|file| file.is_file());
    let file = found.unwrap_or_else(|| folders.first().map_or_else(|| path.into(), place));
    file.canonicalize().unwrap_or(file)
}

/// Whether a result is what was wanted.
pub fn is_right(result: &Found, (wanted, file): &(Wanted<'_>, PathBuf)) -> bool {
    let (first, last) = result.lines;
    result.file == *file && wanted.lines.is_none_or(|lines| last >= lines.0 && first <= lines.1)
}

fn rank_of(page: &[Found], target: &(Wanted<'_>, PathBuf)) -> Option<usize> {
    page.iter().position(|result| is_right(result, target)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(path: &str, lines: (u32, u32)) -> Found {
        Found {
            file: Path::new("/r").join(path),
            path: path.into(),
            lines,
            symbol: Some("f".into()),
            score: 0.9,
            bytes: 40,
        }
    }

    #[test]
    fn figures_by_hand() {
        let truth = r#"{"query": "q", "relevant": ["a.rs", {"path": "b.rs", "start_line": 10, "end_line": 20, "symbol": "f"}]}"#;
        let item: Item = serde_json::from_str(truth).unwrap();
        let page = [result("c.rs", (1, 5)), result("b.rs", (1, 9)), result("b.rs", (20, 30))];
        let judged = judge(&item, &page, &[Path::new("/r")]);
        assert_eq!(judged.ranks, [None, Some(3)]);
        // 1/log2(4) over 1/log2(2) + 1/log2(3).
        assert!((judged.ndcg.unwrap() - 0.5 / (1.0 + 1.0 / 3f64.log2())).abs() < 1e-9);
        assert!((judged.mrr - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((judged.file_recall, judged.span_recall, judged.symbol5), (0.5, Some(1.0), Some(true)));
        assert_eq!(judged.tokens, 30);
        assert_eq!(judged.absent, None);
    }

    #[test]
    fn no_target_wants_nothing_and_any_wants_one() {
        let absent: Item = serde_json::from_str(r#"{"query": "q", "relevant": []}"#).unwrap();
        assert_eq!(judge(&absent, &[], &[Path::new("/r")]).absent, Some(true));
        assert_eq!(judge(&absent, &[result("a.rs", (1, 2))], &[Path::new("/r")]).absent, Some(false));
        let any: Item =
            serde_json::from_str(r#"{"query": "q", "any": true, "relevant": ["a.rs", "b.rs"]}"#).unwrap();
        let judged = judge(&any, &[result("b.rs", (1, 2))], &[Path::new("/r")]);
        assert_eq!(judged.ndcg, Some(1.0));
    }
}
