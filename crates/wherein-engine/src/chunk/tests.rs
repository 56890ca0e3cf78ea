use super::*;
use crate::embed::{StaticModel, counter};
use crate::extract::decode;
use crate::lang::{Form, LANGUAGES};

/// One real sample a language, with some definitions each must give.
const EXPECTED: &str = include_str!("../lang/samples/expected.tsv");

fn sample(id: &str) -> (LangId, Text) {
    let lang = LangId::named(id).unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang/samples");
    let file = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .find(|p| p.file_stem().unwrap() == id)
        .unwrap();
    (lang, decode(std::fs::read(file).unwrap()).unwrap())
}

fn text(content: &str) -> Text {
    decode(content.as_bytes().to_vec()).unwrap()
}

fn chunks_of(content: &str, lang: &str, max: usize) -> Vec<Chunk> {
    let lang = LangId::named(lang).unwrap();
    let budget = Budget { max, count: counter(lang.is_prose()) };
    cut(&text(content), lang, outline(content, lang).as_ref(), budget).chunks
}

/// What must hold of any chunks of any text: in order, apart, within the text, lines right, nothing but blanks left out.
fn check(text: &Text, chunks: &[Chunk], max: usize, count: &(dyn Fn(&str) -> usize + Sync)) {
    let content = &text.content;
    let lines = crate::extract::LineMap::new(content);
    let mut at = text.body_start();
    for chunk in chunks {
        assert!(chunk.start >= at && chunk.end > chunk.start, "{chunk:?} begins before {at}");
        assert!(content[at..chunk.start].trim().is_empty(), "lost {:?}", &content[at..chunk.start]);
        assert_eq!(chunk.start_line as usize, lines.line_of(chunk.start) + 1);
        assert_eq!(chunk.end_line as usize, lines.line_of(chunk.end - 1) + 1);
        let pieces = count(&content[chunk.start..chunk.end]);
        assert!(pieces <= max, "{pieces} pieces in {:?}", &content[chunk.start..chunk.end]);
        assert!(chunk.docs.iter().all(|d| d.0 >= chunk.start && d.1 <= chunk.end));
        at = chunk.end;
    }
    assert!(content[at..].trim().is_empty(), "lost {:?}", &content[at..]);
}

