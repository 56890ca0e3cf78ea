//! `wherein config --keys`: every key and environment variable, as the page docs/configuration.md.

use crate::settings::variables;
use crate::{corpus, project};

const HEAD: &str = "\
# Configuration

Nothing needs to be configured. This page is written by `wherein config --keys`; a test compares the two.

What is said at several places counts in this order: a flag, an environment variable, the project's file, the user's file, the default.
Paths in a file are meant from the file's own folder. Keys that wherein does not know are kept.
";

/// The page.
pub(super) fn page() -> String {
    let mut out = HEAD.to_owned();
    section(
        &mut out,
        "The user's file",
        "`$XDG_CONFIG_HOME/wherein/config.json` (by default `~/.config/wherein/config.json`); where only semantic-search-mcp's \
         `semantic-search/config.json` is there, that one.",
    );
    table(
        &mut out,
        &["key", "what it is for"],
        corpus::KEYS.iter().map(|(key, what)| [code(key), (*what).to_owned()]),
    );
    line(&mut out, "Keys of semantic-search-mcp that change nothing here:");
    let without = corpus::WITHOUT_EFFECT.iter().map(|(key, why)| [code(key), (*why).to_owned()]);
    table(&mut out, &["keys", "why"], without);
    section(
        &mut out,
        "A project's file",
        "The first of these that lies in a folder makes the folder a project: `.wherein.toml`, `.rag/config.json` (docs-rag-mcp), \
         `rag.config.json` (code-search-mcp). It comes with the project, so it can only narrow and order: it names no server, no \
         program and no folder outside.",
    );
    let rows = project::KEYS.iter().map(|(file, key, what)| [code(file), code(key), (*what).to_owned()]);
    table(&mut out, &["file", "key", "what it is for"], rows);
    line(&mut out, "Keys of the programs before that change nothing here:");
    let rows =
        project::WITHOUT_EFFECT.iter().map(|(file, key, why)| [code(file), code(key), (*why).to_owned()]);
    table(&mut out, &["file", "keys", "why"], rows);
    section(
        &mut out,
        "Ignore files",
        "`.gitignore` and what else git knows decide inside git work trees. `.indexignore`, in the same syntax, leaves out what git has: \
         in any folder, and for all roots in `$XDG_CONFIG_HOME/wherein/.indexignore`.",
    );
    section(&mut out, "Environment variables", "An empty value counts as none.");
    table(
        &mut out,
        &["variable", "what it is for"],
        variables::ALL.iter().map(|(name, what)| [code(name), (*what).to_owned()]),
    );
    line(&mut out, "Variables of the programs before that change nothing here:");
    let without = variables::WITHOUT_EFFECT.iter().map(|(name, why)| [code(name), (*why).to_owned()]);
    table(&mut out, &["variable", "why"], without);
    out
}

fn section(out: &mut String, title: &str, text: &str) {
    line(out, &format!("## {title}"));
    line(out, text);
}

fn line(out: &mut String, text: &str) {
    *out += &format!("\n{text}\n");
}

fn table<const N: usize>(out: &mut String, head: &[&str; N], rows: impl Iterator<Item = [String; N]>) {
    line(out, &format!("| {} |", head.join(" | ")));
    *out += &format!("|{}\n", "---|".repeat(N));
    for row in rows {
        *out += &format!("| {} |\n", row.join(" | "));
    }
}

/// Names, each as code.
fn code(names: &str) -> String {
    names.split(", ").map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
