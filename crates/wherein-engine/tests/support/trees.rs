//! Random edits of a small tree, and what an index holds of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use wherein_engine::{Cancel, Engine, Options, Query, Snapshot};

/// Names and texts that edits choose from: few, so that files collide, move and come back.
pub(crate) const PATHS: &[&str] = &[
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
pub(crate) const WORDS: &[&str] = &[
    "retry", "backoff", "cache", "session", "token", "parse", "request", "worker", "queue", "größe", "検索",
];

#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Write { path: usize, words: Vec<usize>, functions: usize },
    Append { path: usize, word: usize },
    Remove { path: usize },
    Rename { from: usize, to: usize },
    Touch { path: usize },
    Index,
}

/// One of them.
pub(crate) fn edit() -> impl Strategy<Value = Edit> {
    let path = || 0..PATHS.len();
    prop_oneof![
        4 => (path(), prop::collection::vec(0..WORDS.len(), 0..6), 0usize..30).prop_map(|(path, words, functions)| Edit::Write { path, words, functions }),
        2 => (path(), 0..WORDS.len()).prop_map(|(path, word)| Edit::Append { path, word }),
        1 => path().prop_map(|path| Edit::Remove { path }),
        1 => (path(), path()).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => path().prop_map(|path| Edit::Touch { path }),
        3 => Just(Edit::Index),
    ]
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

pub(crate) fn apply(root: &Path, edit: &Edit) {
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

/// What a run is asked for.
pub(crate) fn options() -> Options {
    Options { prune_empty: true, deep: true, ..Options::default() }
}

/// Brings an index up to date, from a generation that is held where one is, and returns the one that answers now.
pub(crate) fn index(engine: &Engine, held: Option<Arc<Snapshot>>) -> Arc<Snapshot> {
    engine.refresh_from(held, &options(), &Cancel::new(), &mut |_| {}).unwrap().1
}

/// A chunk as it is compared: id, lines, names, vector, scale, deep vector and scale.
pub(crate) type Seen = (u64, u32, u32, String, Vec<i8>, u32, Option<(Vec<i8>, u32)>);

/// Every live chunk with its vector, by path and place.
pub(crate) fn chunks(snapshot: &Snapshot) -> BTreeMap<(String, u32), Seen> {
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
    out
}

/// Paths, lines and ranks of an answer.
pub(crate) fn hits(engine: &Engine, snapshot: &Snapshot, query: &str) -> Vec<(String, u32, f32)> {
    let query = Query { min_score: Some(0.0), k: 30, ..Query::new(query) };
    let answer = engine.search_in(snapshot, &query).unwrap();
    answer.results.into_iter().map(|h| (h.path, h.start_line, h.signals["rank_score"])).collect()
}

/// Whether an index answers as a fresh one of the same tree does.
pub(crate) fn assert_equal(engine: &Engine, (one, fresh): (&Snapshot, &Snapshot)) {
    assert_eq!((one.deep_share(), fresh.deep_share()), (Some(1.0), Some(1.0)));
    assert_eq!(chunks(one), chunks(fresh));
    assert_eq!(one.coverage().skipped, fresh.coverage().skipped);
    for query in ["retry backoff", "step_3", "how are session tokens parsed", "検索", "guide.md"] {
        let (a, b) = (hits(engine, one, query), hits(engine, fresh, query));
        assert_eq!(a.len(), b.len(), "{query}");
        for (one, two) in a.iter().zip(&b) {
            assert_eq!((&one.0, one.1), (&two.0, two.1), "{query}");
            assert!((one.2 - two.2).abs() < 1e-6, "{query} {} {}", one.2, two.2);
        }
    }
}
