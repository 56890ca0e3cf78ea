//! Several roots are searched as one corpus.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be written fails the test")]

use std::fs;
use std::path::Path;

use wherein_engine::{Answer, Cancel, Config, Engine, Options, Query, Snapshot, Verdict};

const TEXTS: [(&str, &str); 8] = [
    ("retry.py", "def retry_with_backoff(call):\n    '''Call again, waiting longer each time.'''\n"),
    ("cache.py", "class Cache:\n    def evict(self):\n        '''Drop what was not used for long.'''\n"),
    ("queue.rs", "/// Puts a job behind the others.\nfn enqueue(job: Job) {\n    jobs.push(job);\n}\n"),
    (
        "token.go",
        "package token\n\n// Refresh asks for a new token before the old one ends.\nfunc Refresh() {}\n",
    ),
    ("session.md", "# Sessions\n\nA session ends when its token is not refreshed within an hour.\n"),
    ("deploy.md", "# Deploying\n\nJobs wait in a queue while a deployment runs; the cache is dropped.\n"),
    ("retry.md", "# Retries\n\nCalls are tried again five times, waiting longer each time.\n"),
    ("limits.toml", "[limits]\nretries = 5\nqueue = 100\n"),
];

fn root(folder: &Path, name: &str, texts: &[(&str, &str)]) -> (Engine, std::sync::Arc<Snapshot>) {
    let root = folder.join(name);
    fs::create_dir(&root).unwrap();
    for (path, text) in texts {
        fs::write(root.join(path), text).unwrap();
    }
    let engine = Engine::open(root, Config::new(folder.join("data"))).unwrap();
    let (_, snapshot) = engine.refresh(&Options::default(), &Cancel::new(), &mut |_| {}).unwrap();
    (engine, snapshot)
}

/// What ranks, and by what.
fn seen(answer: &Answer) -> Vec<(String, String)> {
    let signals = |hit: &wherein_engine::Hit| format!("{:.4?}", hit.signals);
    answer.results.iter().map(|hit| (hit.path.clone(), signals(hit))).collect()
}

#[test]
fn parts_of_a_folder_answer_as_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let whole = root(folder.path(), "whole", &TEXTS);
    let parts = [
        root(folder.path(), "a", &TEXTS[..3]),
        root(folder.path(), "b", &TEXTS[3..4]),
        root(folder.path(), "c", &TEXTS[4..]),
    ];
    for text in
        ["when is a token refreshed", "retry_with_backoff", "jobs in the queue", "waiting longer each time"]
    {
        let query = Query { min_score: Some(0.0), ..Query::new(text) };
        let asked: Vec<_> = parts.iter().map(|(engine, snapshot)| (engine, &**snapshot, &query)).collect();
        let together = Engine::search_corpus(&asked).unwrap();
        let alone = whole.0.search_in(&whole.1, &query).unwrap();
        assert!(!alone.results.is_empty());
        assert_eq!(seen(&together), seen(&alone), "{text}");
        assert_eq!(together.coverage.chunks, alone.coverage.chunks);
        let root_of = |path: &str| parts.iter().find(|(engine, _)| engine.root().join(path).exists());
        for hit in &together.results {
            assert_eq!(Some(&*hit.root), root_of(&hit.path).map(|(engine, _)| engine.root()));
            assert!(hit.fresh);
        }
    }
}

#[test]
fn each_root_has_a_scope_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (root(folder.path(), "a", &TEXTS), root(folder.path(), "b", &TEXTS));
    let all = Query { min_score: Some(0.0), k: 100, ..Query::new("retries") };
    let mut docs = all.clone();
    docs.scope.globs = vec!["*.md".to_owned()];
    let answer = Engine::search_corpus(&[(&a.0, &a.1, &all), (&b.0, &b.1, &docs)]).unwrap();
    let of = |engine: &Engine| {
        let hits = answer.results.iter().filter(|hit| hit.root == engine.root());
        hits.map(|hit| hit.path.clone()).collect::<Vec<_>>()
    };
    assert!(of(&a.0).contains(&"limits.toml".to_owned()), "{:?}", of(&a.0));
    assert!(!of(&b.0).is_empty() && of(&b.0).iter().all(|path| path.ends_with(".md")), "{:?}", of(&b.0));

    let nothing = Query::new("zebra pancake velocipede submarine");
    let answer = Engine::search_corpus(&[(&a.0, &a.1, &nothing), (&b.0, &b.1, &nothing)]).unwrap();
    assert_eq!(answer.answer, Verdict::Nothing);
}
