//! `wherein search`: refresh, ask, write the answer.

use std::io::Write;

use wherein_engine::{Answer, Area, Engine, Query, Scope, Verdict};

use crate::args::{Format, In, Search};
use crate::render;
use crate::report::Exit;
use crate::settings::{Settings, Target};
use crate::ui::{DIM, Ui};

use super::{index::refresh, watch_interrupts};

/// Answers one question.
pub(crate) fn run(args: &Search, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    let mut answers = Vec::new();
    let targets = settings.targets(&args.paths)?;
    for target in &targets {
        let engine = settings.engine(&target.root, false)?;
        answers.push(ask(args, &engine, target, ui)?);
    }
    let mut answer = merge(answers, args.top_k);
    for hit in &mut answer.results {
        if args.context > 0 {
            render::widen(hit, args.context);
        }
    }
    let left_out = args.max_tokens.map_or(0, |most| render::limit_tokens(&mut answer.results, most));
    let mut out = ui.out();
    match args.format.unwrap_or(if args.json { Format::Json } else { Format::Text }) {
        Format::Json => writeln!(out, "{}", serde_json::to_string(&answer)?)?,
        _ if args.files => render::paths(&mut out, &answer)?,
        Format::Md => render::markdown(&mut out, &answer)?,
        Format::Text => render::text(&mut out, &answer, ui.is_terminal())?,
    }
    if left_out > 0 && !ui.json {
        ui.say(format!("{DIM}{left_out} passages were shortened to stay within --max-tokens{DIM:#}"));
    }
    if answer.coverage.partial && !ui.json {
        ui.say("note: the index is not complete yet; the answer is from what is indexed so far");
    }
    Ok(Exit::Done)
}

fn ask(args: &Search, engine: &Engine, target: &Target, ui: &Ui) -> anyhow::Result<Answer> {
    let snapshot = if args.no_refresh { engine.snapshot()? } else { refresh(engine, ui)? };
    let query = Query {
        text: args.query.clone(),
        scope: Scope {
            within: target.within.clone(),
            globs: args.globs.clone(),
            exclude: args.exclude.clone(),
            languages: args.lang.clone(),
            area: match args.part {
                In::All => Area::All,
                In::Code => Area::Code,
                In::Docs => Area::Docs,
                In::Tests => Area::Tests,
                In::Config => Area::Config,
            },
        },
        k: args.top_k,
        min_score: args.min_score,
    };
    Ok(engine.search_in(&snapshot, &query, args.explain)?)
}

/// One answer out of several roots': scores mean the same everywhere, so they order the hits.
fn merge(answers: Vec<Answer>, k: usize) -> Answer {
    let mut answers = answers.into_iter();
    let Some(mut all) = answers.next() else { unreachable!("targets are never empty") };
    for other in answers {
        all.results.extend(other.results);
        all.took_ms += other.took_ms;
        all.cut += other.cut;
        all.coverage.files += other.coverage.files;
        all.coverage.chunks += other.coverage.chunks;
        all.coverage.line_fallback += other.coverage.line_fallback;
        all.coverage.partial |= other.coverage.partial;
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
