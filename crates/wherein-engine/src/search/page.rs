//! Measured candidates → a page: order, scores, threshold.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::rank::{self, Column, File, Passage, Ranked, Support, Weights, Within};
use crate::types::{Label, Query, Term};

use super::lanes::Vectors;
use super::related::Seed;
use super::verbatim::quotes;
use super::verify::Texts;
use super::{Ask, Measured, Part, Place, measure};

/// Hits below this score are no answers; see `rank::evidence`.
pub const THRESHOLD: f32 = 0.5;

/// Passages whose best evidence speaks for the whole page, however many were asked for.
pub(super) const PAGE: usize = 10;

/// A passage with its score and evidence, before it is read from disk.
pub(super) struct Found {
    /// The part of the corpus that it lies in.
    pub part: usize,
    pub slot: u32,
    pub score: f32,
    pub label: Label,
    pub signals: BTreeMap<&'static str, f32>,
    pub explain: Option<Vec<Term>>,
}

/// The best passage that the threshold cut: its part, slot and score.
pub(super) type Miss = (usize, u32, f32);

/// What ranking found: the page, and the best passage that the threshold cut.
pub(super) struct Page {
    /// Words of the query, in lower case: the name among a passage's names that was asked for is the one to show.
    pub(super) words: Vec<String>,
    pub(super) found: Vec<Found>,
    pub(super) miss: Option<Miss>,
    pub(super) cut: usize,
    /// The rank and best passage of the file that was asked about, where one was.
    pub(super) asked_file: Option<(usize, Found)>,
    /// Why the deep lane could not run, where it should have.
    pub(super) failed: Option<Error>,
}

