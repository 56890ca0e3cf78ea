//! The noise floor of an index: how near to each other vectors are that have nothing to do with each other.

use serde::{Deserialize, Serialize};

use super::{QueryVector, cosines};

/// Cosines that say nothing, each the 99th percentile of a sample: docs-rag-mcp's calibration, made per index and model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Noise {
    /// Of random pairs of passages.
    pub pairs: f32,
    /// How many pairs were drawn; below 50 the figure says little.
    pub pair_count: usize,
    /// Of questions about other things with random passages.
    pub questions: f32,
    /// How many such cosines were taken.
    pub question_count: usize,
}

/// Passages drawn at most: every two neighbours are one of 500 pairs.
pub(crate) const SAMPLE: usize = 1000;
/// The share of cosines below the floor.
const PERCENTILE: f32 = 0.99;

/// Measures over drawn rows, given in an order that has nothing to do with their contents.
pub(crate) fn measure(rows: &[(Vec<i8>, f32)], questions: &[QueryVector]) -> Noise {
    let pair = |pair: &[(Vec<i8>, f32)]| {
        let [(a, _), (b, scale)] = pair else { return None };
        let values: Vec<f32> = a.iter().map(|v| f32::from(*v)).collect();
        let norm = values.iter().map(|v| v * v).sum::<f32>().sqrt();
        let unit: Vec<f32> = values.iter().map(|v| v / norm.max(1.0)).collect();
        Some(cosine(&QueryVector::new(&unit)?, b, *scale))
    };
    let mut pairs: Vec<f32> = rows.chunks_exact(2).filter_map(pair).collect();
    let asked = |q: &QueryVector| rows.iter().map(|(row, scale)| cosine(q, row, *scale)).collect::<Vec<_>>();
    let mut asked: Vec<f32> = questions.iter().flat_map(asked).collect();
    let (pair_count, question_count) = (pairs.len(), asked.len());
    Noise { pairs: percentile(&mut pairs), pair_count, questions: percentile(&mut asked), question_count }
}

fn cosine(query: &QueryVector, row: &[i8], scale: f32) -> f32 {
    let mut out = [0.0];
    cosines(query, row, &[scale], &mut out);
    out[0]
}

fn percentile(values: &mut [f32]) -> f32 {
    values.sort_by(f32::total_cmp);
    let at = (values.len() as f32 * PERCENTILE) as usize;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::quantise;

    fn row(direction: usize) -> (Vec<i8>, f32) {
        let mut vector = [0.0; 16];
        vector[direction] = 1.0;
        let mut bytes = vec![0; 16];
        let scale = quantise(&vector, &mut bytes);
        (bytes, scale)
    }

    #[test]
    fn equal_passages_are_near_and_strangers_are_far() {
        let question = |direction: usize| {
            let mut vector = [0.0; 16];
            vector[direction] = 1.0;
            QueryVector::new(&vector).unwrap()
        };
        let same = measure(&vec![row(3); 10], &[question(3)]);
        assert!((same.pairs - 1.0).abs() < 0.01 && (same.questions - 1.0).abs() < 0.01);
        assert_eq!((same.pair_count, same.question_count), (5, 10));
        let other = measure(&[row(0), row(1), row(2), row(3)], &[question(9)]);
        assert!(other.pairs.abs() < 0.01 && other.questions.abs() < 0.01);
        assert_eq!(measure(&[], &[question(9)]), Noise::default());
    }
}
