//! A reader's hold on one generation. Chunks are addressed by *slot*: their place in all rows of all segments.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::lang::LangId;
use crate::lexical::{Field, Posting};
use crate::source::{Known, Stat};
use crate::types::{Coverage, DeepPolicy, Kind, SkipReason};
use crate::vector::Noise;

use super::deep::DeepFile;
use super::deep_tier::DeepTier;
use super::files::Files;
use super::leaf::{FileRecord, Leaf, Totals};
use super::levels::{Immutable, open_all};
use super::location::Location;
use super::manifest::{Manifest, json_of};
use super::postings::{self, Postings};
use super::segment::{ChunkRecord, Segment};
use super::slots::{Chunks, NO_FILE, Slots};
use super::writer::Scan;
use super::{FORMAT_VERSION, Identity};

/// How often opening starts again because a writer replaced what it was about to open.
const OPEN_TRIES: usize = 20;

/// One generation of a root's index, unchanging while it is held.
pub struct Snapshot {
    pub(super) epoch: PathBuf,
    pub(super) manifest: Manifest,
    files: Files,
    chunks: Chunks,
    postings: Postings,
    deep: DeepTier,
    deep_share: Option<f32>,
    live: usize,
    /// Terms of each field over live chunks.
    terms: [u64; Field::ALL.len()],
    on_disk: u64,
    /// What the disk said of the file that commits replace, when that was read and found to be of this generation.
    stamp: Mutex<Option<Stat>>,
}

/// Files that a snapshot has open.
#[derive(Default)]
pub(super) struct OpenFiles<'a> {
    pub(super) leaves: &'a [Arc<Leaf>],
    pub(super) segments: &'a [Arc<Segment>],
    pub(super) deep: &'a [Arc<DeepFile>],
}

impl Snapshot {
    /// Opens the last generation of a root, where it was made by `identity`; of one that is held, what is in both is not opened again.
    ///
    /// # Errors
    /// [`Error::NotIndexed`], [`Error::Format`], [`Error::Identity`], [`Error::Damaged`] or the cause of a failed read.
    pub(crate) fn open(
        location: &Location,
        identity: &Identity,
        held: Option<&Snapshot>,
    ) -> Result<Snapshot> {
        let mut tries = 0;
        loop {
            tries += 1;
            let not_indexed = || Error::NotIndexed { path: location.root.clone() };
            let epoch = location.current()?.ok_or_else(not_indexed)?;
            if !epoch.is_dir() && tries < OPEN_TRIES {
                // A rebuild took its place between our reading of its name and our coming.
                std::thread::sleep(std::time::Duration::from_millis(tries as u64));
                continue;
            }
            if !postings::exists(&epoch) {
                let detail = "what its file `current` names is not there".to_owned();
                return Err(Error::Damaged { path: location.dir.clone(), detail });
            }
            match Self::open_epoch(location, &epoch, identity, held) {
                // A writer committed and swept between our reading of the names and of the files.
                Err(Error::Io { .. } | Error::Storage { .. }) if tries < OPEN_TRIES => {
                    std::thread::sleep(std::time::Duration::from_millis(tries as u64));
                }
                Ok(None) => return Err(not_indexed()),
                Ok(Some(snapshot)) => return Ok(snapshot),
                Err(error) => return Err(error),
            }
        }
    }

