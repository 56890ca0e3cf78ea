//! What is spoken: every revision, what is malformed, schemas, and how it ends.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::world::World;

use super::{Client, PROFILES};

/// G10, G11: every revision is answered, an unknown one or none with one that is spoken.
#[test]
fn every_revision_is_spoken() {
    let world = World::with_sample();
    for (asked, spoken) in [
        (json!("2024-11-05"), "2024-11-05"),
        (json!("2025-03-26"), "2025-03-26"),
        (json!("2025-06-18"), "2025-06-18"),
        (json!("2025-11-25"), "2025-11-25"),
        (json!("2026-07-28"), "2025-11-25"),
        (json!("1999"), "2025-11-25"),
        (Value::Null, "2024-11-05"),
    ] {
        let mut client = Client::begin(&world, &world.root(), &[]);
        let mut params = json!({"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        if !asked.is_null() {
            params["protocolVersion"] = asked.clone();
        }
        let answer = client.call("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], spoken, "{asked}: {answer}");
        assert_eq!(client.call("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 4);
    }
}

pub(super) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// G11: the revision without a handshake, alone and beside the one with it, in either order.
#[test]
fn the_revision_without_a_handshake_is_spoken_too() {
    let world = World::with_sample();
    let search = || json!({"name": "search", "arguments": {"query": "retry_with_backoff"}, "_meta": meta()});
    // Alone.
    let mut client = Client::begin(&world, &world.root(), &[]);
    let found = client.call("tools/call", search());
    assert_eq!(found["result"]["structuredContent"]["results"][0]["path"], "src/retry.py", "{found}");
    // A question about the server, then the handshake all the same.
    let mut client = Client::begin(&world, &world.root(), &[]);
    let about = client.call("server/discover", json!({"_meta": meta()}));
    assert!(
        about["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{about}"
    );
    assert_eq!(client.initialize(json!({}))["result"]["protocolVersion"], "2025-06-18");
    assert!(client.text("search", json!({"query": "retry_with_backoff"})).contains("src/retry.py"));
    // The other way round.
    let about = client.call("server/discover", json!({"_meta": meta()}));
    assert!(about["result"]["supportedVersions"].is_array(), "{about}");
    // Neither: an error that says so, and the connection goes on.
    let mut client = Client::begin(&world, &world.root(), &[]);
    assert!(client.call("tools/list", json!({}))["error"]["message"].is_string());
    assert!(client.initialize(json!({}))["result"].is_object());
}

/// G4: the end of the input, a reader that is gone, and the system's word end it, with success and at once.
#[cfg(unix)]
#[test]
fn it_ends_when_it_should() {
    let world = World::with_sample();
    let mut early = Client::begin(&world, &world.root(), &[]);
    assert_eq!(early.end(), Some(0));
    let mut client = Client::ready(&world, &[]);
    client.text("search", json!({"query": "retry"}));
    assert_eq!(client.end(), Some(0));
    let mut told = Client::ready(&world, &[]);
    let sent = std::process::Command::new("kill").arg(told.child.id().to_string()).status();
    assert!(sent.unwrap().success());
    assert_eq!(told.child.wait().unwrap().code(), Some(0));
    // Only its output is closed: the next answer has nowhere to go.
    let mut command = world.command(&world.root(), &["mcp"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// G7: one scalar type a field, items for every array, `properties` always, nothing that refers elsewhere.
#[test]
fn schemas_are_plain_enough_for_the_strictest_client() {
    fn lint(at: &str, schema: &Value) {
        let object = schema.as_object().unwrap_or_else(|| panic!("{at}: no object"));
        let known = ["type", "properties", "required", "items", "enum", "description", "minimum", "maximum"];
        let odd: Vec<&String> = object.keys().filter(|key| !known.contains(&key.as_str())).collect();
        assert!(odd.is_empty(), "{at}: {odd:?}");
        match object["type"].as_str().unwrap_or_else(|| panic!("{at}: no single type")) {
            "object" => {
                for (name, property) in object["properties"].as_object().unwrap() {
                    assert!(property["description"].is_string(), "{at}.{name}");
                    lint(&format!("{at}.{name}"), property);
                }
            }
            "array" => lint(&format!("{at}[]"), &object["items"]),
            "string" | "integer" | "number" | "boolean" => {}
            other => panic!("{at}: {other}"),
        }
    }
    let world = World::with_sample();
    for (profile, _) in PROFILES {
        let mut client = Client::ready(&world, &["--profile", profile]);
        for tool in client.call("tools/list", json!({}))["result"]["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            assert_eq!(tool["inputSchema"]["type"], "object");
            lint(name, &tool["inputSchema"]);
            assert!(tool.get("outputSchema").is_none() && tool["description"].as_str().unwrap().len() > 20);
            let keys: BTreeSet<&String> =
                tool["inputSchema"]["properties"].as_object().unwrap().keys().collect();
            let required = tool["inputSchema"]["required"].as_array().into_iter().flatten();
            assert!(required.map(|r| r.as_str().unwrap().to_owned()).all(|r| keys.contains(&r)));
        }
    }
}

/// Whatever comes in, an error goes out, and the next good call works.
#[test]
fn malformed_messages_get_an_error_each() {
    let world = World::with_sample();
    let mut client = Client::ready(&world, &[]);
    client.text("search", json!({"query": "retry"}));
    let good = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "x"}}});
    let good = good.to_string();
    let mut seed = 7u64;
    let mut random = |below: usize| {
        // Knuth's MMIX generator.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut sent = 0;
    for round in 0..10_000 {
        let line: Vec<u8> = match round % 5 {
            // Cut short.
            0 => good.as_bytes()[..1 + random(good.len() - 1)].to_vec(),
            // Any bytes that are no JSON.
            1 => [b"\xff{".to_vec(), (0..random(60)).map(|_| 32 + random(90) as u8).collect()].concat(),
            // No such method, no such tool, arguments of another kind.
            2 => json!({"jsonrpc": "2.0", "id": round, "method": format!("no/{}", random(9))})
                .to_string()
                .into_bytes(),
            3 => {
                json!({"jsonrpc": "2.0", "id": round, "method": "tools/call", "params": {"name": random(9)}})
                    .to_string()
                    .into_bytes()
            }
            _ => json!([1, null, {"jsonrpc": random(5)}]).to_string().into_bytes(),
        };
        client.send_line(&line);
        sent += 1;
    }
    for _ in 0..sent {
        let answer = client.next();
        assert!(answer["error"]["message"].is_string(), "{answer}");
    }
    assert!(client.text("search", json!({"query": "retry_with_backoff"})).contains("src/retry.py"));
}

/// A batch of revision 2025-03-26 is answered message by message; a text that is no text spoils only itself.
#[test]
fn batches_and_broken_text_are_answered() {
    let world = World::with_sample();
    let mut client = Client::ready(&world, &[]);
    client.send(&json!([{"jsonrpc": "2.0", "id": 71, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/x"}, {"jsonrpc": "2.0", "id": 72, "method": "ping"}]));
    assert_eq!((client.next()["id"].clone(), client.next()["id"].clone()), (json!(71), json!(72)));
    client.send(&json!([]));
    assert!(client.next()["error"].is_object());
    client.send_line(br#"{"jsonrpc":"2.0","id":73,"method":"tools/call","params":{"name":"search","arguments":{"query":"a\ud800b"}}}"#);
    let answer = client.next();
    assert!(answer["id"] == 73 && answer["error"].is_object(), "{answer}");
    // A response is nobody's request.
    client.send_line(br#"{"jsonrpc":"2.0","id":74,"result":{},"x":"\ud800"}"#);
    assert!(client.next()["id"].is_null());
}
