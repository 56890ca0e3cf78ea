//! Which roots a command is about: paths, names, the corpus, or where it is run.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use wherein_engine::Engine;

use crate::corpus::real;
use crate::project;

use super::Settings;

/// A root and the part of it that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The root.
    pub(crate) root: PathBuf,
    /// Paths inside it, with slashes; empty for all.
    pub(crate) within: Vec<String>,
}

/// What a command line says of its roots.
#[derive(Clone, Copy)]
pub(crate) struct Which<'a> {
    /// Paths.
    pub(crate) paths: &'a [PathBuf],
    /// A root of the corpus, by its name or path.
    pub(crate) root: Option<&'a Path>,
    /// The whole corpus.
    pub(crate) global: bool,
}

impl<'a> Which<'a> {
    /// Paths alone.
    pub(crate) fn paths(paths: &'a [PathBuf]) -> Self {
        Which { paths, root: None, global: false }
    }
}

impl Settings {
    /// The roots that a command is about, in the order given. Without paths or names: the project, work tree or index around the
    /// current folder; else the corpus; else the current folder.
    pub(crate) fn targets(&self, which: Which<'_>) -> anyhow::Result<Vec<Target>> {
        if which.global {
            ensure!(
                !self.corpus.roots.is_empty(),
                "the corpus is empty; `wherein add FOLDER` puts a folder into it ({})",
                self.corpus.file.display()
            );
            return Ok(self.corpus_targets());
        }
        if let Some(name) = which.root {
            let Some(root) = self.corpus.find(name, &self.current)? else {
                bail!("no folder of the corpus is called {}; `wherein list` names them", name.display());
            };
            return Ok(vec![Target { root: real(&root), within: Vec::new() }]);
        }
        if which.paths.is_empty() {
            let around = self.known_around(&self.begin);
            if around.is_none() && !self.corpus.roots.is_empty() {
                return Ok(self.corpus_targets());
            }
            let root = around.unwrap_or_else(|| self.begin.clone());
            return Ok(vec![Target { root, within: Vec::new() }]);
        }
        let mut out: Vec<Target> = Vec::new();
        for path in which.paths {
            let target = self.target(path)?;
            match out.iter_mut().find(|t| t.root == target.root) {
                // The whole root swallows its parts.
                Some(known) if known.within.is_empty() || target.within.is_empty() => known.within.clear(),
                Some(known) => known.within.extend(target.within),
                None => out.push(target),
            }
        }
        Ok(out)
    }

    fn corpus_targets(&self) -> Vec<Target> {
        self.corpus.roots.iter().map(|root| Target { root: real(root), within: Vec::new() }).collect()
    }

    /// The root of one path and the path's place in it.
    pub(crate) fn target(&self, path: &Path) -> anyhow::Result<Target> {
        let full = self.current.join(path);
        let real = full.canonicalize().map_err(|source| wherein_engine::Error::Io {
            action: "open",
            path: full,
            source,
        })?;
        let folder = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
        let root = self.root_around(folder);
        Ok(Target { within: place(&root, &real), root })
    }

    /// The root around the current folder where it holds a file, else the root of that file; and the file's place there.
    pub(crate) fn place_here(&self, file: &Path) -> anyhow::Result<(PathBuf, String)> {
        let here = self.root_around(&self.current);
        let real = self.current.join(file).canonicalize().ok();
        match real.filter(|real| real.starts_with(&here)).and_then(|real| place(&here, &real).pop()) {
            Some(inside) => Ok((here, inside)),
            None => self.place_of(file),
        }
    }

    /// The root of a file that need not exist, and its place there; links are not followed in the last part.
    pub(crate) fn place_of(&self, file: &Path) -> anyhow::Result<(PathBuf, String)> {
        let (folder, rest) = self.resolve(file)?;
        let root = self.root_around(&folder);
        let place = place(&root, &folder.join(rest)).into_iter().next().unwrap_or_default();
        Ok((root, place))
    }

    /// A file's place in a root, if it lies there; as [`Self::place_of`].
    pub(crate) fn place_in(&self, root: &Path, file: &Path) -> anyhow::Result<Option<String>> {
        let (folder, rest) = self.resolve(file)?;
        let full = folder.join(rest);
        Ok(if full.starts_with(root) { place(root, &full).pop() } else { None })
    }

    /// The nearest folder above a file that exists, links followed, and what is below it.
    fn resolve(&self, file: &Path) -> anyhow::Result<(PathBuf, PathBuf)> {
        let full = self.current.join(file);
        let mut rest = full.file_name().map(PathBuf::from).unwrap_or_default();
        let mut folder = full.parent().unwrap_or(&full).to_path_buf();
        loop {
            let source = match folder.canonicalize() {
                Ok(real) => return Ok((real, rest)),
                Err(source) => source,
            };
            let Some((last, above)) = folder.file_name().zip(folder.parent()) else {
                return Err(wherein_engine::Error::Io { action: "open", path: full, source }.into());
            };
            (rest, folder) = (Path::new(last).join(rest), above.to_path_buf());
        }
    }

    fn root_around(&self, folder: &Path) -> PathBuf {
        self.known_around(folder).unwrap_or_else(|| folder.to_path_buf())
    }

    /// The nearest project with a configuration that holds a folder; else the git work tree, or a folder of the corpus inside it; else
    /// an indexed folder.
    pub(super) fn known_around(&self, folder: &Path) -> Option<PathBuf> {
        // Home and `/` are nobody's project.
        let is_whole = |at: &&Path| at.parent().is_none() || Some(*at) == self.home.as_deref();
        let above = || folder.ancestors().filter(|at| !is_whole(at));
        if let Some(project) = above().find(|at| project::is_configured(at)) {
            return Some(project.to_path_buf());
        }
        let roots: Vec<PathBuf> = self.corpus.roots.iter().map(|root| real(root)).collect();
        let of_corpus = folder.ancestors().find(|at| roots.iter().any(|root| root == at));
        let tree =
            wherein_engine::work_tree_of(folder, &self.config.ceilings).filter(|t| !is_whole(&t.as_path()));
        let indexed = |at: &&Path| Engine::open(at, self.config.clone()).is_ok_and(|e| e.is_indexed());
        match (of_corpus, tree) {
            (Some(root), Some(tree)) if !root.starts_with(&tree) => Some(tree),
            (None, Some(tree)) => Some(tree),
            (Some(root), _) => Some(root.to_path_buf()),
            (None, None) => folder.ancestors().find(indexed).map(Path::to_path_buf),
        }
    }
}

/// A path's place in a root, with slashes; nothing for the root itself.
fn place(root: &Path, path: &Path) -> Vec<String> {
    let rest = path.strip_prefix(root).unwrap_or(Path::new(""));
    let parts: Vec<_> = rest.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    if parts.is_empty() { Vec::new() } else { vec![parts.join("/")] }
}

/// The globs of a segment of a root; none where none is asked for.
///
/// # Errors
/// Where the root has no segment of that name; those that it has are named.
pub(crate) fn segment_globs(engine: &Engine, name: Option<&str>) -> anyhow::Result<Vec<String>> {
    let Some(name) = name else { return Ok(Vec::new()) };
    let segments = &engine.config().selection.segments;
    if let Some(segment) = segments.iter().find(|segment| segment.name == name) {
        return Ok(segment.globs.clone());
    }
    let at = engine.root().display();
    if segments.is_empty() {
        bail!("{at} has no segments; [[segments]] in its .wherein.toml names some");
    }
    let known: Vec<&str> = segments.iter().map(|segment| segment.name.as_str()).collect();
    bail!("{at} has no segment {name:?}; it has {}", known.join(", "));
}
