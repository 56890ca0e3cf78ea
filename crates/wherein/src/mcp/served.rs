//! A root that is served: the generation that is held, and the work behind it. A question never waits for more than it must: what is there
//! answers, and says how much that is.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::bail;
use wherein_engine::{Cancel, Coverage, Engine, Error, Event, Options, Report, Snapshot};

use crate::project::{self, Project};
use crate::settings::Settings;

use super::attention::Attention;
use super::sync::{Raised, Turns, locked};

/// How long a first index may take before a question is answered from what there is by then.
const FIRST_INDEX: Duration = Duration::from_secs(5);
/// How long a question waits for anything at all to be there.
const FIRST_COMMIT: Duration = Duration::from_secs(9);
/// How often that is looked for.
const PAUSE: Duration = Duration::from_millis(10);
const MOST_PAUSE: Duration = Duration::from_millis(200);
/// How long work behind is left alone after it failed.
const TRY_AGAIN: Duration = Duration::from_secs(60);
/// Roots that are indexed behind at once; each takes all cores and its memory.
const AT_ONCE: usize = 4;
/// How long another writer is waited for by what runs behind.
const LOCK_WAIT: Duration = Duration::from_secs(600);
/// And for how long at a stretch.
const LOCK_PAUSE: Duration = Duration::from_secs(1);

/// A root that is served.
pub(crate) struct Served {
    pub(crate) engine: Engine,
    /// Its own configuration, as it was when the engine was opened.
    pub(super) project: Project,
    held: Mutex<Option<Arc<Snapshot>>>,
    /// What the system tells of it; questions bring it up to date one after the other.
    attention: Mutex<Attention>,
    /// Whether a thread works behind: makes its first index, brings it up to date, or fills in its deep vectors.
    busy: Arc<AtomicBool>,
    /// What was wrong with the last such run.
    failure: Mutex<Option<(Instant, String)>>,
    /// Files done and to do of the run under way.
    pub(super) progress: (AtomicUsize, AtomicUsize),
}

/// A root with the generation that answers.
pub(crate) struct Ready {
    pub(crate) served: Arc<Served>,
    pub(crate) snapshot: Arc<Snapshot>,
    /// What of it is asked; empty for all.
    pub(crate) within: Vec<String>,
    pending: usize,
    unchecked: bool,
    /// Why it could not be brought up to date.
    pub(super) note: Option<String>,
}

/// How long a call may take to bring its roots up to date.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    /// When it began: one time for all of its roots.
    pub(super) begin: Instant,
    pub(super) budget: Duration,
    /// Set when the client gives it up.
    pub(super) cancel: &'a Cancel,
}

impl Ready {
    /// The engine of the root.
    pub(crate) fn engine(&self) -> &Engine {
        &self.served.engine
    }

    /// Adds what was left to do to the coverage of an answer.
    pub(crate) fn tell(&self, coverage: &mut Coverage) {
        coverage.pending += self.pending;
        coverage.unchecked |= self.unchecked;
    }
}

impl Served {
    /// Opens a root, with its configuration.
    ///
    /// # Errors
    /// Where that is not as it should be, or the root can't be opened.
    pub(super) fn open(root: &Path, settings: &Settings) -> anyhow::Result<Served> {
        Ok(Served {
            project: project::read(root)?,
            engine: settings.engine(root, false)?,
            held: Mutex::default(),
            attention: Mutex::default(),
            busy: Arc::default(),
            failure: Mutex::default(),
            progress: (AtomicUsize::new(0), AtomicUsize::new(0)),
        })
    }

    /// The generation that is held, or the last one, where there is one.
    pub(super) fn held_or_open(&self) -> Option<Arc<Snapshot>> {
        let mut held = locked(&self.held);
        if held.is_none() {
            *held = self.engine.snapshot().ok().map(Arc::new);
        }
        held.clone()
    }

    /// Brings the root up to date, as far as the budget lasts, and opens it.
    pub(super) fn ready(self: &Arc<Self>, within: Vec<String>, limits: Limits<'_>) -> anyhow::Result<Ready> {
        self.engine.note_use();
        if !self.engine.is_indexed() {
            return self.first(within, limits);
        }
        let mut attention = locked(&self.attention);
        let held = locked(&self.held).clone();
        let changes = attention.changes(&self.engine, held.as_deref());
        let current = held.clone().filter(|held| changes.is_empty() && self.engine.is_current(held));
        if let Some(snapshot) = current {
            return Ok(self.with(snapshot, within));
        }
        let is_whole = changes.whole;
        let only = if is_whole { Vec::new() } else { changes.files.into_iter().collect() };
        // Who writes is waited for a little: mostly it is our own work behind, which commits in between.
        let until = Some(limits.begin + limits.budget);
        let options = Options { until, only, lock_wait: limits.budget / 10, ..Options::default() };
        let mut note = None;
        let (snapshot, pending, unchecked) =
            match self.engine.refresh_from(held, &options, limits.cancel, &mut |_| {}) {
                Ok((report, snapshot)) => (snapshot, report.pending, report.unchecked),
                Err(error @ Error::Cancelled) => return Err(error.into()),
                // Who writes for longer, or may not, or can't, does not keep us from answering from what is there.
                Err(error) => {
                    let Ok(snapshot) = self.engine.snapshot() else { return Err(error.into()) };
                    let is_busy = matches!(error, Error::Locked { .. });
                    note = (!is_busy).then(|| format!("not brought up to date: {error}"));
                    (Arc::new(snapshot), 0, true)
                }
            };
        attention.looked(&self.engine, &snapshot, is_whole, pending == 0 && !unchecked);
        *locked(&self.held) = Some(Arc::clone(&snapshot));
        if pending > 0 || unchecked || snapshot.lacks_deep() {
            self.catch_up(pending > 0 || unchecked);
        }
        Ok(Ready { pending, unchecked, note, ..self.with(snapshot, within) })
    }

