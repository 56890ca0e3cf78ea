//! BM25: the fields of the lexical index and the arithmetic over their postings. It reads no files; the store hands it
//! postings of live chunks only, so statistics never count what is gone.

/// A field of the lexical index. Every field is cut by the same analyser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Field {
    /// The chunk's text.
    Body = 0,
    /// Names defined in it.
    Symbol = 1,
    /// The file's path.
    Path = 2,
    /// Comments and docstrings, or the heading trail.
    Doc = 3,
}

impl Field {
    /// Every field, in the order of the discriminants.
    pub const ALL: [Field; 4] = [Field::Body, Field::Symbol, Field::Path, Field::Doc];

    /// Its name in the index.
    pub fn name(self) -> &'static str {
        ["body", "symbol", "path", "doc"][self as usize]
    }
}

/// One chunk in which a term occurs.
#[derive(Clone, Copy, Debug)]
pub struct Posting {
    /// The chunk's slot in the snapshot.
    pub slot: u32,
    /// How often it occurs in the field.
    pub frequency: u32,
    /// Terms in the field, as coarsely as the index keeps them.
    pub length: u32,
}

/// Robertson and Zaragoza's usual values (The Probabilistic Relevance Framework, 2009).
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Inverse document frequency, never negative: ln(1 + (N − n + ½) / (n + ½)).
pub(crate) fn idf(containing: usize, total: usize) -> f32 {
    let (n, total) = (containing as f32, total.max(containing) as f32);
    (1.0 + (total - n + 0.5) / (n + 0.5)).ln()
}

/// BM25 of postings of one field but for the inverse document frequency, which is known only when all are counted.
#[derive(Clone, Copy)]
pub(crate) struct Saturation {
    /// What a term's share of the field's mean length adds to the denominator.
    by_length: f32,
}

impl Saturation {
    /// For a field of this mean length over live chunks.
    pub(crate) fn new(average: f32) -> Self {
        Saturation { by_length: K1 * B / average.max(1.0) }
    }

    /// The weight of a posting whose term has an inverse document frequency of 1.
    pub(crate) fn weigh(self, posting: Posting) -> f32 {
        self.of(posting.frequency as f32, posting.length as f32)
    }

    /// The weight of a frequency in a text of this length.
    pub(crate) fn of(self, frequency: f32, length: f32) -> f32 {
        frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B) + self.by_length * length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_and_short_fields_weigh_more() {
        let posting = |length| Posting { slot: 0, frequency: 1, length };
        assert!(idf(1, 1000) > idf(500, 1000));
        assert!(idf(1000, 1000) > 0.0);
        let field = Saturation::new(100.0);
        assert!(field.weigh(posting(10)) > field.weigh(posting(200)));
        // The formula by hand: tf 1, length = average: 2.2 / 2.2.
        assert!((field.weigh(posting(100)) - 1.0).abs() < 1e-6);
    }
}
