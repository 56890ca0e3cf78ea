//! English stems by Porter's second algorithm, cached: source text repeats its words thousands of times.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

use super::lower_into;

/// Distinct words remembered a thread; a full cache starts again.
const CACHE_WORDS: usize = 1 << 16;

/// Words of up to three letters and words with other than ASCII letters stay as they are.
fn stems(word: &str) -> bool {
    word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase())
}

/// Word → stem, for one thread.
pub(super) struct Cache {
    stemmer: Stemmer,
    known: HashMap<Box<str>, Box<str>, rustc_hash::FxBuildHasher>,
    last: String,
}

impl Default for Cache {
    fn default() -> Self {
        Cache { stemmer: Stemmer::create(Algorithm::English), known: HashMap::default(), last: String::new() }
    }
}

impl Cache {
    /// The stem of `part` as written; `buffer` is scratch.
    pub(super) fn stem_of(&mut self, part: &str, buffer: &mut String) -> &str {
        lower_into(buffer, part);
        if !stems(buffer) {
            self.last.clone_from(buffer);
            return &self.last;
        }
        self.last.clear();
        if let Some(stem) = self.known.get(buffer.as_str()) {
            self.last.push_str(stem);
            return &self.last;
        }
        if self.known.len() >= CACHE_WORDS {
            self.known.clear();
        }
        let stem = self.stemmer.stem(buffer).into_owned().into_boxed_str();
        self.last.push_str(&stem);
        self.known.insert(buffer.clone().into_boxed_str(), stem);
        &self.last
    }
}
