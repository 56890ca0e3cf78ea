//! `wherein search`: refresh, ask, write the answer.

use std::io::Write;

use wherein_engine::{Answer, Area, Engine, Query, Scope};

use crate::args::{Format, In, Search};
use crate::project;
use crate::render;
use crate::report::Exit;
use crate::settings::{Settings, Target, segment_globs};
use crate::ui::{DIM, Ui};

use super::index::percent;
use super::refresh::ready_all;
use super::watch_interrupts;

/// Answers one question.
pub(crate) fn run(args: &Search, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    let targets = settings.targets(args.roots.which(&args.paths))?;
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
    let engines = targets.iter().map(|target| settings.engine(&target.root, false)).collect();
    let (ready, failed) = ready_all(engines, !args.no_refresh, settings, ui)?;
    let mut queries = Vec::new();
    for (place, ready) in &ready {
        let target = (&targets[*place], &ready.engine);
        queries.push(query(args, settings, target, asked_files[*place].clone())?);
    }
    let parts: Vec<_> =
        ready.iter().zip(&queries).map(|((_, r), query)| (&r.engine, &*r.snapshot, query)).collect();
    let mut answer = Engine::search_corpus(&parts)?;
    ready.iter().for_each(|(_, ready)| ready.tell(&mut answer.coverage));
    if args.context > 0 {
        for hit in &mut answer.results {
            if let Some((_, ready)) = ready.iter().find(|(_, ready)| ready.engine.root() == hit.root) {
                render::widen(hit, &ready.engine, args.context);
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
    if !ui.json {
        notes(&answer, ui);
    }
    Ok(if failed > 0 { Exit::Partial } else { Exit::Done })
}

/// What the reader should know beside the passages.
fn notes(answer: &Answer, ui: &Ui) {
    let coverage = &answer.coverage;
    if coverage.unchecked {
        ui.say("note: there was no time to look for changes; each passage shown was compared with its file");
    }
    if coverage.pending > 0 {
        ui.say(format!(
            "note: {} changed files are not indexed yet; the next search goes on, `wherein index` does it all",
            coverage.pending
        ));
    } else if coverage.partial {
        ui.say("note: the index is not complete yet; the answer is from what is indexed so far");
    }
    answer.notes.iter().for_each(|note| ui.say(format!("note: {note}")));
    let lacks = coverage.deep.filter(|share| *share < 1.0);
    if let Some(share) = lacks.filter(|_| answer.results.iter().any(|hit| hit.kind == "section")) {
        ui.say(format!(
            "{DIM}note: {} % of the prose is known to the deep model; `wherein index` adds the rest{DIM:#}",
            percent(share)
        ));
    }
}

/// What is asked of a target.
fn query(
    args: &Search,
    settings: &Settings,
    (target, engine): (&Target, &Engine),
    explain_path: Option<String>,
) -> anyhow::Result<Query> {
    let like = project::query(&target.root, args.all)?;
    Ok(Query {
        scope: Scope {
            within: target.within.clone(),
            globs: args.globs.clone(),
            exclude: [&args.exclude[..], &like.scope.exclude].concat(),
            segment: segment_globs(engine, args.segment.as_deref())?,
            languages: args.lang.clone(),
            areas: areas(args.page.part),
        },
        k: args.page.top_k(settings),
        min_score: args.min_score.or(like.min_score),
        relative: args.relative_cutoff.or(like.relative),
        text: args.query.clone(),
        rerank: settings.reranks(args.rerank)?,
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

/// The parts of a root that a flag names; none for all.
pub(super) fn areas(part: In) -> Vec<Area> {
    match part {
        In::All => Vec::new(),
        In::Code => vec![Area::Code],
        In::Docs => vec![Area::Docs],
        In::Tests => vec![Area::Tests],
        In::Config => vec![Area::Config],
    }
}
