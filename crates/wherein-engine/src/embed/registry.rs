//! The models that there are, what is known of each, and what shows that it does what it should.

use serde::{Deserialize, Serialize};

use super::{Embedder, MiniLm, StaticModel, minilm, static_model};

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Vectors of everything, as it is indexed.
    Instant,
    /// Vectors that take their time.
    Deep,
}

/// A model.
#[derive(Clone, Debug, Serialize)]
pub struct ModelInfo {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for.
    pub tier: Tier,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Pieces of a text that it reads; all where none.
    pub max_pieces: Option<usize>,
    /// How the vectors of pieces become one.
    pub pooling: &'static str,
    /// What names its vectors in an index: those of two identities are never compared.
    pub identity: String,
    /// Bytes of its weights.
    pub bytes: usize,
    /// The licence of its weights.
    pub licence: &'static str,
    /// Where its weights come from.
    pub source: &'static str,
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
    [
        ModelInfo {
            name: "static-code-128",
            tier: Tier::Instant,
            dimensions: static_model::DIMENSIONS,
            max_pieces: None,
            pooling: "sum",
            identity: StaticModel::get().identity().to_owned(),
            bytes: static_model::FILE.len(),
            licence: "MIT OR Apache-2.0",
            source: "built in; trained for wherein",
        },
        ModelInfo {
            name: "all-minilm",
            tier: Tier::Deep,
            dimensions: minilm::DIMENSIONS,
            max_pieces: Some(minilm::MAX_PIECES),
            pooling: "mean",
            identity: minilm::IDENTITY.to_owned(),
            bytes: minilm::FILE.len(),
            licence: "Apache-2.0",
            source: "built in; sentence-transformers/all-MiniLM-L6-v2, weights of 8 bits",
        },
    ]
}

/// What is known of a model; none where there is no such model.
pub fn model(name: &str) -> Option<ModelInfo> {
    models().into_iter().find(|model| model.name == name)
}

impl ModelInfo {
    /// Loads it.
    pub fn load(&self) -> &'static dyn Embedder {
        match self.tier {
            Tier::Instant => StaticModel::get(),
            Tier::Deep => MiniLm::get(),
        }
    }

    /// How many pieces of a text it reads.
    pub fn pieces(&self, text: &str) -> usize {
        let count = super::counter(self.tier == Tier::Deep)(text);
        self.max_pieces.map_or(count, |most| most.min(count + minilm::MARKS))
    }

    /// Texts with the vectors that another implementation computed.
    ///
    /// # Panics
    /// If a file in the binary is not what it should be, which a test rules out.
    #[expect(clippy::expect_used, reason = "the files are compiled in and a test reads them")]
    pub fn references(&self) -> Vec<Reference> {
        #[derive(Deserialize)]
        struct Cases {
            cases: Vec<Reference>,
        }
        let (of_static, of_deep) = (
            include_str!("../../models/static-code-128/golden.json"),
            include_str!("../../models/minilm/golden.json"),
        );
        match self.tier {
            Tier::Instant => serde_json::from_str::<Cases>(of_static).expect("built-in references").cases,
            Tier::Deep => serde_json::from_str(of_deep).expect("built-in references"),
        }
    }
}

/// Passages of code and prose that ship with the program, to measure with.
pub fn passages() -> impl Iterator<Item = &'static str> {
    include_str!("../../models/minilm/calibration.txt").split("\n\u{c}\n")
}
