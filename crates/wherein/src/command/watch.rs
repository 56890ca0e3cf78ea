//! `wherein watch`: keeps indexes fresh until it is stopped.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use serde_json::json;
use wherein_engine::Engine;

use crate::args;
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::{BAD, DIM, Ui};
use crate::watch::{Told, Watch};

use super::{CANCEL, watch_interrupts};

/// Watches the roots, each on a thread of its own.
pub(crate) fn run(args: &args::Watch, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    let mut engines = Vec::new();
    for target in settings.targets(args.roots.which(&args.paths))? {
        engines.push(settings.engine(&target.root, false)?);
    }
    settings.take_notes().iter().for_each(|note| ui.say(format!("note: {note}")));
    let failed = Mutex::new(None);
    std::thread::scope(|scope| {
        for engine in &engines {
            let failed = &failed;
            scope.spawn(move || {
                if let Err(error) = one(engine, ui)
                    && let Ok(mut failed) = failed.lock()
                {
                    ui.say(format!("{BAD}✗{BAD:#} {error:#}"));
                    *failed = Some(error);
                }
            });
        }
    });
    let failed = failed.into_inner().ok().flatten().filter(|_| !CANCEL.is_cancelled());
    match failed {
        Some(error) if engines.len() == 1 => Err(error),
        Some(_) => Ok(Exit::Partial),
        None => Ok(Exit::Done),
    }
}

fn one(engine: &Engine, ui: &Ui) -> anyhow::Result<()> {
    Watch::new(engine)?.run(&CANCEL, &mut |told| tell(engine.root(), &told, ui))
}

fn tell(root: &Path, told: &Told<'_>, ui: &Ui) {
    let name = root.display();
    if ui.json {
        let value = match told {
            Told::Ready { folders } => json!({"event": "ready", "root": root, "folders": folders}),
            Told::Polling { reason } => json!({"event": "polling", "root": root, "reason": reason}),
            Told::Indexed(report, took) => json!({
                "event": "indexed", "root": root, "indexed": report.indexed, "deleted": report.deleted,
                "generation": report.coverage.generation, "took_ms": took.as_secs_f64() * 1000.0,
            }),
            Told::Deepened(done) => json!({
                "event": "deepened", "root": root, "embedded": done.embedded, "borrowed": done.borrowed,
            }),
            Told::Failed { message } => json!({"event": "failed", "root": root, "message": message}),
        };
        // Nobody reads any more: the next interrupt ends it.
        drop(writeln!(ui.out(), "{value}"));
        return;
    }
    ui.say(match told {
        Told::Ready { folders: 0 } => format!("{DIM}watching {name}{DIM:#}"),
        Told::Ready { folders } => format!("{DIM}watching {name}, {folders} folders{DIM:#}"),
        Told::Polling { reason } => format!("note: {name}: {reason}; looking every few seconds instead"),
        Told::Indexed(report, took) => format!(
            "↺ {name}: {} indexed, {} deleted in {:.0} ms",
            report.indexed,
            report.deleted,
            took.as_secs_f64() * 1000.0
        ),
        Told::Deepened(done) => {
            format!("↺ {name}: deep vectors of {} passages", done.embedded + done.borrowed)
        }
        Told::Failed { message } => format!("{BAD}✗{BAD:#} {message}"),
    });
}
