//! Plain data that every room may name: kinds, spans, queries, hits, answers. No behaviour beyond conversions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a chunk is, as reported in the `kind` field of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Kind {
    /// Lines without a definition of their own.
    Text = 0,
    /// A free function or procedure.
    Function,
    /// A function that belongs to a type; constructors included.
    Method,
    /// A class.
    Class,
    /// A struct, record or data type.
    Struct,
    /// An enumeration.
    Enum,
    /// A C-like union.
    Union,
    /// An interface or protocol.
    Interface,
    /// A trait.
    Trait,
    /// An implementation or extension block.
    Impl,
    /// A module, namespace or package.
    Module,
    /// A singleton object.
    Object,
    /// A type alias.
    Type,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A property.
    Property,
    /// A field.
    Field,
    /// A macro.
    Macro,
    /// A test.
    Test,
    /// A database table.
    Table,
    /// A database view.
    View,
    /// A key of a data file.
    Key,
    /// A markup element.
    Element,
    /// A style rule.
    Rule,
    /// A section of a document, below its heading.
    Section,
}

impl Kind {
    /// Every kind with its name, in the order of the discriminants.
    pub const ALL: [(Kind, &'static str); 25] = [
        (Kind::Text, "text"),
        (Kind::Function, "function"),
        (Kind::Method, "method"),
        (Kind::Class, "class"),
        (Kind::Struct, "struct"),
        (Kind::Enum, "enum"),
        (Kind::Union, "union"),
        (Kind::Interface, "interface"),
        (Kind::Trait, "trait"),
        (Kind::Impl, "impl"),
        (Kind::Module, "module"),
        (Kind::Object, "object"),
        (Kind::Type, "type"),
        (Kind::Constant, "constant"),
        (Kind::Variable, "variable"),
        (Kind::Property, "property"),
        (Kind::Field, "field"),
        (Kind::Macro, "macro"),
        (Kind::Test, "test"),
        (Kind::Table, "table"),
        (Kind::View, "view"),
        (Kind::Key, "key"),
        (Kind::Element, "element"),
        (Kind::Rule, "rule"),
        (Kind::Section, "section"),
    ];

    /// The name used in query captures and in JSON.
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The kind of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Kind> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(k, _)| *k)
    }

    /// The kind stored as this byte; unknown bytes are [`Kind::Text`].
    pub fn from_byte(byte: u8) -> Kind {
        Self::ALL.get(usize::from(byte)).map_or(Kind::Text, |(k, _)| *k)
    }

    /// Whether it names a type: class, struct, enum, trait and their like.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Kind::Class
                | Kind::Struct
                | Kind::Enum
                | Kind::Union
                | Kind::Interface
                | Kind::Trait
                | Kind::Object
                | Kind::Type
                | Kind::Module
                | Kind::Table
                | Kind::View
        )
    }

    /// Whether it is something that runs: function, method, macro.
    pub fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Method | Kind::Macro)
    }
}

/// A name that a chunk defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// What is defined.
    pub kind: Kind,
    /// Its name as written.
    pub name: String,
}

/// A passage of one file: the unit that is indexed and returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// First byte in the file's text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// 1-based line of the first byte, counted as `grep -n` does (LF only).
    pub start_line: u32,
    /// 1-based line of the last byte.
    pub end_line: u32,
    /// The kind of its first or only definition.
    pub kind: Kind,
    /// Names defined inside, outermost and first first.
    pub symbols: Vec<Symbol>,
    /// Enclosing definitions or headings, outermost first.
    pub trail: Vec<String>,
    /// For a further window of an oversized definition: the definition's first line, embedded and indexed with the window.
    pub signature: Option<String>,
    /// Byte ranges of comments and docstrings inside the chunk.
    pub docs: Vec<(usize, usize)>,
}

/// Why a file is listed but not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum SkipReason {
    /// No text in it.
    Empty = 1,
    /// Binary by extension or by content.
    Binary,
    /// Above the size limit.
    TooLarge,
    /// Holds credentials, by name or by content.
    Secret,
    /// Matched by an `.indexignore`.
    IndexIgnored,
    /// Its name is not valid Unicode.
    PathEncoding,
    /// Could not be read.
    Unreadable,
}

impl SkipReason {
    /// Every reason with its JSON name, in the order of the discriminants.
    pub const ALL: [(SkipReason, &'static str); 7] = [
        (SkipReason::Empty, "empty"),
        (SkipReason::Binary, "binary"),
        (SkipReason::TooLarge, "too_large"),
        (SkipReason::Secret, "secret"),
        (SkipReason::IndexIgnored, "index_ignored"),
        (SkipReason::PathEncoding, "path_encoding"),
        (SkipReason::Unreadable, "unreadable"),
    ];

    /// The name used in JSON.
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize - 1].1
    }

    /// The reason stored as this byte, if it is one.
    pub fn from_byte(byte: u8) -> Option<SkipReason> {
        Self::ALL.get(usize::from(byte).checked_sub(1)?).map(|(r, _)| *r)
    }
}

/// Which files get vectors of the deep model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeepPolicy {
    /// Prose, where they find what no shared word does. On code they bring nothing (docs/measurements.md).
    #[default]
    Prose,
    /// All.
    All,
    /// None.
    None,
}

impl DeepPolicy {
    /// The policy of that name.
    pub fn from_name(name: &str) -> Option<DeepPolicy> {
        match name {
            "prose" => Some(DeepPolicy::Prose),
            "all" => Some(DeepPolicy::All),
            "none" => Some(DeepPolicy::None),
            _ => None,
        }
    }

    /// Whether a file wants them.
    pub fn wants(self, is_prose: bool) -> bool {
        match self {
            DeepPolicy::Prose => is_prose,
            DeepPolicy::All => true,
            DeepPolicy::None => false,
        }
    }
}

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
