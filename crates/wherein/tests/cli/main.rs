//! The program as its users run it: a hermetic world, a few snapshots of what they see, the contracts of output and exit codes.

#![expect(clippy::unwrap_used, reason = "a world that cannot be set up fails the test")]

mod corpus;
mod deep;
mod field_cases;
mod kill;
mod mcp;
mod models;
mod ranking;
#[path = "../../../wherein-engine/tests/support/http.rs"]
mod server;
mod watch;
mod world;

use serde_json::Value;
use world::World;

#[test]
fn help_is_stable() {
    let world = World::new();
    insta::assert_snapshot!("help", world.run(&["--help"]).stdout);
    insta::assert_snapshot!("help_search", world.run(&["search", "--help"]).stdout);
    insta::assert_snapshot!("help_index", world.run(&["index", "--help"]).stdout);
}

#[test]
fn a_folder_never_seen_is_indexed_and_answers() {
    let world = World::with_sample();
    let out = world.run(&["search", "call again and wait longer each time", "-k", "1"]);
    assert_eq!(out.code, 0);
    assert_eq!(out.stderr, "");
    insta::assert_snapshot!("first_answer", out.stdout);
}

#[test]
fn json_has_every_field_of_the_contract() {
    let world = World::with_sample();
    let answer = world.json(&["search", "--json", "retry_with_backoff"]);
    let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for key in ["query", "answer", "threshold", "nearest_miss", "results", "coverage", "took_ms"] {
        assert!(keys(&answer).iter().any(|k| k == key), "{key}");
    }
    let hit = &answer["results"][0];
    for key in [
        "rank",
        "id",
        "root",
        "path",
        "start_line",
        "end_line",
        "score",
        "label",
        "signals",
        "kind",
        "symbol",
        "trail",
        "language",
        "segment",
        "status",
        "superseded_by",
        "date",
        "fresh",
        "text",
    ] {
        assert!(keys(hit).iter().any(|k| k == key), "{key}");
    }
    assert_eq!(hit["path"], "src/retry.py");
    assert_eq!(hit["symbol"], "retry_with_backoff");
    assert_eq!(hit["label"], "both");
    assert_eq!(hit["fresh"], true);
    assert!(hit["text"].as_str().unwrap().contains("def retry_with_backoff"));
    let first = hit["start_line"].as_u64().unwrap() as usize;
    let file = std::fs::read_to_string(world.root().join("src/retry.py")).unwrap();
    assert_eq!(file.lines().nth(first - 1).unwrap(), hit["text"].as_str().unwrap().lines().next().unwrap());
    let coverage = &answer["coverage"];
    assert_eq!((coverage["files"].as_u64(), coverage["skipped"]["binary"].as_u64()), (Some(4), Some(1)));
    assert_eq!(coverage["deep"], 0.0);
}

