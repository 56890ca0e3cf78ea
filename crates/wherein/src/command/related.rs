//! `wherein related`: what belongs to a place in a file.

use wherein_engine::{Query, Scope};

use crate::args::Related;
use crate::project;
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::Ui;

use super::index::refresh;
use super::search::{area, write};
use super::watch_interrupts;

/// Answers with passages of other files.
pub(crate) fn run(args: &Related, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    let (file, line) = &args.place;
    let (root, path) = settings.place_here(file)?;
    let engine = settings.engine(&root, false)?;
    let snapshot = if args.no_refresh { engine.snapshot()? } else { refresh(&engine, ui)? };
    let like = project::query(engine.root(), false)?;
    let query = Query {
        scope: Scope { area: area(args.page.part), ..like.scope },
        k: args.page.top_k,
        // Something is always nearest; how near, the scores say.
        min_score: Some(0.0),
        ..like
    };
    let answer = engine.related(&snapshot, &path, *line, &query)?;
    write(&answer, args.page.format(), ui)?;
    Ok(Exit::Done)
}
