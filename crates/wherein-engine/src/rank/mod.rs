//! Ranking: evidence about candidate files → an order with its arithmetic. Pure functions; it opens nothing and knows
//! neither lanes nor snapshots.
//!
//! *Features* are measured in `features` (files), `passage` (passages of one file) and `evidence` (whether anything
//! answers); *weights* are a fitted table; a score is their product. `order` turns scores into a page.

/// Declares the features of one kind of row: an enum whose discriminants are places in the row, and their names.
macro_rules! features {
    (
        $(#[$about:meta])* $enum:ident, $names:ident;
        $($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub(super) enum $enum { $($(#[$doc])* $variant),+ }

        /// Every feature's name, in order.
        pub(crate) const $names: &[&str] = &[$($name),+];
    };
}

mod evidence;
mod features;
mod names;
mod order;
mod passage;
mod priors;
mod query;
mod table;
mod weights;

pub(crate) use evidence::{Asked, DEEP_NOISE, FEATURES as EVIDENCE, QUOTED_SCORE, Support, confidence};
pub(crate) use features::{
    FEATURES as FILE_FEATURES, Features as FileFeatures, File, Twin, measure as measure_file, relate, stem_of,
};
pub(crate) use names::Names;
pub(crate) use order::{Ranked, order};
pub(crate) use passage::{
    Candidate, FEATURES as PASSAGE_FEATURES, Features as PassageFeatures, Passage,
    measure as measure_passages,
};
pub(crate) use priors::area_of;
pub use query::QueryKind;
pub(crate) use query::{Reading, is_name};
pub use weights::Weights;
pub(crate) use weights::{Column, Within};

#[cfg(test)]
mod tests;
