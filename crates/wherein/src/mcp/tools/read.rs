//! `read`: a passage by its id, or lines of a file.

use anyhow::bail;
use serde_json::json;

use crate::mcp::schema::Param;
use crate::mcp::served::Ready;
use crate::render;

use super::files::{Known, chunk, known};
use super::{Call, MAX_TOKENS, MOST_TOKENS, Reply, Tool, caveats};

pub(super) static READ: Tool = Tool {
    name: "read",
    about: "Reads a passage by the id of a search result, or lines of an indexed file: path alone, path with start_line and end_line, or a citation such as \
            src/app.rs:10-42 as the path.",
    tells_content: false,
    reads_only: true,
    params: &[
        Param::text("id", "The id of a passage"),
        Param::text("path", "A file, or a citation with lines"),
        Param::count("start_line", (1, u32::MAX as u64), "The first line, counted from 1"),
        Param::count("end_line", (1, u32::MAX as u64), "The last line"),
        Param::count(
            "max_tokens",
            (200, MOST_TOKENS),
            "How long the answer may be, in tokens of 4 bytes; 8000 by default",
        ),
        Param::text("root", "Only this folder, where several are served: its name or path"),
    ],
    run,
};

fn run(call: &Call<'_>) -> anyhow::Result<Reply> {
    let (ready, notes) = call.ready(&call.session.named(call.arguments.text("root"))?)?;
    let notes = caveats(&ready, notes);
    let most = call.arguments.count("max_tokens").unwrap_or(MAX_TOKENS).saturating_mul(render::TOKEN_BYTES);
    let lines = (call.arguments.count("start_line"), call.arguments.count("end_line"));
    let reply = match (call.arguments.text("id"), call.arguments.text("path")) {
        (Some(id), None) => passage(id, &ready, most),
        (None, Some(path)) => match (citation(path), known(path, &ready)) {
            (Some((path, (first, last))), Err(_)) => {
                let lines = (lines.0.or(Some(first)), lines.1.or(Some(last)));
                known(path, &ready).and_then(|known| file(&known, lines, most))
            }
            (_, known) => known.and_then(|known| file(&known, lines, most)),
        },
        _ => bail!("give either `id` or `path`"),
    };
    // What is missing may be why there is nothing to read.
    match reply {
        Err(error) if !notes.is_empty() => Err(error.context(notes.join("; "))),
        reply => Ok(reply?.with(notes)),
    }
}

fn passage(id: &str, ready: &[Ready], most: usize) -> anyhow::Result<Reply> {
    let Some(mut chunk) = chunk(id, ready)? else {
        bail!("no passage has the id {id:?}; ids come from `search` and change with the passage");
    };
    let cut = render::cut(&mut chunk.text, most);
    let state = if chunk.fresh { "" } else { " · stale: the file no longer holds this passage" };
    let more = if cut { "\n\n(cut to stay within max_tokens)" } else { "" };
    let text = format!(
        "{}:{}-{}{state}\n\n{}{more}",
        render::one_line(&chunk.path),
        chunk.start_line,
        chunk.end_line,
        render::quoted(&chunk.text, chunk.language)
    );
    Ok(Reply::new(text, serde_json::to_value(&chunk)?))
}

/// The path and the lines of a citation such as `src/app.rs:10-42`.
fn citation(path: &str) -> Option<(&str, (usize, usize))> {
    let (file, lines) = path.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    Some((file, (first.parse().ok()?, last.parse().ok()?)))
}

fn file(
    known: &Known<'_>,
    (first, last): (Option<usize>, Option<usize>),
    most: usize,
) -> anyhow::Result<Reply> {
    let path = render::one_line(&known.path);
    let lines: Vec<&str> = known.text.split('\n').collect();
    let count = if known.text.ends_with('\n') { lines.len() - 1 } else { lines.len() };
    let first = first.unwrap_or(1);
    let last = last.unwrap_or(count).min(count);
    if first == 0 || first > last {
        bail!("{path} has {count} lines, counted from 1; there are none from {first} to {last}");
    }
    let mut text = lines[first - 1..last].join("\n");
    let cut = render::cut(&mut text, most);
    let end = first + text.matches('\n').count();
    let file = known.ready.snapshot.find(&known.path);
    let language = file.map_or("", |file| known.ready.snapshot.language(file).id());
    let is_within_line = cut && !text.ends_with(lines[end - 1]);
    let more = match (cut, is_within_line) {
        (false, _) => String::new(),
        (true, false) => format!("\n\n(cut to stay within max_tokens; start_line {} goes on)", end + 1),
        (true, true) => format!(
            "\n\n(cut within line {end}, which is longer than max_tokens; a larger max_tokens shows more)"
        ),
    };
    let data = json!({
        "root": known.ready.engine().root(), "path": known.path, "start_line": first, "end_line": end,
        "lines": count, "language": language, "cut": cut, "text": text,
    });
    let body = format!("{path}:{first}-{end} of {count} lines\n\n{}{more}", render::quoted(&text, language));
    Ok(Reply::new(body, data))
}
