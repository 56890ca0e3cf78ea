//! The word pieces that all-MiniLM-L6-v2 reads: BERT's uncased pre-tokenisation (clean, CJK apart, lower case,
//! accents stripped, punctuation apart) and the greedy longest match. Source: Devlin et al. 2019 and the model's tokenizer.json.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::pieces::Pieces;

static PIECES: Pieces = Pieces::new(include_bytes!(concat!(env!("OUT_DIR"), "/minilm.pieces")));

/// Longer words are one unknown piece.
const MAX_WORD_CHARS: usize = 100;

/// The piece of a word that the vocabulary does not know.
const UNKNOWN: u16 = 100;

/// How many pieces a text has, `[CLS]` and `[SEP]` not counted.
pub(super) fn count(text: &str) -> usize {
    let mut all = Vec::new();
    pieces(text, &mut all);
    all.len()
}

/// Adds the pieces of a text, without `[CLS]` and `[SEP]`.
pub(super) fn pieces(text: &str, all: &mut Vec<u16>) {
    let mut cutter = Cutter { word: String::new(), all };
    if text.is_ascii() {
        text.bytes().for_each(|b| cutter.push(char::from(b.to_ascii_lowercase())));
    } else {
        text.nfd()
            .filter(|c| !is_combining_mark(*c))
            .flat_map(char::to_lowercase)
            .for_each(|c| cutter.push(c));
    }
    cutter.end_word();
}

struct Cutter<'a> {
    word: String,
    all: &'a mut Vec<u16>,
}

impl Cutter<'_> {
    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.end_word();
        } else if is_punctuation(c) || is_ideograph(c) {
            self.end_word();
            self.word.push(c);
            self.end_word();
        } else if !(c.is_control() || c == char::REPLACEMENT_CHARACTER || is_format(c)) {
            self.word.push(c);
        }
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let is_known =
            self.word.chars().count() <= MAX_WORD_CHARS && PIECES.split(self.word.as_bytes(), self.all);
        if !is_known {
            self.all.push(UNKNOWN);
        }
        self.word.clear();
    }
}

/// ASCII symbols count as punctuation, as in BERT; beyond ASCII the Unicode category P decides.
fn is_punctuation(c: char) -> bool {
    use unicode_general_category::{GeneralCategory as G, get_general_category};
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    matches!(
        get_general_category(c),
        G::ConnectorPunctuation
            | G::DashPunctuation
            | G::OpenPunctuation
            | G::ClosePunctuation
            | G::InitialPunctuation
            | G::FinalPunctuation
            | G::OtherPunctuation
    )
}

fn is_format(c: char) -> bool {
    use unicode_general_category::{GeneralCategory as G, get_general_category};
    matches!(get_general_category(c), G::Format | G::PrivateUse | G::Unassigned)
}

/// The CJK ideographs that BERT sets apart; kana and hangul are not among them.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}
