//! After any git operations, and while a tree changes below it, an index becomes what a fresh one is.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be written fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use wherein_engine::{Cancel, Config, Engine, Options};

#[derive(Clone, Debug)]
enum Step {
    /// Another text for a file.
    Write {
        file: usize,
        text: usize,
    },
    Remove {
        file: usize,
    },
    Commit,
    /// To a branch, which begins where the tree is when it is new.
    Branch {
        name: usize,
    },
    Stash,
    Pop,
    Reset,
    Merge {
        name: usize,
    },
    Index,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..6usize, 0..40usize).prop_map(|(file, text)| Step::Write { file, text }),
        1 => (0..6usize).prop_map(|file| Step::Remove { file }),
        3 => Just(Step::Commit),
        3 => (0..3usize).prop_map(|name| Step::Branch { name }),
        1 => Just(Step::Stash),
        1 => Just(Step::Pop),
        1 => Just(Step::Reset),
        1 => (0..3usize).prop_map(|name| Step::Merge { name }),
        4 => Just(Step::Index),
    ];
    proptest::collection::vec(step, 5..25)
}

/// Runs git; what it refuses, a merge into a changed tree say, changes nothing or leaves conflicts, which are content too.
fn git(root: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.env("HOME", root).env("GIT_CONFIG_NOSYSTEM", "1").current_dir(root);
    command.args([
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "-c",
        "init.defaultBranch=b0",
        "-c",
        "gc.auto=0",
    ]);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
}

fn apply(root: &Path, step: &Step) {
    let path = |file: usize| root.join(["a.py", "b.py", "src/c.py", "src/d.py", "docs/e.md", "f.toml"][file]);
    match step {
        Step::Write { file, text } => {
            let path = path(*file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("def step_{text}(x):\n    return x + {text}\n\n# Text {text}\n"))
                .unwrap();
        }
        Step::Remove { file } => drop(fs::remove_file(path(*file))),
        Step::Commit => {
            git(root, &["add", "-A"]);
            git(root, &["commit", "-qm", "step", "--allow-empty"]);
        }
        Step::Branch { name } => {
            let name = format!("b{name}");
            git(root, &["branch", &name]);
            git(root, &["checkout", "-q", &name]);
        }
        Step::Stash => git(root, &["stash", "-qu"]),
        Step::Pop => git(root, &["stash", "pop", "-q"]),
        Step::Reset => git(root, &["reset", "-q", "--hard", "HEAD~1"]),
        Step::Merge { name } => git(root, &["merge", "-q", &format!("b{name}")]),
        Step::Index => {}
    }
}

fn index(engine: &Engine) {
    engine.index(&Options { prune_empty: true, ..Options::default() }, &Cancel::new(), &mut |_| {}).unwrap();
}

/// Every passage: path, lines, id.
fn passages(engine: &Engine) -> BTreeSet<(String, u32, u32, u64)> {
    let snapshot = engine.snapshot().unwrap();
    let of_file = |file: usize| {
        let path = snapshot.path(file).to_owned();
        let snapshot = &snapshot;
        snapshot.slots_of(file).map(move |slot| {
            let chunk = snapshot.chunk(slot);
            (path.clone(), chunk.start_line, chunk.end_line, chunk.id)
        })
    };
    (0..snapshot.files().len()).flat_map(of_file).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 50, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_git_operations_leave_what_a_fresh_index_has(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        git(&root, &["init", "-q"]);
        apply(&root, &Step::Write { file: 0, text: 0 });
        apply(&root, &Step::Commit);
        let incremental = Engine::open(&root, Config::new(dir.path().join("one"))).unwrap();
        for step in &steps {
            apply(&root, step);
            if matches!(step, Step::Index) {
                index(&incremental);
            }
        }
        index(&incremental);
        let fresh = Engine::open(&root, Config::new(dir.path().join("two"))).unwrap();
        index(&fresh);
        prop_assert_eq!(passages(&incremental), passages(&fresh));
    }
}

#[test]
fn a_tree_that_changes_during_runs_becomes_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("sub")).unwrap();
    let file =
        |i: usize| root.join(if i.is_multiple_of(2) { format!("f{i}.py") } else { format!("sub/f{i}.py") });
    let text =
        |i: usize, round: usize| format!("def f_{i}_{round}(x):\n    return x\n").repeat(1 + round % 40);
    for i in 0..60 {
        fs::write(file(i), text(i, 0)).unwrap();
    }
    let engine = Engine::open(&root, Config::new(dir.path().join("one"))).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Files vanish, come back, grow and shrink.
        scope.spawn(|| {
            for round in 1usize.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let i = round * 7 % 60;
                if round.is_multiple_of(3) {
                    drop(fs::remove_file(file(i)));
                } else {
                    fs::write(file(i), text(i, round)).unwrap();
                }
            }
        });
        // A reader sees whole generations: every passage belongs to a file that the same generation has.
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                if let Ok(snapshot) = engine.snapshot() {
                    let live =
                        (0..snapshot.files().len()).map(|file| snapshot.slots_of(file).len()).sum::<usize>();
                    assert_eq!(live, snapshot.chunk_count());
                }
            }
        });
        for _ in 0..12 {
            index(&engine);
        }
        stop.store(true, Ordering::Relaxed);
    });
    index(&engine);
    let fresh = Engine::open(&root, Config::new(dir.path().join("two"))).unwrap();
    index(&fresh);
    assert_eq!(passages(&engine), passages(&fresh));
}

/// C9: what a branch held is known for a while after it was left.
#[test]
fn a_branch_that_is_switched_back_to_needs_no_new_vectors() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    git(&root, &["init", "-q"]);
    let write = |subject: &str| {
        for note in 0..12 {
            let text = format!("# {subject} {note}\n\nWhat there is to say of {subject}, part {note}.\n");
            fs::write(root.join(format!("note{note}.md")), text).unwrap();
        }
        apply(&root, &Step::Commit);
    };
    write("rivers");
    apply(&root, &Step::Branch { name: 1 });
    write("mountains");
    let engine = Engine::open(&root, Config::new(dir.path().join("data"))).unwrap();
    let mut embedded = |branch: usize| {
        apply(&root, &Step::Branch { name: branch });
        let options = Options { deep: true, ..Options::default() };
        engine.index(&options, &Cancel::new(), &mut |_| {}).unwrap().deep.embedded
    };
    let made: Vec<usize> = [0, 1, 0, 1, 0].map(&mut embedded).to_vec();
    assert!(made[0] >= 12 && made[1] >= 12, "{made:?}");
    assert_eq!(made[2..], [0, 0, 0]);
}
