//! The features of a candidate file. Definitions follow the measured prototype; a *share* is taken of the query's best,
//! a *standard* value is standardised over the candidates, a *rank* is 60 / (60 + rank) within the first hundred.

use crate::lang::LangId;
use crate::text::Analyzer;

use super::names::Names;
use super::passage::{Candidate, Definitions, Passage, flag};
use super::priors::{Role, roles};
use super::query::{QueryKind, Reading};

features! {
    /// Features of a file among the candidates of a query.
    Feature, FEATURES;
    /// Best cosine of its chunks, share.
    Cosine = "cosine",
    /// Rank in the semantic lane.
    RankCosine = "rank_cosine",
    /// Best BM25 of its chunks, share.
    Bm25 = "bm25",
    /// Rank in the lexical lane.
    RankBm25 = "rank_bm25",
    /// BM25 of the file as a whole, share.
    FileBm25 = "file_bm25",
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
    /// Nearness in meaning of the query's words to the stem's.
    StemAffinity = "stem_affinity",
    /// The stem is a capitalised word of the query.
    StemCapital = "stem_capital",
    /// The stem is the name that was asked for.
    StemName = "stem_name",
    /// It is the path that was asked for, or ends with it.
    PathMatch = "path_match",
    /// It defines a type whose exact name is a capitalised word of the query.
    DefinesCapital = "defines_capital",
    /// It defines the name that was asked for.
    Defines = "defines",
    /// It defines a name equal to a word of the query, by the word's weight.
    DefinesWord = "defines_word",
    /// Sum of its candidate chunks' cosines, share.
    SumCosine = "sum_cosine",
    /// Sum of its candidate chunks' BM25, share.
    SumBm25 = "sum_bm25",
    /// Mean cosine over all its chunks, standard.
    MeanCosine = "mean_cosine",
    /// BM25 of its path, share.
    PathBm25 = "path_bm25",
    /// Weighted share of the query's terms in its path and the names that it defines.
    NamedCoverage = "named_coverage",
    /// Cosine of its stem and names, standard.
    NameCosine = "name_cosine",
    /// Logarithm of its chunks: a hub has many.
    Size = "size",
    /// Folders above it.
    Depth = "depth",
    /// It is the face of its folder.
    Face = "face",
    /// Program text that defines nothing: it hands on what others define.
    Shim = "shim",
    /// A test, and no test is asked for.
    Test = "test",
    /// An example or benchmark.
    Example = "example",
    /// Generated.
    Generated = "generated",
    /// Vendored.
    Vendored = "vendored",
    /// A legacy version, or one with a newer twin beside it.
    Legacy = "legacy",
    /// Prose, and no documentation is asked for.
    Prose = "prose",
    /// Prose in another language than its original beside it.
    Translation = "translation",
    /// A list of changes.
    Changelog = "changelog",
    /// Data or configuration.
    Data = "data",
    /// Declarations without bodies.
    Stub = "stub",
    /// A language that the query names.
    Language = "language",
    /// Tests or documentation, and the query asks for them.
    Asked = "asked",
    /// Best deep cosine of its chunks.
    Deep = "deep",
    /// The same, standard.
    DeepStandard = "deep_standard",
    /// The same, by the share of the query's terms that no candidate covers.
    DeepUncovered = "deep_uncovered",
    /// Rank in the deep lane.
    RankDeep = "rank_deep",
    /// Sum of its candidate chunks' deep cosines, share.
    SumDeep = "sum_deep",
}

/// The values of one candidate file.
pub(crate) type Features = [f32; FEATURES.len()];

/// What is known of a candidate file.
pub(crate) struct File<'a> {
    /// Its path.
    pub path: &'a str,
    /// Its language.
    pub lang: LangId,
    /// Its candidate chunks; never empty.
    pub passages: Vec<Passage<'a>>,
    /// Chunks of the whole file.
    pub chunks: usize,
    /// Whether one of them defines something.
    pub defines: bool,
    /// Weighted share of the query's terms in the file.
    pub coverage: f32,
    /// Mean cosine over all its chunks.
    pub mean_cosine: f32,
    /// BM25 of its text as a whole.
    pub bm25: f32,
    /// Cosine of its stem and names.
    pub name_cosine: f32,
    /// Weighted share of the query's terms in its path and the names that its candidate chunks define.
    pub named_coverage: f32,
    /// Nearness in meaning of the query's words to its stem's.
    pub stem_affinity: f32,
    /// Whether a newer version or the original of it stands beside it.
    pub twin: Twin,
}

