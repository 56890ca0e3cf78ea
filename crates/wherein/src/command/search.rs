//! `wherein search`: refresh, ask, write the answer.

use std::io::Write;

use wherein_engine::{Answer, Area, Engine, Query, Scope, Verdict};

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
    let mut answers = Vec::new();
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
    for (target, asked_file) in targets.iter().zip(asked_files) {
        let engine = settings.engine(&target.root, false)?;
        answers.push(ask((args, rerank), &engine, target, asked_file, ui)?);
    }
    let mut answer = merge(answers, args.page.top_k);
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

fn ask(
    (args, rerank): (&Search, bool),
    engine: &Engine,
    target: &Target,
    explain_path: Option<String>,
    ui: &Ui,
) -> anyhow::Result<Answer> {
    let snapshot = if args.no_refresh { engine.snapshot()? } else { refresh(engine, ui)? };
    let like = project::query(engine.root(), args.all)?;
    let query = Query {
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
    };
    let mut answer = engine.search_in(&snapshot, &query)?;
    if args.context > 0 {
        answer.results.iter_mut().for_each(|hit| render::widen(hit, engine, args.context));
    }
    Ok(answer)
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

/// One answer out of several roots': scores mean the same everywhere, so they order the hits.
fn merge(answers: Vec<Answer>, k: usize) -> Answer {
    let mut answers = answers.into_iter();
    let Some(mut all) = answers.next() else { unreachable!("targets are never empty") };
    for other in answers {
        all.results.extend(other.results);
        all.took_ms += other.took_ms;
        all.cut += other.cut;
        all.notes.extend(other.notes);
        all.explained = all.explained.or(other.explained);
        all.coverage.files += other.coverage.files;
        all.coverage.chunks += other.coverage.chunks;
        all.coverage.line_fallback += other.coverage.line_fallback;
        all.coverage.partial |= other.coverage.partial;
        all.coverage.deep = match (all.coverage.deep, other.coverage.deep) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        for (reason, count) in other.coverage.skipped {
            *all.coverage.skipped.entry(reason).or_default() += count;
        }
        let better = |a: &wherein_engine::NearestMiss, b: &wherein_engine::NearestMiss| a.score >= b.score;
        all.nearest_miss = match (all.nearest_miss.take(), other.nearest_miss) {
            (Some(a), Some(b)) => Some(if better(&a, &b) { a } else { b }),
            (a, b) => a.or(b),
        };
    }
    all.results.sort_by(|a, b| b.score.total_cmp(&a.score));
    all.results.truncate(k);
    for (place, hit) in all.results.iter_mut().enumerate() {
        hit.rank = place + 1;
    }
    if !all.results.is_empty() {
        all.answer = Verdict::Found;
        all.nearest_miss = None;
    }
    all
}
