//! A project's own configuration: what of it is indexed, what is left out of answers, what ranks higher. It is read from the first of
//! three files that is there. It can narrow and order what is found, nothing else: it names no programs, no servers and no folders
//! outside.

mod formats;
#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};
use wherein_engine::{DeepPolicy, Query, Scope, Segment, Selection};

/// The files, in the order in which they are looked for.
pub(crate) const FILES: [&str; 3] = [".wherein.toml", ".rag/config.json", "rag.config.json"];

/// Keys that are followed: the file, the key, what it is for.
pub(crate) const KEYS: &[(&str, &str, &str)] = &[
    (".wherein.toml", "[index] include", "Only files that one of these globs matches are indexed."),
    (".wherein.toml", "[index] exclude", "No file that one of these globs matches is indexed."),
    (".wherein.toml", "[index] deep", "Which files get deep vectors: `prose`, `all` or `none`."),
    (
        ".wherein.toml",
        "[search] default_exclude",
        "Fragments of paths that are left out of answers, unless `--all` is given.",
    ),
    (
        ".wherein.toml",
        "[search] path_boosts",
        "Fragments of paths with a factor: above 1 they rise, below they sink.",
    ),
    (
        ".wherein.toml",
        "[search] min_score",
        "Passages below this score are cut, where `--min-score` does not say.",
    ),
    (".wherein.toml", "[search] relative_cutoff", "Passages below this share of the best score are cut."),
    (
        ".wherein.toml",
        "[[segments]] name, root, include",
        "A named part: globs below a folder; `--segment NAME` asks it alone.",
    ),
    (".wherein.toml", "[server] name", "What a server of the project calls itself."),
    (
        ".wherein.toml",
        "[server] description",
        "What there is to find, for the agents that read the description of the search tool.",
    ),
    (".rag/config.json", "serverName", "As `name`."),
    (".rag/config.json", "toolDescription", "As `description`."),
    (".rag/config.json", "vaultPath", "The folder of the documents; inside the project."),
    (".rag/config.json", "include", "Globs below it: only these files are indexed."),
    (".rag/config.json", "defaultExclude", "As `default_exclude`."),
    (".rag/config.json", "pathBoosts", "As `path_boosts`."),
    ("rag.config.json", "segments[] name, root, include", "Named parts; only their files are indexed."),
    ("rag.config.json", "exclude", "Globs that are left out of all of them."),
];

/// Keys that are read and change nothing: the file, the keys, the reason.
pub(crate) const WITHOUT_EFFECT: &[(&str, &str, &str)] = &[
    (".rag/config.json", "indexPath", "indexes lie in the user's data folder"),
    (
        ".rag/config.json",
        "embedModel",
        "a project names no model and no server; the user's configuration does",
    ),
    (
        ".rag/config.json",
        "minScore, relativeCutoff, lexicalMaxDocFreq",
        "they are cosines of another model; `.wherein.toml` has its own",
    ),
    ("rag.config.json", "store.path", "indexes lie in the user's data folder"),
    (
        "rag.config.json",
        "embedder.provider, embedder.model",
        "a project names no model; the user's configuration does",
    ),
    (
        "rag.config.json",
        "chunk.maxTokens, chunk.overlapLines",
        "passages are cut along definitions and headings",
    ),
];

/// How a root wants to be indexed and searched.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Project {
    /// Which files get deep vectors.
    pub(crate) deep: Option<DeepPolicy>,
    /// Which files belong to it, and its segments.
    pub(crate) selection: Selection,
    /// Fragments of paths that are left out unless everything is asked for.
    default_exclude: Vec<String>,
    /// Fragments of paths with a factor.
    path_boosts: Vec<(String, f32)>,
    min_score: Option<f32>,
    relative_cutoff: Option<f32>,
    /// What a server of the project is called.
    pub(crate) server_name: Option<String>,
    /// What there is to find, in the project's own words.
    pub(crate) tool_description: Option<String>,
}

/// Whether a folder has a configuration of its own.
pub(crate) fn is_configured(folder: &Path) -> bool {
    FILES.iter().any(|file| folder.join(file).is_file())
}

/// Reads a root's configuration; none is a configuration without wishes.
///
/// # Errors
/// Where it is not as it should be, or reaches outside the root.
pub(crate) fn read(root: &Path) -> anyhow::Result<Project> {
    for name in FILES {
        let file = root.join(name);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            // A file where a folder should be.
            Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => continue,
            Err(error) => return Err(error).with_context(|| format!("read {}", file.display())),
        };
        let mut project = formats::parse(name, &text, root)
            .with_context(|| format!("{} is not as it should be", file.display()))?;
        project.selection.file = Some(file);
        return Ok(project);
    }
    Ok(Project::default())
}

impl Project {
    /// A question without words that follows the project's wishes; `all` is for one that leaves nothing out.
    pub(crate) fn query(&self, all: bool) -> Query {
        let exclude = if all { Vec::new() } else { self.default_exclude.clone() };
        Query {
            scope: Scope { exclude, ..Scope::default() },
            boosts: self.path_boosts.clone(),
            min_score: self.min_score,
            relative: self.relative_cutoff,
            ..Query::new("")
        }
    }
}

/// A question without words that follows a root's wishes.
///
/// # Errors
/// As [`read`].
pub(crate) fn query(root: &Path, all: bool) -> anyhow::Result<Query> {
    Ok(read(root)?.query(all))
}

/// The place of a folder that a configuration names, relative to the root; empty for the root itself.
fn inside(root: &Path, base: &Path, key: &str, named: &Path) -> anyhow::Result<String> {
    let mut out = PathBuf::new();
    for part in base.join(named).components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    let Ok(rest) = out.strip_prefix(root) else {
        bail!(
            "{key}: {} lies outside the project, and a project's own file leads nowhere else; `wherein add {}` takes it into your corpus",
            named.display(),
            out.display()
        );
    };
    let parts: Vec<_> = rest.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    Ok(parts.join("/"))
}

/// Globs that are meant from a folder of the root: all of it where there is none.
fn below(folder: &str, globs: &[String]) -> Vec<String> {
    let prefix = if folder.is_empty() { String::new() } else { format!("/{folder}") };
    if globs.is_empty() {
        return vec![if folder.is_empty() { "**".to_owned() } else { prefix }];
    }
    let one = |glob: &String| format!("{prefix}/{}", glob.trim_start_matches("./").trim_start_matches('/'));
    globs.iter().map(one).collect()
}

/// A segment of these globs below a folder.
fn segment(root: &Path, name: String, folder: &Path, globs: &[String]) -> anyhow::Result<Segment> {
    let folder = inside(root, root, "segments.root", folder)?;
    Ok(Segment { name, globs: below(&folder, globs) })
}