#[test]
fn scores_never_rise_and_equal_calls_are_equal() {
    let world = World::with_sample();
    let ask = || {
        let mut answer = world.json(&["search", "--json", "--min-score", "0", "session cache retry"]);
        answer["took_ms"] = Value::Null;
        answer
    };
    let first = ask();
    let scores: Vec<f64> =
        first["results"].as_array().unwrap().iter().map(|h| h["score"].as_f64().unwrap()).collect();
    assert!(scores.len() > 1 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for _ in 0..5 {
        assert_eq!(ask(), first);
    }
}

#[test]
fn nothing_is_an_answer() {
    let world = World::with_sample();
    let out = world.run(&["search", "zebra pancake velocipede submarine trombone"]);
    assert_eq!(out.code, 0);
    assert!(out.stdout.starts_with("No relevant results (best score 0.0"), "{}", out.stdout);
    let answer = world.json(&["search", "--json", "zebra pancake velocipede submarine trombone function"]);
    assert_eq!(
        (&answer["answer"], answer["results"].as_array().unwrap().len()),
        (&Value::from("nothing"), 0)
    );
    assert!(answer["nearest_miss"]["score"].as_f64().unwrap() < answer["threshold"].as_f64().unwrap());
}

#[test]
fn index_ends_with_the_line_that_scripts_parse() {
    let world = World::with_sample();
    let out = world.run(&["index"]);
    let last: Value = serde_json::from_str(out.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        (last["filesProcessed"].as_u64(), last["filesDeleted"].as_u64(), &last["truncated"]),
        (Some(4), Some(0), &Value::Bool(false))
    );
    insta::with_settings!({filters => vec![(r"\d+\.\ds +\(\d+/s\)", "[time]"), (r"/\S+/root", "[root]")]}, {
        let mut lines: Vec<&str> = out.stderr.lines().collect();
        lines.sort_unstable();
        insta::assert_snapshot!("index_lines", lines.join("\n"));
    });
    std::fs::remove_file(world.root().join("README.md")).unwrap();
    let out = world.run(&["index"]);
    assert!(out.stderr.contains("✂ deleted README.md"), "{}", out.stderr);
    let again = world.json(&["index", "--json"]);
    assert_eq!((again["filesProcessed"].as_u64(), again["filesSkipped"].as_u64()), (Some(0), Some(4)));
    assert_eq!(again["roots"][0]["coverage"]["files"], 3);
}

#[test]
fn max_files_is_exact_and_the_next_run_goes_on() {
    let world = World::with_sample();
    let first = world.json(&["index", "--json", "--max-files", "1"]);
    assert_eq!((first["filesProcessed"].as_u64(), &first["truncated"]), (Some(1), &Value::Bool(true)));
    let second = world.json(&["index", "--json"]);
    assert_eq!((second["filesProcessed"].as_u64(), &second["truncated"]), (Some(3), &Value::Bool(false)));
}

#[test]
fn rebuild_and_force_process_everything() {
    let world = World::with_sample();
    world.index();
    for flag in ["--force", "--rebuild"] {
        assert_eq!(world.json(&["index", "--json", flag])["filesProcessed"], 4, "{flag}");
        assert_eq!(
            world.json(&["search", "--json", "retry_with_backoff"])["results"][0]["path"],
            "src/retry.py"
        );
    }
}

#[test]
fn exit_codes_and_errors() {
    let world = World::with_sample();
    assert_eq!(world.run(&["--version"]).code, 0);
    assert_eq!(world.run(&["search"]).code, 2);
    assert_eq!(world.run(&["lint"]).code, 2, "verbs of later issues do not exist yet");
    assert_eq!(world.run(&["search", "x", "-k", "0"]).code, 2);
    assert_eq!(world.run(&["index", "--concurrency", "abc"]).code, 2);
    let missing = world.run(&["search", "x", "no/such/folder"]);
    assert_eq!(missing.code, 1);
    assert!(missing.stderr.contains("no/such/folder"), "{}", missing.stderr);
    let error = world.run(&["search", "--json", "x", "no/such/folder"]);
    let value: Value = serde_json::from_str(&error.stdout).unwrap();
    assert_eq!((error.code, value["error"]["kind"].as_str()), (1, Some("io")));
    let partial = world.run(&["index", ".", "no/such/folder"]);
    assert_eq!(partial.code, 3);
    assert!(serde_json::from_str::<Value>(partial.stdout.lines().last().unwrap()).is_ok());
    let never = world.run(&["search", "--no-refresh", "x"]);
    assert_eq!(never.code, 0, "the folder was indexed above: {}", never.stderr);
}

#[test]
fn home_is_refused_unless_index_insists() {
    let world = World::with_sample();
    let home = world.home();
    for args in [&["search", "x"][..], &["index"]] {
        let out = world.run_in(&home, args);
        assert_eq!(out.code, 1, "{args:?}");
        assert!(out.stderr.contains("home folder"), "{}", out.stderr);
    }
    assert_eq!(world.run_in(&home, &["index", "--yes"]).code, 0);
}

#[test]
fn why_names_the_rule() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    std::fs::write(world.root().join(".gitignore"), "out/\n").unwrap();
    std::fs::create_dir(world.root().join("out")).unwrap();
    std::fs::write(world.root().join("out/log.txt"), "x\n").unwrap();
    std::fs::write(world.root().join("big.txt"), "word ".repeat(200_000)).unwrap();
    world.index();
    for (path, want) in [
        ("out/log.txt", ".gitignore:1:out/"),
        ("src/retry.py", "indexed"),
        ("logo.png", "binary"),
        ("big.txt", "too large"),
        ("nowhere.txt", "no such file"),
        ("src", "a folder; 2 of its files are indexed"),
    ] {
        let out = world.run(&["why", path]);
        assert!(out.code == 0 && out.stdout.contains(want), "{path}: {}", out.stdout);
    }
    let ignored = world.run(&["index", "out"]);
    assert!(ignored.stderr.contains("out: 0 files, ignored by rule .gitignore:1:out/"), "{}", ignored.stderr);
}

