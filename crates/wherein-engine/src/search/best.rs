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

    fn into_choices(self) -> Vec<Choice> {
        let mut entries: Vec<Entry> = self.heap.into_iter().map(|e| e.0).collect();
        entries.sort_by(|a, b| b.cmp(a));
        let choice = |(entry, rank): (Entry, u32)| Choice { slot: entry.slot, score: entry.score, rank };
        entries.into_iter().zip(1..).map(choice).collect()
    }
}

/// A slot that a lane names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) slot: u32,
    score: f32,
    /// Its rank in the lane, from 1.
    pub(super) rank: u32,
}

/// Keeps the `count` best of several roots' choices where they are, with their ranks among all; earlier roots come first on ties.
pub(super) fn merge(mut lists: Vec<&mut Vec<Choice>>, count: usize) {
    if lists.len() < 2 {
        return;
    }
    let place = |(root, list): (usize, &&mut Vec<Choice>)| {
        let scores: Vec<(f32, usize, u32)> = list.iter().map(|c| (c.score, root, c.rank)).collect();
        scores
    };
    let mut all: Vec<(f32, usize, u32)> = lists.iter().enumerate().flat_map(place).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    all.truncate(count);
    let mut kept = vec![0; lists.len()];
    for ((_, root, _), rank) in all.into_iter().zip(1..) {
        // A root's best come in its own order.
        lists[root][kept[root]].rank = rank;
        kept[root] += 1;
    }
    lists.iter_mut().zip(kept).for_each(|(list, kept)| list.truncate(kept));
}

/// The slots with the `count` best scores above 0, best first; `place` is none for those that may not answer.
pub(super) fn best(
    scores: impl Iterator<Item = (u32, f32)>,
    count: usize,
    place: impl Fn(u32) -> Option<(usize, u32)>,
) -> Vec<Choice> {
    let mut best = Best::new(count);
    for (slot, score) in scores {
        if score >= best.least
            && let Some(place) = place(slot)
        {
            best.offer(Entry { score, place, slot });
        }
    }
    best.into_choices()
}

/// Scores that are looked at in one step: the best of so many is found without a branch.
const BLOCK: usize = 64;

/// As [`best`], over the scores of all slots.
pub(super) fn best_of_all(
    scores: &[f32],
    count: usize,
    place: impl Fn(u32) -> Option<(usize, u32)>,
) -> Vec<Choice> {
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
    best.into_choices()
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
            let slots = |choices: Vec<Choice>| choices.iter().map(|c| c.slot).collect::<Vec<_>>();
            assert_eq!(slots(best_of_all(&scores, 10, place)), wanted);
            assert_eq!(slots(best((0..).zip(scores), 10, place)), wanted);
        }
    }

    #[test]
    fn the_best_of_several_roots_are_ranked_among_all() {
        let choices = |scores: &[f32]| {
            let one = |(at, score): (usize, &f32)| (at as u32, *score);
            best(scores.iter().enumerate().map(one), 3, |slot| Some((0, slot)))
        };
        let (mut a, mut b, mut c) = (choices(&[5.0, 1.0]), choices(&[4.0, 6.0, 5.0]), choices(&[0.5]));
        merge(vec![&mut a, &mut b, &mut c], 4);
        let seen = |list: &[Choice]| list.iter().map(|c| (c.slot, c.rank)).collect::<Vec<_>>();
        assert_eq!(seen(&a), [(0, 2)]);
        assert_eq!(seen(&b), [(1, 1), (2, 3), (0, 4)]);
        assert_eq!(seen(&c), []);
    }
}
