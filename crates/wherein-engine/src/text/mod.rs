//! The one lexical analyser, for index and query alike: text → terms. It owns what a term is; it knows no index.
//!
//! A *word* is a run of Unicode letters, marks, digits and `_`, brought to NFC and lower case. A word of one part gives its
//! stem. A word of several parts (`parseArgs`, `parse_args`, `HTTPServer2`) gives itself whole and the stem of each
//! part. Words joined by single `.` or `-` (`os.path`, `real-time`, `2026.4.10`) also give the whole chain.
//! Runs of Han, Hiragana, Katakana and Hangul give their bigrams.

mod parts;
mod stem;
pub(crate) mod stop;

pub(crate) use parts::{is_cjk, split_identifier};

use unicode_normalization::{UnicodeNormalization, is_nfc_quick};

/// Longest term kept, in bytes; longer ones (hashes, base64) say nothing and swell the index.
const MAX_TERM_BYTES: usize = 64;
/// Longer runs of letters are no words at all.
const MAX_WORD_BYTES: usize = 4 * MAX_TERM_BYTES;
/// Longest chain of joined words kept whole.
const MAX_CHAIN_WORDS: usize = 4;

/// Turns text into terms. Holds buffers and a stem cache, so keep one a thread.
#[derive(Default)]
pub struct Analyzer {
    stems: stem::Cache,
    lower: String,
}

/// One word of the text, before it is turned into terms.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    start: usize,
}

impl Analyzer {
    /// Calls `emit` with every term of `text`, in order; repeated terms repeat.
    pub fn for_each(&mut self, text: &str, mut emit: impl FnMut(&str)) {
        let mut chain: Chain = Chain::default();
        for word in words(text) {
            if !chain.accepts(text, word) {
                chain.flush(text, &mut self.lower, &mut emit);
                chain = Chain::default();
            }
            chain.push(word);
            self.word(word.text, &mut emit);
        }
        chain.flush(text, &mut self.lower, &mut emit);
    }

    /// Every term of `text` in order.
    pub fn terms(&mut self, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        self.for_each(text, |term| out.push(term.to_owned()));
        out
    }

    /// The distinct terms of a query in order of appearance, common question words left out where others remain.
    pub fn query_terms(&mut self, text: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut kept: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let stop = stop::is_stop_word(bare);
            self.for_each(word, |term| {
                if !all.iter().any(|t| t == term) {
                    all.push(term.to_owned());
                    if !stop {
                        kept.push(term.to_owned());
                    }
                }
            });
        }
        if kept.is_empty() { all } else { kept }
    }

    fn word(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        if !word.is_ascii() {
            let normal: String = if is_nfc_quick(word.chars()) == unicode_normalization::IsNormalized::Yes {
                word.to_owned()
            } else {
                word.nfc().collect()
            };
            return self.unicode_word(&normal, emit);
        }
        self.identifier(word, emit);
    }

    fn unicode_word(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        for run in parts::script_runs(word) {
            if run.chars().next().is_some_and(is_cjk) {
                bigrams(run, &mut self.lower, emit);
                continue;
            }
            self.identifier(run, emit);
        }
    }

    /// The stem of each part, then the whole where there are several.
    fn identifier(&mut self, word: &str, emit: &mut impl FnMut(&str)) {
        if word.len() > MAX_WORD_BYTES {
            return;
        }
        let mut parts = 0;
        for part in split_identifier(word) {
            parts += 1;
            emit(self.stems.stem_of(part, &mut self.lower));
        }
        if parts > 1 && word.len() <= MAX_TERM_BYTES {
            lower_into(&mut self.lower, word);
            emit(&self.lower);
        }
    }
}

/// Words joined by single dots or hyphens, to be emitted whole.
#[derive(Default)]
struct Chain {
    start: usize,
    end: usize,
    words: usize,
}

impl Chain {
    fn accepts(&self, text: &str, word: Word<'_>) -> bool {
        self.words == 0 || (word.start == self.end + 1 && matches!(text.as_bytes()[self.end], b'.' | b'-'))
    }

    fn push(&mut self, word: Word<'_>) {
        if self.words == 0 {
            self.start = word.start;
        }
        self.end = word.start + word.text.len();
        self.words += 1;
    }

    fn flush(&self, text: &str, lower: &mut String, emit: &mut impl FnMut(&str)) {
        let length = self.end - self.start;
        if (2..=MAX_CHAIN_WORDS).contains(&self.words) && length <= MAX_TERM_BYTES {
            let whole = &text[self.start..self.end];
            if whole.is_ascii() {
                lower_into(lower, whole);
            } else {
                lower.clear();
                lower.extend(whole.nfc().flat_map(char::to_lowercase));
            }
            emit(lower);
        }
    }
}

/// Lower-cases `word` into `buffer`.
fn lower_into(buffer: &mut String, word: &str) {
    buffer.clear();
    if word.is_ascii() {
        buffer.push_str(word);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// The overlapping pairs of a CJK run; a run of one character gives itself.
fn bigrams(run: &str, buffer: &mut String, emit: &mut impl FnMut(&str)) {
    let mut before: Option<char> = None;
    let mut count = 0;
    for c in run.chars() {
        count += 1;
        if let Some(first) = before {
            buffer.clear();
            buffer.push(first);
            buffer.push(c);
            emit(buffer);
        }
        before = Some(c);
    }
    if count == 1 {
        emit(run);
    }
}

/// Runs of letters, marks, digits and `_`.
fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut start = None;
        while at < bytes.len() {
            let (inside, width) = if bytes[at] < 0x80 {
                (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_', 1)
            } else {
                let c = text[at..].chars().next().unwrap_or('\u{fffd}');
                (c.is_alphanumeric() || unicode_normalization::char::is_combining_mark(c), c.len_utf8())
            };
            match (inside, start) {
                (true, None) => start = Some(at),
                (false, Some(from)) => return Some(Word { text: &text[from..at], start: from }),
                _ => {}
            }
            at += width;
        }
        start.map(|from| Word { text: &text[from..], start: from })
    })
}

#[cfg(test)]
mod tests;