    fn open_epoch(
        location: &Location,
        epoch: &Path,
        identity: &Identity,
        held: Option<&Snapshot>,
    ) -> Result<Option<Snapshot>> {
        let Some((payload, mut postings)) = Postings::open(epoch, held.map(|held| &held.postings))? else {
            return Ok(None);
        };
        let manifest = read_manifest(location, &payload, &identity.instant)?;
        let held = held.filter(|held| held.epoch == epoch && held.manifest.born == manifest.born);
        let leaves = held.map_or(&[][..], |held| held.files.leaves());
        let files = Files::open(epoch, &manifest.files, leaves)?;
        let segments = held.map_or(&[][..], |held| held.chunks.slots.segments());
        let segments = open_all(epoch, &manifest.segments, segments, identity.dimensions)?;
        let before = held.map(|held| (&held.chunks, &held.files));
        let chunks = Chunks::new(Slots::new(segments), &files, before).map_err(|place| Error::Damaged {
            path: location.root.clone(),
            detail: format!("chunks of {} are missing", files.path(place)),
        })?;
        let moved = held.map(|held| chunks.moved(&held.chunks));
        let held = held.zip(moved.as_ref());
        let deep = held.map(|(held, moved)| (&held.deep, moved));
        let deep = DeepTier::open(epoch, &manifest.deep, identity, &chunks, deep)?;
        postings.resolve(&chunks, held.map(|(held, moved)| (&held.postings, moved)))?;
        drop(moved);
        let on_disk = files.bytes_on_disk()
            + chunks.slots.segments().iter().map(|segment| segment.map().len()).sum::<u64>()
            + deep.bytes_on_disk()
            + folder_bytes(&epoch.join("postings"));
        let live = chunks.file_of.iter().filter(|file| **file != NO_FILE).count();
        let terms = postings.terms();
        let epoch = epoch.to_path_buf();
        let mut out = Snapshot {
            epoch,
            manifest,
            files,
            chunks,
            postings,
            deep,
            deep_share: None,
            live,
            terms,
            on_disk,
            stamp: Mutex::default(),
        };
        out.deep_share = out.count_deep();
        Ok(Some(out))
    }

    /// Whether it is still the last generation of its root.
    pub(crate) fn is_current(&self, location: &Location) -> bool {
        if location.current().ok().flatten().as_deref() != Some(&*self.epoch) {
            return false;
        }
        // Each commit replaces that file: the very same one holds the very same generation.
        let stamp = postings::stamp(&self.epoch);
        let mut known = self.stamp.lock().unwrap_or_else(PoisonError::into_inner);
        if stamp.is_some() && stamp == *known {
            return true;
        }
        let payload = || postings::payload(&self.epoch).ok().flatten();
        let last = || serde_json::from_str::<Numbered>(json_of(&payload()?)?).ok();
        let is_current = last().is_some_and(|last| {
            (last.born, last.generation) == (self.manifest.born, self.manifest.generation)
        });
        *known = stamp.filter(|_| is_current);
        is_current
    }

