//! Writing generations. Everything between two commits is invisible; a commit is one swap.

use std::collections::{BTreeMap, BinaryHeap};
use std::path::{Path, PathBuf};

use crate::error::{Error, IoContext, Result};
use crate::lexical::Field;
use crate::source::Stat;
use crate::types::Chunk;
use crate::vector::{Noise, QueryVector, SAMPLE, measure_noise};

use super::FORMAT_VERSION;
use super::file_table::{FileRecord, FileTable, FileTableBuilder};
use super::location::{Location, WriterLock, sync_folder};
use super::manifest::{Manifest, SegmentName};
use super::postings::{self, Document, PostingsWriter};
use super::segment::{ChunkRecord, NewLabels, Segment, SegmentBuilder, record};
use super::snapshot::read_manifest;

/// A chunk ready to be stored.
pub(crate) struct NewChunk<'a> {
    /// Where it lies and what it is called.
    pub chunk: &'a Chunk,
    /// Stable while passage and path are.
    pub id: u64,
    /// Hash of what was embedded.
    pub text_hash: u128,
    /// Quantised vector and its scale.
    pub vector: (&'a [i8], f32),
    /// Text of each lexical field.
    pub fields: [&'a str; Field::ALL.len()],
}

/// A file ready to be stored.
pub(crate) struct NewFile<'a> {
    /// Relative to the root.
    pub path: &'a str,
    /// Its record; places of chunks are filled in here.
    pub record: FileRecord,
    /// Its chunks in order.
    pub chunks: Vec<NewChunk<'a>>,
}

/// What a commit says beside the files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan {
    /// When the disk was looked at, nanoseconds since 1970.
    pub at: i64,
    /// Whether everything found then is stored.
    pub complete: bool,
    /// Files that `.indexignore` keeps out.
    pub ignored: usize,
    /// Paths that could not be looked at.
    pub unreadable: usize,
}

/// Writes one root's index, holding its lock.
pub(crate) struct Writer {
    location: Location,
    lock: WriterLock,
    epoch: PathBuf,
    dimensions: usize,
    manifest: Manifest,
    base: Option<FileTable>,
    /// Changes since the last commit; `None` removes.
    overlay: BTreeMap<String, Option<FileRecord>>,
    rows: SegmentBuilder,
    postings: PostingsWriter,
    next_name: u64,
    /// Whether `current` must be pointed here by the last commit.
    replaces: bool,
}

impl Writer {
    /// Opens the current epoch for writing, or begins the first. With `rebuild` a new epoch is filled beside the old
    /// one, which answers until [`Self::finish`].
    ///
    /// # Errors
    /// [`Error::Identity`] where the index was made by another version or model.
    pub(crate) fn open(
        location: &Location,
        lock: WriterLock,
        identity: &str,
        dimensions: usize,
        rebuild: bool,
    ) -> Result<Writer> {
        let current = location.current()?.filter(|epoch| postings::exists(epoch));
        let (epoch, fresh) = match current {
            Some(epoch) if !rebuild => (epoch, false),
            _ => (location.new_epoch(&lock)?, true),
        };
        let payload = if fresh { None } else { postings::payload(&epoch)? };
        let manifest = match payload {
            Some(payload) => read_manifest(location, &payload, identity)?,
            None => Manifest {
                format: FORMAT_VERSION,
                identity: identity.to_owned(),
                root: location.root.to_string_lossy().into_owned(),
                generation: 0,
                scanned: 0,
                complete: false,
                ignored: 0,
                unreadable: 0,
                noise: Noise::default(),
                files: String::new(),
                segments: Vec::new(),
                next_no: 0,
            },
        };
        let base = if manifest.files.is_empty() {
            None
        } else {
            Some(FileTable::open(&epoch.join(&manifest.files))?)
        };
        let replaces = fresh && rebuild && location.current()?.is_some();
        let postings = PostingsWriter::open(&epoch)?;
        if fresh && !replaces {
            location.set_current(&epoch, &lock)?;
        }
        let next_name = manifest.generation + 1;
        Ok(Writer {
            location: location.clone(),
            lock,
            epoch,
            dimensions,
            manifest,
            base,
            overlay: BTreeMap::new(),
            rows: SegmentBuilder::default(),
            postings,
            next_name,
            replaces,
        })
    }

