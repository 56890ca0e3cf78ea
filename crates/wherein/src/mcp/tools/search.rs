//! `search`: the passages that answer a question, within a budget.

use serde_json::{Value, json};
use wherein_engine::{Answer, Area, Hit, Verdict};

use crate::mcp::schema::Param;
use crate::render;

use super::ask::{Asked, Question, ask};
use super::{Call, MAX_TOKENS, MOST_TOKENS, Reply, Tool, told};

pub(super) static SEARCH: Tool = Tool {
    name: "search",
    about: "Finds the passages that answer a question, in code and documents, by meaning and by words: use it before grep and before reading files, \
            whenever you don't know the exact words or the file. Ask as you would ask a colleague, or give a name, an error message, a log line. \
            Says \"nothing\" when there is nothing. Answers are quotations with path:line, checked against the files as they are now.",
    tells_content: true,
    reads_only: true,
    params: &[
        Param::text(
            "query",
            "What you look for: a question, a name, an error message; never parsed as syntax",
        )
        .required(),
        Param::words(
            "in",
            &["code", "docs", "tests", "config"],
            "Only these parts; all by default, ranked by what the question asks for",
        ),
        Param::texts(
            "path",
            "Only below these folders, in these files, or where these globs match, such as src/auth or **/*.proto",
        ),
        Param::texts("lang", "Only these languages, such as rust or markdown"),
        Param::count("k", (1, 100), "How many passages at most; 8 by default"),
        Param::count(
            "max_tokens",
            (200, MOST_TOKENS),
            "How long the answer may be, in tokens of 4 bytes; 8000 by default",
        ),
        Param::flag("all", "Also what the project's configuration leaves out of answers"),
        Param::share(
            "min_score",
            "Passages below this score are cut; 0 shows the nearest passages even where nothing answers",
        ),
        Param::text("root", "Only this folder, where several are served: its name or path"),
    ],
    run,
};

/// Passages that are shown, where nobody says.
const K: usize = 8;

fn run(call: &Call<'_>) -> anyhow::Result<Reply> {
    let question = Question {
        text: call.arguments.text("query").unwrap_or_default().to_owned(),
        k: call.arguments.count("k").unwrap_or(K),
        root: call.arguments.text("root").map(str::to_owned),
        paths: call.arguments.texts("path"),
        languages: call.arguments.texts("lang"),
        areas: call.arguments.texts("in").iter().filter_map(|name| area(name)).collect(),
        min_score: call.arguments.share("min_score"),
        all: call.arguments.flag("all"),
        ..Question::default()
    };
    let mut asked = ask(call, &question)?;
    Ok(answer(&mut asked, call.arguments.count("max_tokens").unwrap_or(MAX_TOKENS)))
}

fn area(name: &str) -> Option<Area> {
    match name {
        "code" => Some(Area::Code),
        "docs" => Some(Area::Docs),
        "tests" => Some(Area::Tests),
        "config" => Some(Area::Config),
        _ => None,
    }
}

/// Bytes that a passage costs beside its text.
const HIT_BYTES: usize = 160;

/// The answer as text and as data, cut to a budget: half of it at least is for what passages say, whatever their number.
pub(super) fn answer(asked: &mut Asked, max_tokens: usize) -> Reply {
    let most = max_tokens.saturating_mul(render::TOKEN_BYTES);
    let roots: Vec<String> =
        asked.ready.iter().map(|ready| ready.engine().root().display().to_string()).collect();
    let all = std::mem::take(&mut asked.answer.results);
    let mut count = all.len().min((most / 2 / HIT_BYTES).max(1));
    let (text, notes) = loop {
        asked.answer.results = all[..count].to_vec();
        let left = most.saturating_sub(HIT_BYTES * (count + 1));
        let shortened = render::limit_bytes(&mut asked.answer.results, left);
        let notes = notes(&asked.answer, (shortened, all.len() - count));
        let text = render::agent(&asked.answer, &roots, &notes);
        // Where places and notes take more, the last passage goes.
        if text.len() <= most || count == 0 {
            break (text, notes);
        }
        count -= 1;
    };
    let answer = &asked.answer;
    let data = json!({
        "answer": answer.answer,
        "results": answer.results.iter().map(|hit| describe(hit, roots.len() > 1)).collect::<Vec<_>>(),
        "nearest_miss": answer.nearest_miss,
        "threshold": answer.threshold,
        "roots": roots,
        "notes": notes,
        "coverage": answer.coverage,
    });
    Reply::new(text, data)
}

fn describe(hit: &Hit, several: bool) -> Value {
    let mut out = json!({
        "id": hit.id, "path": hit.path, "start_line": hit.start_line, "end_line": hit.end_line,
        "score": (f64::from(hit.score) * 1000.0).round() / 1000.0, "label": hit.label, "kind": hit.kind,
        "symbol": hit.symbol, "trail": hit.trail, "status": hit.status, "fresh": hit.fresh, "text": hit.text,
    });
    if several {
        out["root"] = json!(hit.root);
    }
    out
}

/// What the reader should know beside the passages, of which some are cut and some left out.
fn notes(answer: &Answer, (shortened, left_out): (usize, usize)) -> Vec<String> {
    let mut out = told(answer.notes.clone(), &answer.coverage);
    if shortened > 0 {
        out.push(format!(
            "{shortened} passages were cut to stay within max_tokens; `read` shows them whole, by id"
        ));
    }
    if left_out > 0 {
        out.push(format!("{left_out} passages were left out to stay within max_tokens"));
    }
    if answer.answer == Verdict::Nothing && answer.coverage.deep.is_some_and(|share| share < 1.0) {
        out.push("not all of the prose is known to the deep model yet; ask again later, or in the document's own words".to_owned());
    }
    out
}
