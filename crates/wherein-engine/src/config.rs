//! Resolved settings of the engine: no option is left open here, and nothing is read from the environment or from files.

use std::path::PathBuf;

use crate::types::DeepPolicy;

/// The program that parses source text in a process of its own, which can be killed when a parse does not end.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The executable; it must answer the worker protocol on stdin and stdout (`chunk::worker::serve`).
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// How text is cut into chunks. Part of an index's identity: a change asks for a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkLimits {
    /// Most word pieces of the static model in a chunk of code or data.
    pub code_pieces: usize,
    /// Most MiniLM word pieces in a chunk of prose, `[CLS]` and `[SEP]` not counted; the model reads 256 with them.
    pub prose_pieces: usize,
}

impl Default for ChunkLimits {
    fn default() -> Self {
        // docs/measurements.md, "Chunk size".
        ChunkLimits { code_pieces: 256, prose_pieces: 224 }
    }
}

impl ChunkLimits {
    /// Most pieces of a chunk of prose, or of anything else.
    pub fn most(self, prose: bool) -> usize {
        if prose { self.prose_pieces } else { self.code_pieces }
    }
}

/// Which model makes deep vectors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeepModel {
    /// The one in the program.
    #[default]
    BuiltIn,
    /// One in a folder, with its card.
    Folder(PathBuf),
    /// One that a server runs.
    Server(Server),
}

/// A server of embeddings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// How it is talked to.
    pub api: Api,
    /// Where: without the path of the call.
    pub url: String,
    /// The model's name there.
    pub model: String,
    /// What is put before a question, and before a passage.
    pub prefixes: (String, String),
    /// What it asks for as a key, if it does.
    pub key: Option<String>,
}

/// How a server of embeddings is talked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Ollama's `/api/embed`.
    Ollama,
    /// `/embeddings` below a base such as `http://127.0.0.1:8080/v1`.
    OpenAi,
}

/// A named part of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its name.
    pub name: String,
    /// What it holds: globs below the root.
    pub globs: Vec<String>,
}

/// Which of the files that the rules on disk let in belong to a root. It only ever narrows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only files that one of these globs matches; empty: all.
    pub include: Vec<String>,
    /// No file that one of these matches.
    pub exclude: Vec<String>,
    /// Named parts; the first that holds a file gives it its name.
    pub segments: Vec<Segment>,
    /// The file that says so.
    pub file: Option<PathBuf>,
}

/// Everything the engine needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// The folder that holds one index per root.
    pub data_dir: PathBuf,
    /// An ignore file that applies to every root, if there is one.
    pub user_ignore: Option<PathBuf>,
    /// Rules of an ignore file that apply to every root, beside those of `user_ignore`.
    pub ignore: Vec<String>,
    /// Which files belong to the root.
    pub selection: Selection,
    /// Folders above which no git work tree is looked for.
    pub ceilings: Vec<PathBuf>,
    /// A root with more files is refused.
    pub max_files: usize,
    /// Larger files are skipped; bytes.
    pub max_file_bytes: u64,
    /// Chunk sizes.
    pub limits: ChunkLimits,
    /// Which files get vectors of the deep model.
    pub deep: DeepPolicy,
    /// Which model that is.
    pub deep_model: DeepModel,
    /// The folder of the cross-encoder that reads the top of a page again, where it is asked to.
    pub reranker: Option<PathBuf>,
    /// Threads that read, parse and embed.
    pub threads: usize,
    /// Where syntax is parsed; `None` parses in this process, where a grammar that never returns cannot be stopped.
    pub worker: Option<Worker>,
}

/// Files of a root, at most: more are a disk, not a project.
const MAX_FILES: usize = 1_000_000;

impl Config {
    /// Defaults around a data folder.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Config {
            data_dir: data_dir.into(),
            user_ignore: None,
            ignore: Vec::new(),
            selection: Selection::default(),
            ceilings: Vec::new(),
            max_files: MAX_FILES,
            max_file_bytes: 500_000,
            limits: ChunkLimits::default(),
            deep: DeepPolicy::default(),
            deep_model: DeepModel::default(),
            reranker: None,
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            worker: None,
        }
    }
}
