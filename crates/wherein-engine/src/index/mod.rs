//! The indexing flow: list → compare → read, extract, chunk, embed in parallel → store → commit, as it goes.
//!
//! It owns order, batching and what a failure of one file means (that file only). It never answers queries.

mod deepen;
mod flow;
mod plan;
mod prepare;
mod questions;
mod report;
mod why;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::chunk::CHUNKER_VERSION;
use crate::config::{ChunkLimits, Config};
use crate::embed::{Embedder, StaticModel, deep_identity};
use crate::error::{Error, Result};
use crate::store::{Identity, Location, Snapshot, note_run};
use crate::types::{Cancel, DeepPolicy};

pub(crate) use plan::{Look, Plan, plan};
pub use report::{DeepReport, Event, Report};
pub(crate) use why::why;

use deepen::Deepen;
use flow::Flow;

/// What a run is asked to do.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Process every file, changed or not.
    pub force: bool,
    /// Build a new index beside the old one and swap.
    pub rebuild: bool,
    /// Process at most this many files.
    pub max_files: Option<usize>,
    /// Threads that read, parse and embed; `None`: as the configuration says.
    pub threads: Option<usize>,
    /// How long to wait for another writer.
    pub lock_wait: Duration,
    /// Believe an empty folder that held files before.
    pub prune_empty: bool,
    /// Fill in the deep vectors that are lacking before the run ends.
    pub deep: bool,
    /// Only files that one of these globs matches; empty: all. The others stay as they are.
    pub within: Vec<String>,
    /// Look only at these files, relative to the root, where the index knows all of them.
    pub only: Vec<String>,
    /// When to stop and commit what is done by then. A root whose disk can't be compared by then stays as it was.
    pub until: Option<Instant>,
}

/// Names everything that vectors depend on.
///
/// # Errors
/// Where the deep model's folder does not say what it is.
pub(crate) fn identity(config: &Config) -> Result<Identity> {
    let instant = StaticModel::get();
    let ChunkLimits { code_pieces, prose_pieces } = config.limits;
    let cutting = format!("chunker {CHUNKER_VERSION} of {code_pieces}/{prose_pieces} pieces");
    let deep = (config.deep != DeepPolicy::None).then(|| deep_identity(&config.deep_model));
    Ok(Identity {
        instant: format!("{}, {cutting}", instant.identity()),
        dimensions: instant.dimensions(),
        deep: deep.transpose()?,
        policy: config.deep,
    })
}

/// Opens the generation that answers for a root.
///
/// # Errors
/// As [`Snapshot::open`].
pub(crate) fn snapshot(location: &Location, config: &Config) -> Result<Snapshot> {
    Snapshot::open(location, &identity(config)?, None)
}

/// Brings a root's index up to date from a generation that is held already, where one is, taking the lock only where something changed, then its deep tier where that is asked for, and
/// returns the generation that answers now.
///
/// # Errors
/// [`Error::Locked`] while another process writes; [`Error::Cancelled`] after committing what was done; failures of the
/// list or of the store. A file that can't be read is in the report instead.
pub(crate) fn run(
    (location, config): (&Location, &Config),
    held: Option<Arc<Snapshot>>,
    options: &Options,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<(Report, Arc<Snapshot>)> {
    let begin = Instant::now();
    let mut report = Report::default();
    let done = attempt((location, config), held, options, (cancel, events), &mut report);
    if let Ok(now) = &done {
        report.finish(now, begin);
    }
    if let Some(run) = report.as_last_run(done.as_ref().err(), begin) {
        note_run(location, &run);
    }
    let now = done?;
    if cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok((report, now)) }
}

