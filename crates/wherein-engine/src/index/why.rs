//! Why a file is in the index or not: the same rules as the listing, asked one by one.

use std::path::Path;

use crate::Why;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::source;
use crate::store::{Location, Snapshot};

/// Answers for one path of a root.
///
/// # Errors
/// Where rules can't be read or git fails.
pub(crate) fn why(location: &Location, config: &Config, path: &str) -> Result<Why> {
    let snapshot = match super::snapshot(location, config) {
        Ok(snapshot) => Some(snapshot),
        Err(Error::NotIndexed { .. }) => None,
        Err(error) => return Err(error),
    };
    let full = location.root.join(path);
    let known = snapshot.as_ref().and_then(|s| s.find(path).map(|file| (s, file)));
    let meta = match std::fs::symlink_metadata(&full) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Ok(out(
                path,
                "in a folder that can't be read; what is known of it is kept, and not shown",
            ));
        }
        Err(_) if known.is_some() => {
            return Ok(out(path, "gone from the disk; the next index run forgets it"));
        }
        Err(_) => return Ok(out(path, "no such file")),
    };
    if meta.is_symlink() {
        return Ok(out(path, "a symbolic link; links are never followed"));
    }
    if let Some(reason) = in_extra_checkout(&location.root, path) {
        return Ok(out(path, &reason));
    }
    if meta.is_dir() {
        return folder(location, config, path, snapshot.as_ref());
    }
    if !meta.is_file() {
        return Ok(out(path, "neither a file nor a folder (FIFO, socket or device)"));
    }
    if let Some(rule) = ignored_by(location, config, path)? {
        return Ok(Why { rule: Some(rule), ..out(path, "ignored by a rule") });
    }
    let Some((snapshot, file)) = known else {
        let reason =
            if snapshot.is_some() { "new since the last index run" } else { "nothing is indexed here yet" };
        return Ok(out(path, reason));
    };
    let record = snapshot.files()[file];
    let Some(reason) = record.skip() else {
        let how = if record.is_fallback() {
            "indexed by lines: its syntax could not be parsed within the limits"
        } else {
            "indexed"
        };
        return Ok(Why {
            indexed: true,
            language: Some(record.lang().id()),
            chunks: record.chunks as usize,
            ..out(path, how)
        });
    };
    Ok(out(path, &skip_words(reason, config.max_file_bytes, meta.len())))
}

fn out(path: &str, reason: &str) -> Why {
    Why {
        path: path.to_owned(),
        indexed: false,
        reason: reason.to_owned(),
        rule: None,
        language: None,
        chunks: 0,
    }
}

fn folder(location: &Location, config: &Config, path: &str, snapshot: Option<&Snapshot>) -> Result<Why> {
    if let Some(rule) = ignored_by(location, config, path)? {
        return Ok(Why { rule: Some(rule), ..out(path, "ignored by a rule") });
    }
    let below = |s: &Snapshot| {
        let inside = (0..s.files().len())
            .filter(|f| s.path(*f).strip_prefix(path).is_some_and(|r| r.starts_with('/')));
        inside.filter(|f| s.files()[*f].skip().is_none()).count()
    };
    Ok(out(path, &format!("a folder; {} of its files are indexed", snapshot.map_or(0, below))))
}

fn ignored_by(location: &Location, config: &Config, path: &str) -> Result<Option<String>> {
    if let Some(rule) = source::index_ignored(&location.root, path, config)? {
        return Ok(Some(rule));
    }
    if source::work_tree_of(&location.root, &config.ceilings).is_none() {
        return Ok(None);
    }
    let path = if path.is_empty() { "." } else { path };
    source::check_ignore(&location.root, path)
}

/// The folder above a path that is a further checkout of a repository that is in the root already.
fn in_extra_checkout(root: &Path, path: &str) -> Option<String> {
    let above = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
    let mut checkouts = above.filter_map(|folder| {
        let of = source::extra_checkout(root, &root.join(folder))?;
        Some(format!("in {folder}, a further checkout of {}, which answers from itself", of.display()))
    });
    checkouts.next()
}

fn skip_words(reason: crate::types::SkipReason, limit: u64, size: u64) -> String {
    use crate::types::SkipReason as R;
    match reason {
        R::Empty => "empty: there is no text in it".into(),
        R::Binary => "binary, by its extension or its content".into(),
        R::TooLarge => format!("too large: {size} bytes, the limit is {limit}"),
        R::Secret => "holds credentials, by its name or its content".into(),
        R::IndexIgnored => "ignored by a rule".into(),
        R::PathEncoding => "its name is not valid Unicode".into(),
        R::Unreadable => "could not be read; the next index run tries again".into(),
    }
}
