//! Encoders in floats: BERT (Devlin et al. 2019), RoBERTa and XLM-RoBERTa, which differ in places only, and NomicBert (rotary
//! places, gated layers). Made to be right for any shape; the built-in model has a faster pass of its own.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, s};

use crate::error::Result;

use super::super::transformer::gelu_all;
use super::shape::{Order, Shape};
use super::weights::Weights;

/// An encoder: pieces → a row of numbers a piece.
pub(super) struct Encoder {
    shape: Shape,
    words: Array2<f32>,
    /// A row a place; none where places are turned.
    places: Option<Array2<f32>>,
    /// The row of the first kind of text.
    kind: Option<Array2<f32>>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Outputs by inputs, and what is added.
pub(super) struct Linear {
    weights: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    gain: Array1<f32>,
    bias: Array1<f32>,
    epsilon: f32,
}

struct Layer {
    /// To query, key and value at once.
    attention: Linear,
    mixed: Linear,
    attention_norm: Norm,
    inner: Linear,
    gate: Option<Linear>,
    outer: Linear,
    norm: Norm,
}

/// Names of a layer's tensors.
struct Names {
    attention: &'static [&'static str],
    mixed: &'static str,
    attention_norm: &'static str,
    inner: &'static str,
    gate: Option<&'static str>,
    outer: &'static str,
    norm: &'static str,
}

const BERT: Names = Names {
    attention: &["attention.self.query", "attention.self.key", "attention.self.value"],
    mixed: "attention.output.dense",
    attention_norm: "attention.output.LayerNorm",
    inner: "intermediate.dense",
    gate: None,
    outer: "output.dense",
    norm: "output.LayerNorm",
};

const NOMIC: Names = Names {
    attention: &["attn.Wqkv"],
    mixed: "attn.out_proj",
    attention_norm: "norm1",
    inner: "mlp.fc11",
    gate: Some("mlp.fc12"),
    outer: "mlp.fc2",
    norm: "norm2",
};

impl Encoder {
    /// Takes an encoder of this shape out of a file.
    pub(super) fn read(shape: Shape, weights: &Weights<'_>) -> Result<Encoder> {
        let rotary = matches!(shape.order, Order::Rotary { .. });
        let (names, layer, norm) = if rotary {
            (NOMIC, "encoder.layers", "emb_ln")
        } else {
            (BERT, "encoder.layer", "embeddings.LayerNorm")
        };
        let optional = |name: &str| weights.has(name).then(|| weights.matrix(name)).transpose();
        let out = Encoder {
            words: weights.matrix("embeddings.word_embeddings.weight")?,
            places: optional("embeddings.position_embeddings.weight")?,
            kind: optional("embeddings.token_type_embeddings.weight")?,
            norm: Norm::read(weights, norm, shape.epsilon)?,
            layers: (0..shape.layers)
                .map(|n| Layer::read(weights, &names, &format!("{layer}.{n}"), shape.epsilon))
                .collect::<Result<_>>()?,
            shape,
        };
        if out.fits() { Ok(out) } else { Err(weights.unfit("its tensors do not fit each other")) }
    }

    /// Whether all sizes fit, so that nothing can go wrong later.
    fn fits(&self) -> bool {
        let (width, heads) = (self.width(), self.shape.heads);
        let tables = [self.places.as_ref(), self.kind.as_ref()];
        let learned = matches!(self.shape.order, Order::Learned { .. });
        width > 0
            && heads.checked_mul(2).is_some_and(|two| two > 0 && width % two == 0)
            && self.places.is_some() == learned
            && tables.into_iter().flatten().all(|table| table.ncols() == width)
            && self.norm.fits(width)
            && self.layers.iter().all(|layer| layer.fits(width))
    }

    /// Numbers of a row.
    pub(super) fn width(&self) -> usize {
        self.words.ncols()
    }

    /// A row for each piece. Pieces that the model does not know are all zeros before the first layer.
    pub(super) fn run(&self, pieces: &[u32], kinds: &[u32]) -> Array2<f32> {
        let mut rows = Array2::zeros((pieces.len(), self.width()));
        for (place, (mut row, piece)) in rows.rows_mut().into_iter().zip(pieces).enumerate() {
            let first = match self.shape.order {
                Order::Learned { first } => first,
                Order::Rotary { .. } => 0,
            };
            let kind = kinds.get(place).map_or(0, |kind| *kind as usize);
            let parts = [
                Some((&self.words, *piece as usize)),
                self.places.as_ref().map(|places| (places, place + first)),
                self.kind.as_ref().map(|table| (table, kind)),
            ];
            for (table, at) in parts.into_iter().flatten().filter(|(table, at)| *at < table.nrows()) {
                row += &table.row(at);
            }
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            layer.run(&mut rows, &self.shape);
        }
        rows
    }
}

impl Layer {
    fn read(weights: &Weights<'_>, names: &Names, layer: &str, epsilon: f32) -> Result<Layer> {
        let name = |part: &str| format!("{layer}.{part}");
        let linear = |part: &str| Linear::read(weights, &name(part));
        let parts: Vec<Linear> = names.attention.iter().map(|part| linear(part)).collect::<Result<_>>()?;
        Ok(Layer {
            attention: Linear::beside(parts)
                .ok_or_else(|| weights.unfit(&format!("{layer} is no attention")))?,
            mixed: linear(names.mixed)?,
            attention_norm: Norm::read(weights, &name(names.attention_norm), epsilon)?,
            inner: linear(names.inner)?,
            gate: names.gate.map(linear).transpose()?,
            outer: linear(names.outer)?,
            norm: Norm::read(weights, &name(names.norm), epsilon)?,
        })
    }

