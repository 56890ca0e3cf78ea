//! git's own file list. A repository's configuration is never allowed to run anything while we ask.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::{Error, Result};

use super::checkout::extra_checkout;
use super::index_ignore::IndexIgnore;
use super::{Looked, Names};

/// Variables that would point git at another repository than the folder's own, as they do inside git hooks.
const REDIRECTS: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

/// Whether a folder is the top of a git work tree.
pub(super) fn has_git(folder: &Path) -> bool {
    folder.join(".git").symlink_metadata().is_ok()
}

/// Where git keeps what is a work tree's own: its `.git`, or what that file names.
pub(super) fn own_folder(tree: &Path) -> PathBuf {
    let git = tree.join(".git");
    let named = std::fs::read_to_string(&git).ok();
    let named =
        named.as_deref().and_then(|text| text.strip_prefix("gitdir:")).map(|path| tree.join(path.trim()));
    named.unwrap_or(git)
}

/// The top of the git work tree that holds `folder`, found without starting git; `ceilings` are folders above which
/// nothing is looked for, as in `GIT_CEILING_DIRECTORIES`.
pub fn work_tree_of(folder: &Path, ceilings: &[PathBuf]) -> Option<PathBuf> {
    let mut at = folder;
    loop {
        if has_git(at) {
            return Some(at.to_path_buf());
        }
        at = at.parent()?;
        if ceilings.iter().any(|c| c == at) {
            return None;
        }
    }
}

/// Bytes of git's own index, about 40,000 files, from which on its two lists are asked for side by side.
const LARGE_INDEX: u64 = 4_000_000;

/// Adds the files of the work tree at `root/prefix`, then those of the repositories nested in it, by their own rules.
pub(super) fn list(
    root: &Path,
    prefix: &str,
    rules: &mut IndexIgnore,
    names: &mut Names,
    look: &(impl Fn(Vec<String>) -> Vec<Looked> + Sync),
) -> Result<()> {
    let tree = if prefix.is_empty() { root.to_path_buf() } else { root.join(prefix) };
    let mut nested = Vec::new();
    if std::fs::metadata(tree.join(".git/index")).is_ok_and(|meta| meta.len() >= LARGE_INDEX) {
        // What git tracks is looked at while it searches the folders for what it does not.
        let tracked = || {
            let output = run(&tree, &["ls-files", "-z", "--cached"])?;
            take(&output, prefix, rules, names, &mut nested);
            let paths = std::mem::take(&mut names.paths);
            names.met += paths.len();
            names.looked.extend(look(paths));
            Ok(())
        };
        let (tracked, others) =
            rayon::join(tracked, || run(&tree, &["ls-files", "-z", "--others", "--exclude-standard"]));
        tracked?;
        take(&others?, prefix, rules, names, &mut nested);
    } else {
        let output = run(&tree, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
        take(&output, prefix, rules, names, &mut nested);
    }
    for folder in nested {
        let full = root.join(&folder);
        if has_git(&full) && !rules.ignores_folder(&folder) && extra_checkout(root, &full).is_none() {
            list(root, &folder, rules, names, look)?;
        }
    }
    Ok(())
}

/// Takes what git printed; folders, which are repositories of their own, are added to `nested`.
fn take(output: &Output, prefix: &str, rules: &mut IndexIgnore, names: &mut Names, nested: &mut Vec<String>) {
    names.unreadable.extend(closed(output, prefix));
    let mut before: &[u8] = &[];
    for entry in output.stdout.split(|b| *b == 0).filter(|e| !e.is_empty()) {
        // A conflicted file is listed once a stage.
        if entry == before {
            continue;
        }
        before = entry;
        let Ok(entry) = std::str::from_utf8(entry) else {
            names.undecodable += 1;
            continue;
        };
        if let Some(folder) = entry.strip_suffix('/') {
            nested.push(join(prefix, folder));
            continue;
        }
        let path = join(prefix, entry);
        if rules.ignores(&path) {
            names.ignored += 1;
        } else {
            names.paths.push(path);
        }
    }
}

/// Folders that git could not open, which is no failure to it.
fn closed(output: &Output, prefix: &str) -> Vec<(String, String)> {
    let errors = String::from_utf8_lossy(&output.stderr);
    let of_line = |line: &str| {
        let (folder, reason) =
            line.strip_prefix("warning: could not open directory '")?.rsplit_once("/': ")?;
        Some((join(prefix, folder), reason.to_owned()))
    };
    errors.lines().filter_map(of_line).collect()
}

fn join(prefix: &str, path: &str) -> String {
    if prefix.is_empty() { path.to_owned() } else { format!("{prefix}/{path}") }
}

/// Runs git in a folder and returns what it printed.
fn run(folder: &Path, args: &[&str]) -> Result<Output> {
    let mut command = Command::new("git");
    // fsmonitor is a program that the repository's own configuration may name.
    command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]).args(args);
    command.current_dir(folder).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").stdin(Stdio::null());
    for name in REDIRECTS {
        command.env_remove(name);
    }
    let failed = |message: String| Error::Git { path: folder.to_path_buf(), message };
    let output = command.output().map_err(|e| failed(format!("cannot be started: {e}")))?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
    }
}

/// The newest commits without merges: subject, and the files touched, relative to the folder.
///
/// # Errors
/// [`Error::Git`] where git fails.
pub(crate) fn log(folder: &Path, most: usize) -> Result<Vec<(String, Vec<String>)>> {
    let count = format!("-n{most}");
    let output = run(
        folder,
        &["log", "--no-merges", "--relative", "-z", "--name-only", "--format=%x01%s%x02", &count],
    )?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let commit = |part: &str| {
        let (subject, files) = part.split_once('\u{2}')?;
        let files = files.split('\0').map(str::trim).filter(|f| !f.is_empty()).map(str::to_owned);
        Some((subject.to_owned(), files.collect()))
    };
    Ok(text.split('\u{1}').filter_map(commit).collect())
}

/// The git rule that ignores a path of a work tree: `FILE:LINE:PATTERN`; `None` where none does.
///
/// # Errors
/// [`Error::Git`] where git fails for another reason than "not ignored".
pub(crate) fn check_ignore(tree: &Path, path: &str) -> Result<Option<String>> {
    match run(tree, &["check-ignore", "-v", "--", path]) {
        Ok(output) => {
            let line = String::from_utf8_lossy(&output.stdout).into_owned();
            Ok(line.split('\t').next().map(str::to_owned).filter(|rule| !rule.is_empty()))
        }
        // Exit 1 without words: no rule matches.
        Err(Error::Git { message, .. }) if message.is_empty() => Ok(None),
        Err(error) => Err(error),
    }
}
