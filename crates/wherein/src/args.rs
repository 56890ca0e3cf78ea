//! The whole command line. Doc comments are the help texts; nothing is resolved here.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::mcp::Profile;
use crate::settings::{Settings, Which};

/// Ask your files where something is
///
/// wherein indexes a folder the first time you ask about it and keeps the index fresh from then on. Everything
/// runs on this machine: no service, no key, no network.
#[derive(Parser)]
#[command(name = "wherein", version, propagate_version = true, after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  wherein search \"where are retries scheduled\"     ask about the repository you are in
  wherein search RouterGroup src/ -k 3             a name, in one folder
  wherein search \"session expiry\" --json           for scripts and agents
  wherein index                                    bring the index up to date
  wherein why build/output.js                      why is this file not found?";

/// The verbs; what each does stands at its arguments, whose whole comment is its help.
#[derive(Subcommand)]
pub(crate) enum Command {
    Search(Search),
    Related(Related),
    Grep(Grep),
    Index(Index),
    Watch(Watch),
    #[command(visible_alias = "serve")]
    Mcp(Mcp),
    Add(Add),
    #[command(visible_alias = "rm")]
    Remove(Remove),
    #[command(visible_alias = "ls")]
    List(List),
    Config(ConfigArgs),
    Doctor(Doctor),
    Gc(Gc),
    Status(Status),
    Why(Why),
    Chunk(Chunk),
    Eval(Eval),
    Model(Model),
    /// Parse source text for another wherein process
    #[command(name = WORKER, hide = true)]
    ParseWorker,
}

/// The name of the hidden verb that parses in a process of its own.
pub(crate) const WORKER: &str = "parse-worker";

impl Command {
    /// Whether results and failures are JSON.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Command::Search(a) => a.page.format() == Format::Json,
            Command::Index(a) => a.json,
            Command::Status(a) => a.json,
            Command::Why(a) => a.json,
            Command::Chunk(a) => a.json,
            Command::Add(a) => a.json,
            Command::Remove(a) => a.json,
            Command::List(a) => a.json,
            Command::Config(a) => a.json,
            Command::Doctor(a) => a.json,
            Command::Gc(a) => a.json,
            Command::Watch(a) => a.json,
            Command::Mcp(_) => false,
            Command::Grep(a) => a.json,
            Command::Related(a) => a.page.format() == Format::Json,
            Command::Eval(a) => a.json,
            Command::Model(a) => a.verb.wants_json(),
            Command::ParseWorker => false,
        }
    }
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For reading on a terminal
    Text,
    /// One JSON object
    Json,
    /// Markdown with fenced passages, for agents
    Md,
}

/// A part of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum In {
    /// Program text that is no test
    Code,
    /// Markdown and other prose
    Docs,
    /// Tests
    Tests,
    /// Data and configuration
    Config,
    /// Everything, ranked by what the query asks for
    All,
}

/// What any answer of passages may be: how many, how written, of which part.
#[derive(ClapArgs)]
pub(crate) struct Page {
    /// How many passages; 10, where the configuration does not say
    #[arg(short = 'k', long = "top-k", value_name = "N", value_parser = at_least_one)]
    pub(crate) top_k: Option<usize>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// How to write the results
    #[arg(long, value_enum, conflicts_with = "json")]
    pub(crate) format: Option<Format>,
    /// Search only this part
    #[arg(long = "in", value_enum, value_name = "PART", default_value = "all")]
    pub(crate) part: In,
}

/// Passages on a page, where nobody says how many.
const TOP_K: usize = 10;

impl Page {
    /// How many passages.
    pub(crate) fn top_k(&self, settings: &Settings) -> usize {
        self.top_k.or(settings.corpus.values.default_top_k).unwrap_or(TOP_K)
    }

    /// How the answer is written.
    pub(crate) fn format(&self) -> Format {
        self.format.unwrap_or(if self.json { Format::Json } else { Format::Text })
    }
}

