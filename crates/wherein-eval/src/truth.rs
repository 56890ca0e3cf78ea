//! Truth sets: queries with the passages that answer them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

/// One query.
#[derive(Debug, Deserialize)]
pub(crate) struct Item {
    /// What is asked.
    pub(crate) query: String,
    #[serde(default)]
    relevant: Vec<Target>,
    #[serde(default)]
    secondary: Vec<Target>,
    /// Kind of query, for the tables.
    #[serde(default)]
    pub(crate) category: String,
    /// One target is enough.
    #[serde(default)]
    pub(crate) any: bool,
}

/// A file, or lines of one.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Target {
    /// The whole file.
    File(String),
    /// These lines.
    Lines {
        /// The file.
        path: String,
        /// First line.
        start_line: Option<u32>,
        /// Last line.
        end_line: Option<u32>,
    },
}

impl Item {
    /// Every target; none: the right answer is "nothing".
    pub(crate) fn targets(&self) -> impl Iterator<Item = (&str, Option<(u32, u32)>)> {
        self.relevant.iter().chain(&self.secondary).map(|target| match target {
            Target::File(path) => (path.as_str(), None),
            Target::Lines { path, start_line, end_line } => (path.as_str(), start_line.zip(*end_line)),
        })
    }

    /// The files wanted, for messages.
    pub(crate) fn wanted(&self) -> Vec<&str> {
        self.targets().map(|t| t.0).collect()
    }
}

/// Reads a set.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Item>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no truth set", path.display()))
}

/// A truth set: its name, its file, the folder to search.
pub(crate) type Set = (String, PathBuf, PathBuf);

/// The sets that were asked for.
pub(crate) fn sets(truth: &Path, folder: &Path) -> anyhow::Result<Vec<Set>> {
    if truth.is_file() {
        let name = truth.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(vec![(name, truth.to_path_buf(), folder.to_path_buf())]);
    }
    let table = truth.join("corpora.tsv");
    let text = std::fs::read_to_string(&table).with_context(|| format!("read {}", table.display()))?;
    let mut out = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, _, _, inside, ..] = columns[..] else {
            anyhow::bail!("{}: {line:?} has too few columns", table.display())
        };
        let (set, checkout) = (truth.join(format!("{name}.json")), folder.join(name).join(inside));
        if set.is_file() && checkout.is_dir() {
            out.push((name.to_owned(), set, checkout));
        }
    }
    Ok(out)
}
