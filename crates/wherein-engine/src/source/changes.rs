//! What changed on disk since the last commit: cheap evidence first, a file's content only on doubt.

use std::path::Path;
use std::time::Duration;

use crate::types::SkipReason;

use super::{Found, Listing, Stat, is_within};

/// File systems keep times in ticks; a change within the tick of the last look can't be seen in them. Nanoseconds:
/// above the 10 ms of Linux's coarse clock, below what a person does.
const CLOCK_TICK: i64 = 25_000_000;

/// A file as the last commit knew it.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Relative to the root.
    pub path: &'a str,
    /// What the disk said then.
    pub stat: Stat,
    /// Set where it was left out, with the reason.
    pub skip: Option<SkipReason>,
}

/// A file that must be read.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    /// As listed.
    pub found: Found,
    /// Its place in the known list, where it is not new.
    pub known: Option<usize>,
}

/// The difference between a listing and the known files.
#[derive(Debug, Default)]
pub(crate) struct ChangeSet {
    /// Files to read: new, changed, or in doubt.
    pub pending: Vec<Pending>,
    /// Files whose skip is known without reading.
    pub skipped: Vec<Pending>,
    /// Places in the known list of files that are gone.
    pub removed: Vec<usize>,
    /// Places in the known list of files that are as they were.
    pub unchanged: Vec<usize>,
}

impl ChangeSet {
    /// Whether nothing needs to be read or written.
    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.skipped.is_empty() && self.removed.is_empty()
    }
}

/// Compares a listing with what the last commit knew; both are sorted by path. `scanned` is when the last commit looked,
/// nanoseconds since 1970. Of what could not be looked at nothing is known: it is taken to be as it was.
pub(crate) fn compare<'a>(
    listing: Listing,
    known: impl Iterator<Item = Known<'a>>,
    scanned: i64,
) -> ChangeSet {
    let mut set = ChangeSet::default();
    let closed = listing.unreadable;
    let missing = |set: &mut ChangeSet, place: usize, path: &str| {
        // A failure that names no path says nothing of any.
        let is_closed = |(at, _): &(String, String)| !at.is_empty() && is_within(path, at);
        let list = if closed.iter().any(is_closed) { &mut set.unchanged } else { &mut set.removed };
        list.push(place);
    };
    let mut known = known.enumerate().peekable();
    for found in listing.files {
        while let Some((place, file)) = known.next_if(|(_, file)| file.path < found.path.as_str()) {
            missing(&mut set, place, file.path);
        }
        let before = known.next_if(|(_, file)| file.path == found.path);
        let place = before.map(|(place, _)| place);
        match before {
            Some((place, file)) if unchanged(&found, &file, scanned) => set.unchanged.push(place),
            _ if found.skip.is_some() => set.skipped.push(Pending { found, known: place }),
            _ => set.pending.push(Pending { found, known: place }),
        }
    }
    known.for_each(|(place, file)| missing(&mut set, place, file.path));
    set
}

/// Whether a file changed so shortly before a look that a later change could bear the same time. A time in the future
/// was set by somebody and says nothing.
fn is_young(stat: Stat, looked: i64) -> bool {
    let young =
        |time: i64| time >= looked.saturating_sub(CLOCK_TICK) && time <= looked.saturating_add(CLOCK_TICK);
    young(stat.mtime) || young(stat.ctime)
}

/// Waits until no file of a listing is young and looks at those that were again. Returns when the look counts: from then
/// on a change bears another time than the one that was seen.
pub(crate) fn settle(root: &Path, listing: &mut Listing, looked: i64, now: impl Fn() -> i64) -> i64 {
    let young = |found: &Found| is_young(found.stat, looked);
    let times = listing
        .files
        .iter()
        .filter(|found| young(found))
        .flat_map(|found| [found.stat.mtime, found.stat.ctime]);
    let Some(newest) = times.filter(|time| *time <= looked + CLOCK_TICK).max() else { return looked };
    let wait = (newest - looked + CLOCK_TICK + CLOCK_TICK / 5).max(0);
    std::thread::sleep(Duration::from_nanos(wait.unsigned_abs()));
    let settled = now();
    listing.files.retain_mut(|found| {
        if !young(found) {
            return true;
        }
        // One that went away meanwhile is no file of the root any more.
        match std::fs::symlink_metadata(root.join(&found.path)) {
            Ok(meta) if meta.is_file() => {
                found.stat = Stat::of(&meta);
                true
            }
            _ => false,
        }
    });
    settled
}

fn unchanged(found: &Found, file: &Known<'_>, scanned: i64) -> bool {
    let settled = !is_young(found.stat, scanned);
    // A file that was read and left out for its content keeps that reason; a reason by name or size must still hold.
    let by_content = matches!(file.skip, Some(SkipReason::Empty | SkipReason::Binary | SkipReason::Secret));
    let same_verdict = found.skip == file.skip || (found.skip.is_none() && by_content);
    found.stat == file.stat && settled && same_verdict
}
