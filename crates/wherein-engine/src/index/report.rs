//! What a run tells while it works, and what it says at the end.

use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;

use crate::error::Error;
use crate::source::ChangeSet;
use crate::store::{LastRun, Snapshot};
use crate::types::{Coverage, SkipReason};
use crate::vector::Noise;

/// Failed files that are noted by name.
const NAMED: usize = 20;

/// Something that happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The index there is can't be used, so a new one is built beside it.
    Rebuilding {
        /// Why.
        reason: &'a str,
    },
    /// The folder was listed and compared.
    Planned {
        /// Files in the folder.
        files: usize,
        /// Files that will be read.
        pending: usize,
    },
    /// So many of the files to read are done.
    Progress {
        /// Done.
        done: usize,
        /// To do in all.
        total: usize,
        /// The last one.
        path: &'a str,
    },
    /// A file was stored.
    Indexed {
        /// Its path.
        path: &'a str,
        /// Its chunks.
        chunks: usize,
    },
    /// A file was left out.
    Skipped {
        /// Its path.
        path: &'a str,
        /// Why.
        reason: SkipReason,
    },
    /// A file could not be read or processed.
    Failed {
        /// Its path.
        path: &'a str,
        /// What happened.
        message: &'a str,
    },
    /// A file left the index.
    Deleted {
        /// Its path.
        path: &'a str,
    },
    /// So many of the passages that lacked a deep vector have one.
    Embedded {
        /// Done.
        done: usize,
        /// To do in all.
        total: usize,
    },
    /// A generation was committed.
    Committed {
        /// Its number.
        generation: u64,
    },
}

/// What a run did, and what the index holds after it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Files whose chunks were stored.
    pub indexed: usize,
    /// Files found as they were.
    pub unchanged: usize,
    /// Files with new times and the old content.
    pub touched: usize,
    /// Files that left the index.
    pub deleted: usize,
    /// Chunks stored.
    pub chunks_written: usize,
    /// Of them, those whose vector was already there.
    pub vectors_reused: usize,
    /// Files stored by lines because their syntax could not be parsed within the limits.
    pub fallback: usize,
    /// Files that failed, with the reason.
    pub failed: Vec<(String, String)>,
    /// Whether `max_files`, or the time, left some out.
    pub truncated: bool,
    /// How many.
    pub pending: usize,
    /// Whether there was no time to look at the disk.
    pub unchecked: bool,
    /// What was done for the deep tier.
    pub deep: DeepReport,
    /// What the index holds now.
    pub coverage: Coverage,
    /// What cosines of its vectors say nothing.
    pub noise: Noise,
    /// Bytes of the indexed files.
    pub source_bytes: u64,
    /// Bytes of the index on disk.
    pub index_bytes: u64,
    /// How long it took.
    pub took: Duration,
}

/// What a run did for the deep tier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeepReport {
    /// Passages that were embedded.
    pub embedded: usize,
    /// Passages whose vector another root had.
    pub borrowed: usize,
    /// Another process was at it.
    pub elsewhere: bool,
    /// Why it came to an end before its time.
    pub failed: Option<String>,
}

impl Report {
    /// Notes what could not be looked at.
    pub(super) fn note_closed(&mut self, closed: Vec<(String, String)>, events: &mut dyn FnMut(Event<'_>)) {
        for (path, message) in &closed {
            events(Event::Failed { path, message });
        }
        self.failed.extend(closed);
    }

    /// Fills in what the index holds.
    pub(super) fn finish(&mut self, snapshot: &Snapshot, begin: Instant) {
        self.coverage = Coverage { pending: self.pending, unchecked: self.unchecked, ..snapshot.coverage() };
        self.noise = snapshot.noise();
        self.source_bytes = snapshot.source_bytes();
        self.index_bytes = snapshot.bytes_on_disk();
        self.took = begin.elapsed();
    }

    /// What is noted of the run; nothing of one that found nothing to do, or another at work.
    pub(super) fn as_last_run(&self, error: Option<&Error>, begin: Instant) -> Option<LastRun> {
        let error = error.filter(|error| !matches!(error, Error::Locked { .. } | Error::NotIndexed { .. }));
        let deep = &self.deep;
        let did =
            self.indexed + self.touched + self.deleted + self.failed.len() + deep.embedded + deep.borrowed;
        (did > 0 || deep.failed.is_some() || error.is_some()).then(|| LastRun {
            ended: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs(),
            took_ms: begin.elapsed().as_secs_f64() * 1000.0,
            indexed: self.indexed,
            deleted: self.deleted,
            failed: self.failed.len(),
            failures: self.failed.iter().take(NAMED).cloned().collect(),
            deep_error: deep.failed.clone(),
            error: error.map(ToString::to_string),
        })
    }
}

/// Indexed files that are as they were.
pub(super) fn unchanged(known: Option<&Snapshot>, changes: &ChangeSet) -> usize {
    let indexed = |place: &&usize| known.is_some_and(|k| k.files()[**place].skip().is_none());
    changes.unchanged.iter().filter(indexed).count()
}
