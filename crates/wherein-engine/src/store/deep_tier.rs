//! The deep vectors of one generation: whose they are, and which chunk has which.

use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::types::DeepPolicy;

use super::Identity;
use super::deep::DeepFile;
use super::levels::{Immutable, RowFile, open_all};
use super::manifest::Deep;
use super::slots::{Chunks, Moved, NO_FILE};

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
    files: Vec<Arc<DeepFile>>,
    /// The slot of each row of each file.
    slots: Vec<Vec<u32>>,
    /// The row of each slot, counted through all files; empty where there are no rows.
    rows: Vec<u32>,
}

impl DeepTier {
    /// Opens the deep vectors of a generation with these chunks, but for files that are held.
    pub(super) fn open(
        epoch: &Path,
        deep: &Deep,
        identity: &Identity,
        chunks: &Chunks,
        held: Option<(&DeepTier, &Moved<'_>)>,
    ) -> Result<DeepTier> {
        let fits = identity.deep.as_ref() == Some(&deep.identity);
        let names = if fits { &deep.files[..] } else { &[] };
        let open_already = held.map_or(&[][..], |(held, _)| &held.files);
        let mut out = DeepTier {
            policy: identity.policy,
            made_by: deep.identity.clone(),
            dimensions: deep.dimensions,
            scale: deep.scale,
            files: open_all(epoch, names, open_already, deep.dimensions)?,
            slots: Vec::new(),
            rows: Vec::new(),
        };
        if !out.files.is_empty() {
            out.resolve(chunks, held);
        }
        Ok(out)
    }

    /// Finds the slot of each row.
    fn resolve(&mut self, chunks: &Chunks, held: Option<(&DeepTier, &Moved<'_>)>) {
        self.rows = vec![NONE; chunks.slots.len()];
        let mut row = 0;
        for file in &self.files {
            let is_it = |other: &Arc<DeepFile>| Arc::ptr_eq(other, file);
            let before = held.and_then(|(held, moved)| {
                held.files.iter().position(is_it).map(|at| (&held.slots[at], moved))
            });
            let slots: Vec<u32> = match before {
                Some((slots, moved)) => {
                    let slot = |slot: &u32| if *slot == DEAD { None } else { moved.live(*slot) };
                    slots.iter().map(|old| slot(old).unwrap_or(DEAD)).collect()
                }
                None => file.numbers().map(|no| chunks.live(no).unwrap_or(DEAD)).collect(),
            };
            for (slot, no) in slots.iter().zip(file.numbers()) {
                // The text of a chunk that is gone may come back.
                let slot = if *slot == DEAD { chunks.slots.of(no) } else { Some(*slot) };
                if let Some(place) = slot.and_then(|slot| self.rows.get_mut(slot as usize)) {
                    *place = row;
                }
                row += 1;
            }
            self.slots.push(slots);
        }
    }

    /// Live chunks with a vector, of the files that `wants` says.
    pub(super) fn count(&self, chunks: &Chunks, wants: impl Fn(usize) -> bool) -> usize {
        let files =
            self.rows.iter().zip(&chunks.file_of).filter(|(row, _)| **row != NONE).map(|(_, file)| *file);
        files.filter(|file| *file != NO_FILE && wants(*file as usize)).count()
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

    pub(super) fn files(&self) -> &[Arc<DeepFile>] {
        &self.files
    }

    /// A chunk's vector and scale; of one that is gone too, as long as it is there.
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
        self.files.iter().map(|file| file.map().len()).sum()
    }
}
