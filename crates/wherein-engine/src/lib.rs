//! The engine of wherein: index folders, answer where something is.
//!
//! Synchronous and silent: it returns values, events and typed errors; it prints nothing, asks nothing and reads no
//! environment. [`Engine`] is the door; the rooms behind it are described in `docs/architecture.md`.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # std::fs::create_dir(folder.path().join("src"))?;
//! # std::fs::write(folder.path().join("src/retry.py"), "def retry_with_backoff(f):\n    '''Call again, waiting longer each time.'''\n")?;
//! use wherein_engine::{Cancel, Config, Engine, Options, Query};
//!
//! let engine = Engine::open(folder.path().join("src"), Config::new(folder.path().join("data")))?;
//! engine.index(&Options::default(), &Cancel::new(), &mut |_| {})?;
//! let answer = engine.search(&Query::new("retry with backoff"))?;
//! assert_eq!(answer.results[0].path, "retry.py");
//! # Ok(())
//! # }
//! ```

mod chunk;
mod config;
mod embed;
mod error;
mod extract;
mod index;
mod lang;
mod lexical;
mod rank;
mod search;
mod source;
mod store;
mod text;
mod types;
mod vector;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use chunk::worker::{limit_memory as limit_parser_memory, serve as serve_parser};
pub use config::{Api, ChunkLimits, Config, DeepModel, Segment, Selection, Server, Worker};
pub use embed::{
    Card, CrossEncoder, Embedder, FolderModel, KNOWN, Known, ModelInfo, ModelKind, Pooling, REFERENCES,
    Reference, Role, Tier, describe as describe_model, model, models, passages,
};
pub use error::{Error, Result};
pub use index::{DeepReport, Event, Options, Report};
pub use search::{Line, Lines, Passage, Pattern, THRESHOLD};
pub use source::{check_root, is_within, work_tree_of};
pub use store::{DeepTier, Files, IndexInfo, LastRun, Snapshot};
pub use types::{
    Answer, Area, Cancel, Coverage, DeepPolicy, Explained, Fate, Hit, Kind, Label, NearestMiss, Query, Scope,
    SkipReason, Term, Verdict,
};
pub use vector::Noise;

use store::Location;

/// What benches and the evaluation crate need of the rooms; no promise is made about it.
#[doc(hidden)]
pub mod internals {
    pub use crate::chunk::{Budget, Item, Outline, cut, outline};
    pub use crate::embed::{StaticModel, counter, passage};
    pub use crate::extract::{Text, decode};
    pub use crate::lang::{Cutter, LANGUAGES, LangId};
    pub use crate::rank::{QueryKind, Weights};
    pub use crate::search::{Fitted, Study, StudyFile, study};
    pub use crate::source::list;
    pub use crate::text::Analyzer;
    pub use crate::vector::{QueryVector, cosines, cosines_scalar, quantise};
}

/// Whether a word of a question says nothing about what is sought.
pub fn is_stop_word(word: &str) -> bool {
    text::stop::is_stop_word(word)
}

/// The newest commits of the git work tree that a folder lies in: subject, and the files touched, relative to the folder.
/// Nothing where there is no work tree.
///
/// # Errors
/// [`Error::Git`] where git fails.
pub fn commits(folder: &Path, most: usize) -> Result<Vec<(String, Vec<String>)>> {
    source::commits(folder, most)
}

/// Every index below a data folder, with its root, size and last use.
///
/// # Errors
/// Where the folder is there but can't be read.
pub fn indexes(data_dir: &Path) -> Result<Vec<IndexInfo>> {
    store::indexes(data_dir)
}

/// Deletes an index, whether its root still exists or not; says whether there was one.
///
/// # Errors
/// [`Error::Locked`] while another process writes it.
pub fn remove_index(index: &IndexInfo) -> Result<bool> {
    store::remove(index)
}

/// One root with its index.
pub struct Engine {
    location: Location,
    config: Config,
}

/// What the index knows of one file.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Why {
    /// Relative to the root.
    pub path: String,
    /// Whether it is indexed.
    pub indexed: bool,
    /// Why it is not, or how it is, in words.
    pub reason: String,
    /// The rule that keeps it out, where one does.
    pub rule: Option<String>,
    /// Its language, where it is indexed.
    pub language: Option<&'static str>,
    /// Its chunks, where it is indexed.
    pub chunks: usize,
}

