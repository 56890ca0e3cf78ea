//! The deep tier: all-MiniLM-L6-v2, compiled in with weights of 8 bits (models/minilm/README.md).

use std::cell::RefCell;
use std::sync::OnceLock;

use super::transformer::{Memory, Transformer};
use super::{Embedder, wordpiece};

pub(super) static FILE: &[u8] = include_bytes!("../../models/minilm/model.safetensors");

/// The pieces that begin and end every text.
const BEGIN: u16 = 101;
const END: u16 = 102;
/// How many pieces those are.
pub(super) const MARKS: usize = 2;
/// Pieces that the model was trained to read, those two among them; what is longer is cut.
pub(super) const MAX_PIECES: usize = 256;
/// Numbers of a vector.
pub(super) const DIMENSIONS: usize = 384;
/// Names model, weights, pooling and text form.
pub(super) const IDENTITY: &str = "all-MiniLM-L6-v2-w8/mean/path3";

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// The built-in transformer.
pub(crate) struct MiniLm {
    transformer: Transformer<'static>,
}

impl MiniLm {
    /// The one instance. The first call packs the weights: some milliseconds, and 11 MB that stay.
    ///
    /// # Panics
    /// If the file in the binary is not the model it should be, which a test rules out.
    #[expect(clippy::expect_used, reason = "the file is compiled in and a test reads it")]
    pub(crate) fn get() -> &'static MiniLm {
        static MODEL: OnceLock<MiniLm> = OnceLock::new();
        MODEL.get_or_init(|| MiniLm { transformer: Transformer::read(FILE).expect("built-in model") })
    }
}

impl Embedder for MiniLm {
    fn identity(&self) -> &'static str {
        IDENTITY
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str], out: &mut [f32]) {
        MEMORY.with_borrow_mut(|memory| {
            for (text, vector) in texts.iter().zip(out.chunks_exact_mut(self.dimensions())) {
                let mut pieces = vec![BEGIN];
                wordpiece::pieces(text, &mut pieces);
                pieces.truncate(MAX_PIECES - 1);
                pieces.push(END);
                self.transformer.embed(&pieces, memory, vector);
            }
        });
    }
}
