//! What a server serves: its roots, the generation of each that it holds, and the work behind it. A question never waits for more than it
//! must: what is there answers, and says how much that is.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::bail;
use wherein_engine::{Cancel, Coverage, Engine, Error, Event, Options, Report, Snapshot};

use crate::settings::{Settings, Target, Which};

use super::attention::Attention;

/// How long a first index may take before a question is answered from what there is by then.
const FIRST_INDEX: Duration = Duration::from_secs(5);
/// How long a question waits for anything at all to be there.
const FIRST_COMMIT: Duration = Duration::from_secs(9);
/// How often that is looked for.
const PAUSE: Duration = Duration::from_millis(10);
const MOST_PAUSE: Duration = Duration::from_millis(200);
/// How long deep vectors are left alone after they could not be made.
const TRY_AGAIN: Duration = Duration::from_secs(60);
/// How long another writer is waited for by what runs behind.
const LOCK_WAIT: Duration = Duration::from_secs(600);

/// What the command line says of the roots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Folders.
    pub(crate) paths: Vec<PathBuf>,
    /// A folder of the corpus.
    pub(crate) root: Option<PathBuf>,
    /// The whole corpus.
    pub(crate) global: bool,
}

impl Asked {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.root.is_none() && !self.global
    }
}

/// A server's state.
pub(crate) struct Session {
    pub(crate) settings: Settings,
    asked: Asked,
    /// Whether there is one client, whose folders may count.
    is_single: bool,
    /// Folders that the client names, where it does.
    client: Mutex<Option<Vec<PathBuf>>>,
    served: Mutex<HashMap<PathBuf, Arc<Served>>>,
    /// Whether somebody asked for an index that is being made.
    indexing: AtomicBool,
}

/// A root that is served.
pub(crate) struct Served {
    pub(crate) engine: Engine,
    held: Mutex<Option<Arc<Snapshot>>>,
    /// What the system tells of it; questions bring it up to date one after the other.
    attention: Mutex<Attention>,
    /// Whether a thread makes its first index, or fills in its deep vectors.
    busy: AtomicBool,
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

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    pub(crate) fn new(settings: Settings, asked: Asked, is_single: bool) -> Session {
        Session {
            settings,
            asked,
            is_single,
            client: Mutex::default(),
            served: Mutex::default(),
            indexing: AtomicBool::new(false),
        }
    }

    /// Whether the client's folders count: where neither the command line nor a named configuration says what is served.
    pub(super) fn wants_client_roots(&self) -> bool {
        self.is_single && self.asked.is_empty() && !self.settings.names_corpus()
    }

    /// Takes the folders that the client names.
    pub(super) fn set_client_roots(&self, roots: Vec<PathBuf>) {
        *locked(&self.client) = Some(roots);
    }

    /// The roots that are served, by falling trust: the command line, a configuration that is named, the client's folders, the project
    /// that the client's variable names or the current folder lies in, the corpus.
    pub(crate) fn targets(&self) -> anyhow::Result<Vec<Target>> {
        let Asked { paths, root, global } = &self.asked;
        if !self.asked.is_empty() {
            return self.settings.targets(Which { paths, root: root.as_deref(), global: *global });
        }
        let corpus = Which { paths: &[], root: None, global: true };
        if self.settings.names_corpus() {
            return self.settings.targets(corpus);
        }
        let client = locked(&self.client).clone().unwrap_or_default();
        let client: Vec<PathBuf> = client
            .into_iter()
            .filter(|folder| folder.is_dir() && !self.settings.is_everything(folder))
            .collect();
        if !client.is_empty() {
            return self.settings.targets(Which::paths(&client));
        }
        let targets = self.settings.targets(Which::paths(&[]))?;
        if targets.iter().any(|target| self.settings.is_everything(&target.root)) {
            bail!(
                "this server was started in {} and knows no folder to search: start it in a project, name folders on its command line, or add some with `wherein add FOLDER`",
                targets[0].root.display()
            );
        }
        Ok(targets)
    }

