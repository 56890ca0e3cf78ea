//! Scores → a page: every file's best passage first, by score, then further passages of the same files.

/// A passage with what orders it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    /// Place of its file among the candidates.
    pub file: usize,
    /// Its slot.
    pub slot: u32,
    /// The file's ranking score.
    pub score: f32,
    /// What places it among its file's passages.
    pub own: f32,
    /// Place of the file among all paths, then of the passage in it: the last word on ties.
    pub place: (usize, u32),
}

/// Points that each further passage of a file costs it.
const REPEAT_COST: f32 = 0.6;
/// Most passages of one file on a page, where there are enough files.
const MAX_PER_FILE: usize = 3;

/// Orders all passages of all candidate files and keeps `k`.
pub(crate) fn order(mut passages: Vec<Ranked>, k: usize) -> Vec<Ranked> {
    let by_rank = |a: &Ranked, b: &Ranked| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place));
    passages.sort_by(|a, b| a.file.cmp(&b.file).then(b.own.total_cmp(&a.own)).then(a.place.cmp(&b.place)));
    let mut first = Vec::new();
    let mut further = Vec::new();
    let mut rest = Vec::new();
    let mut at = 0;
    while at < passages.len() {
        let end = at + passages[at..].iter().take_while(|p| p.file == passages[at].file).count();
        first.push(passages[at]);
        for (repeat, passage) in passages[at + 1..end].iter().enumerate() {
            let damped = Ranked { score: passage.score - REPEAT_COST * (repeat + 1) as f32, ..*passage };
            if repeat + 1 < MAX_PER_FILE { further.push(damped) } else { rest.push(damped) }
        }
        at = end;
    }
    let mut page = Vec::new();
    for mut group in [first, further, rest] {
        group.sort_by(by_rank);
        page.extend(group);
    }
    page.truncate(k);
    page
}
