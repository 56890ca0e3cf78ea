//! A copy of a corpus in which some lines are blank: a question taken from a comment must not be answered by that comment.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use wherein_engine::{Engine, Snapshot};

use crate::truth::Item;

/// Lines to blank, by file.
pub fn hidden(items: &[Item]) -> BTreeMap<&str, Vec<(u32, u32)>> {
    let mut out: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    for lines in items.iter().flat_map(|item| &item.hide) {
        out.entry(&lines.path).or_default().push((lines.start_line, lines.end_line));
    }
    out
}

/// Copies the text of every indexed file of a root, blanking lines; line numbers stay.
///
/// # Errors
/// Where a file is gone or can't be written.
pub fn copy(
    engine: &Engine,
    snapshot: &Snapshot,
    hidden: &BTreeMap<&str, Vec<(u32, u32)>>,
    to: &Path,
) -> anyhow::Result<()> {
    for (at, file) in snapshot.files().iter().enumerate() {
        if file.skip().is_some() {
            continue;
        }
        let path = snapshot.path(at);
        let target = to.join(path);
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let text = engine.text(path).with_context(|| format!("{path} is gone since it was indexed"))?;
        let content = match hidden.get(path) {
            Some(lines) => blank(&text, lines),
            None => text,
        };
        std::fs::write(&target, content).with_context(|| format!("write {}", target.display()))?;
    }
    Ok(())
}

/// A text without some lines' contents.
fn blank(content: &str, lines: &[(u32, u32)]) -> String {
    let mut out = String::with_capacity(content.len());
    for (number, line) in (1u32..).zip(content.split_inclusive('\n')) {
        if !lines.iter().any(|(first, last)| (*first..=*last).contains(&number)) {
            out.push_str(line);
        } else if line.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn blank_lines_keep_their_numbers() {
        assert_eq!(super::blank("a\nb\nc\nd", &[(2, 2), (4, 9)]), "a\n\nc\n");
    }
}
