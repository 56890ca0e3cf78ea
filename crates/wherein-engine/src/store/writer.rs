//! Writing generations. Everything between two commits is invisible; a commit is one swap.

use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, IoContext, Result};
use crate::lexical::Field;
use crate::source::{self, Stat};
use crate::types::Chunk;
use crate::vector::{Noise, QueryVector, SAMPLE, measure_noise};

use super::deep::{DeepFile, DeepRows};
use super::files::{Changes, Files};
use super::leaf::FileRecord;
use super::levels::{self, Immutable, Live, Names, open_all};
use super::location::{Location, WriterLock, sync_folder};
use super::manifest::{Deep, Manifest};
use super::postings::{self, Document, PostingsWriter};
use super::segment::{NewLabels, Segment, SegmentBuilder, record};
use super::snapshot::{Snapshot, read_manifest};
use super::{FORMAT_VERSION, Identity, break_point};

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
    /// The same of the deep model, where it is known.
    pub deep: Option<(&'a [i8], f32)>,
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
    /// The deep model whose vectors are written.
    deep: Option<String>,
    manifest: Manifest,
    /// What the last commit holds.
    files: Files,
    segments: Vec<Arc<Segment>>,
    deep_files: Vec<Arc<DeepFile>>,
    /// Changes since.
    changes: Changes,
    rows: SegmentBuilder,
    deep_rows: DeepRows,
    postings: PostingsWriter,
    names: Names,
    /// Whether `current` must be pointed here by the last commit.
    replaces: bool,
}

