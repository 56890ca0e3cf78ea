//! The lanes over one snapshot: lexical, semantic, and the deep one where there are deep vectors. Each scores every chunk that the
//! mask allows and names its hundred best.

use rayon::prelude::*;

use crate::embed::Scale;
use crate::error::Result;
use crate::lexical::{Field, Saturation, idf};
use crate::rank::{Asked, Candidate, QueryKind, Reading};
use crate::store::Snapshot;
use crate::vector::{QueryVector, cosines};

use super::best::{best, best_of_all};
use super::mask::Mask;

/// Candidates a lane names.
const LANE_SIZE: usize = 100;
/// Chunks that define a name of the query and become candidates whatever their rank.
const DEFINITIONS: usize = 40;
/// Chunks with every known term of a query of several that become candidates whatever their rank: what may quote it.
const WHOLE: usize = 32;
const SEVERAL_TERMS: u32 = 3;
/// Terms of a query that are scored: its rarest.
const MAX_TERMS: usize = 32;
/// Terms looked up to find those.
const MAX_LOOKED_UP: usize = 256;
/// A term is rare in at most so many chunks, or in one of so many: docs-rag-mcp's gate.
const RARE_CHUNKS: usize = 5;
const RARE_SHARE: usize = 100;
/// Share of each field in the lexical score: body, symbol, path, doc (docs/measurements.md, "Ranking").
const FIELD_WEIGHTS: [f32; 4] = [1.0, 0.8, 0.8, 0.3];

/// Slots from which on the lanes run side by side.
const WORTH_TWO: usize = 8_000;
/// Slots from which on terms are looked up on several threads.
const WORTH_THREADS: usize = 20_000;

/// No cosine is that low.
const NO_VECTOR: f32 = -2.0;

/// A query as vectors.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    /// Of the instant tier.
    pub(super) instant: Vec<f32>,
    /// Of the deep tier; empty where its lane does not run.
    pub(super) deep: Vec<f32>,
}

/// A query term with its postings.
struct Scored {
    term: String,
    /// Its weight: inverse document frequency over all fields.
    weight: f32,
    /// Chunks that hold it in some field.
    containing: usize,
    /// Its postings in each field.
    fields: [List; 4],
}

/// The live postings of a term in one field, in order of slots: BM25 is the weight of a posting times the frequency's.
#[derive(Default)]
struct List {
    postings: Vec<(u32, f32)>,
    idf: f32,
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
    /// Deep cosine of each slot, [`NO_VECTOR`] where it has no deep vector; empty where the lane did not run.
    deep: Vec<f32>,
    best_lexical: Vec<u32>,
    best_semantic: Vec<u32>,
    best_deep: Vec<u32>,
    definitions: Vec<u32>,
    /// The best chunks with every term that the root knows.
    whole: Vec<u32>,
}

impl Lanes {
    /// Runs the lanes side by side.
    pub(super) fn run(
        snapshot: &Snapshot,
        mask: &Mask,
        reading: &Reading,
        vectors: &Vectors,
    ) -> Result<Lanes> {
        let (lexical, (semantic, deep)) = side_by_side(
            snapshot,
            || lexical_lane(snapshot, &reading.terms),
            || (semantic_lane(snapshot, &vectors.instant), deep_lane(snapshot, &vectors.deep)),
        );
        let terms = lexical?;
        let slots = snapshot.slots();
        let mut out = Lanes {
            total_weight: terms.iter().map(|t| t.weight).sum(),
            lexical: vec![0.0; slots],
            present: vec![0; slots],
            semantic,
            deep,
            best_lexical: Vec::new(),
            best_semantic: Vec::new(),
            best_deep: Vec::new(),
            definitions: Vec::new(),
            whole: Vec::new(),
            terms,
        };
        out.sum_terms();
        out.choose(snapshot, mask, reading.kind);
        Ok(out)
    }

    fn sum_terms(&mut self) {
        for (bit, term) in self.terms.iter().enumerate() {
            for (list, weight) in term.fields.iter().zip(FIELD_WEIGHTS) {
                let weight = weight * list.idf;
                for (slot, score) in &list.postings {
                    self.lexical[*slot as usize] += score * weight;
                    self.present[*slot as usize] |= 1 << bit;
                }
            }
        }
    }

