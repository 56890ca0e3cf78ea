//! What a transformer computes between its products, in plain Rust that the compiler vectorises: compiled for the baseline, for
//! AVX2 and for AVX-512, chosen at run time.

use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Added to a variance.
const EPSILON: f32 = 1e-12;

/// Numbers that are summed side by side, since a sum in one waits for every addition.
const LANES: usize = 16;

/// Adding and taking away this rounds to a whole number, which the last bits of the sum hold.
const ROUND: f32 = 12_582_912.0;

/// a × b + c: rounded once where the machine does that as fast, since what stands in for it elsewhere is a slow call.
#[inline(always)]
fn add_product(is_fused: bool, a: f32, b: f32, c: f32) -> f32 {
    if is_fused { a.mul_add(b, c) } else { a * b + c }
}

/// e to the x for x ≤ 0; what is too small for a number is 0. Relative error below 2⁻²² (coefficients: Cephes, expf).
#[inline(always)]
fn exp(is_fused: bool, x: f32) -> f32 {
    let fma = |a, b, c| add_product(is_fused, a, b, c);
    let x = x.max(-87.0);
    let shifted = fma(x, std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    // ln 2 in two parts.
    let rest = fma(whole, 2.121_944_4e-4, fma(whole, -0.693_359_4, x));
    let mut sum = 1.987_569_2e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5] {
        sum = fma(sum, rest, coefficient);
    }
    let fraction = fma(rest * rest, sum, rest) + 1.0;
    fraction * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

/// x Φ(x), with the error function of Abramowitz and Stegun 7.1.26, error below 2e-7.
#[inline(always)]
fn gelu(is_fused: bool, x: f32) -> f32 {
    let fma = |a, b, c| add_product(is_fused, a, b, c);
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / fma(z, 0.327_591_1, 1.0);
    let mut sum = 1.061_405_4;
    for coefficient in [-1.453_152_1, 1.421_413_8, -0.284_496_72, 0.254_829_6] {
        sum = fma(sum, t, coefficient);
    }
    // Half of 1 - erf(z).
    let tail = 0.5 * sum * t * exp(is_fused, -z * z);
    x * if x > 0.0 { 1.0 - tail } else { tail }
}

#[inline(always)]
fn sum(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (blocks, rest) = values.as_chunks::<LANES>();
    for block in blocks {
        for (lane, value) in lanes.iter_mut().zip(block) {
            *lane += term(*value);
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|v| term(*v)).sum::<f32>()
}

/// GELU of each number.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+fma", "x86_64+avx2+fma"))]
pub(in super::super) fn gelu_all(values: &mut [f32]) {
    for value in values {
        *value = gelu(target_cfg_f!(target_feature = "fma"), *value);
    }
}

/// Adds `more` to each row of `rows` and brings it to mean 0 and deviation 1, times `gain`, plus `bias`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+fma", "x86_64+avx2+fma"))]
pub(super) fn add_and_norm(rows: &mut [f32], more: &[f32], gain: &[f32], bias: &[f32]) {
    let width = gain.len();
    for (row, more) in rows.chunks_exact_mut(width).zip(more.chunks_exact(width)) {
        for (value, more) in row.iter_mut().zip(more) {
            *value += more;
        }
        let mean = sum(row, |v| v) / width as f32;
        let variance = sum(row, |v| (v - mean) * (v - mean)) / width as f32;
        let factor = 1.0 / (variance + EPSILON).sqrt();
        for ((value, gain), bias) in row.iter_mut().zip(gain).zip(bias) {
            *value = (*value - mean) * factor * gain + bias;
        }
    }
}

/// How a row was brought to bytes: value ≈ (byte − zero) × scale.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quantised {
    pub(super) scale: f32,
    pub(super) zero: i32,
}

/// Brings rows, times `input` channel by channel, to bytes from their least to their largest value; 0 is always one of the values.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512dq+fma", "x86_64+avx2+fma"))]
pub(super) fn quantise(rows: &[f32], input: &[f32], bytes: &mut [u8], how: &mut [Quantised]) {
    let width = input.len();
    let rows = rows.chunks_exact(width).zip(bytes.chunks_exact_mut(width));
    for ((row, bytes), how) in rows.zip(how) {
        let (mut least, mut most) = ([0f32; LANES], [0f32; LANES]);
        for (row, input) in row.as_chunks::<LANES>().0.iter().zip(input.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                let value = row[lane] * input[lane];
                least[lane] = if value < least[lane] { value } else { least[lane] };
                most[lane] = if value > most[lane] { value } else { most[lane] };
            }
        }
        let (least, most) = (least.into_iter().fold(0.0, f32::min), most.into_iter().fold(0.0, f32::max));
        let scale = ((most - least) / 255.0).max(f32::MIN_POSITIVE);
        let zero = (-least / scale).round();
        let (inverse, shift) = (1.0 / scale, zero + ROUND);
        for ((byte, value), input) in bytes.iter_mut().zip(row).zip(input) {
            *byte = (value * input * inverse + shift).to_bits() as u8;
        }
        *how = Quantised { scale, zero: zero as i32 };
    }
}

