//! semantic-search-mcp's tools, by their names, parameters and text.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use wherein_engine::{Hit, Options, Pattern, Scope};

use crate::corpus::name;
use crate::mcp::schema::Param;
use crate::mcp::served::Ready;
use crate::render;

use super::ask::{Asked, Question, ask};
use super::files::known;
use super::grep::{lines, unreadable};
use super::{Call, MAX_TOKENS, Reply, Tool, brief, caveats};

pub(super) static TOOLS: [Tool; 6] = [
    Tool {
        name: "search",
        about: "Searches all indexed folders by meaning and by words; returns passages as JSON.",
        tells_content: true,
        reads_only: true,
        params: &[
            Param::text("query", "What you look for").required(),
            Param::count("k", (1, 100), "How many passages at most; 5 by default"),
        ],
        run: search,
    },
    Tool {
        name: "gather",
        about: "Searches as `search` does and returns the passages as readable text, with lines around them if wanted.",
        tells_content: false,
        reads_only: true,
        params: &[
            Param::text("query", "What you look for").required(),
            Param::count("k", (1, 100), "How many passages at most; 5 by default"),
            Param::count("contextLines", (0, 200), "Lines before and after each passage; 0 by default"),
        ],
        run: gather,
    },
    Tool {
        name: "list_folders",
        about: "Names the folders that are searched.",
        tells_content: false,
        reads_only: true,
        params: &[],
        run: list_folders,
    },
    Tool {
        name: "cat_file",
        about: "Shows a file of the searched folders, or lines of it.",
        tells_content: false,
        reads_only: true,
        params: &[
            Param::text("filePath", "The file's absolute path").required(),
            Param::count("startLine", (1, u32::MAX as u64), "The first line, counted from 1"),
            Param::count("endLine", (1, u32::MAX as u64), "The last line, included"),
        ],
        run: cat_file,
    },
    Tool {
        name: "grep",
        about: "Finds lines that match a pattern in the searched folders.",
        tells_content: false,
        reads_only: true,
        params: &[
            Param::text("pattern", "A regular expression").required(),
            Param::text("folder", "Only this folder, by its name"),
            Param::text("fileGlob", "Only files with such a name, as *.rs"),
            Param::flag("caseSensitive", "Tell upper from lower case; false by default"),
            Param::count("maxResults", (1, 1000), "How many lines at most; 50 by default"),
        ],
        run: grep,
    },
    Tool {
        name: "index",
        about: "Brings the index of the searched folders up to date; searching does that by itself.",
        tells_content: false,
        reads_only: false,
        params: &[
            Param::text("root", "Only this folder, by its name or path"),
            Param::flag("force", "Read every file, changed or not"),
            Param::count("maxFiles", (1, u32::MAX as u64), "Read at most so many files of each folder"),
            Param::count(
                "concurrency",
                (1, 256),
                "Threads that read and parse; by default as many as there are cores",
            ),
        ],
        run: index,
    },
];

/// Passages that are shown, where nobody says.
const K: usize = 5;

fn asked(call: &Call<'_>) -> anyhow::Result<Asked> {
    let question = Question {
        text: call.arguments.text("query").unwrap_or_default().to_owned(),
        k: call.arguments.count("k").unwrap_or(K),
        ..Question::default()
    };
    ask(call, &question)
}

fn search(call: &Call<'_>) -> anyhow::Result<Reply> {
    let asked = asked(call)?;
    let notes = asked.caveats();
    let Asked { mut answer, ready } = asked;
    render::limit_tokens(&mut answer.results, MAX_TOKENS);
    let hits: Vec<Value> = answer
        .results
        .iter()
        .map(|hit| {
            json!({
                "filePath": hit.root.join(&hit.path), "text": hit.text, "score": hit.score,
                "offset": offset(hit, &ready), "startLine": hit.start_line,
            })
        })
        .collect();
    Ok(Reply::text(serde_json::to_string_pretty(&hits)?).with(notes))
}

/// Where a passage's first line begins in its file, in UTF-16 units.
fn offset(hit: &Hit, ready: &[Ready]) -> usize {
    let engine = ready.iter().map(Ready::engine).find(|engine| engine.root() == hit.root);
    let text = engine.and_then(|engine| engine.text(&hit.path)).unwrap_or_default();
    let before = text.split_inclusive('\n').take(hit.start_line.saturating_sub(1) as usize);
    before.map(|line| line.encode_utf16().count()).sum()
}

fn gather(call: &Call<'_>) -> anyhow::Result<Reply> {
    let asked = asked(call)?;
    let notes = asked.caveats();
    let Asked { mut answer, ready } = asked;
    let context = call.arguments.count("contextLines").unwrap_or_default();
    for hit in answer.results.iter_mut().filter(|_| context > 0) {
        if let Some(ready) = ready.iter().find(|ready| ready.engine().root() == hit.root) {
            render::widen(hit, ready.engine(), u32::try_from(context).unwrap_or(u32::MAX));
        }
    }
    render::limit_tokens(&mut answer.results, MAX_TOKENS);
    let count = answer.results.len();
    let blocks: Vec<String> = (1..)
        .zip(&answer.results)
        .map(|(number, hit)| {
            format!(
                "### [{number}/{count}]  {}  ·  {}  ·  line {}  ·  score {:.3}\n\n{}",
                name(&hit.root),
                render::one_line(&hit.path),
                hit.start_line,
                hit.score,
                render::quoted(&hit.text, "")
            )
        })
        .collect();
    Ok(Reply::text(blocks.join("\n\n")).with(notes))
}

