//! Ranking: evidence about candidate files → an order with its arithmetic. Pure functions; it opens nothing and knows
//! neither lanes nor snapshots.
//!
//! *Features* are measured in `features`, *weights* are a table in `weights`; a score is their product. `order` turns
//! scores into a page: one passage a file first, then further passages of the files shown.

mod confidence;
mod features;
mod names;
mod order;
mod priors;
mod query;
mod weights;

pub(crate) use confidence::{Asked, NOISE, Support, confidence};
pub(crate) use features::{Candidate, Evidence, measure};
pub(crate) use names::Names;
pub(crate) use order::{Ranked, order};
pub(crate) use priors::area_of;
pub(crate) use query::{QueryKind, Reading, Word};
pub(crate) use weights::{explain, score};

#[cfg(test)]
mod tests;
