//! `wherein grep`: lines that a pattern matches, in the files that the index knows.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use wherein_engine::{Line, Lines, Pattern, Scope};

use crate::args::Grep;
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::{DIM, LINE, PATH, Ui};

use super::refresh::ready_all;
use super::{CANCEL, watch_interrupts};

/// Reads the files and writes the lines.
pub(crate) fn run(args: &Grep, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    let targets = settings.targets(args.roots.which(&args.paths))?;
    let engines = targets.iter().map(|target| settings.engine(&target.root, false)).collect();
    let (ready, failed) = ready_all(engines, !args.no_refresh, settings, ui)?;
    let mut left = args.max_count;
    let mut found: Vec<(&Path, Lines)> = Vec::new();
    for (place, ready) in &ready {
        let scope = Scope {
            within: targets[*place].within.clone(),
            globs: args.globs.clone(),
            languages: args.lang.clone(),
            ..Scope::default()
        };
        let pattern = Pattern {
            text: args.pattern.clone(),
            literal: args.fixed,
            case_sensitive: args.case_sensitive,
            scope,
            most: left,
            context: args.context,
        };
        let lines = ready.engine.grep(&ready.snapshot, &pattern, &CANCEL)?;
        left -= lines.matches.len();
        found.push((ready.engine.root(), lines));
    }
    write(&found, args, ui)?;
    Ok(if failed > 0 { Exit::Partial } else { Exit::Done })
}

fn write(found: &[(&Path, Lines)], args: &Grep, ui: &Ui) -> anyhow::Result<()> {
    let mut out = ui.out();
    if ui.json {
        writeln!(out, "{}", describe(found))?;
        return Ok(());
    }
    // Of several folders each path is whole.
    let name = |root: &Path, path: &str| {
        if found.len() == 1 { path.to_owned() } else { root.join(path).display().to_string() }
    };
    let mut last = None;
    for (root, lines) in found {
        for line in &lines.matches {
            let path = name(root, &line.path);
            if !args.files {
                write_line(&mut out, &path, line)?;
            } else if last.as_ref() != Some(&path) {
                writeln!(out, "{PATH}{path}{PATH:#}")?;
            }
            last = Some(path);
        }
    }
    let (shown, total): (usize, usize) =
        found.iter().fold((0, 0), |(shown, total), (_, l)| (shown + l.matches.len(), total + l.total));
    if total == 0 {
        let files: usize = found.iter().map(|(_, lines)| lines.files).sum();
        ui.say(format!("No matches found in {files} files."));
    } else if shown < total {
        ui.say(format!("{DIM}(showing first {shown} of {total} matches){DIM:#}"));
    }
    Ok(())
}

fn write_line(out: &mut impl Write, path: &str, line: &Line) -> std::io::Result<()> {
    let context = |out: &mut dyn Write, number: u64, text: &str| {
        writeln!(out, "{PATH}{path}{PATH:#}-{LINE}{number}{LINE:#}-{DIM}{text}{DIM:#}")
    };
    for (number, text) in (line.line - line.before.len() as u64..).zip(&line.before) {
        context(out, number, text)?;
    }
    writeln!(out, "{PATH}{path}{PATH:#}:{LINE}{}{LINE:#}:{}", line.line, line.text)?;
    for (number, text) in (line.line + 1..).zip(&line.after) {
        context(out, number, text)?;
    }
    if line.before.is_empty() && line.after.is_empty() { Ok(()) } else { writeln!(out, "--") }
}

/// One object: every line with its root.
fn describe(found: &[(&Path, Lines)]) -> Value {
    let one = |root: &Path, line: &Line| {
        json!({
            "root": root, "path": line.path, "line": line.line, "text": line.text,
            "before": line.before, "after": line.after,
        })
    };
    let matches: Vec<Value> = found
        .iter()
        .flat_map(|(root, lines)| lines.matches.iter().map(move |line| one(root, line)))
        .collect();
    let sum = |of: fn(&Lines) -> usize| found.iter().map(|(_, lines)| of(lines)).sum::<usize>();
    json!({
        "matches": matches,
        "total": sum(|lines| lines.total),
        "files": sum(|lines| lines.files),
        "unreadable": sum(|lines| lines.unreadable),
    })
}
