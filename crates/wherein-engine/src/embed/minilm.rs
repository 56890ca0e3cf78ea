//! The deep tier: all-MiniLM-L6-v2, compiled in with weights of 8 bits (models/minilm/README.md).

use std::sync::{Mutex, PoisonError};

use super::transformer::{Memory, Transformer};
use super::{Embedder, Role, wordpiece};
use crate::error::Result;

pub(super) static FILE: &[u8] = include_bytes!("../../models/minilm/model.safetensors");

/// The pieces that begin and end every text.
const BEGIN: u16 = 101;
const END: u16 = 102;
/// How many pieces those are.
const MARKS: usize = 2;
/// Pieces that the model was trained to read, those two among them; what is longer is cut.
pub(super) const MAX_PIECES: usize = 256;
/// Numbers of a vector.
pub(super) const DIMENSIONS: usize = 384;
/// Names model, weights, pooling and text form.
pub(super) const IDENTITY: &str = "all-MiniLM-L6-v2-w8/mean/path3-trail";

/// The built-in transformer.
pub(crate) struct MiniLm {
    transformer: Transformer<'static>,
    /// Working memory of as many texts as were embedded at once.
    memories: Mutex<Vec<Memory>>,
}

impl MiniLm {
    /// Packs the weights: some milliseconds, and 11 MB.
    ///
    /// # Panics
    /// If the file in the binary is not the model it should be, which a test rules out.
    #[expect(clippy::expect_used, reason = "the file is compiled in and a test reads it")]
    pub(crate) fn load() -> MiniLm {
        let transformer = Transformer::read(FILE).expect("built-in model");
        MiniLm { transformer, memories: Mutex::default() }
    }
}

impl Embedder for MiniLm {
    fn identity(&self) -> &'static str {
        IDENTITY
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn pieces(&self, text: &str) -> Option<usize> {
        Some((wordpiece::count(text) + MARKS).min(MAX_PIECES))
    }

    fn embed(&self, _role: Role, texts: &[&str], out: &mut [f32]) -> Result<()> {
        let memories = || self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        let mut memory = memories().pop().unwrap_or_default();
        for (text, vector) in texts.iter().zip(out.chunks_exact_mut(DIMENSIONS)) {
            let mut pieces = vec![BEGIN];
            wordpiece::pieces(text, &mut pieces);
            pieces.truncate(MAX_PIECES - 1);
            pieces.push(END);
            self.transformer.embed(&pieces, &mut memory, vector);
        }
        memories().push(memory);
        Ok(())
    }
}
