//! `.indexignore` files: gitignore syntax, at any depth and beside the user's configuration. The last rule that matches
//! decides, deeper files after shallower ones; nothing below an ignored folder comes back.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::config::Config;
use crate::error::{Error, Result};

/// The name of an ignore file of ours. Such files are rules, not content.
pub(super) const FILE_NAME: &str = ".indexignore";

/// Folders of dependencies and build output, for trees that git does not describe.
const BUILTIN: &[&str] = &[
    "node_modules/",
    ".git/",
    "dist/",
    "build/",
    "coverage/",
    "vendor/",
    ".next/",
    "__pycache__/",
    "target/",
    ".venv/",
];

/// The rules of one root, read as folders are met.
#[derive(Default)]
pub(super) struct IndexIgnore {
    root: PathBuf,
    /// The built-in folder list, the weakest of all; not inside git work trees.
    builtin: Option<Gitignore>,
    /// The user's rules, weaker than the root's.
    user: Option<Gitignore>,
    /// The rules of each folder, and whether the folder itself is ignored.
    folders: HashMap<String, Folder, rustc_hash::FxBuildHasher>,
    /// Whether there is any rule that a file could match: the built-in list is of folders.
    for_files: bool,
}

#[derive(Clone)]
struct Folder {
    rules: Option<Gitignore>,
    ignored: bool,
}

impl IndexIgnore {
    /// Reads the user's file, if one is given and there, and the rules of the configuration.
    pub(super) fn new(root: &Path, config: &Config) -> Result<Self> {
        let file = config.user_ignore.as_deref().filter(|file| file.is_file());
        let is_given = file.is_some() || !config.ignore.is_empty();
        let user = is_given.then(|| parse(root, file, &config.ignore)).transpose()?;
        let for_files = user.is_some();
        Ok(IndexIgnore { root: root.to_path_buf(), user, for_files, ..IndexIgnore::default() })
    }

    /// Adds the built-in folder list below every other rule.
    pub(super) fn add_builtin(&mut self) {
        let mut builder = GitignoreBuilder::new(&self.root);
        for line in BUILTIN {
            // The lines are literals of ours; a test reads them.
            drop(builder.add_line(None, line));
        }
        self.builtin = builder.build().ok();
    }

    /// Drops the built-in folder list, for a git work tree below the root.
    pub(super) fn drop_builtin(&mut self) {
        self.builtin = None;
    }

    /// Whether a file is kept out.
    pub(super) fn ignores(&mut self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        name == FILE_NAME
            || self.ignores_folder(folder)
            || (self.for_files && self.decide(path, false).is_some())
    }

    /// Whether a folder, or one above it, is kept out.
    pub(super) fn ignores_folder(&mut self, folder: &str) -> bool {
        if let Some(known) = self.folders.get(folder) {
            return known.ignored;
        }
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        let ignored =
            !folder.is_empty() && (self.ignores_folder(above) || self.decide(folder, true).is_some());
        let file = self.root.join(folder).join(FILE_NAME);
        // A file of rules that cannot be read keeps nothing out; the index shows what is in.
        let rules = if ignored || !file.is_file() {
            None
        } else {
            parse(&self.root.join(folder), Some(&file), &[]).ok()
        };
        self.for_files |= rules.is_some();
        self.folders.insert(folder.to_owned(), Folder { rules, ignored });
        ignored
    }

    /// The rule that keeps a path out, as `FILE: PATTERN`.
    pub(super) fn reason(&mut self, path: &str) -> Option<String> {
        let mut end = 0;
        while let Some(at) = path[end..].find('/') {
            end += at;
            if self.ignores_folder(&path[..end]) {
                return self.decide(&path[..end], true);
            }
            end += 1;
        }
        self.ignores(path).then(|| self.decide(path, false).unwrap_or_else(|| "rules are not content".into()))
    }

    /// The last matching rule, if it ignores.
    fn decide(&mut self, path: &str, is_folder: bool) -> Option<String> {
        let full = self.root.join(path);
        let mut above = path;
        // Deepest folder first: its rules are the last word.
        while let Some((folder, _)) = above.rsplit_once('/') {
            if let Some(verdict) = self
                .folders
                .get(folder)
                .and_then(|f| f.rules.as_ref())
                .and_then(|r| verdict(r, &full, is_folder))
            {
                return verdict;
            }
            above = folder;
        }
        if !self.folders.contains_key("") {
            self.ignores_folder("");
        }
        let top = self.folders.get("").and_then(|f| f.rules.as_ref());
        top.into_iter()
            .chain(&self.user)
            .chain(&self.builtin)
            .find_map(|r| verdict(r, &full, is_folder))
            .flatten()
    }
}

/// `None`: no rule matches; `Some(None)`: a rule lets it in; `Some(Some(rule))`: it keeps it out.
fn verdict(rules: &Gitignore, full: &Path, is_folder: bool) -> Option<Option<String>> {
    match rules.matched(full, is_folder) {
        Match::None => None,
        Match::Whitelist(_) => Some(None),
        Match::Ignore(glob) => {
            let from = glob.from().map_or_else(|| "built-in list".into(), |f| f.display().to_string());
            Some(Some(format!("{from}: {}", glob.original())))
        }
    }
}

/// Reads rules: those of the file are the last word.
fn parse(base: &Path, file: Option<&Path>, lines: &[String]) -> Result<Gitignore> {
    let mut builder = GitignoreBuilder::new(base);
    for line in lines {
        let bad = |e: ignore::Error| Error::Pattern { pattern: line.clone(), message: e.to_string() };
        builder.add_line(Some("configuration".into()), line).map_err(bad)?;
    }
    let bad = |e: ignore::Error| Error::Pattern {
        pattern: file.map(|file| file.display().to_string()).unwrap_or_default(),
        message: e.to_string(),
    };
    if let Some(error) = file.and_then(|file| builder.add(file)) {
        return Err(bad(error));
    }
    builder.build().map_err(bad)
}