    fn with(self: &Arc<Self>, snapshot: Arc<Snapshot>, within: Vec<String>) -> Ready {
        Ready { served: Arc::clone(self), snapshot, within, pending: 0, unchecked: false, note: None }
    }

    /// The first index: made behind, waited for only so long.
    fn first(self: &Arc<Self>, within: Vec<String>, limits: Limits<'_>) -> anyhow::Result<Ready> {
        let Limits { begin, cancel, .. } = limits;
        self.catch_up(true);
        let mut pause = PAUSE;
        loop {
            std::thread::sleep(pause);
            // Opening a large index again and again would slow the one who makes it.
            pause = (pause * 2).min(MOST_PAUSE);
            if cancel.is_cancelled() {
                return Err(Error::Cancelled.into());
            }
            let is_over = begin.elapsed() >= FIRST_INDEX || !self.busy.load(Ordering::Acquire);
            match self.engine.snapshot() {
                Ok(snapshot) if snapshot.is_complete() || is_over => {
                    let unchecked = !snapshot.is_complete();
                    let snapshot = Arc::new(snapshot);
                    *locked(&self.held) = Some(Arc::clone(&snapshot));
                    return Ok(Ready { unchecked, ..self.with(snapshot, within) });
                }
                _ if !self.busy.load(Ordering::Acquire) => {
                    let why = locked(&self.failure).clone().map(|(_, why)| why);
                    bail!("{}", why.unwrap_or_else(|| "the first index came to nothing".to_owned()));
                }
                _ if begin.elapsed() >= FIRST_COMMIT => bail!(
                    "{} is being indexed and nothing of it can be searched yet; ask again in a few seconds",
                    self.engine.root().display()
                ),
                _ => {}
            }
        }
    }

    /// Works behind, however long it takes: brings the root up to date, where that is `whole` work, and fills in its deep vectors. One such
    /// run at a time.
    pub(super) fn catch_up(self: &Arc<Self>, whole: bool) {
        // A model's server that is down, or a disk that is full, is not tried at every question; without an index there is no answer.
        let failed = locked(&self.failure).as_ref().is_some_and(|(at, _)| at.elapsed() < TRY_AGAIN);
        if failed && self.engine.is_indexed() {
            return;
        }
        let Some(raised) = Raised::new(&self.busy) else { return };
        let served = Arc::clone(self);
        let run = move || {
            let _raised = raised;
            let done = if whole { served.index_in_turn() } else { Ok(()) }.and_then(|()| served.deepen());
            *locked(&served.failure) = done.err().map(|error| (Instant::now(), error.to_string()));
        };
        // Where no thread can be had, the next question tries again.
        drop(std::thread::Builder::new().name("index".to_owned()).spawn(run));
    }

    /// Indexes when it is its turn. Another writer is waited for without one, so that it holds up this root alone.
    fn index_in_turn(&self) -> wherein_engine::Result<()> {
        static TURNS: Turns = Turns::new(AT_ONCE);
        let begin = Instant::now();
        let options = Options { lock_wait: LOCK_PAUSE, ..Options::default() };
        loop {
            let turn = TURNS.wait();
            match self.index(&options, &Cancel::new()) {
                Err(Error::Locked { .. }) if begin.elapsed() < LOCK_WAIT => {}
                done => return done.map(drop),
            }
            drop(turn);
            std::thread::sleep(LOCK_PAUSE);
        }
    }

    fn deepen(&self) -> wherein_engine::Result<()> {
        let held = locked(&self.held).clone();
        let done = self.engine.deepen(held, &Cancel::new(), &mut |_| {})?;
        let failed = |message| Error::Model { model: "deep".to_owned(), message };
        done.failed.map_or(Ok(()), |message| Err(failed(message)))
    }

    /// Indexes with the caller waiting, telling how far it is.
    pub(super) fn index(&self, options: &Options, cancel: &Cancel) -> wherein_engine::Result<Report> {
        let (done, total) = &self.progress;
        let mut note = |event: Event<'_>| match event {
            Event::Planned { pending, .. } => total.store(pending, Ordering::Relaxed),
            Event::Progress { done: now, .. } => done.store(now, Ordering::Relaxed),
            Event::Embedded { done: now, total: all } => {
                done.store(now, Ordering::Relaxed);
                total.store(all, Ordering::Relaxed);
            }
            _ => {}
        };
        let held = locked(&self.held).clone();
        let result = self.engine.refresh_from(held, options, cancel, &mut note);
        done.store(0, Ordering::Relaxed);
        total.store(0, Ordering::Relaxed);
        let (report, snapshot) = result?;
        *locked(&self.held) = Some(snapshot);
        Ok(report)
    }
}
