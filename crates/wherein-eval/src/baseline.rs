//! What an agent without an index does: grep for the words of the question, open the file that has most of them.

use std::path::PathBuf;

use wherein_engine::{Engine, Snapshot, is_stop_word};

use crate::judge::{Found, PAGE};

/// Lines that such an agent reads around the best match.
const WINDOW: usize = 40;
/// Text that is held in memory for the baseline, in bytes; larger corpora go without.
const MOST_BYTES: u64 = 400_000_000;

/// The indexed files with their text in lower case.
pub struct Grep {
    files: Vec<(PathBuf, String, String)>,
}

impl Grep {
    /// Reads every indexed file; `None` where they are too large.
    pub fn new(engine: &Engine, snapshot: &Snapshot) -> Option<Grep> {
        let root = engine.root();
        let indexed = snapshot.files().iter().enumerate().filter(|(_, file)| file.skip().is_none());
        let paths: Vec<String> = indexed.map(|(at, _)| snapshot.path(at).to_owned()).collect();
        let bytes: u64 = paths.iter().filter_map(|p| root.join(p).metadata().ok()).map(|m| m.len()).sum();
        if bytes > MOST_BYTES {
            return None;
        }
        let read = |path: String| {
            // A file that went away since the index is not found by grep either.
            let text = engine.text(&path)?.to_lowercase();
            let file = root.join(&path);
            Some((file.canonicalize().unwrap_or(file), path, text))
        };
        Some(Grep { files: paths.into_iter().filter_map(read).collect() })
    }

    /// Files by how many distinct words of the question they hold, then by how often.
    pub fn ask(&self, query: &str) -> Vec<Found> {
        let words = words(query);
        let mut ranked: Vec<(usize, usize, &(PathBuf, String, String))> = Vec::new();
        for file in &self.files {
            let counts: Vec<usize> = words.iter().map(|w| file.2.matches(w.as_str()).count()).collect();
            let distinct = counts.iter().filter(|c| **c > 0).count();
            if distinct > 0 {
                ranked.push((distinct, counts.iter().sum(), file));
            }
        }
        ranked.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(a.2.1.cmp(&b.2.1)));
        ranked.truncate(PAGE);
        ranked.into_iter().map(|(_, _, file)| window(file, &words)).collect()
    }
}

/// Words worth a search: no stop words, no single letters.
fn words(query: &str) -> Vec<String> {
    let bare = |w: &str| w.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_')).to_lowercase();
    let mut out: Vec<String> = query.split_whitespace().map(bare).collect();
    out.retain(|w| w.chars().count() > 1 && !is_stop_word(w));
    out.sort();
    out.dedup();
    out
}

/// The lines around the one that holds most words.
fn window((file, path, text): &(PathBuf, String, String), words: &[String]) -> Found {
    let lines: Vec<&str> = text.split('\n').collect();
    let held = |line: &str| words.iter().filter(|w| line.contains(w.as_str())).count();
    let best = lines.iter().enumerate().max_by_key(|(at, line)| (held(line), std::cmp::Reverse(*at)));
    let first = best.map_or(0, |(at, _)| at).saturating_sub(WINDOW / 2);
    let last = (first + WINDOW).min(lines.len());
    Found {
        file: file.clone(),
        path: path.clone(),
        lines: (first as u32 + 1, last as u32),
        symbol: None,
        score: 0.0,
        bytes: lines[first..last].iter().map(|l| l.len() + 1).sum(),
    }
}
