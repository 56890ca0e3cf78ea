//! The three formats → one model: `.wherein.toml`, docs-rag-mcp's `.rag/config.json`, code-search-mcp's `rag.config.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde::Deserialize;
use wherein_engine::{DeepPolicy, Selection};

use super::{FILES, Project, below, inside, segment};

/// Reads a configuration by its file's name.
pub(super) fn parse(name: &str, text: &str, root: &Path) -> anyhow::Result<Project> {
    let project = match name {
        name if name == FILES[0] => own(text, root)?,
        name if name == FILES[1] => documents(text, root)?,
        _ => code(text, root)?,
    };
    for (fragment, factor) in &project.path_boosts {
        ensure!(
            (0.01..=100.0).contains(factor),
            "the boost of {fragment:?} is {factor}; it must be between 0.01 and 100, 1 changes nothing"
        );
    }
    for share in [project.min_score, project.relative_cutoff].into_iter().flatten() {
        ensure!((0.0..=1.0).contains(&share), "a score of {share} must be between 0 and 1");
    }
    Ok(project)
}

#[derive(Deserialize)]
struct Own {
    #[serde(default)]
    search: OwnSearch,
    #[serde(default)]
    index: OwnIndex,
    #[serde(default)]
    segments: Vec<Part>,
    #[serde(default)]
    server: OwnServer,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OwnServer {
    name: Option<String>,
    description: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OwnIndex {
    deep: Option<DeepPolicy>,
    include: Vec<String>,
    exclude: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OwnSearch {
    default_exclude: Vec<String>,
    path_boosts: BTreeMap<String, f32>,
    min_score: Option<f32>,
    relative_cutoff: Option<f32>,
}

#[derive(Deserialize)]
struct Part {
    name: String,
    #[serde(default)]
    root: PathBuf,
    #[serde(default)]
    include: Vec<String>,
}

fn own(text: &str, root: &Path) -> anyhow::Result<Project> {
    let Own { search, index, segments, server } = toml::from_str(text)?;
    let parts = segments.into_iter().map(|part| segment(root, part.name, &part.root, &part.include));
    let selection = Selection {
        include: index.include,
        exclude: index.exclude,
        segments: parts.collect::<anyhow::Result<_>>()?,
        file: None,
    };
    Ok(Project {
        deep: index.deep,
        selection,
        default_exclude: search.default_exclude,
        path_boosts: search.path_boosts.into_iter().collect(),
        min_score: search.min_score,
        relative_cutoff: search.relative_cutoff,
        server_name: server.name,
        tool_description: server.description,
    })
}

/// One string or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Documents {
    vault_path: Option<PathBuf>,
    include: Option<OneOrMore>,
    #[serde(default)]
    default_exclude: Vec<String>,
    #[serde(default)]
    path_boosts: BTreeMap<String, f32>,
    server_name: Option<String>,
    tool_description: Option<String>,
}

fn documents(text: &str, root: &Path) -> anyhow::Result<Project> {
    let config: Documents = serde_json::from_str(text)?;
    let include = match config.include {
        None => Vec::new(),
        Some(OneOrMore::One(glob)) => vec![glob],
        Some(OneOrMore::More(globs)) => globs,
    };
    // The vault is meant from the folder of the file, and is the project where it is not named.
    let vault = match &config.vault_path {
        None => String::new(),
        Some(vault) => inside(root, &root.join(".rag"), "vaultPath", vault)?,
    };
    let is_all = vault.is_empty() && include.is_empty();
    let include = if is_all { Vec::new() } else { below(&vault, &include) };
    Ok(Project {
        selection: Selection { include, ..Selection::default() },
        default_exclude: config.default_exclude,
        path_boosts: config.path_boosts.into_iter().collect(),
        server_name: config.server_name,
        tool_description: config.tool_description,
        ..Project::default()
    })
}

#[derive(Deserialize)]
struct Code {
    segments: Vec<Part>,
    #[serde(default)]
    exclude: Vec<String>,
}

fn code(text: &str, root: &Path) -> anyhow::Result<Project> {
    let Code { segments, exclude } = serde_json::from_str(text)?;
    let parts = segments.into_iter().map(|part| segment(root, part.name, &part.root, &part.include));
    let segments = parts.collect::<anyhow::Result<Vec<_>>>()?;
    // What belongs to no segment is not indexed.
    let include = segments.iter().flat_map(|segment| segment.globs.clone()).collect();
    Ok(Project { selection: Selection { include, exclude, segments, file: None }, ..Project::default() })
}