/// Finds and ranks passages; of the roots it reads only what may quote the query.
///
/// # Errors
/// Where postings can't be read or a glob of the scope is none.
pub(super) fn retrieve(
    parts: &[Part<'_>],
    query: &Query,
    vectors: &Vectors,
    texts: &mut [Texts<'_>],
) -> Result<Page> {
    let (snapshots, queries): (Vec<_>, Vec<_>) = parts.iter().map(|part| (part.snapshot, part.query)).unzip();
    let ask = Ask { snapshots: &snapshots, queries: &queries, forced: None, without: None };
    let mut measured = |ask: &Ask<'_, '_>| -> Result<Page> {
        let mut measured = measure(ask, vectors)?;
        measured.quotes = quotes(&measured, &query.text, texts);
        let failed = measured.failed.take();
        let mut page = Page { failed, ..page(ask, &measured, query) };
        if let Some(place) = ask.forced {
            let ranked = measured.order(Weights::built_in(), &queries, usize::MAX);
            let at = ranked.iter().position(|hit| measured.files[hit.file].0 == place);
            let scored = measured.score(&ranked);
            page.asked_file = at.map(|at| (at + 1, measured.found(&ranked[at], scored[at], true)));
        }
        Ok(page)
    };
    let page = measured(&ask)?;
    let asked_about = |(at, part): (usize, &Part<'_>)| {
        let path = part.query.explain_path.as_deref()?;
        part.snapshot.find(path).map(|file| (at, file))
    };
    match parts.iter().enumerate().find_map(asked_about) {
        None => Ok(page),
        // Measured again with that file among the candidates: it moves the standard values of the others.
        forced => Ok(Page { asked_file: measured(&Ask { forced, ..ask })?.asked_file, ..page }),
    }
}

/// What is related to a passage; as [`retrieve`].
pub(super) fn retrieve_like(part: &Part<'_>, query: &Query, seed: &Seed) -> Result<Page> {
    let ask =
        Ask { snapshots: &[part.snapshot], queries: &[query], forced: None, without: Some((0, seed.file)) };
    Ok(page(&ask, &measure(&ask, &seed.vectors)?, query))
}

fn page(ask: &Ask<'_, '_>, measured: &Measured<'_>, query: &Query) -> Page {
    let ranked = measured.order(Weights::built_in(), ask.queries, query.k.max(PAGE));
    let scored = measured.score(&ranked);
    let threshold = query.min_score.unwrap_or(THRESHOLD);
    let mut page = Page {
        words: measured.reading.words.iter().map(|w| w.lower.clone()).collect(),
        found: Vec::new(),
        miss: None,
        cut: 0,
        asked_file: None,
        failed: None,
    };
    let best = scored.first().copied().unwrap_or_default();
    let least = threshold.max(query.relative.unwrap_or_default() * best);
    for (hit, score) in ranked.iter().zip(&scored).take(query.k) {
        if *score < least {
            page.cut += 1;
            let slot = measured.passage(hit).candidate.slot;
            page.miss = page.miss.or(Some((measured.part(hit), slot, *score)));
        } else {
            page.found.push(measured.found(hit, *score, query.explain));
        }
    }
    page
}

impl Measured<'_> {
    /// Orders the candidates by these weights and by the boosts of each part's query, and keeps `k`.
    pub(super) fn order(&self, weights: &Weights, queries: &[&Query], k: usize) -> Vec<Ranked> {
        let mut out = Vec::new();
        for (at, (place, file)) in self.files.iter().enumerate() {
            let within = self.within(*place, file);
            let column = Column::of(self.reading.kind, within);
            let score = weights.file(column, &self.rows[at]) + queries[place.0].boost(file.path);
            for (passage, row) in self.passages[at].iter().enumerate() {
                out.push(Ranked {
                    file: at,
                    passage,
                    column,
                    score,
                    own: weights.passage(within, row),
                    quoted: self.quoted(at, passage),
                    place: (at, file.passages[passage].start),
                });
            }
        }
        rank::order(out, k)
    }

    /// Which weights order the passages of a file.
    pub(super) fn within(&self, place: Place, file: &File<'_>) -> Within {
        Within::of(file.lang.is_prose(), self.deep[place.0])
    }

    /// The part of the corpus that a hit lies in.
    fn part(&self, hit: &Ranked) -> usize {
        self.files[hit.file].0.0
    }

    /// A score for each passage of a page, never rising.
    pub(super) fn score(&self, ranked: &[Ranked]) -> Vec<f32> {
        let best = self.best_support(ranked);
        let mut above = 1f32;
        let one = |(place, hit): (usize, &Ranked)| {
            let own = support(&self.files[hit.file].1);
            let score = rank::confidence(own, best, place == 0, self.asked);
            above = above.min(if hit.quoted > 0.0 { score.max(rank::QUOTED_SCORE) } else { score });
            above
        };
        ranked.iter().enumerate().map(one).collect()
    }

    /// The best evidence of each kind on the first page.
    pub(super) fn best_support(&self, ranked: &[Ranked]) -> Support {
        let page = ranked.iter().take(PAGE).map(|hit| support(&self.files[hit.file].1));
        page.fold(Support::default(), Support::best)
    }

    /// The share of the query's words that a passage quotes.
    fn quoted(&self, file: usize, passage: usize) -> f32 {
        self.quotes.iter().find(|q| (q.file, q.passage) == (file, passage)).map_or(0.0, |q| q.share)
    }

    pub(super) fn passage(&self, hit: &Ranked) -> &Passage<'_> {
        &self.files[hit.file].1.passages[hit.passage]
    }

    fn found(&self, hit: &Ranked, score: f32, explain: bool) -> Found {
        let candidate = self.passage(hit).candidate;
        let (place, file) = &self.files[hit.file];
        let is_near = candidate.cosine >= self.asked.noise
            || candidate.deep.is_some_and(|deep| deep >= rank::DEEP_NOISE);
        let label = match (candidate.rank_bm25 > 0, is_near) {
            (true, true) => Label::Both,
            (false, _) => Label::Semantic,
            (true, false) => Label::Exact,
        };
        let mut signals = BTreeMap::from([
            ("cosine", candidate.cosine),
            ("bm25", candidate.bm25),
            ("coverage", candidate.coverage),
            ("file_coverage", file.coverage),
            ("rank_score", hit.score),
        ]);
        signals.extend(candidate.deep.map(|deep| ("deep", deep)));
        let terms = || {
            Weights::built_in().explain(
                (hit.column, &self.rows[hit.file]),
                (self.within(*place, file), &self.passages[hit.file][hit.passage]),
                hit.quoted,
            )
        };
        Found { part: place.0, slot: candidate.slot, score, label, signals, explain: explain.then(terms) }
    }
}

/// What speaks for a file: the best of its candidate passages.
fn support(file: &File<'_>) -> Support {
    let one = |p: &Passage<'_>| Support {
        cosine: p.candidate.cosine,
        coverage: p.candidate.coverage,
        named: file.named_coverage,
        deep: p.candidate.deep.filter(|_| file.lang.is_prose()),
    };
    file.passages.iter().map(one).fold(Support::default(), Support::best)
}
