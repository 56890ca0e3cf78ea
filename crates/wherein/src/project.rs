//! A root's own configuration, `.wherein.toml`: what is left out of answers, what ranks higher, and which files get deep vectors. It
//! can narrow and order what is found, nothing else: it names no programs, no servers and no folders outside.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use wherein_engine::{DeepPolicy, Query, Scope};

/// The file's name in a root.
const FILE: &str = ".wherein.toml";

/// How a root wants to be indexed and searched.
#[derive(Debug, Default, PartialEq)]
struct Wishes {
    /// Which files get deep vectors.
    deep: Option<DeepPolicy>,
    /// Fragments of paths that are left out unless everything is asked for.
    default_exclude: Vec<String>,
    /// Fragments of paths with a factor: above 1 they rise, below they sink.
    path_boosts: Vec<(String, f32)>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    search: Search,
    #[serde(default)]
    index: Index,
}

#[derive(Default, Deserialize)]
struct Index {
    deep: Option<DeepPolicy>,
}

#[derive(Default, Deserialize)]
struct Search {
    #[serde(default)]
    default_exclude: Vec<String>,
    #[serde(default)]
    path_boosts: BTreeMap<String, f32>,
}

/// A question without words that follows a root's wishes; `all` is for one that leaves nothing out.
///
/// # Errors
/// Where the root's configuration is not as it should be.
pub(crate) fn query(root: &Path, all: bool) -> anyhow::Result<Query> {
    let Wishes { default_exclude, path_boosts, .. } = read(root)?;
    let exclude = if all { Vec::new() } else { default_exclude };
    Ok(Query { scope: Scope { exclude, ..Scope::default() }, boosts: path_boosts, ..Query::new("") })
}

/// Which files of a root get deep vectors, where it says so.
///
/// # Errors
/// As [`query`].
pub(crate) fn deep(root: &Path) -> anyhow::Result<Option<DeepPolicy>> {
    Ok(read(root)?.deep)
}

/// Reads a root's configuration; none is a configuration without wishes.
fn read(root: &Path) -> anyhow::Result<Wishes> {
    let path = root.join(FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&text).with_context(|| format!("{} is not as it should be", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Wishes::default()),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}

fn parse(text: &str) -> anyhow::Result<Wishes> {
    let File { search, index } = toml::from_str(text)?;
    for (fragment, factor) in &search.path_boosts {
        anyhow::ensure!(
            (0.01..=100.0).contains(factor),
            "path_boosts: the factor of {fragment:?} is {factor}; it must be between 0.01 and 100, 1 changes nothing"
        );
    }
    Ok(Wishes {
        deep: index.deep,
        default_exclude: search.default_exclude,
        path_boosts: search.path_boosts.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_and_nonsense_is_named() {
        let text = "[search]\ndefault_exclude = ['archive/']\n[search.path_boosts]\n'guides/' = 1.15\n[index]\ndeep = 'none'\n[other]\nkept = 1\n";
        let ranking = parse(text).unwrap();
        assert_eq!(ranking.deep, Some(DeepPolicy::None));
        assert_eq!(ranking.default_exclude, ["archive/"]);
        assert_eq!(ranking.path_boosts, [("guides/".to_owned(), 1.15)]);
        assert_eq!(parse("").unwrap(), Wishes::default());
        let error = parse("[search.path_boosts]\n'x' = -2.0").unwrap_err().to_string();
        assert!(error.contains("\"x\""), "{error}");
        assert!(parse("[search]\ndefault_exclude = 'archive'").is_err());
        assert!(parse("[index]\ndeep = 'some'").is_err());
    }
}
