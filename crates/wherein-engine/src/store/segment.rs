//! Segments: chunk records with their vectors, written once, in ascending order of chunk numbers.

use std::path::Path;

use bytemuck::{Pod, Zeroable};

use crate::error::Result;
use crate::types::{Kind, Symbol};

use super::levels::{Immutable, RowFile};
use super::mapped::{self, Mapped};

const MAGIC: &[u8; 8] = b"WIchunk1";

/// One chunk, as laid out on disk.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub struct ChunkRecord {
    /// Stable while passage and path are.
    pub id: u64,
    text_hash: [u64; 2],
    /// Never given twice in an epoch.
    pub no: u32,
    /// First byte in the file's text.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    labels_start: u32,
    symbols_len: u16,
    trail_len: u16,
    kind: u8,
    pad: [u8; 3],
}

impl ChunkRecord {
    /// Hash of what was embedded: the key under which a vector can be used again.
    pub fn text_hash(&self) -> u128 {
        u128::from(self.text_hash[0]) | u128::from(self.text_hash[1]) << 64
    }

    /// What the passage is.
    pub fn kind(&self) -> Kind {
        Kind::from_byte(self.kind)
    }
}

/// Names and headings of a chunk, as stored: a symbol a line with its kind's byte before it; a trail entry a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels<'a> {
    pub symbols: &'a str,
    pub trail: &'a str,
}

impl<'a> Labels<'a> {
    pub(super) fn symbols(self) -> impl Iterator<Item = (Kind, &'a str)> {
        self.symbols.lines().filter_map(|line| {
            let mut chars = line.chars();
            let kind = u8::try_from(u32::from(chars.next()?)).ok()?.checked_sub(b'A')?;
            Some((Kind::from_byte(kind), chars.as_str()))
        })
    }

    pub(super) fn trail(self) -> impl Iterator<Item = &'a str> {
        self.trail.lines()
    }
}

/// A segment on disk.
pub(super) struct Segment {
    map: Mapped,
    dimensions: usize,
}

impl Immutable for Segment {
    const PREFIX: &'static str = "chunks";

    fn open(path: &Path, dimensions: usize) -> Result<Segment> {
        let map = Mapped::open(path, MAGIC, 4)?;
        let rows = map.check::<ChunkRecord>(0)?;
        let fits = map.check::<f32>(1)? == rows && map.check::<i8>(2)? == rows * dimensions;
        if !fits || std::str::from_utf8(map.bytes(3)).is_err() {
            return Err(map.damaged("sections do not fit each other"));
        }
        Ok(Segment { map, dimensions })
    }

    fn map(&self) -> &Mapped {
        &self.map
    }

    fn rows(&self) -> usize {
        self.records().len()
    }
}

impl RowFile for Segment {
    type Rows = SegmentBuilder;

    fn numbers(&self) -> impl ExactSizeIterator<Item = u32> {
        self.records().iter().map(|record| record.no)
    }

    fn copy(&self, row: usize, to: &mut SegmentBuilder) {
        to.push_raw(self.records()[row], self.labels(row), (self.vector(row), self.scales()[row]));
    }

    fn count(rows: &SegmentBuilder) -> usize {
        rows.records.len()
    }

    fn write(rows: &SegmentBuilder, path: &Path) -> Result<()> {
        let sections: [&[u8]; 4] = [
            bytemuck::cast_slice(&rows.records),
            bytemuck::cast_slice(&rows.scales),
            bytemuck::cast_slice(&rows.vectors),
            &rows.heap,
        ];
        mapped::write(path, MAGIC, &sections)
    }
}

impl Segment {
    pub(super) fn records(&self) -> &[ChunkRecord] {
        self.map.records(0)
    }

    pub(super) fn scales(&self) -> &[f32] {
        self.map.records(1)
    }

    pub(super) fn vectors(&self) -> &[i8] {
        self.map.records(2)
    }

    pub(super) fn vector(&self, row: usize) -> &[i8] {
        self.vectors().get(row * self.dimensions..(row + 1) * self.dimensions).unwrap_or_default()
    }

    pub(super) fn labels(&self, row: usize) -> Labels<'_> {
        let slice = |from: usize, length: usize| {
            self.map
                .bytes(3)
                .get(from..from + length)
                .and_then(|b| std::str::from_utf8(b).ok())
                .unwrap_or_default()
        };
        let Some(record) = self.records().get(row) else { return Labels { symbols: "", trail: "" } };
        let start = record.labels_start as usize;
        let symbols_len = usize::from(record.symbols_len);
        Labels {
            symbols: slice(start, symbols_len),
            trail: slice(start + symbols_len, usize::from(record.trail_len)),
        }
    }

    /// The row of a chunk number.
    pub(super) fn row_of(&self, no: u32) -> Option<usize> {
        let records = self.records();
        // Right away where nothing was dropped from the segment.
        let direct = no.checked_sub(records.first()?.no)? as usize;
        if records.get(direct).is_some_and(|r| r.no == no) {
            return Some(direct);
        }
        records.binary_search_by_key(&no, |r| r.no).ok()
    }
}

/// Collects chunks in ascending order of their numbers and writes them.
#[derive(Default)]
pub(super) struct SegmentBuilder {
    records: Vec<ChunkRecord>,
    scales: Vec<f32>,
    vectors: Vec<i8>,
    heap: Vec<u8>,
}

impl SegmentBuilder {
    /// Adds a chunk; `record` comes with its places and identity, labels and kind are filled in here.
    pub(super) fn push(&mut self, mut record: ChunkRecord, labels: NewLabels<'_>, vector: (&[i8], f32)) {
        record.kind = labels.kind as u8;
        let mut symbols = String::new();
        for symbol in labels.symbols {
            add_line(&mut symbols, Some(char::from(b'A' + symbol.kind as u8)), &symbol.name);
        }
        let mut trail = String::new();
        for heading in labels.trail {
            add_line(&mut trail, None, heading);
        }
        self.push_raw(record, Labels { symbols: &symbols, trail: &trail }, vector);
    }

    fn push_raw(&mut self, mut record: ChunkRecord, labels: Labels<'_>, (vector, scale): (&[i8], f32)) {
        record.labels_start = self.heap.len() as u32;
        record.symbols_len = labels.symbols.len() as u16;
        record.trail_len = labels.trail.len() as u16;
        self.heap.extend_from_slice(labels.symbols.as_bytes());
        self.heap.extend_from_slice(labels.trail.as_bytes());
        self.records.push(record);
        self.scales.push(scale);
        self.vectors.extend_from_slice(vector);
    }
}

/// What a chunk is called.
#[derive(Clone, Copy)]
pub(super) struct NewLabels<'a> {
    pub kind: Kind,
    pub symbols: &'a [Symbol],
    pub trail: &'a [String],
}

/// Most bytes of the names, or of the trail, of one chunk.
const MAX_LABEL_BYTES: usize = 8_000;

fn add_line(out: &mut String, tag: Option<char>, line: &str) {
    if out.len() + line.len() + 2 <= MAX_LABEL_BYTES {
        out.extend(tag);
        out.extend(line.chars().map(|c| if c.is_control() { ' ' } else { c }));
        out.push('\n');
    }
}

/// A record's fields that the index flow knows.
pub(super) fn record(no: u32, id: u64, text_hash: u128, span: (u32, u32), lines: (u32, u32)) -> ChunkRecord {
    ChunkRecord {
        id,
        text_hash: [text_hash as u64, (text_hash >> 64) as u64],
        no,
        start: span.0,
        end: span.1,
        start_line: lines.0,
        end_line: lines.1,
        ..ChunkRecord::default()
    }
}
