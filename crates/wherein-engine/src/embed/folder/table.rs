//! Static tables as model2vec writes them: a row a piece, a text is the mean of its pieces' rows.

use ndarray::{Array1, Array2};

use crate::error::Result;

use super::weights::Weights;

/// A table of rows.
pub(super) struct Table {
    rows: Array2<f32>,
    /// The row of each piece, where several share one.
    mapping: Option<Vec<usize>>,
    /// The weight of each piece, where they differ.
    weights: Option<Array1<f32>>,
}

impl Table {
    pub(super) fn read(weights: &Weights<'_>) -> Result<Table> {
        let rows = weights.named_matrix("embeddings")?;
        let mapping = weights.named_integers("mapping")?;
        let of_pieces = weights.has_named("weights").then(|| weights.named_vector("weights")).transpose()?;
        if rows.ncols() == 0 || mapping.iter().flatten().any(|row| *row >= rows.nrows()) {
            return Err(weights.unfit("its mapping leads out of its table"));
        }
        Ok(Table { rows, mapping, weights: of_pieces })
    }

    /// Numbers of a row.
    pub(super) fn width(&self) -> usize {
        self.rows.ncols()
    }

    /// The mean over pieces; unknown ones are left out.
    pub(super) fn mean(&self, pieces: &[u32]) -> Array1<f32> {
        let mut sum = Array1::zeros(self.width());
        let mut count = 0;
        for piece in pieces.iter().map(|piece| *piece as usize) {
            let row = self.mapping.as_ref().map_or(Some(piece), |mapping| mapping.get(piece).copied());
            let Some(row) = row.filter(|row| *row < self.rows.nrows()) else { continue };
            let weight = self.weights.as_ref().and_then(|weights| weights.get(piece)).copied().unwrap_or(1.0);
            sum.scaled_add(weight, &self.rows.row(row));
            count += 1;
        }
        sum / count.max(1) as f32
    }
}
