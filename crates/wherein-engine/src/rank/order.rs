//! Scores → a page: every file's best passage, and further passages of a file where they are worth a place.

use super::weights::Column;

/// A passage with what orders it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    /// Place of its file among the candidates.
    pub file: usize,
    /// Its place among its file's candidate passages.
    pub passage: usize,
    /// How its file was scored.
    pub column: Column,
    /// The file's log odds.
    pub score: f32,
    /// The passage's log odds among its file's.
    pub own: f32,
    /// Share of the query's words that it quotes.
    pub quoted: f32,
    /// Place of the file among all paths, then of the passage in it: the last word on ties.
    pub place: (usize, u32),
}

/// Log odds that each further passage of a file costs. Files of code first (the prototype: 4 and one a file are equal); a
/// long document often holds several answers (docs/measurements.md, "Ranking").
const REPEAT_COST: [f32; 4] = [4.0, 4.0, 2.0, 2.0];
/// Log odds of a passage that quotes all of the query: more than any file leads by.
pub(crate) const QUOTED: f32 = 50.0;
/// How much of its distance to its file's best passage a further one loses besides.
const DISTANCE_COST: f32 = 0.3;

/// Orders all passages of all candidate files and keeps `k`; scores become those of the passages.
pub(crate) fn order(mut passages: Vec<Ranked>, k: usize) -> Vec<Ranked> {
    passages.sort_by(|a, b| {
        let own = |p: &Ranked| p.own + QUOTED * p.quoted;
        a.file.cmp(&b.file).then(own(b).total_cmp(&own(a))).then(a.place.cmp(&b.place))
    });
    for of_file in passages.chunk_by_mut(|a, b| a.file == b.file) {
        let best = of_file[0].own;
        for (repeat, passage) in of_file.iter_mut().enumerate() {
            let repeats = REPEAT_COST[passage.column as usize] * repeat as f32;
            let distance = DISTANCE_COST * (best - passage.own).max(0.0);
            // A file that says it over and over has one place with it.
            let quoted = if repeat == 0 { QUOTED * passage.quoted } else { 0.0 };
            passage.score += quoted - repeats - distance;
        }
    }
    passages.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
    passages.truncate(k);
    passages
}
