//! Text → chunks: passages that are one definition, one section or one window of lines, none above its budget, together
//! covering every line that is not blank, none overlapping.
//!
//! Code is cut along the definitions its syntax tree shows, prose along its headings, everything else by lines.
//! The budget is a number and a way to count, handed in; the room knows no model. It reads no files.

mod atoms;
mod markdown;
mod outline;
mod parse;
mod split;
pub(crate) mod worker;

use serde::{Deserialize, Serialize};

use crate::extract::Text;
use crate::lang::{Cutter, LangId};
use crate::types::Chunk;

pub(crate) use parse::PARSE_SECONDS;

/// Changes whenever the same text would be cut otherwise; part of an index's identity.
pub(crate) const CHUNKER_VERSION: u32 = 1;

/// Counts the pieces of a text.
pub(crate) type Counter = &'static (dyn Fn(&str) -> usize + Sync);

/// How large a chunk may be.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Most pieces.
    pub max: usize,
    /// Counts the pieces of a text.
    pub count: &'a (dyn Fn(&str) -> usize + Sync),
}

/// The chunks of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunks {
    /// In order of their place.
    pub chunks: Vec<Chunk>,
    /// The syntax could not be parsed within the limits, so lines were cut instead.
    pub fallback: bool,
}

/// Where a definition or section lies, as parsing found it: all that cutting needs to know of syntax.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// Definitions in order of their first byte, outer before inner.
    pub items: Vec<Item>,
    /// Comments and docstrings, in order.
    pub docs: Vec<(usize, usize)>,
}

/// One definition, or one section of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// First byte of its name: where it is declared, after its comments.
    pub declared: usize,
    /// What it is.
    pub kind: crate::types::Kind,
    /// Its name.
    pub name: String,
}

/// Finds the definitions or sections of a text; `None` where parsing reached its limit.
pub fn outline(text: &str, lang: LangId) -> Option<Outline> {
    match lang.row().cutter {
        Cutter::Syntax { .. } => parse::outline(text, lang),
        Cutter::Markdown => Some(markdown::outline(text)),
        Cutter::Lines => Some(Outline::default()),
    }
}

/// Cuts a text along its outline; by lines where there is none.
pub fn cut(text: &Text, lang: LangId, outline: Option<&Outline>, budget: Budget<'_>) -> Chunks {
    let empty = Outline::default();
    let chunks = split::split(text, outline.unwrap_or(&empty), lang.row().form, budget);
    Chunks { chunks, fallback: outline.is_none() }
}

#[cfg(test)]
mod tests;