/// Which folders of the corpus.
#[derive(ClapArgs)]
pub(crate) struct Roots {
    /// A folder of the corpus, by its name or path
    #[arg(long, value_name = "NAME", conflicts_with_all = ["global", "paths"])]
    pub(crate) root: Option<PathBuf>,
    /// The whole corpus, from wherever you are
    #[arg(long, conflicts_with = "paths")]
    pub(crate) global: bool,
}

impl Roots {
    /// The roots that are meant, with the paths beside them.
    pub(crate) fn which<'a>(&'a self, paths: &'a [PathBuf]) -> Which<'a> {
        Which { paths, root: self.root.as_deref(), global: self.global }
    }
}

/// Find the passages that answer a question
///
/// Without PATH the project or git repository around the current folder is searched, else the indexed folder around it, else the
/// corpus (`wherein add`), else the current folder. A PATH inside a repository narrows the answer to it.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  wherein search \"how are routes registered\"
  wherein search parse_args --lang python -k 3
  wherein search \"token refresh\" --in tests --path 'auth/**'
  wherein search \"how do we deploy\" --global      every folder of the corpus
  wherein search \"panic recovery\" -l | xargs $EDITOR")]
pub(crate) struct Search {
    /// What you look for: words, a name, an error message; never parsed as syntax
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: String,
    /// Folders or files to search
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    /// Only a named part of the project, as its configuration defines it
    #[arg(long, value_name = "NAME")]
    pub(crate) segment: Option<String>,
    #[command(flatten)]
    pub(crate) page: Page,
    /// Only files that a glob matches; may be given again
    #[arg(long = "path", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    /// No file whose path contains one of these fragments
    #[arg(long, value_name = "FRAGMENT,…", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
    /// Only files of a language; may be given again
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(crate) lang: Vec<String>,
    /// Cut passages below this score; 0 never answers "nothing"
    #[arg(long, value_name = "X", value_parser = share)]
    pub(crate) min_score: Option<f32>,
    /// Cut passages whose score is below this share of the best one's
    #[arg(long, value_name = "X", value_parser = share)]
    pub(crate) relative_cutoff: Option<f32>,
    /// Bring back what the configuration's `default_exclude` leaves out
    #[arg(long)]
    pub(crate) all: bool,
    /// Show the arithmetic of the ranking
    #[arg(long)]
    pub(crate) explain: bool,
    /// Show the arithmetic of a file too that is not in the answer, and why it is not
    #[arg(long, value_name = "FILE")]
    pub(crate) explain_path: Option<PathBuf>,
    /// Let a cross-encoder read the top of the page again (RAG_RERANK=1; the model: RAG_RERANK_MODEL)
    #[arg(long)]
    pub(crate) rerank: bool,
    /// Answer from the index as it is, without looking at the disk first
    #[arg(long)]
    pub(crate) no_refresh: bool,
    /// Show so many lines around each passage
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) context: u32,
    /// Cut the texts so that the answer has at most about so many tokens
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<usize>,
    /// Write paths only
    #[arg(short = 'l', long = "files", conflicts_with_all = ["json", "format"])]
    pub(crate) files: bool,
}

/// Find passages that are related to a place in a file
///
/// The passage that holds the line is what is searched with: its meaning and its most telling words. Other files answer.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  wherein related src/router.rs:120
  wherein related src/router.rs:120 -k 5 --in tests")]
pub(crate) struct Related {
    /// The file and the line, counted from 1
    #[arg(value_name = "FILE:LINE", value_parser = place)]
    pub(crate) place: (PathBuf, u32),
    #[command(flatten)]
    pub(crate) page: Page,
    /// Answer from the index as it is, without looking at the disk first
    #[arg(long)]
    pub(crate) no_refresh: bool,
}

/// Find the lines that a pattern matches
///
/// Only files that the index knows are read: no binary, nothing ignored, no secret. Upper and lower case are the same unless
/// --case-sensitive says otherwise.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  wherein grep 'fn \\w+_backoff'
  wherein grep -F 'Vec<Option<' --lang rust -C 2
  wherein grep TODO --path 'src/**' -l")]
