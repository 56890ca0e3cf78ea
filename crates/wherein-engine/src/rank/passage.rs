//! The features of a passage: what tells which passage of a file is the one. They order the passages of one file and
//! say nothing about files.

use crate::text::Analyzer;
use crate::types::Kind;

use super::features::best_by;
use super::names::{Name, Names};
use super::query::{QueryKind, Reading};

features! {
    /// Features of a passage within its file.
    Feature, FEATURES;
    /// Cosine with the query.
    Cosine = "passage_cosine",
    /// BM25 over all fields, as a share of the file's best.
    Bm25 = "passage_bm25",
    /// Weighted share of the query's terms in it.
    Coverage = "passage_coverage",
    /// BM25 of the names that it defines, as a share of the file's best.
    SymbolBm25 = "passage_symbol_bm25",
    /// BM25 of its comments or headings, as a share of the file's best.
    DocBm25 = "passage_doc_bm25",
    /// Best match of a name that it defines.
    SymbolMatch = "passage_symbol_match",
    /// It defines the name that was asked for.
    Defines = "passage_defines",
    /// It defines a name equal to a word of the query, by the word's weight.
    DefinesWord = "passage_defines_word",
    /// Best match of an enclosing definition or heading.
    TrailMatch = "passage_trail_match",
    /// It defines a type.
    Type = "passage_type",
    /// It defines a function.
    Callable = "passage_callable",
    /// It defines nothing.
    Plain = "passage_plain",
    /// The file begins with it.
    First = "passage_first",
    /// A test inside a file that is none, and no test is asked for.
    Test = "passage_test",
    /// Logarithm of its lines.
    Length = "passage_length",
    /// Deep cosine with the query.
    Deep = "passage_deep",
    /// The same, by what no passage of the file covers of the query.
    DeepUncovered = "passage_deep_uncovered",
}

/// The values of one passage.
pub(crate) type Features = [f32; FEATURES.len()];

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
    /// Which terms of the query stand in each field, a bit a term.
    pub present: [u32; 4],
    /// Weighted share of the query's terms in it.
    pub coverage: f32,
    /// Rank in the semantic lane, from 1; 0 outside its first hundred.
    pub rank_cosine: u32,
    /// Rank in the lexical lane, from 1; 0 outside its first hundred.
    pub rank_bm25: u32,
    /// Deep cosine with the query, where it has one.
    pub deep: Option<f32>,
    /// Rank in the deep lane, from 1; 0 outside its first hundred.
    pub rank_deep: u32,
}

/// A candidate with what the index knows of it.
pub(crate) struct Passage<'a> {
    /// What the lanes saw.
    pub candidate: Candidate,
    /// The kind of its first definition.
    pub kind: Kind,
    /// Names that it defines; left out where none shares a term with the query.
    pub symbols: Vec<(Kind, &'a str)>,
    /// Enclosing definitions or headings; left out where none shares a term with the query.
    pub trail: Vec<&'a str>,
    /// Whether it stands in a test, by its trail or kind.
    pub is_test: bool,
    /// First byte in the file.
    pub start: u32,
    /// Lines.
    pub lines: u32,
}

/// What the names that a passage defines say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Definitions {
    /// Best match of a name.
    pub symbol: f32,
    /// A type has the exact name of a capitalised word.
    pub capital: f32,
    /// The name that was asked for, by kind.
    pub exact: f32,
    /// A name equals a word, by the word's weight.
    pub word: f32,
}

/// Measures the passages of one file.
pub(crate) fn measure(
    reading: &Reading,
    names: &Names<'_>,
    passages: &[Passage<'_>],
    analyzer: &mut Analyzer,
) -> (Vec<Features>, Vec<Definitions>) {
    let definitions: Vec<Definitions> =
        passages.iter().map(|p| defined(reading, names, &p.symbols, analyzer)).collect();
    let best =
        |value: fn(&Candidate) -> f32| best_by(passages, |p| value(&p.candidate)).max(f32::MIN_POSITIVE);
    let covered = best(|c| c.coverage);
    // One without a deep vector yet is like the others.
    let deep: Vec<f32> = passages.iter().filter_map(|p| p.candidate.deep).collect();
    let mean = deep.iter().sum::<f32>() / deep.len().max(1) as f32;
    let (bm25, symbol, doc) = (best(|c| c.bm25), best(|c| c.fields[1]), best(|c| c.fields[3]));
    let rows = passages.iter().zip(&definitions).map(|(passage, found)| {
        let mut row = [0.0; FEATURES.len()];
        let mut set = |feature: Feature, value: f32| row[feature as usize] = value;
        let c = &passage.candidate;
        set(Feature::Cosine, c.cosine);
        set(Feature::Bm25, c.bm25 / bm25);
        set(Feature::Coverage, c.coverage);
        set(Feature::SymbolBm25, c.fields[1] / symbol);
        set(Feature::DocBm25, c.fields[3] / doc);
        set(Feature::SymbolMatch, found.symbol);
        set(Feature::Defines, found.exact);
        set(Feature::DefinesWord, found.word);
        let trail = passage.trail.iter().map(|t| names.compare(t, analyzer).match_);
        set(Feature::TrailMatch, trail.fold(0.0, f32::max));
        set(Feature::Type, flag(passage.kind.is_type()));
        set(Feature::Callable, flag(passage.kind.is_callable()));
        set(Feature::Plain, flag(passage.kind == Kind::Text));
        set(Feature::First, flag(passage.start == 0));
        set(Feature::Test, flag(passage.is_test && !reading.wants_tests));
        set(Feature::Length, (passage.lines.max(1) as f32).ln());
        set(Feature::Deep, c.deep.unwrap_or(mean));
        set(Feature::DeepUncovered, c.deep.unwrap_or(mean) * (1.0 - covered));
        row
    });
    (rows.collect(), definitions)
}

pub(super) fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

fn defined(
    reading: &Reading,
    names: &Names<'_>,
    symbols: &[(Kind, &str)],
    analyzer: &mut Analyzer,
) -> Definitions {
    let mut out = Definitions::default();
    let asked = reading.words.last();
    for (kind, name) in symbols {
        // `Foo::bar` and `Foo.bar` are asked for as `bar`.
        let last = name.rsplit([':', '.', '/']).next().unwrap_or(name);
        let Name { match_, .. } = names.compare(last, analyzer);
        out.symbol = out.symbol.max(match_);
        let rank = kind_weight(*kind);
        for w in &reading.words {
            let equal = w.text == last;
            if !equal && w.lower.len() != last.len() {
                continue;
            }
            let folded = equal || last.to_lowercase() == w.lower;
            if equal && w.is_capitalised && kind.is_type() {
                out.capital = 1.0;
            }
            if folded {
                out.word = out.word.max(rank * names.share(&w.terms));
            }
            if folded && reading.kind != QueryKind::Natural && asked.is_some_and(|a| a.lower == w.lower) {
                out.exact = out.exact.max(rank * if equal { 1.0 } else { 0.5 });
            }
        }
    }
    out
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