/// A chunk asked for by its id.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ChunkView {
    /// The id asked for.
    pub id: String,
    /// The indexed folder.
    pub root: PathBuf,
    /// Relative to the root.
    pub path: String,
    /// First line now.
    pub start_line: u32,
    /// Last line now.
    pub end_line: u32,
    /// What it is.
    pub kind: &'static str,
    /// The first name defined in it.
    pub symbol: Option<String>,
    /// Every name defined in it.
    pub symbols: Vec<String>,
    /// Enclosing definitions or headings.
    pub trail: Vec<String>,
    /// The file's language.
    pub language: &'static str,
    /// Hash of the file's bytes when it was indexed: BLAKE3, 128 bits.
    pub file_hash: String,
    /// Whether the file holds this passage now.
    pub fresh: bool,
    /// The passage.
    pub text: String,
}

/// The state of a root's index.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Status {
    /// The indexed folder.
    pub root: PathBuf,
    /// The folder of its index.
    pub index: PathBuf,
    /// What it covers.
    pub coverage: Coverage,
    /// Models and chunker that made it.
    pub identity: String,
    /// The deep model that is wanted, where one is.
    pub deep_identity: Option<String>,
    /// The deep model whose vectors are there; they are used only where it is the one that is wanted.
    pub deep_made_by: Option<String>,
    /// Indexed files by language.
    pub languages: std::collections::BTreeMap<&'static str, usize>,
    /// What cosines of its vectors say nothing.
    pub noise: Noise,
    /// When the disk was last compared, nanoseconds since 1970.
    pub scanned: i64,
    /// Whether the disk holds something else now.
    pub stale: bool,
    /// Whether another process is writing files into it.
    pub writing: bool,
    /// Whether another process is filling in its deep vectors.
    pub deepening: bool,
    /// The last run that changed the index, or failed to.
    pub last_run: Option<LastRun>,
    /// Files and folders that could not be read when they were last looked at; the next run tries again.
    pub unreadable: Vec<String>,
    /// Bytes of the indexed files.
    pub source_bytes: u64,
    /// Bytes of the index.
    pub index_bytes: u64,
    /// Named parts with what is indexed of them.
    pub segments: Vec<SegmentStatus>,
}

/// What is indexed of a segment.
#[derive(Clone, Debug, serde::Serialize)]
pub struct SegmentStatus {
    /// Its name.
    pub segment: String,
    /// Chunks of its files.
    pub chunks: usize,
    /// Its files.
    pub files: usize,
}

impl Engine {
    /// Opens a root; nothing is read or written yet.
    ///
    /// # Errors
    /// Where the folder does not exist or is none.
    pub fn open(root: impl AsRef<Path>, config: Config) -> Result<Engine> {
        use error::IoContext;
        let root = root.as_ref();
        let real = root.canonicalize().context("open", root)?;
        if !real.is_dir() {
            return Err(Error::Refused { path: real, reason: "is not a folder" });
        }
        Ok(Engine { location: Location::new(&config.data_dir, &real), config })
    }

    /// The root, absolute and real.
    pub fn root(&self) -> &Path {
        &self.location.root
    }

    /// What it was told.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The folder of its index.
    pub fn index_dir(&self) -> &Path {
        &self.location.dir
    }

    /// Notes that the index is in use, for [`IndexInfo::used`]; to the hour, and only where it may be written.
    pub fn note_use(&self) {
        store::note_use(&self.location);
    }

    /// Whether there is an index.
    pub fn is_indexed(&self) -> bool {
        self.location.dir.join("current").is_file()
    }

