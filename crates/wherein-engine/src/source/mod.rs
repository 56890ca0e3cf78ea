//! The one walker: which files a root holds, what each looked like on disk, and what changed since the last commit.
//!
//! Inside a git work tree the list is git's own, never a plain walk; elsewhere the `ignore` crate walks. It follows no
//! symbolic link, opens nothing but regular files, and never leaves the root.

mod binary;
mod changes;
mod checkout;
mod git;
mod globs;
mod index_ignore;
mod read;
mod secret;
mod walk;

use std::path::Path;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use rayon::prelude::*;

use crate::config::Config;
use crate::error::{Error, Result};
use crate::types::SkipReason;

pub(crate) use changes::{ChangeSet, Known, Pending, compare, settle};
pub(crate) use checkout::extra_checkout;
pub(crate) use git::check_ignore;
pub use git::work_tree_of;
pub(crate) use globs::{Globs, Segments, Selected, normal};
pub(crate) use read::Stat;
pub(crate) use read::{content_hash, read, read_known};
pub(crate) use walk::folders;

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
    /// Folders and files that could not be looked at, with the reason; relative to the root, none below another, in order.
    pub unreadable: Vec<(String, String)>,
    /// Names that are not valid Unicode.
    pub undecodable: usize,
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

/// Paths below a root, most of them before anything is asked of the disk.
#[derive(Default)]
struct Names {
    /// More are refused.
    most: usize,
    paths: Vec<String>,
    /// How many paths were taken out of that list already, and what was found there.
    met: usize,
    looked: Vec<Looked>,
    ignored: usize,
    undecodable: usize,
    unreadable: Vec<(String, String)>,
}

impl Names {
    fn refuse_too_many(&self, root: &Path) -> Result<()> {
        if self.paths.len() + self.met <= self.most {
            return Ok(());
        }
        Err(Error::Refused {
            path: root.to_path_buf(),
            reason: "more than a million files; name a folder in it, leave some out with .indexignore, or say `wherein index --yes PATH`",
        })
    }
}

/// Lists a root.
///
/// # Errors
/// [`Error::Refused`] where it holds more files than the configuration allows.
/// [`Error::Git`] where git should know the list and fails; [`Error::Io`] where the root itself cannot be read.
pub fn list(root: &Path, config: &Config) -> Result<Listing> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    // Threads of its own: a search that does not wait for the end of a long list needs the others.
    let build = || rayon::ThreadPoolBuilder::new().num_threads(config.threads.max(2)).build().ok();
    match POOL.get_or_init(build) {
        Some(pool) => pool.install(|| list_here(root, config)),
        None => list_here(root, config),
    }
}

fn list_here(root: &Path, config: &Config) -> Result<Listing> {
    let look = |paths: Vec<String>| {
        paths.into_par_iter().map(|path| look(root, path, config.max_file_bytes)).collect()
    };
    let mut rules = IndexIgnore::new(root, config)?;
    let mut names = Names { most: config.max_files, ..Names::default() };
    // A root may be a folder of a work tree: git lists what lies in it.
    let in_git = work_tree_of(root, &config.ceilings).is_some();
    if in_git {
        git::list(root, "", &mut rules, &mut names, &look)?;
    } else {
        rules.add_builtin();
        rules = walk::list(root, rules, &mut names, &look)?;
    }
    names.refuse_too_many(root)?;
    let own = own_folder(root, config);
    let selected = Selected::new(&config.selection)?;
    let mut listing = Listing::default();
    // A submodule is listed like a file; an initialised one is a folder with a `.git` of its own.
    loop {
        let folders = look_at(&mut names, look, &mut listing);
        let nested: Vec<String> =
            folders.into_iter().filter(|f| in_git && git::has_git(&root.join(f))).collect();
        if nested.is_empty() {
            break;
        }
        for folder in nested {
            git::list(root, &folder, &mut rules, &mut names, &look)?;
        }
    }
    listing.files.par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
    listing.files.dedup_by(|a, b| a.path == b.path);
    if let Some(own) = own {
        listing.files.retain(|found| !found.path.starts_with(&own));
    }
    let listed = listing.files.len();
    listing.files.retain(|found| selected.allows(&found.path));
    listing.ignored = names.ignored + listed - listing.files.len();
    listing.unreadable.append(&mut names.unreadable);
    keep_outermost(&mut listing.unreadable);
    listing.undecodable = names.undecodable;
    Ok(listing)
}

/// Drops paths that lie in another of them.
fn keep_outermost(unreadable: &mut Vec<(String, String)>) {
    // By their parts, so that what lies in a folder follows it.
    unreadable.sort_by(|a, b| a.0.split('/').cmp(b.0.split('/')));
    unreadable.dedup_by(|inner, outer| is_within(&inner.0, &outer.0));
}

/// Whether a path is a folder, or lies in it; both relative to a root, with slashes.
pub fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Looks at files that are known to belong to a root; those that are gone are left out.
pub(crate) fn list_only(root: &Path, paths: impl Iterator<Item = String>, config: &Config) -> Listing {
    let mut listing = Listing::default();
    for path in paths {
        if let Looked::File(found) = look(root, path, config.max_file_bytes) {
            listing.files.push(found);
        }
    }
    listing
}

/// Where indexes are kept below the root itself: they are no content of it. As a prefix of paths.
fn own_folder(root: &Path, config: &Config) -> Option<String> {
    let data = config.data_dir.canonicalize().ok()?;
    let inside = data.strip_prefix(root).ok()?;
    let parts: Vec<&str> = inside.components().map(|c| c.as_os_str().to_str()).collect::<Option<_>>()?;
    (!parts.is_empty()).then(|| parts.join("/") + "/")
}

/// Asks the disk about the names so far and returns those that are folders.
fn look_at(
    names: &mut Names,
    look: impl Fn(Vec<String>) -> Vec<Looked>,
    listing: &mut Listing,
) -> Vec<String> {
    let looked = look(std::mem::take(&mut names.paths));
    let mut folders = Vec::new();
    for one in std::mem::take(&mut names.looked).into_iter().chain(looked) {
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
    /// It, or the folder that does not let us look at it.
    Failed(String, String),
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
        Err(error) => {
            let folder = path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
            let closed = folder.filter(|_| error.kind() == std::io::ErrorKind::PermissionDenied);
            Looked::Failed(closed.unwrap_or(path), error.to_string())
        }
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

/// Whether an `.indexignore` of the root, the user's, or a configuration keeps a path out; the rule and the file it stands in.
///
/// # Errors
/// Where an ignore file cannot be read or understood.
pub(crate) fn index_ignored(root: &Path, path: &str, config: &Config) -> Result<Option<String>> {
    let mut rules = IndexIgnore::new(root, config)?;
    if work_tree_of(root, &config.ceilings).is_none() {
        rules.add_builtin();
    }
    if let Some(rule) = rules.reason(path) {
        return Ok(Some(rule));
    }
    let selection = &config.selection;
    let file = selection.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    Ok(Selected::new(selection)?.reason(path).map(|reason| format!("{file}: {reason}")))
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
