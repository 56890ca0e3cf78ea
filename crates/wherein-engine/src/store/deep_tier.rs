//! The deep vectors of one generation: whose they are, and which chunk has which.

use std::path::Path;

use crate::error::Result;
use crate::types::DeepPolicy;

use super::Identity;
use super::deep::DeepFile;
use super::levels::RowFile;
use super::manifest::Deep;

/// The slot of a row whose chunk is gone.
const DEAD: u32 = u32::MAX;
/// The row of a slot that has none.
const NONE: u32 = u32::MAX;

/// Deep vectors as a reader sees them; without any where another model made them than is wanted.
pub struct DeepTier {
    policy: DeepPolicy,
    /// The model that made what is on disk; empty where nothing is.
    made_by: String,
    dimensions: usize,
    scale: (f32, f32),
    files: Vec<DeepFile>,
    /// The slot of each row of each file.
    slots: Vec<Vec<u32>>,
    /// The row of each slot, counted through all files; empty where there are no rows.
    rows: Vec<u32>,
}

impl DeepTier {
    pub(super) fn open(epoch: &Path, deep: &Deep, identity: &Identity) -> Result<DeepTier> {
        let fits = identity.deep.as_ref() == Some(&deep.identity);
        let names = if fits { &deep.files[..] } else { &[] };
        let open =
            |name: &super::manifest::SegmentName| DeepFile::open(&epoch.join(&name.name), deep.dimensions);
        Ok(DeepTier {
            policy: identity.policy,
            made_by: deep.identity.clone(),
            dimensions: deep.dimensions,
            scale: deep.scale,
            files: names.iter().map(open).collect::<Result<_>>()?,
            slots: Vec::new(),
            rows: Vec::new(),
        })
    }

    /// Finds the slot of each row.
    pub(super) fn resolve(&mut self, slots: usize, live: impl Fn(u32) -> Option<u32>) {
        if self.files.is_empty() {
            return;
        }
        self.rows = vec![NONE; slots];
        let mut row = 0;
        for file in &self.files {
            let of_rows: Vec<u32> = file.numbers().map(|no| live(no).unwrap_or(DEAD)).collect();
            for slot in &of_rows {
                if let Some(place) = self.rows.get_mut(*slot as usize) {
                    *place = row;
                }
                row += 1;
            }
            self.slots.push(of_rows);
        }
    }

    /// Which files want deep vectors.
    pub fn policy(&self) -> DeepPolicy {
        self.policy
    }

    /// The model that made the vectors on disk, if there are any; they are used only where it is the one that is wanted.
    pub fn made_by(&self) -> Option<&str> {
        Some(self.made_by.as_str()).filter(|name| !name.is_empty())
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Mean and standard deviation of the model's cosines of unrelated texts.
    pub fn scale(&self) -> (f32, f32) {
        self.scale
    }

    /// Whether no chunk has a vector that can be used.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A chunk's vector and scale.
    pub fn vector(&self, slot: u32) -> Option<(&[i8], f32)> {
        let mut row = *self.rows.get(slot as usize).filter(|row| **row != NONE)? as usize;
        for (file, slots) in self.files.iter().zip(&self.slots) {
            if row < slots.len() {
                return Some(file.vector(row));
            }
            row -= slots.len();
        }
        None
    }

    /// The runs of vectors: rows, their scales, their slots; a slot past all others is a row of a chunk that is gone.
    pub fn runs(&self) -> impl Iterator<Item = (&[i8], &[f32], &[u32])> {
        self.files.iter().zip(&self.slots).map(|(file, slots)| (file.vectors(), file.scales(), &slots[..]))
    }

    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.files.iter().map(DeepFile::bytes_on_disk).sum()
    }
}
