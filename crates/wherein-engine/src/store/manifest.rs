//! What one commit holds, as JSON in the payload of the postings' meta file.

use serde::{Deserialize, Serialize};

use crate::vector::Noise;

/// One generation of an index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// [`super::FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// Models and chunker that made it.
    pub identity: String,
    /// The indexed folder.
    pub root: String,
    /// When the epoch was begun, nanoseconds since 1970: an epoch of the same name is another one.
    pub born: i64,
    /// Counts commits.
    pub generation: u64,
    /// When the disk was last looked at, nanoseconds since 1970.
    pub scanned: i64,
    /// False while a first index has more to add.
    pub complete: bool,
    /// Files that `.indexignore` keeps out.
    pub ignored: usize,
    /// Paths that could not be looked at.
    pub unreadable: usize,
    /// What cosines of its vectors say nothing.
    pub noise: Noise,
    /// Leaves of the file table, in order of paths.
    pub files: Vec<RowsName>,
    /// Segments, oldest first.
    pub segments: Vec<RowsName>,
    /// The number that the next chunk gets.
    pub next_no: u32,
    /// The number that the next file's name gets: a name stands for one content, however long somebody holds it.
    pub next_name: u64,
    /// The deep tier, as far as it is.
    pub deep: Deep,
}

impl Manifest {
    /// As the payload of a commit: the checksum of what follows, and a line of JSON.
    pub(super) fn to_payload(&self) -> serde_json::Result<String> {
        let json = serde_json::to_string(self)?;
        Ok(format!("{:08x} {json}", crc32fast::hash(json.as_bytes())))
    }
}

/// The JSON of a payload; `None` where its checksum does not fit it. The formats before the fourth had no checksum.
pub(super) fn json_of(payload: &str) -> Option<&str> {
    if payload.starts_with('{') {
        return Some(payload);
    }
    let (checksum, json) = payload.split_once(' ')?;
    (u32::from_str_radix(checksum, 16).ok()? == crc32fast::hash(json.as_bytes())).then_some(json)
}

/// Deep vectors of a generation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Deep {
    /// The model that made them; empty before the first.
    pub identity: String,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Mean and deviation of the model's cosines of unrelated texts.
    pub scale: (f32, f32),
    /// Files of them, oldest first.
    pub files: Vec<RowsName>,
}

/// A file of rows that a generation is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RowsName {
    /// Its name in the epoch.
    pub name: String,
    /// Rows in it: files, or chunks, live or not.
    pub rows: u32,
}
