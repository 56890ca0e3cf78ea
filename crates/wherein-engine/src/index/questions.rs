//! Questions that no root is about: what they find is noise. They are drawn from many fields, since the table knows words of some
//! fields better than of others, and are no part of any truth set.

use std::sync::OnceLock;

use crate::embed::{QUESTIONS, StaticModel};
use crate::vector::QueryVector;

/// The questions as vectors.
pub(super) fn vectors() -> &'static [QueryVector] {
    static VECTORS: OnceLock<Vec<QueryVector>> = OnceLock::new();
    VECTORS.get_or_init(|| QUESTIONS.iter().filter_map(|q| QueryVector::new(&StaticModel::of(q))).collect())
}
