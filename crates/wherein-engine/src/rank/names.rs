//! Names as bags of weighted parts: how much of a name a query speaks of.

use crate::text::{Analyzer, split_identifier};

/// The parts of a query's terms with their weights.
pub(crate) struct Names<'a> {
    /// Distinct terms of the query with their inverse document frequencies.
    terms: &'a [(String, f32)],
    /// Their sum.
    total: f32,
    /// Their first letters; none where a term is too short to have so many.
    heads: Option<Vec<u32>>,
}

/// The first letters of a word in lower case, as one number.
fn packed(head: [u8; HEAD]) -> u32 {
    head.iter().fold(0, |sum, byte| sum << 8 | u32::from(byte.to_ascii_lowercase()))
}

/// What a name shares with the query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Name {
    /// Weight of shared parts over the query's weight, less for every part that the query lacks.
    pub match_: f32,
    /// Whether all its parts are in the query.
    pub whole: bool,
    /// Place in the query of its first part, where it is whole.
    pub place: usize,
}

/// What a part that the query lacks takes from a match, in units of inverse document frequency (research: 4).
const FOREIGN_PART: f32 = 4.0;

/// Letters that stemming leaves alone at the beginning of a word.
const HEAD: usize = 3;

impl<'a> Names<'a> {
    /// Of a query's terms with their inverse document frequencies.
    pub(crate) fn new(terms: &'a [(String, f32)]) -> Self {
        let heads =
            terms.iter().map(|(term, _)| term.as_bytes().first_chunk().copied().map(packed)).collect();
        Names { terms, total: terms.iter().map(|(_, weight)| weight).sum(), heads }
    }

    /// Whether a name could share a term at all: cheaper than cutting it into terms.
    fn may_share(&self, name: &str) -> bool {
        let (Some(heads), true) = (&self.heads, name.is_ascii()) else { return true };
        name.as_bytes()
            .windows(HEAD)
            .filter_map(|w| w.first_chunk().copied())
            .any(|w| heads.contains(&packed(w)))
    }

    /// The share of the query's weight that these terms have.
    pub(crate) fn share(&self, terms: &[String]) -> f32 {
        let weight: f32 = self.terms.iter().filter(|(t, _)| terms.contains(t)).map(|(_, w)| w).sum();
        if self.total > 0.0 { weight / self.total } else { 0.0 }
    }

    /// Compares a name with the query.
    pub(crate) fn compare(&self, name: &str, analyzer: &mut Analyzer) -> Name {
        if !self.may_share(name) {
            return Name::default();
        }
        let (mut shared, mut foreign, mut first) = (0.0, 0usize, usize::MAX);
        let mut parts = 0usize;
        for part in split_identifier(name) {
            parts += 1;
            let mut found = None;
            analyzer.for_each(part, |term| {
                found = found.or_else(|| self.terms.iter().position(|(t, _)| t == term));
            });
            match found {
                Some(place) => {
                    shared += self.terms[place].1;
                    first = first.min(place);
                }
                None => foreign += 1,
            }
        }
        if parts == 0 || self.total == 0.0 {
            return Name::default();
        }
        Name {
            match_: shared / (self.total + FOREIGN_PART * foreign as f32),
            whole: foreign == 0,
            place: if foreign == 0 { first } else { 0 },
        }
    }
}
