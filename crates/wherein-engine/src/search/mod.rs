//! The search flow: read the query → mask → lexical lane ∥ semantic lane → candidates → features → quotations, read from disk
//! → rank → verify on disk → answer.
//!
//! It searches snapshots, one a root, as one corpus, and never indexes. Everything up to the features is a function of snapshots and
//! query.

mod answer;
mod best;
mod gather;
mod grep;
mod lanes;
mod mask;
mod page;
mod related;
mod rerank;
mod study;
mod terms;
mod verbatim;
mod verify;

use std::path::Path;

use crate::config::Config;
use crate::embed::StaticModel;
use crate::error::{Error, Result};
use crate::rank::{self, Asked, Candidate, File, FileFeatures, Names, PassageFeatures, Reading};
use crate::store::Snapshot;
use crate::text::Analyzer;
use crate::types::Query;

pub(crate) use answer::{answer, related};
pub(crate) use grep::grep;
pub use grep::{Line, Lines, Pattern};
pub use page::THRESHOLD;
pub use study::{Fitted, Study, StudyFile, study};
pub use verify::Passage;
pub(crate) use verify::chunk_by_id;

use lanes::{Deep, Lanes, Run, Vectors};
use mask::Mask;

/// A root that is searched: the generation that answers, where its files lie, and what is asked of it. All parts of a corpus are
/// asked the same; scope, boosts and the file asked about are each part's own.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) root: &'a Path,
    pub(crate) query: &'a Query,
    pub(crate) config: &'a Config,
}

/// Slots of a root from which on it is searched on several threads. Below, waking them costs more than they bring, and now and then a time
/// slice of the system's (docs/measurements.md, "Speed").
const WORTH_THREADS: usize = 60_000;

/// A file of a corpus: its part, and its place in that part's file table.
type Place = (usize, usize);

/// What a query's candidates measure, before weights.
struct Measured<'a> {
    reading: Reading,
    asked: Asked,
    /// Candidate files in order of parts and paths, each with its place.
    files: Vec<(Place, File<'a>)>,
    /// A row a file.
    rows: Vec<FileFeatures>,
    /// A row a passage of each file.
    passages: Vec<Vec<PassageFeatures>>,
    /// Parts where the deep lane ran.
    deep: Vec<bool>,
    /// Passages that say what the query says; none before they are looked for.
    quotes: Vec<verbatim::Quote>,
    /// Why the deep lane could not run, where it should have.
    failed: Option<Error>,
}

/// What is measured: the first query's text over all snapshots, in the scope of each one's own.
#[derive(Clone, Copy)]
struct Ask<'p, 'a> {
    snapshots: &'p [&'a Snapshot],
    queries: &'p [&'p Query],
    /// A file that becomes a candidate whatever the lanes say.
    forced: Option<Place>,
    /// A file that is left out.
    without: Option<Place>,
}

impl Ask<'_, '_> {
    /// The file of a part that a place means, where it lies there.
    fn of(part: usize, place: Option<Place>) -> Option<usize> {
        place.filter(|place| place.0 == part).map(|place| place.1)
    }
}

/// Finds candidates and measures them.
fn measure<'a>(ask: &Ask<'_, 'a>, vectors: &Vectors) -> Result<Measured<'a>> {
    let mut analyzer = Analyzer::default();
    let reading = Reading::new(ask.queries.first().map_or("", |query| &query.text), &mut analyzer);
    let mask = |(at, (snapshot, query)): (usize, (&&'a Snapshot, &&Query))| {
        let mask = Mask::new(snapshot, &query.scope, Ask::of(at, ask.without))?;
        Ok((*snapshot, mask))
    };
    let asked = ask.snapshots.iter().zip(ask.queries).enumerate();
    let parts = asked.map(mask).collect::<Result<Vec<_>>>()?;
    let Run { terms, lanes, failed } = Lanes::run(&parts, &reading, vectors)?;
    let weighted = terms.weighted();
    let names = Names::new(&weighted);
    let gather: Vec<gather::Gather<'_, '_>> = (parts.iter().zip(&lanes))
        .map(|((snapshot, _), lanes)| gather::Gather::new(snapshot, lanes, &vectors.instant))
        .collect();
    let words = gather::words(&reading);
    let one = |analyzer: &mut Analyzer, (place, candidates): (Place, Vec<Candidate>)| {
        let file = gather[place.0].file(place.1, candidates, &words);
        let (passages, definitions) = rank::measure_passages(&reading, &names, &file.passages, analyzer);
        let row = rank::measure_file(&reading, &names, &file, &definitions, analyzer);
        ((place, file), (row, passages))
    };
    let mut by_file = Vec::new();
    for (at, ((snapshot, mask), lanes)) in parts.iter().zip(&lanes).enumerate() {
        let forced = Ask::of(at, ask.forced).filter(|file| mask.allows(*file));
        let files = gather::by_file(snapshot, lanes.candidates(snapshot, forced));
        by_file.extend(files.into_iter().map(|(file, candidates)| ((at, file), candidates)));
    }
    let measured = by_file.into_iter().map(|each| one(&mut analyzer, each));
    let (files, rows): (Vec<(Place, File<'_>)>, Vec<_>) = measured.unzip();
    let (mut rows, passages): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    rank::relate(&mut rows, |at| files[at].1.lang.is_prose());
    Ok(Measured {
        asked: lanes::asked(&parts, &lanes, &terms, reading.length),
        deep: lanes.iter().map(Lanes::is_deep).collect(),
        reading,
        files,
        rows,
        passages,
        quotes: Vec::new(),
        failed,
    })
}

/// Share of the deep vectors that must be there: with fewer, what lacks one would be hidden behind what has.
const ENOUGH_DEEP: f32 = 0.5;

/// A question as vectors; the deep one where it is of use: what defines or mentions a name is found by the name.
fn vectors(parts: &[Part<'_>], query: &Query) -> Vectors {
    let asked = parts.iter().find(|part| is_deep(part.snapshot, query));
    let wanted = asked.filter(|_| !rank::is_name(&query.text));
    let deep = wanted.map(|part| Deep::Asked(part.config.deep_model.clone(), query.text.clone()));
    Vectors { instant: StaticModel::of(&query.text), deep: deep.unwrap_or(Deep::None) }
}

/// Whether there are deep vectors enough to ask.
fn is_deep(snapshot: &Snapshot, query: &Query) -> bool {
    let enough = snapshot.deep_share().is_some_and(|share| share >= ENOUGH_DEEP);
    query.deep && enough && !snapshot.deep().is_empty()
}
