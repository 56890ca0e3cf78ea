use super::order::QUOTED;
use super::*;
use crate::lang::LangId;
use crate::text::Analyzer;
use crate::types::{Area, Kind};

fn reading(text: &str) -> Reading {
    Reading::new(text, &mut Analyzer::default())
}

#[test]
fn query_kinds() {
    for (text, kind) in [
        ("RouterGroup", QueryKind::Symbol),
        ("parse_args", QueryKind::Symbol),
        ("Foo::bar()", QueryKind::Symbol),
        ("std.mem.eql", QueryKind::Symbol),
        ("src/auth/session.js", QueryKind::Path),
        ("session.js", QueryKind::Path),
        ("how are routes registered", QueryKind::Natural),
        ("a=b", QueryKind::Natural),
    ] {
        assert_eq!(reading(text).kind, kind, "{text}");
    }
}

#[test]
fn tests_are_wanted_only_where_a_word_says_so() {
    for (text, wants) in [
        ("tests for the parser", true),
        ("TestParseConfig", true),
        ("parser spec", true),
        ("ParseConfig", false),
        ("latest release", false),
        ("inspect the specification", false),
    ] {
        assert_eq!(reading(text).wants_tests, wants, "{text}");
    }
}

#[test]
fn areas() {
    for (path, area) in [
        ("src/lib.rs", Area::Code),
        ("src/latest.rs", Area::Code),
        ("src/inspect.rs", Area::Code),
        ("pkg/config_test.go", Area::Tests),
        ("tests/cli.rs", Area::Tests),
        ("src/FooTest.java", Area::Tests),
        ("web/a.spec.ts", Area::Tests),
        ("README.md", Area::Docs),
        ("deploy/values.yaml", Area::Config),
    ] {
        assert_eq!(area_of(path, LangId::detect(path, "")), area, "{path}");
    }
}

fn candidate(slot: u32, rank: u32) -> Candidate {
    Candidate {
        slot,
        cosine: 0.5,
        bm25: 5.0,
        fields: [5.0, 1.0, 0.0, 0.0],
        present: [1, 1, 0, 0],
        coverage: 1.0,
        rank_cosine: rank,
        rank_bm25: rank,
        deep: None,
        rank_deep: 0,
    }
}

/// A file with one candidate that defines these names.
fn file<'a>(path: &'a str, rank: u32, symbols: &[(Kind, &'a str)]) -> File<'a> {
    let passage = Passage {
        candidate: candidate(0, rank),
        kind: symbols.first().map_or(Kind::Text, |s| s.0),
        symbols: symbols.to_vec(),
        trail: Vec::new(),
        is_test: false,
        start: 0,
        lines: 20,
    };
    File {
        path,
        lang: LangId::detect(path, ""),
        passages: vec![passage],
        chunks: 3,
        defines: !symbols.is_empty(),
        coverage: 1.0,
        mean_cosine: 0.3,
        stem_affinity: 0.3,
        bm25: 5.0,
        name_cosine: 0.3,
        named_coverage: 1.0,
        twin: Twin::None,
    }
}

/// The path of the file that the built-in weights put first.
fn best<'a>(query: &str, files: &[File<'a>]) -> &'a str {
    let mut analyzer = Analyzer::default();
    let reading = Reading::new(query, &mut analyzer);
    let terms: Vec<(String, f32)> = reading.terms.iter().map(|t| (t.clone(), 3.0)).collect();
    let names = Names::new(&terms);
    let mut rows = Vec::new();
    for file in files {
        let (_, definitions) = measure_passages(&reading, &names, &file.passages, &mut analyzer);
        rows.push(measure_file(&reading, &names, file, &definitions, &mut analyzer));
    }
    relate(&mut rows, |at| files[at].lang.is_prose());
    let score = |at: usize| {
        Weights::built_in()
            .file(Column::of(reading.kind, Within::of(files[at].lang.is_prose(), false)), &rows[at])
    };
    let place = (0..files.len()).max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap();
    files[place].path
}

#[test]
fn the_definition_beats_its_callers_and_its_test() {
    let files = [
        file("src/config.go", 2, &[(Kind::Function, "ParseConfig")]),
        file("src/server.go", 1, &[(Kind::Function, "Serve")]),
        file("src/config_test.go", 1, &[(Kind::Function, "TestParseConfig")]),
    ];
    assert_eq!(best("ParseConfig", &files), "src/config.go");
    assert_eq!(best("TestParseConfig", &files), "src/config_test.go");
    assert_eq!(best("how is the config parsed", &files), "src/config.go");
}

#[test]
fn a_path_in_the_query_finds_its_file() {
    let files = [file("src/a/mod.rs", 1, &[]), file("src/b/mod.rs", 2, &[])];
    assert_eq!(best("b/mod.rs", &files), "src/b/mod.rs");
    assert_eq!(best("panic in src/b/mod.rs", &files), "src/b/mod.rs");
}

#[test]
fn roles_yield_unless_they_are_asked_for() {
    for (query, first) in [
        ("retry requests", "src/retry.py"),
        ("tests of retry requests", "tests/test_retry.py"),
        ("documentation of retry requests", "docs/retry.md"),
    ] {
        let symbol = [(Kind::Function, "retry_requests")];
        let files = [
            file("src/retry.py", 1, &symbol),
            file("tests/test_retry.py", 1, &symbol),
            file("docs/retry.md", 1, &symbol),
            file("CHANGELOG.md", 1, &[]),
            file("examples/retry.py", 1, &symbol),
        ];
        assert_eq!(best(query, &files), first, "{query}");
    }
}

