//! Source text → outline, by a tree-sitter grammar and its query, within limits of time and size.

use std::num::NonZeroU16;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, ParseOptions, Parser, QueryCursor, QueryCursorOptions, Tree};

use crate::lang::{Capture, CompiledQuery, LangId};
use crate::types::Kind;

use super::Outline;
use super::outline::{Raw, build};

/// How long one parse, and one run of the query over its tree, may take. Files below the size limit need milliseconds.
pub(crate) const PARSE_SECONDS: u64 = 2;

/// Definitions below so many nodes lie in bodies of bodies; the query does not look for them.
const MAX_DEPTH: u32 = 12;
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
    let mut stop = |_: &tree_sitter::ParseState| {
        if Instant::now() > end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut stop)))
}

/// Runs the query and gathers definitions and comments.
fn collect(text: &str, tree: &Tree, compiled: &CompiledQuery) -> Option<Outline> {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(4096);
    cursor.set_max_start_depth(Some(MAX_DEPTH));
    let end = Instant::now() + Duration::from_secs(PARSE_SECONDS);
    let mut late = false;
    let mut stop = |_: &tree_sitter::QueryCursorState| {
        late = Instant::now() > end;
        if late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut raw: Vec<Raw> = Vec::new();
    let mut docs: Vec<(usize, usize)> = Vec::new();
    let options = QueryCursorOptions::new().progress_callback(&mut stop);
    let mut matches =
        cursor.matches_with_options(&compiled.query, tree.root_node(), text.as_bytes(), options);
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
            let found_name =
                name.map(|node| (node, kind)).or_else(|| declared(node, kind, &compiled.name_fields));
            if let Some((name, kind)) = found_name {
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

/// The name of a definition whose pattern does not say: whatever its declarator or name leads to. A C declaration whose
/// declarator takes arguments is a function, whatever the pattern calls it.
fn declared<'t>(node: Node<'t>, mut kind: Kind, name_fields: &[NonZeroU16]) -> Option<(Node<'t>, Kind)> {
    let mut at = node;
    for _ in 0..MAX_NAME_STEPS {
        if at.kind() == "function_declarator" && matches!(kind, Kind::Variable | Kind::Field) {
            kind = Kind::Function;
        }
        if matches!(at.kind(), "qualified_identifier" | "scope_resolution") {
            // `Reader::read` is the name as a whole.
            break;
        }
        let next = name_fields.iter().find_map(|field| at.child_by_field_id(field.get()));
        at = match (next, at.kind()) {
            (Some(next), _) => next,
            // Parentheses, references and templates hold what they declare without naming the field.
            (None, "parenthesized_declarator" | "reference_declarator" | "template_declaration") => {
                at.named_child(u32::try_from(at.named_child_count()).ok()?.checked_sub(1)?)?
            }
            // Where a definition is a call (Elixir), its first argument is what is defined: a name, or a call with one.
            (None, "call") if at == node => at.named_child(1)?.named_child(0)?,
            (None, "call") => at.child_by_field_name("target")?,
            (None, _) => break,
        };
    }
    (at != node).then_some((at, kind))
}
