//! One run: prepare on all threads, store on one, commit as it goes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::chunk::worker::Pool;
use crate::config::Config;
use crate::error::Result;
use crate::source::{self, ChangeSet, Pending};
use crate::store::{FileRecord, Location, NewFile, Scan, Snapshot, Writer, WriterLock};
use crate::types::{Cancel, SkipReason};

use super::prepare::{Outcome, Preparer};
use super::questions;
use super::{Event, Options, Plan, Report, identity, report, thread_pool};

/// A first index is committed at least this often.
const COMMIT_EVERY: Duration = Duration::from_millis(1800);
/// And after this many files.
const COMMIT_FILES: usize = 5000;
/// Files for which another thread, and another parser, is worth its start.
const FILES_A_THREAD: usize = 4;
/// Prepared files that may wait for the writer.
const QUEUE: usize = 64;

/// One run with what it needs.
pub(super) struct Flow<'a> {
    pub(super) location: &'a Location,
    pub(super) config: &'a Config,
    pub(super) options: &'a Options,
    pub(super) cancel: &'a Cancel,
    pub(super) events: &'a mut dyn FnMut(Event<'_>),
    pub(super) report: &'a mut Report,
    /// An index whose vectors may be used again.
    pub(super) donor: Option<&'a Snapshot>,
}

