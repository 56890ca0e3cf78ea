//! Failures → words, hints and exit codes.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::json;
use wherein_engine::Error;

use crate::ui::{BAD, DIM, Ui};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done: found or nothing.
    Done,
    /// Done, but some files or roots failed.
    Partial,
    /// Nothing could be done; why was said.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Done => ExitCode::SUCCESS,
            Exit::Partial => ExitCode::from(3),
            Exit::Failed => ExitCode::FAILURE,
        }
    }
}

/// Help and version are success; anything else the parser refuses is bad usage.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // Nothing is left to tell where even this can't be written.
    drop(error.print());
    if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS }
}

/// Says what failed and what to do next.
pub(crate) fn failure(ui: &Ui, error: &anyhow::Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let engine = error.downcast_ref::<Error>();
    let hint = engine.and_then(Error::hint);
    if ui.json {
        let value = json!({"error": describe(error)});
        drop(writeln!(ui.out(), "{value}"));
    } else {
        ui.say(format!("{BAD}error:{BAD:#} {error:#}"));
        if let Some(hint) = hint {
            ui.say(format!("{DIM}hint: {hint}{DIM:#}"));
        }
    }
    ExitCode::FAILURE
}

/// A failure as JSON.
pub(crate) fn describe(error: &anyhow::Error) -> serde_json::Value {
    let engine = error.downcast_ref::<Error>();
    json!({
        "kind": engine.map_or("failed", Error::kind),
        "message": format!("{error:#}"),
        "path": engine.and_then(Error::path).map(|p| p.display().to_string()),
        "hint": engine.and_then(Error::hint),
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe))
}
