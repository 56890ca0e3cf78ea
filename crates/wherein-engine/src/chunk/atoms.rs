//! The smallest parts that chunks are made of: lines, and parts of lines that are too long to be one.

use crate::extract::{LineMap, Text};

use super::{Budget, Outline};

/// A part of the text that no chunk border goes through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom {
    pub start: usize,
    pub end: usize,
    /// Pieces of the budget it takes.
    pub pieces: usize,
    pub blank: bool,
    /// Whether it goes on with a word that the atom before it began: their pieces do not add up.
    pub joins: bool,
    /// Columns before the first character that is not white space.
    pub indent: usize,
}

/// A line of more bytes than this is cut at definitions before it is cut by size.
const LONG_LINE: usize = 1_000;

/// Cuts a text into atoms.
pub(super) fn atoms(text: &Text, lines: &LineMap, outline: &Outline, budget: Budget<'_>) -> Vec<Atom> {
    let content = text.content.as_str();
    let mut out = Vec::with_capacity(lines.count());
    let mut borders: Option<Vec<usize>> = None;
    for line in 0..lines.count() {
        let start = lines.start_of(line, content.len()).max(text.body_start());
        let end = lines.start_of(line + 1, content.len());
        if start >= end {
            continue;
        }
        if end - start <= LONG_LINE {
            push(&mut out, content, (start, end), budget);
            continue;
        }
        let borders = borders.get_or_insert_with(|| {
            let mut all: Vec<usize> = outline.items.iter().flat_map(|i| [i.start, i.end]).collect();
            all.sort_unstable();
            all.dedup();
            all
        });
        let first = borders.partition_point(|b| *b <= start);
        let mut at = start;
        for &border in borders[first..].iter().take_while(|b| **b < end) {
            push(&mut out, content, (at, border), budget);
            at = border;
        }
        push(&mut out, content, (at, end), budget);
    }
    out
}

/// Adds one part, halved until each half fits.
fn push(out: &mut Vec<Atom>, content: &str, (start, end): (usize, usize), budget: Budget<'_>) {
    let mut rest = vec![(start, end)];
    while let Some((start, end)) = rest.pop() {
        let part = &content[start..end];
        if part.is_empty() {
            continue;
        }
        // Text without a single known piece (base64, foreign scripts) counts by its length instead.
        let pieces = (budget.count)(part).max(part.len() / 16);
        if pieces > budget.max && end - start > 1 {
            let middle = border_near(content, start, end);
            if middle > start && middle < end {
                rest.push((middle, end));
                rest.push((start, middle));
                continue;
            }
        }
        let trimmed = part.trim_start();
        let bytes = content.as_bytes();
        let joins = start > 0 && is_word(bytes[start - 1]) && is_word(bytes[start]);
        out.push(Atom {
            start,
            end,
            pieces,
            blank: trimmed.is_empty(),
            joins,
            indent: part.len() - trimmed.len(),
        });
    }
}

/// Letters and digits of any script, as far as bytes tell.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// The end of a word or statement near the middle of a part.
fn border_near(content: &str, start: usize, end: usize) -> usize {
    let middle = start + (end - start) / 2;
    let reach = ((end - start) / 4).min(400);
    let window = middle - reach..(middle + reach).min(end);
    let bytes = content.as_bytes();
    let after = |wanted: fn(u8) -> bool| {
        window.clone().filter(|i| wanted(bytes[*i])).min_by_key(|i| i.abs_diff(middle)).map(|i| i + 1)
    };
    let mut at = after(|b| matches!(b, b';' | b'}' | b'\n'))
        .or_else(|| after(|b| b.is_ascii_whitespace() || b == b','))
        .unwrap_or(middle);
    while !content.is_char_boundary(at) {
        at += 1;
    }
    at
}
