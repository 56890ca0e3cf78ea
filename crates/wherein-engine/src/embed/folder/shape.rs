//! What a model's own configuration says of its shape: `config.json` as the transformers library writes it.

use serde::Deserialize;

/// How the words of a text get their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// A row a place; the first one stands at `first`.
    Learned {
        /// Rows that no place uses: RoBERTa begins after its padding.
        first: usize,
    },
    /// Turned by an angle a place (Su et al. 2021).
    Rotary {
        /// Base of the angles.
        base: f32,
    },
}

/// The shape of an encoder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) heads: usize,
    pub(super) layers: usize,
    pub(super) epsilon: f32,
    pub(super) order: Order,
    /// Places that the model has rows for, or was trained with.
    pub(super) places: usize,
}

/// `config.json`, by the names of BERT and of NomicBert.
#[derive(Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    model_type: String,
    #[serde(alias = "n_head")]
    num_attention_heads: Option<usize>,
    #[serde(alias = "n_layer")]
    num_hidden_layers: Option<usize>,
    #[serde(alias = "layer_norm_epsilon")]
    layer_norm_eps: Option<f32>,
    #[serde(alias = "n_positions")]
    max_position_embeddings: Option<usize>,
    max_trained_positions: Option<usize>,
    pad_token_id: Option<usize>,
    rotary_emb_base: Option<f32>,
    rope_parameters: Option<Rope>,
    #[serde(alias = "hidden_activation", alias = "activation_function")]
    hidden_act: Option<String>,
    /// Only model2vec writes it.
    normalize: Option<bool>,
    /// Of model2vec.
    max_length: Option<usize>,
}

#[derive(Deserialize)]
struct Rope {
    rope_theta: Option<f32>,
}

impl Config {
    /// The pieces that a static table reads; `None` where the model is none.
    pub(super) fn table(&self) -> Option<usize> {
        let is = self.model_type == "model2vec" || (self.model_type.is_empty() && self.normalize.is_some());
        is.then(|| self.max_length.unwrap_or(512))
    }

    /// The shape of an encoder of a kind that is known.
    pub(super) fn shape(&self) -> Result<Shape, String> {
        let missing = |what: &str| format!("config.json does not say {what}");
        let places = self.max_position_embeddings.ok_or_else(|| missing("max_position_embeddings"))?;
        let (order, places) = match self.model_type.as_str() {
            "bert" => (Order::Learned { first: 0 }, places),
            "roberta" | "xlm-roberta" | "camembert" => {
                let first = self.pad_token_id.unwrap_or(1) + 1;
                (Order::Learned { first }, places.saturating_sub(first))
            }
            "nomic_bert" => {
                let base = self.rotary_emb_base.or(self.rope_parameters.as_ref().and_then(|r| r.rope_theta));
                (
                    Order::Rotary { base: base.unwrap_or(10_000.0) },
                    self.max_trained_positions.unwrap_or(places),
                )
            }
            other => {
                return Err(format!(
                    "is of kind {other:?}; read are bert, roberta, xlm-roberta, nomic_bert and model2vec"
                ));
            }
        };
        let read: &[&str] =
            if matches!(order, Order::Rotary { .. }) { &["swiglu", "silu"] } else { &["gelu"] };
        if let Some(act) = self.hidden_act.as_deref().filter(|act| !read.contains(act)) {
            return Err(format!("has the activation {act:?}, which is not read"));
        }
        Ok(Shape {
            heads: self.num_attention_heads.ok_or_else(|| missing("num_attention_heads"))?,
            layers: self.num_hidden_layers.ok_or_else(|| missing("num_hidden_layers"))?,
            epsilon: self.layer_norm_eps.unwrap_or(1e-12),
            order,
            places,
        })
    }
}
