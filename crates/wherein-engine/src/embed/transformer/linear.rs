//! A linear layer with weights of 8 bits: rows are brought to bytes, multiplied exactly, and brought back.

use super::gemm::{self, Packed, TILE};
use super::math::{Quantised, quantise};

/// A linear layer.
pub(super) struct Linear {
    weights: Packed,
    /// Scale of each output's weights.
    scales: Vec<f32>,
    /// Sum of each output's weights: what the zero of a row adds to every product.
    sums: Vec<i32>,
    bias: Vec<f32>,
    /// What each input is multiplied by before it becomes a byte; the weights hold the inverse.
    input: Vec<f32>,
}

/// The bytes of the rows that a layer works on.
#[derive(Default)]
pub(super) struct Bytes {
    bytes: Vec<u8>,
    how: Vec<Quantised>,
}

impl Linear {
    /// A layer of `scales.len()` outputs, its weights in rows of `input.len()`.
    pub(super) fn new(weights: &[i8], scales: Vec<f32>, bias: Vec<f32>, input: Vec<f32>) -> Linear {
        let inputs = input.len();
        let sums = weights.chunks_exact(inputs).map(|row| row.iter().map(|w| i32::from(*w)).sum()).collect();
        Linear { weights: Packed::new(weights, inputs, scales.len()), scales, sums, bias, input }
    }

    /// Numbers of a row of results.
    pub(super) fn outputs(&self) -> usize {
        self.weights.outputs()
    }

    /// Writes a row of results for each row.
    pub(super) fn apply(&self, rows: &[f32], memory: &mut Bytes, out: &mut [f32]) {
        let (inputs, outputs) = (self.weights.inputs(), self.weights.outputs());
        let count = rows.len() / inputs;
        memory.bytes.resize(memory.bytes.len().max(rows.len()), 0);
        memory.how.resize(memory.how.len().max(count), Quantised::default());
        quantise(rows, &self.input, &mut memory.bytes[..rows.len()], &mut memory.how[..count]);
        gemm::multiply(&memory.bytes, count, &self.weights, |row, output, sums| {
            let range = output..output + TILE;
            let (scales, zeros, bias) =
                (&self.scales[range.clone()], &self.sums[range.clone()], &self.bias[range]);
            for (at, sums) in sums.iter().enumerate() {
                let how = memory.how[row + at];
                let out = &mut out[(row + at) * outputs + output..][..TILE];
                for i in 0..TILE {
                    let product = (sums[i] - how.zero * zeros[i]) as f32;
                    out[i] = product * (how.scale * scales[i]) + bias[i];
                }
            }
        });
    }
}
