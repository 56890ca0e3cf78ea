//! What is related to a passage: its own vector for the semantic lane, its most telling words for the lexical one; everything
//! else is a search.

use std::collections::HashMap;

use crate::error::Result;
use crate::lexical::{Field, idf};
use crate::store::Snapshot;
use crate::text::{Analyzer, stop};

use super::lanes::{Deep, Vectors};

/// Words that speak for a passage.
const WORDS: usize = 12;
/// Shorter words say little.
const MIN_LETTERS: usize = 3;

/// The passage that a search starts from.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    /// The place of its file.
    pub(super) file: usize,
    /// Its vectors.
    pub(super) vectors: Vectors,
}

/// The seed of a passage, and the words that stand for it: those that are frequent in it and rare elsewhere.
///
/// # Errors
/// Where postings can't be read.
pub(crate) fn seed(snapshot: &Snapshot, slot: u32, text: &str) -> Result<Option<(Seed, String)>> {
    let Some(file) = snapshot.file_of(slot) else { return Ok(None) };
    let floats = |(row, scale): (&[i8], f32)| row.iter().map(|v| f32::from(*v) * scale).collect();
    let instant = floats(snapshot.vector(slot));
    let deep = snapshot.deep().vector(slot).map(floats).map_or(Deep::None, Deep::Known);
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if word.chars().count() >= MIN_LETTERS && !stop::is_stop_word(word) && !is_number(word) {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut analyzer = Analyzer::default();
    let mut weighed = Vec::new();
    for (word, count) in counts {
        let Some(term) = analyzer.terms(word).pop() else { continue };
        let mut containing = 0;
        snapshot.postings(Field::Body, &term, |_| containing += 1)?;
        // Words of this passage alone lead nowhere.
        if containing > 1 {
            let weight = (1.0 + (count as f32).ln()) * idf(containing, snapshot.chunk_count());
            weighed.push((weight, word));
        }
    }
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let words: Vec<&str> = weighed.into_iter().take(WORDS).map(|(_, word)| word).collect();
    Ok(Some((Seed { file, vectors: Vectors { instant, deep } }, words.join(" "))))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}

/// The slot of the passage that holds a line of a file: the smallest where several do.
pub(crate) fn slot_at(snapshot: &Snapshot, file: usize, line: u32) -> Option<u32> {
    let holds = |slot: &u32| {
        let chunk = snapshot.chunk(*slot);
        (chunk.start_line..=chunk.end_line).contains(&line)
    };
    let lines = |slot: &u32| snapshot.chunk(*slot).end_line - snapshot.chunk(*slot).start_line;
    snapshot.slots_of(file).filter(holds).min_by_key(lines)
}
