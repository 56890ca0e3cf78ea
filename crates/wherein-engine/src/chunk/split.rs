//! Outline + atoms → chunks: definitions that fit stay whole, larger ones open into their members or into windows,
//! small neighbours are packed together.

use std::rc::Rc;

use crate::extract::{LineMap, Text};
use crate::lang::Form;
use crate::types::{Chunk, Kind, Symbol};

use super::atoms::{Atom, atoms};
use super::{Budget, Item, Outline};

/// Definitions nested deeper than this are cut by lines.
const MAX_DEPTH: usize = 48;
/// A piece below this share of the budget is drawn to its neighbour even across a border of trails.
const TINY_SHARE: usize = 10;
/// Longest signature that a further window of a definition carries, in bytes.
const MAX_SIGNATURE: usize = 200;
/// Most names listed for one chunk.
const MAX_SYMBOLS: usize = 32;

/// Cuts a text into chunks.
pub(super) fn split(text: &Text, outline: &Outline, form: Form, budget: Budget<'_>) -> Vec<Chunk> {
    let lines = LineMap::new(&text.content);
    let atoms = atoms(text, &lines, outline, budget);
    let (pieces, joins) = (sums(&atoms, |a| a.pieces), sums(&atoms, |a| usize::from(a.joins)));
    let mut splitter = Splitter { text, outline, budget, sums: pieces, joins, atoms, pieces: Vec::new() };
    let nodes = splitter.nodes();
    let whole = Region { from: 0, to: splitter.atoms.len(), owner: None, trail: Rc::new(Vec::new()) };
    splitter.region(&nodes, &whole, 0);
    let packed = splitter.pack(form);
    packed.iter().filter_map(|piece| splitter.chunk(piece, &lines)).collect()
}

/// The sums of a value over all atoms before each, and over all.
fn sums(atoms: &[Atom], value: impl Fn(&Atom) -> usize) -> Vec<usize> {
    let running = atoms.iter().scan(0, |total, atom| {
        *total += value(atom);
        Some(*total)
    });
    std::iter::once(0).chain(running).collect()
}

/// A definition with its place among the atoms and the definitions inside it.
struct Node {
    item: usize,
    from: usize,
    to: usize,
    children: Vec<Node>,
}

/// A run of atoms inside one definition.
struct Region {
    from: usize,
    to: usize,
    owner: Option<usize>,
    trail: Rc<Vec<String>>,
}

/// A run of atoms that stays together.
#[derive(Clone)]
struct Piece {
    from: usize,
    to: usize,
    /// Items that begin here, the most telling first.
    items: Vec<usize>,
    trail: Rc<Vec<String>>,
    /// The definition that this is a further window of.
    window_of: Option<usize>,
}

struct Splitter<'a> {
    text: &'a Text,
    outline: &'a Outline,
    budget: Budget<'a>,
    atoms: Vec<Atom>,
    /// Pieces of the atoms before each.
    sums: Vec<usize>,
    /// How many of the atoms before each go on with a word.
    joins: Vec<usize>,
    pieces: Vec<Piece>,
}

