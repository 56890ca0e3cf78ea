//! Whether a root has to be looked at before an answer: not where the system told of every change since the last look, and there was none. A root
//! that is asked once only is not watched.

use std::time::{Duration, Instant};

use wherein_engine::{Engine, Snapshot};

use crate::mount;
use crate::notices::{Changes, Notices};

/// A change that the system did not tell of is found after this time at the latest.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// What is known of changes below a root.
#[derive(Default)]
pub(super) struct Attention {
    notices: Option<Notices>,
    /// Whether everything that was told before has been dealt with. What is handed out is not, until a look has come to its end.
    is_clean: bool,
    /// Whether that was so when changes were handed out last.
    was_clean: bool,
    /// The last look at the whole root.
    looked: Option<Instant>,
    /// The system can't tell of this root.
    is_deaf: bool,
}

impl Attention {
    /// What has to be looked at. The second question begins to watch.
    pub(super) fn changes(&mut self, engine: &Engine, held: Option<&Snapshot>) -> Changes {
        self.was_clean = self.is_clean;
        let changes = self.told(engine, held);
        self.is_clean &= changes.is_empty();
        changes
    }

    fn told(&mut self, engine: &Engine, held: Option<&Snapshot>) -> Changes {
        let whole = || Changes { whole: true, ..Changes::default() };
        let Some(held) = held.filter(|_| self.looked.is_some()) else { return whole() };
        if self.notices.is_none() {
            self.begin(engine, held);
            // What happened before was not told.
            return whole();
        }
        let is_old = self.looked.is_none_or(|looked| looked.elapsed() >= LOOK_AGAIN);
        let Some(notices) = &mut self.notices else { return whole() };
        let is_told = notices.is_caught_up();
        let changes = notices.take(Some(held));
        if is_told && self.is_clean && !is_old { changes } else { whole() }
    }

    /// Notes a look, and whether it saw everything.
    pub(super) fn looked(&mut self, engine: &Engine, now: &Snapshot, was_whole: bool, saw_all: bool) {
        // What is left is found by a look at everything.
        self.is_clean = saw_all && (was_whole || self.was_clean);
        if !was_whole {
            return;
        }
        self.looked = Some(Instant::now());
        if let Some(notices) = &mut self.notices {
            match notices.follow(engine, now) {
                // What happened in a new folder before it was watched was not told.
                Ok(is_new) => self.is_clean &= !is_new,
                Err(_) => self.give_up(),
            }
        }
    }

    fn begin(&mut self, engine: &Engine, held: &Snapshot) {
        // Elsewhere notices come with a delay that nobody knows the length of.
        self.is_deaf |= !cfg!(target_os = "linux") || mount::remote(engine.root()).is_some();
        if self.is_deaf {
            return;
        }
        match Notices::new(engine).map_err(anyhow::Error::from).and_then(|mut notices| {
            notices.follow(engine, held)?;
            Ok(notices)
        }) {
            Ok(notices) => self.notices = Some(notices),
            // Every question looks at the root then, as the first one did.
            Err(_) => self.give_up(),
        }
    }

    fn give_up(&mut self) {
        self.is_deaf = true;
        self.notices = None;
    }
}