    /// Stores a file in place of what its path held before.
    ///
    /// # Errors
    /// Where the postings can't be written.
    pub(crate) fn put(&mut self, file: &NewFile<'_>) -> Result<()> {
        self.drop_chunks(file.path);
        let mut stored = file.record;
        stored.first_no = self.manifest.next_no;
        stored.chunks = file.chunks.len() as u32;
        for new in &file.chunks {
            let no = self.manifest.next_no;
            self.manifest.next_no = no.checked_add(1).ok_or_else(|| Error::Damaged {
                path: self.epoch.clone(),
                detail: "chunk numbers are used up".into(),
            })?;
            let span = (new.chunk.start as u32, new.chunk.end as u32);
            let row = record(no, new.id, new.text_hash, span, (new.chunk.start_line, new.chunk.end_line));
            let labels =
                NewLabels { kind: new.chunk.kind, symbols: &new.chunk.symbols, trail: &new.chunk.trail };
            self.rows.push(row, labels, new.vector);
            self.postings.add(&Document { no, file: stored.first_no, text: new.fields })?;
        }
        self.overlay.insert(file.path.to_owned(), Some(stored));
        Ok(())
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, path: &str) {
        self.drop_chunks(path);
        self.overlay.insert(path.to_owned(), None);
    }

    /// Notes what the disk now says of a file whose content did not change.
    pub(crate) fn touch(&mut self, path: &str, stat: Stat) {
        if let Some(record) = self.known(path) {
            self.overlay.insert(path.to_owned(), Some(record.with_stat(stat)));
        }
    }

    fn known(&self, path: &str) -> Option<FileRecord> {
        match self.overlay.get(path) {
            Some(record) => *record,
            None => self.base.as_ref().and_then(|t| t.find(path).map(|i| t.records()[i])),
        }
    }

    fn drop_chunks(&mut self, path: &str) {
        if let Some(record) = self.known(path).filter(|r| r.chunks > 0) {
            self.postings.delete_file(record.first_no);
        }
    }

    /// Makes everything so far the next generation, whose noise is measured with `questions`.
    ///
    /// # Errors
    /// Where writing fails; the generation before then still answers.
    pub(crate) fn commit(&mut self, scan: Scan, questions: &[QueryVector]) -> Result<u64> {
        let table = self.merged_table();
        self.manifest.files = self.fresh_name("files");
        table.write(&self.epoch.join(&self.manifest.files))?;
        let live = live_ranges(table.records());
        self.write_segments(&live)?;
        self.manifest.noise = measure_noise(&self.draw(&live)?, questions);
        sync_folder(&self.epoch)?;
        self.manifest.generation += 1;
        self.manifest.scanned = scan.at;
        self.manifest.complete = scan.complete;
        self.manifest.ignored = scan.ignored;
        self.manifest.unreadable = scan.unreadable;
        let payload = serde_json::to_string(&self.manifest)
            .map_err(|e| Error::Damaged { path: self.epoch.clone(), detail: e.to_string() })?;
        self.postings.commit(&payload)?;
        self.overlay.clear();
        self.base = Some(FileTable::open(&self.epoch.join(&self.manifest.files))?);
        self.sweep()?;
        Ok(self.manifest.generation)
    }

    /// Ends the writing: waits for merges and, after a rebuild, lets the new epoch answer.
    ///
    /// # Errors
    /// Where a merge or the swap fails.
    pub(crate) fn finish(self) -> Result<()> {
        self.postings.finish()?;
        if self.replaces {
            self.location.set_current(&self.epoch, &self.lock)?;
        }
        Ok(())
    }

    fn fresh_name(&mut self, what: &str) -> String {
        // Files of a commit that was killed may still lie here under names that were never committed.
        loop {
            let name = format!("{what}-{:08}", self.next_name);
            self.next_name += 1;
            if !self.epoch.join(&name).exists() {
                return name;
            }
        }
    }

    fn merged_table(&self) -> FileTableBuilder {
        let mut out = FileTableBuilder::default();
        let mut overlay = self.overlay.iter().peekable();
        let mut add = |path: &str, record: Option<FileRecord>| {
            if let Some(record) = record {
                out.push(path, record);
            }
        };
        if let Some(base) = &self.base {
            for (index, record) in base.records().iter().enumerate() {
                let path = base.path(index);
                while let Some((new, changed)) = overlay.next_if(|(new, _)| new.as_str() < path) {
                    add(new, *changed);
                }
                match overlay.next_if(|(new, _)| new.as_str() == path) {
                    Some((_, changed)) => add(path, *changed),
                    None => add(path, Some(*record)),
                }
            }
        }
        for (path, changed) in overlay {
            add(path, *changed);
        }
        out
    }