    fn choose(&mut self, snapshot: &Snapshot, mask: &Mask, kind: QueryKind) {
        let place = |slot: u32| {
            let file = snapshot.file_of(slot).filter(|file| mask.allows_all() || mask.allows(*file))?;
            Some((file, snapshot.chunk(slot).start))
        };
        let wanted = if kind == QueryKind::Natural { DEFINITIONS / 2 } else { DEFINITIONS };
        let defining = self.defining();
        let all = |scores: &[f32]| best_of_all(scores, LANE_SIZE, place);
        let (lexical, semantic) = side_by_side(snapshot, || all(&self.lexical), || all(&self.semantic));
        self.definitions = best(defining.into_iter(), wanted, place);
        self.best_deep = all(&self.deep);
        self.whole = best(self.holding_all(), WHOLE, place);
        (self.best_lexical, self.best_semantic) = (lexical, semantic);
    }

    /// Chunks that hold every term that the root knows, where those are several, with their scores.
    fn holding_all(&self) -> impl Iterator<Item = (u32, f32)> {
        let known = self.terms.iter().enumerate().filter(|(_, term)| term.containing > 0);
        let bits = known.clone().fold(0u32, |bits, (bit, _)| bits | 1 << bit);
        let bodies = known.map(|(_, term)| &term.fields[Field::Body as usize].postings[..]);
        let rarest = bodies.min_by_key(|list| list.len()).filter(|_| bits.count_ones() >= SEVERAL_TERMS);
        let slots = rarest.unwrap_or_default().iter().map(|posting| posting.0);
        slots
            .map(|slot| slot as usize)
            .filter(move |slot| self.present[*slot] == bits)
            .map(|slot| (slot as u32, self.lexical[slot]))
    }

    /// Chunks that define names with terms of the query, with their BM25 over those.
    fn defining(&self) -> Vec<(u32, f32)> {
        let lists = self.terms.iter().map(|t| &t.fields[Field::Symbol as usize]);
        let mut all: Vec<(u32, f32)> =
            lists.flat_map(|l| l.postings.iter().map(|p| (p.0, p.1 * l.idf))).collect();
        // Stable: the terms of one chunk are added up in their order.
        all.sort_by_key(|p| p.0);
        all.dedup_by(|next, sum| {
            let same = next.0 == sum.0;
            if same {
                sum.1 += next.1;
            }
            same
        });
        all
    }

    /// What a score needs to know of the query.
    pub(super) fn asked(&self, snapshot: &Snapshot, words: usize) -> Asked {
        let chunks = snapshot.chunk_count();
        let most = RARE_CHUNKS.max(chunks / RARE_SHARE);
        Asked {
            has_vector: !self.semantic.is_empty(),
            is_deep: !self.deep.is_empty(),
            has_rare_term: self.terms.iter().any(|t| (1..=most).contains(&t.containing)),
            unknown: self.unknown(),
            words,
            noise: snapshot.noise().questions,
            chunks,
        }
    }

    /// Weighted share of the query's terms that stand in no chunk.
    fn unknown(&self) -> f32 {
        let absent = self.terms.iter().filter(|t| t.containing == 0).map(|t| t.weight).sum::<f32>();
        if self.total_weight > 0.0 { absent / self.total_weight } else { 1.0 }
    }

    /// The query's terms with their weights.
    pub(super) fn weighted_terms(&self) -> Vec<(String, f32)> {
        self.terms.iter().map(|t| (t.term.clone(), t.weight)).collect()
    }

    /// The union of what the lanes name, and the passages of a forced file, in order of slots.
    pub(super) fn candidates(&self, snapshot: &Snapshot, forced: Option<usize>) -> Vec<Candidate> {
        let rank_in = |list: &[u32]| {
            let mut ranks: Vec<(u32, u32)> = list.iter().copied().zip(1..).collect();
            ranks.sort_unstable();
            ranks
        };
        let [lexical, semantic, deep] =
            [&self.best_lexical, &self.best_semantic, &self.best_deep].map(|l| rank_in(l));
        let rank = |ranks: &[(u32, u32)], slot: u32| {
            ranks.binary_search_by_key(&slot, |r| r.0).map_or(0, |i| ranks[i].1)
        };
        let lists =
            [&self.best_lexical, &self.best_semantic, &self.best_deep, &self.definitions, &self.whole];
        let forced = forced.map_or(0..0, |file| snapshot.slots_of(file));
        let mut slots: Vec<u32> = lists.into_iter().flatten().copied().chain(forced).collect();
        slots.sort_unstable();
        slots.dedup();
        debug_assert!(slots.iter().all(|s| snapshot.file_of(*s).is_some()));
        slots
            .into_iter()
            .map(|slot| (slot, self.fields(slot)))
            .map(|(slot, (fields, present))| Candidate {
                slot,
                cosine: self.cosine(slot),
                bm25: self.lexical[slot as usize],
                fields,
                present,
                coverage: self.share(self.present[slot as usize]),
                rank_cosine: rank(&semantic, slot),
                rank_bm25: rank(&lexical, slot),
                deep: self.deep(slot),
                rank_deep: rank(&deep, slot),
            })
            .collect()
    }

