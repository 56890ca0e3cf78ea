//! Truth sets: queries with the passages that answer them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// One query. Unknown keys are ignored.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Item {
    /// What is asked.
    pub query: String,
    /// What answers it; nothing here nor in `secondary`: the right answer is "nothing".
    #[serde(default)]
    pub relevant: Vec<Target>,
    /// What answers it too, at the same weight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secondary: Vec<Target>,
    /// Kind of query, for the tables.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// One target is enough.
    #[serde(default, skip_serializing_if = "is_false")]
    pub any: bool,
    /// Lines that are blank for the run, since the query was taken from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<Lines>,
}

/// Some lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// The file.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
}

/// A file, or lines of one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Target {
    /// The whole file.
    File(String),
    /// These lines.
    Lines {
        /// The file.
        path: String,
        /// First line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_line: Option<u32>,
        /// Last line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        end_line: Option<u32>,
        /// The definition that answers, for the symbol level.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        symbol: Option<String>,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference to skip_serializing_if")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A target, whatever its form: file, lines, symbol.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The file.
    pub path: &'a str,
    /// First and last line, where the truth names them.
    pub lines: Option<(u32, u32)>,
    /// The definition, where the truth names it.
    pub symbol: Option<&'a str>,
}

impl Item {
    /// Every target.
    pub fn targets(&self) -> impl Iterator<Item = Wanted<'_>> {
        self.relevant.iter().chain(&self.secondary).map(|target| match target {
            Target::File(path) => Wanted { path, lines: None, symbol: None },
            Target::Lines { path, start_line, end_line, symbol } => {
                Wanted { path, lines: start_line.zip(*end_line), symbol: symbol.as_deref() }
            }
        })
    }
}

/// Reads a set.
///
/// # Errors
/// Where the file can't be read or is no truth set.
pub fn read(path: &Path) -> anyhow::Result<Vec<Item>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| {
        format!("{} is no truth set: a JSON list of {{\"query\", \"relevant\": [PATH, …]}}", path.display())
    })
}

/// A truth set of a folder of sets.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// Its file.
    pub truth: PathBuf,
    /// The checkout.
    pub checkout: PathBuf,
    /// The folder in it that is searched.
    pub folder: PathBuf,
}

/// The sets of a folder with a `corpora.tsv` (name, repository, revision, folder that is searched) whose checkouts lie
/// below `checkouts`; a single file is a set over `checkouts` itself.
///
/// # Errors
/// Where the table can't be read.
pub fn sets(truth: &Path, checkouts: &Path) -> anyhow::Result<Vec<Set>> {
    if truth.is_file() {
        let name = truth.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (checkout, folder) = (checkouts.to_path_buf(), checkouts.to_path_buf());
        return Ok(vec![Set { name, truth: truth.to_path_buf(), checkout, folder }]);
    }
    let table = truth.join("corpora.tsv");
    let text = std::fs::read_to_string(&table).with_context(|| format!("read {}", table.display()))?;
    let mut out = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, _, _, inside, ..] = columns[..] else {
            anyhow::bail!("{}: {line:?} has too few columns", table.display())
        };
        let checkout = checkouts.join(name);
        let set = Set {
            name: name.to_owned(),
            truth: truth.join(format!("{name}.json")),
            folder: checkout.join(inside),
            checkout,
        };
        if set.truth.is_file() && set.folder.is_dir() {
            out.push(set);
        }
    }
    Ok(out)
}