pub(crate) struct Grep {
    /// A regular expression in Rust's syntax
    #[arg(allow_hyphen_values = true)]
    pub(crate) pattern: String,
    /// Folders or files to search
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    /// The pattern is plain text
    #[arg(short = 'F', long = "fixed-strings")]
    pub(crate) fixed: bool,
    /// Tell upper from lower case
    #[arg(short = 's', long)]
    pub(crate) case_sensitive: bool,
    /// Only files that a glob matches; may be given again
    #[arg(long = "path", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    /// Only files of a language; may be given again
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(crate) lang: Vec<String>,
    /// Show so many lines around each
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    pub(crate) context: usize,
    /// At most so many lines
    #[arg(short = 'm', long, value_name = "N", default_value_t = 1000, value_parser = at_least_one)]
    pub(crate) max_count: usize,
    /// Write paths only
    #[arg(short = 'l', long = "files", conflicts_with = "json")]
    pub(crate) files: bool,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Read the files of the index as it is, without looking for new ones first
    #[arg(long)]
    pub(crate) no_refresh: bool,
}

/// Judge answers over questions with known answers
///
/// TRUTH is a JSON list of {"query", "relevant": [PATH or {"path", "start_line", "end_line"}], "category"?, "any"?}; a query
/// without a target should be answered with "nothing". Shown are NDCG@10, hit@5, MRR, recall, the tokens read up to the
/// first right passage, what grep would have found, and how far scores can be believed.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  wherein eval --make . > truth.json               questions out of this corpus itself
  wherein eval truth.json                          how well are they answered?
  wherein eval truth.json --json > before.json     ... after a change:
  wherein eval truth.json --compare before.json
  wherein eval truth.json --show 7                 the seventh question in full")]
pub(crate) struct Eval {
    /// The truth set
    #[arg(required_unless_present = "make")]
    pub(crate) truth: Option<PathBuf>,
    /// The folder that is asked; as for `search` by default
    pub(crate) path: Option<PathBuf>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show one question's ranking with its arithmetic, counted from 1
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) show: Option<usize>,
    /// Show what changed since a run that was saved with --json
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
    /// Cut passages below this score, as `search` would
    #[arg(long, value_name = "X", value_parser = share)]
    pub(crate) min_score: Option<f32>,
    /// Let a cross-encoder read the top of the page again (RAG_RERANK=1; the model: RAG_RERANK_MODEL)
    #[arg(long)]
    pub(crate) rerank: bool,
    /// Leave out the comparison with grep
    #[arg(long)]
    pub(crate) no_grep: bool,
    /// Write a truth set made of this folder's own comments, headings and commits, and say what it is good for
    #[arg(long, value_name = "PATH", conflicts_with_all = ["truth", "show", "compare", "min_score"])]
    pub(crate) make: Option<PathBuf>,
    /// With --make: questions of each kind
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = at_least_one, requires = "make")]
    pub(crate) most: usize,
}

/// Bring indexes up to date
///
/// Only what changed is read. First everything gets what a search needs; then prose gets vectors of the deep model, which find a
/// passage that says it in other words. That takes its time, about a second for 100 passages and two cores; it goes on where it was
/// interrupted, and searches are answered meanwhile. Human lines go to stderr; the last line on stdout is JSON.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  wherein index                      the repository you are in
  wherein index ~/src/app ~/notes    two folders
  wherein index --global             every folder of the corpus
  wherein index --no-wait            without the deep tier; a later run fills it in
  wherein index --rebuild            anew, beside the old index, then swap")]
