//! A root's own configuration, `.wherein.toml`: what is left out of answers and what ranks higher. It can narrow and order what
//! is found, nothing else: it names no programs, no servers and no folders outside.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use wherein_engine::{Query, Scope};

/// The file's name in a root.
const FILE: &str = ".wherein.toml";

/// How a root wants to be searched.
#[derive(Debug, Default, PartialEq)]
struct Ranking {
    /// Fragments of paths that are left out unless everything is asked for.
    default_exclude: Vec<String>,
    /// Fragments of paths with a factor: above 1 they rise, below they sink.
    path_boosts: Vec<(String, f32)>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    search: Search,
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
    let Ranking { default_exclude, path_boosts } = read(root)?;
    let exclude = if all { Vec::new() } else { default_exclude };
    Ok(Query { scope: Scope { exclude, ..Scope::default() }, boosts: path_boosts, ..Query::new("") })
}

/// Reads a root's configuration; none is a configuration without wishes.
fn read(root: &Path) -> anyhow::Result<Ranking> {
    let path = root.join(FILE);
    match std::fs::read_to_string(&path) {
        Ok(text) => parse(&text).with_context(|| format!("{} is not as it should be", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Ranking::default()),
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())),
    }
}

fn parse(text: &str) -> anyhow::Result<Ranking> {
    let File { search } = toml::from_str(text)?;
    for (fragment, factor) in &search.path_boosts {
        anyhow::ensure!(
            (0.01..=100.0).contains(factor),
            "path_boosts: the factor of {fragment:?} is {factor}; it must be between 0.01 and 100, 1 changes nothing"
        );
    }
    Ok(Ranking {
        default_exclude: search.default_exclude,
        path_boosts: search.path_boosts.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_and_nonsense_is_named() {
        let text = "[search]\ndefault_exclude = ['archive/']\n[search.path_boosts]\n'guides/' = 1.15\n[other]\nkept = 1\n";
        let ranking = parse(text).unwrap();
        assert_eq!(ranking.default_exclude, ["archive/"]);
        assert_eq!(ranking.path_boosts, [("guides/".to_owned(), 1.15)]);
        assert_eq!(parse("").unwrap(), Ranking::default());
        let error = parse("[search.path_boosts]\n'x' = -2.0").unwrap_err().to_string();
        assert!(error.contains("\"x\""), "{error}");
        assert!(parse("[search]\ndefault_exclude = 'archive'").is_err());
    }
}
