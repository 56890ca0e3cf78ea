//! Every environment variable that wherein reads, declared once: `docs/configuration.md` is made of this list.

use std::ffi::OsString;

macro_rules! variables {
    ($($name:ident = $variable:literal, $meaning:literal;)+) => {
        $(#[doc = $meaning] pub(crate) const $name: &str = $variable;)+

        /// Every variable with what it is for.
        pub(crate) const ALL: &[(&str, &str)] = &[$(($variable, $meaning)),+];
    };
}

variables! {
    CONFIG = "WHEREIN_CONFIG", "The user's configuration file: the corpus and defaults.";
    SS_CONFIG_PATH = "SS_CONFIG_PATH", "The same, by semantic-search-mcp's name.";
    DATA_DIR = "WHEREIN_DATA_DIR", "The folder that holds the indexes.";
    SS_INDEX_DIR = "SS_INDEX_DIR", "The same, by semantic-search-mcp's name.";
    MAX_FILE_BYTES = "WHEREIN_MAX_FILE_BYTES", "Larger files are skipped; bytes, 500000 by default.";
    REFRESH_MS = "WHEREIN_REFRESH_MS", "How long a search may look for changes and index them before it answers from what is there; milliseconds, 1000 by default.";
    DEEP = "WHEREIN_DEEP", "Which files get deep vectors: `prose` (default), `all` or `none`.";
    DEEP_MODEL = "WHEREIN_DEEP_MODEL", "The model that makes deep vectors: a name of `wherein model list`, or what a server calls it.";
    DEEP_PROVIDER = "WHEREIN_DEEP_PROVIDER", "Who runs it: `local` (default), `ollama` or `openai`.";
    DEEP_URL = "WHEREIN_DEEP_URL", "Where a server is; on this machine by default.";
    DEEP_KEY = "WHEREIN_DEEP_KEY", "What a server asks for as a key.";
    HTTP_TOKEN = "WHEREIN_HTTP_TOKEN", "What clients of `wherein mcp --http` have to name as a bearer token.";
    MODEL_DIR = "WHEREIN_MODEL_DIR", "The folder of added models; `models` beside the indexes by default.";
    SS_MODEL_CACHE_DIR = "SS_MODEL_CACHE_DIR", "The same, by semantic-search-mcp's name.";
    RAG_MODEL_CACHE = "RAG_MODEL_CACHE", "The same, by code-search-mcp's name.";
    RAG_RERANK = "RAG_RERANK", "`1` lets a cross-encoder read the top of every page again.";
    RAG_RERANK_MODEL = "RAG_RERANK_MODEL", "Which one: a name of `wherein model list`.";
    RAG_ALLOW_DOWNLOAD = "RAG_ALLOW_DOWNLOAD", "`1` lets `wherein model add` fetch what is not there.";
    HF_HUB_OFFLINE = "HF_HUB_OFFLINE", "`1` forbids it, as the hub's own libraries know it.";
    TRANSFORMERS_OFFLINE = "TRANSFORMERS_OFFLINE", "The same.";
    HF_ENDPOINT = "HF_ENDPOINT", "Another hub.";
    XDG_DATA_HOME = "XDG_DATA_HOME", "Base of data folders, `~/.local/share` by default.";
    XDG_CONFIG_HOME = "XDG_CONFIG_HOME", "Base of configuration folders, `~/.config` by default.";
    CLAUDE_PROJECT_DIR = "CLAUDE_PROJECT_DIR", "The project that a command without paths is about, as Claude Code names it to its hooks and servers; from inside of it, the current folder says.";
    GIT_CEILING_DIRECTORIES = "GIT_CEILING_DIRECTORIES", "Folders above which no git work tree is looked for, as git knows it.";
}

/// Variables of the programs before that change nothing here, with the reason.
pub(crate) const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("SS_STORE_BACKEND", "there is one store"),
    ("SS_SKIP_INTEGRATION", "tests need no model from elsewhere"),
];

/// A variable that is set to something.
#[expect(clippy::disallowed_methods, reason = "this is the room that reads the environment")]
pub(super) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The same as text.
pub(super) fn text(name: &str) -> Option<String> {
    variable(name).map(|value| value.to_string_lossy().into_owned())
}

/// Whether a variable says yes.
pub(super) fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| value == "1" || value == "true")
}