/// A file's better version in the same root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Twin {
    /// There is none.
    #[default]
    None,
    /// `v2/` beside its `v1/`.
    Newer,
    /// `docs/en/` beside its `docs/de/`.
    Original,
}

/// Measures a candidate file whose passages were measured before, alone: [`relate`] puts it beside the others.
pub(crate) fn measure(
    reading: &Reading,
    names: &Names<'_>,
    file: &File<'_>,
    defined: &[Definitions],
    analyzer: &mut Analyzer,
) -> Features {
    let mut row = [0.0; FEATURES.len()];
    let mut set = |feature: Feature, value: f32| row[feature as usize] = value;
    for (feature, value) in of_passages(file) {
        set(feature, value);
    }
    set(Feature::SymbolMatch, best_by(defined, |d| d.symbol));
    set(Feature::DefinesCapital, best_by(defined, |d| d.capital));
    set(Feature::Defines, best_by(defined, |d| d.exact));
    set(Feature::DefinesWord, best_by(defined, |d| d.word));
    for (feature, value) in of_path(reading, names, file.path, analyzer) {
        set(feature, value);
    }
    set(Feature::StemAffinity, file.stem_affinity);
    set(Feature::FileBm25, file.bm25);
    set(Feature::NameCosine, file.name_cosine);
    set(Feature::NamedCoverage, file.named_coverage);
    set(Feature::Size, (file.chunks.max(1) as f32).ln());
    for (feature, value) in of_role(reading, file) {
        set(feature, value);
    }
    row
}

/// Turns what only means something beside the other candidates into shares of the best and standard values.
pub(crate) fn relate(rows: &mut [Features], is_prose: impl Fn(usize) -> bool) {
    for feature in [
        Feature::Cosine,
        Feature::Bm25,
        Feature::SumCosine,
        Feature::SumBm25,
        Feature::PathBm25,
        Feature::FileBm25,
        Feature::SumDeep,
    ] {
        let best = best_by(rows, |r| r[feature as usize]);
        if best > 0.0 {
            rows.iter_mut().for_each(|r| r[feature as usize] /= best);
        }
    }
    standardise(rows, Feature::MeanCosine);
    standardise(rows, Feature::NameCosine);
    relate_deep(rows, is_prose);
}

/// Deep cosines of prose beside each other. A file whose vectors are not there yet counts as average; code takes no part.
fn relate_deep(rows: &mut [Features], is_prose: impl Fn(usize) -> bool) {
    const DEEP: usize = Feature::Deep as usize;
    let covered = best_by(rows, |r| r[Feature::Coverage as usize]).min(1.0);
    let prose: Vec<usize> = (0..rows.len()).filter(|at| is_prose(*at)).collect();
    let known: Vec<f32> = prose.iter().map(|at| rows[*at][DEEP]).filter(|d| *d > NO_DEEP).collect();
    let (mean, deviation) = spread(known.into_iter());
    for at in prose {
        let row = &mut rows[at];
        if row[DEEP] == NO_DEEP {
            row[DEEP] = mean;
        }
        let standard = if deviation > 1e-6 { (row[DEEP] - mean) / deviation } else { 0.0 };
        row[Feature::DeepStandard as usize] = standard;
        row[Feature::DeepUncovered as usize] = standard * (1.0 - covered);
    }
}

/// The deep cosine of a file that has none yet.
const NO_DEEP: f32 = -2.0;

/// What its candidate chunks say.
fn of_passages(file: &File<'_>) -> [(Feature, f32); 13] {
    let best = |value: fn(&Candidate) -> f32| best_by(&file.passages, |p| value(&p.candidate));
    let is_prose = file.lang.is_prose();
    let deep = file.passages.iter().filter_map(|p| p.candidate.deep).fold(NO_DEEP, f32::max);
    let sum = |value: fn(&Candidate) -> f32| file.passages.iter().map(|p| value(&p.candidate)).sum();
    [
        (Feature::Cosine, best(|c| c.cosine)),
        (Feature::RankCosine, best(|c| reciprocal(c.rank_cosine))),
        (Feature::Bm25, best(|c| c.bm25)),
        (Feature::RankBm25, best(|c| reciprocal(c.rank_bm25))),
        (Feature::Coverage, best(|c| c.coverage)),
        (Feature::FileCoverage, file.coverage),
        (Feature::SumCosine, sum(|c| c.cosine.max(0.0))),
        (Feature::SumBm25, sum(|c| c.bm25)),
        (Feature::MeanCosine, file.mean_cosine),
        (Feature::PathBm25, best(|c| c.fields[2])),
        (Feature::Deep, if is_prose { deep } else { 0.0 }),
        (Feature::RankDeep, if is_prose { best(|c| reciprocal(c.rank_deep)) } else { 0.0 }),
        (Feature::SumDeep, if is_prose { sum(|c| c.deep.unwrap_or_default().max(0.0)) } else { 0.0 }),
    ]
}

