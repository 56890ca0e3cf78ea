//! Ranking as users see it: what explains it, what orders and narrows it, what judges it.

use std::fs;

use serde_json::Value;

use crate::world::World;

fn paths(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|h| h["path"].as_str().unwrap()).collect()
}

#[test]
fn an_explanation_adds_up_and_follows_a_file_that_is_not_shown() {
    let world = World::with_sample();
    let args = ["search", "call again and wait longer each time", "-k", "1", "--json", "--explain-path"];
    let answer = world.json(&[&args[..], &["docs/deploy.md"]].concat());
    assert_eq!(paths(&answer), ["src/retry.py"]);
    assert!(!answer["results"][0]["explain"].as_array().unwrap().is_empty());
    let explained = &answer["explained"];
    assert_eq!(explained["fate"], "below_page");
    assert!(explained["rank"].as_u64().unwrap() > 1);
    let sum: f64 = (explained["terms"].as_array().unwrap().iter())
        .map(|t| t["value"].as_f64().unwrap() * t["weight"].as_f64().unwrap())
        .sum();
    assert!(sum.is_finite() && !explained["terms"].as_array().unwrap().is_empty());
    let missing = world.json(&[&args[..], &["no/such.py"]].concat());
    assert_eq!(missing["explained"]["fate"], "not_indexed");
    let outside = world.json(&[&args[..], &["docs/deploy.md", "--in", "code"]].concat());
    assert_eq!(outside["explained"]["fate"], "out_of_scope");
    let elsewhere = world.run(&[&args[..], &["/nowhere/at/all.py"]].concat());
    assert_eq!(elsewhere.code, 1);
    assert!(elsewhere.stdout.contains("in none of the folders that are searched"), "{}", elsewhere.stdout);
}

#[test]
fn related_passages_are_other_files_of_the_same_matter() {
    let world = World::with_sample();
    world.write("src/retry_policy.py", "class RetryPolicy:\n    '''How many attempts a call gets, and how long to sleep after a failure.'''\n    attempts = 5\n\n    def backoff(self, attempt):\n        return 2 ** attempt\n");
    let answer = world.json(&["related", "src/retry.py:5", "--json"]);
    assert_eq!(paths(&answer)[0], "src/retry_policy.py");
    assert!(!paths(&answer).contains(&"src/retry.py"));
    let out = world.run(&["related", "src/retry.py:900"]);
    assert_eq!(out.code, 1);
    assert!(out.stderr.contains("line 900 of src/retry.py"), "{}", out.stderr);
    assert_eq!(world.run(&["related", "src/retry.py"]).code, 2);
}

