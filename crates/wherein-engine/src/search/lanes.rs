//! The lanes over one corpus: lexical, semantic, and the deep one where there are deep vectors. In each root every chunk that the
//! mask allows is scored; of all roots together each lane names its hundred best.

use std::sync::Arc;

use rayon::prelude::*;

use crate::config::DeepModel;
use crate::embed::{Scale, question};
use crate::error::{Error, Result};
use crate::lexical::Field;
use crate::rank::{Asked, Candidate, QueryKind, Reading};
use crate::store::Snapshot;
use crate::vector::{QueryVector, cosines};

use super::WORTH_THREADS;
use super::best::{Choice, best, best_of_all, merge};
use super::mask::Mask;
use super::terms::{Lists, Statistics, Terms, look_up};

/// Candidates a lane names.
const LANE_SIZE: usize = 100;
/// Chunks that define a name of the query and become candidates whatever their rank.
const DEFINITIONS: usize = 40;
/// Chunks with every known term of a query of several that become candidates whatever their rank: what may quote it.
const WHOLE: usize = 32;
const SEVERAL_TERMS: u32 = 3;
/// Share of each field in the lexical score: body, symbol, path, doc (docs/measurements.md, "Ranking").
const FIELD_WEIGHTS: [f32; 4] = [1.0, 0.8, 0.8, 0.3];

/// No cosine is that low.
const NO_VECTOR: f32 = -2.0;

/// A query as vectors.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    /// Of the instant tier.
    pub(super) instant: Vec<f32>,
    /// Of the deep tier.
    pub(super) deep: Deep,
}

/// A query's vector of the deep tier.
#[derive(Clone, Debug)]
pub(super) enum Deep {
    /// Its lane does not run.
    None,
    /// The vector is there.
    Known(Vec<f32>),
    /// This model makes it of the query's text, where it is needed.
    Asked(DeepModel, String),
}

impl Deep {
    /// The vector; empty where the lane does not run. No model is asked what a passage already says in the question's words.
    fn vector(&self, is_said: impl FnOnce() -> bool) -> Result<Vec<f32>> {
        match self {
            Deep::None => Ok(Vec::new()),
            Deep::Known(vector) => Ok(vector.clone()),
            Deep::Asked(..) if is_said() => Ok(Vec::new()),
            Deep::Asked(model, text) => question(model, text),
        }
    }
}

/// What the lanes found in a corpus.
pub(super) struct Run {
    pub(super) terms: Arc<Terms>,
    /// A value for each root.
    pub(super) lanes: Vec<Lanes>,
    /// Why the deep lane could not run, where it should have.
    pub(super) failed: Option<Error>,
}

/// What the lanes know of one root after they ran.
pub(super) struct Lanes {
    terms: Arc<Terms>,
    /// The terms' postings here.
    lists: Vec<Lists>,
    /// Weighted BM25 of each slot.
    lexical: Vec<f32>,
    /// Which terms stand in each slot, a bit a term.
    present: Vec<u32>,
    /// Cosine of each slot.
    semantic: Vec<f32>,
    /// Deep cosine of each slot, [`NO_VECTOR`] where it has no deep vector; empty where the lane did not run.
    deep: Vec<f32>,
    best_lexical: Vec<Choice>,
    best_semantic: Vec<Choice>,
    best_deep: Vec<Choice>,
    definitions: Vec<Choice>,
    /// The best chunks with every term that the corpus knows.
    whole: Vec<Choice>,
}

/// One of the lists of what lanes name.
type List = fn(&mut Lanes) -> &mut Vec<Choice>;

/// What the first look at a root finds: the terms' postings, and the cosines of the instant tier.
type Looked = (Vec<Lists>, Vec<f32>);

