//! Reading a query: what kind it is, which names it speaks of, what it asks for.

use crate::text::{Analyzer, split_identifier, stop};

/// What a query looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryKind {
    /// A name as it stands in code.
    Symbol,
    /// A path or file name.
    Path,
    /// Words.
    Natural,
}

/// A query, read once.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// What it looks like.
    pub kind: QueryKind,
    /// Distinct lexical terms in order.
    pub terms: Vec<String>,
    /// Words as typed, stop words left out.
    pub words: Vec<Word>,
    /// Whether it asks for tests.
    pub wants_tests: bool,
    /// Whether it asks for documentation.
    pub wants_docs: bool,
}

/// A word of the query.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// As typed, without punctuation around it.
    pub text: String,
    /// In lower case.
    pub lower: String,
    /// Its terms.
    pub terms: Vec<String>,
    /// Whether it could be the name of a type: it begins with a capital that no sentence demands.
    pub is_capitalised: bool,
}

const TEST_WORDS: &[&str] =
    &["test", "tests", "testing", "spec", "specs", "unittest", "fixture", "fixtures", "benchmark"];
const DOC_WORDS: &[&str] =
    &["doc", "docs", "documentation", "readme", "guide", "tutorial", "changelog", "manual"];

impl Reading {
    /// Reads a query.
    pub(crate) fn new(text: &str, analyzer: &mut Analyzer) -> Reading {
        let terms = analyzer.query_terms(text);
        let bare = |w: &str| w.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_')).to_owned();
        let typed: Vec<String> = text.split_whitespace().map(bare).filter(|w| !w.is_empty()).collect();
        let kind = kind(&typed, text);
        let mut words = Vec::new();
        for (place, word) in typed.iter().enumerate() {
            // `Foo::bar`, `foo.bar` and `foo->bar` speak of the parts.
            for part in word
                .split([':', '.', '/', '>', '#'])
                .map(|p| p.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_')))
            {
                if part.is_empty() || (stop::is_stop_word(part) && typed.len() > 1) {
                    continue;
                }
                let lower = part.to_lowercase();
                let first = part.chars().next().is_some_and(char::is_uppercase);
                // The first word of a sentence has its capital from grammar, unless it has an inner one too.
                let inner =
                    part.chars().skip(1).any(char::is_uppercase) && part.chars().any(char::is_lowercase);
                let is_capitalised = first && (place > 0 || typed.len() == 1 || inner);
                words.push(Word {
                    text: part.to_owned(),
                    terms: analyzer.terms(part),
                    lower,
                    is_capitalised,
                });
            }
        }
        let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.lower.as_str()));
        let names_test = kind == QueryKind::Symbol
            && split_identifier(text.trim()).any(|p| p.eq_ignore_ascii_case("test"));
        Reading { wants_tests: has(TEST_WORDS) || names_test, wants_docs: has(DOC_WORDS), kind, terms, words }
    }
}

/// A single identifier, qualified or not, is a symbol; something with a slash or a known file ending is a path.
fn kind(typed: &[String], text: &str) -> QueryKind {
    let [word] = typed else { return QueryKind::Natural };
    let is_name = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '#' | '-' | '>' | '$' | '@' | '!' | '?')
    };
    if word.contains('/') {
        return QueryKind::Path;
    }
    if let Some((_, extension)) = word.rsplit_once('.')
        && crate::lang::LANGUAGES.iter().any(|l| l.extensions.contains(&extension))
    {
        return QueryKind::Path;
    }
    if text.trim().trim_end_matches("()").chars().all(is_name) {
        QueryKind::Symbol
    } else {
        QueryKind::Natural
    }
}
