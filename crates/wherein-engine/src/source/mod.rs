//! The one walker: which files a root holds, what each looked like on disk, and what changed since the last commit.
//!
//! Inside a git work tree the list is git's own, never a plain walk; elsewhere the `ignore` crate walks. It follows no
//! symbolic link, opens nothing but regular files, and never leaves the root.

mod binary;
mod changes;
mod git;
mod index_ignore;
mod read;
mod secret;
mod walk;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::types::SkipReason;

pub(crate) use changes::{ChangeSet, Known, Pending, compare, settle};
pub(crate) use git::check_ignore;
pub use git::work_tree_of;
pub(crate) use read::Stat;
pub(crate) use read::{content_hash, read, read_known};

use index_ignore::IndexIgnore;

/// A file of a root, as listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Relative to the root, with slashes.
    pub path: String,
    /// What `lstat` said.
    pub stat: Stat,
    /// Set where path or size alone keep it out.
    pub skip: Option<SkipReason>,
}

/// What a root holds now.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Regular files, sorted by path.
    pub files: Vec<Found>,
    /// Files that an `.indexignore` keeps out.
    pub ignored: usize,
    /// Paths that could not be looked at, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|d| i64::try_from(d.as_nanos()).ok())
        .unwrap_or_default()
}

/// The newest commits of the work tree that a folder lies in; none where there is no work tree or no commit.
///
/// # Errors
/// Where git fails.
pub(crate) fn commits(folder: &Path, most: usize) -> Result<Vec<(String, Vec<String>)>> {
    if work_tree_of(folder, &[]).is_none() {
        return Ok(Vec::new());
    }
    match git::log(folder, most) {
        Err(Error::Git { message, .. }) if message.contains("does not have any commits") => Ok(Vec::new()),
        other => other,
    }
}

/// Paths below a root before anything is asked of the disk.
#[derive(Default)]
struct Names {
    paths: Vec<String>,
    ignored: usize,
    undecodable: usize,
    unreadable: Vec<(PathBuf, String)>,
}

/// Lists a root.
///
/// # Errors
/// [`Error::Git`] where git should know the list and fails; [`Error::Io`] where the root itself cannot be read.
pub fn list(root: &Path, config: &Config) -> Result<Listing> {
    let mut rules = IndexIgnore::new(root, config.user_ignore.as_deref())?;
    let mut names = Names::default();
    let in_git = git::has_git(root);
    if in_git {
        git::list(root, "", &mut rules, &mut names)?;
    } else {
        rules.add_builtin();
        rules = walk::list(root, rules, &mut names)?;
    }
    let own = own_folder(root, config);
    let mut listing = Listing::default();
    // A submodule is listed like a file; an initialised one is a folder with a `.git` of its own.
    loop {
        let folders = look_at(root, &mut names, config, &mut listing);
        let nested: Vec<String> =
            folders.into_iter().filter(|f| in_git && git::has_git(&root.join(f))).collect();
        if nested.is_empty() {
            break;
        }
        for folder in nested {
            git::list(root, &folder, &mut rules, &mut names)?;
        }
    }
    listing.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.files.dedup_by(|a, b| a.path == b.path);
    if let Some(own) = own {
        listing.files.retain(|found| !found.path.starts_with(&own));
    }
    listing.ignored = names.ignored;
    listing.unreadable.append(&mut names.unreadable);
    if names.undecodable > 0 {
        listing
            .unreadable
            .push((root.to_path_buf(), format!("{} names are not valid Unicode", names.undecodable)));
    }
    Ok(listing)
}

/// Where indexes are kept below the root itself: they are no content of it. As a prefix of paths.
fn own_folder(root: &Path, config: &Config) -> Option<String> {
    let data = config.data_dir.canonicalize().ok()?;
    let inside = data.strip_prefix(root).ok()?;
    let parts: Vec<&str> = inside.components().map(|c| c.as_os_str().to_str()).collect::<Option<_>>()?;
    (!parts.is_empty()).then(|| parts.join("/") + "/")
}

/// Asks the disk about the names so far and returns those that are folders.
fn look_at(root: &Path, names: &mut Names, config: &Config, listing: &mut Listing) -> Vec<String> {
    let paths = std::mem::take(&mut names.paths);
    let looked: Vec<Looked> =
        paths.into_par_iter().map(|path| look(root, path, config.max_file_bytes)).collect();
    let mut folders = Vec::new();
    for one in looked {
        match one {
            Looked::File(found) => listing.files.push(found),
            Looked::Folder(path) => folders.push(path),
            Looked::Other => {}
            Looked::Failed(path, message) => listing.unreadable.push((path, message)),
        }
    }
    folders
}

enum Looked {
    File(Found),
    Folder(String),
    /// Gone since it was listed, a link, a FIFO, a socket or a device.
    Other,
    Failed(PathBuf, String),
}

fn look(root: &Path, path: String, max_bytes: u64) -> Looked {
    let full = root.join(&path);
    match std::fs::symlink_metadata(&full) {
        Ok(meta) if meta.is_file() => {
            let stat = Stat::of(&meta);
            let skip = skip_by_name(&path).or((stat.size > max_bytes).then_some(SkipReason::TooLarge));
            Looked::File(Found { path, stat, skip })
        }
        Ok(meta) if meta.is_dir() => Looked::Folder(path),
        Ok(_) => Looked::Other,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Looked::Other,
        Err(error) => Looked::Failed(full, error.to_string()),
    }
}

/// Why a path alone keeps a file out, if it does.
pub(crate) fn skip_by_name(path: &str) -> Option<SkipReason> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if secret::by_name(name) {
        Some(SkipReason::Secret)
    } else if binary::by_path(path) {
        Some(SkipReason::Binary)
    } else {
        None
    }
}

/// Whether an `.indexignore` of the root, or the user's, keeps a path out; the rule and the file it stands in.
///
/// # Errors
/// Where an ignore file cannot be read or understood.
pub(crate) fn index_ignored(root: &Path, path: &str, config: &Config) -> Result<Option<String>> {
    let mut rules = IndexIgnore::new(root, config.user_ignore.as_deref())?;
    if !git::has_git(root) {
        rules.add_builtin();
    }
    Ok(rules.reason(path))
}

/// Refuses folders that nobody means to index whole.
///
/// # Errors
/// [`Error::Refused`] for the file system's root and for the home folder; [`Error::Io`] where it is no folder.
pub fn check_root(root: &Path, home: Option<&Path>) -> Result<()> {
    if root.parent().is_none() {
        return Err(Error::Refused {
            path: root.to_path_buf(),
            reason: "the file system's root is not indexed as a whole",
        });
    }
    if home.is_some_and(|home| home == root) {
        return Err(Error::Refused {
            path: root.to_path_buf(),
            reason: "the home folder is not indexed as a whole",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
