//! The best of many scores: what a lane names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A score with what breaks ties: larger scores first, then earlier places.
#[derive(Clone, Copy, PartialEq)]
struct Entry {
    score: f32,
    place: (usize, u32),
    slot: u32,
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The entries with the best scores so far.
struct Best {
    heap: BinaryHeap<Reverse<Entry>>,
    count: usize,
    /// Scores below this are none of them.
    least: f32,
}

impl Best {
    fn new(count: usize) -> Self {
        Best { heap: BinaryHeap::with_capacity(count + 1), count, least: f32::MIN_POSITIVE }
    }

    fn offer(&mut self, entry: Entry) {
        self.heap.push(Reverse(entry));
        if self.heap.len() > self.count {
            self.heap.pop();
        }
        if self.heap.len() == self.count {
            self.least = self.heap.peek().map_or(self.least, |worst| worst.0.score);
        }
    }

    fn into_slots(self) -> Vec<u32> {
        let mut entries: Vec<Entry> = self.heap.into_iter().map(|e| e.0).collect();
        entries.sort_by(|a, b| b.cmp(a));
        entries.into_iter().map(|e| e.slot).collect()
    }
}

/// The slots with the `count` best scores above 0, best first; `place` is none for those that may not answer.
pub(super) fn best(
    scores: impl Iterator<Item = (u32, f32)>,
    count: usize,
    place: impl Fn(u32) -> Option<(usize, u32)>,
) -> Vec<u32> {
    let mut best = Best::new(count);
    for (slot, score) in scores {
        if score >= best.least
            && let Some(place) = place(slot)
        {
            best.offer(Entry { score, place, slot });
        }
    }
    best.into_slots()
}

/// Scores that are looked at in one step: the best of so many is found without a branch.
const BLOCK: usize = 64;

/// As [`best`], over the scores of all slots.
pub(super) fn best_of_all(
    scores: &[f32],
    count: usize,
    place: impl Fn(u32) -> Option<(usize, u32)>,
) -> Vec<u32> {
    let mut best = Best::new(count);
    for (block, start) in scores.chunks(BLOCK).zip((0u32..).step_by(BLOCK)) {
        if block.iter().copied().fold(0.0, f32::max) < best.least {
            continue;
        }
        for (slot, score) in (start..).zip(block) {
            if *score >= best.least
                && let Some(place) = place(slot)
            {
                best.offer(Entry { score: *score, place, slot });
            }
        }
    }
    best.into_slots()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_give_what_single_scores_give() {
        let score = |i: u32| ((u64::from(i) * 2_654_435_761) % 1000) as f32 / 100.0 - 1.0;
        for size in [0, 1, 63, 64, 65, 1000] {
            let scores: Vec<f32> = (0..size).map(score).collect();
            let place = |slot: u32| (slot % 7 != 3).then_some((slot as usize % 5, slot));
            let mut wanted: Vec<u32> = (0..size).filter(|s| place(*s).is_some() && score(*s) > 0.0).collect();
            wanted.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(place(*a).cmp(&place(*b))));
            wanted.truncate(10);
            assert_eq!(best_of_all(&scores, 10, place), wanted);
            assert_eq!(best((0..).zip(scores), 10, place), wanted);
        }
    }
}