pub(crate) struct Index {
    /// Folders to index
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    /// Only a named part of the project, as its configuration defines it
    #[arg(long, value_name = "NAME")]
    pub(crate) segment: Option<String>,
    /// Process every file, changed or not
    #[arg(long)]
    pub(crate) force: bool,
    /// Build a new index beside the old one, then swap; with --force no vector is taken over
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Process at most so many files of each folder
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_files: Option<usize>,
    /// Threads that read, parse and embed
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) concurrency: Option<usize>,
    /// Name each file before it is done, and every skipped file with its reason
    #[arg(long)]
    pub(crate) verbose: bool,
    /// Write one JSON object with everything
    #[arg(long)]
    pub(crate) json: bool,
    /// Wait until the deep tier is filled in (the default)
    #[arg(long, overrides_with = "no_wait")]
    pub(crate) wait: bool,
    /// Leave the deep tier to a later run
    #[arg(long, overrides_with = "wait")]
    pub(crate) no_wait: bool,
    /// Wait so long for another process that writes the index
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) lock_wait: u64,
    /// Believe a folder that is empty now but was not before
    #[arg(long)]
    pub(crate) prune_empty: bool,
    /// Index a folder that is refused otherwise: your home, /, or more than a million files
    #[arg(long)]
    pub(crate) yes: bool,
}

/// Keep indexes fresh until stopped
///
/// Changes are indexed as the system tells of them, within a fraction of a second. Searches do not need it: they look for changes
/// themselves. It is for large folders, where that look takes its time. Ctrl-C ends it and loses nothing.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  wherein watch\n  wherein watch --global --json")]
pub(crate) struct Watch {
    /// Folders to watch
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    /// Write one JSON object an event
    #[arg(long)]
    pub(crate) json: bool,
}

/// Serve agents over the Model Context Protocol
///
/// Speaks on stdin and stdout and is begun by the client. It serves the folders named here; else the corpus of a configuration that the
/// environment names; else the folders that the client names; else the project around CLAUDE_PROJECT_DIR or the current folder; else
/// the corpus.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  wherein mcp
  wherein mcp ~/src/app ~/notes
  wherein mcp --profile code
  wherein serve --http 127.0.0.1:8765
  claude mcp add wherein -- wherein mcp")]
pub(crate) struct Mcp {
    /// Folders to serve
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) roots: Roots,
    /// Whose tools
    #[arg(long, value_enum, default_value_t)]
    pub(crate) profile: Profile,
    /// Serve several clients over HTTP at http://ADDRESS/mcp instead; other addresses than this machine's need a WHEREIN_HTTP_TOKEN
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<SocketAddr>,
}

/// Put folders into the corpus
///
/// The corpus is the folders that are searched together with --global, and by default where no project is around. Adding one
/// indexes nothing yet.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  wherein add ~/notes ~/code/app
  wherein index --global")]
