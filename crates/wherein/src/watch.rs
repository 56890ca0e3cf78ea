//! Watching a root: changes on disk are indexed as the system tells of them. A change to a file that the index knows is looked at
//! alone; anything else asks for a look at the whole root, since only git and the ignore rules say what belongs to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use wherein_engine::{Cancel, DeepReport, Engine, Options, Report, Snapshot};

use crate::mount;

/// Changes within so short a time are taken together: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(30);
/// But nobody waits longer than this for the first of them.
const PATIENCE: Duration = Duration::from_millis(500);
/// A change that the system did not tell of is found after this time at the latest.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// How often folders are looked at where the system does not tell.
const POLL: Duration = Duration::from_secs(2);
/// How long another writer is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// Files that are looked at alone; with more of them the whole root is quicker.
const ALONE: usize = 1000;

/// What a watched root tells.
pub(crate) enum Told<'a> {
    /// It is up to date, and so many folders are watched.
    Ready { folders: usize },
    /// The system can't tell, so the root is looked at every few seconds; why.
    Polling { reason: &'a str },
    /// Something was indexed.
    Indexed(&'a Report, Duration),
    /// Passages got deep vectors.
    Deepened(&'a DeepReport),
    /// One of the two could not be done.
    Failed { message: &'a str },
}

/// A root that is watched.
pub(crate) struct Watch<'a> {
    engine: &'a Engine,
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    /// Folders that the system tells of.
    folders: BTreeSet<PathBuf>,
    is_polling: bool,
}

/// What changed since the last look.
#[derive(Default)]
struct Changes {
    /// Files, relative to the root.
    files: BTreeSet<String>,
    /// Something else than files that the index knows.
    whole: bool,
}

impl<'a> Watch<'a> {
    /// Begins to watch; what changed before is found by [`Self::run`].
    ///
    /// # Errors
    /// Where the system has no way to watch at all.
    pub(crate) fn new(engine: &'a Engine) -> anyhow::Result<Watch<'a>> {
        let (send, events) = channel();
        let watcher = notify::recommended_watcher(send)?;
        Ok(Watch { engine, watcher, events, folders: BTreeSet::new(), is_polling: false })
    }

    /// Follows the root until it is told to stop. Deep vectors are filled in beside it.
    ///
    /// # Errors
    /// Where the root can't be indexed at all.
    pub(crate) fn run(&mut self, cancel: &Cancel, tell: &mut dyn FnMut(Told<'_>)) -> anyhow::Result<()> {
        let engine = self.engine;
        let ((lacks, asked), (done, told)) = (channel(), channel());
        std::thread::scope(|scope| {
            scope.spawn(move || deepen(engine, &asked, &done, cancel));
            // The other thread ends when nobody can ask any more.
            self.follow((lacks, told), cancel, tell)
        })
    }

    fn follow(
        &mut self,
        (lacks, deepened): (Sender<()>, Receiver<Deepened>),
        cancel: &Cancel,
        tell: &mut dyn FnMut(Told<'_>),
    ) -> anyhow::Result<()> {
        let whole = Changes { whole: true, ..Changes::default() };
        let snapshot = self.index(None, &whole, cancel, tell)?;
        self.watch(&snapshot, tell);
        tell(Told::Ready { folders: self.folders.len() });
        let mut known = Some(snapshot);
        loop {
            if known.as_deref().is_some_and(Snapshot::lacks_deep) {
                lacks.send(())?;
            }
            let changes = self.wait(known.as_deref(), cancel, &mut || {
                deepened.try_iter().for_each(|done| tell_deepened(done, tell));
            });
            if cancel.is_cancelled() {
                return Ok(());
            }
            match self.index(known.take(), &changes, cancel, tell) {
                Ok(snapshot) => {
                    if changes.whole {
                        self.watch(&snapshot, tell);
                    }
                    known = Some(snapshot);
                }
                // A root that is gone for a while, or whose git fails, may come back; without a generation the next look is whole.
                Err(error) if !cancel.is_cancelled() => {
                    tell(Told::Failed { message: &error.to_string() });
                    std::thread::sleep(POLL);
                }
                Err(_) => {}
            }
        }
    }

    fn index(
        &self,
        held: Option<Arc<Snapshot>>,
        changes: &Changes,
        cancel: &Cancel,
        tell: &mut dyn FnMut(Told<'_>),
    ) -> Result<Arc<Snapshot>, wherein_engine::Error> {
        let begin = Instant::now();
        let only = if changes.whole { Vec::new() } else { changes.files.iter().cloned().collect() };
        let options = Options { only, lock_wait: LOCK_WAIT, ..Options::default() };
        let (report, snapshot) = self.engine.refresh_from(held, &options, cancel, &mut |_| {})?;
        if report.indexed + report.deleted > 0 {
            tell(Told::Indexed(&report, begin.elapsed()));
        }
        Ok(snapshot)
    }

    /// Waits for changes, and until they pause.
    fn wait(&mut self, known: Option<&Snapshot>, cancel: &Cancel, meanwhile: &mut dyn FnMut()) -> Changes {
        let mut changes = Changes::default();
        let again = Instant::now() + if self.is_polling { POLL } else { LOOK_AGAIN };
        let mut first: Option<Instant> = None;
        while !cancel.is_cancelled() {
            let is_over = first.is_some_and(|first| first.elapsed() >= PATIENCE);
            let patience = if first.is_some() { QUIET } else { Duration::from_millis(200) };
            meanwhile();
            match self.events.recv_timeout(patience) {
                Ok(event) => {
                    changes.add(event, self.engine.root(), known);
                    if first.is_none() && !changes.is_empty() {
                        first = Some(Instant::now());
                    }
                }
                Err(RecvTimeoutError::Timeout) if first.is_some() => break,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(patience),
            }
            if is_over {
                break;
            }
            if first.is_none() && Instant::now() >= again {
                changes.whole = true;
                break;
            }
        }
        changes.whole |= changes.files.len() > ALONE;
        changes
    }

    /// Watches the folders that hold files of the root, and no others: what is ignored is not worth a system's limited watches.
    fn watch(&mut self, snapshot: &Snapshot, tell: &mut dyn FnMut(Told<'_>)) {
        if self.is_polling {
            return;
        }
        if let Some(kind) = mount::remote(self.engine.root()) {
            self.is_polling = true;
            tell(Told::Polling {
                reason: &format!("a {kind} mount does not tell of changes made elsewhere"),
            });
            return;
        }
        let wanted = folders(self.engine.root(), snapshot);
        for gone in self.folders.difference(&wanted) {
            // A folder that is gone is not watched any more in any case.
            drop(self.watcher.unwatch(gone));
        }
        let new: Vec<PathBuf> = wanted.difference(&self.folders).cloned().collect();
        self.folders = self.folders.intersection(&wanted).cloned().collect();
        for folder in new {
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.folders.insert(folder)),
                Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => {}
                Err(error) if matches!(&error.kind, ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound) =>
                    {}
                Err(error) => {
                    // Half of the folders would be watched for nothing.
                    self.folders.iter().for_each(|folder| drop(self.watcher.unwatch(folder)));
                    (self.folders, self.is_polling) = (BTreeSet::new(), true);
                    let reason = format!("{error} (on Linux fs.inotify.max_user_watches sets the limit)");
                    tell(Told::Polling { reason: &reason });
                    return;
                }
            }
        }
    }
}

/// What became of the deep vectors that were lacking.
type Deepened = Result<DeepReport, wherein_engine::Error>;

/// Fills in deep vectors whenever some are lacking, until nobody asks any more.
fn deepen(engine: &Engine, lacks: &Receiver<()>, done: &Sender<Deepened>, cancel: &Cancel) {
    while lacks.recv().is_ok() && !cancel.is_cancelled() {
        // What was asked meanwhile is done with this.
        while lacks.try_recv().is_ok() {}
        if done.send(engine.deepen(cancel, &mut |_| {})).is_err() {
            return;
        }
    }
}

fn tell_deepened(done: Deepened, tell: &mut dyn FnMut(Told<'_>)) {
    match done {
        Ok(DeepReport { failed: Some(message), .. }) => tell(Told::Failed { message: &message }),
        Ok(report) if report.embedded + report.borrowed > 0 => tell(Told::Deepened(&report)),
        Ok(_) | Err(wherein_engine::Error::Cancelled) => {}
        Err(error) => tell(Told::Failed { message: &error.to_string() }),
    }
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.whole
    }

    fn add(&mut self, event: notify::Result<Event>, root: &Path, known: Option<&Snapshot>) {
        // An error is mostly a queue that was full: something is lost.
        let Ok(event) = event else {
            self.whole = true;
            return;
        };
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        self.whole |= event.need_rescan();
        for path in &event.paths {
            let Ok(inside) = path.strip_prefix(root) else { continue };
            let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            let place = parts.join("/");
            let name = parts.last().map(AsRef::as_ref).unwrap_or_default();
            if parts.iter().any(|part| part == ".git") {
                // git's own files change all the time; these two say that other files belong to the tree.
                self.whole |= matches!(name, "index" | "HEAD");
            } else if known.is_some_and(|known| known.find(&place).is_some())
                && !matches!(name, ".gitignore" | ".indexignore")
            {
                self.files.insert(place);
            } else {
                self.whole = true;
            }
        }
    }
}

/// Folders with files of the root, those above them, and git's own.
fn folders(root: &Path, snapshot: &Snapshot) -> BTreeSet<PathBuf> {
    let mut out = BTreeSet::from([root.to_path_buf()]);
    let mut last = "";
    for file in 0..snapshot.files().len() {
        let path = snapshot.path(file);
        let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if folder == last {
            continue;
        }
        last = folder;
        while !folder.is_empty() && out.insert(root.join(folder)) {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }
    let git = root.join(".git");
    if git.is_dir() {
        out.insert(git);
    }
    out
}
