//! Text → vectors, and text → counts of word pieces. It owns the models; it knows neither chunks nor indexes.

mod deep;
mod folder;
mod kernel;
mod minilm;
mod pieces;
mod registry;
mod scale;
mod server;
mod static_model;
mod transformer;
mod wordpiece;

use crate::error::Result;
use crate::types::{Chunk, Kind};

pub(crate) use deep::{deep, deep_identity, question, reranker};
pub use folder::{Card, CrossEncoder, FolderModel, KNOWN, Known, ModelKind, Pooling, describe};
pub use registry::{ModelInfo, REFERENCES, Reference, Tier, model, models, passages};
pub(crate) use scale::{QUESTIONS, Scale};
pub use static_model::StaticModel;

/// Names the form in which a passage's text is embedded ([`passage`]): part of every identity.
const TEXT_FORM: &str = "path3-trail";

/// What a text is to a model: some were trained with other words before a question than before a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What is asked.
    Question,
    /// What may answer it.
    Passage,
}

/// Something that turns texts into vectors of one length.
///
/// Texts of one call are independent: a vector never depends on its neighbours in the batch.
pub trait Embedder: Send + Sync {
    /// Names model, weights, pooling and text form. Vectors of two identities are never compared.
    fn identity(&self) -> &str;

    /// Length of a vector.
    fn dimensions(&self) -> usize;

    /// How many pieces of a text it reads, where it can tell.
    fn pieces(&self, text: &str) -> Option<usize>;

    /// How many texts a call is best given.
    fn batch(&self) -> usize {
        8
    }

    /// Writes the L2-normalised vector of each text into `out`, one after another; `out` holds
    /// `texts.len() × dimensions()` numbers. A text without any known piece gives zeros.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) where a model outside this process fails.
    fn embed(&self, role: Role, texts: &[&str], out: &mut [f32]) -> Result<()>;

    /// The vector of one text.
    ///
    /// # Errors
    /// As [`Self::embed`].
    fn vector(&self, role: Role, text: &str) -> Result<Vec<f32>> {
        let mut out = vec![0.0; self.dimensions()];
        self.embed(role, &[text], &mut out)?;
        Ok(out)
    }
}

/// Counts word pieces as the model counts them that embeds such a text: the transformer for prose, the static table for the rest.
pub fn counter(prose: bool) -> &'static (dyn Fn(&str) -> usize + Sync) {
    if prose { &wordpiece::count } else { &StaticModel::count }
}

/// The text under which a chunk is embedded: the last three parts of its path, then the headings above it or the definition that
/// it is a further window of, then itself.
pub fn passage(path: &str, chunk: &Chunk, text: &str) -> String {
    let tail = path.rmatch_indices('/').nth(2).map_or(path, |(at, _)| &path[at + 1..]);
    let mut out = String::with_capacity(tail.len() + text.len() + 100);
    out.push_str(tail);
    out.push('\n');
    if chunk.kind == Kind::Section {
        out.push_str(&chunk.trail.join(" > "));
        out.push('\n');
    } else if let Some(signature) = &chunk.signature {
        out.push_str(signature);
        out.push('\n');
    }
    out.push_str(text);
    out
}

#[cfg(test)]
mod tests;
