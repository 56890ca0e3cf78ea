//! `wherein doctor`: is everything as it should be, and what mends it where it is not?

use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use wherein_engine::{Card, Engine, Error, IndexInfo, Status};

use crate::args::Doctor;
use crate::mount;
use crate::report::Exit;
use crate::settings::{Settings, check_writable, remote_note};
use crate::ui::{BAD, DIM, LINE, Ui};

use super::gc::every_index;
use super::index::percent;

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// It works, but not as well as it could.
    Note,
    Bad,
}

/// One check.
struct Check {
    state: State,
    /// What was checked, and what was found.
    text: String,
    /// The command that mends it.
    repair: Option<String>,
}

impl Check {
    fn good(text: impl Into<String>) -> Check {
        Check { state: State::Good, text: text.into(), repair: None }
    }

    fn note(text: impl Into<String>, repair: impl Into<String>) -> Check {
        Check { state: State::Note, text: text.into(), repair: Some(repair.into()) }
    }

    fn bad(text: impl Into<String>, repair: Option<String>) -> Check {
        Check { state: State::Bad, text: text.into(), repair }
    }
}

/// Checks git, folders, configuration, every index and every model.
pub(crate) fn run(_: &Doctor, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let data_dir = &settings.config.data_dir;
    let mut checks = vec![git(), folder(data_dir)];
    if let Some(kind) = mount::remote(data_dir) {
        checks.push(Check::note(remote_note(data_dir, kind), "export WHEREIN_DATA_DIR=FOLDER"));
    }
    let corpus = &settings.corpus;
    checks.push(if corpus.is_there {
        Check::good(format!("configuration {}, {} folders", corpus.file.display(), corpus.roots.len()))
    } else {
        Check::good(format!("no configuration ({}); none is needed", corpus.file.display()))
    });
    for root in corpus.roots.iter().filter(|root| !root.is_dir()) {
        let remove = format!("wherein remove {}", root.display());
        checks.push(Check::bad(format!("{} of the corpus is not there", root.display()), Some(remove)));
    }
    for index in every_index(settings)? {
        checks.push(check_index(&index, settings));
    }
    for folder in settings.models().folders() {
        checks.push(match Card::read(&folder) {
            Ok(card) => Check::good(format!("model {}", card.name)),
            Err(error) => Check::bad(error.to_string(), Some("wherein model add FOLDER".to_owned())),
        });
    }
    write(&checks, ui)?;
    let is_bad = checks.iter().any(|check| check.state == State::Bad);
    Ok(if is_bad { Exit::Partial } else { Exit::Done })
}

fn git() -> Check {
    let version = Command::new("git").arg("--version").output();
    match version {
        Ok(output) if output.status.success() => {
            Check::good(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        Ok(output) => {
            Check::bad(format!("git fails: {}", String::from_utf8_lossy(&output.stderr).trim()), None)
        }
        Err(error) => Check::bad(
            format!(
                "git can't be started ({error}); folders that are git work trees can't be listed without it"
            ),
            None,
        ),
    }
}

fn folder(data_dir: &Path) -> Check {
    let at = data_dir.display();
    match check_writable(data_dir) {
        Ok(()) => Check::good(format!("indexes in {at}")),
        Err(error) => Check::note(
            format!("{at} can't be written ({error}); indexes are kept in each folder's .wherein"),
            "export WHEREIN_DATA_DIR=FOLDER",
        ),
    }
}

fn check_index(index: &IndexInfo, settings: &Settings) -> Check {
    let Some(root) = &index.root else {
        return Check::bad(
            format!("{} belongs to no folder", index.dir.display()),
            Some("wherein gc --yes".to_owned()),
        );
    };
    let at = root.display();
    if !root.is_dir() {
        return Check::note(format!("{at} is gone, its index is still there"), "wherein gc --yes");
    }
    let again = |flags: &str| format!("wherein index {flags}{at}");
    // Opening compares every file with its checksum, and every record of a file with its chunks.
    let status = settings.engine(root, true).and_then(|engine: Engine| Ok(engine.status()?));
    match status {
        Ok(status) => judge(&status, &again("")),
        Err(error) => match error.downcast_ref::<Error>() {
            Some(Error::Identity { .. }) => Check::bad(error.to_string(), Some(again("--rebuild "))),
            Some(Error::Damaged { .. } | Error::Format { .. } | Error::Storage { .. }) => {
                Check::bad(error.to_string(), Some(again("")))
            }
            _ => Check::bad(format!("{error:#}"), None),
        },
    }
}

fn judge(status: &Status, repair: &str) -> Check {
    let (at, coverage) = (status.root.display(), &status.coverage);
    let what = format!("{at}: {} files, {} chunks", coverage.files, coverage.chunks);
    let lacks = coverage.deep.filter(|share| *share < 1.0);
    match lacks {
        _ if status.writing || status.deepening => Check::good(format!("{what}, being indexed")),
        _ if coverage.partial => Check::note(format!("{what}, not everything that was found"), repair),
        _ if !status.unreadable.is_empty() => {
            Check::note(format!("{what}, {} could not be read", status.unreadable.len()), repair)
        }
        _ if error_of(status).is_some() => {
            Check::note(format!("{what}, {}", error_of(status).unwrap_or_default()), repair)
        }
        _ if status.stale => Check::note(format!("{what}, files changed since"), repair),
        Some(share) => {
            Check::note(format!("{what}, {} % of the prose known to the deep model", percent(share)), repair)
        }
        None => Check::good(what),
    }
}

/// What kept the last run from doing everything.
fn error_of(status: &Status) -> Option<&str> {
    let run = status.last_run.as_ref()?;
    run.error.as_deref().or(run.deep_error.as_deref())
}

fn write(checks: &[Check], ui: &Ui) -> anyhow::Result<()> {
    let mut out = ui.out();
    if ui.json {
        let one = |check: &Check| -> Value {
            let state = match check.state {
                State::Good => "good",
                State::Note => "note",
                State::Bad => "bad",
            };
            json!({"state": state, "text": check.text, "repair": check.repair})
        };
        writeln!(out, "{}", json!({"checks": checks.iter().map(one).collect::<Vec<_>>()}))?;
        return Ok(());
    }
    for check in checks {
        let (style, mark) = match check.state {
            State::Good => (LINE, "✓"),
            State::Note => (DIM, "!"),
            State::Bad => (BAD, "✗"),
        };
        writeln!(out, "{style}{mark}{style:#} {}", check.text)?;
        if let Some(repair) = &check.repair {
            writeln!(out, "    {DIM}{repair}{DIM:#}")?;
        }
    }
    Ok(())
}
