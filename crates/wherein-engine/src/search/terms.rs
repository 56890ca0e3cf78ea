//! The query's terms over all that is searched: which chunks hold them, and what each is worth. Several roots are one
//! corpus: a term is as rare as it is in all of them.

use rayon::prelude::*;

use crate::error::Result;
use crate::lexical::{Field, Saturation, idf};
use crate::store::Snapshot;

use super::WORTH_THREADS;

/// Terms of a query that are scored: its rarest.
const MAX_TERMS: usize = 32;
/// Terms looked up to find those.
const MAX_LOOKED_UP: usize = 256;
/// A term is rare in at most so many chunks, or in one of so many: docs-rag-mcp's gate.
const RARE_CHUNKS: usize = 5;
const RARE_SHARE: usize = 100;

/// What frequencies are measured against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statistics {
    /// Live chunks.
    pub(super) chunks: usize,
    /// Files with text.
    indexed: usize,
    /// Mean number of terms of each field.
    average: [f32; Field::ALL.len()],
}

impl Statistics {
    /// Those of all snapshots together.
    pub(super) fn of<'a>(snapshots: impl Iterator<Item = &'a Snapshot> + Clone) -> Statistics {
        let chunks: usize = snapshots.clone().map(Snapshot::chunk_count).sum();
        let average = Field::ALL.map(|field| {
            let terms: u64 = snapshots.clone().map(|snapshot| snapshot.term_count(field)).sum();
            terms as f32 / chunks.max(1) as f32
        });
        Statistics { chunks, indexed: snapshots.map(Snapshot::indexed).sum(), average }
    }

    /// Of a file's text as a whole, chunks for its length.
    pub(super) fn saturation_of_files(&self) -> Saturation {
        Saturation::new(self.chunks as f32 / self.indexed.max(1) as f32)
    }
}

/// A term of the query.
pub(super) struct Term {
    text: String,
    /// Inverse document frequency over all fields.
    pub(super) weight: f32,
    /// Chunks that hold it in some field.
    pub(super) containing: usize,
    /// Inverse document frequency in each field.
    pub(super) idf: [f32; Field::ALL.len()],
}

/// The terms of a query that are scored.
pub(super) struct Terms {
    all: Vec<Term>,
    total_weight: f32,
    pub(super) statistics: Statistics,
}

/// The live postings of one term in one snapshot, by field, in order of slots: BM25 is the weight of a posting times the field's idf.
pub(super) type Lists = [Vec<(u32, f32)>; Field::ALL.len()];

/// Looks the terms up in one snapshot.
///
/// # Errors
/// Where its postings can't be read.
pub(super) fn look_up(snapshot: &Snapshot, terms: &[String], statistics: &Statistics) -> Result<Vec<Lists>> {
    let terms = &terms[..terms.len().min(MAX_LOOKED_UP)];
    let one = |term: &String| lists(snapshot, term, statistics);
    if snapshot.slots() < WORTH_THREADS {
        terms.iter().map(one).collect()
    } else {
        terms.par_iter().map(one).collect()
    }
}

fn lists(snapshot: &Snapshot, term: &str, statistics: &Statistics) -> Result<Lists> {
    let mut out = Lists::default();
    for (field, list) in Field::ALL.into_iter().zip(&mut out) {
        let saturation = Saturation::new(statistics.average[field as usize]);
        let (mut last, mut sorted) = (0, true);
        snapshot.postings(field, term, |posting| {
            sorted &= posting.slot >= last;
            last = posting.slot;
            list.push((posting.slot, saturation.weigh(posting)));
        })?;
        if !sorted {
            list.sort_unstable_by_key(|p| p.0);
        }
    }
    Ok(out)
}

impl Terms {
    /// Weighs terms by what every root holds of them, and drops those beyond [`MAX_TERMS`] here and there.
    pub(super) fn weigh(terms: &[String], found: &mut [Vec<Lists>], statistics: Statistics) -> Terms {
        let weigh = |(place, text): (usize, &String)| {
            // Only now is it known how many live chunks hold the term.
            let counts: [usize; Field::ALL.len()] =
                std::array::from_fn(|field| found.iter().map(|lists| lists[place][field].len()).sum());
            let containing = counts.into_iter().max().unwrap_or_default();
            Term {
                text: text.clone(),
                weight: idf(containing, statistics.chunks),
                containing,
                idf: counts.map(|count| idf(count, statistics.chunks)),
            }
        };
        let mut all: Vec<Term> = terms.iter().take(MAX_LOOKED_UP).enumerate().map(weigh).collect();
        if all.len() > MAX_TERMS {
            let mut weights: Vec<f32> = all.iter().map(|t| t.weight).collect();
            weights.sort_by(|a, b| b.total_cmp(a));
            let floor = weights[MAX_TERMS - 1];
            let kept: Vec<bool> = all.iter().map(|t| t.weight >= floor).collect();
            keep(&mut all, &kept);
            found.iter_mut().for_each(|lists| keep(lists, &kept));
        }
        Terms { total_weight: all.iter().map(|t| t.weight).sum(), all, statistics }
    }

    /// In the query's order.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Term> {
        self.all.iter()
    }

    /// With their weights.
    pub(super) fn weighted(&self) -> Vec<(String, f32)> {
        self.all.iter().map(|t| (t.text.clone(), t.weight)).collect()
    }

    /// Whether one of them is rare.
    pub(super) fn has_rare(&self) -> bool {
        let most = RARE_CHUNKS.max(self.statistics.chunks / RARE_SHARE);
        self.all.iter().any(|t| (1..=most).contains(&t.containing))
    }

    /// Weighted share that stands in no chunk.
    pub(super) fn unknown(&self) -> f32 {
        let absent = self.all.iter().filter(|t| t.containing == 0).map(|t| t.weight).sum::<f32>();
        if self.total_weight > 0.0 { absent / self.total_weight } else { 1.0 }
    }

    /// Weighted share behind a set of bits, one a term.
    pub(super) fn share(&self, bits: u32) -> f32 {
        let there = self
            .all
            .iter()
            .enumerate()
            .filter(|(bit, _)| (bits >> bit) & 1 == 1)
            .fold(0.0, |sum, (_, t)| sum + t.weight);
        if self.total_weight > 0.0 { there / self.total_weight } else { 0.0 }
    }
}

/// Keeps what is marked, [`MAX_TERMS`] at most.
fn keep<T>(items: &mut Vec<T>, kept: &[bool]) {
    let mut marks = kept.iter();
    items.retain(|_| marks.next() == Some(&true));
    items.truncate(MAX_TERMS);
}