fn list_folders(call: &Call<'_>) -> anyhow::Result<Reply> {
    let line = |root: &Path| format!("{}  {}", name(root), root.display());
    let lines: Vec<String> = call.session.targets()?.iter().map(|target| line(&target.root)).collect();
    Ok(Reply::text(lines.join("\n")))
}

fn cat_file(call: &Call<'_>) -> anyhow::Result<Reply> {
    let path = call.arguments.text("filePath").unwrap_or_default();
    let (ready, notes) = call.ready(&call.session.targets()?)?;
    let notes = caveats(&ready, notes);
    let known = match known(path, &ready) {
        Ok(known) => known,
        Err(error) => {
            let refused = format!("Refused: {error:#}; list_folders names what is served");
            return Ok(Reply::refused(refused).with(notes));
        }
    };
    let first = call.arguments.count("startLine").unwrap_or(1);
    let last = call.arguments.count("endLine").unwrap_or(usize::MAX);
    let lines = known.text.split_inclusive('\n').skip(first - 1).take(last.saturating_sub(first - 1));
    let mut text: String = lines.collect();
    let cut = render::cut(&mut text, MAX_TOKENS * render::TOKEN_BYTES);
    let more = if cut { "\n\n(cut; startLine shows the rest)" } else { "" };
    let place = format!("{}  ·  {}", name(known.ready.engine().root()), known.path);
    Ok(Reply::text(format!("# {}\n\n{text}{more}", render::one_line(&place))).with(notes))
}

/// Lines that are shown, where nobody says.
const MOST: usize = 50;

fn grep(call: &Call<'_>) -> anyhow::Result<Reply> {
    let targets = match call.arguments.text("folder") {
        None => call.session.targets()?,
        Some(folder) => match call.session.named(Some(folder)) {
            Ok(targets) => targets,
            Err(_) => return Ok(Reply::refused(format!("No folder found: {folder}"))),
        },
    };
    let (ready, notes) = call.ready(&targets)?;
    let globs: Vec<String> =
        call.arguments.text("fileGlob").map(|glob| format!("**/{glob}")).into_iter().collect();
    let mut pattern = Pattern {
        text: call.arguments.text("pattern").unwrap_or_default().to_owned(),
        literal: false,
        case_sensitive: call.arguments.flag("caseSensitive"),
        scope: Scope::default(),
        most: call.arguments.count("maxResults").unwrap_or(MOST),
        context: 0,
    };
    let scope =
        |ready: &Ready| Scope { within: ready.within.clone(), globs: globs.clone(), ..Scope::default() };
    let found = match lines((&ready, call.cancel), &mut pattern, scope) {
        Ok(found) => found,
        Err(error) => return Ok(Reply::refused(format!("grep error: {error:#}"))),
    };
    let total: usize = found.iter().map(|(_, lines)| lines.total).sum();
    let matches = found
        .iter()
        .flat_map(|(ready, lines)| lines.matches.iter().map(move |line| (ready.engine().root(), line)))
        .map(|(root, line)| {
            format!("{}  ·  {}:{}  {}", name(root), render::one_line(&line.path), line.line, line.text.trim())
        });
    let mut left = MAX_TOKENS * render::TOKEN_BYTES;
    let fits = |line: &String| {
        left = left.saturating_sub(line.len() + 1);
        left > 0
    };
    let shown: Vec<String> = matches.take_while(fits).collect();
    let tail = if shown.len() < total {
        format!("\n(showing first {} of {total} matches)", shown.len())
    } else {
        String::new()
    };
    let mut notes = caveats(&ready, notes);
    notes.extend(unreadable(&found));
    let text = if total == 0 { "No matches found.".to_owned() } else { shown.join("\n") + &tail };
    Ok(Reply::text(text).with(notes))
}

fn index(call: &Call<'_>) -> anyhow::Result<Reply> {
    let done = call.session.alone(|| index_alone(call));
    done.context("Index error: already in progress")?
}

fn index_alone(call: &Call<'_>) -> anyhow::Result<Reply> {
    let options = Options {
        force: call.arguments.flag("force"),
        max_files: call.arguments.count("maxFiles"),
        threads: call.arguments.count("concurrency"),
        lock_wait: Duration::from_secs(30),
        ..Options::default()
    };
    let (mut processed, mut skipped, mut deleted, mut written, mut truncated) = (0, 0, 0, 0, false);
    let targets = call.session.named(call.arguments.text("root"))?;
    let mut failed = Vec::new();
    for target in &targets {
        let report =
            match call.session.served(target).and_then(|served| Ok(served.index(&options, call.cancel)?)) {
                Ok(report) => report,
                Err(error) => {
                    failed.push(format!("Index error: {error:#}"));
                    continue;
                }
            };
        processed += report.indexed;
        skipped += report.unchanged;
        deleted += report.deleted;
        written += report.chunks_written;
        truncated |= report.truncated;
    }
    if failed.len() == targets.len() && !failed.is_empty() {
        return Ok(Reply::refused(failed.join("\n")));
    }
    let data = json!({
        "filesProcessed": processed, "filesSkipped": skipped, "filesDeleted": deleted, "chunksWritten": written,
        "truncated": truncated,
    });
    Ok(Reply::text(serde_json::to_string_pretty(&data)?).with(brief(failed)))
}
