//! `wherein add`, `remove`, `list` and `config`: the corpus and where things are. Lines are those of semantic-search-mcp.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use wherein_engine::{Engine, Snapshot, check_root};

use crate::args::{Add, ConfigArgs, List, Remove};
use crate::corpus::{Added, name, real};
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::{BAD, DIM, NAME, Ui};

use super::{gc, keys};

/// Puts folders into the corpus.
pub(crate) fn add(args: &Add, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for path in &args.paths {
        match path.canonicalize().ok().filter(|real| real.is_dir()) {
            Some(real) => match check_root(&real, settings.home()) {
                Ok(()) => good.push(real),
                Err(error) => bad.push((path, error.to_string())),
            },
            None => bad.push((path, format!("not a directory: {}", path.display()))),
        }
    }
    let mut out = ui.out();
    let (mut added, mut already) = (Vec::new(), Vec::new());
    for one in settings.corpus.add(&good)? {
        match one {
            Added::New(path) => added.push(path),
            Added::Known(path) => already.push(path),
        }
    }
    let total = settings.corpus.roots.len() + added.len();
    if args.json {
        let bad: Vec<_> =
            bad.iter().map(|(path, message)| json!({"path": path, "message": message})).collect();
        let file = &settings.corpus.file;
        writeln!(out, "{}", json!({"added": added, "already": already, "failed": bad, "config": file}))?;
    } else {
        added.iter().try_for_each(|path| writeln!(out, "added     {}", path.display()))?;
        already.iter().try_for_each(|path| writeln!(out, "already   {}", path.display()))?;
        bad.iter().for_each(|(_, message)| ui.say(format!("{BAD}✗{BAD:#} {message}")));
        if !added.is_empty() {
            writeln!(out, "\n{} in {}", folders(total), settings.corpus.file.display())?;
            writeln!(out, "{DIM}Next: wherein index --global{DIM:#}")?;
        }
    }
    Ok(outcome(!bad.is_empty(), !added.is_empty() || !already.is_empty()))
}

/// Takes folders out of the corpus, with their indexes.
pub(crate) fn remove(args: &Remove, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let mut out = ui.out();
    let (mut removed, mut failed) = (Vec::new(), false);
    for name in &args.paths {
        let found = match settings.corpus.find(name, settings.current()) {
            Ok(Some(root)) if !removed.iter().any(|(known, _)| *known == root) => root,
            Ok(_) => {
                failed = true;
                ui.say(format!("{BAD}✗{BAD:#} not configured: {}", name.display()));
                continue;
            }
            Err(error) => {
                failed = true;
                ui.say(format!("{BAD}✗{BAD:#} {error:#}"));
                continue;
            }
        };
        settings.corpus.remove(&found)?;
        let purged = if args.keep_index { None } else { purge(settings, &found)? };
        if !args.json {
            writeln!(out, "removed   {}", found.display())?;
            if args.keep_index {
                writeln!(
                    out,
                    "{DIM}its index is kept: `wherein search QUESTION {}` answers from it",
                    found.display()
                )?;
                writeln!(out, "`wherein gc` or `wherein list --all` shows it again{DIM:#}")?;
            } else if let Some(files) = purged {
                writeln!(out, "purged    {files} files from the index")?;
            }
        }
        removed.push((found, purged));
    }
    let remaining = settings.corpus.roots.len() - removed.len();
    if args.json {
        let list: Vec<_> =
            removed.iter().map(|(path, purged)| json!({"path": path, "purged_files": purged})).collect();
        writeln!(out, "{}", json!({"removed": list, "remaining": remaining}))?;
    } else if !removed.is_empty() {
        writeln!(out, "{} remaining", folders(remaining))?;
    }
    Ok(outcome(failed, !removed.is_empty()))
}

/// Deletes the index of a root that may be gone; how many files it knew, where there was one.
fn purge(settings: &Settings, root: &Path) -> anyhow::Result<Option<usize>> {
    let real = real(root);
    let mut files = None;
    if let Ok(engine) = Engine::open(&real, settings.config.clone()) {
        let known = engine.snapshot().map(|snapshot| Snapshot::indexed(&snapshot)).unwrap_or_default();
        files = engine.remove()?.then_some(known);
    }
    // One whose folder is gone, or that lies elsewhere, since the usual place could not be written.
    for index in gc::every_index(settings)?.iter().filter(|index| index.root.as_ref() == Some(&real)) {
        if wherein_engine::remove_index(index)? {
            files = files.or(Some(0));
        }
    }
    Ok(files)
}

/// Names the folders of the corpus, or every index.
pub(crate) fn list(args: &List, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    if args.all {
        return gc::list_all(settings, ui);
    }
    let roots = &settings.corpus.roots;
    let mut out = ui.out();
    if ui.json {
        let one = |root: &PathBuf| json!({"name": name(root), "path": root, "exists": root.is_dir()});
        let list: Vec<_> = roots.iter().map(one).collect();
        writeln!(out, "{}", json!({"config": settings.corpus.file, "roots": list}))?;
        return Ok(Exit::Done);
    }
    for root in roots {
        let missing = if root.is_dir() { "" } else { "  (missing on disk)" };
        writeln!(out, "{NAME}{:<24}{NAME:#} {}{BAD}{missing}{BAD:#}", name(root), root.display())?;
    }
    if roots.is_empty() {
        writeln!(out, "The corpus is empty.")?;
        writeln!(out, "`wherein add FOLDER` puts a folder into it; a project answers without it.")?;
    }
    Ok(Exit::Done)
}

/// Shows where things are.
pub(crate) fn config(args: &ConfigArgs, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let mut out = ui.out();
    if args.keys {
        write!(out, "{}", keys::page())?;
        return Ok(Exit::Done);
    }
    let corpus = &settings.corpus;
    let (indexes, models) = (&settings.config.data_dir, settings.models().folder);
    if ui.json {
        let value = json!({
            "config": corpus.file,
            "exists": corpus.is_there,
            "indexes": indexes,
            "models": models,
            "refresh_ms": settings.refresh.as_millis(),
            "roots": corpus.roots,
        });
        writeln!(out, "{value}")?;
        return Ok(Exit::Done);
    }
    let not_there = if corpus.is_there { "" } else { "  (not created yet)" };
    writeln!(out, "config file  {}{DIM}{not_there}{DIM:#}", corpus.file.display())?;
    writeln!(out, "index dir    {}", indexes.display())?;
    writeln!(out, "model cache  {}", models.display())?;
    writeln!(out, "backend      tantivy and mapped files, one index a folder")?;
    let mut label = "roots";
    for root in &corpus.roots {
        writeln!(out, "{label:<12} {}", root.display())?;
        label = "";
    }
    if corpus.roots.is_empty() {
        writeln!(out, "{label:<12} (none configured)")?;
    }
    writeln!(out, "{DIM}every key and variable: wherein config --keys{DIM:#}")?;
    Ok(Exit::Done)
}

fn folders(count: usize) -> String {
    if count == 1 { "1 folder".to_owned() } else { format!("{count} folders") }
}

/// Failed where nothing could be done, partly done where something could not.
fn outcome(failed: bool, did: bool) -> Exit {
    match (failed, did) {
        (false, _) => Exit::Done,
        (true, true) => Exit::Partial,
        (true, false) => Exit::Failed,
    }
}