/// Queries that attend side by side: their sums stay in registers.
const QUERIES: usize = 4;

/// The working memory of [`attend`].
#[derive(Default)]
pub(super) struct Attention {
    /// Keys of a head, a row a dimension.
    keys: Vec<f32>,
    /// Values of a head, a row a token.
    values: Vec<f32>,
    /// Weights of some queries, a row a query.
    weights: Vec<f32>,
}

/// Attention of all tokens to all: `rows` hold query, key and value of each, the scale of the scores being in the query; `out` gets a
/// row of `width` a token. `D` is the width of a head.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl+avx512dq+fma", "x86_64+avx2+fma"))]
pub(super) fn attend<const D: usize>(rows: &[f32], width: usize, memory: &mut Attention, out: &mut [f32]) {
    let is_fused = target_cfg_f!(target_feature = "fma");
    let tokens = rows.len() / (3 * width);
    let padded = tokens.next_multiple_of(LANES);
    memory.weights.resize(QUERIES * padded, 0.0);
    for head in (0..width).step_by(D) {
        memory.keys.clear();
        memory.keys.resize(D * padded, 0.0);
        memory.values.clear();
        for (token, row) in rows.chunks_exact(3 * width).enumerate() {
            for (dimension, key) in row[width + head..][..D].iter().enumerate() {
                memory.keys[dimension * padded + token] = *key;
            }
            memory.values.extend_from_slice(&row[2 * width + head..][..D]);
        }
        let mut first = 0;
        while first < tokens {
            // The last queries come again rather than fewer at once; their results are the same.
            let start = first.min(tokens.saturating_sub(QUERIES));
            let mut queries = [[0.0; D]; QUERIES];
            for (query, row) in queries.iter_mut().zip(rows[start * 3 * width..].chunks_exact(3 * width)) {
                query.copy_from_slice(&row[head..head + D]);
            }
            score(is_fused, &queries, &memory.keys, &mut memory.weights);
            for weights in memory.weights.chunks_exact_mut(padded) {
                soften(is_fused, &mut weights[..tokens]);
            }
            let mixed = mix::<D>(is_fused, &memory.weights, &memory.values);
            for (mixed, out) in mixed.iter().zip(out[start * width..].chunks_exact_mut(width)) {
                out[head..head + D].copy_from_slice(mixed);
            }
            first = start + QUERIES;
        }
    }
}

/// Adds a multiple.
#[inline(always)]
fn add_multiple<const N: usize>(is_fused: bool, sums: &mut [f32; N], factor: f32, values: &[f32; N]) {
    for i in 0..N {
        sums[i] = add_product(is_fused, factor, values[i], sums[i]);
    }
}

/// Scores of some queries against all keys. Each query has sums of its own by name: in an array of arrays the compiler keeps them in
/// memory, at a tenth of the speed.
#[inline(always)]
fn score<const D: usize>(is_fused: bool, queries: &[[f32; D]; QUERIES], keys: &[f32], scores: &mut [f32]) {
    let padded = keys.len() / D;
    for at in (0..padded).step_by(LANES) {
        let [mut a, mut b, mut c, mut d] = [[0.0; LANES]; QUERIES];
        for (i, keys) in keys.chunks_exact(padded).enumerate() {
            let Some(keys) = keys[at..].first_chunk::<LANES>() else { return };
            add_multiple(is_fused, &mut a, queries[0][i], keys);
            add_multiple(is_fused, &mut b, queries[1][i], keys);
            add_multiple(is_fused, &mut c, queries[2][i], keys);
            add_multiple(is_fused, &mut d, queries[3][i], keys);
        }
        for (sums, scores) in [a, b, c, d].iter().zip(scores.chunks_exact_mut(padded)) {
            scores[at..at + LANES].copy_from_slice(sums);
        }
    }
}

