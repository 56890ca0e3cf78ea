//! The features of a candidate file. Definitions follow the measured prototype; `_q` is a share of the query's best,
//! `_z` a standard score over the candidates, `rrf` is 60 / (60 + rank) within the first hundred.

use crate::text::Analyzer;
use crate::types::Kind;

use super::names::{Name, Names};
use super::priors::{Role, roles};
use super::query::{QueryKind, Reading};

macro_rules! features {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// A feature's place in [`Features`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub(super) enum Feature { $($(#[$doc])* $variant),+ }

        /// Every feature's name, in order.
        pub(super) const FEATURES: &[&str] = &[$($name),+];
    };
}

features! {
    /// Best cosine of its chunks, as a share of the best.
    Cosine = "cosine",
    /// Reciprocal rank in the semantic lane.
    RankCosine = "rank_cosine",
    /// Best BM25 of its chunks, as a share of the best.
    Bm25 = "bm25",
    /// Reciprocal rank in the lexical lane.
    RankBm25 = "rank_bm25",
    /// Weighted share of the query's terms in its best chunk.
    Coverage = "coverage",
    /// Weighted share of the query's terms in the whole file.
    FileCoverage = "file_coverage",
    /// Best match of a name defined in it.
    SymbolMatch = "symbol_match",
    /// Match of the file's stem.
    StemMatch = "stem_match",
    /// How early the query names the stem, where it names all of it.
    StemPlace = "stem_place",
    /// The stem is a capitalised word of the query.
    StemCapital = "stem_capital",
    /// The stem is the name that was asked for.
    StemName = "stem_name",
    /// It defines a type whose exact name is a capitalised word of the query.
    DefinesCapital = "defines_capital",
    /// It defines the name that was asked for.
    Defines = "defines",
    /// It defines a name equal to a word of the query, by the word's weight.
    DefinesWord = "defines_word",
    /// Sum of its candidate chunks' cosines, as a share of the largest.
    SumCosine = "sum_cosine",
    /// Sum of its candidate chunks' BM25, as a share of the largest.
    SumBm25 = "sum_bm25",
    /// Mean cosine over all its chunks, standardised.
    MeanCosine = "mean_cosine",
    /// BM25 of its path, as a share of the best.
    PathBm25 = "path_bm25",
    /// BM25 of names defined in its best chunk, as a share of the best.
    SymbolBm25 = "symbol_bm25",
    /// BM25 of comments in its best chunk, as a share of the best.
    DocBm25 = "doc_bm25",
    /// A test, and no test is asked for.
    Test = "test",
    /// An example or benchmark.
    Example = "example",
    /// Generated.
    Generated = "generated",
    /// Vendored.
    Vendored = "vendored",
    /// A legacy version.
    Legacy = "legacy",
    /// Prose, and no documentation is asked for.
    Prose = "prose",
    /// A list of changes.
    Changelog = "changelog",
    /// Data or configuration.
    Data = "data",
    /// Declarations without bodies.
    Stub = "stub",
}

/// The values of one candidate file.
pub(super) type Features = [f32; FEATURES.len()];

/// A candidate chunk as the lanes saw it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Its slot in the snapshot.
    pub slot: u32,
    /// Cosine with the query.
    pub cosine: f32,
    /// Weighted BM25 over all fields.
    pub bm25: f32,
    /// BM25 of each field alone: body, symbol, path, doc.
    pub fields: [f32; 4],
    /// Weighted share of the query's terms in it.
    pub coverage: f32,
    /// Rank in the semantic lane, from 1; 0 outside its first hundred.
    pub rank_cosine: u32,
    /// Rank in the lexical lane, from 1; 0 outside its first hundred.
    pub rank_bm25: u32,
}

/// What is known of a candidate file.
pub(crate) struct Evidence<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its language.
    pub lang: crate::lang::LangId,
    /// Its candidate chunks; never empty.
    pub chunks: &'a [Candidate],
    /// Names that they define.
    pub symbols: Vec<(Kind, &'a str)>,
    /// Weighted share of the query's terms in the file.
    pub coverage: f32,
    /// Mean cosine over all its chunks.
    pub mean_cosine: f32,
}

