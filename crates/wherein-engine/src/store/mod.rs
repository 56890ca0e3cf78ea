//! One index per root: files, lock, format version, atomic commit, snapshot. The only room that names the storage library.
//!
//! A root's folder holds a lock, one *epoch* folder per full rebuild, and `current`, which names the epoch that
//! answers. Inside an epoch: immutable segments (chunk records and vectors), deep vectors, leaves of the file table, and the postings. The
//! commit point is the postings' own atomic meta file; its payload, the [`Manifest`], names every other file.
//! Data is written and synced first, then the meta file is swapped; a reader holds one generation whatever happens after.

mod borrow;
mod deep;
mod deep_tier;
mod files;
mod indexes;
mod last_run;
mod leaf;
mod levels;
mod location;
mod manifest;
mod mapped;
mod postings;
mod segment;
mod slots;
mod snapshot;
mod writer;

use crate::types::DeepPolicy;

pub(crate) use borrow::borrow;
pub use deep_tier::DeepTier;
pub use files::Files;
pub use indexes::IndexInfo;
pub(crate) use indexes::{indexes, note_use, remove};
pub use last_run::LastRun;
pub(crate) use last_run::{last_run, note_run};
pub(crate) use leaf::FileRecord;
pub(crate) use location::{Location, WriterLock};
pub use snapshot::Snapshot;
pub(crate) use writer::{NewChunk, NewFile, Scan, Writer};

/// What an index is made with. One made with another instant tier is not opened; deep vectors of another model are left alone.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// Names the instant model and how text is cut.
    pub instant: String,
    /// Numbers of an instant vector.
    pub dimensions: usize,
    /// Names the deep model, where one is wanted.
    pub deep: Option<String>,
    /// Which files want deep vectors.
    pub policy: DeepPolicy,
}

/// Where tests let a commit break off, as a kill or a full disk would.
macro_rules! break_point {
    ($name:literal, $path:expr) => {
        fail::fail_point!($name, |_| Err(crate::error::Error::Io {
            action: "write",
            path: std::path::PathBuf::from($path),
            source: std::io::Error::other(concat!("broken off at ", $name)),
        }))
    };
}
use break_point;

/// Changes whenever files on disk are laid out or analysed otherwise.
pub(crate) const FORMAT_VERSION: u32 = 6;
