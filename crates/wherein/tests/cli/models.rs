//! Models that are not in the program: added from a folder, fetched from a hub, run by a server.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::server::{Request, Response, serve};
use crate::world::{Output, World};

/// A tiny model with random weights.
fn tiny(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../wherein-engine/tests/models").join(name)
}

fn run(world: &World, variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = world.command(&world.root(), args);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    Output {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

fn json_of(output: &Output) -> Value {
    assert_eq!(output.code, 0, "{} {}", output.stdout, output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

#[test]
fn a_model_from_a_folder_makes_the_deep_vectors() {
    let world = World::with_sample();
    let added =
        world.json(&["model", "add", tiny("xlm-roberta").to_str().unwrap(), "--name", "tiny", "--json"]);
    assert_eq!((&added["dimensions"], &added["is_known"]), (&json!(16), &json!(false)));
    assert_eq!((&added["question_prefix"], &added["pooling"]), (&json!("query: "), &json!("mean")));
    let with = [("WHEREIN_DEEP_MODEL", "tiny")];
    let out = run(&world, &with, &["index"]);
    assert!(out.code == 0 && out.stderr.contains("nobody has checked"), "{}", out.stderr);
    let answer = json_of(&run(&world, &with, &["search", "--json", "rollback of a release"]));
    assert_eq!(answer["coverage"]["deep"], 1.0);
    // The vectors of one model are nothing to another.
    assert_eq!(world.json(&["search", "--json", "rollback"])["coverage"]["deep"], 0.0);
    let status = world.run(&["status"]);
    assert!(status.stdout.contains("tiny@") && status.stdout.contains("wherein index"), "{}", status.stdout);
    assert_eq!(world.json(&["index", "--json"])["roots"][0]["deep"]["embedded"], 2);
    assert_eq!(world.json(&["search", "--json", "rollback"])["coverage"]["deep"], 1.0);
    let bench = json_of(&run(&world, &[], &["model", "bench", "tiny", "--threads", "1", "--json"]));
    assert!(bench["agreement"].as_f64().unwrap() > 0.99, "{bench}");
}

#[test]
fn what_is_no_model_is_named_and_leaves_nothing() {
    let world = World::with_sample();
    let refused = |args: &[&str], word: &str| {
        let out = world.run(args);
        assert!(out.code == 1 && out.stderr.contains(word), "{args:?}: {} {}", out.code, out.stderr);
    };
    refused(&["model", "add", "docs"], "config.json");
    refused(&["model", "add", "bge-small"], "--download");
    refused(&["model", "add", "nonsense"], "model list");
    refused(&["model", "add", tiny("bert").to_str().unwrap(), "--name", "all-minilm"], "--name");
    for name in [".", "..", "a/b", "x.part"] {
        refused(&["model", "add", tiny("bert").to_str().unwrap(), "--name", name], "no name");
    }
    refused(&["model", "info", "nonsense"], "model list");
    let out = run(&world, &[("WHEREIN_DEEP_MODEL", "bge-small")], &["search", "retry"]);
    assert!(out.code == 1 && out.stderr.contains("model add"), "{}", out.stderr);
    let out = run(&world, &[("HF_HUB_OFFLINE", "1")], &["model", "add", "bge-small", "--download"]);
    assert!(out.code == 1 && out.stderr.contains("HF_HUB_OFFLINE"), "{}", out.stderr);
    let listed = world.json(&["model", "list", "--json"]);
    assert_eq!(listed["models"].as_array().unwrap().len(), 2);
    assert!(listed["known"].as_array().unwrap().iter().any(|m| m["name"] == "bge-m3"));
}

/// A hub with one model, whose weights break off at the first try.
fn hub(checksum: &'static str) -> (String, Arc<AtomicUsize>) {
    let ranges = Arc::new(AtomicUsize::new(0));
    let (count, broke) = (Arc::clone(&ranges), AtomicBool::new(false));
    let url = serve(move |request: &Request| {
        // Large files lie elsewhere; their checksum is named on the way there.
        if request.path == "/owner/tiny/resolve/main/model.safetensors" {
            let headers =
                format!("Location: /elsewhere/model.safetensors\r\nX-Linked-ETag: \"{checksum}\"\r\n");
            return Response { headers, ..Response::new(302, "") };
        }
        let path = request.path.replace("/elsewhere/", "/owner/tiny/resolve/main/");
        let Some(file) = path.strip_prefix("/owner/tiny/resolve/main/") else {
            return Response::new(404, "no such model");
        };
        let Ok(bytes) = std::fs::read(tiny("bert").join(file)) else {
            return Response::new(404, "no such file");
        };
        let from =
            request.headers.split("range: bytes=").nth(1).and_then(|r| r.split('-').next()?.parse().ok());
        let from: usize = from.unwrap_or(0);
        count.fetch_add(usize::from(from > 0), Ordering::SeqCst);
        let mut response = Response::new(if from > 0 { 206 } else { 200 }, &bytes[from..]);
        if file == "model.safetensors" && !broke.swap(true, Ordering::SeqCst) {
            response.sent /= 2;
        }
        response
    });
    (url, ranges)
}

#[test]
fn a_download_goes_on_where_it_broke_off_and_is_checked() {
    let world = World::new();
    let add = ["model", "add", "owner/tiny", "--download"];
    let (url, ranges) = hub("");
    let first = run(&world, &[("HF_ENDPOINT", &url)], &add);
    assert!(first.code == 1 && first.stderr.contains("goes on"), "{}", first.stderr);
    let second = run(&world, &[("HF_ENDPOINT", &url), ("RAG_ALLOW_DOWNLOAD", "1")], &add[..3]);
    assert_eq!((second.code, ranges.load(Ordering::SeqCst)), (0, 1), "{}", second.stderr);
    assert_eq!(world.json(&["model", "info", "tiny", "--json"])["pooling"], "cls");
    // Another checksum than the hub's.
    let (url, _) = hub("0000000000000000000000000000000000000000000000000000000000000000");
    let wrong = |_| run(&world, &[("HF_ENDPOINT", url.as_str())], &add);
    let tries: Vec<Output> = (0..2).map(wrong).collect();
    assert!(tries.iter().any(|out| out.code == 1 && out.stderr.contains("checksum")), "{tries:?}");
    // A proxy that wants a login.
    let proxy =
        serve(|_| Response { headers: "Content-Type: text/html\r\n".into(), ..Response::new(200, "<html>") });
    let out = run(&world, &[("HF_ENDPOINT", &proxy)], &["model", "add", "owner/other", "--download"]);
    assert!(out.code == 1 && out.stderr.contains("web page"), "{}", out.stderr);
    assert_eq!(world.json(&["model", "list", "--json"])["models"].as_array().unwrap().len(), 3);
}

#[test]
fn a_server_makes_the_deep_vectors_and_may_be_down() {
    let world = World::with_sample();
    let down = Arc::new(AtomicBool::new(false));
    let is_down = Arc::clone(&down);
    let url = serve(move |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        if is_down.load(Ordering::SeqCst) {
            return Response::new(400, json!({"error": "model is gone"}).to_string());
        }
        assert_eq!(request.path, "/api/embed");
        let vector = |text: &Value| {
            let text = text.as_str().unwrap();
            // Of two models that are known one has prefixes.
            assert!(text.starts_with("search_"), "{text}");
            let count = |letter: char| text.matches(letter).count() as f32 + 0.1;
            json!([count('a'), count('e'), count('r'), count('t')])
        };
        let vectors: Vec<Value> = body["input"].as_array().unwrap().iter().map(vector).collect();
        Response::new(200, json!({"embeddings": vectors}).to_string())
    });
    let with = [
        ("WHEREIN_DEEP_PROVIDER", "ollama"),
        ("WHEREIN_DEEP_MODEL", "nomic-embed-text"),
        ("WHEREIN_DEEP_URL", url.as_str()),
    ];
    let report = json_of(&run(&world, &with, &["index", "--json"]));
    assert_eq!(report["roots"][0]["deep"]["embedded"], 2, "{report}");
    let ask =
        |question: &str| json_of(&run(&world, &with, &["search", "--json", "--min-score", "0", question]));
    // "Former" stands nowhere.
    let uncovered = "put the former image back and retry the health check";
    let deploy = |answer: &Value| {
        let hits = answer["results"].as_array().unwrap().clone();
        hits.into_iter().find(|hit| hit["path"] == "docs/deploy.md").unwrap()
    };
    let answer = ask(uncovered);
    assert!(deploy(&answer)["signals"]["deep"].is_number() && answer["notes"].is_null(), "{answer}");
    down.store(true, Ordering::SeqCst);
    let answer = ask(uncovered);
    assert!(deploy(&answer)["signals"]["deep"].is_null(), "{answer}");
    assert!(answer["notes"][0].as_str().unwrap().contains("model is gone"), "{answer}");
    // What a passage says in these very words needs no model.
    let answer = ask("put the previous image back");
    assert_eq!((&answer["results"][0]["path"], &answer["notes"]), (&json!("docs/deploy.md"), &Value::Null));
    world.write("docs/new.md", "# New\n\nSomething to embed.\n");
    let out = run(&world, &with, &["index"]);
    assert!(out.code == 3 && out.stderr.contains("model is gone"), "{} {}", out.code, out.stderr);
    assert_eq!(
        json_of(&run(&world, &with, &["search", "--json", "something to embed"]))["results"][0]["path"],
        "docs/new.md"
    );
}

#[test]
fn a_cross_encoder_orders_the_page_and_nothing_else() {
    let world = World::with_sample();
    for i in 0..6 {
        world.write(
            &format!("docs/d{i}.md"),
            format!("# Release {i}\n\nRoll out release {i}, then check it {}.\n", "again ".repeat(i)),
        );
    }
    let question = "roll out a release";
    let out = world.run(&["search", "--rerank", question]);
    assert!(out.code == 1 && out.stderr.contains("RAG_RERANK_MODEL"), "{}", out.stderr);
    let added =
        world.json(&["model", "add", tiny("cross-encoder").to_str().unwrap(), "--name", "judge", "--json"]);
    assert_eq!(added["tier"], "rerank");
    let with = [("RAG_RERANK_MODEL", "judge")];
    let plain = json_of(&run(&world, &with, &["search", "--json", "-k", "3", question]));
    let again = json_of(&run(&world, &with, &["search", "--json", "-k", "3", "--rerank", question]));
    let environment = [("RAG_RERANK_MODEL", "judge"), ("RAG_RERANK", "1")];
    let third = json_of(&run(&world, &environment, &["search", "--json", "-k", "3", question]));
    assert_eq!(
        (&again["results"], &plain["results"][0]["signals"]["rerank"]),
        (&third["results"], &Value::Null)
    );
    let opinions = |answer: &Value, key: &str| -> Vec<f64> {
        let hits = answer["results"].as_array().unwrap().iter();
        hits.map(|hit| if key == "score" { &hit[key] } else { &hit["signals"][key] }.as_f64().unwrap())
            .collect()
    };
    for key in ["rerank", "score"] {
        assert!(opinions(&again, key).is_sorted_by(|a, b| a >= b), "{key}: {again}");
    }
    assert_eq!(opinions(&again, "rerank").len(), 3);
    // Nothing stays nothing.
    let nothing =
        json_of(&run(&world, &with, &["search", "--json", "--rerank", "pollen forecast by region"]));
    assert_eq!(nothing["answer"], "nothing");
    let out = run(&world, &[("RAG_RERANK_MODEL", "judge"), ("WHEREIN_DEEP_MODEL", "judge")], &["index"]);
    assert!(out.stderr.contains("--rerank"), "{}", out.stderr);
}
