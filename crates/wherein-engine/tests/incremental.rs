//! After any edits, the incremental index equals a fresh one.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be written fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use wherein_engine::{Cancel, Config, Engine, Options, Query};

/// Names and texts that edits choose from: few, so that files collide, move and come back.
const PATHS: &[&str] = &[
    "a.rs",
    "b.rs",
    "src/retry.py",
    "src/cache.py",
    "docs/guide.md",
    "docs/deep/notes.md",
    "conf.yaml",
    "data.bin",
    "empty.txt",
];
const WORDS: &[&str] = &[
    "retry", "backoff", "cache", "session", "token", "parse", "request", "worker", "queue", "größe", "検索",
];

#[derive(Clone, Debug)]
enum Edit {
    Write { path: usize, words: Vec<usize>, functions: usize },
    Append { path: usize, word: usize },
    Remove { path: usize },
    Rename { from: usize, to: usize },
    Touch { path: usize },
    Index,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let path = || 0..PATHS.len();
    let edit = prop_oneof![
        4 => (path(), prop::collection::vec(0..WORDS.len(), 0..6), 0usize..30).prop_map(|(path, words, functions)| Edit::Write { path, words, functions }),
        2 => (path(), 0..WORDS.len()).prop_map(|(path, word)| Edit::Append { path, word }),
        1 => path().prop_map(|path| Edit::Remove { path }),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => path().prop_map(|path| Edit::Touch { path }),
        3 => Just(Edit::Index),
    ];
    prop::collection::vec(edit, 1..24)
}

fn content(path: &str, words: &[usize], functions: usize) -> String {
    let sentence = words.iter().map(|w| WORDS[*w]).collect::<Vec<_>>().join(" ");
    match path.rsplit('.').next().unwrap_or_default() {
        "rs" => (0..functions)
            .map(|i| format!("/// {sentence}\nfn step_{i}(input: u32) -> u32 {{\n    input + {i}\n}}\n\n"))
            .collect(),
        "py" => (0..functions)
            .map(|i| format!("def step_{i}(x):\n    '''{sentence}'''\n    return x + {i}\n\n"))
            .collect(),
        "md" => (0..functions).map(|i| format!("# Part {i}\n\n{sentence} and more.\n\n")).collect(),
        "yaml" => (0..functions).map(|i| format!("key_{i}:\n  value: {sentence}\n")).collect(),
        _ => sentence,
    }
}

fn apply(root: &Path, edit: &Edit) {
    let full = |i: usize| root.join(PATHS[i]);
    let parent = |i: usize| fs::create_dir_all(full(i).parent().unwrap()).unwrap();
    match edit {
        Edit::Write { path, words, functions } => {
            parent(*path);
            fs::write(full(*path), content(PATHS[*path], words, *functions)).unwrap();
        }
        Edit::Append { path, word } => {
            let before = fs::read_to_string(full(*path)).unwrap_or_default();
            parent(*path);
            fs::write(full(*path), format!("{before}\n{}\n", WORDS[*word])).unwrap();
        }
        Edit::Remove { path } => drop(fs::remove_file(full(*path))),
        Edit::Rename { from, to } => {
            parent(*to);
            drop(fs::rename(full(*from), full(*to)));
        }
        Edit::Touch { path } => {
            if let Ok(bytes) = fs::read(full(*path)) {
                fs::write(full(*path), bytes).unwrap();
            }
        }
        Edit::Index => {}
    }
}

fn index(engine: &Engine) {
    let options = Options { prune_empty: true, deep: true, ..Options::default() };
    engine.index(&options, &Cancel::new(), &mut |_| {}).unwrap();
}

/// A chunk as it is compared: id, lines, names, vector, scale, deep vector and scale.
type Seen = (u64, u32, u32, String, Vec<i8>, u32, Option<(Vec<i8>, u32)>);

/// Every live chunk with its vector, by path and place.
fn chunks(engine: &Engine) -> BTreeMap<(String, u32), Seen> {
    let snapshot = engine.snapshot().unwrap();
    let mut out = BTreeMap::new();
    for file in 0..snapshot.files().len() {
        for slot in snapshot.slots_of(file) {
            let record = snapshot.chunk(slot);
            let names: Vec<&str> = snapshot.symbols(slot).map(|s| s.1).chain(snapshot.trail(slot)).collect();
            let (vector, scale) = snapshot.vector(slot);
            let value = (
                record.id,
                record.start_line,
                record.end_line,
                names.join("/"),
                vector.to_vec(),
                scale.to_bits(),
                snapshot.deep().vector(slot).map(|(row, scale)| (row.to_vec(), scale.to_bits())),
            );
            assert!(out.insert((snapshot.path(file).to_owned(), record.start), value).is_none());
        }
    }
    assert_eq!(out.len(), snapshot.chunk_count());
    assert_eq!(snapshot.deep_share(), Some(1.0));
    out
}

fn hits(engine: &Engine, query: &str) -> Vec<(String, u32, f32)> {
    let query = Query { min_score: Some(0.0), k: 30, ..Query::new(query) };
    engine
        .search(&query)
        .unwrap()
        .results
        .into_iter()
        .map(|h| (h.path, h.start_line, h.signals["rank_score"]))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_fresh(edits in edits()) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        let incremental = Engine::open(&root, Config::new(dir.path().join("one"))).unwrap();
        for edit in &edits {
            apply(&root, edit);
            if matches!(edit, Edit::Index) {
                index(&incremental);
            }
        }
        index(&incremental);
        let fresh = Engine::open(&root, Config::new(dir.path().join("two"))).unwrap();
        index(&fresh);
        prop_assert_eq!(chunks(&incremental), chunks(&fresh));
        for query in ["retry backoff", "step_3", "how are session tokens parsed", "検索", "guide.md"] {
            let (a, b) = (hits(&incremental, query), hits(&fresh, query));
            prop_assert_eq!(a.len(), b.len(), "{}", query);
            for (one, two) in a.iter().zip(&b) {
                prop_assert_eq!((&one.0, one.1), (&two.0, two.1), "{}", query);
                prop_assert!((one.2 - two.2).abs() < 1e-6, "{} {} {}", query, one.2, two.2);
            }
        }
    }
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