    /// Brings the index up to date; see [`Options`].
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::Cancelled`], [`Error::Identity`], or what kept the folder from being listed or stored.
    pub fn index(
        &self,
        options: &Options,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Report> {
        self.refresh(options, cancel, events).map(|(report, _)| report)
    }

    /// Brings the index up to date and opens the generation that answers then, with what is left to do.
    ///
    /// # Errors
    /// As [`Self::index`].
    pub fn refresh(
        &self,
        options: &Options,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<(Report, Arc<Snapshot>)> {
        self.refresh_from(None, options, cancel, events)
    }

    /// As [`Self::refresh`], from a generation that the caller holds: it is not opened again where it is still the last.
    ///
    /// # Errors
    /// As [`Self::index`].
    pub fn refresh_from(
        &self,
        held: Option<Arc<Snapshot>>,
        options: &Options,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<(Report, Arc<Snapshot>)> {
        index::run((&self.location, &self.config), held, options, cancel, events)
    }

    /// Folders in which a change could be one of the root's: what is worth watching, beside those of the files it has.
    ///
    /// # Errors
    /// Where an ignore file can't be read.
    pub fn folders(&self) -> Result<Vec<PathBuf>> {
        source::folders(&self.location.root, &self.config)
    }

    /// Whether a snapshot is still the last generation, whoever writes.
    pub fn is_current(&self, snapshot: &Snapshot) -> bool {
        snapshot.is_current(&self.location)
    }

    /// Fills in the deep vectors that the index lacks, without a look at the files: beside another that follows them. A generation that
    /// is held is not opened again.
    ///
    /// # Errors
    /// As [`Self::index`].
    pub fn deepen(
        &self,
        held: Option<Arc<Snapshot>>,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<DeepReport> {
        index::deepen((&self.location, &self.config), held, cancel, events)
    }

    /// Opens the generation that answers now.
    ///
    /// # Errors
    /// [`Error::NotIndexed`], [`Error::Identity`], [`Error::Damaged`].
    pub fn snapshot(&self) -> Result<Snapshot> {
        index::snapshot(&self.location, &self.config)
    }

    /// Answers from the index as it is.
    ///
    /// # Errors
    /// As [`Self::snapshot`], and where a glob or language of the scope is none.
    pub fn search(&self, query: &Query) -> Result<Answer> {
        self.search_in(&self.snapshot()?, query)
    }

    /// Answers from a snapshot.
    ///
    /// # Errors
    /// Where a glob or language of the scope is none.
    pub fn search_in(&self, snapshot: &Snapshot, query: &Query) -> Result<Answer> {
        search::answer(&[self.part(snapshot, query)])
    }

    /// Answers from several roots as one corpus: a term is as rare as it is in all of them, and scores are those of one ranking. What
    /// is asked of all of them the first one's query says; scope, boosts and the file asked about are each root's own.
    ///
    /// # Errors
    /// As [`Self::search_in`]; [`Error::NotIndexed`] where there is no root.
    pub fn search_corpus(roots: &[(&Engine, &Snapshot, &Query)]) -> Result<Answer> {
        let parts: Vec<_> =
            roots.iter().map(|(engine, snapshot, query)| engine.part(snapshot, query)).collect();
        search::answer(&parts)
    }

    fn part<'a>(&'a self, snapshot: &'a Snapshot, query: &'a Query) -> search::Part<'a> {
        search::Part { snapshot, root: &self.location.root, query, config: &self.config }
    }

    /// Passages of other files that are related to the one at a line of a file, 1-based; the text of `query` is not used.
    ///
    /// # Errors
    /// [`Error::NoPassage`] where no passage of the index holds the line; else as [`Self::search_in`].
    pub fn related(&self, snapshot: &Snapshot, path: &str, line: u32, query: &Query) -> Result<Answer> {
        search::related(self.part(snapshot, query), (path, line))
    }

    /// Lines that a pattern matches in the files of a snapshot, as they are on disk now.
    ///
    /// # Errors
    /// [`Error::Pattern`] where the expression, a glob or a language of the scope is none; [`Error::Cancelled`].
    pub fn grep(&self, snapshot: &Snapshot, pattern: &Pattern, cancel: &Cancel) -> Result<Lines> {
        search::grep(snapshot, (&self.location.root, &self.config), pattern, cancel)
    }

    /// The text of a file of the root, by its place there, as an index would read it: of any encoding, through no link; `None`
    /// where it is gone or no text.
    pub fn text(&self, path: &str) -> Option<String> {
        let content = source::read(&self.location.root.join(path), self.config.max_file_bytes).ok()?;
        content.text.ok().map(|text| text.content)
    }

    /// A chunk by its id.
    ///
    /// # Errors
    /// [`Error::UnknownChunk`].
    pub fn chunk(&self, id: &str) -> Result<ChunkView> {
        self.chunk_in(&self.snapshot()?, id)
    }

    /// A chunk of a snapshot by its id.
    ///
    /// # Errors
    /// [`Error::UnknownChunk`].
    pub fn chunk_in(&self, snapshot: &Snapshot, id: &str) -> Result<ChunkView> {
        let (slot, passage) = search::chunk_by_id(snapshot, &self.location.root, id, &self.config)?;
        let file = snapshot.file_of(slot).ok_or_else(|| Error::UnknownChunk { id: id.to_owned() })?;
        let symbols: Vec<String> = snapshot.symbols(slot).map(|(_, name)| name.to_owned()).collect();
        Ok(ChunkView {
            id: id.to_owned(),
            root: self.location.root.clone(),
            path: snapshot.path(file).to_owned(),
            start_line: passage.start_line,
            end_line: passage.end_line,
            kind: snapshot.chunk(slot).kind().as_str(),
            symbol: symbols.first().cloned(),
            symbols,
            trail: snapshot.trail(slot).map(str::to_owned).collect(),
            language: snapshot.language(file).id(),
            file_hash: format!("{:032x}", snapshot.files()[file].hash()),
            fresh: passage.fresh,
            text: passage.text,
        })
    }

    /// The state of the index, compared with the disk.
    ///
    /// # Errors
    /// As [`Self::snapshot`], or where the folder can't be listed.
    pub fn status(&self) -> Result<Status> {
        let snapshot = self.snapshot()?;
        let identity = index::identity(&self.config)?;
        let compared = index::plan(&self.location, &self.config, Some(&snapshot), &index::Look::default())?;
        let stale = compared.as_ref().is_none_or(|plan| plan.differs(&snapshot));
        let mut languages = std::collections::BTreeMap::new();
        let indexed = || snapshot.files().iter().filter(|f| f.skip().is_none());
        for file in indexed() {
            *languages.entry(file.lang().id()).or_default() += 1;
        }
        let (writing, deepening) = self.location.is_held();
        let is_unreadable = |place: &usize| snapshot.files()[*place].skip() == Some(SkipReason::Unreadable);
        let closed =
            compared.map(|plan| plan.unreadable).unwrap_or_default().into_iter().map(|(path, _)| path);
        let files = (0..snapshot.files().len()).filter(is_unreadable).map(|place| snapshot.path(place));
        let unreadable: std::collections::BTreeSet<String> = closed.chain(files.map(str::to_owned)).collect();
        Ok(Status {
            root: self.location.root.clone(),
            index: self.location.dir.clone(),
            coverage: snapshot.coverage(),
            identity: identity.instant,
            deep_identity: identity.deep,
            deep_made_by: snapshot.deep().made_by().map(str::to_owned),
            languages,
            noise: snapshot.noise(),
            scanned: snapshot.scanned(),
            stale,
            writing,
            deepening,
            last_run: store::last_run(&self.location),
            unreadable: unreadable.into_iter().collect(),
            segments: self.segments(&snapshot)?,
            source_bytes: snapshot.source_bytes(),
            index_bytes: snapshot.bytes_on_disk(),
        })
    }

    fn segments(&self, snapshot: &Snapshot) -> Result<Vec<SegmentStatus>> {
        let segments = source::Segments::new(&self.config.selection.segments)?;
        let begun = |s: &Segment| SegmentStatus { segment: s.name.clone(), chunks: 0, files: 0 };
        let mut out: Vec<_> = self.config.selection.segments.iter().map(begun).collect();
        for (place, file) in snapshot.files().iter().enumerate().filter(|(_, file)| file.skip().is_none()) {
            let name = segments.of(snapshot.path(place));
            if let Some(status) = out.iter_mut().find(|status| Some(status.segment.as_str()) == name) {
                status.files += 1;
                status.chunks += file.chunks as usize;
            }
        }
        Ok(out)
    }

    /// Why a file is in the index, or not. `path` is relative to the root.
    ///
    /// # Errors
    /// Where rules can't be read or git fails.
    pub fn why(&self, path: &str) -> Result<Why> {
        index::why(&self.location, &self.config, path)
    }

    /// Deletes the index.
    ///
    /// # Errors
    /// [`Error::Locked`] while another process writes it.
    pub fn remove(&self) -> Result<bool> {
        self.location.remove()
    }
}
