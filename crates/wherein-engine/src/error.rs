//! The engine's one error type. It owns what went wrong, where, and what to do next; it does not decide exit codes.

use std::io;
use std::path::{Path, PathBuf};

/// A failure of the engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder could not be read or written.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: "read", "write", "open".
        action: &'static str,
        /// The path it was tried on.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// git is needed for this folder and failed.
    #[error("git failed in {}: {message}", path.display())]
    Git {
        /// The work tree.
        path: PathBuf,
        /// git's own words.
        message: String,
    },
    /// The folder is not one that may be indexed.
    #[error("{}: {reason}", path.display())]
    Refused {
        /// The folder.
        path: PathBuf,
        /// Why not.
        reason: &'static str,
    },
    /// No index exists for this folder.
    #[error("{} has not been indexed", path.display())]
    NotIndexed {
        /// The folder.
        path: PathBuf,
    },
    /// Another process is writing this index.
    #[error("another process is indexing {}", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The index on disk was made with another model, or cut otherwise.
    #[error("the index of {} was made with {found}, this program needs {wanted}", path.display())]
    Identity {
        /// The folder.
        path: PathBuf,
        /// What the index says.
        found: String,
        /// What this program writes.
        wanted: String,
    },
    /// The index on disk is laid out as another version of this program does it.
    #[error("the index of {} has format {found}, this program writes {wanted}", path.display())]
    Format {
        /// The folder.
        path: PathBuf,
        /// What the index says.
        found: u32,
        /// What this program writes.
        wanted: u32,
    },
    /// The index on disk contradicts itself.
    #[error("the index at {} is damaged: {detail}", path.display())]
    Damaged {
        /// The index file or folder.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// The storage library failed.
    #[error("index storage at {}: {message}", path.display())]
    Storage {
        /// The index folder.
        path: PathBuf,
        /// The library's words.
        message: String,
    },
    /// A model could not be used.
    #[error("model {model}: {message}")]
    Model {
        /// Its name.
        model: String,
        /// What went wrong.
        message: String,
    },
    /// A glob or ignore rule could not be understood.
    #[error("pattern {pattern:?}: {message}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing has this id.
    #[error("no chunk has the id {id:?}")]
    UnknownChunk {
        /// The id asked for.
        id: String,
    },
    /// No passage of the index holds this line.
    #[error("no passage of the index holds line {line} of {}", path.display())]
    NoPassage {
        /// The file, relative to its root.
        path: PathBuf,
        /// The line, 1-based.
        line: u32,
    },
    /// The caller asked to stop; what was committed stays.
    #[error("interrupted; everything committed so far is kept")]
    Cancelled,
}

impl Error {
    /// A short stable word for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Error::Io { .. } => "io",
            Error::Git { .. } => "git",
            Error::Refused { .. } => "refused",
            Error::NotIndexed { .. } => "not_indexed",
            Error::Locked { .. } => "locked",
            Error::Identity { .. } => "identity",
            Error::Format { .. } => "format",
            Error::Damaged { .. } => "damaged",
            Error::Storage { .. } => "storage",
            Error::Model { .. } => "model",
            Error::Pattern { .. } => "pattern",
            Error::UnknownChunk { .. } => "unknown_chunk",
            Error::NoPassage { .. } => "no_passage",
            Error::Cancelled => "cancelled",
        }
    }

    /// The path it is about, if it is about one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Error::Io { path, .. }
            | Error::Git { path, .. }
            | Error::Refused { path, .. }
            | Error::NotIndexed { path }
            | Error::Locked { path }
            | Error::Identity { path, .. }
            | Error::Format { path, .. }
            | Error::Damaged { path, .. }
            | Error::Storage { path, .. }
            | Error::NoPassage { path, .. } => Some(path),
            Error::Model { .. } | Error::Pattern { .. } | Error::UnknownChunk { .. } | Error::Cancelled => {
                None
            }
        }
    }

    /// What the user can do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Io { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                Some("check the permissions, or set WHEREIN_DATA_DIR to a folder you may write".into())
            }
            Error::Git { message, .. } if message.contains("dubious ownership") => {
                Some("git does not trust this folder's owner; its message above names the command that allows it".into())
            }
            Error::Git { .. } => Some(
                "the file list of a git work tree comes from git; repair the repository, or move the folder out of it".into(),
            ),
            Error::NotIndexed { path } => Some(format!("run `wherein index {}`", path.display())),
            Error::Locked { .. } => Some("wait for it with `wherein index --lock-wait 60`".into()),
            Error::Identity { path, .. } => {
                Some(format!("build it anew with `wherein index --rebuild {}`", path.display()))
            }
            Error::Storage { message, .. } if message.contains("No space left") => {
                Some("free some space and run it again; everything committed so far is kept".into())
            }
            Error::Format { .. } | Error::Damaged { .. } | Error::Storage { .. } => {
                Some("`wherein index` in the indexed folder builds it anew beside the old one".into())
            }
            Error::Model { message, .. } if message.starts_with("no answer") => {
                Some("is the server running? Everything else is found without it".into())
            }
            Error::UnknownChunk { .. } => Some("ids come from `wherein search --json`; they change with the passage".into()),
            Error::NoPassage { path, .. } => {
                Some(format!("`wherein why {}` says what is indexed of it", path.display()))
            }
            _ => None,
        }
    }
}

/// The engine's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Puts the path into an IO error.
pub(crate) trait IoContext<T> {
    /// Names what was tried, and on which path.
    fn context(self, action: &'static str, path: impl AsRef<Path>) -> Result<T>;
}

impl<T> IoContext<T> for io::Result<T> {
    fn context(self, action: &'static str, path: impl AsRef<Path>) -> Result<T> {
        self.map_err(|source| Error::Io { action, path: path.as_ref().to_path_buf(), source })
    }
}
