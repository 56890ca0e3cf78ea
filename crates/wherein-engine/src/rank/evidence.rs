//! From evidence to a score between 0 and 1 that means the same in every query and every root: how likely the page answers,
//! shaded by each passage's own evidence. The weights are a logistic fit of questions that had a right passage among the
//! first five against questions about something else, in equal parts; see docs/measurements.md, "Score".

use super::weights::Weights;

features! {
    /// Kinds of evidence, absolute: nothing here is compared with other candidates of the query.
    Feature, FEATURES;
    /// Cosine with the query.
    Cosine = "cosine",
    /// Weighted share of the query's terms in the passage.
    Coverage = "coverage",
    /// Weighted share of the query's terms in the file's path and in names that it defines.
    Named = "named",
    /// The root's noise floor.
    Noise = "noise",
    /// Weighted share of the query's terms that stand nowhere in the root.
    Unknown = "unknown",
    /// Logarithm of the root's chunks: among many something is near by chance.
    Chunks = "chunks",
    /// Words of the query, up to eight, in eighths.
    Words = "words",
    /// A query of one word.
    Single = "single",
    /// Deep cosine with the query, where there is one.
    Deep = "deep",
}

/// The values for one page or passage.
pub(crate) type Features = [f32; FEATURES.len()];

/// What speaks for a passage, or for the best of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Support {
    /// Cosine with the query.
    pub cosine: f32,
    /// Weighted share of the query's terms in it.
    pub coverage: f32,
    /// Weighted share of the query's terms in its file's path and names.
    pub named: f32,
    /// Deep cosine with the query, where the deep lane ran.
    pub deep: Option<f32>,
}

/// What is known of the query and of the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Whether the semantic lane could read it at all.
    pub has_vector: bool,
    /// Whether the deep lane ran.
    pub is_deep: bool,
    /// Whether a term of it is rare in the index.
    pub has_rare_term: bool,
    /// Weighted share of its terms that stand nowhere.
    pub unknown: f32,
    /// Words as typed.
    pub words: usize,
    /// Cosine of unrelated questions and passages of the root, 99th percentile.
    pub noise: f32,
    /// Chunks of the root.
    pub chunks: usize,
}

/// Share of the page's evidence in a passage's score; the rest is its own.
const PAGE_SHARE: f32 = 0.7;
/// Log odds, at least, of a passage with every term of a query that has a rare one: a literal find is an answer.
const LITERAL: f32 = 1.5;
/// Log odds, at most, of a passage that shares no term with the query and is no nearer to it than noise.
const NO_EVIDENCE: f32 = -3.0;
/// What is left of favourable odds: the fit knows pages that answer and questions that have no answer, but a question that has
/// one can still be answered wrongly. With 1 a promise of 0.98 came true 57 times in 100 (docs/measurements.md, "Score").
const CERTAINTY: f32 = 0.5;
/// Score, at least, of a passage that quotes the query: how often it was the one (docs/measurements.md, "Quotations").
pub(crate) const QUOTED_SCORE: f32 = 0.93;
/// Deep cosine below which a passage is no nearer to a question than any other.
pub(crate) const DEEP_NOISE: f32 = 0.3;
/// The smallest root that weights were fitted on, in chunks.
const FEW_CHUNKS: usize = 50;
/// Words from which on more say nothing more.
const MANY_WORDS: usize = 8;

impl Support {
    /// The best of each kind of evidence.
    #[must_use]
    pub(crate) fn best(self, other: Support) -> Support {
        Support {
            cosine: self.cosine.max(other.cosine),
            coverage: self.coverage.max(other.coverage),
            named: self.named.max(other.named),
            deep: larger(self.deep, other.deep),
        }
    }

    /// The row that the weights are applied to.
    pub(crate) fn row(self, asked: Asked) -> Features {
        let mut row = [0.0; FEATURES.len()];
        let mut set = |feature: Feature, value: f32| row[feature as usize] = value;
        set(Feature::Cosine, self.cosine);
        set(Feature::Coverage, self.coverage);
        set(Feature::Named, self.named);
        set(Feature::Noise, asked.noise);
        set(Feature::Unknown, asked.unknown);
        set(Feature::Chunks, (asked.chunks.max(FEW_CHUNKS) as f32).ln());
        set(Feature::Words, asked.words.min(MANY_WORDS) as f32 / MANY_WORDS as f32);
        set(Feature::Single, f32::from(u8::from(asked.words <= 1)));
        set(Feature::Deep, self.deep.unwrap_or_default());
        row
    }

    /// Whether nothing speaks for it: no shared term, and no nearness above what anything has to anything.
    fn is_noise(self, asked: Asked) -> bool {
        self.coverage == 0.0 && self.cosine < asked.noise && self.deep.is_none_or(|deep| deep < DEEP_NOISE)
    }

    fn log_odds(self, asked: Asked, weights: &Weights) -> f32 {
        // Words that the table does not know, of a foreign script say, have no cosine; terms alone must do.
        let odds = if asked.has_vector {
            weights.answer(&self.row(asked), self.deep.is_some())
        } else {
            10.0 * self.coverage - 6.0
        };
        if asked.has_rare_term && self.coverage > 0.999 {
            odds.max(LITERAL)
        } else if self.is_noise(asked) {
            odds.min(NO_EVIDENCE)
        } else {
            odds
        }
    }
}

/// The larger of two that may be unknown.
fn larger(a: Option<f32>, b: Option<f32>) -> Option<f32> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}

/// The score of a passage with its `own` support on a page whose best is `page`; ½ is the threshold.
pub(crate) fn confidence(own: Support, page: Support, is_first: bool, asked: Asked) -> f32 {
    let weights = Weights::built_in();
    let (own_odds, page_odds) = (own.log_odds(asked, weights), page.log_odds(asked, weights));
    let share = match own {
        _ if is_first => 1.0,
        // Nothing speaks for it but its neighbours on the page.
        own if own.is_noise(asked) => 0.0,
        _ => PAGE_SHARE,
    };
    let odds = share * page_odds + (1.0 - share) * own_odds;
    let odds = if odds > 0.0 { CERTAINTY * odds } else { odds };
    1.0 / (1.0 + (-odds).exp())
}
