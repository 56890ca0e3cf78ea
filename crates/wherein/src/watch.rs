//! Watching a root: changes on disk are indexed as the system tells of them. A change to a file that the index knows is looked at
//! alone; anything else asks for a look at the whole root, since only git and the ignore rules say what belongs to it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use wherein_engine::{Cancel, DeepReport, Engine, Options, Report, Snapshot};

use crate::mount;
use crate::notices::{Changes, Notices};

/// Changes within so short a time are taken together: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(30);
/// How often it is asked whether to stop.
const PAUSE: Duration = Duration::from_millis(200);
/// But nobody waits longer than this for the first of them.
const PATIENCE: Duration = Duration::from_millis(500);
/// A change that the system did not tell of is found after this time at the latest.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// How often folders are looked at where the system does not tell.
const POLL: Duration = Duration::from_secs(2);
/// How long another writer is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(30);

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
    notices: Notices,
    is_polling: bool,
    /// A folder is watched that was not when the root was last looked at.
    unseen: bool,
}

impl<'a> Watch<'a> {
    /// Begins to watch; what changed before is found by [`Self::run`].
    ///
    /// # Errors
    /// Where the system has no way to watch at all.
    pub(crate) fn new(engine: &'a Engine) -> anyhow::Result<Watch<'a>> {
        Ok(Watch { engine, notices: Notices::new(engine)?, is_polling: false, unseen: false })
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
        (lacks, deepened): (Sender<Arc<Snapshot>>, Receiver<Deepened>),
        cancel: &Cancel,
        tell: &mut dyn FnMut(Told<'_>),
    ) -> anyhow::Result<()> {
        let whole = Changes { whole: true, ..Changes::default() };
        let snapshot = self.index(None, &whole, cancel, tell)?;
        self.watch(&snapshot, tell);
        tell(Told::Ready { folders: self.notices.folders() });
        let mut known = Some(snapshot);
        loop {
            if let Some(known) = known.as_ref().filter(|known| known.lacks_deep()) {
                lacks.send(Arc::clone(known))?;
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
        if std::mem::take(&mut self.unseen) {
            return Changes { whole: true, ..Changes::default() };
        }
        let again = Instant::now() + if self.is_polling { POLL } else { LOOK_AGAIN };
        while !cancel.is_cancelled() {
            meanwhile();
            if self.notices.wait(PAUSE) {
                let mut changes = self.notices.take(known);
                let first = Instant::now();
                std::thread::sleep(QUIET);
                while first.elapsed() < PATIENCE && self.notices.wait(Duration::ZERO) {
                    let more = self.notices.take(known);
                    changes.files.extend(more.files);
                    changes.whole |= more.whole;
                    std::thread::sleep(QUIET);
                }
                if !changes.is_empty() {
                    return changes;
                }
            } else if Instant::now() >= again {
                return Changes { whole: true, ..Changes::default() };
            }
        }
        Changes::default()
    }

    fn watch(&mut self, snapshot: &Snapshot, tell: &mut dyn FnMut(Told<'_>)) {
        if self.is_polling {
            return;
        }
        let followed = match mount::remote(self.engine.root()) {
            Some(kind) => Err(format!("a {kind} mount does not tell of changes made elsewhere")),
            None => self.notices.follow(self.engine, snapshot).map_err(|error| error.to_string()),
        };
        match followed {
            Ok(is_new) => self.unseen = is_new,
            Err(reason) => {
                self.is_polling = true;
                tell(Told::Polling { reason: &reason });
            }
        }
    }
}

/// What became of the deep vectors that were lacking.
type Deepened = Result<DeepReport, wherein_engine::Error>;

/// Fills in deep vectors whenever some are lacking, until nobody asks any more.
fn deepen(engine: &Engine, lacks: &Receiver<Arc<Snapshot>>, done: &Sender<Deepened>, cancel: &Cancel) {
    while let Ok(first) = lacks.recv() {
        if cancel.is_cancelled() {
            return;
        }
        // What was asked meanwhile is done with the last of it.
        let held = lacks.try_iter().last().unwrap_or(first);
        if done.send(engine.deepen(Some(held), cancel, &mut |_| {})).is_err() {
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