/// Turns scores into weights that sum up to 1.
#[inline(always)]
fn soften(is_fused: bool, scores: &mut [f32]) {
    let mut lanes = [f32::MIN; LANES];
    let (blocks, rest) = scores.as_chunks::<LANES>();
    for block in blocks {
        for (lane, score) in lanes.iter_mut().zip(block) {
            *lane = if *score > *lane { *score } else { *lane };
        }
    }
    let most = lanes.iter().chain(rest).copied().fold(f32::MIN, f32::max);
    for score in scores.iter_mut() {
        *score = exp(is_fused, *score - most);
    }
    let factor = 1.0 / sum(scores, |v| v);
    for score in scores {
        *score *= factor;
    }
}

/// The values, weighted by a row a query.
#[inline(always)]
fn mix<const D: usize>(is_fused: bool, weights: &[f32], values: &[f32]) -> [[f32; D]; QUERIES] {
    let [mut a, mut b, mut c, mut d] = [[0.0; D]; QUERIES];
    let row = weights.len() / QUERIES;
    let (ab, cd) = weights.split_at(2 * row);
    let weights = ab[..row].iter().zip(&ab[row..]).zip(cd[..row].iter().zip(&cd[row..]));
    for (value, ((wa, wb), (wc, wd))) in values.as_chunks::<D>().0.iter().zip(weights) {
        add_multiple(is_fused, &mut a, *wa, value);
        add_multiple(is_fused, &mut b, *wb, value);
        add_multiple(is_fused, &mut c, *wc, value);
        add_multiple(is_fused, &mut d, *wd, value);
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_and_gelu_are_near_enough() {
        for i in 0..=20_000 {
            let x = i as f32 / 1000.0 - 15.0;
            let low = x.min(0.0);
            assert!((exp(true, low) - low.exp()).abs() <= 4e-7 * low.exp(), "{low}");
            let exact = f64::from(x) * 0.5 * (1.0 + erf(f64::from(x) / std::f64::consts::SQRT_2));
            assert!((f64::from(gelu(true, x)) - exact).abs() < 2e-6, "{x}: {} {exact}", gelu(false, x));
        }
        assert!(exp(false, -1e30) < 1e-37);
    }

    /// By its series, for small arguments, and by its continued fraction.
    fn erf(x: f64) -> f64 {
        let z = x.abs();
        let value = if z < 3.0 {
            let (mut term, mut sum) = (z, z);
            for n in 1..80 {
                term *= -z * z / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            sum * 2.0 / std::f64::consts::PI.sqrt()
        } else {
            let fraction = (1..60).rev().fold(z, |deeper, n| z + f64::from(n) / 2.0 / deeper);
            1.0 - (-z * z).exp() / fraction / std::f64::consts::PI.sqrt()
        };
        value.copysign(x)
    }

    #[test]
    fn bytes_stand_for_their_values() {
        let row: Vec<f32> = (0..64).map(|i| (i as f32 * 0.37).sin() * 3.0 + 1.0).collect();
        let (mut bytes, mut how) = (vec![0; 64], [Quantised::default()]);
        quantise(&row, &[0.5; 64], &mut bytes, &mut how);
        for (value, byte) in row.iter().zip(&bytes) {
            let back = (i32::from(*byte) - how[0].zero) as f32 * how[0].scale;
            assert!((back - value * 0.5).abs() <= 0.51 * how[0].scale);
        }
        quantise(&[0.0; 64], &[1.0; 64], &mut bytes, &mut how);
        assert!(bytes.iter().all(|b| i32::from(*b) == how[0].zero));
    }

    #[test]
    fn attention_is_the_weighted_mean_of_values() {
        const WIDTH: usize = 64;
        for tokens in [1usize, 3, 8, 9, 20] {
            let rows: Vec<f32> = (0..tokens * 3 * WIDTH).map(|i| (i as f32 * 0.71).sin()).collect();
            let mut out = vec![0.0; tokens * WIDTH];
            attend::<32>(&rows, WIDTH, &mut Attention::default(), &mut out);
            for token in 0..tokens {
                for head in [0, 32] {
                    let part = |t: usize, which: usize| &rows[(t * 3 + which) * WIDTH + head..][..32];
                    let dot =
                        |t: usize| part(token, 0).iter().zip(part(t, 1)).map(|(q, k)| q * k).sum::<f32>();
                    let weights: Vec<f32> = (0..tokens).map(|t| dot(t).exp()).collect();
                    let total: f32 = weights.iter().sum();
                    for d in 0..32 {
                        let wanted: f32 = (0..tokens).map(|t| weights[t] / total * part(t, 2)[d]).sum();
                        assert!((out[token * WIDTH + head + d] - wanted).abs() < 1e-5);
                    }
                }
            }
        }
    }
}
