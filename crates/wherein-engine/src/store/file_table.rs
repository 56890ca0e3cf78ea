//! The file table: every file of a root as the last commit saw it, sorted by path.

use std::path::Path;

use bytemuck::{Pod, Zeroable};

use crate::error::Result;
use crate::lang::LangId;
use crate::source::{Known, Stat};
use crate::types::SkipReason;

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

/// A file table on disk.
pub(super) struct FileTable {
    map: Mapped,
}

impl FileTable {
    pub(super) fn open(path: &Path) -> Result<FileTable> {
        let map = Mapped::open(path, MAGIC, 2)?;
        map.check::<FileRecord>(0)?;
        let table = FileTable { map };
        let heap = table.map.bytes(1);
        if std::str::from_utf8(heap).is_err() || table.records().iter().any(|r| table.place(r).is_none()) {
            return Err(table.map.damaged("paths do not fit"));
        }
        Ok(table)
    }

    fn place<'a>(&'a self, record: &FileRecord) -> Option<&'a [u8]> {
        let start = record.path_start as usize;
        self.map.bytes(1).get(start..start + record.path_len as usize)
    }

    pub(super) fn records(&self) -> &[FileRecord] {
        self.map.records(0)
    }

    pub(super) fn path(&self, index: usize) -> &str {
        self.records()
            .get(index)
            .and_then(|r| self.place(r))
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }

    pub(super) fn len(&self) -> usize {
        self.records().len()
    }

    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.map.len()
    }

    /// The place of the first path that is not before `path`.
    pub(super) fn first_from(&self, path: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.path(middle) < path { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The place of a path.
    pub(super) fn find(&self, path: &str) -> Option<usize> {
        let at = self.first_from(path);
        (at < self.len() && self.path(at) == path).then_some(at)
    }

    /// The files as the source room compares them.
    pub(super) fn known(&self) -> impl Iterator<Item = Known<'_>> {
        self.records().iter().enumerate().map(|(i, r)| Known {
            path: self.path(i),
            stat: r.stat(),
            skip: r.skip(),
        })
    }
}

/// Collects a file table in order of paths and writes it.
#[derive(Default)]
pub(super) struct FileTableBuilder {
    records: Vec<FileRecord>,
    heap: Vec<u8>,
}

impl FileTableBuilder {
    pub(super) fn push(&mut self, path: &str, mut record: FileRecord) {
        // Four gigabytes of path names are beyond any root.
        record.path_start = self.heap.len() as u32;
        record.path_len = path.len() as u32;
        self.heap.extend_from_slice(path.as_bytes());
        self.records.push(record);
    }

    pub(super) fn records(&self) -> &[FileRecord] {
        &self.records
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        mapped::write(path, MAGIC, &[bytemuck::cast_slice(&self.records), &self.heap])
    }
}
