use super::*;

fn terms(text: &str) -> Vec<String> {
    Analyzer::default().terms(text)
}

#[test]
fn table() {
    for (text, want) in [
        // identifiers: whole and parts
        ("getHTTPResponse", &["get", "http", "respons", "gethttpresponse"][..]),
        ("parse_args", &["pars", "arg", "parse_args"]),
        ("XMLParser2", &["xml", "parser", "2", "xmlparser2"]),
        ("__init__", &["init"]),
        ("sha256", &["sha", "256", "sha256"]),
        ("Retry", &["retri"]),
        ("SCREAMING_CASE", &["scream", "case", "screaming_case"]),
        // chains
        ("os.path.join", &["os", "path", "join", "os.path.join"]),
        ("real-time", &["real", "time", "real-time"]),
        ("2026.4.10", &["2026", "4", "10", "2026.4.10"]),
        ("\"1.0.21\"", &["1", "0", "21", "1.0.21"]),
        ("end. Next", &["end", "next"]),
        ("a--b", &["a", "b"]),
        ("gateway/run.py", &["gateway", "run", "py", "run.py"]),
        // stems
        ("routes registered", &["rout", "regist"]),
        // Unicode: NFC and NFD are one word, CJK gives bigrams
        ("Größe", &["größe"]),
        ("Gro\u{308}ße", &["größe"]),
        ("caf\u{e9}", &["café"]),
        ("検索エンジン", &["検索", "索エ", "エン", "ンジ", "ジン"]),
        ("新", &["新"]),
        ("foo検索", &["foo", "検索"]),
        ("поиск", &["поиск"]),
        // operators and punctuation separate
        (
            "a=b foo&bar it's x\\y [br] why? 50% @nasa #tag",
            &["a", "b", "foo", "bar", "it", "s", "x", "y", "br", "why", "50", "nasa", "tag"],
        ),
        ("\"", &[]),
        ("*", &[]),
    ] {
        assert_eq!(terms(text), want, "{text}");
    }
}

#[test]
fn very_long_words_are_dropped_and_cost_nothing_else() {
    let text = format!("before {} after", "x".repeat(100_000));
    assert_eq!(terms(&text), ["befor", "after"]);
    assert_eq!(terms(&"語".repeat(500)).len(), 499, "a script without spaces has no long words");
}

#[test]
fn questions_lose_their_small_words_unless_nothing_is_left() {
    let mut analyzer = Analyzer::default();
    assert_eq!(analyzer.query_terms("how does the retry work"), ["retri", "work"]);
    assert_eq!(analyzer.query_terms("where is it"), ["where", "is", "it"]);
    assert_eq!(analyzer.query_terms("NEAR("), ["near"]);
    assert!(analyzer.query_terms("\"").is_empty());
}

proptest::proptest! {
    #[test]
    fn any_text_gives_bounded_terms(text in "\\PC{0,200}") {
        for term in terms(&text) {
            proptest::prop_assert!(!term.is_empty());
            proptest::prop_assert!(term.len() <= MAX_WORD_BYTES * 3);
        }
    }

    #[test]
    fn analysing_a_lowered_word_again_finds_its_parts(word in "[a-z]{4,12}") {
        proptest::prop_assert_eq!(terms(&word), terms(&word.to_uppercase()));
    }
}
