//! Calls beside each other, how far they are, and their end.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::world::World;

use super::Client;

/// G16: many calls at once right after the start, on a root without an index; one that is cancelled keeps nobody from the next.
#[test]
fn calls_at_once_right_after_the_start_are_all_answered() {
    let world = World::with_sample();
    let mut client = Client::ready(&world, &[]);

    for id in 100..108 {
        let (name, arguments) = match id % 4 {
            0 => ("grep", json!({"pattern": "retry"})),
            1 => ("read", json!({"path": "src/retry.py"})),
            _ => ("search", json!({"query": "retry_with_backoff"})),
        };
        client.send(&call(id, name, &arguments));
    }
    let mut answered = BTreeSet::new();
    while answered.len() < 8 {
        let answer = client.next();
        assert!(answer["result"]["isError"] != true && answer["result"].is_object(), "{answer}");
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("retry"), "{answer}");
        answered.insert(answer["id"].as_u64());
    }
    client.send(&call(200, "search", &json!({"query": "retry"})));
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 200}}));
    assert!(client.text("search", json!({"query": "retry_with_backoff"})).contains("src/retry.py"));
}

/// A tree that takes some seconds to index.
fn large(world: &World) {
    for i in 0..FILES {
        let functions = |j: usize| {
            format!(
                "def handler_{i}_{j}(request):\n    \"\"\"Handles case {j} of {i}.\"\"\"\n    return request.case({j})\n\n\n"
            )
        };
        world.write(&format!("src/part{}/module{i}.py", i % 40), (0..30).map(functions).collect::<String>());
    }
}

const FILES: usize = 1500;

fn call(id: u64, name: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": {"progressToken": "far"}}})
}

/// G2: who gives a token is told how far an index is, and only who does.
#[test]
fn who_asks_is_told_how_far_an_index_is() {
    let world = World::new();
    large(&world);
    let mut client = Client::ready(&world, &[]);
    client.send(&call(50, "search", &json!({"query": "handler_7_3"})));
    let mut told = Vec::new();
    let answer = loop {
        let message = client.next();
        if message["id"] == 50 {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress", "{message}");
        told.push(message["params"].clone());
    };
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("handler_7_3"), "{answer}");
    assert!(!told.is_empty());
    for params in &told {
        let (done, total) = (params["progress"].as_f64().unwrap(), params["total"].as_f64().unwrap());
        assert!(done <= total && total > 0.0 && params["progressToken"] == "far", "{params}");
    }
    let done = |params: &Value| params["progress"].as_f64().unwrap();
    assert!(told.is_sorted_by(|a, b| done(a) <= done(b)), "{told:?}");
}

/// An index that the client gives up stops; what it did is kept, and the next call does the rest.
#[test]
fn an_index_that_is_given_up_stops_and_keeps_what_is_done() {
    let world = World::new();
    large(&world);
    let mut client = Client::ready(&world, &["--profile", "semantic-search"]);
    client.send(&call(50, "index", &json!({"concurrency": 1})));
    assert_eq!(client.next()["method"], "notifications/progress");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 50}}));
    let report = loop {
        // One at a time: the first is still at its end.
        let result = client.tool("index", json!({}));
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        if !text.contains("already in progress") {
            break serde_json::from_str::<Value>(&text).unwrap();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let (processed, skipped) =
        (report["filesProcessed"].as_u64().unwrap(), report["filesSkipped"].as_u64().unwrap());
    assert!(processed > 0 && processed + skipped == FILES as u64, "{report}");
    assert!(client.text("search", json!({"query": "handler_1499_3"})).contains("module1499.py"));
}

/// A question that is given up takes no change with it: the next one sees it all the same.
#[test]
fn a_question_that_is_given_up_loses_no_change() {
    let world = World::new();
    for i in 0..200 {
        world.write(&format!("src/m{i}.py"), format!("def first_{i}():\n    return {i}\n"));
    }
    let mut client = Client::ready(&world, &[]);
    for _ in 0..3 {
        client.text("search", json!({"query": "first_7"}));
    }
    for round in 0..12u64 {
        let word = format!("quokka{round}x");
        for i in 0..20 {
            world.write(&format!("src/m{i}.py"), format!("def {word}_{i}():\n    return {i}\n"));
        }
        client.send(&call(1000 + round, "search", &json!({"query": "anything"})));
        std::thread::sleep(std::time::Duration::from_millis(round * 3));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1000 + round}}));
        let text = client.text("search", json!({"query": format!("{word}_3"), "min_score": 0}));
        assert!(text.contains(&format!("{word}_3")), "round {round}: {text}");
    }
}
