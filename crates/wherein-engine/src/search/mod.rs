//! The search flow: read the query → mask → lexical lane ∥ semantic lane → rank → verify on disk → answer.
//!
//! It searches one snapshot and never indexes. Everything before verification is a function of snapshot and query.

mod lanes;
mod mask;
mod verify;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Instant;

use crate::config::Config;
use crate::error::Result;
use crate::rank::{self, Asked, Candidate, Evidence, Names, Ranked, Reading, Support};
use crate::store::Snapshot;
use crate::text::Analyzer;
use crate::types::{Answer, Hit, Kind, Label, NearestMiss, Query, Verdict};

pub use verify::Passage;
pub(crate) use verify::chunk_by_id;

use lanes::Lanes;
use mask::Mask;

/// Hits below this score are no answers; see `rank::confidence`.
pub const THRESHOLD: f32 = 0.5;

/// Passages whose best evidence speaks for the whole page, however many were asked for.
const PAGE: usize = 10;

/// A passage with its place, score and evidence, before it is read from disk.
pub(crate) struct Found {
    slot: u32,
    score: f32,
    label: Label,
    signals: BTreeMap<&'static str, f32>,
    explain: Option<Vec<crate::types::Term>>,
}

/// What ranking found: the page, and the best passage that the threshold cut.
pub struct Page {
    /// Words of the query, in lower case: the name among a passage's names that was asked for is the one to show.
    words: Vec<String>,
    found: Vec<Found>,
    miss: Option<(u32, f32)>,
    cut: usize,
}

/// Finds and ranks passages; touches no file of the root.
///
/// # Errors
/// Where postings can't be read or a glob of the scope is none.
pub fn retrieve(snapshot: &Snapshot, query: &Query, explain: bool) -> Result<Page> {
    let mut analyzer = Analyzer::default();
    let reading = Reading::new(&query.text, &mut analyzer);
    let mask = Mask::new(snapshot, &query.scope)?;
    let lanes = Lanes::run(snapshot, &mask, &query.text, &reading)?;
    let mut files: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for candidate in lanes.candidates(snapshot) {
        if let Some(file) = snapshot.file_of(candidate.slot) {
            files.entry(file).or_default().push(candidate);
        }
    }
    let weighted = lanes.weighted_terms();
    let names = Names { total: weighted.iter().map(|(_, w)| w).sum(), terms: &weighted };
    let evidence: Vec<Evidence<'_>> = files
        .iter()
        .map(|(file, chunks)| Evidence {
            path: snapshot.path(*file),
            lang: snapshot.language(*file),
            chunks,
            symbols: symbols_of(snapshot, chunks),
            coverage: lanes.file_coverage(snapshot, *file),
            mean_cosine: lanes.mean_cosine(snapshot, *file),
        })
        .collect();
    let features = rank::measure(&reading, &names, &evidence, &mut analyzer);
    let passages = evidence.iter().zip(&features).zip(files.keys()).enumerate().flat_map(
        |(at, ((file, row), place))| {
            let score = rank::score(reading.kind, row);
            let asked = &reading;
            file.chunks.iter().map(move |c| Ranked {
                file: at,
                slot: c.slot,
                score,
                own: own_weight(snapshot, asked, c),
                place: (*place, snapshot.chunk(c.slot).start),
            })
        },
    );
    let page = rank::order(passages.collect(), query.k.max(PAGE));
    let asked = lanes.asked(snapshot);
    let threshold = query.min_score.unwrap_or(THRESHOLD);
    let mut found = cut(&page, &evidence, threshold, asked, |at| {
        explain.then(|| rank::explain(reading.kind, &features[at]))
    });
    found.found.truncate(query.k);
    found.words = reading.words.into_iter().map(|w| w.lower).collect();
    Ok(found)
}

fn support(file: &Evidence<'_>) -> Support {
    let one =
        |c: &Candidate| Support { cosine: c.cosine, coverage: c.coverage, file_coverage: file.coverage };
    file.chunks.iter().map(one).fold(Support::default(), Support::best)
}

/// What places a passage among its file's: its own evidence, whether it defines what was asked for, and whether it is
/// the file's test of it.
fn own_weight(snapshot: &Snapshot, reading: &Reading, candidate: &Candidate) -> f32 {
    let defines = snapshot.symbols(candidate.slot).take(4).any(|(_, name)| {
        let same = |w: &rank::Word| {
            w.text == name || (w.lower.len() == name.len() && name.to_lowercase() == w.lower)
        };
        reading.words.iter().any(same)
    });
    let is_test = !reading.wants_tests
        && (snapshot.trail(candidate.slot).any(|t| matches!(t, "test" | "tests"))
            || snapshot.symbols(candidate.slot).next().is_some_and(|(kind, _)| kind == Kind::Test));
    let mut weight = 2.0 * candidate.cosine + 0.1 * candidate.bm25 + candidate.coverage;
    weight += if defines { 2.0 } else { 0.0 };
    weight -= if is_test { 2.0 } else { 0.0 };
    weight
}

