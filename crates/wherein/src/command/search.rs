//! `wherein search`: refresh, ask, write the answer.

use std::io::Write;

use wherein_engine::{Answer, Area, Engine, Query, Scope};

use crate::args::{Format, In, Search};
use crate::project;
use crate::render;
use crate::report::Exit;
use crate::settings::{Settings, Target};
use crate::ui::{DIM, Ui};

use super::index::{percent, refresh};
use super::watch_interrupts;

/// Answers one question.
pub(crate) fn run(args: &Search, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    let rerank = settings.reranks(args.rerank)?;
    let targets = settings.targets(&args.paths)?;
    let asked_file = |target: &Target| match &args.explain_path {
        Some(file) => settings.place_in(&target.root, file),
        None => Ok(None),
    };
    let asked_files = targets.iter().map(asked_file).collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(file) = args.explain_path.as_ref().filter(|_| asked_files.iter().all(Option::is_none)) {
        anyhow::bail!(
            "{} lies in none of the folders that are searched; name its folder after the question",
            file.display()
        );
    }
    let mut asked = Vec::new();
    for (target, asked_file) in targets.iter().zip(asked_files) {
        let engine = settings.engine(&target.root, false)?;
        let snapshot = if args.no_refresh { engine.snapshot()? } else { refresh(&engine, ui)? };
        asked.push((query((args, rerank), target, asked_file)?, engine, snapshot));
    }
    let parts: Vec<_> = asked.iter().map(|(query, engine, snapshot)| (engine, snapshot, query)).collect();
    let mut answer = Engine::search_corpus(&parts)?;
    if args.context > 0 {
        for hit in &mut answer.results {
            if let Some((_, engine, _)) = asked.iter().find(|(_, engine, _)| engine.root() == hit.root) {
                render::widen(hit, engine, args.context);
            }
        }
    }
    let left_out = args.max_tokens.map_or(0, |most| render::limit_tokens(&mut answer.results, most));
    if args.files {
        render::paths(&mut ui.out(), &answer)?;
    } else {
        write(&answer, args.page.format(), ui)?;
    }
    if left_out > 0 && !ui.json {
        ui.say(format!("{DIM}{left_out} passages were shortened to stay within --max-tokens{DIM:#}"));
    }
    if answer.coverage.partial && !ui.json {
        ui.say("note: the index is not complete yet; the answer is from what is indexed so far");
    }
    if !ui.json {
        answer.notes.iter().for_each(|note| ui.say(format!("note: {note}")));
    }
    let lacks = answer.coverage.deep.filter(|share| *share < 1.0);
    if let Some(share) = lacks.filter(|_| !ui.json && answer.results.iter().any(|hit| hit.kind == "section"))
    {
        ui.say(format!(
            "{DIM}note: {} % of the prose is known to the deep model; `wherein index` adds the rest{DIM:#}",
            percent(share)
        ));
    }
    Ok(Exit::Done)
}

/// What is asked of a target.
fn query(
    (args, rerank): (&Search, bool),
    target: &Target,
    explain_path: Option<String>,
) -> anyhow::Result<Query> {
    let like = project::query(&target.root, args.all)?;
    Ok(Query {
        scope: Scope {
            within: target.within.clone(),
            globs: args.globs.clone(),
            exclude: [&args.exclude[..], &like.scope.exclude].concat(),
            languages: args.lang.clone(),
            area: area(args.page.part),
        },
        k: args.page.top_k,
        min_score: args.min_score,
        relative: args.relative_cutoff,
        text: args.query.clone(),
        rerank,
        explain: args.explain || args.explain_path.is_some(),
        explain_path,
        ..like
    })
}

/// Writes an answer.
pub(super) fn write(answer: &Answer, format: Format, ui: &Ui) -> anyhow::Result<()> {
    let mut out = ui.out();
    match format {
        Format::Json => writeln!(out, "{}", serde_json::to_string(answer)?)?,
        Format::Md => render::markdown(&mut out, answer)?,
        Format::Text => render::text(&mut out, answer, ui.is_terminal())?,
    }
    Ok(())
}

/// The part of a root that a flag names.
pub(super) fn area(part: In) -> Area {
    match part {
        In::All => Area::All,
        In::Code => Area::Code,
        In::Docs => Area::Docs,
        In::Tests => Area::Tests,
        In::Config => Area::Config,
    }
}
