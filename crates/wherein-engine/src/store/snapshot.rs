//! A reader's hold on one generation. Chunks are addressed by *slot*: their place in all rows of all segments.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::lang::LangId;
use crate::lexical::{Field, Posting};
use crate::source::Known;
use crate::types::{Coverage, DeepPolicy, Kind, SkipReason};
use crate::vector::Noise;

use super::deep_tier::DeepTier;
use super::file_table::{FileRecord, FileTable};
use super::levels::RowFile;
use super::location::Location;
use super::manifest::{Manifest, json_of};
use super::postings::{self, Postings};
use super::segment::{ChunkRecord, Segment};
use super::writer::Scan;
use super::{FORMAT_VERSION, Identity};

/// The file of a slot whose chunk is gone.
const NO_FILE: u32 = u32::MAX;
/// How often opening starts again because a writer replaced what it was about to open.
const OPEN_TRIES: usize = 20;

/// One generation of a root's index, unchanging while it is held.
pub struct Snapshot {
    pub(super) epoch: PathBuf,
    pub(super) manifest: Manifest,
    pub(super) files: FileTable,
    pub(super) segments: Vec<Segment>,
    /// The slot of each segment's first row, and one past the last.
    bases: Vec<u32>,
    postings: Postings,
    deep: DeepTier,
    deep_share: Option<f32>,
    /// The file of each slot.
    file_of: Vec<u32>,
    live: usize,
    /// Files with text.
    indexed: usize,
    /// Terms of each field over live chunks.
    terms: [u64; Field::ALL.len()],
    on_disk: u64,
}