/// Measures every candidate file of a query.
pub(crate) fn measure(
    reading: &Reading,
    names: &Names<'_>,
    files: &[Evidence<'_>],
    analyzer: &mut Analyzer,
) -> Vec<Features> {
    let mut rows: Vec<Features> = files.iter().map(|file| own(reading, names, file, analyzer)).collect();
    for feature in [
        Feature::Cosine,
        Feature::Bm25,
        Feature::SumCosine,
        Feature::SumBm25,
        Feature::PathBm25,
        Feature::SymbolBm25,
        Feature::DocBm25,
    ] {
        let best = rows.iter().map(|r| r[feature as usize]).fold(0f32, f32::max);
        if best > 0.0 {
            rows.iter_mut().for_each(|r| r[feature as usize] /= best);
        }
    }
    standardise(&mut rows, Feature::MeanCosine);
    rows
}

/// Features of a file that need no other file.
fn own(reading: &Reading, names: &Names<'_>, file: &Evidence<'_>, analyzer: &mut Analyzer) -> Features {
    let mut row = [0.0; FEATURES.len()];
    let mut set = |feature: Feature, value: f32| row[feature as usize] = value;
    let best = |value: fn(&Candidate) -> f32| file.chunks.iter().map(value).fold(0f32, f32::max);
    set(Feature::Cosine, best(|c| c.cosine));
    set(Feature::RankCosine, best(|c| reciprocal(c.rank_cosine)));
    set(Feature::Bm25, best(|c| c.bm25));
    set(Feature::RankBm25, best(|c| reciprocal(c.rank_bm25)));
    set(Feature::Coverage, best(|c| c.coverage));
    set(Feature::FileCoverage, file.coverage);
    set(Feature::SumCosine, file.chunks.iter().map(|c| c.cosine.max(0.0)).sum());
    set(Feature::SumBm25, file.chunks.iter().map(|c| c.bm25).sum());
    set(Feature::MeanCosine, file.mean_cosine);
    set(Feature::PathBm25, best(|c| c.fields[2]));
    set(Feature::SymbolBm25, best(|c| c.fields[1]));
    set(Feature::DocBm25, best(|c| c.fields[3]));
    let stem = stem_of(file.path);
    let stem_name = names.compare(stem, analyzer);
    set(Feature::StemMatch, stem_name.match_);
    if stem_name.whole {
        set(Feature::StemPlace, 1.0 / (1.0 + stem_name.place as f32));
    }
    let capital = reading.words.iter().any(|w| w.is_capitalised && w.text == stem);
    set(Feature::StemCapital, f32::from(u8::from(capital)));
    if reading.kind != QueryKind::Natural {
        let asked = reading.words.last().is_some_and(|w| same_letters(&w.lower, stem));
        set(Feature::StemName, f32::from(u8::from(asked)));
    }
    for (feature, value) in definitions(reading, names, file, analyzer) {
        set(feature, value);
    }
    for (feature, value) in priors(reading, roles(file.path, file.lang)) {
        set(feature, value);
    }
    row
}

/// What the names that a file defines say.
fn definitions(
    reading: &Reading,
    names: &Names<'_>,
    file: &Evidence<'_>,
    analyzer: &mut Analyzer,
) -> [(Feature, f32); 4] {
    let (mut symbol, mut capital, mut exact, mut word) = (0f32, 0f32, 0f32, 0f32);
    let asked = reading.words.last();
    for (kind, name) in &file.symbols {
        // `Foo::bar` and `Foo.bar` are asked for as `bar`.
        let last = name.rsplit([':', '.', '/']).next().unwrap_or(name);
        let Name { match_, .. } = names.compare(last, analyzer);
        symbol = symbol.max(match_);
        let rank = kind_weight(*kind);
        for w in &reading.words {
            let equal = w.text == last;
            if !equal && w.lower.len() != last.len() {
                continue;
            }
            let folded = equal || last.to_lowercase() == w.lower;
            if equal && w.is_capitalised && kind.is_type() {
                capital = 1.0;
            }
            if folded {
                word = word.max(rank * weight_of(names, &w.terms));
            }
            if folded && reading.kind != QueryKind::Natural && asked.is_some_and(|a| a.lower == w.lower) {
                exact = exact.max(rank * if equal { 1.0 } else { 0.5 });
            }
        }
    }
    [
        (Feature::SymbolMatch, symbol),
        (Feature::DefinesCapital, capital),
        (Feature::Defines, exact),
        (Feature::DefinesWord, word),
    ]
}

/// Types before functions before the rest.
fn kind_weight(kind: Kind) -> f32 {
    if kind.is_type() {
        1.0
    } else if kind.is_callable() || kind == Kind::Impl {
        0.8
    } else {
        0.6
    }
}

/// A word's share of the query's weight.
fn weight_of(names: &Names<'_>, terms: &[String]) -> f32 {
    let weight: f32 = names.terms.iter().filter(|(t, _)| terms.contains(t)).map(|(_, w)| w).sum();
    if names.total > 0.0 { weight / names.total } else { 0.0 }
}

fn priors(reading: &Reading, role: Role) -> [(Feature, f32); 9] {
    let flag = |is: bool| f32::from(u8::from(is));
    [
        (Feature::Test, flag(role.test && !reading.wants_tests)),
        (Feature::Example, flag(role.example && !reading.wants_tests)),
        (Feature::Generated, flag(role.generated)),
        (Feature::Vendored, flag(role.vendored)),
        (Feature::Legacy, flag(role.legacy)),
        (Feature::Prose, flag(role.prose && !reading.wants_docs)),
        (Feature::Changelog, flag(role.changelog && !reading.wants_docs)),
        (Feature::Data, flag(role.data)),
        (Feature::Stub, flag(role.stub)),
    ]
}

/// The name of a file without endings; its folder's name where the file is only the folder's face.
pub(super) fn stem_of(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.split('.').find(|s| !s.is_empty()).unwrap_or(name);
    match (stem, parts.next()) {
        ("mod" | "index" | "lib" | "__init__" | "main" | "init", Some(folder)) if folder != "src" => folder,
        _ => stem,
    }
}

/// Whether two names are the same but for case and separators.
fn same_letters(a: &str, b: &str) -> bool {
    let letters =
        |s: &str| s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    letters(a) == letters(b)
}

fn reciprocal(rank: u32) -> f32 {
    if rank == 0 { 0.0 } else { 60.0 / (60.0 + rank as f32) }
}

fn standardise(rows: &mut [Features], feature: Feature) {
    let at = feature as usize;
    let count = rows.len() as f32;
    let mean = rows.iter().map(|r| r[at]).sum::<f32>() / count.max(1.0);
    let deviation = (rows.iter().map(|r| (r[at] - mean).powi(2)).sum::<f32>() / count.max(1.0)).sqrt();
    for row in rows {
        row[at] = if deviation > 1e-6 { (row[at] - mean) / deviation } else { 0.0 };
    }
}
