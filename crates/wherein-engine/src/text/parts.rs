//! Where one word falls into parts: camelCase, PascalCase, ACRONYMWord, snake_case, letter–digit borders, scripts.

/// Whether a character is written without spaces between words.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3134f}')
}

/// Cuts a word where CJK text begins or ends.
pub(super) fn script_runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = is_cjk(rest.chars().next()?);
        let end = rest.char_indices().find(|(_, c)| is_cjk(*c) != first).map_or(rest.len(), |(i, _)| i);
        let (run, tail) = rest.split_at(end);
        rest = tail;
        Some(run)
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(c: char) -> Class {
    if c.is_ascii_digit() || c.is_numeric() {
        Class::Digit
    } else if c.is_uppercase() {
        Class::Upper
    } else if c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c) {
        Class::Lower
    } else {
        Class::Other
    }
}

/// The parts of an identifier: `parseHTTPRequest2` → parse, HTTP, Request, 2. Everything that is neither letter
/// nor digit separates.
pub(crate) fn split_identifier(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c| class(c) == Class::Other);
        if rest.is_empty() {
            return None;
        }
        let (part, tail) = rest.split_at(part_end(rest));
        rest = tail;
        Some(part)
    })
}

/// The end of the part that begins `text`.
fn part_end(text: &str) -> usize {
    let mut before: Option<(usize, Class)> = None;
    let mut capitals = 0;
    for (i, c) in text.char_indices() {
        let now = class(c);
        if let Some((last_at, last)) = before {
            let goes_on = match (last, now) {
                (Class::Upper, Class::Lower) if capitals > 1 => return last_at,
                (Class::Upper, Class::Lower) => true,
                (a, b) => a == b && b != Class::Other,
            };
            if !goes_on {
                return i;
            }
        }
        capitals = if now == Class::Upper { capitals + 1 } else { 0 };
        before = Some((i, now));
    }
    text.len()
}
