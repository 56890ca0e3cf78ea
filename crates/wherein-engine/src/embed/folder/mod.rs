//! Models in folders, as the hub has them: `config.json`, `tokenizer.json`, `model.safetensors`, and what sentence-transformers
//! puts beside them. It reads files; it fetches nothing.

mod card;
mod encoder;
mod shape;
mod table;
mod weights;

use std::path::Path;

use ndarray::Array1;
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use crate::error::Result;

use super::{Embedder, Role};
use card::config;
use encoder::{Encoder, Linear};
use table::Table;
use weights::{WeightFile, Weights};

pub(super) use card::wrong;
pub use card::{Card, KNOWN, Kind as ModelKind, Known, Pooling};

/// A model that makes vectors.
pub struct FolderModel {
    identity: String,
    card: Card,
    tokenizer: Tokenizer,
    weights: Making,
}

/// What turns pieces into numbers.
enum Making {
    Encoder(Box<Encoder>),
    Table(Table),
}

/// A model that scores pairs of question and passage.
pub struct CrossEncoder {
    tokenizer: Tokenizer,
    encoder: Encoder,
    head: Head,
}

/// From the first row to a score.
struct Head {
    dense: Option<Linear>,
    last: Linear,
}

impl FolderModel {
    /// Loads a model that has a card.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) where its files are not what they should be.
    pub fn open(folder: &Path) -> Result<FolderModel> {
        Self::load(folder, Card::read(folder)?)
    }

    fn load(folder: &Path, card: Card) -> Result<FolderModel> {
        if card.kind == ModelKind::CrossEncoder {
            return Err(wrong(Path::new(&card.name), "gives scores, not vectors; it is for --rerank"));
        }
        let file = WeightFile::read(&folder.join("model.safetensors"))?;
        let weights = file.weights()?;
        let making = match card.kind {
            ModelKind::Table => Making::Table(Table::read(&weights)?),
            _ => Making::Encoder(Box::new(encoder(folder, &weights)?)),
        };
        let tokenizer = tokenizer(folder, card.max_pieces)?;
        Ok(FolderModel { identity: card.identity(), tokenizer, weights: making, card })
    }

    fn one(&self, role: Role, text: &str) -> Result<Array1<f32>> {
        let prefix = match role {
            Role::Question => &self.card.question_prefix,
            Role::Passage => &self.card.passage_prefix,
        };
        // A table has no marks before and after a text.
        let with_marks = matches!(self.weights, Making::Encoder(_));
        let pieces = encode(&self.tokenizer, format!("{prefix}{text}"), with_marks, &self.card.name)?;
        Ok(match &self.weights {
            Making::Table(table) => {
                let unknown = self.tokenizer.token_to_id("[UNK]");
                let known: Vec<u32> =
                    pieces.get_ids().iter().copied().filter(|id| Some(*id) != unknown).collect();
                table.mean(&known)
            }
            Making::Encoder(encoder) => {
                let rows = encoder.run(pieces.get_ids(), pieces.get_type_ids());
                let mean = || rows.mean_axis(ndarray::Axis(0));
                let pooled = match self.card.pooling {
                    Pooling::Cls => rows.rows().into_iter().next().map(|row| row.to_owned()),
                    Pooling::Mean => mean(),
                };
                pooled.unwrap_or_else(|| Array1::zeros(encoder.width()))
            }
        })
    }
}

impl Embedder for FolderModel {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn dimensions(&self) -> usize {
        match &self.weights {
            Making::Encoder(encoder) => encoder.width(),
            Making::Table(table) => table.width(),
        }
    }

    fn pieces(&self, text: &str) -> Option<usize> {
        let is_encoder = matches!(self.weights, Making::Encoder(_));
        encode(&self.tokenizer, text, is_encoder, &self.card.name).ok().map(|pieces| pieces.len())
    }

    fn embed(&self, role: Role, texts: &[&str], out: &mut [f32]) -> Result<()> {
        for (text, out) in texts.iter().zip(out.chunks_exact_mut(self.dimensions())) {
            let vector = self.one(role, text)?;
            out.iter_mut().zip(&vector).for_each(|(out, value)| *out = *value);
            super::kernel::normalise(out);
        }
        Ok(())
    }
}

