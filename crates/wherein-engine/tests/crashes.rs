//! Whatever breaks off a commit, the generation before or the one after answers, and the next run makes what a fresh one has.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be written fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use fail::FailScenario;
use proptest::prelude::*;
use wherein_engine::{Cancel, Config, Engine, Error, Options, Snapshot};

#[path = "support/trees.rs"]
mod trees;

use trees::{Edit, apply, assert_equal, edit};

/// Where a commit can break off: before and after each file, the commit itself, what follows it, and the swap of a rebuild.
const POINTS: &[&str] =
    &["file-unwritten", "file-empty", "file-unnamed", "commit", "sweep", "finish", "swap", "leftover-epochs"];

#[derive(Clone, Debug)]
enum Step {
    Edit(Edit),
    /// A run that breaks off when it comes to a point for the n-th time, if it does.
    Crash {
        point: usize,
        nth: usize,
        rebuild: bool,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let crash = (0..POINTS.len(), 0..4usize, any::<bool>());
    let crash = crash.prop_map(|(point, nth, rebuild)| Step::Crash { point, nth, rebuild });
    prop::collection::vec(prop_oneof![2 => edit().prop_map(Step::Edit), 1 => crash], 4..28)
}

/// A file's path and the hash of its content; ids and first lines of its passages.
type Passages = BTreeMap<(String, u128), Vec<(u64, u32)>>;

/// The passages that each content of each file was seen with: they follow from it, whoever looks.
#[derive(Default)]
struct Seen(Mutex<Passages>);

impl Seen {
    fn look(&self, engine: &Engine, snapshot: &Snapshot) {
        let mut seen = self.0.lock().unwrap();
        let mut count = 0;
        for file in 0..snapshot.files().len() {
            let record = snapshot.files()[file];
            let chunk = |slot| (snapshot.chunk(slot).id, snapshot.chunk(slot).start_line);
            let chunks: Vec<_> = snapshot.slots_of(file).map(chunk).collect();
            count += chunks.len();
            let key = (snapshot.path(file).to_owned(), record.hash());
            assert_eq!(seen.entry(key).or_insert_with(|| chunks.clone()), &chunks);
        }
        assert_eq!(count, snapshot.chunk_count());
        assert!(snapshot.deep_share().is_some_and(|share| share <= 1.0));
        trees::hits(engine, snapshot, "retry backoff");
    }

    /// Looks at the index as it is; it need not be there yet.
    fn look_now(&self, engine: &Engine) {
        match engine.snapshot() {
            Ok(snapshot) => self.look(engine, &snapshot),
            Err(Error::NotIndexed { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn run(engine: &Engine, steps: &[Step], seen: &Seen) -> Arc<Snapshot> {
    let mut held = None;
    for step in steps {
        match step {
            Step::Edit(Edit::Index) => held = Some(trees::index(engine, held)),
            Step::Edit(edit) => apply(engine.root(), edit),
            Step::Crash { point, nth, rebuild } => {
                fail::cfg(POINTS[*point], &format!("{nth}*off->1*return->off")).unwrap();
                let options = Options { rebuild: *rebuild, ..trees::options() };
                let broke = engine.refresh_from(held.take(), &options, &Cancel::new(), &mut |_| {});
                fail::remove(POINTS[*point]);
                if let Err(error) = &broke {
                    assert!(error.to_string().contains(POINTS[*point]), "{error}");
                }
                held = broke.ok().map(|(_, snapshot)| snapshot);
            }
        }
        seen.look_now(engine);
    }
    trees::index(engine, held)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_off_anywhere_it_becomes_what_a_fresh_one_is(steps in steps()) {
        let scenario = FailScenario::setup();
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        let engine = Engine::open(&root, Config::new(dir.path().join("one"))).unwrap();
        let (seen, done) = (Seen::default(), AtomicBool::new(false));
        let last = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    seen.look_now(&engine);
                }
            });
            // The reader ends however this does.
            let last = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&engine, &steps, &seen)));
            done.store(true, Ordering::Relaxed);
            last.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        scenario.teardown();
        let fresh = Engine::open(&root, Config::new(dir.path().join("two"))).unwrap();
        let fresh = trees::index(&fresh, None);
        assert_equal(&engine, (&last, &fresh));
        assert_equal(&engine, (&engine.snapshot().unwrap(), &fresh));
    }
}