#[test]
fn a_root_says_what_is_left_out_and_what_rises() {
    let world = World::new();
    for folder in ["archive", "guides", "notes"] {
        world.write(&format!("{folder}/retry.md"), "# Retry\n\nHow failed calls are tried again.\n");
    }
    world.write(
        ".wherein.toml",
        "[search]\ndefault_exclude = [\"archive/\"]\n[search.path_boosts]\n\"notes/\" = 1.5\n",
    );
    let answer = world.json(&["search", "failed calls tried again", "--json"]);
    assert_eq!(paths(&answer), ["notes/retry.md", "guides/retry.md"]);
    let all = world.json(&["search", "failed calls tried again", "--json", "--all"]);
    assert!(paths(&all).contains(&"archive/retry.md"));
    let truth = world.home().join("truth.json");
    fs::write(&truth, r#"[{"query": "failed calls tried again", "relevant": ["archive/retry.md"]}]"#)
        .unwrap();
    let run = world.json(&["eval", truth.to_str().unwrap(), "--json"]);
    assert_eq!(run["total"]["ndcg10"], 0.0, "judged as it is searched");
    world.write(".wherein.toml", "[search]\npath_boosts = 3\n");
    let out = world.run(&["search", "failed calls"]);
    assert_eq!(out.code, 1);
    assert!(out.stderr.contains(".wherein.toml"), "{}", out.stderr);
}

#[test]
fn a_truth_set_is_judged_compared_and_shown() {
    let world = World::with_sample();
    world.write("truth.json", r#"[
        {"query": "call again waiting longer", "relevant": [{"path": "src/retry.py", "start_line": 4, "end_line": 11, "symbol": "retry_with_backoff"}], "category": "semantic"},
        {"query": "put the previous image back", "relevant": ["docs/deploy.md"], "category": "docs"},
        {"query": "zebra pancake velocipede", "relevant": []}
    ]"#);
    world.write(".indexignore", "truth.json\nbefore.json\n");
    let run = world.json(&["eval", "truth.json", "--json"]);
    assert_eq!(run["total"]["ndcg10"], 1.0);
    assert_eq!(run["total"]["absent"], serde_json::json!([1, 1]));
    assert_eq!(run["total"]["symbol_hit5"], 1.0);
    assert!(run["grep"]["hit5"].as_f64().unwrap() > 0.0);
    assert_eq!(run["queries"].as_array().unwrap().len(), 3);
    world.write("before.json", run.to_string());
    fs::remove_file(world.root().join("docs/deploy.md")).unwrap();
    let after = world.json(&["eval", "truth.json", "--json", "--compare", "before.json"]);
    assert_eq!(after["changed"][0]["query"], "put the previous image back");
    let table = world.run(&["eval", "truth.json", "--compare", "before.json"]);
    assert!(table.stdout.contains("1 questions are answered worse"), "{}", table.stdout);
    let shown = world.run(&["eval", "truth.json", "--show", "1"]);
    assert!(
        shown.stdout.contains("coverage") && shown.stdout.contains("is in the answer"),
        "{}",
        shown.stdout
    );
    let out = world.run(&["eval", "README.md"]);
    assert_eq!(out.code, 1);
    assert!(out.stderr.contains("is no truth set"), "{}", out.stderr);
}

#[test]
fn a_made_set_hides_what_it_was_made_of() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-qm", "Keep sessions in a cache of their own"]);
    let made = world.run(&["eval", "--make", "."]);
    assert!(made.stderr.contains("A made set shows"), "{}", made.stderr);
    let items: Vec<Value> = serde_json::from_str(&made.stdout).unwrap();
    let comment = items.iter().find(|i| i["category"] == "comment").unwrap();
    assert_eq!(comment["query"], "Call again after a failure, waiting longer each time");
    assert_eq!(comment["hide"][0]["start_line"], 5);
    let truth = world.home().join("made.json");
    fs::write(&truth, made.stdout).unwrap();
    let out = world.run(&["eval", truth.to_str().unwrap(), "--json"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stderr.contains("copy"), "{}", out.stderr);
    let run: Value = serde_json::from_str(&out.stdout).unwrap();
    assert_eq!(run["queries"].as_array().unwrap().len(), items.len());
    // Nothing of the run is left where the corpus is.
    assert_eq!(world.run(&["status", "--json"]).code, 0);
}

#[test]
fn answers_are_the_same_from_process_to_process() {
    let world = World::with_sample();
    for i in 0..30 {
        world.write(&format!("same/copy{i}.py"), "def retry_with_backoff():\n    return 1\n");
    }
    let ask = || {
        let mut answer = world.json(&["search", "retry with backoff", "--json", "--explain", "-k", "20"]);
        answer["took_ms"] = Value::Null;
        answer.to_string()
    };
    let first = ask();
    for _ in 0..5 {
        assert_eq!(ask(), first);
    }
}

#[test]
fn a_small_folder_fills_its_page_and_a_rare_name_is_first() {
    let world = World::new();
    let text: String = (0..400).map(|i| format!("def handle_request_{i}(queue):\n    '''Handles one request of the queue.'''\n    return queue.pop({i})\n\n")).collect();
    for i in 0..20 {
        world.write(&format!("big/part{i}.py"), &text);
    }
    for i in 0..12 {
        world.write(
            &format!("small/one{i}.py"),
            format!("def other_{i}(queue):\n    return queue.push({i})\n"),
        );
    }
    world.write("big/errors.py", "ERRORS = {\n    'ERR_ZORBLATT_7741': 'queue is full',\n}\n");
    world.write("big/retry_budget.py", "class RetryBudget:\n    '''Budgets how often to retry.'''\n");
    world.write("big/zz.py", "def stop(log):\n    log.info('retry_budget_left over')\n    return log\n");
    let page = world.json(&[
        "search",
        "handles one request of the queue",
        "--json",
        "--path",
        "small/**",
        "--min-score",
        "0",
    ]);
    assert_eq!(page["results"].as_array().unwrap().len(), 10);
    assert!(paths(&page).iter().all(|p| p.starts_with("small/")));
    for query in ["ERR_ZORBLATT_7741", "what does ERR_ZORBLATT_7741 mean for a request"] {
        assert_eq!(world.found(query)[0], "big/errors.py", "{query}");
    }
    assert_eq!(
        world.found("retry_budget_left")[0],
        "big/zz.py",
        "a mention of the name before a likeness of it"
    );
}