    /// The files it has open.
    pub(super) fn open_files(&self) -> OpenFiles<'_> {
        OpenFiles {
            leaves: self.files.leaves(),
            segments: self.chunks.slots.segments(),
            deep: self.deep.files(),
        }
    }

    /// The folder of its epoch.
    pub(crate) fn epoch(&self) -> &Path {
        &self.epoch
    }

    /// Counts commits.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// False while a first index has more to add.
    pub fn is_complete(&self) -> bool {
        self.manifest.complete
    }

    /// When the disk was last looked at, nanoseconds since 1970.
    pub fn scanned(&self) -> i64 {
        self.manifest.scanned
    }

    /// What cosines of its vectors say nothing.
    pub fn noise(&self) -> Noise {
        self.manifest.noise
    }

    /// What it covers.
    pub fn coverage(&self) -> Coverage {
        let mut out = Coverage {
            chunks: self.live,
            generation: self.manifest.generation,
            partial: !self.manifest.complete,
            deep: self.deep_share(),
            ..Coverage::default()
        };
        let mut skip = |reason: SkipReason, count: usize| {
            if count > 0 {
                *out.skipped.entry(reason.as_str()).or_default() += count;
            }
        };
        for totals in self.files.totals() {
            out.files += totals.files;
            out.line_fallback += totals.fallback;
            SkipReason::ALL.iter().zip(totals.skipped).for_each(|((reason, _), count)| skip(*reason, count));
        }
        skip(SkipReason::IndexIgnored, self.manifest.ignored);
        skip(SkipReason::Unreadable, self.manifest.unreadable);
        out
    }

    /// Bytes of the index on disk.
    pub fn bytes_on_disk(&self) -> u64 {
        self.on_disk
    }

    /// Live chunks.
    pub fn chunk_count(&self) -> usize {
        self.live
    }

    /// Files with live chunks.
    pub fn indexed(&self) -> usize {
        self.files.totals().map(|totals| totals.with_chunks).sum()
    }

    /// Bytes of the files that are not left out.
    pub fn source_bytes(&self) -> u64 {
        self.files.totals().map(|totals| totals.bytes).sum()
    }

    /// Slots, dead ones included.
    pub fn slots(&self) -> usize {
        self.chunks.slots.len()
    }

    /// Terms of a field over live chunks.
    pub fn term_count(&self, field: Field) -> u64 {
        self.terms[field as usize]
    }

    /// Every file of the table, in order of paths.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// A file's path.
    pub fn path(&self, file: usize) -> &str {
        self.files.path(file)
    }

    /// The place of a path.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.files.find(path)
    }

    /// Whether some file's path begins with `folder`, which ends with a slash.
    pub fn has_folder(&self, folder: &str) -> bool {
        let at = self.files.first_from(folder);
        at < self.files().len() && self.path(at).starts_with(folder)
    }

    /// The files as the source room compares them.
    pub fn known(&self) -> impl Iterator<Item = Known<'_>> {
        self.files.known()
    }

    /// One of them.
    pub fn known_at(&self, file: usize) -> Option<Known<'_>> {
        let record = self.files().get(file)?;
        Some(Known { path: self.path(file), stat: record.stat(), skip: record.skip() })
    }

    /// What the last look at the disk found.
    pub(crate) fn scan(&self) -> Scan {
        let Manifest { scanned, complete, ignored, unreadable, .. } = self.manifest;
        Scan { at: scanned, complete, ignored, unreadable }
    }

    /// A file's language.
    pub fn language(&self, file: usize) -> LangId {
        self.files().get(file).map_or(LangId::TEXT, FileRecord::lang)
    }

    /// The file of a live slot.
    pub fn file_of(&self, slot: u32) -> Option<usize> {
        self.chunks.file_of.get(slot as usize).copied().filter(|f| *f != NO_FILE).map(|f| f as usize)
    }

    /// The slots of a file's chunks.
    pub fn slots_of(&self, file: usize) -> std::ops::Range<u32> {
        let Some(record) = self.files().get(file).filter(|r| r.chunks > 0) else { return 0..0 };
        self.chunks.slots.of(record.first_no).map_or(0..0, |first| first..first + record.chunks)
    }

    /// A chunk's record.
    pub fn chunk(&self, slot: u32) -> &ChunkRecord {
        self.chunks.slots.chunk(slot)
    }

    /// Names that a chunk defines.
    pub fn symbols(&self, slot: u32) -> impl Iterator<Item = (Kind, &str)> {
        let (segment, row) = self.chunks.slots.row(slot);
        segment.labels(row).symbols()
    }

    /// Enclosing definitions or headings of a chunk.
    pub fn trail(&self, slot: u32) -> impl Iterator<Item = &str> {
        let (segment, row) = self.chunks.slots.row(slot);
        segment.labels(row).trail()
    }

    /// A chunk's vector and scale.
    pub fn vector(&self, slot: u32) -> (&[i8], f32) {
        let (segment, row) = self.chunks.slots.row(slot);
        (segment.vector(row), segment.scales()[row])
    }

    /// The runs of vectors, in order of slots: rows and their scales.
    pub fn vectors(&self) -> impl Iterator<Item = (&[i8], &[f32])> {
        self.chunks.slots.segments().iter().map(|s| (s.vectors(), s.scales()))
    }

    /// The deep vectors.
    pub fn deep(&self) -> &DeepTier {
        &self.deep
    }

    /// Slots of a file that want a deep vector and have none.
    pub fn lacking_deep(&self, file: usize) -> impl Iterator<Item = u32> {
        let wants = self.deep.policy().wants(self.language(file).is_prose());
        let slots = if wants { self.slots_of(file) } else { 0..0 };
        slots.filter(|slot| self.deep.vector(*slot).is_none())
    }

    /// Whether a chunk wants a deep vector and has none.
    pub fn lacks_deep(&self) -> bool {
        self.deep_share.is_some_and(|share| share < 1.0)
    }

    /// Share of the chunks that want deep vectors that have one; `None` where none is wanted.
    pub fn deep_share(&self) -> Option<f32> {
        self.deep_share
    }

    fn count_deep(&self) -> Option<f32> {
        let policy = self.deep.policy();
        let of_kind = |prose, chunks| if policy.wants(prose) { chunks } else { 0 };
        let in_leaf =
            |totals: &Totals| of_kind(true, totals.prose_chunks) + of_kind(false, totals.other_chunks);
        let wanted: usize = self.files.totals().map(in_leaf).sum();
        let there = self.deep.count(&self.chunks, |file| policy.wants(self.language(file).is_prose()));
        let share = if wanted == 0 { 1.0 } else { there as f32 / wanted as f32 };
        (policy != DeepPolicy::None).then_some(share)
    }

    /// Every slot with its record, dead ones included.
    pub fn all_chunks(&self) -> impl Iterator<Item = (u32, &ChunkRecord)> {
        (0u32..).zip(self.chunks.slots.segments().iter().flat_map(|s| s.records()))
    }

    /// Calls `visit` with each live chunk in which a term stands.
    ///
    /// # Errors
    /// [`Error::Storage`] where the postings can't be read.
    pub fn postings(&self, field: Field, term: &str, visit: impl FnMut(Posting)) -> Result<()> {
        self.postings.for_each(field, term, visit)
    }
}

