//! BERT with weights of 8 bits: word pieces → the mean of the last layer's tokens, L2-normalised (Devlin et al. 2019). One text at a
//! time, on one thread, so that no text pays for its neighbours; callers spread texts over threads.

mod gemm;
mod linear;
mod math;

use safetensors::{SafeTensorError, SafeTensors, tensor::TensorView};

use linear::{Bytes, Linear};
pub(super) use math::gelu_all;
use math::{Attention, add_and_norm, attend};

/// Width of an attention head.
const HEAD: usize = 32;

/// The weights of a model, ready to multiply.
pub(super) struct Transformer<'a> {
    /// A row of bytes a word piece.
    words: &'a [u8],
    /// The scale of each row.
    word_scales: Vec<f32>,
    /// A row a place in the text; the token type is in it.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    width: usize,
}

/// Gain and bias of a normalisation.
struct Norm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

/// One layer.
struct Layer {
    /// To query, key and value at once.
    attention: Linear,
    mixed: Linear,
    attention_norm: Norm,
    inner: Linear,
    outer: Linear,
    norm: Norm,
}

/// Working memory of one thread, kept between texts.
#[derive(Default)]
pub(super) struct Memory {
    tokens: Vec<f32>,
    wide: Vec<f32>,
    mixed: Vec<f32>,
    more: Vec<f32>,
    bytes: Bytes,
    attention: Attention,
}

impl<'a> Transformer<'a> {
    /// Reads the file that `models/minilm/convert.py` writes.
    ///
    /// # Errors
    /// Where a tensor is missing.
    pub(super) fn read(file: &'a [u8]) -> Result<Self, SafeTensorError> {
        let file = SafeTensors::deserialize(file)?;
        let norm = |name: &str| -> Result<Norm, SafeTensorError> {
            Ok(Norm {
                gain: floats(&file.tensor(&format!("{name}.gain"))?),
                bias: floats(&file.tensor(&format!("{name}.bias"))?),
            })
        };
        let linear = |name: &str| -> Result<Linear, SafeTensorError> {
            let part = |part: &str| file.tensor(&format!("{name}.{part}"));
            let weights: Vec<i8> = part("weight")?.data().iter().map(|b| b.cast_signed()).collect();
            let [scale, bias, input] =
                [part("scale")?, part("bias")?, part("input")?].map(|tensor| floats(&tensor));
            Ok(Linear::new(&weights, scale, bias, input))
        };
        let layer = |number: usize| -> Result<Layer, SafeTensorError> {
            Ok(Layer {
                attention: linear(&format!("{number}.attention"))?,
                mixed: linear(&format!("{number}.mixed"))?,
                attention_norm: norm(&format!("{number}.attention_norm"))?,
                inner: linear(&format!("{number}.inner"))?,
                outer: linear(&format!("{number}.outer"))?,
                norm: norm(&format!("{number}.norm"))?,
            })
        };
        let count = (0..).take_while(|n| file.tensor(&format!("{n}.norm.gain")).is_ok()).count();
        let norm = norm("norm")?;
        Ok(Transformer {
            words: file.tensor("words.weight")?.data(),
            word_scales: floats(&file.tensor("words.scale")?),
            positions: floats(&file.tensor("positions")?),
            width: norm.gain.len(),
            norm,
            layers: (0..count).map(layer).collect::<Result<_, _>>()?,
        })
    }

    /// Writes the vector of a text of at least one piece.
    pub(super) fn embed(&self, pieces: &[u16], memory: &mut Memory, out: &mut [f32]) {
        let width = self.width;
        let size = pieces.len() * width;
        let Memory { tokens, wide, mixed, more, bytes, attention } = memory;
        tokens.clear();
        for piece in pieces {
            let at = usize::from(*piece);
            let row = &self.words[at * width..][..width];
            tokens.extend(row.iter().map(|b| f32::from(b.cast_signed()) * self.word_scales[at]));
        }
        mixed.resize(mixed.len().max(size), 0.0);
        more.resize(more.len().max(size), 0.0);
        self.norm.apply(tokens, &self.positions[..size]);
        for layer in &self.layers {
            let products = pieces.len() * layer.attention.outputs();
            wide.resize(wide.len().max(products), 0.0);
            layer.attention.apply(tokens, bytes, wide);
            attend::<HEAD>(&wide[..products], width, attention, &mut mixed[..size]);
            layer.mixed.apply(&mixed[..size], bytes, more);
            layer.attention_norm.apply(tokens, &more[..size]);
            let products = pieces.len() * layer.inner.outputs();
            wide.resize(wide.len().max(products), 0.0);
            layer.inner.apply(tokens, bytes, wide);
            gelu_all(&mut wide[..products]);
            layer.outer.apply(&wide[..products], bytes, more);
            layer.norm.apply(tokens, &more[..size]);
        }
        out.fill(0.0);
        for token in tokens.chunks_exact(width) {
            out.iter_mut().zip(token).for_each(|(out, value)| *out += value);
        }
        super::kernel::normalise(out);
    }
}

impl Norm {
    /// Adds and normalises.
    fn apply(&self, rows: &mut [f32], more: &[f32]) {
        add_and_norm(rows, more, &self.gain, &self.bias);
    }
}

/// The numbers of a tensor.
fn floats(tensor: &TensorView<'_>) -> Vec<f32> {
    tensor.data().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}
