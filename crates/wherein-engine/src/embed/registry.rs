//! The models that there are, what is known of each, and what shows that it does what it should.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{IoContext, Result};

use super::folder::{Card, FolderModel, ModelKind, Pooling};
use super::minilm::{self, MiniLm};
use super::{Embedder, StaticModel, static_model};

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Vectors of everything, as it is indexed.
    Instant,
    /// Vectors that take their time.
    Deep,
    /// Scores of pairs of question and passage.
    Rerank,
}

/// A model.
#[derive(Clone, Debug, Serialize)]
pub struct ModelInfo {
    /// Its name on the command line.
    pub name: String,
    /// What it is for.
    pub tier: Tier,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Pieces of a text that it reads; all where none.
    pub max_pieces: Option<usize>,
    /// How the vectors of pieces become one.
    pub pooling: &'static str,
    /// What is put before a question.
    pub question_prefix: String,
    /// What is put before a passage.
    pub passage_prefix: String,
    /// What names its vectors in an index: those of two identities are never compared.
    pub identity: String,
    /// Bytes of its weights.
    pub bytes: u64,
    /// The licence of its weights, where that is known.
    pub licence: Option<&'static str>,
    /// Where its weights come from.
    pub source: String,
    /// Whether its settings were checked; else they are what its own files say.
    pub is_known: bool,
    /// Its folder; none for one in the program.
    pub folder: Option<PathBuf>,
}

/// A text with the vector that it should have, or the first numbers of that.
#[derive(Clone, Debug, Deserialize)]
pub struct Reference {
    /// The text.
    pub text: String,
    /// Numbers of its vector.
    #[serde(alias = "vector_first8")]
    pub vector: Vec<f32>,
}

/// The models in the program.
pub fn models() -> [ModelInfo; 2] {
    let built_in = |name: &str, tier, dimensions, pooling, identity: &str| ModelInfo {
        name: name.to_owned(),
        tier,
        dimensions,
        max_pieces: None,
        pooling,
        question_prefix: String::new(),
        passage_prefix: String::new(),
        identity: identity.to_owned(),
        bytes: 0,
        licence: None,
        source: String::new(),
        is_known: true,
        folder: None,
    };
    [
        ModelInfo {
            bytes: static_model::FILE.len() as u64,
            licence: Some("MIT OR Apache-2.0"),
            source: "built in; trained for wherein".to_owned(),
            ..built_in(
                "static-code-128",
                Tier::Instant,
                static_model::DIMENSIONS,
                "sum",
                static_model::IDENTITY,
            )
        },
        ModelInfo {
            max_pieces: Some(minilm::MAX_PIECES),
            bytes: minilm::FILE.len() as u64,
            licence: Some("Apache-2.0"),
            source: "built in; sentence-transformers/all-MiniLM-L6-v2, weights of 8 bits".to_owned(),
            ..built_in("all-minilm", Tier::Deep, minilm::DIMENSIONS, "mean", minilm::IDENTITY)
        },
    ]
}

/// What is known of a model in the program; none where there is no such model.
pub fn model(name: &str) -> Option<ModelInfo> {
    models().into_iter().find(|model| model.name == name)
}

impl ModelInfo {
    /// A model in a folder, by its card.
    pub fn of_card(folder: &Path, card: Card) -> ModelInfo {
        ModelInfo {
            identity: card.identity(),
            tier: if card.kind == ModelKind::CrossEncoder { Tier::Rerank } else { Tier::Deep },
            dimensions: card.dimensions,
            max_pieces: Some(card.max_pieces),
            pooling: match card.pooling {
                Pooling::Mean => "mean",
                Pooling::Cls => "cls",
            },
            question_prefix: card.question_prefix,
            passage_prefix: card.passage_prefix,
            bytes: std::fs::metadata(folder.join("model.safetensors")).map_or(0, |meta| meta.len()),
            licence: None,
            source: folder.display().to_string(),
            is_known: card.is_known,
            folder: Some(folder.to_path_buf()),
            name: card.name,
        }
    }

    /// Loads one that makes vectors.
    ///
    /// # Errors
    /// [`Error::Model`](crate::Error::Model) where its files are not what they should be.
    pub fn load(&self) -> Result<Arc<dyn Embedder>> {
        Ok(match (&self.folder, self.tier) {
            (Some(folder), _) => Arc::new(FolderModel::open(folder)?),
            (None, Tier::Instant) => Arc::new(StaticModel::get()),
            (None, _) => Arc::new(MiniLm::load()),
        })
    }

    /// Texts with the vectors that another implementation computed, where some came with it.
    ///
    /// # Errors
    /// Where a file of them can't be read.
    ///
    /// # Panics
    /// If a file in the binary is not what it should be, which a test rules out.
    #[expect(clippy::expect_used, reason = "the files are compiled in and a test reads them")]
    pub fn references(&self) -> Result<Vec<Reference>> {
        #[derive(Deserialize)]
        struct Cases {
            cases: Vec<Reference>,
        }
        let (of_static, of_deep) = (
            include_str!("../../models/static-code-128/golden.json"),
            include_str!("../../models/minilm/golden.json"),
        );
        Ok(match (&self.folder, self.tier) {
            (Some(folder), _) => {
                let path = folder.join(REFERENCES);
                let text = if path.is_file() {
                    std::fs::read_to_string(&path).context("read", &path)?
                } else {
                    "[]".into()
                };
                serde_json::from_str(&text).map_err(|e| super::folder::wrong(&path, &e.to_string()))?
            }
            (None, Tier::Instant) => {
                serde_json::from_str::<Cases>(of_static).expect("built-in references").cases
            }
            (None, _) => serde_json::from_str(of_deep).expect("built-in references"),
        })
    }
}

/// The file of references in a model's folder.
pub const REFERENCES: &str = "reference.json";

/// Passages of code and prose that ship with the program, to measure with.
pub fn passages() -> impl Iterator<Item = &'static str> {
    include_str!("../../models/minilm/calibration.txt").split("\n\u{c}\n")
}
