//! Chunks of one generation: their *slots*, the file of each, and how both follow from those of a generation that is held.

use std::ops::Range;
use std::sync::Arc;

use super::files::Files;
use super::leaf::Leaf;
use super::levels::Immutable;
use super::segment::{ChunkRecord, Segment};

/// The file of a slot whose chunk is gone.
pub(super) const NO_FILE: u32 = u32::MAX;

/// Segments as one run of slots: a chunk's slot is its place in all rows of all of them.
pub(super) struct Slots {
    segments: Vec<Arc<Segment>>,
    /// The slot of each segment's first row, and one past the last.
    bases: Vec<u32>,
}

impl Slots {
    pub(super) fn new(segments: Vec<Arc<Segment>>) -> Slots {
        let mut bases = vec![0u32];
        for segment in &segments {
            bases.push(bases[bases.len() - 1] + segment.rows() as u32);
        }
        Slots { segments, bases }
    }

    pub(super) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    pub(super) fn len(&self) -> usize {
        self.bases[self.bases.len() - 1] as usize
    }

    fn range(&self, segment: usize) -> Range<usize> {
        self.bases[segment] as usize..self.bases[segment + 1] as usize
    }

    /// The slot of a chunk number, dead or not.
    pub(super) fn of(&self, no: u32) -> Option<u32> {
        // Segments hold ascending, disjoint ranges of numbers.
        let after = self.segments.partition_point(|s| s.records().first().is_some_and(|r| r.no <= no));
        let segment = after.checked_sub(1)?;
        self.segments[segment].row_of(no).map(|row| self.bases[segment] + row as u32)
    }

    /// The segment of a slot, and its row there.
    pub(super) fn row(&self, slot: u32) -> (&Segment, usize) {
        let (segment, row) = self.place(slot);
        (&self.segments[segment], row)
    }

    pub(super) fn chunk(&self, slot: u32) -> &ChunkRecord {
        let (segment, row) = self.row(slot);
        &segment.records()[row]
    }

    fn place(&self, slot: u32) -> (usize, usize) {
        let segment = self.bases.partition_point(|base| *base <= slot) - 1;
        (segment, (slot - self.bases[segment]) as usize)
    }
}

/// What is known of the chunks of a generation.
pub(super) struct Chunks {
    pub(super) slots: Slots,
    /// The file of each slot.
    pub(super) file_of: Vec<u32>,
}

impl Chunks {
    /// Gives every chunk of every file its file, `before` being those of a generation that is held, and its files.
    ///
    /// # Errors
    /// The place of a file whose chunks are not there.
    pub(super) fn new(
        slots: Slots,
        files: &Files,
        before: Option<(&Chunks, &Files)>,
    ) -> Result<Chunks, usize> {
        let mut out = Chunks { file_of: vec![NO_FILE; slots.len()], slots };
        if let Some((before, files_before)) = before {
            out.follow(before, &moved(files_before, files));
        }
        let is_held =
            |leaf: &Arc<Leaf>| before.is_some_and(|(_, held)| position(held.leaves(), leaf).is_some());
        for (at, leaf) in files.leaves().iter().enumerate().filter(|(_, leaf)| !is_held(leaf)) {
            let places = files.base(at)..;
            for (place, file) in places.zip(leaf.records()).filter(|(_, file)| file.chunks > 0) {
                let first = out.slots.of(file.first_no).map(|slot| slot as usize);
                let slots = first.and_then(|first| out.file_of.get_mut(first..first + file.chunks as usize));
                slots.ok_or(place)?.fill(place as u32);
            }
        }
        Ok(out)
    }

    /// Takes over what was known of the same chunks, their files being at new places.
    fn follow(&mut self, before: &Chunks, places: &[u32]) {
        let place = |old: u32| places.get(old as usize).copied().unwrap_or(NO_FILE);
        for (at, segment) in self.slots.segments.iter().enumerate() {
            let out = &mut self.file_of[self.slots.range(at)];
            if let Some(held) = position(&before.slots.segments, segment) {
                let old = &before.file_of[before.slots.range(held)];
                out.iter_mut().zip(old).for_each(|(new, old)| *new = place(*old));
            } else {
                for (new, record) in out.iter_mut().zip(segment.records()) {
                    let old = before.slots.of(record.no).map(|slot| before.file_of[slot as usize]);
                    *new = old.map_or(NO_FILE, place);
                }
            }
        }
    }

    /// The slot of a chunk number that lives.
    pub(super) fn live(&self, no: u32) -> Option<u32> {
        self.slots.of(no).filter(|slot| self.is_live(*slot))
    }

    pub(super) fn is_live(&self, slot: u32) -> bool {
        self.file_of[slot as usize] != NO_FILE
    }

    /// Turns slots of a generation that is held into slots of this one.
    pub(super) fn moved<'a>(&'a self, before: &'a Chunks) -> Moved<'a> {
        let start = |segment| position(&self.slots.segments, segment).map(|at| self.slots.bases[at]);
        Moved { before, now: self, starts: before.slots.segments.iter().map(start).collect() }
    }
}

/// How slots of a generation that is held are called in the next.
pub(super) struct Moved<'a> {
    before: &'a Chunks,
    now: &'a Chunks,
    /// The first slot of each segment there, as it is here; `None` where the segment is no longer.
    starts: Vec<Option<u32>>,
}

impl Moved<'_> {
    /// The slot here of one there, where it lives.
    pub(super) fn live(&self, slot: u32) -> Option<u32> {
        let (segment, row) = self.before.slots.place(slot);
        let slot = match self.starts[segment] {
            Some(start) => Some(start + row as u32),
            None => self.now.slots.of(self.before.slots.segments[segment].records()[row].no),
        };
        slot.filter(|slot| self.now.is_live(*slot))
    }
}

/// The new place of each file of leaves that are in both, [`NO_FILE`] for the others.
fn moved(before: &Files, now: &Files) -> Vec<u32> {
    let mut out = vec![NO_FILE; before.len()];
    for (at, leaf) in before.leaves().iter().enumerate() {
        if let Some(kept) = position(now.leaves(), leaf) {
            let places = (now.base(kept) as u32)..;
            out[before.base(at)..][..leaf.rows()]
                .iter_mut()
                .zip(places)
                .for_each(|(out, place)| *out = place);
        }
    }
    out
}

/// Where the very same file is.
fn position<F>(files: &[Arc<F>], file: &Arc<F>) -> Option<usize> {
    files.iter().position(|other| Arc::ptr_eq(other, file))
}
