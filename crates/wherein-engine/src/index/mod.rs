//! The indexing flow: list → compare → read, extract, chunk, embed in parallel → store → commit, as it goes.
//!
//! It owns order, batching and what a failure of one file means (that file only). It never answers queries.

mod flow;
mod prepare;
mod questions;
mod report;
mod why;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::config::Config;
use crate::embed::{Embedder, StaticModel};
use crate::error::{Error, Result};
use crate::source::{self, ChangeSet};
use crate::store::{Location, Scan, Snapshot};

pub use report::{Event, Report};
pub(crate) use why::why;

use flow::Flow;

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

/// Brings a root's index up to date, taking the lock only where something changed, and returns the generation that answers now.
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
) -> Result<(Report, Snapshot)> {
    let begin = Instant::now();
    let known = if options.rebuild { None } else { existing(location, config)? };
    let first_plan = plan(location, config, known.as_ref())?;
    let mut report = Report::default();
    let settled = |known: &Snapshot| known.is_complete() && !options.force && first_plan.is_empty();
    let generation = known.as_ref().map(Snapshot::generation);
    if let Some(known) = known.filter(settled) {
        report.unchanged = report::unchanged(Some(&known), &first_plan.changes);
        report.finish(&known, begin);
        return Ok((report, known));
    }
    let lock = location.lock(options.lock_wait)?;
    // Another process may have written while we looked and waited.
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
    if cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok((report, now)) }
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
