//! Files of deep vectors: chunk numbers, scales, rows, written once. A chunk without a row has no deep vector yet.

use std::path::Path;

use crate::error::Result;

use super::levels::{Immutable, RowFile};
use super::mapped::{self, Mapped};

const MAGIC: &[u8; 8] = b"WIdeep_1";

/// Deep vectors on disk.
pub(super) struct DeepFile {
    map: Mapped,
    dimensions: usize,
}

/// Deep vectors that are not in a file yet.
#[derive(Default)]
pub(super) struct DeepRows {
    numbers: Vec<u32>,
    scales: Vec<f32>,
    vectors: Vec<i8>,
}

impl DeepFile {
    pub(super) fn scales(&self) -> &[f32] {
        self.map.records(1)
    }

    pub(super) fn vectors(&self) -> &[i8] {
        self.map.records(2)
    }

    /// A row's vector and scale.
    pub(super) fn vector(&self, row: usize) -> (&[i8], f32) {
        (&self.vectors()[row * self.dimensions..][..self.dimensions], self.scales()[row])
    }
}

impl DeepRows {
    pub(super) fn push(&mut self, no: u32, (vector, scale): (&[i8], f32)) {
        self.numbers.push(no);
        self.scales.push(scale);
        self.vectors.extend_from_slice(vector);
    }
}

impl Immutable for DeepFile {
    const PREFIX: &'static str = "deep";

    fn open(path: &Path, dimensions: usize) -> Result<DeepFile> {
        let map = Mapped::open(path, MAGIC, 3)?;
        let rows = map.check::<u32>(0)?;
        if map.check::<f32>(1)? != rows || map.check::<i8>(2)? != rows * dimensions {
            return Err(map.damaged("sections do not fit each other"));
        }
        Ok(DeepFile { map, dimensions })
    }

    fn map(&self) -> &Mapped {
        &self.map
    }

    fn rows(&self) -> usize {
        self.scales().len()
    }
}

impl RowFile for DeepFile {
    type Rows = DeepRows;

    fn numbers(&self) -> impl ExactSizeIterator<Item = u32> {
        self.map.records::<u32>(0).iter().copied()
    }

    fn copy(&self, row: usize, to: &mut DeepRows) {
        to.push(self.map.records::<u32>(0)[row], self.vector(row));
    }

    fn count(rows: &DeepRows) -> usize {
        rows.numbers.len()
    }

    fn write(rows: &DeepRows, path: &Path) -> Result<()> {
        let sections: [&[u8]; 3] = [
            bytemuck::cast_slice(&rows.numbers),
            bytemuck::cast_slice(&rows.scales),
            bytemuck::cast_slice(&rows.vectors),
        ];
        mapped::write(path, MAGIC, &sections)
    }
}
