//! Lines that a pattern matches, in the files that the index knows and no others: no binary, no secret, nothing ignored.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{SearcherBuilder, sinks};
use rayon::prelude::*;
use serde::Serialize;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::source;
use crate::store::Snapshot;
use crate::types::{Cancel, Scope};

use super::mask::Mask;

/// What is looked for, line by line.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// A regular expression in Rust's syntax, or plain text.
    pub text: String,
    /// Whether it is plain text.
    pub literal: bool,
    /// Whether upper and lower case differ.
    pub case_sensitive: bool,
    /// Which files.
    pub scope: Scope,
    /// How many lines at most.
    pub most: usize,
    /// Lines shown before and after each.
    pub context: usize,
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Relative to the root, with slashes.
    pub path: String,
    /// Counted from 1.
    pub line: u64,
    /// The line without its end, cut where it is very long.
    pub text: String,
    /// Lines before it.
    pub before: Vec<String>,
    /// Lines after it.
    pub after: Vec<String>,
}

/// What a pattern found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Lines {
    /// By path and line.
    pub matches: Vec<Line>,
    /// How many lines match, shown or not.
    pub total: usize,
    /// Files that were read.
    pub files: usize,
    /// Files that could not be read any more.
    pub unreadable: usize,
}

/// Bytes of a line that are shown.
const LINE_BYTES: usize = 500;

/// Reads every file of the scope.
///
/// # Errors
/// [`Error::Pattern`] where the expression, a glob or a language is none; [`Error::Cancelled`].
pub(crate) fn grep(
    snapshot: &Snapshot,
    (root, config): (&Path, &Config),
    pattern: &Pattern,
    cancel: &Cancel,
) -> Result<Lines> {
    let matcher = matcher(pattern)?;
    let mask = Mask::new(snapshot, &pattern.scope, None)?;
    let is_text = |file: &usize| mask.allows(*file) && snapshot.files()[*file].skip().is_none();
    let files: Vec<usize> = (0..snapshot.files().len()).filter(is_text).collect();
    let unreadable = AtomicUsize::new(0);
    let of_file = |file: &usize| {
        let found = in_file(snapshot, *file, (root, config.max_file_bytes), &matcher, pattern);
        if found.is_none() {
            unreadable.fetch_add(1, Ordering::Relaxed);
        }
        found.unwrap_or_default()
    };
    let unless_cancelled = |file: &usize| (!cancel.is_cancelled()).then(|| of_file(file));
    let found: Option<Vec<(Vec<Line>, usize)>> = files.par_iter().map(unless_cancelled).collect();
    let found = found.ok_or(Error::Cancelled)?;
    let mut out = Lines { files: files.len(), unreadable: unreadable.into_inner(), ..Lines::default() };
    for (mut lines, total) in found {
        out.total += total;
        lines.truncate(pattern.most.saturating_sub(out.matches.len()));
        out.matches.append(&mut lines);
    }
    Ok(out)
}

fn matcher(pattern: &Pattern) -> Result<RegexMatcher> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(!pattern.case_sensitive).fixed_strings(pattern.literal);
    builder.crlf(true);
    let failed = |message: String| Error::Pattern { pattern: pattern.text.clone(), message };
    if pattern.text.is_empty() {
        return Err(failed("an empty pattern matches every line".to_owned()));
    }
    builder.build(&pattern.text).map_err(|error| failed(error.to_string()))
}

/// The first lines of a file that match, and how many do; `None` where it can't be read any more, or is no text.
fn in_file(
    snapshot: &Snapshot,
    file: usize,
    (root, max_bytes): (&Path, u64),
    matcher: &RegexMatcher,
    pattern: &Pattern,
) -> Option<(Vec<Line>, usize)> {
    let path = snapshot.path(file);
    let known = snapshot.files()[file].hash();
    let content = source::read_known(&root.join(path), max_bytes, Some(known)).ok()?;
    let text = content.text.ok()?.content;
    let mut numbers: Vec<u64> = Vec::new();
    let mut total = 0;
    let sink = sinks::Lossy(|number, _| {
        total += 1;
        if numbers.len() < pattern.most {
            numbers.push(number);
        }
        Ok(true)
    });
    let mut searcher = SearcherBuilder::new().line_terminator(LineTerminator::crlf()).build();
    searcher.search_slice(matcher, text.as_bytes(), sink).ok()?;
    if numbers.is_empty() {
        return Some((Vec::new(), total));
    }
    let lines: Vec<&str> = text.lines().collect();
    let line = |number: u64| {
        // Counted from 1.
        let at = usize::try_from(number).unwrap_or_default().saturating_sub(1);
        let around = |range: Range<usize>| {
            lines.get(range).unwrap_or_default().iter().map(|line| shown(line)).collect()
        };
        Line {
            path: path.to_owned(),
            line: number,
            text: lines.get(at).map(|line| shown(line)).unwrap_or_default(),
            before: around(at.saturating_sub(pattern.context)..at),
            after: around(at + 1..(at + 1 + pattern.context).min(lines.len())),
        }
    };
    Some((numbers.into_iter().map(line).collect(), total))
}

fn shown(line: &str) -> String {
    let end = line.floor_char_boundary(LINE_BYTES.min(line.len()));
    if end < line.len() { format!("{}…", &line[..end]) } else { line.to_owned() }
}