impl Lanes {
    /// Runs the lanes over every root, side by side.
    pub(super) fn run(parts: &[(&Snapshot, Mask)], reading: &Reading, vectors: &Vectors) -> Result<Run> {
        let statistics = Statistics::of(parts.iter().map(|part| part.0));
        let look = |(snapshot, _): &(&Snapshot, Mask)| -> Result<Looked> {
            let (lists, cosines) = side_by_side(
                snapshot,
                || look_up(snapshot, &reading.terms, &statistics),
                || semantic_lane(snapshot, &vectors.instant),
            );
            Ok((lists?, cosines))
        };
        let looked = each(parts, look).into_iter().collect::<Result<Vec<_>>>()?;
        let (mut lists, cosines): (Vec<_>, Vec<_>) = looked.into_iter().unzip();
        let terms = Arc::new(Terms::weigh(&reading.terms, &mut lists, statistics));
        let begin = |((part, lists), semantic)| Lanes::new((part, &terms), lists, semantic);
        let mut lanes: Vec<Lanes> = parts.iter().zip(lists).zip(cosines).map(begin).collect();
        each_with(&mut lanes, parts, |lanes, _| lanes.sum_terms());
        let is_said =
            || lanes.iter().zip(parts).any(|(lanes, (snapshot, mask))| lanes.says_all(snapshot, mask));
        let deep = vectors.deep.vector(is_said);
        let (deep, failed) = deep.map_or_else(|error| (Vec::new(), Some(error)), |vector| (vector, None));
        each_with(&mut lanes, parts, |lanes, (snapshot, mask)| {
            lanes.deep = deep_lane(snapshot, &deep);
            lanes.choose(snapshot, mask, reading.kind);
        });
        let lists: [(List, usize); 5] = [
            (|l| &mut l.best_lexical, LANE_SIZE),
            (|l| &mut l.best_semantic, LANE_SIZE),
            (|l| &mut l.best_deep, LANE_SIZE),
            (|l| &mut l.definitions, definitions(reading.kind)),
            (|l| &mut l.whole, WHOLE),
        ];
        for (list, count) in lists {
            merge(lanes.iter_mut().map(list).collect(), count);
        }
        Ok(Run { terms, lanes, failed })
    }

    fn new(
        ((snapshot, _), terms): (&(&Snapshot, Mask), &Arc<Terms>),
        lists: Vec<Lists>,
        semantic: Vec<f32>,
    ) -> Lanes {
        let slots = snapshot.slots();
        Lanes {
            terms: Arc::clone(terms),
            lists,
            lexical: vec![0.0; slots],
            present: vec![0; slots],
            semantic,
            deep: Vec::new(),
            best_lexical: Vec::new(),
            best_semantic: Vec::new(),
            best_deep: Vec::new(),
            definitions: Vec::new(),
            whole: Vec::new(),
        }
    }

    fn sum_terms(&mut self) {
        for (bit, (term, lists)) in self.terms.iter().zip(&self.lists).enumerate() {
            for ((list, idf), weight) in lists.iter().zip(term.idf).zip(FIELD_WEIGHTS) {
                let weight = weight * idf;
                for (slot, score) in list {
                    self.lexical[*slot as usize] += score * weight;
                    self.present[*slot as usize] |= 1 << bit;
                }
            }
        }
    }

    /// Whether a passage holds every term of the query. What is asked stands there in these words then, and a deep vector adds nothing but its
    /// time (docs/measurements.md, "The deep tier").
    fn says_all(&self, snapshot: &Snapshot, mask: &Mask) -> bool {
        let terms = self.terms.iter().count();
        let all = (0..terms).fold(0u32, |bits, bit| bits | 1 << bit);
        let holds =
            |(slot, _): (usize, &u32)| snapshot.file_of(slot as u32).is_some_and(|file| mask.allows(file));
        terms > 0 && self.present.iter().enumerate().filter(|(_, bits)| **bits == all).any(holds)
    }

    fn choose(&mut self, snapshot: &Snapshot, mask: &Mask, kind: QueryKind) {
        let place = |slot: u32| {
            let file = snapshot.file_of(slot).filter(|file| mask.allows_all() || mask.allows(*file))?;
            Some((file, snapshot.chunk(slot).start))
        };
        let all = |scores: &[f32]| best_of_all(scores, LANE_SIZE, place);
        let (lexical, semantic) = side_by_side(snapshot, || all(&self.lexical), || all(&self.semantic));
        self.definitions = best(self.defining().into_iter(), definitions(kind), place);
        self.best_deep = all(&self.deep);
        self.whole = best(self.holding_all(), WHOLE, place);
        (self.best_lexical, self.best_semantic) = (lexical, semantic);
    }

    /// Chunks that hold every term that the corpus knows, where those are several, with their scores.
    fn holding_all(&self) -> impl Iterator<Item = (u32, f32)> {
        let known = self.terms.iter().zip(&self.lists).enumerate().filter(|(_, (t, _))| t.containing > 0);
        let bits = known.clone().fold(0u32, |bits, (bit, _)| bits | 1 << bit);
        let bodies = known.map(|(_, (_, lists))| &lists[Field::Body as usize][..]);
        let rarest = bodies.min_by_key(|list| list.len()).filter(|_| bits.count_ones() >= SEVERAL_TERMS);
        let slots = rarest.unwrap_or_default().iter().map(|posting| posting.0);
        slots
            .map(|slot| slot as usize)
            .filter(move |slot| self.present[*slot] == bits)
            .map(|slot| (slot as u32, self.lexical[slot]))
    }

