//! The instant tier: one int8 row per word piece, a text's vector is the normalised sum over its pieces
//! (models/static-code-128/MODEL.md).

use std::cell::RefCell;
use std::sync::OnceLock;

use safetensors::SafeTensors;

use super::pieces::Pieces;
use super::{Embedder, Role, kernel};
use crate::error::Result;

pub(super) static FILE: &[u8] = include_bytes!("../../models/static-code-128/model.safetensors");
static PIECES: Pieces = Pieces::new(include_bytes!(concat!(env!("OUT_DIR"), "/static.pieces")));

/// Words of more letters are skipped.
const MAX_WORD: usize = 100;
/// Length of a row.
pub(super) const DIMENSIONS: usize = 128;
/// Names table, pooling and text form.
pub(super) const IDENTITY: &str = "static-code-128/sum/path3-trail";

/// The built-in static model: two places in the program.
#[derive(Clone, Copy)]
pub struct StaticModel {
    rows: &'static [u8],
    scales: &'static [u8],
}

thread_local! {
    static IDS: RefCell<Vec<u16>> = const { RefCell::new(Vec::new()) };
}

impl StaticModel {
    /// The model. Costs the reading of a 150-byte header the first time.
    ///
    /// # Panics
    /// If the file in the binary is not the table it should be, which a test rules out.
    #[expect(clippy::expect_used, reason = "the file is compiled in and a test reads it")]
    pub fn get() -> StaticModel {
        static MODEL: OnceLock<StaticModel> = OnceLock::new();
        *MODEL.get_or_init(|| {
            let file = SafeTensors::deserialize(FILE).expect("built-in table");
            StaticModel {
                rows: file.tensor("embeddings").expect("rows").data(),
                scales: file.tensor("weights").expect("scales").data(),
            }
        })
    }

    /// How many pieces a text has.
    pub fn count(text: &str) -> usize {
        with_ids(text, <[u16]>::len)
    }

    /// The pieces of a text.
    pub fn ids(text: &str) -> Vec<u16> {
        with_ids(text, <[u16]>::to_vec)
    }

    fn scale(&self, id: u16) -> f32 {
        let at = usize::from(id) * 4;
        f32::from_le_bytes([self.scales[at], self.scales[at + 1], self.scales[at + 2], self.scales[at + 3]])
    }
}

impl StaticModel {
    /// Writes the vector of one text into `out`, which has [`DIMENSIONS`] numbers.
    pub fn write(&self, text: &str, out: &mut [f32]) {
        out.fill(0.0);
        with_ids(text, |ids| {
            for &id in ids {
                let from = usize::from(id) * DIMENSIONS;
                kernel::add_scaled(out, &self.rows[from..from + DIMENSIONS], self.scale(id));
            }
        });
        kernel::normalise(out);
    }

    /// The vector of one text; all zeros where the table knows none of it.
    pub fn of(text: &str) -> Vec<f32> {
        let mut out = vec![0.0; DIMENSIONS];
        Self::get().write(text, &mut out);
        out
    }
}

impl Embedder for StaticModel {
    fn identity(&self) -> &'static str {
        IDENTITY
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn pieces(&self, text: &str) -> Option<usize> {
        Some(StaticModel::count(text))
    }

    fn embed(&self, _role: Role, texts: &[&str], out: &mut [f32]) -> Result<()> {
        for (text, vector) in texts.iter().zip(out.chunks_exact_mut(DIMENSIONS)) {
            self.write(text, vector);
        }
        Ok(())
    }
}

/// Lends the pieces of a text from a buffer of the thread.
fn with_ids<T>(text: &str, use_ids: impl FnOnce(&[u16]) -> T) -> T {
    IDS.with_borrow_mut(|ids| {
        ids.clear();
        for_each_word(text.as_bytes(), |word| {
            PIECES.split(word, ids);
        });
        use_ids(ids)
    })
}

/// Lower-cased runs of letters or digits, cut where camelCase and ACRONYMWord begin a word:
/// `[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+`. Everything but ASCII letters and digits separates.
fn for_each_word(text: &[u8], mut emit: impl FnMut(&[u8])) {
    let mut lower = [0u8; MAX_WORD];
    let mut at = 0;
    while at < text.len() {
        let start = at;
        match text[at] {
            b'0'..=b'9' => at = run(text, at, u8::is_ascii_digit),
            b'a'..=b'z' => at = run(text, at, u8::is_ascii_lowercase),
            b'A'..=b'Z' => {
                let capitals = run(text, at, u8::is_ascii_uppercase);
                let lower_follows = text.get(capitals).is_some_and(u8::is_ascii_lowercase);
                at = match (lower_follows, capitals - at) {
                    (false, _) => capitals,
                    (true, 1) => run(text, capitals, u8::is_ascii_lowercase),
                    (true, _) => capitals - 1,
                };
            }
            _ => {
                at += 1;
                continue;
            }
        }
        let word = &text[start..at];
        if let Some(buffer) = lower.get_mut(..word.len()) {
            buffer.copy_from_slice(word);
            buffer.make_ascii_lowercase();
            emit(buffer);
        }
    }
}

fn run(text: &[u8], from: usize, inside: fn(&u8) -> bool) -> usize {
    text[from..].iter().position(|b| !inside(b)).map_or(text.len(), |n| from + n)
}
