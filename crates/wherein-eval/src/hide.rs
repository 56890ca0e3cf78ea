//! A copy of a corpus in which some lines are blank: a question taken from a comment must not be answered by that comment.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use wherein_engine::Snapshot;

use crate::truth::Item;

/// Lines to blank, by file.
pub fn hidden(items: &[Item]) -> BTreeMap<&str, Vec<(u32, u32)>> {
    let mut out: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    for lines in items.iter().flat_map(|item| &item.hide) {
        out.entry(&lines.path).or_default().push((lines.start_line, lines.end_line));
    }
    out
}

/// Copies every indexed file of a root, blanking lines; line numbers stay.
///
/// # Errors
/// Where a file can't be read or written.
pub fn copy(
    root: &Path,
    snapshot: &Snapshot,
    hidden: &BTreeMap<&str, Vec<(u32, u32)>>,
    to: &Path,
) -> anyhow::Result<()> {
    for (at, file) in snapshot.files().iter().enumerate() {
        if file.skip().is_some() {
            continue;
        }
        let path = snapshot.path(at);
        let (from, target) = (root.join(path), to.join(path));
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        let content = std::fs::read(&from).with_context(|| format!("read {}", from.display()))?;
        let content = match hidden.get(path) {
            Some(lines) => blank(&content, lines),
            None => content,
        };
        std::fs::write(&target, content).with_context(|| format!("write {}", target.display()))?;
    }
    Ok(())
}

/// A text without some lines' contents.
fn blank(content: &[u8], lines: &[(u32, u32)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(content.len());
    for (number, line) in (1u32..).zip(content.split_inclusive(|b| *b == b'\n')) {
        if !lines.iter().any(|(first, last)| (*first..=*last).contains(&number)) {
            out.extend_from_slice(line);
        } else if line.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn blank_lines_keep_their_numbers() {
        assert_eq!(super::blank(b"a\nb\nc\nd", &[(2, 2), (4, 9)]), b"a\n\nc\n");
    }
}