    /// Writes the new rows as a segment, and with them the youngest segments that are not much larger, so that their
    /// number stays logarithmic; rewrites segments that are mostly dead.
    fn write_segments(&mut self, live: &[(u32, u32)]) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let mut kept: Vec<SegmentName> = Vec::new();
        for old in std::mem::take(&mut self.manifest.segments) {
            let segment = Segment::open(&self.epoch.join(&old.name), self.dimensions)?;
            let alive = count_live(live, segment.records());
            if alive * 2 >= segment.records().len() && alive > 0 {
                kept.push(old);
            } else if alive > 0 {
                let mut copy = SegmentBuilder::default();
                copy_live(&mut copy, &segment, live);
                kept.push(self.write_segment(&copy)?);
            }
        }
        if rows.len() > 0 {
            let name = self.write_segment(&rows)?;
            kept.push(name);
        }
        while let [.., before, last] = kept.as_slice() {
            if u64::from(last.rows) * 2 < u64::from(before.rows) {
                break;
            }
            let mut both = SegmentBuilder::default();
            for name in [&before.name, &last.name] {
                copy_live(&mut both, &Segment::open(&self.epoch.join(name), self.dimensions)?, live);
            }
            kept.truncate(kept.len() - 2);
            if both.len() == 0 {
                break;
            }
            let name = self.write_segment(&both)?;
            kept.push(name);
        }
        self.manifest.segments = kept;
        Ok(())
    }

    /// Draws vectors of live chunks: those with the lowest ids, which are hashes, so that equal contents draw alike.
    fn draw(&self, live: &[(u32, u32)]) -> Result<Vec<(Vec<i8>, f32)>> {
        let segments = self.manifest.segments.iter();
        let segments: Vec<Segment> = segments
            .map(|s| Segment::open(&self.epoch.join(&s.name), self.dimensions))
            .collect::<Result<_>>()?;
        let mut lowest: BinaryHeap<(u64, usize, usize)> = BinaryHeap::with_capacity(SAMPLE + 1);
        for (at, segment) in segments.iter().enumerate() {
            for (row, record) in segment.records().iter().enumerate() {
                if lowest.len() == SAMPLE && lowest.peek().is_some_and(|top| record.id >= top.0) {
                    continue;
                }
                if is_live(live, record.no) {
                    lowest.push((record.id, at, row));
                    if lowest.len() > SAMPLE {
                        lowest.pop();
                    }
                }
            }
        }
        let vector = |(_, at, row): (u64, usize, usize)| {
            (segments[at].vector(row).to_vec(), segments[at].scales()[row])
        };
        Ok(lowest.into_sorted_vec().into_iter().map(vector).collect())
    }

    fn write_segment(&mut self, rows: &SegmentBuilder) -> Result<SegmentName> {
        let name = self.fresh_name("chunks");
        rows.write(&self.epoch.join(&name))?;
        Ok(SegmentName { name, rows: rows.len() as u32 })
    }

    /// Removes files of ours that the commit does not name. Readers keep what they have mapped.
    fn sweep(&self) -> Result<()> {
        for entry in std::fs::read_dir(&self.epoch).context("read", &self.epoch)? {
            let entry = entry.context("read", &self.epoch)?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|n| n.starts_with("files-") || n.starts_with("chunks-"))
            else {
                continue;
            };
            if name != self.manifest.files && !self.manifest.segments.iter().any(|s| s.name == name) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

fn remove(path: &Path) -> Result<()> {
    std::fs::remove_file(path).context("remove", path)
}

/// Ranges of live chunk numbers, ascending.
fn live_ranges(files: &[FileRecord]) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> =
        files.iter().filter(|f| f.chunks > 0).map(|f| (f.first_no, f.first_no + f.chunks)).collect();
    ranges.sort_unstable();
    ranges
}

fn is_live(live: &[(u32, u32)], no: u32) -> bool {
    let after = live.partition_point(|range| range.0 <= no);
    after.checked_sub(1).is_some_and(|i| no < live[i].1)
}

/// Live chunks of a segment. A file's chunks never lie in two segments.
fn count_live(live: &[(u32, u32)], records: &[ChunkRecord]) -> usize {
    let [first, .., last] = records else { return records.iter().filter(|r| is_live(live, r.no)).count() };
    let from = live.partition_point(|range| range.0 < first.no);
    let to = live.partition_point(|range| range.0 <= last.no);
    live[from..to].iter().map(|range| (range.1 - range.0) as usize).sum()
}

fn copy_live(to: &mut SegmentBuilder, from: &Segment, live: &[(u32, u32)]) {
    for (row, record) in from.records().iter().enumerate() {
        if is_live(live, record.no) {
            to.copy(from, row);
        }
    }
}
