//! One index per root: files, lock, format version, atomic commit, snapshot. The only room that names the storage library.
//!
//! A root's folder holds a lock, one *epoch* folder per full rebuild, and `current`, which names the epoch that
//! answers. Inside an epoch: immutable segments (chunk records and vectors), immutable file tables, and the postings. The
//! commit point is the postings' own atomic meta file; its payload, the [`Manifest`], names every other file.
//! Data is written and synced first, then the meta file is swapped; a reader holds one generation whatever happens after.

mod file_table;
mod location;
mod manifest;
mod mapped;
mod postings;
mod segment;
mod snapshot;
mod writer;

pub(crate) use file_table::FileRecord;
pub(crate) use location::{Location, WriterLock};
pub use snapshot::Snapshot;
pub(crate) use writer::{NewChunk, NewFile, Scan, Writer};

/// Changes whenever files on disk are laid out or analysed otherwise.
pub(crate) const FORMAT_VERSION: u32 = 2;