#[test]
fn every_language_finds_the_definitions_of_its_sample() {
    let mut seen = std::collections::HashSet::new();
    let mut wrong = Vec::new();
    for line in EXPECTED.lines() {
        let [id, kind, name, first] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        seen.insert(id);
        let (lang, text) = sample(id);
        let outline = outline(&text.content, lang).unwrap();
        let lines = crate::extract::LineMap::new(&text.content);
        let here = |i: &Item| {
            i.name == name
                && i.kind.as_str() == kind
                && lines.line_of(i.declared) + 1 == first.parse::<usize>().unwrap()
        };
        if !outline.items.iter().any(here) {
            let near: Vec<_> = outline
                .items
                .iter()
                .filter(|i| i.name == name)
                .map(|i| (i.kind, lines.line_of(i.declared) + 1))
                .collect();
            wrong.push(format!("{line}: {near:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for row in LANGUAGES.iter().filter(|row| matches!(row.cutter, Cutter::Syntax { .. })) {
        assert!(seen.contains(row.id), "{} has no sample", row.id);
    }
}

#[test]
fn every_sample_is_covered_within_every_budget() {
    for row in LANGUAGES.iter().filter(|row| matches!(row.cutter, Cutter::Syntax { .. })) {
        let (lang, text) = sample(row.id);
        for max in [16, 40, 256] {
            let count = counter(row.form == Form::Prose);
            let outline = outline(&text.content, lang);
            check(&text, &cut(&text, lang, outline.as_ref(), Budget { max, count }).chunks, max, count);
        }
    }
}

#[test]
fn a_definition_keeps_its_comment_and_attributes() {
    let code = "use std::fmt;\n\n/// Waits longer each time.\n/// Really.\n#[inline]\n#[must_use]\npub fn backoff(n: u32) -> u32 {\n    1 << n\n}\n\nconst A: u32 = 1;\n";
    let chunks = chunks_of(code, "rust", 20);
    let chunk = chunks.iter().find(|c| c.symbols.iter().any(|s| s.name == "backoff")).unwrap();
    assert!(code[chunk.start..chunk.end].starts_with("/// Waits longer"), "{chunk:?}");
    assert_eq!((chunk.start_line, chunk.end_line), (3, 9));
    assert_eq!(chunk.docs.len(), 2);
}

#[test]
fn members_know_what_encloses_them() {
    let body = (0..12)
        .map(|i| {
            format!(
                "    def method_{i}(self):\n        return compute(self.value, {i}) + other(self.name)\n\n"
            )
        })
        .collect::<String>();
    let code = format!("class Client:\n    '''Talks to the server.'''\n\n{body}");
    let chunks = chunks_of(&code, "python", 60);
    assert_eq!(chunks[0].symbols[0].name, "Client");
    let inner = chunks.iter().find(|c| c.symbols.iter().any(|s| s.name == "method_7")).unwrap();
    assert_eq!(inner.trail, ["Client"]);
    assert_eq!(inner.kind, crate::types::Kind::Method);
    assert!(chunks.len() < 12, "small neighbours are packed: {}", chunks.len());
}

#[test]
fn windows_of_a_long_function_carry_its_signature() {
    let body = (0..60).map(|i| format!("    total = total + weight_{i} * value_{i}\n")).collect::<String>();
    let code = format!("def weigh(everything):\n{body}");
    let chunks = chunks_of(&code, "python", 64);
    assert!(chunks.len() > 3);
    assert_eq!(chunks[0].symbols[0].name, "weigh");
    for window in &chunks[1..] {
        assert_eq!(window.signature.as_deref(), Some("def weigh(everything):"));
        assert_eq!(window.trail, ["weigh"]);
        let whole = StaticModel::count(window.signature.as_deref().unwrap())
            + StaticModel::count(&code[window.start..window.end]);
        assert!(whole <= 64, "{whole}");
    }
}

#[test]
fn headings_cut_markdown_and_make_its_trail() {
    let code = "---\ntitle: x\n---\n# Guide\n\nIntro text that says what this is about, at some length, so that it stands alone as a passage of its own.\n\n## Setup\n\nInstall it with the installer and answer its three questions about folders, models and hooks.\n\n### Linux\n\nUse the package manager of your distribution and make sure that the service user may read the folder.\n\n## Use\n\nAsk it a question about the folder that you indexed before and read what it answers.\n";
    let chunks = chunks_of(code, "markdown", 30);
    let linux = chunks.iter().find(|c| c.symbols.first().is_some_and(|s| s.name == "Linux")).unwrap();
    assert_eq!(linux.trail, ["Guide", "Setup"]);
    assert_eq!(linux.kind, crate::types::Kind::Section);
    assert!(
        !chunks.iter().any(|c| c.symbols.iter().any(|s| s.name.contains("title"))),
        "front matter is no heading"
    );
}

#[test]
fn a_syntax_error_costs_nothing_outside_itself() {
    let code = "fn before() -> u8 { 1 }\n\nfn broken( { let x = ; }}}\n\nfn after() -> u8 { 2 }\n";
    let outline = outline(code, LangId::named("rust").unwrap()).unwrap();
    for name in ["before", "after"] {
        assert!(outline.items.iter().any(|i| i.name == name), "{name}: {outline:?}");
    }
}

#[test]
fn line_ends_and_marks_count_as_grep_counts() {
    let content = "\u{feff}# One\r\n\r\nalpha beta\rgamma\r\n# Two\r\n\r\ndelta\r\n";
    let chunks = chunks_of(content, "markdown", 4);
    let two = chunks.iter().find(|c| content[c.start..c.end].contains("delta")).unwrap();
    assert_eq!(two.end_line, 6);
    assert!(!content[chunks[0].start..].starts_with('\u{feff}'));
}

#[test]
fn one_endless_line_is_cut_at_its_functions_and_by_size() {
    let code: String = (0..300).map(|i| format!("function f{i}(a,b){{return a*{i}+b.value{i}}};")).collect();
    let chunks = chunks_of(&code, "javascript", 64);
    assert!(chunks.len() > 30);
    assert!(chunks.iter().any(|c| c.symbols.iter().any(|s| s.name == "f250")));
    check(&text(&code), &chunks, 64, counter(false));
    let blob = "QUJD".repeat(50_000);
    check(&text(&blob), &chunks_of(&blob, "text", 64), usize::MAX, counter(true));
    assert!(chunks_of(&blob, "text", 64).len() > 10);
}

#[test]
fn a_word_cut_in_two_is_counted_as_one() {
    // Found by the property test below: the halves of an unknown word have fewer pieces than the word.
    let content =
        "\";class :''énbkklHbgzhcmiclass fn # :\r\n==\t\nfn Gujjfih\t:=\r\n\r\n'# \tdef \")# é:\"\t{\"'\n";
    check(&text(content), &chunks_of(content, "powershell", 10), 10, counter(false));
}

#[test]
fn depth_costs_no_stack() {
    for (lang, text) in [
        ("c", "{".repeat(100_000)),
        ("json", "[".repeat(100_000)),
        ("markdown", "> ".repeat(10_000)),
        ("javascript", "(".repeat(100_000)),
    ] {
        let lang = LangId::named(lang).unwrap();
        // Whether it is parsed or given up, it returns.
        let found = outline(&text, lang);
        let budget = Budget { max: 64, count: counter(lang.is_prose()) };
        assert!(!cut(&self::text(&text), lang, found.as_ref(), budget).chunks.is_empty());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..proptest::prelude::ProptestConfig::with_cases(256) })]

    #[test]
    fn any_text_of_any_language_is_covered(content in "(fn |class |def |# |\\{|\\}|\\(|\\)|;|:|=|\"|'|[a-z]{1,12}|[A-Z][a-z]{1,8}|é|語| |  |\n|\r\n|\n\n|\t){0,300}", pick in 0..LANGUAGES.len(), max in 8usize..80) {
        let Some(text) = decode(content.into_bytes()) else { return Ok(()) };
        let lang = LangId(pick as u8);
        let count = counter(lang.is_prose());
        let outline = outline(&text.content, lang);
        let chunks = cut(&text, lang, outline.as_ref(), Budget { max, count }).chunks;
        check(&text, &chunks, max, count);
    }
}
