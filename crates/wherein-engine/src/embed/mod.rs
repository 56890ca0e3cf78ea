//! Text → vectors, and text → counts of word pieces. It owns the models; it knows neither chunks nor indexes.

mod kernel;
mod minilm;
mod pieces;
mod registry;
mod static_model;
mod transformer;
mod wordpiece;

pub(crate) use minilm::MiniLm;
pub use registry::{ModelInfo, Reference, Tier, model, models, passages};
pub use static_model::StaticModel;

/// Something that turns texts into vectors of one length.
///
/// The static table is the first; a transformer is the second. Texts of one call are independent: a vector never
/// depends on its neighbours in the batch.
pub trait Embedder: Send + Sync {
    /// Names model, pooling and text form. Vectors of two identities are never compared.
    fn identity(&self) -> &str;

    /// Length of a vector.
    fn dimensions(&self) -> usize;

    /// Writes the L2-normalised vector of each text into `out`, one after another; `out` holds
    /// `texts.len() × dimensions()` numbers. A text without any known piece gives zeros.
    fn embed(&self, texts: &[&str], out: &mut [f32]);
}

/// Counts word pieces as the model counts them that embeds such a text: the transformer for prose, the static table for the rest.
pub fn counter(prose: bool) -> &'static (dyn Fn(&str) -> usize + Sync) {
    if prose { &wordpiece::count } else { &StaticModel::count }
}

/// The text under which a chunk is embedded: the last three parts of its path, then the definition it belongs to, then itself.
pub fn passage(path: &str, signature: Option<&str>, text: &str) -> String {
    let tail = path.rmatch_indices('/').nth(2).map_or(path, |(at, _)| &path[at + 1..]);
    let signature = signature.unwrap_or("");
    let mut out = String::with_capacity(tail.len() + signature.len() + text.len() + 2);
    out.push_str(tail);
    out.push('\n');
    if !signature.is_empty() {
        out.push_str(signature);
        out.push('\n');
    }
    out.push_str(text);
    out
}

#[cfg(test)]
mod tests;
