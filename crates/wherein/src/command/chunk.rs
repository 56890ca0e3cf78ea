//! `wherein chunk`: a passage by its id.

use std::io::Write;

use crate::args::Chunk;
use crate::render;
use crate::report::Exit;
use crate::settings::{Settings, Which};
use crate::ui::{DIM, Ui};

/// Shows one passage.
pub(crate) fn run(args: &Chunk, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let paths: Vec<_> = args.path.iter().cloned().collect();
    let mut last = None;
    for target in settings.targets(Which::paths(&paths))? {
        match settings.engine(&target.root, true)?.chunk(&args.id) {
            Ok(chunk) => {
                let mut out = ui.out();
                if ui.json {
                    writeln!(out, "{}", serde_json::to_string(&chunk)?)?;
                    return Ok(Exit::Done);
                }
                let place = render::Place {
                    path: &chunk.path,
                    lines: (chunk.start_line, chunk.end_line),
                    symbol: chunk.symbol.as_deref(),
                    trail: &chunk.trail,
                };
                writeln!(out, "{}", render::heading(&place))?;
                if !chunk.fresh {
                    writeln!(out, "{DIM}stale: the file no longer holds this passage{DIM:#}")?;
                }
                let all = usize::MAX;
                write!(
                    out,
                    "{}",
                    render::excerpt(&chunk.text, chunk.start_line, &chunk.path, all, ui.is_terminal())
                )?;
                return Ok(Exit::Done);
            }
            Err(error) => last = Some(error),
        }
    }
    match last {
        Some(error) => Err(error.into()),
        None => Ok(Exit::Done),
    }
}
