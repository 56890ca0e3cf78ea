//! Paths that a client gives: which root and file they mean, and that they stay inside.

use std::path::{Component, Path};

use anyhow::{bail, ensure};
use wherein_engine::{ChunkView, Error, is_within};

use crate::mcp::served::Ready;

/// Paths and globs that narrow a question: what lies below one of the paths, or is matched by one of the globs.
pub(super) struct Places {
    /// Folders and files, each with the root that it is for, where the path is absolute.
    within: Vec<(Option<usize>, String)>,
    /// Globs, in the same way.
    globs: Vec<(Option<usize>, String)>,
}

/// A place in no root: nothing is there.
const NOWHERE: &str = "\0";

impl Places {
    /// Reads them: with `*`, `?`, `[` or `{` a path is a glob, else a folder or a file.
    ///
    /// # Errors
    /// Where one leads outside of what is served, or to nothing.
    pub(super) fn new(paths: &[String], ready: &[Ready]) -> anyhow::Result<Places> {
        let mut out = Places { within: Vec::new(), globs: Vec::new() };
        for path in paths {
            let (root, inside) = place(path, ready)?;
            if exists(root, &inside, ready) {
                out.within.push((root, inside));
            } else if inside.contains(['*', '?', '[', '{']) {
                // What is named from a root on is meant there and not further below.
                out.globs.push((root, if root.is_some() { format!("/{inside}") } else { inside }));
            } else {
                bail!(
                    "{path:?} is no file or folder of what is served; `path` is meant from a root, or absolute"
                );
            }
        }
        Ok(out)
    }

    /// Those that count for a root, places and globs, with what the server itself is narrowed to.
    pub(super) fn of(&self, ready: &Ready) -> (Vec<String>, Vec<String>) {
        let here = |all: &[(Option<usize>, String)]| -> Vec<String> {
            let is_here = |root: &Option<usize>| root.is_none_or(|root| root == id(ready));
            all.iter().filter(|(root, _)| is_here(root)).map(|(_, inside)| inside.clone()).collect()
        };
        let (within, mut globs) = (here(&self.within), here(&self.globs));
        if self.within.is_empty() && self.globs.is_empty() {
            return (ready.within.clone(), globs);
        }
        if globs.is_empty() {
            let mut within: Vec<String> =
                within.iter().flat_map(|place| narrowed(place, &ready.within)).collect();
            if within.is_empty() {
                within.push(NOWHERE.to_owned());
            }
            return (within, globs);
        }
        // Either of them is enough, so that places become globs.
        for place in within {
            if place.is_empty() {
                return (ready.within.clone(), Vec::new());
            }
            globs.push(format!("/{}", literal(&place)));
        }
        (ready.within.clone(), globs)
    }
}

/// What a place and the places that a server is narrowed to have in common.
fn narrowed(place: &str, outer: &[String]) -> Vec<String> {
    if outer.is_empty() {
        return vec![place.to_owned()];
    }
    let common = |outer: &String| {
        if is_within(place, outer) {
            Some(place.to_owned())
        } else {
            (place.is_empty() || is_within(outer, place)).then(|| outer.clone())
        }
    };
    outer.iter().filter_map(common).collect()
}

/// A path as a glob that matches it, and what is below it, alone.
fn literal(path: &str) -> String {
    let one = |c: char| match c {
        '*' | '?' | '[' | ']' | '{' | '}' => format!("[{c}]"),
        '\\' if cfg!(unix) => "\\\\".to_owned(),
        c => c.to_string(),
    };
    path.chars().map(one).collect()
}

fn id(ready: &Ready) -> usize {
    std::ptr::from_ref(&*ready.served).addr()
}

fn exists(root: Option<usize>, inside: &str, ready: &[Ready]) -> bool {
    let here = |ready: &&Ready| root.is_none_or(|root| root == id(ready));
    let is_there = |ready: &Ready| {
        ready.engine().root().join(inside).symlink_metadata().is_ok() || ready.snapshot.find(inside).is_some()
    };
    ready.iter().filter(here).any(is_there)
}

