//! int8 vectors: quantising them, and the exact cosine of one query against many rows. No files, no masks: who owns the
//! rows decides which of them count.

mod kernel;
mod noise;

pub use kernel::{cosines, cosines_scalar};
pub use noise::Noise;
pub(crate) use noise::{SAMPLE, measure as measure_noise};

/// A row is its values and one factor: `value ≈ byte × scale`.
pub fn quantise(vector: &[f32], row: &mut [i8]) -> f32 {
    let largest = vector.iter().fold(0f32, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        row.fill(0);
        return 0.0;
    }
    let scale = largest / 127.0;
    for (r, v) in row.iter_mut().zip(vector) {
        // In range by construction: |v| / scale <= 127.
        *r = (v / scale).round() as i8;
    }
    scale
}

/// A query vector prepared for [`cosines`]: 13-bit integers, so that sums of 128 products with int8 stay within 32 bits.
pub struct QueryVector {
    values: Vec<i16>,
    scale: f32,
}

/// Largest absolute value of a prepared query; 128 × 127 × 8191 is below 2³¹.
const QUERY_MAX: f32 = 8191.0;

impl QueryVector {
    /// Prepares a vector of at most 2,064 dimensions; `None` where it is all zeros.
    pub fn new(vector: &[f32]) -> Option<Self> {
        let largest = vector.iter().fold(0f32, |m, v| m.max(v.abs()));
        if largest == 0.0 {
            return None;
        }
        // Longer vectors take smaller integers to stay within 32 bits.
        let limit = QUERY_MAX.min(2f32.powi(31) / (127.0 * vector.len() as f32) - 1.0);
        let scale = largest / limit;
        Some(QueryVector { values: vector.iter().map(|v| (v / scale).round() as i16).collect(), scale })
    }

    /// Its length.
    pub fn dimensions(&self) -> usize {
        self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(seed: u64, length: usize) -> Vec<f32> {
        let mut state = seed | 1;
        let raw: Vec<f32> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
            })
            .collect();
        let norm = raw.iter().map(|v| v * v).sum::<f32>().sqrt();
        raw.into_iter().map(|v| v / norm).collect()
    }

    proptest! {
        #[test]
        fn simd_equals_scalar_and_both_are_near_the_exact_cosine(seed in any::<u64>(), rows in 0usize..40, dims in prop::sample::select(vec![16usize, 128, 384])) {
            let query = unit(seed, dims);
            let exact: Vec<Vec<f32>> = (0..rows).map(|i| unit(seed ^ ((i as u64 + 1) * 7919), dims)).collect();
            let mut bytes = vec![0i8; rows * dims];
            let scales: Vec<f32> = exact.iter().zip(bytes.chunks_exact_mut(dims)).map(|(v, r)| quantise(v, r)).collect();
            let prepared = QueryVector::new(&query).unwrap();
            let (mut fast, mut slow) = (vec![0.0; rows], vec![0.0; rows]);
            cosines(&prepared, &bytes, &scales, &mut fast);
            cosines_scalar(&prepared, &bytes, &scales, &mut slow);
            prop_assert_eq!(&fast, &slow);
            for (got, v) in fast.iter().zip(&exact) {
                let want: f32 = v.iter().zip(&query).map(|(a, b)| a * b).sum();
                prop_assert!((got - want).abs() < 0.01, "{} {}", got, want);
            }
        }
    }

    #[test]
    fn zeros_have_no_query_and_zero_rows_have_cosine_zero() {
        assert!(QueryVector::new(&[0.0; 128]).is_none());
        let mut row = [1i8; 128];
        let scale = quantise(&[0.0; 128], &mut row);
        let mut out = [9.0];
        cosines(&QueryVector::new(&unit(1, 128)).unwrap(), &row, &[scale], &mut out);
        assert_eq!(out, [0.0]);
    }
}
