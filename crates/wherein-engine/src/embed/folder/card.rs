//! What is known of a model in a folder: read out of the files that came with it, completed by what is known of models of that name,
//! and kept beside them as `wherein.json`.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Error, IoContext, Result};

use super::shape::Config;

/// The file in a model's folder.
const CARD: &str = "wherein.json";
/// Weights, tokenizer, configuration: what makes a vector.
const FILES: [&str; 3] = ["model.safetensors", "tokenizer.json", "config.json"];

/// Fewer pieces are little more than the marks around a pair of texts.
const LEAST_PIECES: usize = 8;

/// What a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A transformer: texts → vectors.
    Encoder,
    /// A table of vectors.
    Table,
    /// A transformer that reads question and passage together: pairs → scores.
    CrossEncoder,
}

/// How the rows of pieces become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The first one.
    Cls,
}

/// A model in a folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Numbers of a vector; 1 for scores.
    pub dimensions: usize,
    /// How rows become a vector.
    pub pooling: Pooling,
    /// Pieces of a text that are read.
    pub max_pieces: usize,
    /// What is put before a question.
    pub question_prefix: String,
    /// What is put before a passage.
    pub passage_prefix: String,
    /// BLAKE3 of weights, tokenizer and configuration, 128 bits.
    pub checksum: String,
    /// Whether pooling, prefixes and length are those of a model that is known; else they are what its files say.
    pub is_known: bool,
}

/// A model whose settings are known.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Known {
    /// Its name here.
    pub name: &'static str,
    /// Its name on the hub.
    pub hub: &'static str,
    /// How rows become a vector.
    pub pooling: Pooling,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Pieces of a text that are read.
    pub max_pieces: usize,
    /// What is put before a question, and before a passage.
    pub prefixes: (&'static str, &'static str),
}

/// Models whose settings are known, from their own cards.
pub const KNOWN: &[Known] = &[
    known("all-minilm", "sentence-transformers/all-MiniLM-L6-v2", Pooling::Mean, (384, 256), ("", "")),
    known(
        "bge-small",
        "BAAI/bge-small-en-v1.5",
        Pooling::Cls,
        (384, 512),
        ("Represent this sentence for searching relevant passages: ", ""),
    ),
    known(
        "multilingual-minilm",
        "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        Pooling::Mean,
        (384, 128),
        ("", ""),
    ),
    known("e5-small", "intfloat/multilingual-e5-small", Pooling::Mean, (384, 512), ("query: ", "passage: ")),
    known("bge-m3", "BAAI/bge-m3", Pooling::Cls, (1024, 1024), ("", "")),
    known(
        "nomic-embed-text",
        "nomic-ai/nomic-embed-text-v1.5",
        Pooling::Mean,
        (768, 2048),
        ("search_query: ", "search_document: "),
    ),
    known("potion-code-16M", "minishlab/potion-code-16M", Pooling::Mean, (256, 512), ("", "")),
];

const fn known(
    name: &'static str,
    hub: &'static str,
    pooling: Pooling,
    (dimensions, max_pieces): (usize, usize),
    prefixes: (&'static str, &'static str),
) -> Known {
    Known { name, hub, pooling, dimensions, max_pieces, prefixes }
}

impl Known {
    /// The model of that name: ours, the hub's, or the last part of the hub's.
    pub fn find(name: &str) -> Option<&'static Known> {
        let same = |a: &str| a.eq_ignore_ascii_case(name);
        KNOWN.iter().find(|k| same(k.name) || same(k.hub) || k.hub.rsplit('/').next().is_some_and(same))
    }
}

/// `1_Pooling/config.json` of sentence-transformers.
#[derive(Default, Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    pooling_mode: Option<String>,
    #[serde(flatten)]
    others: std::collections::BTreeMap<String, serde_json::Value>,
}

/// A part of `modules.json`.
#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
}

impl Module {
    fn is_read(&self) -> bool {
        let name = self.kind.rsplit('.').next().unwrap_or_default();
        ["Transformer", "Pooling", "Normalize", "StaticEmbedding"].contains(&name)
    }
}

impl PoolingConfig {
    /// A way of pooling that is neither the mean nor the first piece.
    fn unread(&self) -> Option<&str> {
        let named = self.pooling_mode.as_deref().filter(|mode| !["mean", "cls"].contains(mode));
        let other =
            self.others.iter().find(|(name, value)| name.starts_with("pooling_mode_") && **value == true);
        named.or(other.map(|(name, _)| name.as_str()))
    }
}

/// `config_sentence_transformers.json`.
#[derive(Default, Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: std::collections::BTreeMap<String, String>,
}

/// `sentence_bert_config.json`.
#[derive(Default, Deserialize)]
struct Length {
    max_seq_length: Option<usize>,
}

