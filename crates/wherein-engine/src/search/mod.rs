//! The search flow: read the query → mask → lexical lane ∥ semantic lane → candidates → features → quotations, read from disk
//! → rank → verify on disk → answer.
//!
//! It searches one snapshot and never indexes. Everything up to the features is a function of snapshot and query.

mod answer;
mod best;
mod gather;
mod lanes;
mod mask;
mod page;
mod related;
mod rerank;
mod study;
mod verbatim;
mod verify;

use rayon::prelude::*;

use crate::config::Config;
use crate::embed::{Role, StaticModel, deep};
use crate::error::{Error, Result};
use crate::rank::{self, Asked, Candidate, File, FileFeatures, Names, PassageFeatures, Reading};
use crate::store::Snapshot;
use crate::text::Analyzer;
use crate::types::Query;

pub(crate) use answer::{answer, related};
pub use page::THRESHOLD;
pub use study::{Fitted, Study, StudyFile, study};
pub use verify::Passage;
pub(crate) use verify::chunk_by_id;

use lanes::{Lanes, Vectors};
use mask::Mask;

/// What a query's candidates measure, before weights.
struct Measured<'a> {
    reading: Reading,
    asked: Asked,
    /// Candidate files in order of paths, each with its place in the file table.
    files: Vec<(usize, File<'a>)>,
    /// A row a file.
    rows: Vec<FileFeatures>,
    /// A row a passage of each file.
    passages: Vec<Vec<PassageFeatures>>,
    /// Passages that say what the query says; none before they are looked for.
    quotes: Vec<verbatim::Quote>,
}

/// What is measured.
struct Ask<'a> {
    query: &'a Query,
    /// A file that becomes a candidate whatever the lanes say.
    forced: Option<usize>,
    /// A file that is left out.
    without: Option<usize>,
}

impl<'a> Ask<'a> {
    fn new(query: &'a Query) -> Self {
        Ask { query, forced: None, without: None }
    }
}

/// Finds candidates and measures them.
fn measure<'a>(snapshot: &'a Snapshot, ask: &Ask<'_>, vectors: &Vectors) -> Result<Measured<'a>> {
    let mut analyzer = Analyzer::default();
    let text = &ask.query.text;
    let reading = Reading::new(text, &mut analyzer);
    let mask = Mask::new(snapshot, &ask.query.scope, ask.without)?;
    let lanes = Lanes::run(snapshot, &mask, &reading, vectors)?;
    let candidates = lanes.candidates(snapshot, ask.forced.filter(|file| mask.allows(*file)));
    let weighted = lanes.weighted_terms();
    let names = Names::new(&weighted);
    let gather = gather::Gather::new(snapshot, &lanes, &vectors.instant, &reading);
    let one = |analyzer: &mut Analyzer, (place, candidates): (usize, Vec<Candidate>)| {
        let file = gather.file(place, candidates);
        let (passages, definitions) = rank::measure_passages(&reading, &names, &file.passages, analyzer);
        let row = rank::measure_file(&reading, &names, &file, &definitions, analyzer);
        ((place, file), (row, passages))
    };
    let by_file = gather::by_file(snapshot, candidates);
    let measured: Vec<_> = if by_file.len() < WORTH_THREADS {
        by_file.into_iter().map(|each| one(&mut analyzer, each)).collect()
    } else {
        by_file.into_par_iter().with_min_len(WORTH_THREADS / 4).map_init(Analyzer::default, one).collect()
    };
    let (files, rows): (Vec<(usize, File<'_>)>, Vec<_>) = measured.into_iter().unzip();
    let (mut rows, passages): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    rank::relate(&mut rows, |at| files[at].1.lang.is_prose());
    Ok(Measured {
        asked: lanes.asked(snapshot, reading.length),
        reading,
        files,
        rows,
        passages,
        quotes: Vec::new(),
    })
}

/// Share of the deep vectors that must be there: with fewer, what lacks one would be hidden behind what has.
const ENOUGH_DEEP: f32 = 0.5;

/// A question as vectors; the deep one where it is of use: what defines or mentions a name is found by the name. Beside them, why it could not be had.
fn vectors(snapshot: &Snapshot, query: &Query, config: &Config) -> (Vectors, Option<Error>) {
    let wanted = is_deep(snapshot, query) && !rank::is_name(&query.text);
    let vector = || deep(&config.deep_model)?.vector(Role::Question, &query.text);
    let (deep, failed) = match wanted.then(vector) {
        Some(Ok(vector)) => (vector, None),
        Some(Err(error)) => (Vec::new(), Some(error)),
        None => (Vec::new(), None),
    };
    (Vectors { instant: StaticModel::of(&query.text), deep }, failed)
}

/// Whether there are deep vectors enough to ask.
fn is_deep(snapshot: &Snapshot, query: &Query) -> bool {
    let enough = snapshot.deep_share().is_some_and(|share| share >= ENOUGH_DEEP);
    query.deep && enough && !snapshot.deep().is_empty()
}

/// Candidate files from which on they are measured on several threads.
const WORTH_THREADS: usize = 64;
