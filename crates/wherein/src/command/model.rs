//! `wherein model`: which models there are, and what becomes of them.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde_json::json;
use wherein_engine::{Card, KNOWN, Known, ModelInfo, Tier, models};

use crate::args::{Model, ModelVerb};
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::{DIM, NAME, Ui};

use super::bench::bench;
use super::watch_interrupts;

/// Lists, adds, describes or measures models.
pub(crate) fn run(args: &Model, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    match &args.verb {
        ModelVerb::List { .. } => list(settings, ui),
        ModelVerb::Add { model, name, download, .. } => {
            let added = add(model, name.as_deref(), settings.hub(*download)?.as_ref(), settings, ui);
            info(&added?, ui)
        }
        ModelVerb::Info { name, .. } => info(&named(name, settings)?, ui),
        ModelVerb::Bench { name, threads, .. } => {
            let all = match name {
                Some(name) => vec![named(name, settings)?],
                None => models().into(),
            };
            all.iter().try_for_each(|model| bench(model, *threads, ui))?;
            Ok(Exit::Done)
        }
    }
}

/// A model in the program, or one that was added.
fn named(name: &str, settings: &Settings) -> anyhow::Result<ModelInfo> {
    match wherein_engine::model(name) {
        Some(model) => Ok(model),
        None => {
            let folder = settings.models().find(name)?;
            Ok(ModelInfo::of_card(&folder, Card::read(&folder)?))
        }
    }
}

/// From a folder where it is one, else from the hub where that is allowed.
fn add(
    model: &str,
    name: Option<&str>,
    hub: Option<&crate::download::Hub>,
    settings: &Settings,
    ui: &Ui,
) -> anyhow::Result<ModelInfo> {
    let added = settings.models();
    let folder = Path::new(model);
    if folder.is_dir() {
        return added.add_folder(folder, name);
    }
    let hub = hub.with_context(|| match Known::find(model) {
        Some(known) => format!(
            "{model} is no folder here; its files are {} on the hub: `wherein model add {model} --download` fetches them",
            known.hub
        ),
        None => format!("{model} is no folder, and no model that is known; `wherein model list` names those"),
    })?;
    added.download((model, name), hub, ui)
}

fn list(settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let mut out = ui.out();
    let there: Vec<ModelInfo> = models().into_iter().chain(settings.models().list(ui)).collect();
    let absent: Vec<&Known> =
        KNOWN.iter().filter(|known| !there.iter().any(|m| m.name == known.name)).collect();
    if ui.json {
        writeln!(out, "{}", json!({"models": there, "known": absent}))?;
        return Ok(Exit::Done);
    }
    for model in there {
        writeln!(
            out,
            "{NAME}{:20}{NAME:#} {:8} {:4} numbers, {:.1} MB  {DIM}{}{DIM:#}",
            model.name,
            tier(model.tier),
            model.dimensions,
            model.bytes as f64 / 1e6,
            model.source
        )?;
    }
    for known in absent {
        writeln!(
            out,
            "{DIM}{:20} not here  {:4} numbers, {} on the hub{DIM:#}",
            known.name, known.dimensions, known.hub
        )?;
    }
    Ok(Exit::Done)
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Instant => "instant",
        Tier::Deep => "deep",
        Tier::Rerank => "rerank",
    }
}

fn info(model: &ModelInfo, ui: &Ui) -> anyhow::Result<Exit> {
    let mut out = ui.out();
    if ui.json {
        writeln!(out, "{}", serde_json::to_string(model)?)?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{NAME}{}{NAME:#}", model.name)?;
    writeln!(out, "  tier        {}", tier(model.tier))?;
    match model.tier {
        Tier::Rerank => writeln!(out, "  gives       a score for question and passage")?,
        _ => writeln!(
            out,
            "  vectors     {} numbers, {} of the pieces' vectors",
            model.dimensions, model.pooling
        )?,
    }
    let reads =
        model.max_pieces.map_or("all of a text".to_owned(), |most| format!("{most} pieces of a text"));
    writeln!(out, "  reads       {reads}")?;
    if !(model.question_prefix.is_empty() && model.passage_prefix.is_empty()) {
        writeln!(
            out,
            "  prefixes    {:?} before a question, {:?} before a passage",
            model.question_prefix, model.passage_prefix
        )?;
    }
    writeln!(out, "  identity    {}", model.identity)?;
    writeln!(
        out,
        "  weights     {:.1} MB, {}",
        model.bytes as f64 / 1e6,
        model.licence.unwrap_or("for their licence see where they come from")
    )?;
    writeln!(out, "  source      {}", model.source)?;
    if !model.is_known {
        ui.say(
            "note: nobody has checked its prefixes, pooling and threshold; they are what its own files say",
        );
    }
    Ok(Exit::Done)
}
