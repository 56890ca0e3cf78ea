//! The server over real pipes and HTTP.

mod answers;
mod calls;
mod places;
mod protocol;
mod trust;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::World;

/// Long enough for the busiest machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server with a client that waits for each answer.
struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    id: u64,
}

#[expect(clippy::needless_pass_by_value, reason = "values written where they are sent read best")]
impl Client {
    fn begin(world: &World, folder: &Path, args: &[&str]) -> Client {
        Client::of(world.command(folder, &[&["mcp"], args].concat()))
    }

    fn of(mut command: Command) -> Client {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            // Nothing but the protocol is on stdout.
            for line in stdout.lines().map_while(Result::ok) {
                drop(send.send(serde_json::from_str(&line).unwrap()));
            }
        });
        let stdin = child.stdin.take();
        Client { child, stdin, lines, id: 0 }
    }

    /// One that has shaken hands.
    fn ready(world: &World, args: &[&str]) -> Client {
        let mut client = Client::begin(world, &world.root(), args);
        client.initialize(json!({}));
        client
    }

    fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
        let answer = self.call("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    fn send_line(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).and_then(|()| stdin.flush()).unwrap();
    }

    fn next(&self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("an answer")
    }

    /// The whole answer to a request; what the server asks meanwhile is not answered.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let answer = self.next();
            if answer["id"] == id && answer.get("method").is_none() {
                return answer;
            }
        }
    }

    /// The result of a tool.
    fn tool(&mut self, name: &str, arguments: Value) -> Value {
        self.call("tools/call", json!({"name": name, "arguments": arguments}))["result"].clone()
    }

    /// The text of a tool that does not fail.
    fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.tool(name, arguments);
        assert_ne!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The text of a tool that does.
    fn refusal(&mut self, name: &str, arguments: Value) -> String {
        let result = self.tool(name, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Asks until a word is in the answer, or no more.
    fn until(&mut self, word: &str, is_there: bool, search: &Value) {
        let begin = Instant::now();
        while self.tool("search", search.clone()).to_string().contains(word) != is_there {
            assert!(begin.elapsed() < PATIENCE, "{word}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn end(&mut self) -> Option<i32> {
        drop(self.stdin.take());
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it goes on");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

const PROFILES: &[(&str, &[&str])] = &[
    ("default", &["search", "read", "grep", "status"]),
    ("semantic-search", &["search", "gather", "list_folders", "cat_file", "grep", "index"]),
    ("docs", &["search_notes"]),
    ("code", &["search_codebase", "get_chunk", "index_status", "reindex"]),
];