    fn fits(&self, width: usize) -> bool {
        let between = self.inner.bias.len();
        self.attention.fits(width, 3 * width)
            && self.mixed.fits(width, width)
            && self.inner.fits(width, between)
            && self.gate.as_ref().is_none_or(|gate| gate.fits(width, between))
            && self.outer.fits(between, width)
            && self.attention_norm.fits(width)
            && self.norm.fits(width)
    }

    fn run(&self, rows: &mut Array2<f32>, shape: &Shape) {
        let mut all = self.attention.apply(&rows.view());
        *rows += &self.mixed.apply(&attend(&mut all, shape).view());
        self.attention_norm.apply(rows);
        let mut inner = self.inner.apply(&rows.view());
        match &self.gate {
            Some(gate) => {
                inner.zip_mut_with(&gate.apply(&rows.view()), |x, gate| *x *= gate / (1.0 + (-gate).exp()));
            }
            None => {
                if let Some(values) = inner.as_slice_mut() {
                    gelu_all(values);
                }
            }
        }
        *rows += &self.outer.apply(&inner.view());
        self.norm.apply(rows);
    }
}

/// Attention over rows of queries, keys and values.
fn attend(all: &mut Array2<f32>, shape: &Shape) -> Array2<f32> {
    let width = all.ncols() / 3;
    let size = width / shape.heads;
    let mut out = Array2::zeros((all.nrows(), width));
    for head in (0..width).step_by(size) {
        if let Order::Rotary { base } = shape.order {
            for start in [head, width + head] {
                turn(all.slice_mut(s![.., start..start + size]), base);
            }
        }
        let part = |at: usize| all.slice(s![.., at * width + head..at * width + head + size]);
        let mut scores = part(0).dot(&part(1).t());
        scores *= (size as f32).sqrt().recip();
        for mut row in scores.rows_mut() {
            let most = row.fold(f32::MIN, |most, x| most.max(*x));
            row.mapv_inplace(|x| (x - most).exp());
            let sum = row.sum();
            row /= sum;
        }
        out.slice_mut(s![.., head..head + size]).assign(&scores.dot(&part(2)));
    }
    out
}

/// Turns each row by its place: number i with number i + half, by place / base^(2i / size).
fn turn(mut rows: ArrayViewMut2<'_, f32>, base: f32) {
    let half = rows.ncols() / 2;
    for (place, mut row) in rows.rows_mut().into_iter().enumerate() {
        for i in 0..half {
            let angle = place as f32 * base.powf(-(i as f32) / half as f32);
            let (sin, cos) = angle.sin_cos();
            let (a, b) = (row[i], row[i + half]);
            (row[i], row[i + half]) = (a * cos - b * sin, b * cos + a * sin);
        }
    }
}

impl Linear {
    pub(super) fn read(weights: &Weights<'_>, name: &str) -> Result<Linear> {
        let matrix = weights.matrix(&format!("{name}.weight"))?;
        let bias = weights.vector_or_zeros(&format!("{name}.bias"), matrix.nrows())?;
        Ok(Linear { weights: matrix, bias })
    }

    /// One whose name has no prefix.
    pub(super) fn named(weights: &Weights<'_>, name: &str) -> Result<Linear> {
        let matrix = weights.named_matrix(&format!("{name}.weight"))?;
        Ok(Linear { weights: matrix, bias: weights.named_vector(&format!("{name}.bias"))? })
    }

    /// Several with the same inputs as one; `None` where their inputs differ.
    fn beside(parts: Vec<Linear>) -> Option<Linear> {
        parts.into_iter().try_fold(None, |all: Option<Linear>, part| {
            let Some(mut all) = all else { return Some(Some(part)) };
            all.weights.append(Axis(0), part.weights.view()).ok()?;
            all.bias.append(Axis(0), part.bias.view()).ok()?;
            Some(Some(all))
        })?
    }

    pub(super) fn fits(&self, inputs: usize, outputs: usize) -> bool {
        self.weights.dim() == (outputs, inputs) && self.bias.len() == outputs
    }

    pub(super) fn apply(&self, rows: &ArrayView2<'_, f32>) -> Array2<f32> {
        rows.dot(&self.weights.t()) + &self.bias
    }
}

impl Norm {
    fn read(weights: &Weights<'_>, name: &str, epsilon: f32) -> Result<Norm> {
        let (gain, bias) =
            (weights.vector(&format!("{name}.weight"))?, weights.vector(&format!("{name}.bias"))?);
        Ok(Norm { gain, bias, epsilon })
    }

    fn fits(&self, width: usize) -> bool {
        self.gain.len() == width && self.bias.len() == width
    }

    fn apply(&self, rows: &mut Array2<f32>) {
        for mut row in rows.rows_mut() {
            let mean = row.mean().unwrap_or_default();
            row -= mean;
            let variance = row.fold(0.0, |sum, x| sum + x * x) / row.len().max(1) as f32;
            row *= (variance + self.epsilon).sqrt().recip();
            row *= &self.gain;
            row += &self.bias;
        }
    }
}