impl CrossEncoder {
    /// Loads a model that has a card.
    ///
    /// # Errors
    /// As [`FolderModel::open`].
    pub fn open(folder: &Path) -> Result<CrossEncoder> {
        Self::load(folder, &Card::read(folder)?)
    }

    fn load(folder: &Path, card: &Card) -> Result<CrossEncoder> {
        if card.kind != ModelKind::CrossEncoder {
            return Err(wrong(
                Path::new(&card.name),
                "makes vectors; a reranker reads question and passage together",
            ));
        }
        let file = WeightFile::read(&folder.join("model.safetensors"))?;
        let weights = file.weights()?;
        let encoder = encoder(folder, &weights)?;
        let head = Head::read(&weights, encoder.width())?;
        Ok(CrossEncoder { tokenizer: tokenizer(folder, card.max_pieces)?, encoder, head })
    }

    /// How well a passage answers a question: log odds.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) where the texts can't be cut into pieces.
    pub fn score(&self, question: &str, passage: &str) -> Result<f32> {
        let pieces =
            encode(&self.tokenizer, (question.to_owned(), passage.to_owned()), true, "cross-encoder")?;
        let rows = self.encoder.run(pieces.get_ids(), pieces.get_type_ids());
        let first = rows.slice(ndarray::s![..rows.nrows().min(1), ..]);
        let first = match &self.head.dense {
            Some(dense) => dense.apply(&first).mapv_into(f32::tanh),
            None => first.to_owned(),
        };
        Ok(self.head.last.apply(&first.view()).first().copied().unwrap_or_default())
    }
}

impl Head {
    /// BERT's pooler and classifier, or RoBERTa's two layers.
    fn read(weights: &Weights<'_>, width: usize) -> Result<Head> {
        let head = if weights.has("pooler.dense.weight") {
            Head {
                dense: Some(Linear::read(weights, "pooler.dense")?),
                last: Linear::named(weights, "classifier")?,
            }
        } else {
            Head {
                dense: Some(Linear::named(weights, "classifier.dense")?),
                last: Linear::named(weights, "classifier.out_proj")?,
            }
        };
        let fits =
            head.dense.as_ref().is_none_or(|dense| dense.fits(width, width)) && head.last.fits(width, 1);
        if fits { Ok(head) } else { Err(weights.unfit("its head gives no single score")) }
    }
}

/// Describes the model of a folder in the hub's layout, under a name, by loading it.
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) where its files are not what they should be, and says which.
pub fn describe(folder: &Path, name: &str) -> Result<Card> {
    let mut card = Card::describe(folder, name)?;
    let file = WeightFile::read(&folder.join("model.safetensors"))?;
    let is_cross = file.weights()?.has_head();
    drop(file);
    if is_cross {
        card.kind = ModelKind::CrossEncoder;
        card.dimensions = 1;
    } else {
        let model = FolderModel::load(folder, card.clone())?;
        card.dimensions = model.dimensions();
        let wanted = Known::find(name).map_or(card.dimensions, |known| known.dimensions);
        if wanted != card.dimensions {
            let message = format!("has vectors of {} numbers, but {name} has {wanted}", card.dimensions);
            return Err(wrong(folder, &message));
        }
        model.vector(Role::Passage, "A text to see that it runs.")?;
    }
    Ok(card)
}

fn encoder(folder: &Path, weights: &Weights<'_>) -> Result<Encoder> {
    Encoder::read(config(folder)?.shape().map_err(|e| wrong(folder, &e))?, weights)
}

fn tokenizer(folder: &Path, max_pieces: usize) -> Result<Tokenizer> {
    let path = folder.join("tokenizer.json");
    let failed = |error: tokenizers::Error| wrong(&path, &error.to_string());
    let mut tokenizer = Tokenizer::from_file(&path).map_err(failed)?;
    tokenizer.with_padding(None);
    let truncation = TruncationParams { max_length: max_pieces, ..TruncationParams::default() };
    tokenizer.with_truncation(Some(truncation)).map_err(failed)?;
    Ok(tokenizer)
}

fn encode<'s>(
    tokenizer: &Tokenizer,
    text: impl Into<tokenizers::EncodeInput<'s>>,
    with_marks: bool,
    model: &str,
) -> Result<Encoding> {
    tokenizer.encode(text, with_marks).map_err(|error| wrong(Path::new(model), &error.to_string()))
}

#[cfg(test)]
mod tests;
