//! Source text → outline, by a tree-sitter grammar and its query, within limits of time and size.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, ParseOptions, Parser, QueryCursor, QueryCursorOptions, Tree};

use crate::lang::{Capture, CompiledQuery, LangId};

use super::Outline;
use super::outline::{Raw, build};

/// How long one parse, and one run of the query over its tree, may take. Files below the size limit need milliseconds.
pub const PARSE_SECONDS: u64 = 2;

/// A chain of enclosing nodes longer than this is no program that a person wrote.
const MAX_NAME_STEPS: usize = 32;

/// The outline of a text; `None` on the limit.
pub(super) fn outline(text: &str, lang: LangId) -> Option<Outline> {
    let Some(compiled) = lang.query() else { return Some(Outline::default()) };
    let tree = parse(text, compiled)?;
    collect(text, &tree, compiled)
}

fn parse(text: &str, compiled: &CompiledQuery) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&compiled.grammar).ok()?;
    let end = Instant::now() + Duration::from_secs(PARSE_SECONDS);
    let mut stop = |_: &tree_sitter::ParseState| if Instant::now() > end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut stop)))
}

/// Runs the query and gathers definitions and comments.
fn collect(text: &str, tree: &Tree, compiled: &CompiledQuery) -> Option<Outline> {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(4096);
    let end = Instant::now() + Duration::from_secs(PARSE_SECONDS);
    let mut late = false;
    let mut stop = |_: &tree_sitter::QueryCursorState| {
        late = Instant::now() > end;
        if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut raw: Vec<Raw> = Vec::new();
    let mut docs: Vec<(usize, usize)> = Vec::new();
    let options = QueryCursorOptions::new().progress_callback(&mut stop);
    let mut matches = cursor.matches_with_options(&compiled.query, tree.root_node(), text.as_bytes(), options);
    while let Some(found) = matches.next() {
        let mut definition = None;
        let mut name = None;
        for capture in found.captures() {
            match compiled.captures[capture.index as usize] {
                Capture::Definition(kind) => definition = Some((kind, capture.node)),
                Capture::Name => name = Some(capture.node),
                Capture::Doc => docs.push((capture.node.start_byte(), capture.node.end_byte())),
                Capture::Helper => {}
            }
        }
        if let Some((kind, node)) = definition {
            if let Some(name) = name.or_else(|| declared_name(node)) {
                raw.push(Raw {
                    start: node.start_byte(),
                    end: node.end_byte(),
                    kind,
                    name: (name.start_byte(), name.end_byte()),
                    pattern: found.pattern_index,
                });
            }
        }
    }
    drop(matches);
    if late { None } else { Some(build(text, raw, docs)) }
}

/// The name of a C-like declaration: whatever its `declarator` and `name` fields lead to.
fn declared_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    for _ in 0..MAX_NAME_STEPS {
        match at.child_by_field_name("declarator").or_else(|| at.child_by_field_name("name")) {
            Some(next) => at = next,
            // Parentheses, references and templates hold what they declare without naming the field.
            None if matches!(at.kind(), "parenthesized_declarator" | "reference_declarator" | "template_declaration") => {
                at = at.named_child(u32::try_from(at.named_child_count()).ok()?.checked_sub(1)?)?;
            }
            None => break,
        }
    }
    (at != node).then_some(at)
}
