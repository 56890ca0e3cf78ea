//! The word that stops work.

use std::sync::atomic::{AtomicBool, Ordering};

/// Tells a run to stop at the next file; what is done by then is committed.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// A token that nobody has used.
    pub const fn new() -> Self {
        Cancel(AtomicBool::new(false))
    }

    /// Asks for the stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