#[test]
fn a_path_inside_a_repository_narrows_and_keeps_the_root() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    let answer = world.json(&["search", "--json", "--min-score", "0", "retry", "docs"]);
    let root = answer["results"][0]["root"].as_str().unwrap();
    assert_eq!(root, world.root().to_str().unwrap());
    for hit in answer["results"].as_array().unwrap() {
        assert!(hit["path"].as_str().unwrap().starts_with("docs/"));
    }
    // The current folder by itself does not narrow.
    let inside = world.run_in(&world.root().join("docs"), &["search", "--json", "retry_with_backoff"]);
    let inside: Value = serde_json::from_str(&inside.stdout).unwrap();
    assert_eq!(inside["results"][0]["path"], "src/retry.py");
}

#[test]
fn chunk_and_formats() {
    let world = World::with_sample();
    let id = world.json(&["search", "--json", "retry_with_backoff"])["results"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let chunk = world.json(&["chunk", "--json", &id]);
    assert_eq!((chunk["path"].as_str(), &chunk["fresh"]), (Some("src/retry.py"), &Value::Bool(true)));
    assert_eq!(world.run(&["chunk", "ffffffffffffffff"]).code, 1);
    let paths = world.run(&["search", "-l", "retry_with_backoff"]);
    assert_eq!(paths.stdout.lines().next(), Some("src/retry.py"));
    let md = world.run(&["search", "--format", "md", "-k", "1", "retry_with_backoff"]).stdout;
    assert!(md.starts_with("### src/retry.py:") && md.contains("```python"), "{md}");
    let explained = world.json(&["search", "--json", "--explain", "-k", "1", "retry_with_backoff"]);
    assert!(explained["results"][0]["explain"].as_array().unwrap().len() > 3);
    let short = world.json(&["search", "--json", "--max-tokens", "10", "retry_with_backoff"]);
    assert!(short["results"][0]["text"].as_str().unwrap().len() <= 40);
    let wide = world.json(&["search", "--json", "-k", "1", "--context", "2", "retry_with_backoff"]);
    assert!(wide["results"][0]["end_line"].as_u64() >= chunk["end_line"].as_u64());
}

#[test]
fn a_closed_pipe_is_success() {
    let world = World::with_sample();
    world.index();
    assert_eq!(world.run_closing_stdout(&["search", "--min-score", "0", "retry"]), 0);
}

#[test]
fn status_says_what_is_covered() {
    let world = World::with_sample();
    assert_eq!(world.run(&["status"]).code, 1, "never indexed");
    world.index();
    let status = world.json(&["status", "--json"]);
    assert_eq!((status["coverage"]["files"].as_u64(), &status["stale"]), (Some(4), &Value::Bool(false)));
    std::fs::write(world.root().join("src/new.py"), "x = 1\n").unwrap();
    assert_eq!(world.json(&["status", "--json"])["stale"], true);
    assert!(world.run(&["status"]).stdout.contains("4 indexed"));
    let run = &status["last_run"];
    assert_eq!(
        (&run["indexed"], &run["failed"], &run["error"]),
        (&4.into(), &0.into(), &Value::Null),
        "{run}"
    );
}

#[test]
fn models_are_listed_described_and_measured() {
    let world = World::new();
    let names = world.json(&["model", "list", "--json"]);
    let names: Vec<&str> =
        names["models"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["static-code-128", "all-minilm"]);
    let info = world.run(&["model", "info", "all-minilm"]);
    assert!(info.stdout.contains("256 pieces") && info.stdout.contains("Apache-2.0"), "{}", info.stdout);
    for (name, least) in [("static-code-128", 0.9999), ("all-minilm", 0.998)] {
        let bench = world.json(&["model", "bench", name, "--threads", "1", "--json"]);
        assert!(bench["agreement"].as_f64().unwrap() > least, "{bench}");
        assert!(bench["threads"][0]["pieces_per_second"].as_f64().unwrap() > 0.0);
    }
    let unknown = world.run(&["model", "info", "gpt"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("wherein model list"), "{}", unknown.stderr);
}
