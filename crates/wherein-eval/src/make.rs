//! A truth set out of a corpus itself: comments that lead to their definitions, headings to their sections, commit subjects to
//! the files that they touched.
//!
//! Such a set is a smoke alarm, not a measure: comments are written by those who know the code, headings share their words with
//! their sections, and a commit touches files that no question about it would want.

use wherein_engine::internals::{LangId, Outline, outline};
use wherein_engine::{Engine, Snapshot, commits};

use crate::truth::{Item, Lines, Target};

/// Fewer words ask nothing.
const MIN_WORDS: usize = 4;
/// More are no question.
const MAX_WORDS: usize = 20;
/// A commit that touches more files is about none of them.
const MAX_TOUCHED: usize = 3;
/// Commits looked at.
const COMMITS: usize = 2000;

/// What a made set can and cannot show, for people.
pub const CAVEAT: &str = "\
A made set shows whether a change made things better or worse on this corpus, and which files are never found.
It does not show how good an answer is: comments and headings come from people who know the code and use its words,
and a commit touches files that nobody would want for an answer. Questions of real users, a dozen of them with the
files they wanted, are worth more than all of this.";

/// Makes at most `most` items of each kind from the indexed files of a root.
///
/// # Errors
/// Where git fails on the root's history.
pub fn make(engine: &Engine, snapshot: &Snapshot, most: usize) -> anyhow::Result<Vec<Item>> {
    let (mut comments, mut headings) = (Vec::new(), Vec::new());
    for (at, file) in snapshot.files().iter().enumerate() {
        if file.skip().is_some() {
            continue;
        }
        let (path, lang) = (snapshot.path(at), snapshot.language(at));
        // A file that went away since the index gives no questions.
        let Some(text) = engine.text(path) else { continue };
        let Some(outline) = outline(&text, lang) else { continue };
        if lang.is_prose() {
            headings.extend(from_headings(path, &text, &outline));
        } else {
            comments.extend(from_comments(path, &text, &outline, lang));
        }
    }
    let known = |path: &String| snapshot.find(path).is_some_and(|at| snapshot.files()[at].skip().is_none());
    let mut subjects = Vec::new();
    for (subject, touched) in commits(engine.root(), COMMITS)? {
        let touched: Vec<String> = touched.into_iter().filter(known).collect();
        let Some(query) = question(subject.rsplit_once(": ").map_or(subject.as_str(), |(_, s)| s)) else {
            continue;
        };
        if (1..=MAX_TOUCHED).contains(&touched.len()) {
            let relevant = touched.into_iter().map(Target::File).collect();
            subjects.push(Item { query, relevant, category: "commit".into(), any: true, ..Item::default() });
        }
    }
    let mut out = Vec::new();
    for list in [comments, headings, subjects] {
        out.extend(spread(list, most));
    }
    Ok(out)
}

/// So many of a list, from all over it, each question once.
fn spread(mut list: Vec<Item>, most: usize) -> Vec<Item> {
    let mut seen = std::collections::HashSet::new();
    list.retain(|item| seen.insert(item.query.clone()));
    let step = (list.len() as f64 / most.max(1) as f64).max(1.0);
    let count = list.len().min(most);
    let places: Vec<usize> = (0..count).map(|i| (i as f64 * step) as usize).collect();
    places.into_iter().filter_map(|at| list.get(at).cloned()).collect()
}

/// The number of the line that holds a byte.
fn line_of(text: &str, byte: usize) -> u32 {
    text.as_bytes()[..byte.min(text.len())].iter().filter(|b| **b == b'\n').count() as u32 + 1
}

fn from_headings(path: &str, text: &str, outline: &Outline) -> Vec<Item> {
    let item = |section: &wherein_engine::internals::Item| {
        let query = question(&section.name)?;
        let lines = Target::Lines {
            path: path.to_owned(),
            start_line: Some(line_of(text, section.start)),
            end_line: Some(line_of(text, section.end.saturating_sub(1))),
            symbol: None,
        };
        Some(Item { query, relevant: vec![lines], category: "heading".into(), ..Item::default() })
    };
    outline.items.iter().filter_map(item).collect()
}

