//! Queries that quote: an error message, a log line, a sentence, a name that few passages hold. Terms alone can't tell a
//! passage that says just that from one that holds the same common words, and the index keeps no positions; so the few
//! passages that hold enough of the query's terms are read, and those that say it come first.

use crate::rank::QueryKind;
use crate::text::is_cjk;

use super::Measured;
use super::verify::Texts;

/// Passages that are read: with 32 messages of common words too are among them.
const READ: usize = 32;
/// Share of the query's known terms, by weight, that a passage needs to be read.
const MIN_SHARE: f32 = 0.4;
/// All of it, but for rounding.
const ALL: f32 = 0.999;
/// Neighbouring words of the query that must be neighbours in the passage, as a share and as a count. Messages have values filled
/// in; three words make up too many phrases that quote nothing (docs/measurements.md, "Quotations").
const MIN_PAIRS: (f32, u32) = (0.65, 3);
/// Or else so many of them within runs of at least so many words, whatever their share: log lines begin with a date.
const RUN_PAIRS: u32 = 5;
const RUN_WORDS: u32 = 3;
/// Words of a query that are looked at.
const MAX_WORDS: usize = 64;

/// A passage that says what the query says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quote {
    /// Place of its file among the candidates.
    pub file: usize,
    /// Its place among its file's candidate passages.
    pub passage: usize,
    /// Share of the query's neighbouring words that are neighbours there.
    pub share: f32,
}

/// Looks for the query's own words among the candidates.
pub(super) fn quotes(measured: &Measured<'_>, query: &str, texts: &mut [Texts<'_>]) -> Vec<Quote> {
    let wanted = Wanted::new(query);
    let is_name = measured.reading.kind == QueryKind::Symbol;
    if wanted.words.is_empty() || (wanted.pairs() < MIN_PAIRS.1 && !is_name) {
        return Vec::new();
    }
    let least = if is_name { ALL } else { MIN_SHARE * (1.0 - measured.asked.unknown) };
    let terms = measured.reading.terms.len() as f32;
    let mut likely: Vec<(usize, usize)> = Vec::new();
    for (at, (_, file)) in measured.files.iter().enumerate() {
        let holds = |p: usize| {
            let candidate = &file.passages[p].candidate;
            let held = candidate.present.iter().fold(0, |all, field| all | field).count_ones();
            candidate.coverage >= least && (held >= RUN_PAIRS || held as f32 >= MIN_PAIRS.0 * terms)
        };
        likely.extend((0..file.passages.len()).filter(|p| holds(*p)).map(|p| (at, p)));
    }
    let candidate = |(file, passage): (usize, usize)| measured.files[file].1.passages[passage].candidate;
    likely.sort_by(|a, b| {
        let (a, b) = (candidate(*a), candidate(*b));
        b.coverage.total_cmp(&a.coverage).then(b.bm25.total_cmp(&a.bm25))
    });
    if is_name && likely.len() > READ {
        // No rare name: what defines it matters, not who mentions it.
        return Vec::new();
    }
    likely.truncate(READ);
    let quote = |(file, passage): (usize, usize)| {
        let part = measured.files[file].0.0;
        let text = texts[part].as_indexed(candidate((file, passage)).slot)?;
        let share = if is_name { wanted.is_named_in(text).then_some(1.0) } else { wanted.share_in(text) }?;
        Some(Quote { file, passage, share })
    };
    likely.into_iter().filter_map(quote).collect()
}

/// The words of a query in their order, stop words among them.
struct Wanted {
    words: Vec<String>,
}

impl Wanted {
    fn new(query: &str) -> Self {
        Wanted { words: words(query).take(MAX_WORDS).map(str::to_lowercase).collect() }
    }

    fn pairs(&self) -> u32 {
        self.words.len().saturating_sub(1) as u32
    }

