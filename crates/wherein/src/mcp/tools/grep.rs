//! `grep`: the lines that a pattern matches.

use serde_json::{Value, json};
use wherein_engine::{Cancel, Lines, Pattern, Scope};

use crate::mcp::schema::Param;
use crate::mcp::served::Ready;
use crate::render::{TOKEN_BYTES, one_line};

use super::files::Places;
use super::{Call, MAX_TOKENS, Reply, Tool, caveats};

pub(super) static GREP: Tool = Tool {
    name: "grep",
    about: "Finds every line that a pattern matches, in the indexed files only: no binary, nothing ignored. For exact words; `search` finds what you can't spell.",
    tells_content: false,
    reads_only: true,
    params: &[
        Param::text("pattern", "A regular expression in Rust's syntax").required(),
        Param::flag("literal", "The pattern is plain text"),
        Param::flag("case_sensitive", "Tell upper from lower case; they are the same by default"),
        Param::texts("path", "Only below these folders, in these files, or where these globs match"),
        Param::texts("lang", "Only these languages"),
        Param::count("max_results", (1, 1000), "How many lines at most; 50 by default"),
        Param::count("context", (0, 20), "Lines shown before and after each; 0 by default"),
        Param::text("root", "Only this folder, where several are served: its name or path"),
    ],
    run,
};

fn run(call: &Call<'_>) -> anyhow::Result<Reply> {
    let (ready, notes) = call.ready(&call.session.named(call.arguments.text("root"))?)?;
    let places = Places::new(&call.arguments.texts("path"), &ready)?;
    let mut pattern = Pattern {
        text: call.arguments.text("pattern").unwrap_or_default().to_owned(),
        literal: call.arguments.flag("literal"),
        case_sensitive: call.arguments.flag("case_sensitive"),
        scope: Scope::default(),
        most: call.arguments.count("max_results").unwrap_or(MOST),
        context: call.arguments.count("context").unwrap_or_default(),
    };
    let found = lines((&ready, call.cancel), &mut pattern, |ready| {
        let (within, globs) = places.of(ready);
        Scope { within, globs, languages: call.arguments.texts("lang"), ..Scope::default() }
    })?;
    let mut notes = caveats(&ready, notes);
    notes.extend(unreadable(&found));
    Ok(reply(&found).with(notes))
}

/// Lines that are shown, where nobody says.
const MOST: usize = 50;

/// The lines of several roots, as many as are wanted of all of them.
pub(super) fn lines<'a>(
    (ready, cancel): (&'a [Ready], &Cancel),
    pattern: &mut Pattern,
    scope: impl Fn(&Ready) -> Scope,
) -> anyhow::Result<Vec<(&'a Ready, Lines)>> {
    let mut out = Vec::new();
    for ready in ready {
        pattern.scope = scope(ready);
        let lines = ready.engine().grep(&ready.snapshot, pattern, cancel)?;
        pattern.most -= lines.matches.len();
        out.push((ready, lines));
    }
    Ok(out)
}

/// Files that are indexed and could not be read now.
pub(super) fn unreadable(found: &[(&Ready, Lines)]) -> Option<String> {
    let count: usize = found.iter().map(|(_, lines)| lines.unreadable).sum();
    (count > 0).then(|| format!("{count} files could not be read"))
}

fn reply(found: &[(&Ready, Lines)]) -> Reply {
    let total: usize = found.iter().map(|(_, lines)| lines.total).sum();
    let files: usize = found.iter().map(|(_, lines)| lines.files).sum();
    let (mut text, mut matches, mut shown) = (String::new(), Vec::new(), 0);
    for (ready, lines) in found {
        if found.len() > 1 && !lines.matches.is_empty() {
            text += &format!("# {}\n", ready.engine().root().display());
        }
        for line in &lines.matches {
            if text.len() > MAX_TOKENS * TOKEN_BYTES {
                break;
            }
            shown += 1;
            let path = one_line(&line.path);
            for (number, before) in (line.line - line.before.len() as u64..).zip(&line.before) {
                text += &format!("{path}-{number}-{before}\n");
            }
            text += &format!("{path}:{}:{}\n", line.line, line.text);
            for (number, after) in (line.line + 1..).zip(&line.after) {
                text += &format!("{path}-{number}-{after}\n");
            }
            let mut one: Value = json!(line);
            one["root"] = json!(ready.engine().root());
            matches.push(one);
        }
    }
    text += &match (total, shown < total) {
        (0, _) => format!("No matches found in {files} files."),
        (_, true) => format!("(showing first {shown} of {total} matches)"),
        _ => format!("({total} matches in {files} files)"),
    };
    Reply::new(text, json!({"matches": matches, "total": total, "files": files}))
}
