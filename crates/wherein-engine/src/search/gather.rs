//! What the lanes name → candidate files with everything that ranking wants to know of them.

use std::collections::BTreeMap;

use crate::embed::StaticModel;
use crate::rank::{Candidate, File, Passage, Reading, Twin, stem_of};
use crate::store::Snapshot;
use crate::text::split_identifier;
use crate::types::Kind;

use super::lanes::Lanes;

/// Candidates by their files, in order of paths.
pub(super) fn by_file(snapshot: &Snapshot, candidates: Vec<Candidate>) -> Vec<(usize, Vec<Candidate>)> {
    let mut out: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        if let Some(file) = snapshot.file_of(candidate.slot) {
            out.entry(file).or_default().push(candidate);
        }
    }
    out.into_iter().collect()
}

/// Gathers what ranking wants to know of one candidate file after the other.
pub(super) struct Gather<'a, 'q> {
    snapshot: &'a Snapshot,
    lanes: &'q Lanes,
    /// The query's vector.
    query: &'q [f32],
}

/// The vectors of a query's words.
pub(super) fn words(reading: &Reading) -> Vec<Vec<f32>> {
    reading.words.iter().map(|w| StaticModel::of(&w.lower)).collect()
}

impl<'a, 'q> Gather<'a, 'q> {
    pub(super) fn new(snapshot: &'a Snapshot, lanes: &'q Lanes, query: &'q [f32]) -> Self {
        Gather { snapshot, lanes, query }
    }

    /// One file with its candidates; `words` are the vectors of the query's.
    pub(super) fn file(&self, place: usize, candidates: Vec<Candidate>, words: &[Vec<f32>]) -> File<'a> {
        let Gather { snapshot, lanes, .. } = *self;
        let path = snapshot.path(place);
        let slots = snapshot.slots_of(place);
        let named = candidates.iter().fold(0, |bits, c| bits | c.present[1] | c.present[2]);
        File {
            path,
            lang: snapshot.language(place),
            chunks: slots.len(),
            defines: slots.into_iter().any(|slot| snapshot.chunk(slot).kind() != Kind::Text),
            coverage: lanes.file_coverage(snapshot, place),
            mean_cosine: lanes.mean_cosine(snapshot, place),
            bm25: lanes.file_bm25(snapshot, place),
            named_coverage: lanes.share(named),
            name_cosine: dot(self.query, &StaticModel::of(&names(snapshot, stem_of(path), &candidates))),
            stem_affinity: affinity(words, stem_of(path)),
            twin: twin(snapshot, path),
            passages: candidates.into_iter().map(|c| passage(snapshot, c)).collect(),
        }
    }
}

/// Nearness in meaning to a name: the mean over the query's words of the best cosine that each has with a part of it.
fn affinity(words: &[Vec<f32>], name: &str) -> f32 {
    let parts: Vec<Vec<f32>> =
        split_identifier(name).map(|part| StaticModel::of(&part.to_lowercase())).collect();
    let best = |word: &Vec<f32>| parts.iter().map(|part| dot(word, part)).fold(0.0, f32::max);
    words.iter().map(best).sum::<f32>() / words.len().max(1) as f32
}

fn passage(snapshot: &Snapshot, candidate: Candidate) -> Passage<'_> {
    let slot = candidate.slot;
    let record = snapshot.chunk(slot);
    let trail = || snapshot.trail(slot);
    Passage {
        candidate,
        kind: record.kind(),
        // Without a shared term no name can match.
        symbols: if candidate.fields[1] > 0.0 { snapshot.symbols(slot).collect() } else { Vec::new() },
        trail: if candidate.fields[3] > 0.0 { trail().collect() } else { Vec::new() },
        is_test: record.kind() == Kind::Test || trail().any(|t| matches!(t, "test" | "tests")),
        start: record.start,
        lines: record.end_line - record.start_line + 1,
    }
}

/// Bytes of names that stand for a file: with 100 as good as with 400, with all of them worse (docs/measurements.md, "Features").
const NAME_BYTES: usize = 100;

/// A file's stem and the names that its nearest candidates define.
fn names(snapshot: &Snapshot, stem: &str, candidates: &[Candidate]) -> String {
    let mut nearest: Vec<&Candidate> = candidates.iter().collect();
    nearest.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.slot.cmp(&b.slot)));
    let mut out = stem.to_owned();
    let most = stem.len() + NAME_BYTES;
    for (_, name) in nearest.into_iter().flat_map(|c| snapshot.symbols(c.slot)) {
        if out.len() >= most {
            break;
        }
        out.push(' ');
        out.push_str(name);
    }
    out
}

/// In eight lanes, since a sum in one waits for every addition.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += x * y;
        }
    }
    let rest = a.len() / 8 * 8;
    lanes.iter().sum::<f32>() + a[rest..].iter().zip(&b[rest..]).map(|(x, y)| x * y).sum::<f32>()
}

/// A folder of another language of men, as documentation trees name them.
fn is_locale(folder: &str) -> bool {
    let (language, region) = folder.split_once(['-', '_']).unwrap_or((folder, "xx"));
    language.len() == 2
        && language.bytes().all(|b| b.is_ascii_lowercase())
        && (2..=4).contains(&region.len())
        && region.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Looks for a better version of a file in the same root.
fn twin(snapshot: &Snapshot, path: &str) -> Twin {
    let mut start = 0;
    for folder in path.split('/') {
        let (before, after) = (&path[..start], path.get(start + folder.len()..).unwrap_or_default());
        start += folder.len() + 1;
        if after.is_empty() {
            break;
        }
        if let Some(version) = folder.strip_prefix('v').and_then(|v| v.parse::<u32>().ok()) {
            let newer = |next: u32| snapshot.has_folder(&format!("{before}v{next}/"));
            if (version + 1..version + 4).any(newer) {
                return Twin::Newer;
            }
        } else if folder != "en"
            && is_locale(folder)
            && snapshot.find(&format!("{before}en{after}")).is_some()
        {
            return Twin::Original;
        }
    }
    Twin::None
}