impl Snapshot {
    /// Opens the last generation of a root, where it was made by `identity`.
    ///
    /// # Errors
    /// [`Error::NotIndexed`], [`Error::Format`], [`Error::Identity`], [`Error::Damaged`] or the cause of a failed read.
    pub(crate) fn open(location: &Location, identity: &Identity) -> Result<Snapshot> {
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
            match Self::open_epoch(location, &epoch, identity) {
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

    fn open_epoch(location: &Location, epoch: &Path, identity: &Identity) -> Result<Option<Snapshot>> {
        let Some((payload, postings)) = Postings::open(epoch)? else { return Ok(None) };
        let manifest = read_manifest(location, &payload, &identity.instant)?;
        let files = FileTable::open(&epoch.join(&manifest.files))?;
        let segments: Vec<Segment> = manifest
            .segments
            .iter()
            .map(|s| Segment::open(&epoch.join(&s.name), identity.dimensions))
            .collect::<Result<_>>()?;
        let deep = DeepTier::open(epoch, &manifest.deep, identity)?;
        let mut bases = vec![0u32];
        for segment in &segments {
            bases.push(bases[bases.len() - 1] + segment.records().len() as u32);
        }
        let on_disk = files.bytes_on_disk()
            + segments.iter().map(Segment::bytes_on_disk).sum::<u64>()
            + deep.bytes_on_disk()
            + folder_bytes(&epoch.join("postings"));
        let total = bases[bases.len() - 1] as usize;
        let mut snapshot = Snapshot {
            epoch: epoch.to_path_buf(),
            manifest,
            deep,
            deep_share: None,
            files,
            segments,
            bases,
            postings,
            file_of: vec![NO_FILE; total],
            live: 0,
            indexed: 0,
            terms: [0; Field::ALL.len()],
            on_disk,
        };
        snapshot.mark_live()?;
        let Snapshot { postings, segments, bases, file_of, deep, .. } = &mut snapshot;
        let live = |no| slot_of(segments, bases, no).filter(|slot| file_of[*slot as usize] != NO_FILE);
        deep.resolve(total, live);
        snapshot.terms = postings.resolve(live)?;
        snapshot.deep_share = snapshot.count_deep();
        Ok(Some(snapshot))
    }

    /// Gives every chunk of every file in the table its file.
    fn mark_live(&mut self) -> Result<()> {
        for (index, record) in self.files.records().iter().enumerate() {
            if record.chunks == 0 {
                continue;
            }
            let slot = slot_of(&self.segments, &self.bases, record.first_no);
            let range =
                slot.and_then(|s| self.file_of.get_mut(s as usize..s as usize + record.chunks as usize));
            let Some(range) = range else {
                return Err(Error::Damaged {
                    path: self.manifest.root.clone().into(),
                    detail: format!("chunks of {} are missing", self.files.path(index)),
                });
            };
            range.fill(index as u32);
            self.live += range.len();
            self.indexed += 1;
        }
        Ok(())
    }

    /// Whether it is still the last generation of its root.
    pub(crate) fn is_current(&self, location: &Location) -> bool {
        let answers = location.current().is_ok_and(|epoch| epoch.as_deref() == Some(&*self.epoch));
        let payload = || postings::payload(&self.epoch).ok().flatten();
        let last = || serde_json::from_str::<Numbered>(json_of(&payload()?)?).ok();
        answers
            && last().is_some_and(|last| {
                (last.born, last.generation) == (self.manifest.born, self.manifest.generation)
            })
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
        for file in self.files() {
            match file.skip() {
                Some(reason) => skip(reason, 1),
                None => {
                    out.files += 1;
                    out.line_fallback += usize::from(file.is_fallback());
                }
            }
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
        self.indexed
    }

    /// Slots, dead ones included.
    pub fn slots(&self) -> usize {
        self.file_of.len()
    }

    /// Terms of a field over live chunks.
    pub fn term_count(&self, field: Field) -> u64 {
        self.terms[field as usize]
    }

    /// Every file of the table, in order of paths.
    pub fn files(&self) -> &[FileRecord] {
        self.files.records()
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
        self.file_of.get(slot as usize).copied().filter(|f| *f != NO_FILE).map(|f| f as usize)
    }

    /// The slots of a file's chunks.
    pub fn slots_of(&self, file: usize) -> std::ops::Range<u32> {
        let Some(record) = self.files().get(file).filter(|r| r.chunks > 0) else { return 0..0 };
        slot_of(&self.segments, &self.bases, record.first_no)
            .map_or(0..0, |first| first..first + record.chunks)
    }

    fn place(&self, slot: u32) -> (usize, usize) {
        let segment = self.bases.partition_point(|b| *b <= slot) - 1;
        (segment, (slot - self.bases[segment]) as usize)
    }

    /// A chunk's record.
    pub fn chunk(&self, slot: u32) -> &ChunkRecord {
        let (segment, row) = self.place(slot);
        &self.segments[segment].records()[row]
    }

    /// Names that a chunk defines.
    pub fn symbols(&self, slot: u32) -> impl Iterator<Item = (Kind, &str)> {
        let (segment, row) = self.place(slot);
        self.segments[segment].labels(row).symbols()
    }

    /// Enclosing definitions or headings of a chunk.
    pub fn trail(&self, slot: u32) -> impl Iterator<Item = &str> {
        let (segment, row) = self.place(slot);
        self.segments[segment].labels(row).trail()
    }

    /// A chunk's vector and scale.
    pub fn vector(&self, slot: u32) -> (&[i8], f32) {
        let (segment, row) = self.place(slot);
        (self.segments[segment].vector(row), self.segments[segment].scales()[row])
    }

    /// The runs of vectors, in order of slots: rows and their scales.
    pub fn vectors(&self) -> impl Iterator<Item = (&[i8], &[f32])> {
        self.segments.iter().map(|s| (s.vectors(), s.scales()))
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
        let wanting = |file: &FileRecord| policy.wants(file.lang().is_prose());
        let wanted: usize = self.files().iter().filter(|f| wanting(f)).map(|f| f.chunks as usize).sum();
        let lacking: usize = (0..self.files().len()).map(|file| self.lacking_deep(file).count()).sum();
        let share = if wanted == 0 { 1.0 } else { 1.0 - lacking as f32 / wanted as f32 };
        (policy != DeepPolicy::None).then_some(share)
    }

    /// Every slot with its record, dead ones included.
    pub fn all_chunks(&self) -> impl Iterator<Item = (u32, &ChunkRecord)> {
        (0u32..).zip(self.segments.iter().flat_map(|s| s.records()))
    }

    /// Calls `visit` with each live chunk in which a term stands.
    ///
    /// # Errors
    /// [`Error::Storage`] where the postings can't be read.
    pub fn postings(&self, field: Field, term: &str, visit: impl FnMut(Posting)) -> Result<()> {
        self.postings.for_each(field, term, visit)
    }
}

fn slot_of(segments: &[Segment], bases: &[u32], no: u32) -> Option<u32> {
    // Segments hold ascending, disjoint ranges of numbers.
    let after = segments.partition_point(|s| s.records().first().is_some_and(|r| r.no <= no));
    let segment = after.checked_sub(1)?;
    segments[segment].row_of(no).map(|row| bases[segment] + row as u32)
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
