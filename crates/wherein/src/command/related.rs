//! `wherein related`: what belongs to a place in a file.

use wherein_engine::{Query, Scope};

use crate::args::Related;
use crate::project;
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::Ui;

use super::refresh::ready;
use super::search::{areas, write};
use super::watch_interrupts;

/// Answers with passages of other files.
pub(crate) fn run(args: &Related, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    let (file, line) = &args.place;
    let (root, path) = settings.place_here(file)?;
    let ready = ready(settings.engine(&root, false)?, !args.no_refresh, settings, ui)?;
    let like = project::query(ready.engine.root(), false)?;
    let query = Query {
        scope: Scope { areas: areas(args.page.part), ..like.scope },
        k: args.page.top_k(settings),
        // Something is always nearest; how near, the scores say.
        min_score: Some(0.0),
        ..like
    };
    let mut answer = ready.engine.related(&ready.snapshot, &path, *line, &query)?;
    ready.tell(&mut answer.coverage);
    write(&answer, args.page.format(), ui)?;
    Ok(Exit::Done)
}
