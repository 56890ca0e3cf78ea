//! The walk of folders that git does not describe. A git work tree met on the way is listed by git.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::WalkBuilder;

use crate::config::Config;
use crate::error::{IoContext, Result};

use super::checkout::extra_checkout;
use super::index_ignore::IndexIgnore;
use super::{Looked, Names, git};

/// Files that are looked at together, on another thread than the one that walks.
const BATCH: usize = 4096;

/// Adds the files below `root`, looked at while the walk goes on; hands the rules back for the repositories nested in it.
pub(super) fn list(
    root: &Path,
    rules: IndexIgnore,
    names: &mut Names,
    look: &(impl Fn(Vec<String>) -> Vec<Looked> + Sync),
) -> Result<IndexIgnore> {
    std::fs::read_dir(root).context("read", root)?;
    // The walker wants its filter to be shareable; nothing here runs on another thread.
    let shared = Arc::new(Mutex::new(Shared { rules, repositories: Vec::new() }));
    let filter = Arc::clone(&shared);
    let base = root.to_path_buf();
    let mut builder = WalkBuilder::new(root);
    builder
        .follow_links(false)
        .hidden(false)
        .parents(false)
        .require_git(false)
        .git_global(false)
        .git_exclude(false);
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|t| t.is_dir());
        match relative(&base, entry.path()) {
            Some(path) if is_folder && entry.depth() > 0 => lock(&filter).enters(&base, entry.path(), path),
            _ => true,
        }
    });
    let looked = Mutex::new(Vec::new());
    rayon::scope(|scope| {
        let looked = &looked;
        let look_at = |paths: Vec<String>| {
            scope.spawn(move |_| {
                let batch = look(paths);
                looked.lock().unwrap_or_else(PoisonError::into_inner).extend(batch);
            });
        };
        for entry in builder.build() {
            names.refuse_too_many(root)?;
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|t| t.is_file()) => {
                    match relative(root, entry.path()) {
                        Some(path) if lock(&shared).rules.ignores(&path) => names.ignored += 1,
                        Some(path) => names.paths.push(path),
                        None => names.undecodable += 1,
                    }
                }
                Ok(_) => {}
                Err(error) => names.unreadable.push(describe(root, &error)),
            }
            if names.paths.len() >= BATCH {
                names.met += names.paths.len();
                look_at(std::mem::take(&mut names.paths));
            }
        }
        Ok(())
    })?;
    names.looked = looked.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut shared = lock(&shared);
    shared.rules.drop_builtin();
    for folder in std::mem::take(&mut shared.repositories) {
        git::list(root, &folder, &mut shared.rules, names, look)?;
    }
    Ok(std::mem::take(&mut shared.rules))
}

/// The folders in which a file could come to belong to a root, by the rules of ignore files that git and we read, and git's own that say
/// which do. One too many costs a watch; git's word on what belongs counts, not this.
pub(crate) fn folders(root: &Path, config: &Config) -> Result<Vec<PathBuf>> {
    let mut rules = IndexIgnore::new(root, config)?;
    let tree = git::work_tree_of(root, &config.ceilings);
    if tree.is_none() {
        rules.add_builtin();
    }
    let rules = Mutex::new(rules);
    let base = root.to_path_buf();
    let mut builder = WalkBuilder::new(root);
    builder.follow_links(false).hidden(false).ignore(false).require_git(false);
    builder.filter_entry(move |entry| {
        let is_folder = entry.file_type().is_some_and(|t| t.is_dir());
        let inside = relative(&base, entry.path()).filter(|_| entry.depth() > 0);
        is_folder
            && entry.file_name() != ".git"
            && inside.is_none_or(|path| !lock(&rules).ignores_folder(&path))
    });
    let mut out: Vec<PathBuf> = builder.build().flatten().map(ignore::DirEntry::into_path).collect();
    let trees: Vec<PathBuf> =
        out.iter().chain(&tree).filter(|folder| git::has_git(folder)).cloned().collect();
    for tree in trees {
        let own = git::own_folder(&tree);
        out.extend([own.join("info"), own]);
    }
    Ok(out)
}

struct Shared {
    rules: IndexIgnore,
    repositories: Vec<String>,
}

impl Shared {
    /// Whether the walk goes into a folder; repositories are left to git.
    fn enters(&mut self, root: &Path, full: &Path, path: String) -> bool {
        if self.rules.ignores_folder(&path) || extra_checkout(root, full).is_some() {
            return false;
        }
        let repository = git::has_git(full);
        if repository {
            self.repositories.push(path);
        }
        !repository
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What could not be walked, relative to the root, and why.
fn describe(root: &Path, error: &ignore::Error) -> (String, String) {
    match error {
        ignore::Error::WithPath { path, err } => {
            let message = err.io_error().map_or_else(|| err.to_string(), ToString::to_string);
            (relative(root, path).unwrap_or_default(), message)
        }
        ignore::Error::WithDepth { err, .. } => describe(root, err),
        other => (String::new(), other.to_string()),
    }
}

/// A path below the root with slashes; `None` where it is not valid Unicode.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let rest = path.strip_prefix(root).ok()?;
    let mut out = String::new();
    for part in rest.components() {
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(part.as_os_str().to_str()?);
    }
    Some(out)
}
