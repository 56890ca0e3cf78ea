//! Reading a query: what kind it is, which names it speaks of, what it asks for.

use crate::lang::LangId;
use crate::text::{Analyzer, split_identifier, stop};

/// What a query looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
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
    /// How many words were typed.
    pub length: usize,
    /// Words as typed, stop words left out.
    pub words: Vec<Word>,
    /// Whether it asks for tests.
    pub wants_tests: bool,
    /// Whether it asks for documentation.
    pub wants_docs: bool,
    /// Paths and file names in it, in lower case.
    pub paths: Vec<String>,
    /// Languages or file types that it asks for: `in python`, `yaml file`.
    pub languages: Vec<LangId>,
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
        Reading {
            wants_tests: has(TEST_WORDS) || names_test,
            wants_docs: has(DOC_WORDS),
            paths: typed.iter().filter(|w| is_path(w)).map(|w| w.to_lowercase()).collect(),
            languages: languages(&typed),
            length: typed.len(),
            kind,
            terms,
            words,
        }
    }
}

/// Whether a query is a name as code writes them, not a word that may mean something.
pub(crate) fn is_name(text: &str) -> bool {
    let text = text.trim();
    let is_one_word = !text.is_empty() && !text.contains(char::is_whitespace);
    is_one_word
        && kind(&[text.to_owned()], text) == QueryKind::Symbol
        && !text.chars().all(char::is_lowercase)
}

/// Whether a word is a path or the name of a file of a known type.
fn is_path(word: &str) -> bool {
    let extension = word.rsplit_once('.').map(|(before, extension)| (before, extension.to_lowercase()));
    (word.contains('/') && word.len() > 1)
        || extension.is_some_and(|(before, extension)| {
            !before.is_empty()
                && crate::lang::LANGUAGES.iter().any(|l| l.extensions.contains(&extension.as_str()))
        })
}

/// Words that follow the name of a language where a file type is meant.
const FILE_WORDS: &[&str] = &["file", "files", "code", "script", "scripts", "source", "sources", "config"];

/// Languages named as such: after `in`, or before a word for files.
fn languages(typed: &[String]) -> Vec<LangId> {
    let near =
        |at: usize, list: &[&str]| typed.get(at).is_some_and(|w| list.contains(&w.to_lowercase().as_str()));
    let named = |(at, word): (usize, &String)| {
        let is_meant = (at > 0 && near(at - 1, &["in"]) && at + 1 == typed.len()) || near(at + 1, FILE_WORDS);
        LangId::named(word).filter(|_| is_meant)
    };
    typed.iter().enumerate().filter_map(named).collect()
}

/// A single identifier, qualified or not, is a symbol; something with a slash or a known file ending is a path.
fn kind(typed: &[String], text: &str) -> QueryKind {
    let [word] = typed else { return QueryKind::Natural };
    let is_name = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '#' | '-' | '>' | '$' | '@' | '!' | '?')
    };
    if is_path(word) {
        return QueryKind::Path;
    }
    if text.trim().trim_end_matches("()").chars().all(is_name) {
        QueryKind::Symbol
    } else {
        QueryKind::Natural
    }
}
