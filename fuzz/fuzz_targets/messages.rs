//! Any bytes as what a client sends: each line is a message or gets an error, and arguments become what a schema says or are refused.
#![no_main]

#[path = "../../crates/wherein/src/mcp/lines.rs"]
mod lines;
#[expect(dead_code, reason = "of the server only what reads is fuzzed")]
#[path = "../../crates/wherein/src/mcp/schema.rs"]
mod schema;

use libfuzzer_sys::fuzz_target;
use rmcp::transport::Transport;
use schema::{Arguments, Param};

const PARAMS: &[Param] = &[
    Param::text("query", "").required(),
    Param::texts("path", ""),
    Param::words("in", &["code", "docs"], ""),
    Param::count("k", (1, 100), ""),
    Param::share("min_score", ""),
    Param::flag("all", ""),
];

fuzz_target!(|bytes: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut lines = lines::Lines::new(bytes, tokio::io::sink());
        while lines.receive().await.is_some() {}
    });
    if let Ok(given) = serde_json::from_slice::<rmcp::model::JsonObject>(bytes)
        && let Ok(arguments) = Arguments::new(PARAMS, Some(given.clone()))
    {
        // Text is left alone, numbers are within their bounds.
        assert!(given["query"].as_str().is_none_or(|text| arguments.text("query") == Some(text)));
        assert!(arguments.count("k").is_none_or(|k| (1..=100).contains(&k)));
    }
});
