//! What is asked.

/// A part of a root that a query asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Program text that is not a test.
    Code,
    /// Prose: markdown, plain text, reStructuredText.
    Docs,
    /// Tests.
    Tests,
    /// Data and configuration files.
    Config,
}

/// What may answer: applied as a mask before candidates are chosen.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Only files below these folders or equal to these files, relative to the root; empty: all.
    pub within: Vec<String>,
    /// Only files that one of these globs matches; empty: all.
    pub globs: Vec<String>,
    /// No file whose path contains one of these fragments, ignoring case.
    pub exclude: Vec<String>,
    /// And only files that one of these matches: the globs of a segment; empty: all.
    pub segment: Vec<String>,
    /// Only files of these languages; empty: all.
    pub languages: Vec<String>,
    /// Only these parts; empty: all.
    pub areas: Vec<Area>,
}

/// One question to one root.
#[derive(Clone, Debug)]
pub struct Query {
    /// What was typed; never parsed as syntax.
    pub text: String,
    /// Where to look.
    pub scope: Scope,
    /// How many hits at most.
    pub k: usize,
    /// Hits below this score are cut; `None` uses the built-in threshold, 0 never says "nothing".
    pub min_score: Option<f32>,
    /// Hits below this share of the best score are cut.
    pub relative: Option<f32>,
    /// Fragments of paths with what they are worth: above 1 they rise, below they sink; scores and threshold stay. At
    /// equal evidence 1.15 lifts a file over one that is four times as likely.
    pub boosts: Vec<(String, f32)>,
    /// Whether deep vectors are used, where there are any.
    pub deep: bool,
    /// Whether the configured cross-encoder reads the top of the page again.
    pub rerank: bool,
    /// Whether each hit carries its arithmetic.
    pub explain: bool,
    /// A file, relative to the root, whose fate is told even where it is not shown.
    pub explain_path: Option<String>,
}

/// Log odds for each unit of a boost's logarithm: 1.15 is worth 1.4.
const BOOST_ODDS: f32 = 10.0;

impl Query {
    /// A question to all of a root: ten hits, the built-in threshold.
    pub fn new(text: impl Into<String>) -> Self {
        Query {
            text: text.into(),
            scope: Scope::default(),
            k: 10,
            min_score: None,
            relative: None,
            boosts: Vec::new(),
            deep: true,
            rerank: false,
            explain: false,
            explain_path: None,
        }
    }

    /// Log odds that the boosts give a path.
    pub(crate) fn boost(&self, path: &str) -> f32 {
        let worth = self.boosts.iter().filter(|(fragment, _)| path.contains(fragment.as_str()));
        worth.map(|(_, factor)| factor.clamp(0.01, 100.0).ln() * BOOST_ODDS).sum()
    }
}
