//! docs-rag-mcp's tool, by its name, parameters and labels.

use wherein_engine::{Answer, Hit, Label, Verdict};

use crate::mcp::schema::Param;
use crate::render;

use super::ask::{Asked, Question, ask};
use super::{Call, MAX_TOKENS, Reply, Tool};

pub(super) static TOOLS: [Tool; 1] = [Tool {
    name: "search_notes",
    about: "Searches the project's notes and documents by meaning and by words, and says so when nothing is relevant.",
    tells_content: true,
    reads_only: true,
    params: &[
        Param::text("query", "What you look for, as a question or in key words").required(),
        Param::texts("exclude", "Fragments of paths to leave out of this answer, ignoring case"),
        Param::flag(
            "searchAll",
            "Also folders that are left out by default, and superseded or archived documents",
        ),
    ],
    run: search_notes,
}];

/// Sections that are shown.
const K: usize = 8;

fn search_notes(call: &Call<'_>) -> anyhow::Result<Reply> {
    let question = Question {
        text: call.arguments.text("query").unwrap_or_default().to_owned(),
        k: K,
        exclude: call.arguments.texts("exclude"),
        all: call.arguments.flag("searchAll"),
        ..Question::default()
    };
    let asked = ask(call, &question)?;
    let notes = asked.caveats();
    let Asked { mut answer, .. } = asked;
    if answer.answer == Verdict::Nothing {
        return Ok(Reply::text(nothing(&answer)).with(notes));
    }
    render::limit_tokens(&mut answer.results, MAX_TOKENS);
    let sections: Vec<String> = answer.results.iter().map(section).collect();
    Ok(Reply::text(sections.join("\n\n")).with(notes))
}

fn nothing(answer: &Answer) -> String {
    let best = answer.nearest_miss.as_ref().map_or(0.0, |miss| miss.score);
    format!("No relevant results (best score {best:.2}, threshold {:.2})", answer.threshold)
}

/// `[semantic 0.712] path › Heading`, then the text.
fn section(hit: &Hit) -> String {
    let label = match hit.label {
        Label::Semantic => format!("semantic {:.3}", hit.score),
        Label::Both => format!("both {:.3}", hit.score),
        Label::Exact => "exact match".to_owned(),
    };
    let status = hit.status.as_ref().map_or_else(String::new, |status| match &hit.superseded_by {
        Some(successor) => format!("[{status} → {successor}] "),
        None => format!("[{status}] "),
    });
    let date = hit.date.as_ref().map_or_else(String::new, |date| format!(" [{date}]"));
    let trail = if hit.trail.is_empty() { String::new() } else { format!(" › {}", hit.trail.join(" > ")) };
    let place = render::one_line(&format!("{}{trail}{date}", hit.path));
    format!("{status}[{label}] {place}\n\n{}", render::quoted(&hit.text, hit.language))
}
