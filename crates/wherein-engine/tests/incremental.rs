//! After any edits, the incremental index equals a fresh one.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be written fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use wherein_engine::{Cancel, Config, Engine, Options, Query};

#[path = "support/trees.rs"]
mod trees;

use trees::{Edit, PATHS, apply, assert_equal, edit};

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// As it is opened, and as it follows from the generation before.
    #[test]
    fn incremental_equals_fresh(edits in prop::collection::vec(edit(), 1..28)) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        let incremental = Engine::open(&root, Config::new(dir.path().join("one"))).unwrap();
        let (mut held, mut seen) = (None, BTreeMap::new());
        for (turn, edit) in edits.iter().chain([&Edit::Index]).enumerate() {
            apply(&root, edit);
            // Others write too: what is held may be several generations old.
            if matches!(edit, Edit::Index) && turn % 3 > 0 && turn < edits.len() {
                trees::index(&incremental, None);
            } else if matches!(edit, Edit::Index) {
                held = Some(trees::index(&incremental, held));
            }
            for (file, content) in files(incremental.index_dir()) {
                prop_assert_eq!(seen.entry(file.clone()).or_insert_with(|| content.clone()), &content, "{}", file.display());
            }
        }
        let fresh = Engine::open(&root, Config::new(dir.path().join("two"))).unwrap();
        let fresh = trees::index(&fresh, None);
        assert_equal(&incremental, (&held.unwrap(), &fresh));
        assert_equal(&incremental, (&incremental.snapshot().unwrap(), &fresh));
    }
}

/// Files of ours in the epochs of an index: what is held is known by their names.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(epochs) = fs::read_dir(dir) else { return Vec::new() };
    let folders = epochs.map(|epoch| epoch.unwrap().path()).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    files.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn index(engine: &Engine) {
    trees::index(engine, None);
}

fn hits(engine: &Engine, query: &str) -> Vec<(String, u32, f32)> {
    trees::hits(engine, &engine.snapshot().unwrap(), query)
}

#[test]
fn nothing_changed_means_nothing_done() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    for path in PATHS {
        apply(
            &root,
            &Edit::Write {
                path: PATHS.iter().position(|p| p == path).unwrap(),
                words: vec![0, 1],
                functions: 3,
            },
        );
    }
    let engine = Engine::open(&root, Config::new(dir.path().join("data"))).unwrap();
    index(&engine);
    std::thread::sleep(std::time::Duration::from_millis(60));
    // Files younger than the clock tick of the first look are looked at once more.
    index(&engine);
    let generation = engine.snapshot().unwrap().generation();
    for _ in 0..3 {
        let report = engine.index(&Options::default(), &Cancel::new(), &mut |_| {}).unwrap();
        assert_eq!((report.indexed, report.touched, report.chunks_written), (0, 0, 0));
    }
    assert_eq!(engine.snapshot().unwrap().generation(), generation);
}

#[test]
fn an_index_inside_its_root_is_no_content() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "quintessence of dust").unwrap();
    let engine = Engine::open(dir.path(), Config::new(dir.path().join(".data/wherein"))).unwrap();
    index(&engine);
    index(&engine);
    let snapshot = engine.snapshot().unwrap();
    // Its passages, then their deep vectors.
    assert_eq!((snapshot.files().len(), snapshot.generation()), (1, 2));
}

#[test]
fn a_file_that_stops_being_text_leaves_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    let engine =
        Engine::open(&root, Config { max_file_bytes: 2000, ..Config::new(dir.path().join("data")) }).unwrap();
    let found = |word: &str| hits(&engine, word).iter().any(|h| h.0 == "a.txt");
    for after in [String::new(), "\0\u{1}\0\u{2}".repeat(50), "x ".repeat(3000)] {
        fs::write(root.join("a.txt"), "quintessence of dust").unwrap();
        fs::write(root.join("b.txt"), "something else").unwrap();
        index(&engine);
        assert!(found("quintessence"));
        fs::write(root.join("a.txt"), after).unwrap();
        index(&engine);
        assert!(!found("quintessence"));
    }
    fs::write(root.join("a.txt"), "quintessence of dust").unwrap();
    index(&engine);
    fs::write(root.join(".indexignore"), "a.txt\n").unwrap();
    index(&engine);
    assert!(!found("quintessence"));
    assert_eq!(engine.snapshot().unwrap().coverage().skipped["index_ignored"], 2);
}

