//! What comes back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

/// Which lanes found a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// The semantic lane only.
    Semantic,
    /// The lexical lane only.
    Exact,
    /// Both.
    Both,
}

impl Label {
    /// The name used in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Label::Semantic => "semantic",
            Label::Exact => "exact",
            Label::Both => "both",
        }
    }
}

/// One term of a hit's score: `value × weight`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Term {
    /// The feature's name.
    pub feature: &'static str,
    /// Its value for this hit.
    pub value: f32,
    /// Its weight for this kind of query.
    pub weight: f32,
}

/// A passage in an answer.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// Place in the answer, from 1.
    pub rank: usize,
    /// Stable while the passage and its path are.
    pub id: String,
    /// The indexed folder, absolute.
    pub root: PathBuf,
    /// Relative to the root, with slashes.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Between 0 and 1, never above the hit before.
    pub score: f32,
    /// Lanes that found it.
    pub label: Label,
    /// The measurements behind the score, by name.
    pub signals: BTreeMap<&'static str, f32>,
    /// What the passage is.
    pub kind: &'static str,
    /// The first name defined in it.
    pub symbol: Option<String>,
    /// Enclosing definitions or headings.
    pub trail: Vec<String>,
    /// The file's language.
    pub language: &'static str,
    /// The first named part of the project that holds it.
    pub segment: Option<String>,
    /// Lifecycle status; none before documents have one.
    pub status: Option<String>,
    /// Successor of a superseded document.
    pub superseded_by: Option<String>,
    /// Date of a dated document.
    pub date: Option<String>,
    /// Whether the text was checked against the file as it is now.
    pub fresh: bool,
    /// The passage.
    pub text: String,
    /// The ranking's arithmetic, filled when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<Term>>,
}

/// What became of a file that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A passage of it is in the answer.
    Shown,
    /// Others rank above it.
    BelowPage,
    /// Its score is too low.
    BelowThreshold,
    /// The scope leaves it out.
    OutOfScope,
    /// It is not in the index.
    NotIndexed,
}

/// A file that was asked about: how its best passage fared, and the arithmetic.
#[derive(Clone, Debug, Serialize)]
pub struct Explained {
    /// Relative to the root.
    pub path: String,
    /// What became of it.
    pub fate: Fate,
    /// Rank of its best passage among all candidates, from 1.
    pub rank: Option<usize>,
    /// Its score.
    pub score: Option<f32>,
    /// First and last line of that passage.
    pub lines: Option<(u32, u32)>,
    /// The measurements behind the score.
    pub signals: BTreeMap<&'static str, f32>,
    /// The ranking's arithmetic.
    pub terms: Vec<Term>,
}

/// Whether an answer holds anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// At least one hit reached the threshold.
    Found,
    /// None did.
    Nothing,
}

/// The best passage that was cut.
#[derive(Clone, Debug, Serialize)]
pub struct NearestMiss {
    /// The indexed folder.
    pub root: PathBuf,
    /// Its file.
    pub path: String,
    /// Its score.
    pub score: f32,
}

/// What part of a root an answer could see.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Coverage {
    /// Indexed files.
    pub files: usize,
    /// Their chunks.
    pub chunks: usize,
    /// Share of the chunks that want deep vectors that have one; null where none is wanted.
    pub deep: Option<f32>,
    /// Files not indexed, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
    /// Files whose syntax could not be parsed within the limits and that are indexed by lines.
    pub line_fallback: usize,
    /// The commit that answered.
    pub generation: u64,
    /// Whether something found on disk is not indexed yet: a first index is unfinished, or there was no time for all changes.
    pub partial: bool,
    /// Files that changed and are not indexed yet, as far as this run knows.
    pub pending: usize,
    /// Whether there was no time to look at the disk before the answer.
    pub unchecked: bool,
}

impl Coverage {
    /// That of two roots together; of commits the later number, of deep vectors the smaller share.
    #[must_use]
    pub fn with(mut self, other: Coverage) -> Coverage {
        for (reason, count) in other.skipped {
            *self.skipped.entry(reason).or_default() += count;
        }
        Coverage {
            files: self.files + other.files,
            chunks: self.chunks + other.chunks,
            deep: match (self.deep, other.deep) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
            skipped: self.skipped,
            line_fallback: self.line_fallback + other.line_fallback,
            generation: self.generation.max(other.generation),
            partial: self.partial || other.partial,
            pending: self.pending + other.pending,
            unchecked: self.unchecked || other.unchecked,
        }
    }
}

/// What a search returns.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The query as typed.
    pub query: String,
    /// Found or nothing.
    pub answer: Verdict,
    /// The score that hits had to reach.
    pub threshold: f32,
    /// Where nothing was found: the best that was cut.
    pub nearest_miss: Option<NearestMiss>,
    /// How many candidates of the page the threshold cut.
    pub cut: usize,
    /// Best first.
    pub results: Vec<Hit>,
    /// The file that was asked about, where one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained>,
    /// What was searched.
    pub coverage: Coverage,
    /// What the reader should know of how it came about; mostly nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Milliseconds of retrieval and ranking.
    pub took_ms: f64,
}