#[test]
fn an_older_twin_and_a_translation_yield() {
    let mut old = file("api/v1/client.go", 1, &[(Kind::Struct, "Client")]);
    old.twin = Twin::Newer;
    assert_eq!(
        best("client", &[old, file("api/v2/client.go", 2, &[(Kind::Struct, "Client")])]),
        "api/v2/client.go"
    );
    let mut german = file("docs/de/intro.md", 1, &[]);
    german.twin = Twin::Original;
    assert_eq!(best("introduction", &[german, file("docs/en/intro.md", 2, &[])]), "docs/en/intro.md");
}

#[test]
fn languages_are_asked_for_in_so_many_words() {
    let named = |text: &str| reading(text).languages.iter().map(|l| l.id()).collect::<Vec<_>>();
    assert_eq!(named("key bindings in fish"), ["fish"]);
    assert_eq!(named("release yaml file"), ["yaml"]);
    assert_eq!(named("JSON response rendering"), Vec::<&str>::new());
    assert_eq!(named("go to the definition"), Vec::<&str>::new());
}

#[test]
fn names_match_by_parts_and_lose_by_foreign_ones() {
    let mut analyzer = Analyzer::default();
    let terms = [("retri".to_owned(), 4.0), ("backoff".to_owned(), 6.0)];
    let names = Names::new(&terms);
    let exact = names.compare("retry_backoff", &mut analyzer);
    assert!((exact.match_ - 1.0).abs() < 1e-6 && exact.whole && exact.place == 0);
    let more = names.compare("RetryBackoffPolicyFactory", &mut analyzer);
    assert!(more.match_ < exact.match_ && !more.whole);
    assert_eq!(names.compare("unrelated", &mut analyzer).match_, 0.0);
}

#[test]
fn names_of_short_and_foreign_terms_match_too() {
    let mut analyzer = Analyzer::default();
    for (term, name) in [("io", "async_io"), ("größe", "bestimme_größe"), ("検索", "検索")] {
        let terms = [(term.to_owned(), 4.0), ("backoff".to_owned(), 6.0)];
        assert!(Names::new(&terms).compare(name, &mut analyzer).match_ > 0.0, "{term} in {name}");
    }
}

#[test]
fn a_page_shows_files_before_further_passages_of_one() {
    let ranked = |file: usize, passage: usize, score: f32, own: f32| Ranked {
        file,
        passage,
        column: Column::Words,
        score,
        own,
        quoted: 0.0,
        place: (file, passage as u32),
    };
    let passages = || {
        vec![
            ranked(0, 0, 5.0, 0.1),
            ranked(0, 1, 5.0, 0.9),
            ranked(0, 2, 5.0, 0.5),
            ranked(1, 3, 2.0, 0.5),
            ranked(2, 4, 1.5, 0.5),
        ]
    };
    let places = |page: Vec<Ranked>| page.iter().map(|p| p.passage).collect::<Vec<_>>();
    assert_eq!(places(order(passages(), 10)), [1, 3, 4, 2, 0]);
    let mut quoting = passages();
    quoting[3].quoted = 0.7;
    quoting[2].quoted = 1.0;
    assert_eq!(
        places(order(quoting, 10))[..3],
        [2, 3, 4],
        "what quotes comes first, the fuller quotation before"
    );
    assert_eq!(order(passages(), 2).len(), 2);
}

#[test]
fn scores_are_absolute_and_literal_finds_are_answers() {
    let asked = Asked {
        has_vector: true,
        is_deep: false,
        has_rare_term: true,
        unknown: 0.0,
        words: 4,
        noise: 0.25,
        chunks: 1000,
    };
    let weak = Support { cosine: 0.2, coverage: 0.1, named: 0.0, deep: None };
    let strong = Support { cosine: 0.6, coverage: 0.9, named: 0.8, deep: None };
    assert!(confidence(weak, weak, true, asked) < 0.1);
    assert!(confidence(strong, strong, true, asked) > 0.9);
    assert!(confidence(weak, strong, false, asked) < confidence(strong, strong, false, asked));
    assert!(
        confidence(strong, strong, true, Asked { unknown: 0.6, ..asked })
            < confidence(strong, strong, true, asked)
    );
    let literal = Support { cosine: 0.0, coverage: 1.0, named: 0.0, deep: None };
    assert!(confidence(literal, literal, true, asked) > 0.5);
    assert!(
        confidence(literal, literal, true, Asked { has_vector: false, has_rare_term: false, ..asked }) > 0.5
    );
}

#[test]
fn the_table_names_every_feature_in_order() {
    let names = |rows: &[&'static str]| rows.to_vec();
    assert_eq!(names(&table::FILES.map(|row| row.0)), FILE_FEATURES);
    assert_eq!(names(&table::PASSAGES.map(|row| row.0)), PASSAGE_FEATURES);
    assert_eq!(names(&table::EVIDENCE.map(|row| row.0)[..EVIDENCE.len()]), EVIDENCE);
    assert_eq!(table::EVIDENCE.len(), EVIDENCE.len() + 1);
}

#[test]
fn explanations_add_up() {
    let (file, passage): (FileFeatures, PassageFeatures) =
        ([1.0; FILE_FEATURES.len()], [1.0; PASSAGE_FEATURES.len()]);
    let weights = Weights::built_in();
    for column in [Column::Words, Column::Names, Column::Prose] {
        let terms = weights.explain((column, &file), (Within::Prose, &passage), 0.5);
        let sum: f32 = terms.iter().map(|t| t.value * t.weight).sum();
        let parts = weights.file(column, &file) + weights.passage(Within::Prose, &passage) + 0.5 * QUOTED;
        assert!((sum - parts).abs() < 1e-3);
    }
}