    /// The roots that are meant by a name: that of a root's folder, or its path; all without a name.
    pub(crate) fn named(&self, name: Option<&str>) -> anyhow::Result<Vec<Target>> {
        let targets = self.targets()?;
        let Some(name) = name else { return Ok(targets) };
        let is_it = |target: &Target| {
            let folder = target.root.file_name().unwrap_or_default();
            folder == name || target.root.as_os_str() == name.trim_end_matches('/')
        };
        let names: Vec<String> = targets.iter().map(|target| target.root.display().to_string()).collect();
        let found: Vec<Target> = targets.into_iter().filter(is_it).collect();
        if found.is_empty() {
            bail!("no root {name:?} is served; there are {}", names.join(", "));
        }
        Ok(found)
    }

    /// A root with what is held of it.
    pub(crate) fn served(&self, target: &Target) -> anyhow::Result<Arc<Served>> {
        if let Some(known) = locked(&self.served).get(&target.root) {
            return Ok(Arc::clone(known));
        }
        let engine = self.settings.engine(&target.root, false)?;
        let new = Arc::new(Served {
            engine,
            held: Mutex::default(),
            attention: Mutex::default(),
            busy: AtomicBool::new(false),
            failure: Mutex::default(),
            progress: (AtomicUsize::new(0), AtomicUsize::new(0)),
        });
        Ok(Arc::clone(locked(&self.served).entry(target.root.clone()).or_insert(new)))
    }

    /// Brings roots up to date, as far as there is time, and opens them. One that can't be opened is left out, as long as another can;
    /// what was wrong with it is among the notes.
    pub(crate) fn ready(&self, targets: Vec<Target>) -> anyhow::Result<(Vec<Ready>, Vec<String>)> {
        let (mut out, mut notes, mut failed) = (Vec::new(), Vec::new(), None);
        for target in targets {
            match self.served(&target).and_then(|served| served.ready(target.within, self.settings.refresh)) {
                Ok(ready) => out.push(ready),
                Err(error) => {
                    notes.push(format!("{}: {error:#}", target.root.display()));
                    failed = Some(error);
                }
            }
        }
        match failed {
            Some(error) if out.is_empty() => Err(error),
            _ => Ok((out, notes)),
        }
    }

    /// Indexes because somebody asked for it; `None` where another is being answered at this moment.
    pub(super) fn alone<T>(&self, index: impl FnOnce() -> T) -> Option<T> {
        if self.indexing.swap(true, Ordering::AcqRel) {
            return None;
        }
        let done = index();
        self.indexing.store(false, Ordering::Release);
        Some(done)
    }

    /// Files done and to do, over all roots, of runs that are under way.
    pub(super) fn progress(&self) -> (usize, usize) {
        let sum = |(done, total): (usize, usize), served: &Arc<Served>| {
            let (d, t) = &served.progress;
            (done + d.load(Ordering::Relaxed), total + t.load(Ordering::Relaxed))
        };
        locked(&self.served).values().fold((0, 0), sum)
    }
}

impl Served {
    /// The generation that is held, or the last one, where there is one.
    pub(super) fn held_or_open(&self) -> Option<Arc<Snapshot>> {
        let mut held = locked(&self.held);
        if held.is_none() {
            *held = self.engine.snapshot().ok().map(Arc::new);
        }
        held.clone()
    }

