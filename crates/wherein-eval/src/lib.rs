//! Judging retrieval over truth sets: what `wherein eval` shows a user and what the project's own gates are made of.
//!
//! [`truth`] reads sets, [`run`] asks their questions, [`judge`] judges answers, [`figures`] sums up, [`compare`] tells two
//! runs apart, [`baseline`] does what an agent without an index would, [`make`] builds a set from a corpus and [`hide`] takes
//! its sources out of sight. Nothing here prints.

pub mod baseline;
pub mod compare;
pub mod figures;
pub mod hide;
pub mod judge;
pub mod make;
pub mod run;
pub mod truth;
