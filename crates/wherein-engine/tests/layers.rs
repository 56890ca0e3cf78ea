//! The rooms' walls: which room may name which, read from the `use` lines against the table of docs/architecture.md.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own tree fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Room → rooms it may use; `types` and `error` are everybody's.
const MAY_USE: &[(&str, &[&str])] = &[
    ("types", &[]),
    ("error", &[]),
    ("config", &[]),
    ("lang", &[]),
    ("text", &[]),
    ("extract", &["lang"]),
    ("source", &["config", "lang", "extract"]),
    ("chunk", &["config", "lang", "extract"]),
    ("embed", &["config"]),
    ("lexical", &["text"]),
    ("vector", &[]),
    ("store", &["lexical", "vector", "text", "lang", "source"]),
    ("rank", &["text", "lang"]),
    (
        "index",
        &["config", "lang", "text", "source", "extract", "chunk", "embed", "lexical", "vector", "store"],
    ),
    (
        "search",
        &[
            "config", "lang", "text", "source", "extract", "chunk", "embed", "lexical", "vector", "store",
            "rank",
        ],
    ),
];

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("samples") {
            continue;
        }
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

/// The code of a file without its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

fn room_of(src: &Path, path: &Path) -> String {
    let first = path.strip_prefix(src).unwrap().components().next().unwrap();
    first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
}

#[test]
fn rooms_use_only_what_they_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    for file in files.iter().filter(|f| !f.ends_with("lib.rs")) {
        let room = room_of(&src, file);
        let allowed = table.get(room.as_str()).unwrap_or_else(|| panic!("{room} is no room of the table"));
        for (number, line) in code(file).lines().enumerate() {
            for used in line.split("crate::").skip(1) {
                let used: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let facade = used.chars().next().is_some_and(char::is_uppercase);
                let fine = facade
                    || used == room
                    || used == "types"
                    || used == "error"
                    || allowed.contains(&used.as_str());
                if !fine && !line.trim_start().starts_with("//") {
                    wrong.push(format!("{}:{}: {room} uses {used}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_the_store_names_the_storage_library_and_only_three_rooms_are_unsafe() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    for file in files {
        let (room, code) = (room_of(&src, &file), code(&file));
        for library in ["tantivy::", "memmap2::"] {
            assert!(room == "store" || !code.contains(library), "{} names {library}", file.display());
        }
        assert!(
            ["store", "vector", "embed"].contains(&room.as_str()) || !code.contains("unsafe {"),
            "{} is unsafe",
            file.display()
        );
        for shell in ["println!", "eprintln!", "std::env::", "clap::", "tokio::", "anyhow::"] {
            assert!(!code.contains(shell), "{} uses {shell}: the engine is silent", file.display());
        }
    }
}
