//! `wherein gc` and `wherein list --all`: every index there is, and which of them nobody needs. Nothing goes unasked.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use indicatif::HumanBytes;
use serde_json::{Value, json};
use wherein_engine::IndexInfo;

use crate::args::Gc;
use crate::corpus::real;
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::{BAD, DIM, Ui};

/// What an index is to its user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Of a folder of the corpus.
    Corpus,
    /// Of another folder that is there.
    InUse,
    /// Its folder is there, but nobody asked for long.
    Unused,
    /// Its folder is gone.
    Gone,
    /// It does not say whose it is.
    Orphan,
}

impl State {
    fn of(index: &IndexInfo, corpus: &HashSet<PathBuf>, unused: Duration) -> State {
        let Some(root) = &index.root else { return State::Orphan };
        let is_old = index.used.elapsed().is_ok_and(|age| age > unused);
        match root.is_dir() {
            false => State::Gone,
            true if corpus.contains(root) => State::Corpus,
            true if is_old => State::Unused,
            true => State::InUse,
        }
    }

    /// Whether nobody needs it.
    fn goes(self) -> bool {
        matches!(self, State::Unused | State::Gone | State::Orphan)
    }

    fn words(self) -> &'static str {
        match self {
            State::Corpus => "corpus",
            State::InUse => "indexed",
            State::Unused => "long unused",
            State::Gone => "folder gone",
            State::Orphan => "of no folder",
        }
    }
}

/// Unused for so long is long, where nobody says otherwise.
const UNUSED: Duration = Duration::from_secs(60 * 86_400);

/// Names every index with its size and last use.
pub(super) fn list_all(settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let all = states(settings, UNUSED)?;
    write(&all, "indexes", ui)?;
    Ok(Exit::Done)
}

/// Shows, or removes, what nobody needs.
pub(crate) fn run(args: &Gc, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let mut all = states(settings, Duration::from_secs(args.unused * 86_400))?;
    all.retain(|(_, state)| state.goes());
    write(&all, if args.yes { "removed" } else { "would_remove" }, ui)?;
    if !args.yes {
        if !ui.json && !all.is_empty() {
            ui.say("`wherein gc --yes` removes them");
        }
        return Ok(Exit::Done);
    }
    let mut exit = Exit::Done;
    for (index, _) in &all {
        if let Err(error) = wherein_engine::remove_index(index) {
            ui.say(format!("{BAD}✗{BAD:#} {error}"));
            exit = Exit::Partial;
        }
    }
    Ok(exit)
}

/// Every index in every folder that may hold some.
pub(super) fn every_index(settings: &Settings) -> anyhow::Result<Vec<IndexInfo>> {
    let mut out = Vec::new();
    for dir in settings.data_dirs() {
        out.extend(wherein_engine::indexes(&dir)?);
    }
    Ok(out)
}

fn states(settings: &Settings, unused: Duration) -> anyhow::Result<Vec<(IndexInfo, State)>> {
    let all = every_index(settings)?;
    let corpus: HashSet<PathBuf> = settings.corpus.roots.iter().map(|root| real(root)).collect();
    Ok(all
        .into_iter()
        .map(|index| {
            let state = State::of(&index, &corpus, unused);
            (index, state)
        })
        .collect())
}

fn write(all: &[(IndexInfo, State)], key: &str, ui: &Ui) -> anyhow::Result<()> {
    let mut out = ui.out();
    let total: u64 = all.iter().map(|(index, _)| index.bytes).sum();
    if ui.json {
        let list: Vec<Value> = all.iter().map(|(index, state)| describe(index, *state)).collect();
        writeln!(out, "{}", json!({key: list, "bytes": total}))?;
        return Ok(());
    }
    for (index, state) in all {
        let root = index.root.as_ref().unwrap_or(&index.dir);
        writeln!(
            out,
            "{:<12}  {:>10}  {:>12}  {}",
            state.words(),
            HumanBytes(index.bytes).to_string(),
            ago(index.used),
            root.display()
        )?;
    }
    let indexes = if all.len() == 1 { "index" } else { "indexes" };
    writeln!(out, "{DIM}{} {indexes}, {}{DIM:#}", all.len(), HumanBytes(total))?;
    Ok(())
}

fn describe(index: &IndexInfo, state: State) -> Value {
    let used = index.used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    json!({
        "root": index.root,
        "index": index.dir,
        "bytes": index.bytes,
        "last_used": used.as_secs(),
        "state": state.words(),
    })
}

/// How long ago, in words.
pub(super) fn ago(time: SystemTime) -> String {
    let minutes = time.elapsed().unwrap_or_default().as_secs() / 60;
    match minutes {
        0 => "just now".to_owned(),
        1..120 => format!("{minutes} min ago"),
        120..2880 => format!("{} h ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    }
}
