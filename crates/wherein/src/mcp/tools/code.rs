//! code-search-mcp's tools, by their names, parameters and shapes.

use std::time::Duration;

use anyhow::{Context, bail};
use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};
use wherein_engine::{Hit, Options};

use crate::mcp::schema::Param;
use crate::render;
use crate::settings::segment_globs;

use super::ask::{Asked, Question, ask};
use super::files::{chunk, place_in};
use super::{Call, MAX_TOKENS, Reply, Tool, brief, caveats};

pub(super) static TOOLS: [Tool; 4] = [
    Tool {
        name: "search_codebase",
        about: "Searches the codebase by meaning and by words. Each result has a clickable path:line; `get_chunk` shows one whole.",
        tells_content: true,
        reads_only: true,
        params: &[
            Param::text("query", "What you look for").required(),
            Param::count("k", (1, 100), "How many results at most; 8 by default"),
            Param::text("segment", "Only this named part of the project"),
        ],
        run: search_codebase,
    },
    Tool {
        name: "get_chunk",
        about: "Shows a search result whole, by its id.",
        tells_content: false,
        reads_only: true,
        params: &[Param::text("id", "The id of a search result").required()],
        run: get_chunk,
    },
    Tool {
        name: "index_status",
        about: "Tells how many files and chunks are indexed, with which model, and when that was last done.",
        tells_content: false,
        reads_only: true,
        params: &[],
        run: index_status,
    },
    Tool {
        name: "reindex",
        about: "Brings the index up to date; searching does that by itself.",
        tells_content: false,
        reads_only: false,
        params: &[
            Param::texts("paths", "Only these files or folders, absolute or relative"),
            Param::text("segment", "Only this named part of the project"),
        ],
        run: reindex,
    },
];

/// Results that are shown, where nobody says.
const K: usize = 8;

fn search_codebase(call: &Call<'_>) -> anyhow::Result<Reply> {
    let question = Question {
        text: call.arguments.text("query").unwrap_or_default().to_owned(),
        k: call.arguments.count("k").unwrap_or(K),
        segment: call.arguments.text("segment").map(str::to_owned),
        ..Question::default()
    };
    let asked = ask(call, &question)?;
    let notes = asked.caveats();
    let Asked { mut answer, .. } = asked;
    render::limit_tokens(&mut answer.results, MAX_TOKENS);
    let results: Vec<Value> = answer.results.iter().map(describe).collect();
    let blocks = answer.results.iter().map(|hit| {
        let full = hit.root.join(&hit.path);
        let symbol = hit.symbol.as_ref().map_or_else(String::new, |symbol| format!(" {symbol}"));
        format!(
            "{}:{} [{}{}] {:.3} {}\n{}",
            render::one_line(&full.display().to_string()),
            hit.start_line,
            hit.kind,
            render::one_line(&symbol),
            hit.score,
            hit.id,
            render::quoted(&hit.text, hit.language)
        )
    });
    let blocks: Vec<String> = blocks.collect();
    let text = if blocks.is_empty() { "No results.".to_owned() } else { blocks.join("\n\n") };
    Ok(Reply::new(text, json!({"results": results})).with(notes))
}

fn describe(hit: &Hit) -> Value {
    json!({
        "id": hit.id, "filePath": hit.root.join(&hit.path), "startLine": hit.start_line, "endLine": hit.end_line,
        "segment": hit.segment, "kind": hit.kind, "symbol": hit.symbol, "score": hit.score,
    })
}

fn get_chunk(call: &Call<'_>) -> anyhow::Result<Reply> {
    let id = call.arguments.text("id").unwrap_or_default();
    let (ready, notes) = call.ready(&call.session.targets()?)?;
    let notes = caveats(&ready, notes);
    let Some(chunk) = chunk(id, &ready)? else {
        let notes: String = notes.iter().map(|note| format!("; {note}")).collect();
        bail!("no chunk has the id {id:?}; ids come from search_codebase and change with the passage{notes}");
    };
    let full = chunk.root.join(&chunk.path);
    let data = json!({
        "id": chunk.id, "filePath": full, "startLine": chunk.start_line, "endLine": chunk.end_line,
        "segment": Value::Null, "kind": chunk.kind, "symbol": chunk.symbol, "language": chunk.language,
        "fileHash": chunk.file_hash, "text": chunk.text,
    });
    let quoted = render::quoted(&chunk.text, chunk.language);
    let place = render::one_line(&full.display().to_string());
    Ok(Reply::new(format!("{place}:{}\n{quoted}", chunk.start_line), data).with(notes))
}

fn index_status(call: &Call<'_>) -> anyhow::Result<Reply> {
    let (ready, notes) = call.ready(&call.session.targets()?)?;
    let (mut chunks, mut files, mut segments, mut model, mut scanned) = (0, 0, Vec::new(), String::new(), 0);
    for ready in &ready {
        let status = ready.engine().status()?;
        chunks += status.coverage.chunks;
        files += status.coverage.files;
        segments.extend(status.segments);
        scanned = scanned.max(status.scanned);
        model = status.deep_identity.unwrap_or(status.identity);
    }
    let last = DateTime::from_timestamp_nanos(scanned).to_rfc3339_opts(SecondsFormat::Secs, true);
    let dimensions = ready.first().map_or(0, |ready| ready.snapshot.deep().dimensions());
    let data = json!({
        "chunks": chunks, "files": files, "modelId": model, "dimensions": dimensions, "lastIndexed": last,
        "segments": segments,
    });
    Ok(Reply::new(serde_json::to_string_pretty(&data)?, data).with(caveats(&ready, notes)))
}

fn reindex(call: &Call<'_>) -> anyhow::Result<Reply> {
    let done = call.session.alone(|| reindex_alone(call));
    done.context("a reindex is already in progress")?
}

fn reindex_alone(call: &Call<'_>) -> anyhow::Result<Reply> {
    let begin = std::time::Instant::now();
    let (mut added, mut skipped, mut removed, mut total) = (0, 0, 0, 0);
    let (mut done, mut failed) = (0, Vec::new());
    let paths = call.arguments.texts("paths");
    let mut unmatched = paths.clone();
    for target in call.session.targets()? {
        let mut within = Vec::new();
        for path in &paths {
            if let Some(inside) = place_in(path, &target.root) {
                unmatched.retain(|other| other != path);
                within.extend([inside.clone(), format!("{}/**", inside.trim_end_matches('/'))]);
            }
        }
        if !paths.is_empty() && within.is_empty() {
            continue;
        }
        let report = call.session.served(&target).and_then(|served| {
            within.extend(segment_globs(&served.engine, call.arguments.text("segment"))?);
            let options = Options { within, lock_wait: Duration::from_secs(30), ..Options::default() };
            Ok(served.index(&options, call.cancel)?)
        });
        match report.with_context(|| format!("{}", target.root.display())) {
            Ok(report) => {
                done += 1;
                added += report.indexed;
                skipped += report.unchanged;
                removed += report.deleted;
                total += report.coverage.chunks;
            }
            Err(error) => failed.push(error),
        }
    }
    if let Some(error) = failed.pop().filter(|_| done == 0) {
        return Err(error);
    }
    let took = begin.elapsed().as_millis() as u64;
    let data = json!({
        "added": added, "skipped": skipped, "removed": removed, "totalChunks": total, "durationMs": took,
        "unmatchedPaths": unmatched,
    });
    let failed = failed.iter().map(|error| format!("{error:#}")).collect();
    Ok(Reply::new(serde_json::to_string_pretty(&data)?, data).with(brief(failed)))
}
