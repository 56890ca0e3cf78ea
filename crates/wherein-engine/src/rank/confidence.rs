//! From evidence to a score between 0 and 1 that means the same in every query: how sure it is that the page answers, shaded
//! by each passage's own evidence. Fitted by logistic regression on real questions against questions asked of the wrong
//! repository; see docs/measurements.md, "Score".

/// What speaks for a passage, or for the best of a page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Support {
    /// Cosine with the query.
    pub cosine: f32,
    /// Weighted share of the query's terms in the passage.
    pub coverage: f32,
    /// Weighted share of the query's terms in its file.
    pub file_coverage: f32,
}

/// What is known of the query that a score needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    /// Whether the semantic lane could read it at all.
    pub has_vector: bool,
    /// Whether a term of it is rare in the index.
    pub has_rare_term: bool,
}

/// Share of the page's evidence in a passage's score; the rest is its own.
const PAGE_SHARE: f32 = 0.7;
/// One in a hundred chunks has this cosine with a question that it has nothing to do with (docs/measurements.md, "Noise").
pub(crate) const NOISE: f32 = 0.36;
/// What a passage with every term of a query that has a rare one gets at least: a literal find is an answer.
const LITERAL: f32 = 1.5;

impl Support {
    /// The best of each kind of evidence.
    #[must_use]
    pub(crate) fn best(self, other: Support) -> Support {
        Support {
            cosine: self.cosine.max(other.cosine),
            coverage: self.coverage.max(other.coverage),
            file_coverage: self.file_coverage.max(other.file_coverage),
        }
    }

    /// Log odds that it answers.
    fn log_odds(self, asked: Asked) -> f32 {
        let odds = if asked.has_vector {
            15.9 * self.cosine + 4.5 * self.coverage + 2.2 * self.file_coverage - 10.5
        } else {
            10.0 * self.coverage - 6.0
        };
        if asked.has_rare_term && self.coverage > 0.999 { odds.max(LITERAL) } else { odds }
    }
}

/// The score of a passage with its `own` support on a page whose best is `page`; ½ is the threshold.
pub(crate) fn confidence(own: Support, page: Support, is_first: bool, asked: Asked) -> f32 {
    let (own_odds, page_odds) = (own.log_odds(asked), page.log_odds(asked));
    let share = match own {
        _ if is_first => 1.0,
        // Nothing speaks for it but its neighbours on the page.
        Support { file_coverage: 0.0, cosine, .. } if cosine < NOISE => 0.0,
        _ => PAGE_SHARE,
    };
    let odds = share * page_odds + (1.0 - share) * own_odds;
    1.0 / (1.0 + (-odds).exp())
}