pub(crate) struct Add {
    /// The folders
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Take folders out of the corpus, with their indexes
#[derive(ClapArgs)]
#[command(after_help = "Example:\n  wherein remove ~/notes\n  wherein rm app --keep-index")]
pub(crate) struct Remove {
    /// The folders, by path or name
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Keep their indexes: `wherein search PATH` still answers from them
    #[arg(long)]
    pub(crate) keep_index: bool,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Name the folders of the corpus
#[derive(ClapArgs)]
pub(crate) struct List {
    /// Name every index, with its size and last use
    #[arg(long)]
    pub(crate) all: bool,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show where configuration, indexes and models are
#[derive(ClapArgs)]
pub(crate) struct ConfigArgs {
    /// Describe every key and environment variable, as markdown
    #[arg(long, conflicts_with = "json")]
    pub(crate) keys: bool,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Check that everything is as it should be
///
/// Looks at git, the data folder, the configuration, every index (each file against its checksum) and every added model, and names the
/// command that mends what is not well. It changes nothing.
#[derive(ClapArgs)]
pub(crate) struct Doctor {
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Remove indexes whose folders are gone or long unused
///
/// Shows what would go; --yes removes it. Indexes of the corpus stay whatever their age, as long as their folders are there.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  wherein gc\n  wherein gc --unused 90 --yes")]
pub(crate) struct Gc {
    /// Remove them
    #[arg(long)]
    pub(crate) yes: bool,
    /// Unused for so many days is long
    #[arg(long, value_name = "DAYS", default_value_t = 60)]
    pub(crate) unused: u64,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what an index covers
#[derive(ClapArgs)]
pub(crate) struct Status {
    /// The folder; the one around the current folder by default
    pub(crate) path: Option<PathBuf>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Say why a file is in the index, or not
#[derive(ClapArgs)]
#[command(after_help = "Example:\n  wherein why target/debug/build.log")]
pub(crate) struct Why {
    /// The file or folder
    pub(crate) file: PathBuf,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show a passage by its id
///
/// Ids come from `wherein search --json`. The passage is looked up in the file as it is now; one that the file no
/// longer holds is marked as stale.
#[derive(ClapArgs)]
pub(crate) struct Chunk {
    /// The id
    pub(crate) id: String,
    /// The folder whose index knows it; the one around the current folder by default
    pub(crate) path: Option<PathBuf>,
    /// Write one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// List, add, describe and measure the models
///
/// Two are in the program. Others are added from a folder, as the hub has them; `add --download` is the only thing in wherein that
/// fetches anything. Which model makes the deep vectors says WHEREIN_DEEP_MODEL (a name), or a server: WHEREIN_DEEP_PROVIDER
/// (ollama or openai) with WHEREIN_DEEP_URL.
#[derive(ClapArgs)]
#[command(after_help = MODEL_EXAMPLES)]
pub(crate) struct Model {
    /// What to do
    #[command(subcommand)]
    pub(crate) verb: ModelVerb,
}

const MODEL_EXAMPLES: &str = "\
Examples:
  wherein model list
  wherein model info all-minilm
  wherein model add ~/models/bge-small-en-v1.5        from a folder with config.json, tokenizer.json, model.safetensors
  wherein model add multilingual-minilm --download    from the hub
  WHEREIN_DEEP_MODEL=multilingual-minilm wherein index
  wherein model bench all-minilm --json      how fast it is on this machine, and whether it agrees with its reference";

/// What is done with models.
#[derive(Subcommand)]
pub(crate) enum ModelVerb {
    /// Name the models that there are
    List {
        /// Write one JSON list
        #[arg(long)]
        json: bool,
    },
    /// Add a model from a folder, or from the hub
    ///
    /// A folder in the hub's layout is copied: config.json, tokenizer.json and model.safetensors, and what sentence-transformers
    /// puts beside them. BERT, RoBERTa, XLM-RoBERTa, NomicBert and model2vec are read, and cross-encoders for --rerank.
    Add {
        /// A folder, a name of `model list`, or OWNER/NAME on the hub
        model: String,
        /// Its name here
        #[arg(long)]
        name: Option<String>,
        /// Fetch it from the hub (also RAG_ALLOW_DOWNLOAD=1)
        #[arg(long)]
        download: bool,
        /// Write one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Describe a model
    Info {
        /// Its name
        name: String,
        /// Write one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Measure speed, memory and agreement with reference vectors on this machine
    ///
    /// Rates are over the passages that ship with the program, one text at a time on each thread.
    Bench {
        /// Its name; all of them by default
        name: Option<String>,
        /// Measure with so many threads; by default with 1, 2, 4 … up to what the machine has
        #[arg(long, value_name = "N", value_parser = at_least_one)]
        threads: Option<usize>,
        /// Write one JSON object a model
        #[arg(long)]
        json: bool,
    },
}

impl ModelVerb {
    fn wants_json(&self) -> bool {
        match self {
            ModelVerb::List { json }
            | ModelVerb::Add { json, .. }
            | ModelVerb::Info { json, .. }
            | ModelVerb::Bench { json, .. } => *json,
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(n) => Ok(n),
        Err(_) => Err("must be a whole number".into()),
    }
}

fn place(text: &str) -> Result<(PathBuf, u32), String> {
    let parts = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let good = parts.filter(|(file, line)| !file.is_empty() && *line > 0);
    good.map(|(file, line)| (file.into(), line)).ok_or_else(|| "must be like src/main.rs:12".into())
}

fn share(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|x| (0.0..=1.0).contains(x)).ok_or_else(|| "must be between 0 and 1".into())
}