fn attempt(
    (location, config): (&Location, &Config),
    held: Option<Arc<Snapshot>>,
    options: &Options,
    (cancel, events): (&Cancel, &mut dyn FnMut(Event<'_>)),
    report: &mut Report,
) -> Result<Arc<Snapshot>> {
    let mut anew = None;
    let known = match latest(location, config, held) {
        // What a rebuild replaces need not be readable.
        Err(_) if options.rebuild => None,
        // Nor can what can't be read answer; the old files stay until the new ones do.
        Err(error @ (Error::Format { .. } | Error::Damaged { .. } | Error::Storage { .. })) => {
            events(Event::Rebuilding { reason: &error.to_string() });
            anew = Some(Options { rebuild: true, until: None, max_files: None, ..options.clone() });
            None
        }
        known => known?,
    };
    let options = anew.as_ref().unwrap_or(options);
    let is_first = known.is_none();
    let mut now = bring_up(location, config, options, (cancel, events), (known, report))?;
    if cancel.is_cancelled() {
        return Err(Error::Cancelled);
    }
    // Another root may hold the very passages of one that is new: a work tree beside its repository.
    if (options.deep || is_first) && now.lacks_deep() {
        let borrows = !(options.rebuild && options.force);
        let mut deep = Deepen { location, config, cancel, events, report, borrows };
        if let Some(deeper) = deep.fill(&now, options.deep)? {
            now = Arc::new(deeper);
        }
    }
    Ok(now)
}

/// Fills in the deep tier of a generation without a look at the files; what was done is in the report.
///
/// # Errors
/// As [`run`].
pub(crate) fn deepen(
    (location, config): (&Location, &Config),
    held: Option<Arc<Snapshot>>,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event<'_>),
) -> Result<DeepReport> {
    let mut report = Report::default();
    if let Some(now) = latest(location, config, held)?.filter(|now| now.lacks_deep()) {
        let report = &mut report;
        Deepen { location, config, cancel, events, report, borrows: true }.fill(&now, true)?;
    }
    Ok(report.deep)
}

/// Brings files, passages and instant vectors up to date.
fn bring_up(
    location: &Location,
    config: &Config,
    options: &Options,
    (cancel, events): (&Cancel, &mut dyn FnMut(Event<'_>)),
    (known, report): (Option<Arc<Snapshot>>, &mut Report),
) -> Result<Arc<Snapshot>> {
    let current = known.as_deref().filter(|_| !options.rebuild);
    // Where no generation could answer instead, there is no hurry.
    let look = Look {
        within: &options.within,
        only: &options.only,
        until: options.until.filter(|_| current.is_some()),
    };
    let Some(first_plan) = plan(location, config, current, &look)? else {
        report.unchecked = true;
        return known.ok_or(Error::Cancelled);
    };
    let settled = |known: &&Snapshot| known.is_complete() && !options.force && first_plan.is_settled(known);
    if current.filter(settled).is_some()
        && let Some(known) = known
    {
        report.unchanged = report::unchanged(Some(&known), &first_plan.changes);
        report.note_closed(first_plan.unreadable, events);
        return Ok(known);
    }
    let lock = location.lock(options.lock_wait)?;
    // Another process may have written while we looked and waited.
    let is_current = options.rebuild || current.is_some_and(|known| known.is_current(location));
    let moved = if is_current { None } else { existing(location, config, current)? };
    let plan = match moved.as_deref() {
        None => Some(first_plan),
        moved => plan(location, config, moved, &Look { until: None, ..look })?,
    };
    let Some(plan) = plan else { return Err(Error::Cancelled) };
    if let Some(moved) = moved.as_ref().filter(|moved| moved.is_complete() && !options.force)
        && plan.is_settled(moved)
    {
        // Whoever wrote meanwhile did it all.
        report.unchanged = report::unchanged(Some(moved), &plan.changes);
        report.note_closed(plan.unreadable, events);
        return Ok(Arc::clone(moved));
    }
    let base = moved.as_deref().or(current);
    refuse_vanished((location, config), &plan, base, options)?;
    // Vectors of equal passages are used again, unless nothing of the old index is to be believed.
    let donor = base.or(known.as_deref()).filter(|_| !(options.rebuild && options.force));
    let mut flow = Flow { location, config, options, cancel, events, report, donor };
    flow.apply(plan, base, lock)?;
    Snapshot::open(location, &identity(config)?, base).map(Arc::new)
}

/// The last generation: the one that is held, where it still is that, or opened from it; `None` before the first commit.
fn latest(
    location: &Location,
    config: &Config,
    held: Option<Arc<Snapshot>>,
) -> Result<Option<Arc<Snapshot>>> {
    match held {
        Some(held) if held.is_current(location) => Ok(Some(held)),
        held => existing(location, config, held.as_deref()),
    }
}

fn existing(location: &Location, config: &Config, held: Option<&Snapshot>) -> Result<Option<Arc<Snapshot>>> {
    match Snapshot::open(location, &identity(config)?, held) {
        Ok(snapshot) => Ok(Some(Arc::new(snapshot))),
        Err(Error::NotIndexed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A folder that is suddenly empty is more likely an unmounted disk than a wish to forget everything.
fn refuse_vanished(
    (location, config): (&Location, &Config),
    plan: &Plan,
    known: Option<&Snapshot>,
    options: &Options,
) -> Result<()> {
    // Of one that is built anew it is not known what it holds.
    let had = known.map_or(options.rebuild && location.current()?.is_some(), |k| !k.files().is_empty());
    if plan.listed == 0 && had && !options.prune_empty {
        // What is read from the folder itself tells that it is there.
        let is_narrowed = config.selection.file.is_some();
        let reason = if is_narrowed {
            "its own configuration leaves no file of it (include, exclude), but its index holds some; mend that, or `wherein index --prune-empty` forgets them"
        } else {
            "the folder is empty but its index is not; is the disk mounted? `wherein index --prune-empty` forgets its files"
        };
        return Err(Error::Refused { path: location.root.clone(), reason });
    }
    Ok(())
}

/// How far threads step back behind everything else that wants the processor.
const NICE: i32 = 10;

/// Threads whose work can wait: a query is answered while they are at it.
fn low_priority_pool(threads: usize, root: &Path) -> Result<rayon::ThreadPool> {
    let step_back = |_| {
        // A thread that can't step back works all the same.
        #[cfg(target_os = "linux")]
        let _stepped = rustix::process::nice(NICE);
    };
    thread_pool(rayon::ThreadPoolBuilder::new().start_handler(step_back), threads, root)
}

fn thread_pool(builder: rayon::ThreadPoolBuilder, threads: usize, root: &Path) -> Result<rayon::ThreadPool> {
    builder.num_threads(threads.max(1)).build().map_err(|e| Error::Io {
        action: "start threads for",
        path: root.to_path_buf(),
        source: std::io::Error::other(e),
    })
}

/// Where each embedded text's vector can be taken from.
type VectorIndex = HashMap<u128, u32, rustc_hash::FxBuildHasher>;
