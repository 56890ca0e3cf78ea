//! `wherein why`: why a file is in the index, or not.

use std::io::Write;

use crate::args::Why;
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::{DIM, PATH, Ui};

/// Explains one path.
pub(crate) fn run(args: &Why, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let (root, path) = settings.place_of(&args.file)?;
    let why = settings.engine(&root, true)?.why(&path)?;
    let mut out = ui.out();
    if ui.json {
        writeln!(out, "{}", serde_json::to_string(&why)?)?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{PATH}{}{PATH:#}: {}", if path.is_empty() { "." } else { &path }, why.reason)?;
    if let Some(rule) = &why.rule {
        writeln!(out, "  rule      {rule}")?;
    }
    if let Some(language) = why.language {
        writeln!(out, "  language  {language}\n  chunks    {}", why.chunks)?;
    }
    writeln!(out, "  {DIM}root      {}{DIM:#}", root.display())?;
    Ok(Exit::Done)
}
