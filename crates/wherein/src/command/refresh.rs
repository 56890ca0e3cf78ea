//! The refresh that questions begin with: roots are brought up to date within a time, and what could not be done is said.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use wherein_engine::{Coverage, Engine, Error, Event, Options, Snapshot};

use crate::settings::Settings;
use crate::ui::Ui;

use super::CANCEL;
use super::index::tail;

/// How long a search waits for the first commit of an index that another process is building.
const FIRST_COMMIT_PATIENCE: Duration = Duration::from_secs(60);
/// How long a first index may take before a search answers from what there is by then.
const FIRST_INDEX: Duration = Duration::from_secs(30);

/// A root with the generation that answers.
pub(super) struct Ready {
    pub(super) engine: Engine,
    pub(super) snapshot: Arc<Snapshot>,
    /// What the refresh left to do.
    left: Left,
}

#[derive(Clone, Copy, Default)]
struct Left {
    pending: usize,
    unchecked: bool,
}

impl Ready {
    /// Adds what was left to do to the coverage of an answer.
    pub(super) fn tell(&self, coverage: &mut Coverage) {
        coverage.pending += self.left.pending;
        coverage.unchecked |= self.left.unchecked;
    }
}

/// Opens a root as it is, or as the disk is now where it is to be looked at.
pub(super) fn ready(engine: Engine, look: bool, settings: &Settings, ui: &Ui) -> anyhow::Result<Ready> {
    engine.note_use();
    settings.take_notes().iter().for_each(|note| ui.say(format!("note: {note}")));
    let most = if engine.is_indexed() { settings.refresh } else { FIRST_INDEX };
    let (snapshot, left) = if look {
        refresh(&engine, Some(most), ui)?
    } else {
        (Arc::new(engine.snapshot()?), Left::default())
    };
    Ok(Ready { engine, snapshot, left })
}

/// Brings a root up to date however long it takes, and opens it.
pub(super) fn whole(engine: &Engine, ui: &Ui) -> anyhow::Result<Arc<Snapshot>> {
    refresh(engine, None, ui).map(|(snapshot, _)| snapshot)
}

/// Opens several roots side by side, in their order. One that can't be opened is said and left out, as long as another can.
pub(super) fn ready_all(
    engines: Vec<anyhow::Result<Engine>>,
    look: bool,
    settings: &Settings,
    ui: &Ui,
) -> anyhow::Result<(Vec<(usize, Ready)>, usize)> {
    let threads = settings.config.threads.min(engines.len());
    let queue = Mutex::new(engines.into_iter().enumerate());
    let next = || queue.lock().ok()?.next();
    let work = || {
        let mut out = Vec::new();
        while let Some((place, engine)) = next() {
            out.push((place, engine.and_then(|engine| ready(engine, look, settings, ui))));
        }
        out
    };
    let mut done = std::thread::scope(|scope| {
        // This thread is one of them.
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(place, _)| *place);
    let mut failed = Vec::new();
    let mut out = Vec::new();
    for (place, result) in done {
        match result {
            Ok(ready) => out.push((place, ready)),
            Err(error) => failed.push(error),
        }
    }
    if out.is_empty() {
        return Err(failed.pop().unwrap_or_else(|| Error::Cancelled.into()));
    }
    failed.iter().for_each(|error| ui.say(format!("note: {error:#}")));
    Ok((out, failed.len()))
}

/// Brings a root up to date before a search and opens it. Another process that is writing is not waited for, unless
/// nothing can be answered without it.
fn refresh(engine: &Engine, most: Option<Duration>, ui: &Ui) -> anyhow::Result<(Arc<Snapshot>, Left)> {
    let bar = ui.progress();
    let mut say = |event: Event<'_>| match event {
        Event::Planned { pending, .. } => bar.set_length(pending as u64),
        Event::Progress { done, path, .. } => {
            bar.set_position(done as u64);
            bar.set_message(tail(path));
        }
        Event::Rebuilding { reason } => {
            bar.suspend(|| ui.say(format!("note: {reason}; it is built anew")));
        }
        Event::Failed { path, message } => {
            bar.suspend(|| ui.say(format!("note: {path} could not be read: {message}")));
        }
        _ => {}
    };
    let begin = Instant::now();
    let options = Options { until: most.map(|most| begin + most), ..Options::default() };
    let result = engine.refresh(&options, &CANCEL, &mut say);
    bar.finish_and_clear();
    match result {
        Ok((report, snapshot)) => {
            Ok((snapshot, Left { pending: report.pending, unchecked: report.unchecked }))
        }
        Err(Error::Locked { .. }) => {
            loop {
                match engine.snapshot() {
                    Ok(snapshot) => {
                        ui.say("note: another process is indexing this folder; the answer is from its last commit");
                        return Ok((Arc::new(snapshot), Left { unchecked: true, pending: 0 }));
                    }
                    Err(Error::NotIndexed { .. } | Error::Format { .. } | Error::Damaged { .. })
                        if begin.elapsed() < FIRST_COMMIT_PATIENCE && !CANCEL.is_cancelled() =>
                    {
                        std::thread::sleep(Duration::from_millis(50));
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Err(error) => match engine.snapshot() {
            // Where writing is forbidden an answer from what is there beats none; it says so.
            Ok(snapshot) if matches!(&error, Error::Io { source, .. } if is_read_only(source)) => {
                ui.say(format!("note: the index can't be brought up to date: {error}"));
                Ok((Arc::new(snapshot), Left { unchecked: true, pending: 0 }))
            }
            _ => Err(error.into()),
        },
    }
}

fn is_read_only(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem)
}
