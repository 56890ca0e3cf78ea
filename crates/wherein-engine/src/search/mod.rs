//! The search flow: read the query → mask → lexical lane ∥ semantic lane → candidates → rank → verify on disk → answer.
//!
//! It searches one snapshot and never indexes. Everything before verification is a function of snapshot and query.

mod answer;
mod gather;
mod lanes;
mod mask;
mod page;
mod related;
mod study;
mod verify;

use crate::embed::{Embedder, StaticModel};
use crate::error::Result;
use crate::rank::{self, Asked, File, FileFeatures, Names, PassageFeatures, Reading};
use crate::store::Snapshot;
use crate::text::Analyzer;
use crate::types::Query;

pub(crate) use answer::{answer, related};
pub use page::{THRESHOLD, retrieve};
pub use study::{Fitted, Study, StudyFile, study};
pub use verify::Passage;
pub(crate) use verify::chunk_by_id;

use lanes::Lanes;
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
}

/// What is measured.
struct Ask<'a> {
    query: &'a Query,
    /// A file that becomes a candidate whatever the lanes say.
    forced: Option<usize>,
    /// A passage that stands for the query in the semantic lane, its file left out.
    seed: Option<&'a related::Seed>,
}

impl<'a> Ask<'a> {
    fn new(query: &'a Query) -> Self {
        Ask { query, forced: None, seed: None }
    }
}

/// Finds candidates and measures them.
fn measure<'a>(snapshot: &'a Snapshot, ask: &Ask<'_>) -> Result<Measured<'a>> {
    let mut analyzer = Analyzer::default();
    let text = &ask.query.text;
    let reading = Reading::new(text, &mut analyzer);
    let mask = Mask::new(snapshot, &ask.query.scope, ask.seed.map(|seed| seed.file))?;
    let vector = ask.seed.map_or_else(|| embedded(text), |seed| seed.vector.clone());
    let lanes = Lanes::run(snapshot, &mask, &reading, &vector)?;
    let candidates = lanes.candidates(snapshot, ask.forced.filter(|file| mask.allows(*file)));
    let files = gather::files(snapshot, &lanes, candidates, (&vector, &reading));
    let (places, files): (Vec<usize>, Vec<File<'_>>) = files.into_iter().unzip();
    let weighted = lanes.weighted_terms();
    let names = Names { total: weighted.iter().map(|(_, w)| w).sum(), terms: &weighted };
    let (passages, definitions): (Vec<_>, Vec<_>) =
        files.iter().map(|f| rank::measure_passages(&reading, &names, &f.passages, &mut analyzer)).unzip();
    let rows = rank::measure_files(&reading, &names, &files, &definitions, &mut analyzer);
    let files = places.into_iter().zip(files).collect();
    Ok(Measured { asked: lanes.asked(snapshot, reading.length), reading, files, rows, passages })
}

/// A text's vector; all zeros where the model knows none of it.
fn embedded(text: &str) -> Vec<f32> {
    let model = StaticModel::get();
    let mut out = vec![0.0; model.dimensions()];
    model.embed(&[text], &mut out);
    out
}
