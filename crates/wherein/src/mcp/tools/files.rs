//! Paths that a client gives: which root and file they mean, and that they stay inside.

use std::path::{Component, Path};

use anyhow::{bail, ensure};
use wherein_engine::{ChunkView, Error, is_within};

use crate::mcp::served::Ready;

/// Paths and globs that narrow a question.
pub(super) struct Places {
    /// The root that it is for, where the path is absolute; and the place in it.
    within: Vec<(Option<usize>, String)>,
    globs: Vec<String>,
}

impl Places {
    /// Reads them: with `*`, `?`, `[` or `{` a path is a glob, else a folder or a file.
    ///
    /// # Errors
    /// Where one leads outside of what is served.
    pub(super) fn new(paths: &[String], ready: &[Ready]) -> anyhow::Result<Places> {
        let mut out = Places { within: Vec::new(), globs: Vec::new() };
        for path in paths {
            let (root, inside) = place(path, ready)?;
            if inside.contains(['*', '?', '[', '{']) && !exists(root, &inside, ready) {
                out.globs.push(inside);
            } else {
                out.within.push((root, inside));
            }
        }
        Ok(out)
    }

    /// Those that count for a root, with what the server itself is narrowed to.
    pub(super) fn of(&self, ready: &Ready) -> (Vec<String>, Vec<String>) {
        let is_here = |root: &Option<usize>| root.is_none_or(|root| root == id(ready));
        let mut within: Vec<String> =
            self.within.iter().filter(|(root, _)| is_here(root)).map(|(_, inside)| inside.clone()).collect();
        if within.is_empty() && !self.within.is_empty() {
            // Every one of them is of another root.
            within.push("\0".to_owned());
        }
        if within.is_empty() {
            within.clone_from(&ready.within);
        } else if !ready.within.is_empty() {
            within.retain(|place| ready.within.iter().any(|outer| is_within(place, outer)));
            if within.is_empty() {
                within.push("\0".to_owned());
            }
        }
        (within, self.globs.clone())
    }
}

fn id(ready: &Ready) -> usize {
    std::ptr::from_ref(&*ready.served).addr()
}

fn exists(root: Option<usize>, inside: &str, ready: &[Ready]) -> bool {
    let here = |ready: &&Ready| root.is_none_or(|root| root == id(ready));
    ready.iter().filter(here).any(|ready| ready.engine().root().join(inside).symlink_metadata().is_ok())
}

/// The root of an absolute path, and the place in a root, with slashes.
fn place(path: &str, ready: &[Ready]) -> anyhow::Result<(Option<usize>, String)> {
    let full = Path::new(path);
    let leads_out = full.components().any(|part| part == Component::ParentDir) || path.starts_with("\\\\");
    ensure!(!leads_out, "{path:?} leads outside of the folders that are served");
    if full.is_absolute() {
        for ready in ready {
            if let Ok(inside) = full.strip_prefix(ready.engine().root()) {
                return Ok((Some(id(ready)), inside.to_string_lossy().into_owned()));
            }
        }
        let roots: Vec<String> =
            ready.iter().map(|ready| ready.engine().root().display().to_string()).collect();
        bail!("{path:?} lies outside of the folders that are served: {}", roots.join(", "));
    }
    let plain = path.trim_start_matches("./").trim_end_matches('/');
    Ok((None, if plain == "." { String::new() } else { plain.to_owned() }))
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
        if !ready.within.is_empty() && !ready.within.iter().any(|outer| is_within(&inside, outer)) {
            continue;
        }
        let file = ready.snapshot.find(&inside);
        let is_text = file.is_some_and(|file| ready.snapshot.files()[file].skip().is_none());
        if let Some(text) = ready.engine().text(&inside).filter(|_| is_text) {
            return Ok(Known { ready, path: inside, text });
        }
        let why = ready.engine().why(&inside)?;
        if why.reason != "no such file" {
            let rule = why.rule.map_or_else(String::new, |rule| format!(" ({rule})"));
            reason = Some(format!("{}{rule}", why.reason));
        }
    }
    match reason {
        Some(reason) => bail!("{path:?} is not served: {reason}"),
        None => bail!("{path:?} is no file of the folders that are served"),
    }
}

/// A passage by its id, in whichever root has it.
///
/// # Errors
/// Where an index can't be read.
pub(super) fn chunk(id: &str, ready: &[Ready]) -> anyhow::Result<Option<ChunkView>> {
    for ready in ready {
        match ready.engine().chunk_in(&ready.snapshot, id) {
            Ok(chunk) => return Ok(Some(chunk)),
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
