//! What the system tells of changes below a root. Watched are the folders in which a change could be one of the root's, and no others: what is
//! ignored is not worth a system's limited watches.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use wherein_engine::{Engine, Snapshot};

/// How long our own sign in the stream of notices is waited for.
const SIGN: Duration = Duration::from_millis(50);
/// Files that are looked at alone; with more of them the whole root is quicker.
const ALONE: usize = 1000;
/// git's own files that say that other files belong to a work tree; its others change all the time.
const TELLING: [&str; 3] = ["index", "HEAD", "exclude"];

/// What changed since the last look.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Files that the index knows, relative to the root.
    pub(crate) files: BTreeSet<String>,
    /// Something else: only a look at the whole root tells what belongs to it.
    pub(crate) whole: bool,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.whole
    }
}

/// A root that the system tells of.
pub(crate) struct Notices {
    root: PathBuf,
    watcher: RecommendedWatcher,
    inbox: Arc<Inbox>,
    folders: BTreeSet<PathBuf>,
    /// Where our own signs are made, and how many were.
    signs: (PathBuf, u64),
}

#[derive(Default)]
struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    paths: BTreeSet<PathBuf>,
    /// The system's queue was full: something is lost.
    lost: bool,
    /// The last of our own signs that came by.
    sign: u64,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_in(&self, event: notify::Result<Event>, signs: &Path) {
        let mut state = self.state();
        match event {
            Err(_) => state.lost = true,
            Ok(event) if matches!(event.kind, EventKind::Access(_)) => return,
            Ok(event) => {
                state.lost |= event.need_rescan();
                for path in event.paths {
                    if path.parent() != Some(signs) {
                        state.paths.insert(path);
                    } else if let Some(number) = number_of(&path) {
                        state.sign = state.sign.max(number);
                    }
                }
            }
        }
        drop(state);
        self.arrived.notify_all();
    }
}

/// The name of a sign of this process.
fn sign(number: u64) -> String {
    format!("sign-{}-{number}", std::process::id())
}

fn number_of(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?.strip_prefix("sign-")?;
    let (process, number) = name.split_once('-')?;
    (process == std::process::id().to_string()).then(|| number.parse().ok())?
}

impl Notices {
    /// Begins to listen; [`Self::follow`] says to what.
    ///
    /// # Errors
    /// Where the system has no way to tell.
    pub(crate) fn new(engine: &Engine) -> notify::Result<Notices> {
        let inbox = Arc::new(Inbox::default());
        let signs = engine.index_dir().to_path_buf();
        let (to, at) = (Arc::clone(&inbox), signs.clone());
        let watcher = notify::recommended_watcher(move |event| to.take_in(event, &at))?;
        let root = engine.root().to_path_buf();
        Ok(Notices { root, watcher, inbox, folders: BTreeSet::new(), signs: (signs, 0) })
    }

    /// How many folders are watched.
    pub(crate) fn folders(&self) -> usize {
        self.folders.len()
    }

    /// Watches the folders of the root as they are now. Says whether one is new: what happened in it before is not told.
    ///
    /// # Errors
    /// Where the system's limit of watches is reached; then nothing is watched any more.
    pub(crate) fn follow(&mut self, engine: &Engine, snapshot: &Snapshot) -> anyhow::Result<bool> {
        let mut wanted: BTreeSet<PathBuf> = engine.folders()?.into_iter().collect();
        wanted.extend(folders_of(&self.root, snapshot));
        for gone in self.folders.difference(&wanted) {
            // A folder that is gone is not watched any more in any case.
            drop(self.watcher.unwatch(gone));
        }
        // The signs come by the same way, after what was told before them.
        if self.folders.is_empty() && self.signs.0.is_dir() {
            self.watcher.watch(&self.signs.0, RecursiveMode::NonRecursive)?;
        }
        let new: Vec<PathBuf> = wanted.difference(&self.folders).cloned().collect();
        self.folders = self.folders.intersection(&wanted).cloned().collect();
        let mut is_new = false;
        for folder in new {
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => is_new |= self.folders.insert(folder),
                Err(error) if is_gone(&error) => {}
                Err(error) => {
                    // Half of the folders would be watched for nothing.
                    self.folders.iter().for_each(|folder| drop(self.watcher.unwatch(folder)));
                    self.folders.clear();
                    anyhow::bail!("{error} (on Linux fs.inotify.max_user_watches sets the limit)");
                }
            }
        }
        Ok(is_new)
    }

    /// Whether everything that happened before this call has been told: a sign of our own, made now, has come by the same way. False where it
    /// can't be made, or does not come.
    pub(crate) fn is_caught_up(&mut self) -> bool {
        self.signs.1 += 1;
        let (folder, number) = &self.signs;
        let file = folder.join(sign(*number));
        if File::create(&file).is_err() {
            return false;
        }
        drop(std::fs::remove_file(&file));
        let until = Instant::now() + SIGN;
        let mut state = self.inbox.state();
        while state.sign < *number {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.inbox.arrived.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Waits until something has been told, or for so long.
    pub(crate) fn wait(&self, most: Duration) -> bool {
        let is_empty = |state: &mut State| state.paths.is_empty() && !state.lost;
        let waited = self.inbox.arrived.wait_timeout_while(self.inbox.state(), most, is_empty);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.paths.is_empty() || state.lost
    }

    /// Takes what was told since.
    pub(crate) fn take(&self, known: Option<&Snapshot>) -> Changes {
        let (paths, lost) = {
            let mut state = self.inbox.state();
            (std::mem::take(&mut state.paths), std::mem::take(&mut state.lost))
        };
        let mut out = Changes { whole: lost, ..Changes::default() };
        for path in &paths {
            out.add(path, &self.root, known);
        }
        out.whole |= out.files.len() > ALONE;
        out
    }
}

impl Changes {
    fn add(&mut self, path: &Path, root: &Path, known: Option<&Snapshot>) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        // git's own folder may lie elsewhere.
        let Ok(inside) = path.strip_prefix(root) else {
            self.whole |= TELLING.contains(&name);
            return;
        };
        let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        let place = parts.join("/");
        if parts.iter().any(|part| part == ".git") {
            self.whole |= TELLING.contains(&name);
        } else if known.is_some_and(|known| known.find(&place).is_some())
            && !matches!(name, ".gitignore" | ".indexignore")
        {
            self.files.insert(place);
        } else {
            self.whole = true;
        }
    }
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(io) => io.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Folders with files of the root, and those above them.
fn folders_of(root: &Path, snapshot: &Snapshot) -> BTreeSet<PathBuf> {
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
    out
}