/// Reads a payload and refuses what this program did not write.
pub(super) fn read_manifest(location: &Location, payload: &str, identity: &str) -> Result<Manifest> {
    let detailed = |detail: String| Error::Damaged { path: location.dir.clone(), detail };
    let damaged = |e: serde_json::Error| detailed(e.to_string());
    let payload = json_of(payload)
        .ok_or_else(|| detailed("the checksum of the last commit does not fit its content".to_owned()))?;
    // Another version may have had other fields; these two it had.
    let Made { format, identity: made } = serde_json::from_str(payload).map_err(damaged)?;
    if format != FORMAT_VERSION {
        return Err(Error::Format { path: location.root.clone(), found: format, wanted: FORMAT_VERSION });
    }
    if made != identity {
        let (found, wanted) = (made, identity.to_owned());
        return Err(Error::Identity { path: location.root.clone(), found, wanted });
    }
    serde_json::from_str(payload).map_err(damaged)
}

/// What tells whether the rest of a payload can be read.
#[derive(serde::Deserialize)]
struct Made {
    format: u32,
    identity: String,
}

/// Which generation a payload is of.
#[derive(serde::Deserialize)]
struct Numbered {
    born: i64,
    generation: u64,
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_another_version_is_named_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::new(folder.path(), folder.path());
        let error = read_manifest(&location, r#"{"format": 1, "identity": "x"}"#, "x").unwrap_err();
        assert_eq!(error.kind(), "format", "{error}");
        let other = format!(r#"{{"format": {FORMAT_VERSION}, "identity": "y"}}"#);
        let error = read_manifest(&location, &other, "x").unwrap_err();
        assert_eq!(error.kind(), "identity", "{error}");
        let error = read_manifest(&location, "{", "x").unwrap_err();
        assert_eq!(error.kind(), "damaged", "{error}");
    }
}
