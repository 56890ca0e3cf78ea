//! Plain data that every room may name: kinds, spans, queries, hits, answers. No behaviour beyond conversions.

mod answer;
mod cancel;
mod chunk;
mod file;
mod query;

pub use answer::*;
pub use cancel::Cancel;
pub use chunk::*;
pub use file::*;
pub use query::*;