impl Writer {
    /// Opens the current epoch for writing, or begins the first; what a held generation has open is not opened again. With `rebuild` a
    /// new epoch is filled beside the old one, which answers until [`Self::finish`].
    ///
    /// # Errors
    /// [`Error::Identity`] where the index was made by another version or model.
    pub(crate) fn open(
        location: &Location,
        lock: WriterLock,
        identity: &Identity,
        held: Option<&Snapshot>,
        rebuild: bool,
    ) -> Result<Writer> {
        let current = location.current()?.filter(|epoch| postings::exists(epoch));
        let (epoch, fresh) = match current {
            Some(epoch) if !rebuild => (epoch, false),
            _ => (location.new_epoch(&lock)?, true),
        };
        let payload = if fresh { None } else { postings::payload(&epoch)? };
        let manifest = match payload {
            Some(payload) => read_manifest(location, &payload, &identity.instant)?,
            None => Manifest {
                format: FORMAT_VERSION,
                identity: identity.instant.clone(),
                root: location.root.to_string_lossy().into_owned(),
                born: source::now(),
                generation: 0,
                scanned: 0,
                complete: false,
                ignored: 0,
                unreadable: 0,
                noise: Noise::default(),
                files: Vec::new(),
                segments: Vec::new(),
                next_no: 0,
                next_name: 1,
                deep: Deep::default(),
            },
        };
        let held = held.filter(|held| held.epoch == epoch && held.manifest.born == manifest.born);
        let open = held.map(Snapshot::open_files).unwrap_or_default();
        let files = Files::open(&epoch, &manifest.files, open.leaves)?;
        let segments = open_all(&epoch, &manifest.segments, open.segments, identity.dimensions)?;
        let deep_files = open_all(&epoch, &manifest.deep.files, open.deep, manifest.deep.dimensions)?;
        let replaces = fresh && rebuild && location.current()?.is_some();
        let postings = PostingsWriter::open(&epoch)?;
        if fresh && !replaces {
            location.set_current(&epoch, &lock)?;
        }
        let names = Names::new(&epoch, manifest.next_name);
        Ok(Writer {
            location: location.clone(),
            lock,
            epoch,
            dimensions: identity.dimensions,
            deep: identity.deep.clone(),
            manifest,
            files,
            segments,
            deep_files,
            changes: Changes::new(),
            rows: SegmentBuilder::default(),
            deep_rows: DeepRows::default(),
            postings,
            names,
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
            if let Some(deep) = new.deep {
                self.put_deep(no, deep);
            }
            self.postings.add(&Document { no, file: stored.first_no, text: new.fields })?;
        }
        self.changes.insert(file.path.to_owned(), Some(stored));
        Ok(())
    }

    /// Says what deep vectors are going to be stored: how long they are, and the scale of the model's cosines. Those of another
    /// model, or of another length, are dropped with the next commit.
    pub(crate) fn begin_deep(&mut self, dimensions: usize, scale: (f32, f32)) {
        let Deep { identity: known, dimensions: length, .. } = &self.manifest.deep;
        let is_other = |identity: &&String| *identity != known || dimensions != *length;
        if let Some(identity) = self.deep.as_ref().filter(is_other) {
            self.manifest.deep = Deep { identity: identity.clone(), dimensions, scale, files: Vec::new() };
            self.deep_files.clear();
        }
    }

    /// Stores the deep vector of a chunk.
    pub(crate) fn put_deep(&mut self, no: u32, vector: (&[i8], f32)) {
        debug_assert_eq!(vector.0.len(), self.manifest.deep.dimensions);
        if vector.0.len() == self.manifest.deep.dimensions {
            self.deep_rows.push(no, vector);
        }
    }

    /// Whether chunk numbers of a snapshot are those of this writer.
    pub(crate) fn continues(&self, snapshot: &Snapshot) -> bool {
        self.epoch == snapshot.epoch && self.manifest.born == snapshot.manifest.born
    }

    /// Removes a file.
    pub(crate) fn remove(&mut self, path: &str) {
        self.drop_chunks(path);
        self.changes.insert(path.to_owned(), None);
    }

    /// Notes what the disk now says of a file whose content did not change.
    pub(crate) fn touch(&mut self, path: &str, stat: Stat) {
        if let Some(record) = self.known(path) {
            self.changes.insert(path.to_owned(), Some(record.with_stat(stat)));
        }
    }

    fn known(&self, path: &str) -> Option<FileRecord> {
        match self.changes.get(path) {
            Some(record) => *record,
            None => self.files.find(path).map(|place| self.files[place]),
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
        let files = self.files.with(&self.changes, &mut self.names)?;
        let live = Live::of(&files, self.manifest.next_no);
        let rows = std::mem::take(&mut self.rows);
        self.segments = levels::add(&mut self.names, &self.segments, &rows, &live, self.dimensions)?;
        self.files = files;
        self.changes.clear();
        self.write_deep(&live)?;
        self.manifest.noise = measure_noise(&self.draw(&live), questions);
        self.manifest.scanned = scan.at;
        self.manifest.complete = scan.complete;
        self.manifest.ignored = scan.ignored;
        self.manifest.unreadable = scan.unreadable;
        self.publish()?;
        Ok(self.manifest.generation)
    }

    /// Makes the deep vectors so far part of the next generation, which is else like the last; those of chunks that are gone by
    /// now are dead rows.
    ///
    /// # Errors
    /// As [`Self::commit`].
    pub(crate) fn commit_deep(&mut self) -> Result<u64> {
        let live = Live::of(&self.files, self.manifest.next_no);
        self.write_deep(&live)?;
        self.publish()?;
        Ok(self.manifest.generation)
    }

    fn write_deep(&mut self, live: &Live) -> Result<()> {
        let new = std::mem::take(&mut self.deep_rows);
        let Deep { identity, dimensions, .. } = &self.manifest.deep;
        if self.deep.as_ref() == Some(identity) {
            self.deep_files = levels::add(&mut self.names, &self.deep_files, &new, live, *dimensions)?;
        }
        Ok(())
    }

    /// The commit point.
    fn publish(&mut self) -> Result<()> {
        sync_folder(&self.epoch)?;
        self.manifest.files = self.files.names();
        self.manifest.segments = self.segments.iter().map(|file| file.name()).collect();
        self.manifest.deep.files = self.deep_files.iter().map(|file| file.name()).collect();
        self.manifest.next_name = self.names.next();
        self.manifest.generation += 1;
        let payload = self
            .manifest
            .to_payload()
            .map_err(|e| Error::Damaged { path: self.epoch.clone(), detail: e.to_string() })?;
        break_point!("commit", &self.epoch);
        self.postings.commit(&payload)?;
        break_point!("sweep", &self.epoch);
        self.sweep()
    }

    /// Ends the writing: waits for merges and, after a rebuild, lets the new epoch answer.
    ///
    /// # Errors
    /// Where a merge or the swap fails.
    pub(crate) fn finish(self) -> Result<()> {
        self.postings.finish()?;
        break_point!("finish", &self.epoch);
        if self.replaces {
            self.location.set_current(&self.epoch, &self.lock)?;
        }
        Ok(())
    }

    /// Draws vectors of live chunks: those with the lowest ids, which are hashes, so that equal contents draw alike.
    fn draw(&self, live: &Live) -> Vec<(Vec<i8>, f32)> {
        let segments = &self.segments;
        let mut lowest: BinaryHeap<(u64, usize, usize)> = BinaryHeap::with_capacity(SAMPLE + 1);
        for (at, segment) in segments.iter().enumerate() {
            for (row, record) in segment.records().iter().enumerate() {
                if lowest.len() == SAMPLE && lowest.peek().is_some_and(|top| record.id >= top.0) {
                    continue;
                }
                if live.holds(record.no) {
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
        lowest.into_sorted_vec().into_iter().map(vector).collect()
    }

    /// Removes files of ours that the commit does not name. Readers keep what they have mapped.
    fn sweep(&self) -> Result<()> {
        for entry in std::fs::read_dir(&self.epoch).context("read", &self.epoch)? {
            let entry = entry.context("read", &self.epoch)?;
            let name = entry.file_name();
            let ours = |n: &&str| ["files-", "chunks-", "deep-"].iter().any(|prefix| n.starts_with(prefix));
            let Some(name) = name.to_str().filter(ours) else { continue };
            let Manifest { files, segments, deep, .. } = &self.manifest;
            if !files.iter().chain(segments).chain(&deep.files).any(|file| file.name == name) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

fn remove(path: &Path) -> Result<()> {
    std::fs::remove_file(path).context("remove", path)
}
