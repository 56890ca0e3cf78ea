//! The indexing flow: list → compare → read, extract, chunk, embed in parallel → store → commit, as it goes.
//!
//! It owns order, batching and what a failure of one file means (that file only). It never answers queries.

mod prepare;
mod report;
mod why;

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;

use crate::chunk::worker::Pool;
use crate::config::Config;
use crate::embed::{Embedder, StaticModel};
use crate::error::{Error, Result};
use crate::source::{self, ChangeSet, Pending};
use crate::store::{Location, Scan, Snapshot, Writer, WriterLock};
use crate::types::SkipReason;

pub use report::{Event, Report};
pub(crate) use why::why;

use prepare::{Outcome, Prepared, Preparer};

/// A first index is committed at least this often.
const COMMIT_EVERY: Duration = Duration::from_millis(1800);
/// And after this many files.
const COMMIT_FILES: usize = 5000;
/// Files for which another thread, and another parser, is worth its start.
const FILES_A_THREAD: usize = 4;
/// Prepared files that may wait for the writer.
const QUEUE: usize = 64;

/// What a run is asked to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Process every file, changed or not.
    pub force: bool,
    /// Build a new index beside the old one and swap.
    pub rebuild: bool,
    /// Process at most this many files.
    pub max_files: Option<usize>,
    /// How long to wait for another writer.
    pub lock_wait: Duration,
    /// Believe an empty folder that held files before.
    pub prune_empty: bool,
}

/// Tells a run to stop at the next file; what is done by then is committed.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// A token that nobody has used.
    pub const fn new() -> Self {
        Cancel(AtomicBool::new(false))
    }

    /// Asks for the stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What the disk and the index differ in.
pub(crate) struct Plan {
    changes: ChangeSet,
    scan: Scan,
    /// Total files listed.
    listed: usize,
}

