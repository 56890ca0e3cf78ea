//! What the disk and the index differ in, looked at within a time where somebody waits.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::source::{self, ChangeSet, Globs, Listing, Pending};
use crate::store::{Location, Scan, Snapshot};
use crate::types::SkipReason;

/// What the disk and the index differ in.
pub(crate) struct Plan {
    pub(super) changes: ChangeSet,
    pub(super) scan: Scan,
    /// Total files listed.
    pub(super) listed: usize,
    /// Folders and files that could not be looked at, with the reason.
    pub(crate) unreadable: Vec<(String, String)>,
}

/// How far, and for how long, the disk is looked at.
#[derive(Clone, Copy, Default)]
pub(crate) struct Look<'a> {
    /// Only files that one of these globs matches; empty: all.
    pub(super) within: &'a [String],
    /// Only these files, where the index knows all of them; empty: the whole root.
    pub(super) only: &'a [String],
    /// When to give up.
    pub(super) until: Option<Instant>,
}

impl Plan {
    /// Whether a generation is as the disk is, as far as that can be read.
    pub(crate) fn is_settled(&self, known: &Snapshot) -> bool {
        self.changes.is_empty() && self.scan.unreadable == known.scan().unreadable
    }

    /// Whether the disk holds something else than a generation; what can't be read is not known to.
    pub(crate) fn differs(&self, known: &Snapshot) -> bool {
        let ChangeSet { pending, skipped, removed, .. } = &self.changes;
        let was_unreadable = |file: &Pending| {
            let before = file.known.and_then(|place| known.files().get(place));
            before.is_some_and(|file| file.skip() == Some(SkipReason::Unreadable))
        };
        !skipped.is_empty() || !removed.is_empty() || pending.iter().any(|file| !was_unreadable(file))
    }

    /// The part of it that globs match. What they leave out is not looked at, so the last look at all files still counts.
    fn within(mut self, globs: &[String], known: Option<&Snapshot>) -> Result<Plan> {
        if globs.is_empty() {
            return Ok(self);
        }
        let globs = Globs::new(globs)?;
        let ChangeSet { pending, skipped, removed, .. } = &mut self.changes;
        pending.retain(|file| globs.matches(&file.found.path));
        skipped.retain(|file| globs.matches(&file.found.path));
        removed.retain(|place| known.is_some_and(|known| globs.matches(known.path(*place))));
        self.scan = known.map_or(Scan { at: 0, complete: false, ..self.scan }, Snapshot::scan);
        Ok(self)
    }
}

/// Looks at the disk and says what differs from a snapshot; `None` where that takes longer than it may.
///
/// # Errors
/// As [`source::list`].
pub(crate) fn plan(
    location: &Location,
    config: &Config,
    known: Option<&Snapshot>,
    look: &Look<'_>,
) -> Result<Option<Plan>> {
    if let Some(plan) = known.and_then(|known| plan_of(location, config, known, look.only)) {
        return Ok(Some(plan));
    }
    let Some((listing, at)) = listing(location, config, look.until)? else { return Ok(None) };
    let unreadable = listing.unreadable.clone();
    let count = unreadable.len() + listing.undecodable;
    let scan = Scan { at, complete: true, ignored: listing.ignored, unreadable: count };
    let listed = listing.files.len();
    let changes = match known {
        Some(known) => source::compare(listing, known.known(), known.scanned()),
        None => source::compare(listing, std::iter::empty(), 0),
    };
    Plan { changes, scan, listed, unreadable }.within(look.within, known).map(Some)
}

/// What became of a few files that the index knows: whether such a file belongs to the root does not change with its content. `None`
/// where another is among them, or none is given.
fn plan_of(location: &Location, config: &Config, known: &Snapshot, paths: &[String]) -> Option<Plan> {
    let mut places: Vec<usize> = paths.iter().map(|path| known.find(path)).collect::<Option<_>>()?;
    if places.is_empty() {
        return None;
    }
    places.sort_unstable();
    places.dedup();
    let looked = source::now();
    let paths = places.iter().map(|place| known.path(*place).to_owned());
    let mut listing = source::list_only(&location.root, paths, config);
    source::settle(&location.root, &mut listing, looked, source::now);
    let listed = known.files().len();
    let before: Vec<_> = places.iter().filter_map(|place| known.known_at(*place)).collect();
    let mut changes = source::compare(listing, before.into_iter(), known.scanned());
    // The comparison counts among these files.
    let ChangeSet { pending, skipped, removed, unchanged } = &mut changes;
    pending.iter_mut().chain(skipped).filter_map(|file| file.known.as_mut()).for_each(|at| *at = places[*at]);
    removed.iter_mut().chain(unchanged).for_each(|at| *at = places[*at]);
    // The last look at all files still counts.
    let scan = known.scan();
    Some(Plan { changes, scan, listed, unreadable: Vec::new() })
}

/// Roots that are being listed by a thread whose asker has gone on: they are not listed a second time meanwhile.
static LISTED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Takes a root off that list when the thread ends, however it does.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        with_listed(|listed| listed.remove(&self.0));
    }
}

fn with_listed<T>(step: impl FnOnce(&mut HashSet<PathBuf>) -> T) -> T {
    step(LISTED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

/// The files, and when the look counts, nanoseconds since 1970.
fn listing(location: &Location, config: &Config, until: Option<Instant>) -> Result<Option<(Listing, i64)>> {
    let Some(until) = until else { return list(location, config).map(Some) };
    // A list that was quick all the same would make it a matter of luck.
    if Instant::now() >= until || !with_listed(|listed| listed.insert(location.root.clone())) {
        return Ok(None);
    }
    let mark = Listed(location.root.clone());
    let (send, receive) = channel();
    let (location, config) = (location.clone(), config.clone());
    let path = location.root.clone();
    let look = move || {
        let listing = list(&location, &config);
        drop(mark);
        // Nobody listens any more where it took too long.
        drop(send.send(listing));
    };
    let failed = |source| Error::Io { action: "list", path: path.clone(), source };
    std::thread::Builder::new().name("list".to_owned()).spawn(look).map_err(failed)?;
    match receive.recv_timeout(until.saturating_duration_since(Instant::now())) {
        Ok(listing) => listing.map(Some),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(failed(std::io::Error::other("the thread ended"))),
    }
}

fn list(location: &Location, config: &Config) -> Result<(Listing, i64)> {
    let looked = source::now();
    let mut listing = source::list(&location.root, config)?;
    let at = source::settle(&location.root, &mut listing, looked, source::now);
    Ok((listing, at))
}