    /// Chunks that define names with terms of the query, with their BM25 over those.
    fn defining(&self) -> Vec<(u32, f32)> {
        const SYMBOL: usize = Field::Symbol as usize;
        let lists = self.terms.iter().zip(&self.lists);
        let mut all: Vec<(u32, f32)> =
            lists.flat_map(|(t, l)| l[SYMBOL].iter().map(|p| (p.0, p.1 * t.idf[SYMBOL]))).collect();
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

    /// Whether the deep lane ran here.
    pub(super) fn is_deep(&self) -> bool {
        !self.deep.is_empty()
    }

    /// The union of what the lanes name here, and the passages of a forced file, in order of slots.
    pub(super) fn candidates(&self, snapshot: &Snapshot, forced: Option<usize>) -> Vec<Candidate> {
        let rank_in = |list: &[Choice]| {
            let mut ranks: Vec<(u32, u32)> = list.iter().map(|c| (c.slot, c.rank)).collect();
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
        let mut slots: Vec<u32> = lists.into_iter().flatten().map(|c| c.slot).chain(forced).collect();
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
                coverage: self.terms.share(self.present[slot as usize]),
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
        for (bit, (term, lists)) in self.terms.iter().zip(&self.lists).enumerate() {
            for (field, list) in lists.iter().enumerate() {
                if let Ok(at) = list.binary_search_by_key(&slot, |p| p.0) {
                    sums[field] += list[at].1 * term.idf[field];
                    present[field] |= 1 << bit;
                }
            }
        }
        (sums, present)
    }

    /// BM25 of a file's text as a whole: its chunks' saturated frequencies for frequencies, chunks for length.
    pub(super) fn file_bm25(&self, snapshot: &Snapshot, file: usize) -> f32 {
        let slots = snapshot.slots_of(file);
        let saturation = self.terms.statistics.saturation_of_files();
        let one = |(term, lists): (&super::terms::Term, &Lists)| {
            let postings = &lists[Field::Body as usize];
            let from = postings.partition_point(|p| p.0 < slots.start);
            let here = postings[from..].iter().take_while(|p| p.0 < slots.end);
            term.weight * saturation.of(here.map(|p| p.1).sum(), slots.len() as f32)
        };
        self.terms.iter().zip(&self.lists).map(one).sum()
    }

    /// Weighted share of the query's terms behind a set of bits.
    pub(super) fn share(&self, bits: u32) -> f32 {
        self.terms.share(bits)
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

/// What a query needs to know of the corpus before its answers are scored.
pub(super) fn asked(parts: &[(&Snapshot, Mask)], lanes: &[Lanes], terms: &Terms, words: usize) -> Asked {
    let chunks = terms.statistics.chunks;
    // A corpus is as noisy as its chunks are on average.
    let noise =
        |(snapshot, _): &(&Snapshot, Mask)| snapshot.noise().questions * snapshot.chunk_count() as f32;
    let noise: f32 = parts.iter().map(noise).sum();
    Asked {
        has_vector: lanes.iter().any(|lanes| !lanes.semantic.is_empty()),
        is_deep: lanes.iter().any(Lanes::is_deep),
        has_rare_term: terms.has_rare(),
        unknown: terms.unknown(),
        words,
        noise: if chunks > 0 { noise / chunks as f32 } else { 0.0 },
        chunks,
    }
}

/// Chunks that define a name of the query and become candidates.
fn definitions(kind: QueryKind) -> usize {
    if kind == QueryKind::Natural { DEFINITIONS / 2 } else { DEFINITIONS }
}

/// One step over each root: a single one is not worth waking a thread for.
fn each<T: Sync, R: Send>(parts: &[T], step: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    if parts.len() == 1 { parts.iter().map(step).collect() } else { parts.par_iter().map(step).collect() }
}

/// As [`each`], changing what is there of each root.
fn each_with<T: Sync, R: Send>(all: &mut [R], parts: &[T], step: impl Fn(&mut R, &T) + Sync + Send) {
    if let ([one], [part]) = (&mut *all, parts) {
        step(one, part);
    } else {
        all.par_iter_mut().zip(parts).for_each(|(one, part)| step(one, part));
    }
}

/// Two steps on two threads, where the corpus is large enough to pay for waking one.
fn side_by_side<A: Send, B: Send>(
    snapshot: &Snapshot,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if snapshot.slots() < WORTH_THREADS { (a(), b()) } else { rayon::join(a, b) }
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