impl Plan {
    /// Whether the index is up to date.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// Names everything that a vector depends on.
pub(crate) fn identity(config: &Config) -> String {
    format!(
        "{}, chunker {} of {}/{} pieces",
        StaticModel::get().identity(),
        crate::chunk::CHUNKER_VERSION,
        config.limits.code_pieces,
        config.limits.prose_pieces
    )
}

/// Opens the generation that answers for a root.
///
/// # Errors
/// As [`Snapshot::open`].
pub(crate) fn snapshot(location: &Location, config: &Config) -> Result<Snapshot> {
    Snapshot::open(location, &identity(config), StaticModel::get().dimensions())
}

/// Looks at the disk and says what differs from a snapshot.
///
/// # Errors
/// As [`source::list`].
pub(crate) fn plan(location: &Location, config: &Config, known: Option<&Snapshot>) -> Result<Plan> {
    let looked = now();
    let mut listing = source::list(&location.root, config)?;
    let at = source::settle(&location.root, &mut listing, looked, now);
    let scan = Scan { at, complete: true, ignored: listing.ignored, unreadable: listing.unreadable.len() };
    let listed = listing.files.len();
    let changes = match known {
        Some(known) => source::compare(listing, known.known(), known.scanned()),
        None => source::compare(listing, std::iter::empty(), 0),
    };
    Ok(Plan { changes, scan, listed })
}

/// Brings a root's index up to date, taking the lock only where something changed.
///
/// # Errors
/// [`Error::Locked`] while another process writes; [`Error::Cancelled`] after committing what was done; failures of the
/// list or of the store. A file that can't be read is in the report instead.
pub(crate) fn run(
    location: &Location,
    config: &Config,
    options: Options,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<Report> {
    let begin = Instant::now();
    let known = if options.rebuild { None } else { existing(location, config)? };
    let first_plan = plan(location, config, known.as_ref())?;
    let mut report = Report::default();
    let settled =
        known.as_ref().is_some_and(Snapshot::is_complete) && !options.force && first_plan.is_empty();
    if settled {
        report.describe(known.as_ref(), &first_plan.changes, begin);
        return Ok(report);
    }
    let lock = location.lock(options.lock_wait)?;
    // Another process may have written while we looked and waited.
    let generation = known.as_ref().map(Snapshot::generation);
    let known = if options.rebuild { None } else { existing(location, config)? };
    let plan = if known.as_ref().map(Snapshot::generation) == generation {
        first_plan
    } else {
        plan(location, config, known.as_ref())?
    };
    refuse_vanished(location, &plan, known.as_ref(), options)?;
    let mut flow = Flow { location, config, options, cancel, events, report };
    flow.apply(plan, known.as_ref(), lock)?;
    report = flow.report;
    let now = snapshot(location, config)?;
    report.finish(&now, begin);
    if cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(report) }
}

/// The snapshot, or `None` before the first commit.
fn existing(location: &Location, config: &Config) -> Result<Option<Snapshot>> {
    match snapshot(location, config) {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(Error::NotIndexed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A folder that is suddenly empty is more likely an unmounted disk than a wish to forget everything.
fn refuse_vanished(
    location: &Location,
    plan: &Plan,
    known: Option<&Snapshot>,
    options: Options,
) -> Result<()> {
    let had = known.map_or(0, |k| k.files().len());
    if plan.listed == 0 && had > 0 && !options.prune_empty {
        return Err(Error::Refused {
            path: location.root.clone(),
            reason: "the folder is empty but its index is not; is the disk mounted? `wherein index --prune-empty` forgets its files",
        });
    }
    Ok(())
}

/// One run with what it needs.
struct Flow<'a> {
    location: &'a Location,
    config: &'a Config,
    options: Options,
    cancel: &'a Cancel,
    events: &'a mut dyn FnMut(Event<'_>),
    report: Report,
}

impl Flow<'_> {
    fn apply(&mut self, plan: Plan, known: Option<&Snapshot>, lock: WriterLock) -> Result<()> {
        let model = StaticModel::get();
        let mut writer = Writer::open(
            self.location,
            lock,
            &identity(self.config),
            model.dimensions(),
            self.options.rebuild,
        )?;
        let Plan { mut changes, mut scan, listed } = plan;
        if self.options.force {
            self.redo_unchanged(&mut changes, known);
        }
        self.report.unchanged = report::unchanged(known, &changes);
        let mut changed = false;
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
        scan.complete = !self.cancel.is_cancelled() && !self.report.truncated;
        if changed || known.is_none_or(|k| !k.is_complete()) {
            let generation = writer.commit(scan)?;
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
            vectors: &vectors,
            force: self.options.force,
        };
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads_for(pending.len()))
            .build()
            .map_err(|e| Error::Io {
                action: "start threads for",
                path: self.location.root.clone(),
                source: std::io::Error::other(e),
            })?;
        let cancel = self.cancel;
        let (send, prepared) = sync_channel::<(usize, Prepared)>(QUEUE);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                threads.install(|| {
                    pending.par_iter().enumerate().with_max_len(1).for_each_with(
                        send,
                        |send, (place, file)| {
                            if !cancel.is_cancelled() {
                                // Nobody listens any more where storing failed; that error is what the run returns.
                                drop(send.send((place, preparer.prepare(file))));
                            }
                        },
                    );
                });
            });
            let stored = self.store_all(prepared.into_iter(), pending, writer, scan);
            if stored.is_err() {
                cancel.cancel();
            }
            stored
        })
    }

    /// A thread waits while its parser's process works, so there is one more for two cores; a few files need few.
    fn threads_for(&self, files: usize) -> usize {
        let cores = self.config.threads.max(1);
        let threads = if self.config.worker.is_some() { cores + cores.div_ceil(2) } else { cores };
        threads.min(files.div_ceil(FILES_A_THREAD)).max(1)
    }

    fn store_all(
        &mut self,
        prepared: impl Iterator<Item = (usize, Prepared)>,
        pending: &[Pending],
        writer: &mut Writer,
        scan: Scan,
    ) -> Result<bool> {
        let mut changed = false;
        let mut last_commit = Instant::now();
        let mut since = 0;
        for (done, (place, prepared)) in prepared.enumerate() {
            changed |= self.store(writer, &pending[place], prepared)?;
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
                let generation = writer.commit(Scan { complete: false, ..scan })?;
                (self.events)(Event::Committed { generation });
                last_commit = Instant::now();
                since = 0;
            }
        }
        Ok(changed)
    }

    /// Stores one prepared file; says whether the index changes by it.
    fn store(&mut self, writer: &mut Writer, file: &Pending, prepared: Prepared) -> Result<bool> {
        let path = file.found.path.as_str();
        match prepared.outcome {
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
        let record = crate::store::FileRecord::skipped(file.found.stat, hash, reason);
        (self.events)(Event::Skipped { path: &file.found.path, reason });
        writer.put(&crate::store::NewFile { path: &file.found.path, record, chunks: Vec::new() })
    }
}

/// Nanoseconds since 1970.
fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|d| i64::try_from(d.as_nanos()).ok())
        .unwrap_or_default()
}

/// Where each embedded text's vector can be taken from.
type VectorIndex = HashMap<u128, u32, rustc_hash::FxBuildHasher>;
