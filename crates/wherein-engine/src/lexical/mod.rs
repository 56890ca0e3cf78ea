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

/// The BM25 weight of one posting. `average` is the mean length of the field over live chunks.
pub(crate) fn bm25(posting: Posting, idf: f32, average: f32) -> f32 {
    let tf = posting.frequency as f32;
    let norm = K1 * (1.0 - B + B * posting.length as f32 / average.max(1.0));
    idf * tf * (K1 + 1.0) / (tf + norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_terms_and_short_fields_weigh_more() {
        let posting = |length| Posting { slot: 0, frequency: 1, length };
        assert!(idf(1, 1000) > idf(500, 1000));
        assert!(idf(1000, 1000) > 0.0);
        assert!(bm25(posting(10), 1.0, 100.0) > bm25(posting(200), 1.0, 100.0));
        // The formula by hand: tf 1, length = average: idf × 2.2 / 2.2.
        assert!((bm25(posting(100), 3.0, 100.0) - 3.0).abs() < 1e-6);
    }
}
