//! The two lanes over one snapshot. Both score every chunk that the mask allows; each names its hundred best.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::embed::{Embedder, StaticModel};
use crate::error::Result;
use crate::lexical::{Field, Posting, bm25, idf};
use crate::rank::{Asked, Candidate, QueryKind, Reading};
use crate::store::Snapshot;
use crate::vector::{QueryVector, cosines};

use super::mask::Mask;

/// Candidates a lane names.
const LANE_SIZE: usize = 100;
/// Chunks that define a name of the query and become candidates whatever their rank.
const DEFINITIONS: usize = 40;
/// Terms of a query that are scored: its rarest.
const MAX_TERMS: usize = 32;
/// Terms looked up to find those.
const MAX_LOOKED_UP: usize = 256;
/// A term is rare in at most so many chunks, or in one of so many: docs-rag-mcp's gate.
const RARE_CHUNKS: usize = 5;
const RARE_SHARE: usize = 100;
/// Share of each field in the lexical score: body, symbol, path, doc (docs/measurements.md, "Ranking").
const FIELD_WEIGHTS: [f32; 4] = [1.0, 0.8, 0.8, 0.3];

/// Slots from which on terms are looked up on several threads.
const WORTH_THREADS: usize = 20_000;

/// A query term with its postings.
struct Scored {
    term: String,
    /// Its weight: inverse document frequency over all fields.
    weight: f32,
    /// Chunks that hold it in some field.
    containing: usize,
    /// Live postings of each field, with their BM25.
    fields: [Vec<(u32, f32)>; 4],
}

/// What both lanes know after they ran.
pub(super) struct Lanes {
    terms: Vec<Scored>,
    total_weight: f32,
    /// Weighted BM25 of each slot.
    lexical: Vec<f32>,
    /// Which terms stand in each slot, a bit a term.
    present: Vec<u32>,
    /// Cosine of each slot.
    semantic: Vec<f32>,
    best_lexical: Vec<u32>,
    best_semantic: Vec<u32>,
    definitions: Vec<u32>,
}

impl Lanes {
    /// Runs both lanes side by side.
    pub(super) fn run(snapshot: &Snapshot, mask: &Mask, text: &str, reading: &Reading) -> Result<Lanes> {
        let (lexical, semantic) =
            rayon::join(|| lexical_lane(snapshot, &reading.terms), || semantic_lane(snapshot, text));
        let terms = lexical?;
        let slots = snapshot.slots();
        let mut out = Lanes {
            total_weight: terms.iter().map(|t| t.weight).sum(),
            lexical: vec![0.0; slots],
            present: vec![0; slots],
            semantic,
            best_lexical: Vec::new(),
            best_semantic: Vec::new(),
            definitions: Vec::new(),
            terms,
        };
        out.sum_terms();
        out.choose(snapshot, mask, reading.kind);
        Ok(out)
    }

    fn sum_terms(&mut self) {
        for (bit, term) in self.terms.iter().enumerate() {
            for (postings, weight) in term.fields.iter().zip(FIELD_WEIGHTS) {
                for (slot, score) in postings {
                    self.lexical[*slot as usize] += score * weight;
                    self.present[*slot as usize] |= 1 << bit;
                }
            }
        }
    }

    fn choose(&mut self, snapshot: &Snapshot, mask: &Mask, kind: QueryKind) {
        let place = |slot: u32| snapshot.file_of(slot).map(|file| (file, snapshot.chunk(slot).start));
        let allowed =
            |slot: u32| snapshot.file_of(slot).is_some_and(|file| mask.allows_all() || mask.allows(file));
        self.best_lexical = best(&self.lexical, LANE_SIZE, 0.0, allowed, place);
        self.best_semantic = best(&self.semantic, LANE_SIZE, 0.0, allowed, place);
        let mut symbol = vec![0f32; if self.terms.is_empty() { 0 } else { self.lexical.len() }];
        for term in &self.terms {
            for (slot, score) in &term.fields[Field::Symbol as usize] {
                symbol[*slot as usize] += score;
            }
        }
        let wanted = if kind == QueryKind::Natural { DEFINITIONS / 2 } else { DEFINITIONS };
        self.definitions = best(&symbol, wanted, 0.0, allowed, place);
    }

    /// What a score needs to know of the query.
    pub(super) fn asked(&self, snapshot: &Snapshot) -> Asked {
        let most = RARE_CHUNKS.max(snapshot.chunk_count() / RARE_SHARE);
        Asked {
            has_vector: !self.semantic.is_empty(),
            has_rare_term: self.terms.iter().any(|t| (1..=most).contains(&t.containing)),
        }
    }

    /// The query's terms with their weights.
    pub(super) fn weighted_terms(&self) -> Vec<(String, f32)> {
        self.terms.iter().map(|t| (t.term.clone(), t.weight)).collect()
    }

    /// The union of what the lanes name, in order of slots.
    pub(super) fn candidates(&self, snapshot: &Snapshot) -> Vec<Candidate> {
        let rank_in = |list: &[u32]| {
            let mut ranks: Vec<(u32, u32)> = list.iter().copied().zip(1..).collect();
            ranks.sort_unstable();
            ranks
        };
        let (lexical, semantic) = (rank_in(&self.best_lexical), rank_in(&self.best_semantic));
        let rank = |ranks: &[(u32, u32)], slot: u32| {
            ranks.binary_search_by_key(&slot, |r| r.0).map_or(0, |i| ranks[i].1)
        };
        let lists = [&self.best_lexical, &self.best_semantic, &self.definitions];
        let mut slots: Vec<u32> = lists.into_iter().flatten().copied().collect();
        slots.sort_unstable();
        slots.dedup();
        debug_assert!(slots.iter().all(|s| snapshot.file_of(*s).is_some()));
        slots
            .into_iter()
            .map(|slot| Candidate {
                slot,
                cosine: self.cosine(slot),
                bm25: self.lexical[slot as usize],
                fields: self.fields(slot),
                coverage: self.share(self.present[slot as usize]),
                rank_cosine: rank(&semantic, slot),
                rank_bm25: rank(&lexical, slot),
            })
            .collect()
    }

