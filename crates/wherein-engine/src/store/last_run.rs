//! What the last run that did something came to, in a file beside the epochs: nothing depends on it, people ask for it.

use std::fs;

use serde::{Deserialize, Serialize};

use super::location::Location;

/// The last run that changed the index, or failed to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastRun {
    /// When it ended, seconds since 1970.
    pub ended: u64,
    /// How long it took, milliseconds.
    pub took_ms: f64,
    /// Files whose passages were stored.
    pub indexed: usize,
    /// Files that left the index.
    pub deleted: usize,
    /// How many files failed.
    pub failed: usize,
    /// The first of them, with the reason.
    pub failures: Vec<(String, String)>,
    /// Why the deep tier came to an end before its time.
    pub deep_error: Option<String>,
    /// Why the run did.
    pub error: Option<String>,
}

const FILE: &str = "last-run";

/// Notes what a run came to, unless that is what the one before came to, with nothing changed. Where it can't be written, the run has failed for
/// the same reason and says so.
pub(crate) fn note_run(location: &Location, run: &LastRun) {
    let is_same = |last: LastRun| LastRun { ended: run.ended, took_ms: run.took_ms, ..last } == *run;
    if run.indexed + run.deleted == 0 && last_run(location).is_some_and(is_same) {
        return;
    }
    let (file, next) = (location.dir.join(FILE), location.dir.join("last-run.new"));
    if let Ok(json) = serde_json::to_vec(run)
        && fs::write(&next, json).is_ok()
    {
        drop(fs::rename(next, file));
    }
}

/// What was noted last.
pub(crate) fn last_run(location: &Location) -> Option<LastRun> {
    serde_json::from_slice(&fs::read(location.dir.join(FILE)).ok()?).ok()
}
