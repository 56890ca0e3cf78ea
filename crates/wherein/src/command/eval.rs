//! `wherein eval`: how well are questions answered whose answers are known?

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use wherein_engine::{Config, Engine, Options, Query, Scope, Snapshot};
use wherein_eval::baseline::Grep;
use wherein_eval::compare::{Moved, compare};
use wherein_eval::figures::Figures;
use wherein_eval::judge::{Judged, judge};
use wherein_eval::run::{Place, Run};
use wherein_eval::truth::{self, Item};
use wherein_eval::{hide, make};

use crate::args::{Eval, Format};
use crate::project;
use crate::report::Exit;
use crate::settings::{Settings, Target, Which};
use crate::table;
use crate::ui::Ui;

use super::refresh::whole;
use super::{CANCEL, search, watch_interrupts};

/// A run with what changed since another.
#[derive(Serialize)]
struct Compared<'a> {
    #[serde(flatten)]
    run: &'a Run,
    changed: Option<&'a [Moved]>,
}

/// Judges a truth set, shows one of its questions, or makes one.
pub(crate) fn run(args: &Eval, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    if let Some(path) = &args.make {
        return write_set(path, args.most, settings, ui);
    }
    let Some(truth) = &args.truth else { unreachable!("the grammar asks for TRUTH or --make") };
    let items = truth::read(truth)?;
    let paths: Vec<PathBuf> = args.path.iter().cloned().collect();
    let [target] = &settings.targets(Which::paths(&paths))?[..] else {
        anyhow::bail!("one folder is judged at a time")
    };
    let asked = args.path.clone().unwrap_or_else(|| target.root.clone());
    let asked = asked.canonicalize().unwrap_or(asked);
    let rerank = settings.reranks(args.rerank)?;
    let engine = settings.engine(&target.root, false)?;
    let snapshot = whole(&engine, ui)?;
    let hidden = hide::hidden(&items);
    if hidden.is_empty() {
        // A target may be named from a folder above the one that is searched: that of the checkout.
        return judge_all(
            args,
            &items,
            &place((args, rerank), &engine, &snapshot, (asked.ancestors().collect(), target))?,
            ui,
        );
    }
    ui.say(format!(
        "note: judged on a copy in which the sources of {} questions are blank",
        items.iter().filter(|i| !i.hide.is_empty()).count()
    ));
    let copy = tempfile::tempdir()?;
    hide::copy(&engine, &snapshot, &hidden, &copy.path().join("copy"))?;
    let root = copy.path().join("copy");
    let config = Config { data_dir: copy.path().join("index"), ..engine.config().clone() };
    let engine = Engine::open(&root, config)?;
    let (_, snapshot) = engine.refresh(&Options::default(), &CANCEL, &mut |_| {})?;
    judge_all(args, &items, &place((args, rerank), &engine, &snapshot, (vec![root.as_path()], target))?, ui)
}

fn place<'a>(
    (args, rerank): (&Eval, bool),
    engine: &'a Engine,
    snapshot: &'a Snapshot,
    (folders, target): (Vec<&'a Path>, &Target),
) -> anyhow::Result<Place<'a>> {
    let like = project::query(&target.root, false)?;
    let scope = Scope { within: target.within.clone(), ..like.scope };
    Ok(Place { engine, snapshot, folders, like: Query { scope, min_score: args.min_score, rerank, ..like } })
}

fn judge_all(args: &Eval, items: &[Item], place: &Place<'_>, ui: &Ui) -> anyhow::Result<Exit> {
    if let Some(number) = args.show {
        let item =
            items.get(number - 1).with_context(|| format!("there are only {} questions", items.len()))?;
        return show(item, place, ui);
    }
    let before = args.compare.as_deref().map(saved).transpose()?;
    let mut judged = Vec::new();
    let bar = ui.progress();
    bar.set_length(items.len() as u64);
    for item in items {
        anyhow::ensure!(!CANCEL.is_cancelled(), wherein_engine::Error::Cancelled);
        judged.push(place.ask(item)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let grep = if args.no_grep { None } else { grep(items, place, ui) };
    let run = Run::of(judged, grep);
    let changed = before.map(|before| compare(&before, &run));
    let mut out = ui.out();
    if ui.json {
        let all = Compared { run: &run, changed: changed.as_deref() };
        writeln!(out, "{}", serde_json::to_string(&all)?)?;
    } else {
        table::run(&mut out, &run)?;
        if let Some(changed) = &changed {
            table::changes(&mut out, changed)?;
        }
    }
    Ok(Exit::Done)
}

fn saved(path: &Path) -> anyhow::Result<Run> {
    let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is no run saved with `wherein eval --json`", path.display()))
}

/// What grep finds for the same questions.
fn grep(items: &[Item], place: &Place<'_>, ui: &Ui) -> Option<Figures> {
    let Some(grep) = Grep::new(place.engine, place.snapshot) else {
        ui.say("note: the folder is too large to hold in memory; no comparison with grep");
        return None;
    };
    let judged: Vec<Judged> =
        items.iter().map(|item| judge(item, &grep.ask(&item.query), &place.folders)).collect();
    Some(Figures::of(&judged))
}

/// One question in full: its answer with the arithmetic, and what became of each target.
fn show(item: &Item, place: &Place<'_>, ui: &Ui) -> anyhow::Result<Exit> {
    let ask = |explain_path: Option<String>| {
        let query = Query {
            text: item.query.clone(),
            explain: true,
            explain_path,
            min_score: Some(place.like.min_score.unwrap_or(0.0)),
            ..place.like.clone()
        };
        place.engine.search_in(place.snapshot, &query)
    };
    let inside = |path: &str| {
        let file = wherein_eval::judge::file_of(&place.folders, path);
        file.strip_prefix(place.engine.root()).unwrap_or(&file).to_string_lossy().into_owned()
    };
    if ui.json {
        // One object holds one file's fate: the first target's.
        let answer = ask(item.targets().next().map(|wanted| inside(wanted.path)))?;
        search::write(&answer, Format::Json, ui)?;
        return Ok(Exit::Done);
    }
    search::write(&ask(None)?, Format::Text, ui)?;
    let mut out = ui.out();
    for wanted in item.targets() {
        if let Some(explained) = ask(Some(inside(wanted.path)))?.explained {
            writeln!(out)?;
            crate::render::explained(&mut out, &explained)?;
        }
    }
    Ok(Exit::Done)
}

/// Makes a truth set out of a folder.
fn write_set(path: &Path, most: usize, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let target = settings.target(path)?;
    let engine = settings.engine(&target.root, false)?;
    let snapshot = whole(&engine, ui)?;
    let items = make::make(&engine, &snapshot, most)?;
    writeln!(ui.out(), "{}", serde_json::to_string_pretty(&items)?)?;
    let count = |kind: &str| items.iter().filter(|item| item.category == kind).count();
    ui.say(format!(
        "{} questions: {} comments, {} headings, {} commits",
        items.len(),
        count("comment"),
        count("heading"),
        count("commit")
    ));
    ui.say(make::CAVEAT);
    Ok(Exit::Done)
}