fn symbols_of<'a>(snapshot: &'a Snapshot, chunks: &[Candidate]) -> Vec<(Kind, &'a str)> {
    // Without a shared term no name can match.
    chunks.iter().filter(|c| c.fields[1] > 0.0).flat_map(|c| snapshot.symbols(c.slot)).collect()
}

/// Gives scores, never rising, and cuts at the threshold.
fn cut(
    page: &[Ranked],
    evidence: &[Evidence<'_>],
    threshold: f32,
    asked: Asked,
    explain: impl Fn(usize) -> Option<Vec<crate::types::Term>>,
) -> Page {
    let mut out = Page { words: Vec::new(), found: Vec::new(), miss: None, cut: 0 };
    let best =
        page.iter().take(PAGE).map(|r| support(&evidence[r.file])).fold(Support::default(), Support::best);
    let mut above = 1f32;
    for (place, ranked) in page.iter().enumerate() {
        let file = &evidence[ranked.file];
        let Some(candidate) = file.chunks.iter().find(|c| c.slot == ranked.slot) else { continue };
        above = above.min(rank::confidence(support(file), best, place == 0, asked));
        if above < threshold {
            out.cut += 1;
            out.miss = out.miss.or(Some((ranked.slot, above)));
            continue;
        }
        let label = match (candidate.rank_bm25 > 0, candidate.cosine >= rank::NOISE) {
            (true, true) => Label::Both,
            (false, _) => Label::Semantic,
            (true, false) => Label::Exact,
        };
        let signals = BTreeMap::from([
            ("cosine", candidate.cosine),
            ("bm25", candidate.bm25),
            ("coverage", candidate.coverage),
            ("file_coverage", file.coverage),
            ("rank_score", ranked.score),
        ]);
        out.found.push(Found {
            slot: ranked.slot,
            score: above,
            label,
            signals,
            explain: explain(ranked.file),
        });
    }
    out
}

/// Reads the passages of a page from disk and makes the answer.
///
/// # Errors
/// As [`retrieve`].
pub(crate) fn answer(
    snapshot: &Snapshot,
    root: &Path,
    query: &Query,
    config: &Config,
    explain: bool,
) -> Result<Answer> {
    let begin = Instant::now();
    let page = retrieve(snapshot, query, explain)?;
    let took_ms = begin.elapsed().as_secs_f64() * 1000.0;
    let threshold = query.min_score.unwrap_or(THRESHOLD);
    let mut texts: HashMap<usize, verify::FileText> = HashMap::new();
    let mut results = Vec::new();
    for found in page.found {
        let Some(file) = snapshot.file_of(found.slot) else { continue };
        let text = texts.entry(file).or_insert_with(|| verify::FileText::read(snapshot, root, file, config));
        // A passage whose file is gone answers nothing any more.
        let Some(passage) = text.passage(snapshot, found.slot, config) else { continue };
        let asked =
            |name: &str| page.words.iter().any(|w| w.len() == name.len() && name.to_lowercase() == *w);
        let first = snapshot.symbols(found.slot).next();
        let shown = snapshot.symbols(found.slot).find(|(_, name)| asked(name)).or(first);
        results.push(Hit {
            rank: results.len() + 1,
            id: id(snapshot, found.slot),
            root: root.to_path_buf(),
            path: snapshot.path(file).to_owned(),
            start_line: passage.start_line,
            end_line: passage.end_line,
            score: found.score,
            label: found.label,
            signals: found.signals,
            kind: shown.map_or(snapshot.chunk(found.slot).kind(), |(kind, _)| kind).as_str(),
            symbol: shown.map(|(_, name)| name.to_owned()),
            trail: snapshot.trail(found.slot).map(str::to_owned).collect(),
            language: snapshot.language(file).id(),
            segment: None,
            status: None,
            superseded_by: None,
            date: None,
            fresh: passage.fresh,
            text: passage.text,
            explain: found.explain,
        });
    }
    let miss = page.miss.and_then(|(slot, score)| {
        let file = snapshot.file_of(slot)?;
        Some(NearestMiss { path: snapshot.path(file).to_owned(), score })
    });
    let verdict = if results.is_empty() { Verdict::Nothing } else { Verdict::Found };
    Ok(Answer {
        query: query.text.clone(),
        answer: verdict,
        threshold,
        nearest_miss: miss.filter(|_| verdict == Verdict::Nothing),
        cut: page.cut,
        results,
        coverage: snapshot.coverage(),
        took_ms,
    })
}

/// A chunk's id as text.
pub(crate) fn id(snapshot: &Snapshot, slot: u32) -> String {
    format!("{:016x}", snapshot.chunk(slot).id)
}
