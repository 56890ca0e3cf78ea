//! Names as bags of weighted parts: how much of a name a query speaks of.

use crate::text::{Analyzer, split_identifier};

/// The parts of a query's terms with their weights.
pub(crate) struct Names<'a> {
    /// Distinct terms of the query with their inverse document frequencies.
    pub terms: &'a [(String, f32)],
    /// Their sum.
    pub total: f32,
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
    /// Share of its parts that are in the query.
    pub precision: f32,
}

/// What a part that the query lacks takes from a match, in units of inverse document frequency (research: 4).
const FOREIGN_PART: f32 = 4.0;

impl Names<'_> {
    /// The share of the query's weight that these terms have.
    pub(crate) fn share(&self, terms: &[String]) -> f32 {
        let weight: f32 = self.terms.iter().filter(|(t, _)| terms.contains(t)).map(|(_, w)| w).sum();
        if self.total > 0.0 { weight / self.total } else { 0.0 }
    }

    /// Compares a name with the query.
    pub(crate) fn compare(&self, name: &str, analyzer: &mut Analyzer) -> Name {
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
            precision: (parts - foreign) as f32 / parts as f32,
        }
    }
}