impl Flow<'_> {
    /// Brings the store to what the plan found, committing as it goes.
    pub(super) fn apply(&mut self, plan: Plan, known: Option<&Snapshot>, lock: WriterLock) -> Result<()> {
        let identity = identity(self.config)?;
        let mut writer = Writer::open(self.location, lock, &identity, known, self.options.rebuild)?;
        if let Some(deep) = self.donor.map(Snapshot::deep).filter(|deep| !deep.is_empty()) {
            writer.begin_deep(deep.dimensions(), deep.scale());
        }
        let Plan { mut changes, mut scan, listed, unreadable } = plan;
        if self.options.force {
            self.redo_unchanged(&mut changes, known);
        }
        self.report.unchanged = report::unchanged(known, &changes);
        let mut changed = known.is_some_and(|known| known.scan().unreadable != scan.unreadable);
        self.report.note_closed(unreadable, self.events);
        for place in &changes.removed {
            if let Some(path) = known.map(|k| k.path(*place)) {
                writer.remove(path);
                self.report.deleted += 1;
                (self.events)(Event::Deleted { path });
                changed = true;
            }
        }
        for file in &changes.skipped {
            if let Some(reason) = file.found.skip {
                self.store_skip(&mut writer, file, 0, reason)?;
                changed = true;
            }
        }
        let total = changes.pending.len();
        if let Some(limit) = self.options.max_files {
            self.report.truncated = total > limit;
            changes.pending.truncate(limit);
        }
        // The largest first, so that no thread is left alone with one of them at the end.
        changes.pending.sort_by_key(|file| std::cmp::Reverse(file.found.stat.size));
        (self.events)(Event::Planned { files: listed, pending: changes.pending.len() });
        changed |= self.process(&changes.pending, known, &mut writer, scan)?;
        self.report.pending += total - changes.pending.len();
        self.report.truncated |= self.report.pending > 0;
        let is_whole = (self.options.within.is_empty() && self.options.only.is_empty()) || scan.complete;
        scan.complete = is_whole && !self.cancel.is_cancelled() && !self.report.truncated;
        if changed || known.is_none_or(|k| !k.is_complete()) {
            let generation = writer.commit(scan, questions::vectors())?;
            (self.events)(Event::Committed { generation });
        }
        writer.finish()
    }

    /// `--force`: files that look unchanged are read again.
    fn redo_unchanged(&self, changes: &mut ChangeSet, known: Option<&Snapshot>) {
        let Some(known) = known else { return };
        for place in std::mem::take(&mut changes.unchanged) {
            let record = known.files()[place];
            let path = known.path(place).to_owned();
            let skip = record.skip().filter(|_| {
                source::skip_by_name(&path).is_some() || record.skip() == Some(SkipReason::TooLarge)
            });
            let found = source::Found { path, stat: record.stat(), skip };
            let list = if skip.is_some() { &mut changes.skipped } else { &mut changes.pending };
            list.push(Pending { found, known: Some(place) });
        }
        changes.pending.sort_by(|a, b| a.found.path.cmp(&b.found.path));
    }

    /// Prepares files on all threads and stores them on this one. Says whether anything was stored.
    fn process(
        &mut self,
        pending: &[Pending],
        known: Option<&Snapshot>,
        writer: &mut Writer,
        scan: Scan,
    ) -> Result<bool> {
        if pending.is_empty() {
            return Ok(false);
        }
        let pool = Pool::new(self.config.worker.clone());
        let vectors = OnceLock::new();
        let preparer = Preparer {
            root: &self.location.root,
            config: self.config,
            parsers: &pool,
            known,
            donor: self.donor,
            vectors: &vectors,
            files: pending.len(),
            force: self.options.force,
        };
        let threads = self.threads_for(pending.len());
        let threads = thread_pool(rayon::ThreadPoolBuilder::new(), threads, &self.location.root)?;
        let (cancel, until) = (self.cancel, self.options.until);
        // Storing that failed ends this run alone; whoever gave the word to stop by may have other runs.
        let has_failed = AtomicBool::new(false);
        let is_over = || {
            has_failed.load(Ordering::Relaxed)
                || cancel.is_cancelled()
                || until.is_some_and(|until| Instant::now() >= until)
        };
        let (send, prepared) = sync_channel::<(usize, Outcome)>(QUEUE);
        std::thread::scope(|scope| {
            let is_over = &is_over;
            scope.spawn(move || {
                threads.install(|| {
                    pending.par_iter().enumerate().with_max_len(1).for_each_with(
                        send,
                        |send, (place, file)| {
                            if !is_over() {
                                // Nobody listens any more where storing failed; that error is what the run returns.
                                drop(send.send((place, preparer.prepare(file))));
                            }
                        },
                    );
                });
            });
            let stored = self.store_all(prepared.into_iter(), pending, writer, scan);
            has_failed.store(stored.is_err(), Ordering::Relaxed);
            stored
        })
    }

    /// A thread waits while its parser's process works, so there is one more for two cores; a few files need few.
    fn threads_for(&self, files: usize) -> usize {
        let cores = self.options.threads.unwrap_or(self.config.threads).max(1);
        let threads = if self.config.worker.is_some() { cores + cores.div_ceil(2) } else { cores };
        threads.min(files.div_ceil(FILES_A_THREAD)).max(1)
    }

    fn store_all(
        &mut self,
        prepared: impl Iterator<Item = (usize, Outcome)>,
        pending: &[Pending],
        writer: &mut Writer,
        scan: Scan,
    ) -> Result<bool> {
        let mut changed = false;
        let mut last_commit = Instant::now();
        let mut since = 0;
        self.report.pending += pending.len();
        for (done, (place, prepared)) in prepared.enumerate() {
            changed |= self.store(writer, &pending[place], prepared)?;
            self.report.pending -= 1;
            (self.events)(Event::Progress {
                done: done + 1,
                total: pending.len(),
                path: &pending[place].found.path,
            });
            since += 1;
            if (last_commit.elapsed() >= COMMIT_EVERY || since >= COMMIT_FILES)
                && done + 1 < pending.len()
                && changed
            {
                let generation = writer.commit(Scan { complete: false, ..scan }, questions::vectors())?;
                (self.events)(Event::Committed { generation });
                last_commit = Instant::now();
                since = 0;
            }
        }
        Ok(changed)
    }

    /// Stores one prepared file; says whether the index changes by it.
    fn store(&mut self, writer: &mut Writer, file: &Pending, outcome: Outcome) -> Result<bool> {
        let path = file.found.path.as_str();
        match outcome {
            Outcome::Indexed(indexed) => {
                let chunks = indexed.chunks();
                self.report.indexed += 1;
                self.report.chunks_written += chunks;
                self.report.vectors_reused += indexed.reused;
                self.report.fallback += usize::from(indexed.fallback);
                writer.put(&indexed.as_new_file(path))?;
                (self.events)(Event::Indexed { path, chunks });
                Ok(true)
            }
            Outcome::Same { stat } => {
                self.report.touched += 1;
                writer.touch(path, stat);
                Ok(true)
            }
            Outcome::Skipped { reason, hash, stat } => {
                let mut now = file.clone();
                now.found.stat = stat;
                self.store_skip(writer, &now, hash, reason)?;
                Ok(true)
            }
            Outcome::Gone => {
                if file.known.is_some() {
                    writer.remove(path);
                    self.report.deleted += 1;
                    (self.events)(Event::Deleted { path });
                }
                Ok(file.known.is_some())
            }
            Outcome::Failed { message, was_unreadable } => {
                (self.events)(Event::Failed { path, message: &message });
                self.report.failed.push((path.to_owned(), message));
                if !was_unreadable {
                    self.store_skip(writer, file, 0, SkipReason::Unreadable)?;
                }
                Ok(!was_unreadable)
            }
        }
    }

    fn store_skip(
        &mut self,
        writer: &mut Writer,
        file: &Pending,
        hash: u128,
        reason: SkipReason,
    ) -> Result<()> {
        let record = FileRecord::skipped(file.found.stat, hash, reason);
        (self.events)(Event::Skipped { path: &file.found.path, reason });
        writer.put(&NewFile { path: &file.found.path, record, chunks: Vec::new() })
    }
}
