//! What a server offers: the tools of each profile, and what every answer has in common.

mod ask;
mod code;
mod docs;
mod files;
mod grep;
mod read;
mod search;
mod semantic_search;
mod status;

use clap::ValueEnum;
use serde_json::Value;
use wherein_engine::{Cancel, Coverage};

use crate::render;
use crate::settings::Target;

use super::schema::{Arguments, Param};
use super::served::Ready;
use super::session::Session;

/// Whose tools are served: never all at once, since each costs the model that reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// search, read, grep, status
    #[default]
    Default,
    /// semantic-search-mcp's: search, gather, `list_folders`, `cat_file`, grep, index
    SemanticSearch,
    /// docs-rag-mcp's: `search_notes`
    Docs,
    /// code-search-mcp's: `search_codebase`, `get_chunk`, `index_status`, reindex
    Code,
}

impl Profile {
    /// The tools, in the order in which clients list them.
    pub(super) fn tools(self) -> Vec<&'static Tool> {
        match self {
            Profile::Default => vec![&search::SEARCH, &read::READ, &grep::GREP, &status::STATUS],
            Profile::SemanticSearch => semantic_search::TOOLS.iter().collect(),
            Profile::Docs => docs::TOOLS.iter().collect(),
            Profile::Code => code::TOOLS.iter().collect(),
        }
    }
}

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// What it is for. What is really in the index is added where `tells_content`.
    pub(super) about: &'static str,
    pub(super) tells_content: bool,
    /// Whether it changes nothing but the index.
    pub(super) reads_only: bool,
    pub(super) params: &'static [Param],
    pub(super) run: fn(&Call<'_>) -> anyhow::Result<Reply>,
}

/// A call of a tool.
pub(super) struct Call<'a> {
    pub(super) session: &'a Session,
    pub(super) arguments: &'a Arguments,
    /// Set when the client gives it up.
    pub(super) cancel: &'a Cancel,
}

impl Call<'_> {
    /// Brings roots up to date and opens them, as [`Session::ready`].
    fn ready(&self, targets: &[Target]) -> anyhow::Result<(Vec<Ready>, Vec<String>)> {
        self.session.ready(targets, self.cancel)
    }
}

/// What the reader of an answer should know of the roots that gave it: those that could not be asked, and how much of the others was there.
fn caveats(ready: &[Ready], notes: Vec<String>) -> Vec<String> {
    let mut coverage =
        ready.iter().map(|ready| ready.snapshot.coverage()).reduce(Coverage::with).unwrap_or_default();
    ready.iter().for_each(|ready| ready.tell(&mut coverage));
    told(notes, &coverage)
}

/// Notes in few words, and how far an answer is from what the files say now.
fn told(notes: Vec<String>, coverage: &Coverage) -> Vec<String> {
    let mut out = brief(notes);
    out.extend(freshness(coverage));
    out
}

/// Notes that are told; of more their number.
const NOTES: usize = 6;
const NOTE_CHARS: usize = 400;

/// A few notes, each a line: they may quote what they are about.
fn brief(mut notes: Vec<String>) -> Vec<String> {
    let more = notes.len().saturating_sub(NOTES);
    notes.truncate(NOTES);
    for note in &mut notes {
        let lines: Vec<&str> = note.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        *note = render::one_line(&lines.join(" / ")).chars().take(NOTE_CHARS).collect();
    }
    notes.extend((more > 0).then(|| format!("and {more} more of the kind")));
    notes
}

/// How far an answer is from what the files say now.
fn freshness(coverage: &Coverage) -> Option<String> {
    if coverage.pending > 0 {
        Some(format!("{} changed files are not indexed yet", coverage.pending))
    } else if coverage.partial {
        Some(format!("the index is still being made: this is from the first {} files", coverage.files))
    } else if coverage.unchecked {
        Some("what changed lately may be missing; each passage was compared with its file".to_owned())
    } else {
        None
    }
}

/// What a tool answers: the same as text and as data, for clients that show only one of them.
pub(super) struct Reply {
    pub(super) text: String,
    /// What to know beside it: a text of its own, since some texts are read by programs.
    pub(super) notes: Vec<String>,
    pub(super) data: Option<Value>,
    pub(super) is_error: bool,
}

impl Reply {
    fn new(text: String, data: Value) -> Reply {
        Reply { text, notes: Vec::new(), data: Some(data), is_error: false }
    }

    /// Text alone, as the programs before answered.
    fn text(text: String) -> Reply {
        Reply { text, notes: Vec::new(), data: None, is_error: false }
    }

    fn with(self, notes: Vec<String>) -> Reply {
        Reply { notes, ..self }
    }

    pub(super) fn refused(text: String) -> Reply {
        Reply { text, notes: Vec::new(), data: None, is_error: true }
    }
}

/// What an answer takes at most where nobody says: below what clients cut or save to a file.
const MAX_TOKENS: usize = 8_000;
/// The largest budget that can be asked for.
const MOST_TOKENS: u64 = 100_000;