#[test]
fn an_empty_mount_point_forgets_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.txt"), "quintessence of dust").unwrap();
    let engine = Engine::open(&root, Config::new(dir.path().join("data"))).unwrap();
    index(&engine);
    fs::remove_file(root.join("a.txt")).unwrap();
    assert!(engine.index(&Options::default(), &Cancel::new(), &mut |_| {}).is_err());
    assert_eq!(engine.snapshot().unwrap().coverage().files, 1);
    index(&engine);
    assert_eq!(engine.snapshot().unwrap().coverage().files, 0);
}

#[test]
fn stale_text_is_never_shown_as_the_passage() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    let body = "def quintessence(dust):\n    return dust * 42\n";
    fs::write(root.join("a.py"), body).unwrap();
    let engine = Engine::open(&root, Config::new(dir.path().join("data"))).unwrap();
    index(&engine);
    let id = engine.search(&Query::new("quintessence")).unwrap().results[0].id.clone();
    fs::write(root.join("a.py"), format!("{}\n\n{body}", "# line\n".repeat(50))).unwrap();
    let moved = engine.chunk(&id);
    // The passage now shares its chunk with other lines or stands alone: its own text, or marked stale; never other text.
    let moved = moved.unwrap();
    assert!(
        if moved.fresh { moved.text.contains("quintessence") } else { moved.text.is_empty() },
        "{moved:?}"
    );
    let hit =
        &engine.search(&Query { min_score: Some(0.0), ..Query::new("quintessence") }).unwrap().results[0];
    assert!(if hit.fresh { hit.text.contains("quintessence") } else { hit.text.is_empty() });
    fs::remove_file(root.join("a.py")).unwrap();
    assert!(
        engine
            .search(&Query { min_score: Some(0.0), ..Query::new("quintessence") })
            .unwrap()
            .results
            .is_empty()
    );
}

#[test]
fn a_scope_is_a_mask_before_candidates_are_chosen() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("many")).unwrap();
    fs::create_dir_all(root.join("one")).unwrap();
    for i in 0..400 {
        fs::write(
            root.join(format!("many/f{i}.py")),
            format!("def retry_with_backoff_{i}():\n    return 'retry with backoff'\n"),
        )
        .unwrap();
    }
    fs::write(root.join("one/x.py"), "def other():\n    return 'a retry, once'\n").unwrap();
    let engine = Engine::open(&root, Config::new(dir.path().join("data"))).unwrap();
    index(&engine);
    let mut query = Query { min_score: Some(0.0), ..Query::new("retry with backoff") };
    query.scope.globs = vec!["one/**".into()];
    let answer = engine.search(&query).unwrap();
    assert_eq!(answer.results.len(), 1);
    assert_eq!(answer.results[0].path, "one/x.py");
}

#[test]
fn equal_calls_give_equal_answers() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir(&root).unwrap();
    for i in 0..60 {
        fs::write(root.join(format!("f{i}.py")), "def retry():\n    return 'backoff'\n").unwrap();
    }
    let engine = Engine::open(&root, Config::new(dir.path().join("data"))).unwrap();
    index(&engine);
    let first = hits(&engine, "retry backoff");
    assert!(first.is_sorted_by_key(|h| std::cmp::Reverse(ordered(h.2))));
    for _ in 0..50 {
        assert_eq!(hits(&engine, "retry backoff"), first);
    }
}

fn ordered(score: f32) -> i64 {
    (f64::from(score) * 1e6) as i64
}