impl Card {
    /// Reads a model's card.
    ///
    /// # Errors
    /// Where the folder has none or it is not as it should be.
    pub fn read(folder: &Path) -> Result<Card> {
        let path = folder.join(CARD);
        let text = std::fs::read_to_string(&path).context("read", &path)?;
        let card: Card = serde_json::from_str(&text)
            .map_err(|e| wrong(folder, &format!("{CARD} is not as it should be: {e}")))?;
        let fits = card.max_pieces >= LEAST_PIECES;
        if fits { Ok(card) } else { Err(wrong(folder, &format!("{CARD} gives it too few pieces"))) }
    }

    /// Writes it into the model's folder.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(CARD);
        let text = serde_json::to_string_pretty(self).map_err(|e| wrong(folder, &e.to_string()))?;
        std::fs::write(&path, text).context("write", &path)
    }

    /// Describes the model of a folder in the hub's layout; vectors' length is filled in by who loads it.
    ///
    /// # Errors
    /// Where a file is missing or of a kind that is not read.
    pub(super) fn describe(folder: &Path, name: &str) -> Result<Card> {
        let config = config(folder)?;
        let pooling: PoolingConfig = optional(&folder.join("1_Pooling/config.json"))?.unwrap_or_default();
        let prompts: Prompts =
            optional(&folder.join("config_sentence_transformers.json"))?.unwrap_or_default();
        let length: Length = optional(&folder.join("sentence_bert_config.json"))?.unwrap_or_default();
        let prompt =
            |names: &[&str]| names.iter().find_map(|n| prompts.prompts.get(*n)).cloned().unwrap_or_default();
        let (kind, places) = match config.table() {
            Some(pieces) => (Kind::Table, pieces),
            None => (Kind::Encoder, config.shape().map_err(|e| wrong(folder, &e))?.places),
        };
        let modules: Vec<Module> = optional(&folder.join("modules.json"))?.unwrap_or_default();
        if let Some(module) = modules.iter().find(|m| !m.is_read()) {
            return Err(wrong(folder, &format!("has a module that is not read: {}", module.kind)));
        }
        if let Some(name) = pooling.unread() {
            return Err(wrong(folder, &format!("pools its pieces by {name}; read are mean and cls")));
        }
        let is_cls = pooling.pooling_mode.as_deref().map_or_else(
            || pooling.pooling_mode_cls_token && !pooling.pooling_mode_mean_tokens,
            |mode| mode == "cls",
        );
        let known = Known::find(name);
        let max_pieces = known.map_or(length.max_seq_length.unwrap_or(512), |k| k.max_pieces).min(places);
        if max_pieces < LEAST_PIECES {
            return Err(wrong(folder, &format!("reads only {max_pieces} pieces of a text")));
        }
        Ok(Card {
            name: name.to_owned(),
            kind,
            dimensions: 0,
            pooling: known.map_or(if is_cls { Pooling::Cls } else { Pooling::Mean }, |k| k.pooling),
            max_pieces,
            question_prefix: known
                .map_or_else(|| prompt(&["query", "question"]), |k| k.prefixes.0.to_owned()),
            passage_prefix: known
                .map_or_else(|| prompt(&["document", "passage", "corpus"]), |k| k.prefixes.1.to_owned()),
            checksum: checksum(folder)?,
            is_known: known.is_some(),
        })
    }

    /// Names the vectors: model, weights, pooling, prefixes and text form.
    pub fn identity(&self) -> String {
        let Card { name, checksum, pooling, question_prefix, passage_prefix, max_pieces, .. } = self;
        let pooling = match pooling {
            Pooling::Mean => "mean",
            Pooling::Cls => "cls",
        };
        format!(
            "{name}@{checksum}/{pooling}/{max_pieces}/{question_prefix:?},{passage_prefix:?}/{}",
            super::super::TEXT_FORM
        )
    }
}

/// A model's `config.json`.
pub(super) fn config(folder: &Path) -> Result<Config> {
    let path = folder.join("config.json");
    optional(&path)?
        .ok_or_else(|| wrong(folder, "has no config.json; is it a model's folder as the hub has it?"))
}

/// A JSON file that may be missing.
fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|e| wrong(path, &e.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).context("read", path),
    }
}

fn checksum(folder: &Path) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    for name in FILES {
        let path = folder.join(name);
        let mut file = std::fs::File::open(&path).context("open", &path)?;
        std::io::copy(&mut file, &mut hasher).context("read", &path)?;
    }
    Ok(hasher.finalize().to_hex()[..32].to_owned())
}

pub(in super::super) fn wrong(folder: &Path, message: &str) -> Error {
    Error::Model { model: folder.display().to_string(), message: message.to_owned() }
}