/// What its path shares with the query.
fn of_path(reading: &Reading, names: &Names<'_>, path: &str, analyzer: &mut Analyzer) -> [(Feature, f32); 7] {
    let stem = stem_of(path);
    let name = names.compare(stem, analyzer);
    let capital = reading.words.iter().any(|w| w.is_capitalised && w.text == stem);
    let is_name = reading.kind != QueryKind::Natural
        && reading.words.last().is_some_and(|w| same_letters(&w.lower, stem));
    [
        (Feature::StemMatch, name.match_),
        (Feature::StemPlace, if name.whole { 1.0 / (1.0 + name.place as f32) } else { 0.0 }),
        (Feature::StemCapital, flag(capital)),
        (Feature::StemName, flag(is_name)),
        (Feature::PathMatch, flag(reading.paths.iter().any(|asked| ends_with_path(path, asked)))),
        (Feature::Depth, path.matches('/').count() as f32),
        (Feature::Face, flag(is_face(path))),
    ]
}

/// What kind of file it is.
fn of_role(reading: &Reading, file: &File<'_>) -> [(Feature, f32); 13] {
    let Role { test, example, generated, vendored, legacy, prose, changelog, data, stub } =
        roles(file.path, file.lang);
    let is_code = !prose && !data;
    [
        (Feature::Shim, flag(is_code && !file.defines)),
        (Feature::Test, flag(test && !reading.wants_tests)),
        (Feature::Example, flag(example && !reading.wants_tests)),
        (Feature::Generated, flag(generated)),
        (Feature::Vendored, flag(vendored)),
        (Feature::Legacy, flag(legacy || file.twin == Twin::Newer)),
        (Feature::Prose, flag(prose && !reading.wants_docs)),
        (Feature::Translation, flag(prose && file.twin == Twin::Original)),
        (Feature::Changelog, flag(changelog && !reading.wants_docs)),
        (Feature::Data, flag(data)),
        (Feature::Stub, flag(stub)),
        (Feature::Language, flag(reading.languages.contains(&file.lang))),
        (Feature::Asked, flag((test && reading.wants_tests) || (prose && reading.wants_docs))),
    ]
}

/// The best value over a slice, at least 0.
pub(super) fn best_by<T>(items: &[T], value: impl Fn(&T) -> f32) -> f32 {
    items.iter().map(value).fold(0.0, f32::max)
}

/// Names of files that are only the face of their folder.
const FACES: [&str; 6] = ["mod", "index", "lib", "__init__", "main", "init"];

/// The name of a file without endings; its folder's name where the file is only the folder's face.
pub(crate) fn stem_of(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.split('.').find(|s| !s.is_empty()).unwrap_or(name);
    match parts.next() {
        Some(folder) if FACES.contains(&stem) && folder != "src" => folder,
        _ => stem,
    }
}

/// Whether a file is its folder's face: by a name for such files, or by the folder's own.
fn is_face(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let stem = name.split('.').find(|s| !s.is_empty()).unwrap_or(name);
    FACES.contains(&stem) || parts.next().is_some_and(|folder| same_letters(folder, stem))
}

/// Whether a path ends with another, ignoring case, at a folder's border.
fn ends_with_path(path: &str, asked: &str) -> bool {
    let (path, asked) = (path.to_lowercase(), asked.trim_start_matches(['.', '/']));
    path.strip_suffix(asked).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether two names are the same but for case and separators.
fn same_letters(a: &str, b: &str) -> bool {
    let letters = |s: &'_ str| {
        s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    letters(a) == letters(b)
}

fn reciprocal(rank: u32) -> f32 {
    if rank == 0 { 0.0 } else { 60.0 / (60.0 + rank as f32) }
}

fn standardise(rows: &mut [Features], feature: Feature) {
    let at = feature as usize;
    let (mean, deviation) = spread(rows.iter().map(|r| r[at]));
    for row in rows {
        row[at] = if deviation > 1e-6 { (row[at] - mean) / deviation } else { 0.0 };
    }
}

/// Mean and standard deviation.
fn spread(values: impl ExactSizeIterator<Item = f32> + Clone) -> (f32, f32) {
    let count = values.len().max(1) as f32;
    let mean = values.clone().sum::<f32>() / count;
    (mean, (values.map(|v| (v - mean).powi(2)).sum::<f32>() / count).sqrt())
}
