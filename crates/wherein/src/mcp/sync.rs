//! What threads of a server hold for a while, and give back whatever happens meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A value, whoever panicked while holding it: none of them is left half changed.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A flag that is up until this is dropped, whatever happens meanwhile.
pub(super) struct Raised(Arc<AtomicBool>);

impl Raised {
    /// Raises it; `None` where it is up already.
    pub(super) fn new(flag: &Arc<AtomicBool>) -> Option<Raised> {
        (!flag.swap(true, Ordering::AcqRel)).then(|| Raised(Arc::clone(flag)))
    }
}

impl Drop for Raised {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// So many at once; who comes later waits.
pub(super) struct Turns {
    left: Mutex<usize>,
    given_back: Condvar,
}

/// A turn, until it is dropped.
pub(super) struct Turn<'a>(&'a Turns);

impl Turns {
    pub(super) const fn new(count: usize) -> Turns {
        Turns { left: Mutex::new(count), given_back: Condvar::new() }
    }

    /// Waits for a turn.
    pub(super) fn wait(&self) -> Turn<'_> {
        let waited = self.given_back.wait_while(locked(&self.left), |left| *left == 0);
        *waited.unwrap_or_else(PoisonError::into_inner) -= 1;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *locked(&self.0.left) += 1;
        self.0.given_back.notify_one();
    }
}