    /// The deep cosine of a chunk that has one.
    fn deep(&self, slot: u32) -> Option<f32> {
        self.deep.get(slot as usize).copied().filter(|cosine| *cosine > NO_VECTOR)
    }

    fn cosine(&self, slot: u32) -> f32 {
        self.semantic.get(slot as usize).copied().unwrap_or(0.0)
    }

    /// BM25 of each field alone, and which terms stand in it, a bit a term.
    fn fields(&self, slot: u32) -> ([f32; 4], [u32; 4]) {
        let (mut sums, mut present) = ([0.0; 4], [0; 4]);
        for (bit, term) in self.terms.iter().enumerate() {
            for (field, list) in term.fields.iter().enumerate() {
                if let Ok(at) = list.postings.binary_search_by_key(&slot, |p| p.0) {
                    sums[field] += list.postings[at].1 * list.idf;
                    present[field] |= 1 << bit;
                }
            }
        }
        (sums, present)
    }

    /// BM25 of a file's text as a whole: its chunks' saturated frequencies for frequencies, chunks for length.
    pub(super) fn file_bm25(&self, snapshot: &Snapshot, file: usize) -> f32 {
        let slots = snapshot.slots_of(file);
        let saturation = Saturation::new(snapshot.chunk_count() as f32 / snapshot.indexed().max(1) as f32);
        let one = |term: &Scored| {
            let postings = &term.fields[Field::Body as usize].postings;
            let from = postings.partition_point(|p| p.0 < slots.start);
            let here = postings[from..].iter().take_while(|p| p.0 < slots.end);
            term.weight * saturation.of(here.map(|p| p.1).sum(), slots.len() as f32)
        };
        self.terms.iter().map(one).sum()
    }

    /// Weighted share of the query's terms behind a set of bits.
    pub(super) fn share(&self, bits: u32) -> f32 {
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

/// Two steps on two threads, where the corpus is large enough to pay for waking one.
fn side_by_side<A: Send, B: Send>(
    snapshot: &Snapshot,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if snapshot.slots() < WORTH_TWO { (a(), b()) } else { rayon::join(a, b) }
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
    let mut out = Scored { term: term.to_owned(), weight: 0.0, containing: 0, fields: Default::default() };
    for (field, list) in Field::ALL.into_iter().zip(&mut out.fields) {
        let saturation = Saturation::new(snapshot.average_terms(field));
        let (mut last, mut sorted) = (0, true);
        snapshot.postings(field, term, |posting| {
            sorted &= posting.slot >= last;
            last = posting.slot;
            list.postings.push((posting.slot, saturation.weigh(posting)));
        })?;
        if !sorted {
            list.postings.sort_unstable_by_key(|p| p.0);
        }
        // Only now is it known how many live chunks hold the term.
        list.idf = idf(list.postings.len(), chunks);
        out.containing = out.containing.max(list.postings.len());
    }
    out.weight = idf(out.containing, chunks);
    Ok(out)
}

fn semantic_lane(snapshot: &Snapshot, vector: &[f32]) -> Vec<f32> {
    let Some(query) = QueryVector::new(vector) else { return Vec::new() };
    let mut out = vec![0.0; snapshot.slots()];
    let mut rest = out.as_mut_slice();
    for (rows, scales) in snapshot.vectors() {
        let (here, after) = rest.split_at_mut(scales.len());
        cosines(&query, rows, scales, here);
        rest = after;
    }
    out
}

/// Deep cosines by slot.
fn deep_lane(snapshot: &Snapshot, vector: &[f32]) -> Vec<f32> {
    let fits = vector.len() == snapshot.deep().dimensions();
    let Some(query) = QueryVector::new(vector).filter(|_| fits) else { return Vec::new() };
    let mut out = vec![NO_VECTOR; snapshot.slots()];
    let (mean, deviation) = snapshot.deep().scale();
    let scale = Scale { mean, deviation };
    let mut of_run = Vec::new();
    for (rows, scales, slots) in snapshot.deep().runs() {
        of_run.resize(slots.len(), 0.0);
        cosines(&query, rows, scales, &mut of_run);
        for (slot, cosine) in slots.iter().zip(&of_run) {
            if let Some(place) = out.get_mut(*slot as usize) {
                *place = scale.as_built_in(*cosine);
            }
        }
    }
    out
}
