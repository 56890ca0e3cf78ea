//! Raw query matches → a clean outline: one item a definition, comments and attributes above it included.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::extract::LineMap;
use crate::types::Kind;

use super::{Item, Outline};

/// A definition as a query pattern matched it.
pub(super) struct Raw {
    /// First byte of the node.
    pub start: usize,
    /// One past its last.
    pub end: usize,
    /// What the pattern calls it.
    pub kind: Kind,
    /// Byte range of its name.
    pub name: (usize, usize),
    /// Place of the pattern in the query file: earlier ones are more specific.
    pub pattern: usize,
}

/// Longest name kept; longer ones are selectors or broken text.
const MAX_NAME_BYTES: usize = 120;

/// Sorts, makes one item of all matches of a name, and draws leading comments and attributes in.
pub(super) fn build(text: &str, raw: Vec<Raw>, mut docs: Vec<(usize, usize)>) -> Outline {
    docs.sort_unstable();
    docs.dedup();
    let mut best: HashMap<(usize, usize), Raw> = HashMap::with_capacity(raw.len());
    for one in raw {
        // Several patterns may see one definition: the first one's kind, the widest one's place.
        match best.entry(one.name) {
            Entry::Vacant(free) => drop(free.insert(one)),
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                let place = (known.start.min(one.start), known.end.max(one.end));
                if one.pattern < known.pattern {
                    *known = one;
                }
                (known.start, known.end) = place;
            }
        }
    }
    let mut kept: Vec<Raw> = best.into_values().collect();
    kept.sort_unstable_by_key(|r| (r.start, usize::MAX - r.end, r.name.0));
    let lines = LineMap::new(text);
    let mut floor = 0;
    let mut items = Vec::with_capacity(kept.len());
    for one in kept {
        let start = lead(text, &lines, &docs, one.start).max(floor.min(one.start));
        // A definition's comment can't reach into the one before it.
        floor = floor.max(start);
        let name = clean(text.get(one.name.0..one.name.1).unwrap_or(""));
        items.push(Item { start, end: one.end, declared: one.name.0, kind: one.kind, name });
    }
    items.sort_by_key(|i| (i.start, usize::MAX - i.end));
    items.retain(|i| !i.name.is_empty());
    Outline { items: place(items), docs }
}

/// Gives definitions the kind that their place makes of them: a function of a type is a method, a variable of a type a
/// field; a variable of a function is no definition that anybody looks for.
fn place(items: Vec<Item>) -> Vec<Item> {
    let mut open: Vec<(usize, Kind)> = Vec::new();
    let mut out = Vec::with_capacity(items.len());
    for mut item in items {
        while open.pop_if(|(end, _)| *end <= item.start).is_some() {}
        let around = open.last().map(|(_, kind)| *kind);
        let local = around.is_some_and(|kind| kind.is_callable() || kind == Kind::Test);
        let member =
            around.is_some_and(|kind| (kind.is_type() && kind != Kind::Module) || kind == Kind::Impl);
        match item.kind {
            Kind::Variable | Kind::Constant | Kind::Field | Kind::Property if local => continue,
            Kind::Function if member => item.kind = Kind::Method,
            Kind::Variable if member => item.kind = Kind::Field,
            _ => {}
        }
        if !matches!(item.kind, Kind::Variable | Kind::Constant | Kind::Field | Kind::Property) {
            open.push((item.end, item.kind));
        }
        out.push(item);
    }
    out
}

/// A name on one line without quotes and type arguments.
fn clean(name: &str) -> String {
    let name = name.trim().trim_matches(['"', '\'', '`']);
    let name = match name.find('<') {
        Some(at) if at > 0 && name.ends_with('>') && !name[..at].ends_with("operator") => {
            name[..at].trim_end()
        }
        _ => name,
    };
    let mut out = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    if out.len() > MAX_NAME_BYTES {
        let mut end = MAX_NAME_BYTES;
        while !out.is_char_boundary(end) {
            end -= 1;
        }
        out.truncate(end);
    }
    out
}

/// The first byte of the comments, attributes and decorators that stand directly above `start`.
fn lead(text: &str, lines: &LineMap, docs: &[(usize, usize)], start: usize) -> usize {
    let mut line = lines.line_of(start);
    let mut first = start;
    if !text[lines.start_of(line, text.len())..start].trim().is_empty() {
        return first;
    }
    while line > 0 {
        let above = lines.start_of(line - 1, text.len());
        let content = text[above..lines.start_of(line, text.len())].trim();
        let begins = above + text[above..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
        if content.is_empty() {
            break;
        }
        // A comment that only ends on this line may begin several lines up.
        let at = docs.partition_point(|d| d.0 <= begins);
        let comment =
            at.checked_sub(1).map(|i| docs[i]).filter(|d| d.1 >= begins + content.len().min(d.1 - d.0));
        if let Some((from, _)) = comment {
            let from_line = lines.line_of(from);
            if !text[lines.start_of(from_line, text.len())..from].trim().is_empty() {
                break;
            }
            line = from_line;
            first = from;
        } else if content.starts_with('@')
            || content.starts_with("#[")
            || (content.starts_with('[') && content.ends_with(']'))
        {
            line -= 1;
            first = begins;
        } else {
            break;
        }
    }
    first
}
