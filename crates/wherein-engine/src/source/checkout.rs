//! Linked work trees (`git worktree add`): each is a checkout of its own and answers from itself. One that lies beside or inside
//! the work tree it belongs to would say everything twice there.

use std::fs;
use std::path::{Path, PathBuf};

/// Whether a folder below a root is a further checkout of a repository whose own work tree the root holds or is part of; where
/// that repository is.
pub(crate) fn extra_checkout(root: &Path, folder: &Path) -> Option<PathBuf> {
    let common = linked_to(folder)?;
    let of_root = || root.ancestors().find(|at| at.join(".git").exists()).and_then(common_folder);
    let main = common.parent().is_some_and(|main| main.starts_with(root));
    (main || of_root().as_ref() == Some(&common)).then_some(common)
}

/// The repository that a linked work tree belongs to; `None` for a work tree of its own, and for a submodule.
fn linked_to(folder: &Path) -> Option<PathBuf> {
    let git = git_folder(&folder.join(".git"))?;
    // A linked work tree's folder names the one it shares.
    let shared = fs::read_to_string(git.join("commondir")).ok()?;
    git.join(shared.trim()).canonicalize().ok()
}

/// The repository of a work tree.
fn common_folder(tree: &Path) -> Option<PathBuf> {
    linked_to(tree).or_else(|| {
        let own = tree.join(".git");
        if own.is_dir() { own.canonicalize().ok() } else { git_folder(&own) }
    })
}

/// Where a `.git` file points.
fn git_folder(file: &Path) -> Option<PathBuf> {
    if !fs::symlink_metadata(file).ok()?.is_file() {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let target = text.strip_prefix("gitdir:")?.trim();
    file.parent()?.join(target).canonicalize().ok()
}
