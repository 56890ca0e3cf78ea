//! Flags, environment and folders → what the engine is told. The only room that reads the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use wherein_engine::{Config, Engine, Worker};

use crate::args::WORKER;

/// Every environment variable that wherein reads.
pub(crate) mod env_vars {
    /// The folder that holds the indexes.
    pub(crate) const DATA_DIR: &str = "WHEREIN_DATA_DIR";
    /// The same, by semantic-search-mcp's name.
    pub(crate) const SS_INDEX_DIR: &str = "SS_INDEX_DIR";
    /// Larger files are skipped; bytes.
    pub(crate) const MAX_FILE_BYTES: &str = "WHEREIN_MAX_FILE_BYTES";
    /// Base of data folders.
    pub(crate) const XDG_DATA_HOME: &str = "XDG_DATA_HOME";
    /// Base of configuration folders.
    pub(crate) const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
    /// Folders above which no git work tree is looked for.
    pub(crate) const GIT_CEILING_DIRECTORIES: &str = "GIT_CEILING_DIRECTORIES";
}

/// What the environment says.
pub(crate) struct Settings {
    /// Defaults of every engine.
    pub(crate) config: Config,
    home: Option<PathBuf>,
    ceilings: Vec<PathBuf>,
    current: PathBuf,
}

/// A root and the part of it that was asked for.
pub(crate) struct Target {
    /// The root.
    pub(crate) root: PathBuf,
    /// Paths inside it, with slashes; empty for all.
    pub(crate) within: Vec<String>,
}

#[expect(clippy::disallowed_methods, reason = "this is the room that reads the environment")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A folder variable of the XDG specification: relative values are ignored, as it demands.
fn base(name: &str, home: Option<&Path>, default: &str) -> Option<PathBuf> {
    variable(name).map(PathBuf::from).filter(|p| p.is_absolute()).or_else(|| home.map(|h| h.join(default)))
}

impl Settings {
    /// Reads the environment.
    pub(crate) fn read() -> anyhow::Result<Settings> {
        let current = std::env::current_dir().context("the current folder cannot be read")?;
        let current = current.canonicalize().unwrap_or(current);
        let home = std::env::home_dir().filter(|h| !h.as_os_str().is_empty());
        let data = variable(env_vars::DATA_DIR)
            .or_else(|| variable(env_vars::SS_INDEX_DIR))
            .map(|dir| current.join(dir))
            .or_else(|| {
                base(env_vars::XDG_DATA_HOME, home.as_deref(), ".local/share").map(|b| b.join("wherein"))
            })
            .with_context(|| {
                format!("there is no home folder to keep indexes in; set {}", env_vars::DATA_DIR)
            })?;
        let mut config = Config::new(data);
        config.user_ignore = base(env_vars::XDG_CONFIG_HOME, home.as_deref(), ".config")
            .map(|b| b.join("wherein").join(".indexignore"));
        if let Some(limit) = variable(env_vars::MAX_FILE_BYTES) {
            let limit = limit.to_string_lossy().into_owned();
            config.max_file_bytes = limit.parse().with_context(|| {
                format!("{} must be a number of bytes, not {limit:?}", env_vars::MAX_FILE_BYTES)
            })?;
        }
        config.worker =
            std::env::current_exe().ok().map(|program| Worker { program, args: vec![WORKER.to_owned()] });
        let ceilings = variable(env_vars::GIT_CEILING_DIRECTORIES)
            .map(|list| std::env::split_paths(&list).filter_map(|p| p.canonicalize().ok()).collect())
            .unwrap_or_default();
        let home = home.map(|h| h.canonicalize().unwrap_or(h));
        Ok(Settings { config, home, ceilings, current })
    }

    /// The engine of a root. Home and `/` are refused unless `anything` is allowed.
    pub(crate) fn engine(&self, root: &Path, anything: bool) -> anyhow::Result<Engine> {
        if !anything {
            wherein_engine::check_root(root, self.home.as_deref())?;
        }
        Ok(Engine::open(root, self.config.clone())?)
    }

    /// The roots that paths mean, in the order given; none given: the one around the current folder.
    pub(crate) fn targets(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<Target>> {
        if paths.is_empty() {
            return Ok(vec![Target { root: self.root_around(&self.current), within: Vec::new() }]);
        }
        let mut out: Vec<Target> = Vec::new();
        for path in paths {
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

    /// The git work tree that holds a folder, else the indexed root that holds it, else the folder.
    fn root_around(&self, folder: &Path) -> PathBuf {
        let indexed = |at: &&Path| {
            Engine::open(at, self.config.clone())
                .is_ok_and(|engine| engine.index_dir().join("current").is_file())
        };
        wherein_engine::work_tree_of(folder, &self.ceilings)
            .or_else(|| folder.ancestors().find(indexed).map(Path::to_path_buf))
            .unwrap_or_else(|| folder.to_path_buf())
    }
}

/// A path's place in a root, with slashes; nothing for the root itself.
fn place(root: &Path, path: &Path) -> Vec<String> {
    let rest = path.strip_prefix(root).unwrap_or(Path::new(""));
    let parts: Vec<_> = rest.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    if parts.is_empty() { Vec::new() } else { vec![parts.join("/")] }
}