impl Splitter<'_> {
    /// The items as a forest over atoms. Items that overlap without nesting are cut at the later one's start.
    fn nodes(&self) -> Vec<Node> {
        let mut roots: Vec<Node> = Vec::new();
        let mut open: Vec<Node> = Vec::new();
        for (index, item) in self.outline.items.iter().enumerate() {
            let from = self.atoms.partition_point(|a| a.end <= item.start);
            let to = self.atoms.partition_point(|a| a.start < item.end);
            if from >= to {
                continue;
            }
            while open.last().is_some_and(|top| self.outline.items[top.item].end <= item.start) {
                shut(&mut open, &mut roots);
            }
            let to = open.last().map_or(to, |top| to.min(top.to));
            open.push(Node { item: index, from, to: to.max(from), children: Vec::new() });
        }
        while !open.is_empty() {
            shut(&mut open, &mut roots);
        }
        roots
    }

    /// Pieces of a run of atoms: their sum, or where a word was cut between two of them, counted anew.
    fn size(&self, from: usize, to: usize) -> usize {
        if to > from + 1 && self.joins[to] > self.joins[from + 1] {
            let text = &self.text.content[self.atoms[from].start..self.atoms[to - 1].end];
            return (self.budget.count)(text).max(text.len() / 16);
        }
        self.sums[to] - self.sums[from]
    }

    /// Cuts a region into its definitions and what lies between them.
    fn region(&mut self, nodes: &[Node], region: &Region, depth: usize) {
        let mut at = region.from;
        let mut head = region.owner;
        for node in nodes {
            let from = node.from.max(at);
            if from > at {
                self.gap(at, from, region, head.take());
            }
            if node.to > from {
                self.definition(node, from, region, depth);
                at = node.to;
            } else if let Some(last) = self.pieces.last_mut() {
                // Shares its line with the definition before it.
                last.items.push(node.item);
            }
        }
        if at < region.to {
            self.gap(at, region.to, region, head.take());
        }
    }

    fn definition(&mut self, node: &Node, from: usize, region: &Region, depth: usize) {
        if self.size(from, node.to) <= self.budget.max {
            let mut items = Vec::new();
            gather(node, &mut items);
            self.pieces.push(Piece {
                from,
                to: node.to,
                items,
                trail: Rc::clone(&region.trail),
                window_of: None,
            });
        } else if node.children.is_empty() || depth >= MAX_DEPTH {
            let inside =
                Region { from, to: node.to, owner: Some(node.item), trail: Rc::clone(&region.trail) };
            self.windows(&inside, Some(node.item));
        } else {
            let mut trail = region.trail.to_vec();
            trail.push(label(&self.outline.items[node.item]));
            let inside = Region { from, to: node.to, owner: Some(node.item), trail: Rc::new(trail) };
            self.region(&node.children, &inside, depth + 1);
        }
    }

    /// What lies between definitions; `head` is the definition that begins with it.
    fn gap(&mut self, from: usize, to: usize, region: &Region, head: Option<usize>) {
        if self.atoms[from..to].iter().all(|a| a.blank) {
            if let Some(last) = self.pieces.last_mut() {
                last.to = to;
            }
            return;
        }
        let trail = match head {
            Some(_) => Rc::new(region.trail[..region.trail.len().saturating_sub(1)].to_vec()),
            None => Rc::clone(&region.trail),
        };
        let inside = Region { from, to, owner: region.owner, trail };
        self.windows(&inside, head);
    }

    /// Cuts a region that has no definitions into windows that fit; `head` begins with the first.
    fn windows(&mut self, region: &Region, head: Option<usize>) {
        let mut at = region.from;
        let signature = region.owner.map_or(0, |item| (self.budget.count)(self.signature(item)));
        while at < region.to {
            let first = at == region.from;
            let room =
                self.budget.max.saturating_sub(if first && head.is_none() { 0 } else { signature }).max(1);
            let to = self.window_end(at, region.to, room);
            // A definition belongs to the window in which it is declared, be its comment longer than a window.
            let declared = head.filter(|item| {
                let byte = self.outline.items[*item].declared;
                (to == region.to || byte < self.atoms[to].start) && byte >= self.atoms[at].start
            });
            self.pieces.push(Piece {
                from: at,
                to,
                items: declared.into_iter().collect(),
                trail: Rc::clone(&region.trail),
                window_of: if declared.is_some() { None } else { region.owner },
            });
            at = to;
        }
    }

    /// Where a window that begins at `from` ends: before a blank line or at the lowest indent of its last part.
    fn window_end(&self, from: usize, end: usize, room: usize) -> usize {
        let mut to = from + 1;
        while to < end && self.size(from, to + 1) <= room {
            to += 1;
        }
        if to == end {
            return to;
        }
        let low = (from + 1..to).find(|at| self.size(from, *at) * 2 >= room).unwrap_or(to);
        let cost = |at: &usize| {
            let after_blank = self.atoms[at - 1].blank;
            (if after_blank { 0 } else { 4 + self.atoms[*at].indent }, usize::MAX - at)
        };
        (low..=to).filter(|at| !self.atoms[*at].blank).min_by_key(cost).unwrap_or(to)
    }

    /// Joins small neighbours. Prose sections keep to themselves unless they are tiny: a heading is a border.
    fn pack(&mut self, form: Form) -> Vec<Piece> {
        let tiny = self.budget.max / TINY_SHARE;
        let mut out: Vec<Piece> = Vec::new();
        for piece in std::mem::take(&mut self.pieces) {
            let size = self.size(piece.from, piece.to);
            if let Some(last) = out.last_mut() {
                let before = self.size(last.from, last.to);
                let room = self.size(last.from, piece.to) + self.owner_pieces(last) <= self.budget.max;
                let related = *last.trail == *piece.trail
                    && last.window_of == piece.window_of
                    && last.items.is_empty() == piece.items.is_empty()
                    && form != Form::Prose;
                if room && (related || size <= tiny || before <= tiny) {
                    last.to = piece.to;
                    if size > before && !piece.items.is_empty() && piece.trail.len() <= last.trail.len() {
                        let earlier = std::mem::replace(&mut last.items, piece.items);
                        last.items.extend(earlier);
                    } else {
                        last.items.extend(piece.items);
                    }
                    if piece.trail.len() < last.trail.len()
                        && piece.window_of.is_none()
                        && last.items.is_empty()
                    {
                        last.trail = piece.trail;
                    }
                    continue;
                }
            }
            out.push(piece);
        }
        out
    }

    fn owner_pieces(&self, piece: &Piece) -> usize {
        piece.window_of.map_or(0, |item| (self.budget.count)(self.signature(item)))
    }

    /// The first line of a definition that is no comment, cut short.
    fn signature(&self, item: usize) -> &str {
        let item = &self.outline.items[item];
        let content = self.text.content.as_str();
        let mut start = item.start;
        for doc in &self.outline.docs[self.outline.docs.partition_point(|d| d.1 <= start)..] {
            if !content[start..doc.0.max(start)].trim().is_empty() {
                break;
            }
            start = doc.1;
        }
        let rest = content.get(start..item.end).unwrap_or("").trim_start();
        let line =
            rest.lines().find(|l| !l.trim_start().starts_with(['@', '#'])).unwrap_or(item.name.as_str());
        let mut end = line.len().min(MAX_SIGNATURE);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        line[..end].trim()
    }

    fn chunk(&self, piece: &Piece, lines: &LineMap) -> Option<Chunk> {
        let inside = &self.atoms[piece.from..piece.to];
        let first = inside.iter().position(|a| !a.blank)?;
        let last = inside.iter().rposition(|a| !a.blank)?;
        let start = inside[first].start;
        let raw_end = inside[last].end;
        let end = start + self.text.content[start..raw_end].trim_end_matches(['\n', '\r']).len();
        let items = || piece.items.iter().map(|i| &self.outline.items[*i]);
        let owner = piece.window_of.map(|i| &self.outline.items[i]);
        let kind = items().next().or(owner).map_or(Kind::Text, |i| i.kind);
        let mut symbols: Vec<Symbol> =
            items().map(|i| Symbol { kind: i.kind, name: i.name.clone() }).collect();
        let mut seen = std::collections::HashSet::new();
        symbols.retain(|s| seen.insert(s.name.clone()));
        symbols.truncate(MAX_SYMBOLS);
        let mut trail = piece.trail.to_vec();
        if let Some(owner) = owner {
            let label = label(owner);
            if trail.last() != Some(&label) {
                trail.push(label);
            }
        }
        let docs = &self.outline.docs;
        let docs = docs[docs.partition_point(|d| d.1 <= start)..].iter().take_while(|d| d.0 < end);
        Some(Chunk {
            start,
            end,
            start_line: line_number(lines.line_of(start)),
            end_line: line_number(lines.line_of(end - 1)),
            kind,
            symbols,
            trail,
            signature: piece.window_of.map(|item| self.signature(item).to_owned()).filter(|s| !s.is_empty()),
            docs: docs.map(|d| (d.0.max(start), d.1.min(end))).collect(),
        })
    }
}

/// Closes the innermost open node.
fn shut(open: &mut Vec<Node>, roots: &mut Vec<Node>) {
    if let Some(node) = open.pop() {
        match open.last_mut() {
            Some(parent) => parent.children.push(node),
            None => roots.push(node),
        }
    }
}

/// A definition and all inside it, outermost first.
fn gather(node: &Node, items: &mut Vec<usize>) {
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        items.push(node.item);
        rest.extend(node.children.iter().rev());
    }
}

/// How a definition reads in a trail.
fn label(item: &Item) -> String {
    if item.kind == Kind::Impl { format!("impl {}", item.name) } else { item.name.clone() }
}

/// 0-based line → 1-based number.
fn line_number(line: usize) -> u32 {
    u32::try_from(line + 1).unwrap_or(u32::MAX)
}
