//! Leaves of the file table: files of a root as a commit saw them, sorted by path, written once.

use std::ops::Range;
use std::path::Path;

use bytemuck::{Pod, Zeroable};

use crate::error::Result;
use crate::lang::LangId;
use crate::source::Stat;
use crate::types::SkipReason;

use super::levels::Immutable;
use super::mapped::{self, Mapped};

const MAGIC: &[u8; 8] = b"WIfiles1";

/// One file, as laid out on disk.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FileRecord {
    size: u64,
    mtime: i64,
    ctime: i64,
    inode: u64,
    hash: [u64; 2],
    /// Number of its first chunk; the others follow.
    pub first_no: u32,
    /// How many chunks it has.
    pub chunks: u32,
    path_start: u32,
    path_len: u32,
    lang: u8,
    skip: u8,
    fallback: u8,
    pad: [u8; 5],
}

impl FileRecord {
    /// A record without chunks.
    pub fn new(stat: Stat, hash: u128, lang: LangId) -> Self {
        FileRecord {
            size: stat.size,
            mtime: stat.mtime,
            ctime: stat.ctime,
            inode: stat.inode,
            // Both halves are kept whole.
            hash: [hash as u64, (hash >> 64) as u64],
            lang: lang.0,
            ..FileRecord::default()
        }
    }

    /// A record of a file that is left out.
    pub fn skipped(stat: Stat, hash: u128, reason: SkipReason) -> Self {
        FileRecord { skip: reason as u8, ..FileRecord::new(stat, hash, LangId::TEXT) }
    }

    /// What the disk said.
    pub fn stat(&self) -> Stat {
        Stat { size: self.size, mtime: self.mtime, ctime: self.ctime, inode: self.inode }
    }

    /// The same file with what the disk says now.
    #[must_use]
    pub fn with_stat(mut self, stat: Stat) -> Self {
        (self.size, self.mtime, self.ctime, self.inode) = (stat.size, stat.mtime, stat.ctime, stat.inode);
        self
    }

    /// Hash of its bytes.
    pub fn hash(&self) -> u128 {
        u128::from(self.hash[0]) | u128::from(self.hash[1]) << 64
    }

    /// Its language.
    pub fn lang(&self) -> LangId {
        LangId(self.lang)
    }

    /// Why it is left out, if it is.
    pub fn skip(&self) -> Option<SkipReason> {
        SkipReason::from_byte(self.skip)
    }

    /// Whether it was cut by lines because its syntax could not be parsed.
    pub fn is_fallback(&self) -> bool {
        self.fallback != 0
    }

    /// Notes that it was cut by lines.
    pub fn set_fallback(&mut self, fallback: bool) {
        self.fallback = u8::from(fallback);
    }
}

/// What all files of a leaf come to.
#[derive(Clone, Copy, Default)]
pub(super) struct Totals {
    /// Files that are not left out.
    pub(super) files: usize,
    /// Of them, those with chunks.
    pub(super) with_chunks: usize,
    /// Of them, those cut by lines because their syntax could not be parsed.
    pub(super) fallback: usize,
    /// Their bytes.
    pub(super) bytes: u64,
    /// Chunks of prose, and of everything else.
    pub(super) prose_chunks: usize,
    pub(super) other_chunks: usize,
    /// Files that are left out, by reason.
    pub(super) skipped: [usize; SkipReason::ALL.len()],
}

impl Totals {
    fn add(&mut self, record: &FileRecord) {
        if let Some(reason) = record.skip() {
            self.skipped[reason as usize - 1] += 1;
            return;
        }
        self.files += 1;
        self.with_chunks += usize::from(record.chunks > 0);
        self.fallback += usize::from(record.is_fallback());
        self.bytes += record.size;
        let chunks = if record.lang().is_prose() { &mut self.prose_chunks } else { &mut self.other_chunks };
        *chunks += record.chunks as usize;
    }
}

/// A leaf on disk; none is empty.
pub(super) struct Leaf {
    map: Mapped,
    totals: Totals,
}

impl Immutable for Leaf {
    const PREFIX: &'static str = "files";

    fn open(path: &Path, _dimensions: usize) -> Result<Leaf> {
        let map = Mapped::open(path, MAGIC, 2)?;
        map.check::<FileRecord>(0)?;
        let mut leaf = Leaf { map, totals: Totals::default() };
        let is_text = std::str::from_utf8(leaf.map.bytes(1)).is_ok();
        if !is_text || leaf.records().is_empty() || leaf.records().iter().any(|r| leaf.place(r).is_none()) {
            return Err(leaf.map.damaged("paths do not fit"));
        }
        let mut totals = Totals::default();
        leaf.records().iter().for_each(|record| totals.add(record));
        leaf.totals = totals;
        Ok(leaf)
    }

    fn map(&self) -> &Mapped {
        &self.map
    }

    fn rows(&self) -> usize {
        self.records().len()
    }
}

impl Leaf {
    fn place<'a>(&'a self, record: &FileRecord) -> Option<&'a [u8]> {
        let start = record.path_start as usize;
        self.map.bytes(1).get(start..start + record.path_len as usize)
    }

    pub(super) fn records(&self) -> &[FileRecord] {
        self.map.records(0)
    }

    pub(super) fn totals(&self) -> &Totals {
        &self.totals
    }

    pub(super) fn path(&self, index: usize) -> &str {
        self.records()
            .get(index)
            .and_then(|r| self.place(r))
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    /// The place of the first path that is not before `path`.
    pub(super) fn first_from(&self, path: &str) -> usize {
        let (mut low, mut high) = (0, self.rows());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.path(middle) < path { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Collects records in order of paths and writes them as leaves.
#[derive(Default)]
pub(super) struct LeafBuilder {
    records: Vec<FileRecord>,
    heap: Vec<u8>,
}

impl LeafBuilder {
    pub(super) fn push(&mut self, path: &str, mut record: FileRecord) {
        // Four gigabytes of path names are beyond any root.
        record.path_start = self.heap.len() as u32;
        record.path_len = path.len() as u32;
        self.heap.extend_from_slice(path.as_bytes());
        self.records.push(record);
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Writes some of them as a leaf.
    pub(super) fn write(&self, rows: Range<usize>, path: &Path) -> Result<()> {
        let start_of = |row: usize| self.records.get(row).map_or(self.heap.len(), |r| r.path_start as usize);
        let (from, to) = (start_of(rows.start), start_of(rows.end));
        let mut records = self.records[rows].to_vec();
        records.iter_mut().for_each(|record| record.path_start -= from as u32);
        mapped::write(path, MAGIC, &[bytemuck::cast_slice(&records), &self.heap[from..to]])
    }
}
