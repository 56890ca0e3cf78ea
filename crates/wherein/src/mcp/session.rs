//! What a server serves: which roots, by whose word, and with which settings.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::bail;
use wherein_engine::Cancel;

use crate::corpus::real;
use crate::project;
use crate::settings::{Settings, Target, Which};

use super::served::{Limits, Ready, Served};
use super::sync::{Raised, locked};

/// How long it may take until a change of what is served, or of how, is followed.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

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
    settings: Mutex<Arc<Settings>>,
    asked: Asked,
    /// Whether there is one client, whose folders may count.
    is_single: bool,
    /// Folders that the client names, where it does.
    client: Mutex<Vec<PathBuf>>,
    /// The roots, and when that was looked for.
    looked: Mutex<Option<(Instant, Vec<Target>)>>,
    served: Mutex<HashMap<PathBuf, Arc<Served>>>,
    /// Whether somebody asked for an index that is being made.
    indexing: Arc<AtomicBool>,
}

impl Session {
    pub(crate) fn new(settings: Settings, asked: Asked, is_single: bool) -> Session {
        Session {
            settings: Mutex::new(Arc::new(settings)),
            asked,
            is_single,
            client: Mutex::default(),
            looked: Mutex::default(),
            served: Mutex::default(),
            indexing: Arc::default(),
        }
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&locked(&self.settings))
    }

    /// Whether the client's folders count: where neither the command line nor a named configuration says what is served.
    pub(super) fn wants_client_roots(&self) -> bool {
        self.is_single && self.asked.is_empty() && !self.settings().names_corpus()
    }

    /// Takes the folders that the client names.
    pub(super) fn set_client_roots(&self, roots: Vec<PathBuf>) {
        *locked(&self.client) = roots;
        *locked(&self.looked) = None;
    }

    /// The roots that are served, by falling trust: the command line, a configuration that is named, the client's folders, the project
    /// that the client's variable names or the current folder lies in, the corpus.
    pub(crate) fn targets(&self) -> anyhow::Result<Vec<Target>> {
        let mut looked = locked(&self.looked);
        if let Some((_, targets)) = looked.as_ref().filter(|(at, _)| at.elapsed() < LOOK_AGAIN) {
            return Ok(targets.clone());
        }
        self.follow()?;
        let targets = self.resolve()?;
        *looked = Some((Instant::now(), targets.clone()));
        Ok(targets)
    }

    /// Follows changes of the user's configuration and of those of the roots: what was opened with another one is opened again.
    fn follow(&self) -> anyhow::Result<()> {
        let mut served = locked(&self.served);
        if !self.settings().is_current() {
            *locked(&self.settings) = Arc::new(Settings::read()?);
            served.clear();
        }
        served.retain(|root, served| project::read(root).is_ok_and(|now| now == served.project));
        Ok(())
    }

    fn resolve(&self) -> anyhow::Result<Vec<Target>> {
        let settings = self.settings();
        let Asked { paths, root, global } = &self.asked;
        if !self.asked.is_empty() {
            return settings.targets(Which { paths, root: root.as_deref(), global: *global });
        }
        if settings.names_corpus() {
            return settings.targets(Which { paths: &[], root: None, global: true });
        }
        let mut client = locked(&self.client).clone();
        client.retain(|folder| folder.is_dir() && !settings.is_everything(folder));
        if !client.is_empty() {
            return settings.targets(Which::paths(&client));
        }
        let targets = settings.targets(Which::paths(&[]))?;
        if targets.iter().any(|target| settings.is_everything(&target.root)) {
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
        // A path may lead there by a link.
        let real = real(Path::new(name));
        let is_it = |target: &Target| {
            let folder = target.root.file_name().unwrap_or_default();
            folder == name || target.root == real
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
        let settings = self.settings();
        let new = Arc::new(Served::open(&target.root, &settings)?);
        let mut served = locked(&self.served);
        // Settings that were left behind meanwhile serve this call and no other.
        if !Arc::ptr_eq(&settings, &self.settings()) {
            return Ok(new);
        }
        Ok(Arc::clone(served.entry(target.root.clone()).or_insert(new)))
    }

    /// Brings roots up to date, as far as there is time, and opens them. One that can't be opened is left out, as long as another can;
    /// what was wrong with it is among the notes.
    pub(crate) fn ready(
        &self,
        targets: &[Target],
        cancel: &Cancel,
    ) -> anyhow::Result<(Vec<Ready>, Vec<String>)> {
        let limits = Limits { begin: Instant::now(), budget: self.settings().refresh, cancel };
        let one = |target: &Target| {
            self.served(target).and_then(|served| served.ready(target.within.clone(), limits))
        };
        let (mut out, mut notes, mut failed) = (Vec::new(), Vec::new(), None);
        for (target, done) in targets.iter().zip(side_by_side(targets, one)) {
            match done {
                Ok(ready) => {
                    notes.extend(ready.note.clone());
                    out.push(ready);
                }
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
        let _raised = Raised::new(&self.indexing)?;
        Some(index())
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

/// Roots that are brought up to date at once.
const AT_ONCE: usize = 8;

/// The same for each, on some threads where there are several.
fn side_by_side<T: Sync, R: Send>(all: &[T], one: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if let [single] = all {
        return vec![one(single)];
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let places = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        places.map_while(|at| Some((at, one(all.get(at)?)))).collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_ONCE.min(all.len())).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, done)| done).collect()
}