    fn ready(self: &Arc<Self>, within: Vec<String>, budget: Duration) -> anyhow::Result<Ready> {
        self.engine.note_use();
        if !self.engine.is_indexed() {
            return self.first(within);
        }
        let mut attention = locked(&self.attention);
        let held = locked(&self.held).clone();
        let changes = attention.changes(&self.engine, held.as_deref());
        let current = held.clone().filter(|held| changes.is_empty() && self.engine.is_current(held));
        if let Some(snapshot) = current {
            return Ok(Ready { served: Arc::clone(self), snapshot, within, pending: 0, unchecked: false });
        }
        let is_whole = changes.whole;
        let only = if is_whole { Vec::new() } else { changes.files.into_iter().collect() };
        // Who writes is waited for a little: mostly it is our own work behind, which commits in between.
        let until = Some(Instant::now() + budget);
        let options = Options { until, only, lock_wait: budget / 10, ..Options::default() };
        let (snapshot, pending, unchecked) =
            match self.engine.refresh_from(held, &options, &Cancel::new(), &mut |_| {}) {
                Ok((report, snapshot)) => (snapshot, report.pending, report.unchecked),
                // Who writes for longer, or may not, does not keep us from answering from what is there.
                Err(Error::Locked { .. } | Error::Io { .. }) => (Arc::new(self.engine.snapshot()?), 0, true),
                Err(error) => return Err(error.into()),
            };
        attention.looked(&self.engine, &snapshot, is_whole, pending == 0 && !unchecked);
        *locked(&self.held) = Some(Arc::clone(&snapshot));
        if pending > 0 || unchecked || snapshot.lacks_deep() {
            self.catch_up(pending > 0 || unchecked);
        }
        Ok(Ready { served: Arc::clone(self), snapshot, within, pending, unchecked })
    }

    /// The first index: made behind, waited for only so long.
    fn first(self: &Arc<Self>, within: Vec<String>) -> anyhow::Result<Ready> {
        let begin = Instant::now();
        self.catch_up(true);
        let mut pause = PAUSE;
        loop {
            std::thread::sleep(pause);
            // Opening a large index again and again would slow the one who makes it.
            pause = (pause * 2).min(MOST_PAUSE);
            let is_over = begin.elapsed() >= FIRST_INDEX || !self.busy.load(Ordering::Acquire);
            match self.engine.snapshot() {
                Ok(snapshot) if snapshot.is_complete() || is_over => {
                    let unchecked = !snapshot.is_complete();
                    let snapshot = Arc::new(snapshot);
                    *locked(&self.held) = Some(Arc::clone(&snapshot));
                    return Ok(Ready { served: Arc::clone(self), snapshot, within, pending: 0, unchecked });
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
    fn catch_up(self: &Arc<Self>, whole: bool) {
        // A model's server that is down is not asked at every question.
        let failed = locked(&self.failure).as_ref().is_some_and(|(at, _)| at.elapsed() < TRY_AGAIN);
        if (failed && !whole) || self.busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let served = Arc::clone(self);
        let run = move || {
            let options = Options { deep: true, lock_wait: LOCK_WAIT, ..Options::default() };
            let done = if whole { served.index(&options).map(drop) } else { served.deepen() };
            *locked(&served.failure) = done.err().map(|error| (Instant::now(), error.to_string()));
            served.busy.store(false, Ordering::Release);
        };
        if std::thread::Builder::new().name("index".to_owned()).spawn(run).is_err() {
            self.busy.store(false, Ordering::Release);
        }
    }

    fn deepen(&self) -> wherein_engine::Result<()> {
        let held = locked(&self.held).clone();
        let done = self.engine.deepen(held, &Cancel::new(), &mut |_| {})?;
        let failed = |message| Error::Model { model: "deep".to_owned(), message };
        done.failed.map_or(Ok(()), |message| Err(failed(message)))
    }

    /// Indexes with the caller waiting, telling how far it is.
    pub(super) fn index(&self, options: &Options) -> wherein_engine::Result<Report> {
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
        let result = self.engine.refresh_from(held, options, &Cancel::new(), &mut note);
        done.store(0, Ordering::Relaxed);
        total.store(0, Ordering::Relaxed);
        let (report, snapshot) = result?;
        *locked(&self.held) = Some(snapshot);
        Ok(report)
    }
}
