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

/// A file whose chunk has this evidence.
fn file<'a>(path: &'a str, chunks: &'a [Candidate], symbols: &[(Kind, &'a str)]) -> Evidence<'a> {
    Evidence {
        path,
        lang: LangId::detect(path, ""),
        chunks,
        symbols: symbols.to_vec(),
        coverage: 1.0,
        mean_cosine: 0.3,
    }
}

fn candidate(slot: u32, rank: u32) -> Candidate {
    Candidate {
        slot,
        cosine: 0.5,
        bm25: 5.0,
        fields: [5.0, 1.0, 0.0, 0.0],
        coverage: 1.0,
        rank_cosine: rank,
        rank_bm25: rank,
    }
}

fn best<'a>(query: &str, files: &'a [Evidence<'a>]) -> &'a str {
    let mut analyzer = Analyzer::default();
    let reading = Reading::new(query, &mut analyzer);
    let terms: Vec<(String, f32)> = reading.terms.iter().map(|t| (t.clone(), 3.0)).collect();
    let names = Names { total: terms.iter().map(|t| t.1).sum(), terms: &terms };
    let features = measure(&reading, &names, files, &mut analyzer);
    let scores = features.iter().map(|f| score(reading.kind, f));
    let place = scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
    files[place].path
}

#[test]
fn the_definition_beats_its_callers_and_its_test() {
    let chunks = [[candidate(0, 2)], [candidate(1, 1)], [candidate(2, 1)]];
    let files = [
        file("src/config.go", &chunks[0], &[(Kind::Function, "ParseConfig")]),
        file("src/server.go", &chunks[1], &[(Kind::Function, "Serve")]),
        file("src/config_test.go", &chunks[2], &[(Kind::Function, "TestParseConfig")]),
    ];
    assert_eq!(best("ParseConfig", &files), "src/config.go");
    assert_eq!(best("TestParseConfig", &files), "src/config_test.go");
}

#[test]
fn names_match_by_parts_and_lose_by_foreign_ones() {
    let mut analyzer = Analyzer::default();
    let terms = [("retri".to_owned(), 4.0), ("backoff".to_owned(), 6.0)];
    let names = Names { total: 10.0, terms: &terms };
    let exact = names.compare("retry_backoff", &mut analyzer);
    assert!((exact.match_ - 1.0).abs() < 1e-6 && exact.whole && exact.place == 0);
    let more = names.compare("RetryBackoffPolicyFactory", &mut analyzer);
    assert!(more.match_ < exact.match_ && !more.whole);
    assert_eq!(names.compare("unrelated", &mut analyzer).match_, 0.0);
}

#[test]
fn a_page_shows_each_file_once_before_any_twice() {
    let passage =
        |file: usize, slot: u32, score: f32, own: f32| Ranked { file, slot, score, own, place: (file, slot) };
    let page = order(
        vec![
            passage(0, 0, 5.0, 0.1),
            passage(0, 1, 5.0, 0.9),
            passage(0, 2, 5.0, 0.5),
            passage(1, 3, 1.0, 0.5),
            passage(2, 4, 1.0, 0.5),
        ],
        10,
    );
    assert_eq!(page.iter().map(|p| p.slot).collect::<Vec<_>>(), [1, 3, 4, 2, 0]);
}

#[test]
fn scores_are_absolute_and_literal_finds_are_answers() {
    let asked = Asked { has_vector: true, has_rare_term: true };
    let weak = Support { cosine: 0.2, coverage: 0.1, file_coverage: 0.2 };
    let strong = Support { cosine: 0.6, coverage: 0.9, file_coverage: 1.0 };
    assert!(confidence(weak, weak, true, asked) < 0.05);
    assert!(confidence(strong, strong, true, asked) > 0.9);
    assert!(confidence(weak, strong, false, asked) < confidence(strong, strong, false, asked));
    let literal = Support { cosine: 0.0, coverage: 1.0, file_coverage: 1.0 };
    assert!(confidence(literal, literal, true, asked) > 0.5);
    assert!(confidence(literal, literal, true, Asked { has_vector: false, has_rare_term: false }) > 0.5);
}

#[test]
fn every_feature_has_a_weight_and_explanations_add_up() {
    let row = [1.0; 29];
    for kind in [QueryKind::Natural, QueryKind::Symbol] {
        let terms = explain(kind, &row);
        let sum: f32 = terms.iter().map(|t| t.value * t.weight).sum();
        assert!((sum - score(kind, &row)).abs() < 1e-4);
    }
}