/// The root of an absolute path, and the place in a root, with slashes.
fn place(path: &str, ready: &[Ready]) -> anyhow::Result<(Option<usize>, String)> {
    let full = Path::new(path);
    let leads_out = full.components().any(|part| part == Component::ParentDir) || path.starts_with("\\\\");
    ensure!(!leads_out, "{path:?} leads outside of the folders that are served");
    if !full.is_absolute() {
        return Ok((None, slashes(full)));
    }
    // Of roots in each other the inner one.
    let inside = |ready: &Ready| below(full, ready.engine().root()).map(|inside| (id(ready), inside));
    let shortest = ready.iter().filter_map(inside).min_by_key(|(_, inside)| inside.components().count());
    let Some((root, inside)) = shortest else {
        let roots: Vec<String> =
            ready.iter().map(|ready| ready.engine().root().display().to_string()).collect();
        bail!("{path:?} lies outside of the folders that are served: {}", roots.join(", "));
    };
    Ok((Some(root), slashes(inside)))
}

/// What of a path is below a root. The root may be named by another way, through a link; links below it are not followed.
fn below<'a>(path: &'a Path, root: &Path) -> Option<&'a Path> {
    if let Ok(inside) = path.strip_prefix(root) {
        return Some(inside);
    }
    let is_root = |above: &&Path| above.canonicalize().is_ok_and(|real| real == root);
    // The shortest: a link further below that leads back is none of ours.
    path.strip_prefix(path.ancestors().filter(is_root).last()?).ok()
}

/// A relative path with slashes, without parts that say nothing.
fn slashes(path: &Path) -> String {
    let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
    parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// A file that the index knows, whose text may be read.
pub(super) struct Known<'a> {
    pub(super) ready: &'a Ready,
    /// Relative to its root, with slashes.
    pub(super) path: String,
    pub(super) text: String,
}

/// Reads a file by its path: absolute, or relative to one of the roots. Only what an index holds, or would hold, is read: no link out, nothing
/// ignored, no secret, nothing too large.
///
/// # Errors
/// Where no such file is served; why, where that is known.
pub(super) fn known<'a>(path: &str, ready: &'a [Ready]) -> anyhow::Result<Known<'a>> {
    let (root, inside) = place(path, ready)?;
    let mut reason = None;
    for ready in ready.iter().filter(|ready| root.is_none_or(|root| root == id(ready))) {
        if !is_served(&inside, ready) {
            continue;
        }
        let file = ready.snapshot.find(&inside);
        let is_text = file.is_some_and(|file| ready.snapshot.files()[file].skip().is_none());
        if let Some(text) = ready.engine().text(&inside).filter(|_| is_text) {
            return Ok(Known { ready, path: inside, text });
        }
        reason = why_not(&inside, ready).or(reason);
    }
    match reason {
        Some(reason) => bail!("{path:?} is not served: {reason}"),
        None => bail!("{path:?} is no file of the folders that are served"),
    }
}

/// Why a root does not serve a file, where there is one.
fn why_not(inside: &str, ready: &Ready) -> Option<String> {
    let root = ready.engine().root();
    let is_link = |above: &Path| root.join(above).symlink_metadata().is_ok_and(|meta| meta.is_symlink());
    if Path::new(inside).ancestors().skip(1).any(is_link) {
        return Some("it lies behind a symbolic link, and none is followed".to_owned());
    }
    match ready.engine().why(inside) {
        Ok(why) if why.reason == "no such file" => None,
        Ok(why) => {
            Some(why.rule.map_or_else(|| why.reason.to_string(), |rule| format!("{} ({rule})", why.reason)))
        }
        Err(error) => Some(error.to_string()),
    }
}

/// Whether a file is within what the server is narrowed to.
fn is_served(inside: &str, ready: &Ready) -> bool {
    ready.within.is_empty() || ready.within.iter().any(|outer| is_within(inside, outer))
}

/// A passage by its id, in whichever root has it.
///
/// # Errors
/// Where an index can't be read.
pub(super) fn chunk(id: &str, ready: &[Ready]) -> anyhow::Result<Option<ChunkView>> {
    for ready in ready {
        match ready.engine().chunk_in(&ready.snapshot, id) {
            Ok(chunk) if is_served(&chunk.path, ready) => return Ok(Some(chunk)),
            Ok(_) => {}
            Err(Error::UnknownChunk { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// The place in a root that a path names, absolute or relative to it; `None` where it leads outside.
pub(super) fn place_in(path: &str, root: &Path) -> Option<String> {
    let full = Path::new(path);
    if full.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let inside = if full.is_absolute() { full.strip_prefix(root).ok()? } else { full };
    let inside = inside.to_string_lossy().trim_start_matches("./").to_owned();
    root.join(&inside).symlink_metadata().is_ok().then_some(inside)
}