    /// The share of neighbours that the text has too; `None` where that is too little to be a quotation.
    fn share_in(&self, text: &str) -> Option<f32> {
        // Pairs by the place of their second word, a bit a place: all, and those within runs.
        let (mut found, mut in_runs, mut before) = (0u64, 0u64, 0u64);
        // Lengths of the runs that end at the last word read, by that word's place in the query.
        let mut runs = [0u32; MAX_WORDS];
        for word in words(text) {
            let here = self.places(word);
            if here == 0 && before == 0 {
                continue;
            }
            before = here;
            // From the last place to the first, so that a run grows by what the word before gave.
            for place in (0..self.words.len()).rev() {
                let shorter = place.checked_sub(1).map_or(0, |p| runs[p]);
                runs[place] = if here >> place & 1 == 1 { 1 + shorter } else { 0 };
                found |= u64::from(runs[place] > 1) << place;
                if runs[place] == RUN_WORDS {
                    // With the pairs that began the run.
                    in_runs |= ((1 << RUN_WORDS) - 2) << (place + 1 - RUN_WORDS as usize);
                } else if runs[place] > RUN_WORDS {
                    in_runs |= 1 << place;
                }
            }
        }
        let share = found.count_ones() as f32 / self.pairs() as f32;
        let says_most = share >= MIN_PAIRS.0 && found.count_ones() >= MIN_PAIRS.1;
        (says_most || in_runs.count_ones() >= RUN_PAIRS).then_some(share)
    }

    /// Whether the text has all words of a name next to each other.
    fn is_named_in(&self, text: &str) -> bool {
        let mut run = 0;
        words(text).any(|word| {
            let is_next = |place: usize| self.places(word) >> place & 1 == 1;
            run = if is_next(run) { run + 1 } else { usize::from(is_next(0)) };
            run == self.words.len()
        })
    }

    /// Where a word stands in the query, a bit a place.
    fn places(&self, word: &str) -> u64 {
        let is_same = |wanted: &String| {
            if word.is_ascii() {
                wanted.len() == word.len() && wanted.eq_ignore_ascii_case(word)
            } else {
                *wanted == word.to_lowercase()
            }
        };
        let places = self.words.iter().enumerate().filter(|(_, wanted)| is_same(wanted));
        places.fold(0, |bits, (place, _)| bits | 1 << place)
    }
}

/// Runs of letters, digits and `_`; scripts without spaces give a letter a word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
    parts.flat_map(|part| {
        let is_single = !part.is_ascii() && part.chars().any(is_cjk);
        let whole = (!is_single).then_some(part);
        let letters = is_single.then(|| part.split_inclusive(|_| true)).into_iter().flatten();
        whole.into_iter().chain(letters)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(query: &str, text: &str) -> Option<f32> {
        Wanted::new(query).share_in(text)
    }

    #[test]
    fn messages_are_found_with_values_filled_in_and_words_around_them() {
        let code = r#"    raise ValueError(f"queue {name} was drained before the flush completed")"#;
        assert_eq!(share("queue 'jobs' was drained before the flush completed", code), Some(5.0 / 7.0));
        assert_eq!(share("Was DRAINED before\n the flush", code), Some(1.0));
        assert!(
            share("2026-11-29 12:00:01 [main] ERROR pool: was drained before the flush completed", code)
                .is_some()
        );
        assert_eq!(share("what happens before a queue was drained", code), None);
        assert_eq!(share("flush before drained", code), None);
    }

    #[test]
    fn names_are_found_whole() {
        let named = |name: &str, text: &str| Wanted::new(name).is_named_in(text);
        assert!(named("retry_budget", "log.info(\"retry_budget spent\")"));
        assert!(!named("retry_budget", "retry.budget, retry_budgets"));
        assert!(named("Queue::drain_all", "Queue::Queue::drain_all()"));
        assert!(!named("Queue::drain_all", "Queue drain, drain_all"));
    }

    #[test]
    fn every_script_counts() {
        assert_eq!(
            share("STRASSE ist für alle gesperrt", "die Straße: STRASSE IST FÜR ALLE gesperrt!"),
            Some(1.0)
        );
        assert_eq!(share("接続が切断されました", "throw new Error(\"接続が切断されました\")"), Some(1.0));
        assert_eq!(share("", ""), None);
    }

    #[test]
    fn a_long_query_is_read_to_its_limit() {
        let long: String = (0..200).map(|i| format!("w{i} ")).collect();
        assert_eq!(share(&long, &long), Some(1.0));
    }
}