    fn cosine(&self, slot: u32) -> f32 {
        self.semantic.get(slot as usize).copied().unwrap_or(0.0)
    }

    /// BM25 of each field alone.
    fn fields(&self, slot: u32) -> [f32; 4] {
        let mut out = [0.0; 4];
        for term in &self.terms {
            for (sum, postings) in out.iter_mut().zip(&term.fields) {
                if let Ok(at) = postings.binary_search_by_key(&slot, |p| p.0) {
                    *sum += postings[at].1;
                }
            }
        }
        out
    }

    /// Weighted share of the query's terms behind a set of bits.
    fn share(&self, bits: u32) -> f32 {
        let there = self
            .terms
            .iter()
            .enumerate()
            .filter(|(bit, _)| (bits >> bit) & 1 == 1)
            .fold(0.0, |sum, (_, t)| sum + t.weight);
        if self.total_weight > 0.0 { there / self.total_weight } else { 0.0 }
    }

    /// Weighted share of the query's terms that a file holds.
    pub(super) fn file_coverage(&self, snapshot: &Snapshot, file: usize) -> f32 {
        let bits = snapshot.slots_of(file).fold(0, |bits, slot| bits | self.present[slot as usize]);
        self.share(bits)
    }

    /// Mean cosine over a file's chunks.
    pub(super) fn mean_cosine(&self, snapshot: &Snapshot, file: usize) -> f32 {
        let slots = snapshot.slots_of(file);
        let count = slots.len().max(1) as f32;
        slots.map(|slot| self.cosine(slot)).sum::<f32>() / count
    }
}

fn lexical_lane(snapshot: &Snapshot, terms: &[String]) -> Result<Vec<Scored>> {
    let terms = &terms[..terms.len().min(MAX_LOOKED_UP)];
    let mut out = if snapshot.slots() < WORTH_THREADS {
        terms.iter().map(|term| score_term(snapshot, term)).collect::<Result<Vec<_>>>()?
    } else {
        terms.par_iter().map(|term| score_term(snapshot, term)).collect::<Result<Vec<_>>>()?
    };
    if out.len() > MAX_TERMS {
        let mut weights: Vec<f32> = out.iter().map(|t| t.weight).collect();
        weights.sort_by(|a, b| b.total_cmp(a));
        let floor = weights[MAX_TERMS - 1];
        out.retain(|t| t.weight >= floor);
        out.truncate(MAX_TERMS);
    }
    Ok(out)
}

/// A term's live postings with their BM25 in every field.
fn score_term(snapshot: &Snapshot, term: &str) -> Result<Scored> {
    let chunks = snapshot.chunk_count();
    let mut fields: [Vec<(u32, f32)>; 4] = Default::default();
    let mut raw: Vec<Posting> = Vec::new();
    let mut containing = 0;
    for field in Field::ALL {
        raw.clear();
        snapshot.postings(field, term, |posting| raw.push(posting))?;
        containing = containing.max(raw.len());
        // Only now is it known how many live chunks hold the term.
        let idf = idf(raw.len(), chunks);
        let average = snapshot.average_terms(field);
        let list = &mut fields[field as usize];
        list.extend(raw.iter().map(|p| (p.slot, bm25(*p, idf, average))));
        if !list.is_sorted_by_key(|p| p.0) {
            list.sort_unstable_by_key(|p| p.0);
        }
    }
    Ok(Scored { term: term.to_owned(), weight: idf(containing, chunks), containing, fields })
}

fn semantic_lane(snapshot: &Snapshot, text: &str) -> Vec<f32> {
    let model = StaticModel::get();
    let mut vector = vec![0.0; model.dimensions()];
    model.embed(&[text], &mut vector);
    let Some(query) = QueryVector::new(&vector) else { return Vec::new() };
    let mut out = vec![0.0; snapshot.slots()];
    let mut rest = out.as_mut_slice();
    for (rows, scales) in snapshot.vectors() {
        let (here, after) = rest.split_at_mut(scales.len());
        cosines(&query, rows, scales, here);
        rest = after;
    }
    out
}

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

/// The slots with the `count` best scores above `floor`, best first.
fn best(
    scores: &[f32],
    count: usize,
    floor: f32,
    allowed: impl Fn(u32) -> bool,
    place: impl Fn(u32) -> Option<(usize, u32)>,
) -> Vec<u32> {
    let mut heap: BinaryHeap<Reverse<Entry>> = BinaryHeap::with_capacity(count + 1);
    let mut least = floor;
    for (slot, &score) in (0u32..).zip(scores) {
        if score <= floor || score < least || !allowed(slot) {
            continue;
        }
        let Some(place) = place(slot) else { continue };
        let entry = Entry { score, place, slot };
        if heap.len() < count {
            heap.push(Reverse(entry));
        } else if heap.peek().is_some_and(|worst| entry > worst.0) {
            heap.pop();
            heap.push(Reverse(entry));
        }
        if heap.len() == count {
            least = heap.peek().map_or(floor, |worst| worst.0.score);
        }
    }
    let mut entries: Vec<Entry> = heap.into_iter().map(|e| e.0).collect();
    entries.sort_by(|a, b| b.cmp(a));
    entries.into_iter().map(|e| e.slot).collect()
}
