//! A page → an answer: passages read from disk and checked, what was asked about told.

use std::path::PathBuf;
use std::time::Instant;

use crate::embed::reranker;
use crate::error::{Error, Result};
use crate::source::Segments;
use crate::store::Snapshot;
use crate::types::{Answer, Coverage, Explained, Fate, Hit, NearestMiss, Query, Verdict};

use super::lanes::Deep;
use super::page::{Found, Page, THRESHOLD, retrieve, retrieve_like};
use super::related::{seed, slot_at};
use super::rerank::{READ, rerank};
use super::verify::Texts;
use super::{Part, is_deep, vectors};

/// Answers one question from one or several roots: reads the passages of a page from disk and makes the answer. `parts` are not empty;
/// what is asked of all of them the first one's query says.
///
/// # Errors
/// As [`retrieve`]; [`Error::Model`] where a reranker is asked for and there is none that works.
pub(crate) fn answer(parts: &[Part<'_>]) -> Result<Answer> {
    let begin = Instant::now();
    let Some(Part { query, config, .. }) = parts.first().copied() else {
        return Err(Error::NotIndexed { path: PathBuf::new() });
    };
    let mut texts: Vec<Texts<'_>> = parts.iter().map(Texts::new).collect();
    let vectors = vectors(parts, query);
    let reranker = query.rerank.then(|| reranker(config)).transpose()?;
    let most = if reranker.is_some() { query.k.max(READ) } else { query.k };
    let mut page = retrieve(parts, &Query { k: most, ..query.clone() }, &vectors, &mut texts)?;
    let took_ms = begin.elapsed().as_secs_f64() * 1000.0;
    let notes = page
        .failed
        .take()
        .map(|error| format!("answered without the deep tier: {error}"))
        .into_iter()
        .collect();
    let mut answer = Answer { took_ms, notes, ..read(parts, query, page, &mut texts)? };
    if let Some(model) = reranker {
        rerank(&mut answer.results, &query.text, &model, query.k)?;
        if let Some(explained) = answer.explained.as_mut().filter(|e| e.fate == Fate::Shown)
            && !answer.results.iter().any(|hit| hit.path == explained.path)
        {
            explained.fate = Fate::BelowPage;
        }
        answer.took_ms = begin.elapsed().as_secs_f64() * 1000.0;
    }
    Ok(answer)
}

/// Answers with what is related to a passage of a root; the query's text is replaced by the passage's most telling words.
///
/// # Errors
/// [`Error::NoPassage`] where no passage holds the line; else as [`retrieve`].
pub(crate) fn related(part: Part<'_>, (path, line): (&str, u32)) -> Result<Answer> {
    let Part { snapshot, query, .. } = part;
    let unknown = || Error::NoPassage { path: path.into(), line };
    let begin = Instant::now();
    let file = snapshot.find(path).ok_or_else(unknown)?;
    let slot = slot_at(snapshot, file, line).ok_or_else(unknown)?;
    let mut texts = [Texts::new(&part)];
    let text = texts[0].passage(slot).map(|p| p.text).unwrap_or_default();
    let (mut seed, words) = seed(snapshot, slot, &text)?.ok_or_else(unknown)?;
    if !is_deep(snapshot, query) {
        seed.vectors.deep = Deep::None;
    }
    let query = &Query { text: words, ..query.clone() };
    let parts = [Part { query, ..part }];
    let page = retrieve_like(&part, query, &seed)?;
    let took_ms = begin.elapsed().as_secs_f64() * 1000.0;
    Ok(Answer { took_ms, ..read(&parts, query, page, &mut texts)? })
}

fn read(parts: &[Part<'_>], query: &Query, page: Page, texts: &mut [Texts<'_>]) -> Result<Answer> {
    let Page { words, found, miss, cut, asked_file, failed: _ } = page;
    let mut results: Vec<Hit> = Vec::new();
    let segments = parts.iter().map(|part| Segments::new(&part.config.selection.segments));
    let segments = segments.collect::<Result<Vec<_>>>()?;
    for found in found {
        let at = found.part;
        let part = &parts[at];
        let Some(file) = part.snapshot.file_of(found.slot) else { continue };
        // A passage whose file is gone answers nothing any more.
        let Some(passage) = texts[at].passage(found.slot) else { continue };
        let mut hit = describe(part, &words, found, file);
        hit.rank = results.len() + 1;
        hit.segment = segments[at].of(&hit.path).map(str::to_owned);
        (hit.start_line, hit.end_line) = (passage.start_line, passage.end_line);
        (hit.fresh, hit.text) = (passage.fresh, passage.text);
        results.push(hit);
    }
    let asked_part = parts.iter().find_map(|part| Some((part, part.query.explain_path.as_ref()?)));
    let explained = asked_part.map(|(part, path)| {
        let is_shown = results.iter().any(|hit| hit.path == *path && hit.root == part.root);
        explain(part.snapshot, path, asked_file, is_shown, query)
    });
    let verdict = if results.is_empty() { Verdict::Nothing } else { Verdict::Found };
    let miss = miss.and_then(|(part, slot, score)| {
        let Part { snapshot, root, .. } = parts[part];
        let file = snapshot.file_of(slot)?;
        Some(NearestMiss { root: root.to_path_buf(), path: snapshot.path(file).to_owned(), score })
    });
    let coverage = parts.iter().map(|part| part.snapshot.coverage()).reduce(Coverage::with);
    Ok(Answer {
        query: query.text.clone(),
        answer: verdict,
        threshold: query.min_score.unwrap_or(THRESHOLD),
        nearest_miss: miss.filter(|_| verdict == Verdict::Nothing),
        cut,
        results,
        explained,
        coverage: coverage.unwrap_or_default(),
        notes: Vec::new(),
        took_ms: 0.0,
    })
}

/// Everything about a hit but its text.
fn describe(part: &Part<'_>, words: &[String], found: Found, file: usize) -> Hit {
    let Part { snapshot, root, .. } = *part;
    let asked = |name: &str| words.iter().any(|w| w.len() == name.len() && name.to_lowercase() == *w);
    let first = snapshot.symbols(found.slot).next();
    let shown = snapshot.symbols(found.slot).find(|(_, name)| asked(name)).or(first);
    let chunk = snapshot.chunk(found.slot);
    Hit {
        rank: 0,
        id: id(snapshot, found.slot),
        root: root.to_path_buf(),
        path: snapshot.path(file).to_owned(),
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        score: found.score,
        label: found.label,
        signals: found.signals,
        kind: shown.map_or(chunk.kind(), |(kind, _)| kind).as_str(),
        symbol: shown.map(|(_, name)| name.to_owned()),
        trail: snapshot.trail(found.slot).map(str::to_owned).collect(),
        language: snapshot.language(file).id(),
        segment: None,
        status: None,
        superseded_by: None,
        date: None,
        fresh: false,
        text: String::new(),
        explain: found.explain,
    }
}

/// How the file fared that was asked about.
fn explain(
    snapshot: &Snapshot,
    path: &str,
    best: Option<(usize, Found)>,
    is_shown: bool,
    query: &Query,
) -> Explained {
    let is_indexed = snapshot.find(path).is_some_and(|file| snapshot.files()[file].skip().is_none());
    let fate = match &best {
        _ if is_shown => Fate::Shown,
        Some((rank, _)) if *rank > query.k => Fate::BelowPage,
        Some(_) => Fate::BelowThreshold,
        None if is_indexed => Fate::OutOfScope,
        None => Fate::NotIndexed,
    };
    let (rank, found) = best.unzip();
    let chunk = found.as_ref().map(|found| snapshot.chunk(found.slot));
    Explained {
        path: path.to_owned(),
        fate,
        rank,
        score: found.as_ref().map(|found| found.score),
        lines: chunk.map(|chunk| (chunk.start_line, chunk.end_line)),
        signals: found.as_ref().map(|found| found.signals.clone()).unwrap_or_default(),
        terms: found.and_then(|found| found.explain).unwrap_or_default(),
    }
}

/// A chunk's id as text.
pub(crate) fn id(snapshot: &Snapshot, slot: u32) -> String {
    format!("{:016x}", snapshot.chunk(slot).id)
}
