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
    /// Place of the file among all paths, then of the passage in it: the last word on ties.
    pub place: (usize, u32),
}

/// Log odds that each further passage of a file costs. Files of code first (the prototype: 4 and one a file are equal); a
/// long document often holds several answers (docs/measurements.md, "Ranking").
const REPEAT_COST: [f32; 3] = [4.0, 4.0, 2.0];
/// How much of its distance to its file's best passage a further one loses besides.
const DISTANCE_COST: f32 = 0.3;

/// Orders all passages of all candidate files and keeps `k`; scores become those of the passages.
pub(crate) fn order(mut passages: Vec<Ranked>, k: usize) -> Vec<Ranked> {
    passages.sort_by(|a, b| a.file.cmp(&b.file).then(b.own.total_cmp(&a.own)).then(a.place.cmp(&b.place)));
    for of_file in passages.chunk_by_mut(|a, b| a.file == b.file) {
        let best = of_file[0].own;
        for (repeat, passage) in of_file.iter_mut().enumerate() {
            passage.score -=
                REPEAT_COST[passage.column as usize] * repeat as f32 + DISTANCE_COST * (best - passage.own);
        }
    }
    passages.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
    passages.truncate(k);
    passages
}