/// Comments directly above a definition, or first inside it.
fn from_comments(path: &str, text: &str, outline: &Outline, lang: LangId) -> Vec<Item> {
    let mut out = Vec::new();
    for definition in &outline.items {
        let docs = outline.docs.iter().filter(|(start, end)| {
            *start >= definition.start && *end <= definition.end && *start < first_code(definition, outline)
        });
        let docs: Vec<&(usize, usize)> = docs.collect();
        let (Some(first), Some(last)) = (docs.first(), docs.last()) else { continue };
        let written: String = docs.iter().map(|d| &text[d.0..d.1]).collect::<Vec<_>>().join("\n");
        let Some(query) = question(&sentence(&written)) else { continue };
        let (start_line, end_line) =
            (line_of(text, definition.start), line_of(text, definition.end.saturating_sub(1)));
        let hide = Lines {
            path: path.to_owned(),
            start_line: line_of(text, first.0),
            end_line: line_of(text, last.1.saturating_sub(1)),
        };
        if hide.end_line >= end_line || lang == LangId::TEXT {
            continue;
        }
        let target = Target::Lines {
            path: path.to_owned(),
            start_line: Some(start_line),
            end_line: Some(end_line),
            symbol: Some(definition.name.clone()),
        };
        out.push(Item {
            query,
            relevant: vec![target],
            category: "comment".into(),
            hide: vec![hide],
            ..Item::default()
        });
    }
    out
}

/// Comments below this byte belong to a definition as a whole: its name, or a docstring right after it.
fn first_code(definition: &wherein_engine::internals::Item, outline: &Outline) -> usize {
    const HEADER: usize = 200;
    let inner = outline.items.iter().find(|i| i.start > definition.declared && i.start < definition.end);
    inner.map_or(definition.end, |i| i.start).min(definition.declared + HEADER)
}

/// The first sentence of a comment, its marks taken off.
fn sentence(comment: &str) -> String {
    let marks =
        |c: char| matches!(c, '/' | '*' | '#' | '!' | '-' | ';' | '"' | '\'' | '%') || c.is_whitespace();
    let lines: Vec<&str> = comment.lines().map(|line| line.trim_matches(marks)).collect();
    let text = lines.split(|line| line.is_empty()).find(|p| !p.is_empty()).unwrap_or_default().join(" ");
    let end = text.find(". ").unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}

/// A text that asks something, or nothing.
fn question(text: &str) -> Option<String> {
    let words = text.split_whitespace().count();
    let letters = text.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
    let is_text = letters * 10 >= text.chars().count() * 8;
    ((MIN_WORDS..=MAX_WORDS).contains(&words) && is_text)
        .then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_questions_without_their_marks() {
        assert_eq!(
            sentence("/// Sends a letter to every\n/// subscriber. Returns nothing.\n"),
            "Sends a letter to every subscriber"
        );
        assert_eq!(sentence("/*\n * Counts open doors.\n *\n * More.\n */"), "Counts open doors");
        assert_eq!(question("TODO"), None);
        assert_eq!(question("== 4 + 5 == 9 && x <= 7"), None);
        assert!(question("counts the open doors").is_some());
    }

    #[test]
    fn a_definition_is_asked_for_by_its_comment() {
        let text = "/// Counts the open doors of a house.\nfn doors(house: &House) -> usize {\n    house.doors()\n}\n";
        let lang = LangId::detect("a.rs", "");
        let items = from_comments("a.rs", text, &outline(text, lang).unwrap(), lang);
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].query, "Counts the open doors of a house");
        assert_eq!(items[0].hide, [Lines { path: "a.rs".into(), start_line: 1, end_line: 1 }]);
    }
}
