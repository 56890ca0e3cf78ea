//! Flags, environment and folders → what the engine is told. The only room that reads the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use wherein_engine::{Api, Card, Config, DeepModel, DeepPolicy, Engine, Known, Server, Worker};

use crate::args::WORKER;
use crate::download::{HUB, Hub};
use crate::models::Models;
use crate::project;

/// Every environment variable that wherein reads.
pub(crate) mod env_vars {
    /// The folder that holds the indexes.
    pub(crate) const DATA_DIR: &str = "WHEREIN_DATA_DIR";
    /// The same, by semantic-search-mcp's name.
    pub(crate) const SS_INDEX_DIR: &str = "SS_INDEX_DIR";
    /// Larger files are skipped; bytes.
    pub(crate) const MAX_FILE_BYTES: &str = "WHEREIN_MAX_FILE_BYTES";
    /// Which files get deep vectors: `prose`, `all` or `none`.
    pub(crate) const DEEP: &str = "WHEREIN_DEEP";
    /// The model that makes deep vectors: a name of `wherein model list`, or what a server calls it.
    pub(crate) const DEEP_MODEL: &str = "WHEREIN_DEEP_MODEL";
    /// Who runs it: `local`, `ollama` or `openai`.
    pub(crate) const DEEP_PROVIDER: &str = "WHEREIN_DEEP_PROVIDER";
    /// Where a server is.
    pub(crate) const DEEP_URL: &str = "WHEREIN_DEEP_URL";
    /// What a server asks for as a key.
    pub(crate) const DEEP_KEY: &str = "WHEREIN_DEEP_KEY";
    /// The folder of added models.
    pub(crate) const MODEL_DIR: &str = "WHEREIN_MODEL_DIR";
    /// The same, by code-search-mcp's name.
    pub(crate) const RAG_MODEL_CACHE: &str = "RAG_MODEL_CACHE";
    /// `1` lets a cross-encoder read the top of every page again.
    pub(crate) const RAG_RERANK: &str = "RAG_RERANK";
    /// Which one: a name of `wherein model list`.
    pub(crate) const RAG_RERANK_MODEL: &str = "RAG_RERANK_MODEL";
    /// `1` lets `model add` fetch what is not there.
    pub(crate) const RAG_ALLOW_DOWNLOAD: &str = "RAG_ALLOW_DOWNLOAD";
    /// `1` forbids it, as the hub's own libraries know it.
    pub(crate) const HF_HUB_OFFLINE: &str = "HF_HUB_OFFLINE";
    /// The same.
    pub(crate) const TRANSFORMERS_OFFLINE: &str = "TRANSFORMERS_OFFLINE";
    /// Another hub.
    pub(crate) const HF_ENDPOINT: &str = "HF_ENDPOINT";
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
    /// Which files get deep vectors, where the environment says so.
    deep: Option<DeepPolicy>,
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

/// Whether a variable says yes.
fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| value == "1" || value == "true")
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
        let deep = variable(env_vars::DEEP).map(|policy| {
            let policy = policy.to_string_lossy().into_owned();
            DeepPolicy::from_name(&policy)
                .with_context(|| format!("{} must be prose, all or none, not {policy:?}", env_vars::DEEP))
        });
        config.worker =
            std::env::current_exe().ok().map(|program| Worker { program, args: vec![WORKER.to_owned()] });
        let ceilings = variable(env_vars::GIT_CEILING_DIRECTORIES)
            .map(|list| std::env::split_paths(&list).filter_map(|p| p.canonicalize().ok()).collect())
            .unwrap_or_default();
        let home = home.map(|h| h.canonicalize().unwrap_or(h));
        Ok(Settings { config, deep: deep.transpose()?, home, ceilings, current })
    }

    /// The engine of a root. Home and `/` are refused unless `anything` is allowed.
    pub(crate) fn engine(&self, root: &Path, anything: bool) -> anyhow::Result<Engine> {
        if !anything {
            wherein_engine::check_root(root, self.home.as_deref())?;
        }
        let mut config =
            Config { deep_model: self.deep_model()?, reranker: self.reranker().ok(), ..self.config.clone() };
        if let Some(deep) = self.deep.map_or_else(|| project::deep(root), |deep| Ok(Some(deep)))? {
            config.deep = deep;
        }
        Ok(Engine::open(root, config)?)
    }

    /// The model that makes deep vectors.
    fn deep_model(&self) -> anyhow::Result<DeepModel> {
        let text = |name: &str| variable(name).map(|value| value.to_string_lossy().into_owned());
        let model = text(env_vars::DEEP_MODEL);
        let provider = text(env_vars::DEEP_PROVIDER).unwrap_or_else(|| "local".to_owned());
        let (api, default) = match provider.as_str() {
            "local" => {
                return match model.filter(|name| wherein_engine::model(name).is_none()) {
                    None => Ok(DeepModel::BuiltIn),
                    Some(name) => self.models().find(&name).map(DeepModel::Folder),
                };
            }
            "ollama" => (Api::Ollama, "http://127.0.0.1:11434"),
            "openai" => (Api::OpenAi, "http://127.0.0.1:8080/v1"),
            other => {
                anyhow::bail!("{} must be local, ollama or openai, not {other:?}", env_vars::DEEP_PROVIDER)
            }
        };
        let model = model.with_context(|| {
            format!("{} is {provider}, but {} names no model", env_vars::DEEP_PROVIDER, env_vars::DEEP_MODEL)
        })?;
        let known = Known::find(model.split(':').next().unwrap_or(&model));
        let (question, passage) = known.map_or(("", ""), |known| known.prefixes);
        Ok(DeepModel::Server(Server {
            api,
            url: text(env_vars::DEEP_URL).unwrap_or_else(|| default.to_owned()),
            prefixes: (question.to_owned(), passage.to_owned()),
            key: text(env_vars::DEEP_KEY),
            model,
        }))
    }

    /// Whether a cross-encoder reads the top of a page again: where it is asked for, here or in the environment.
    pub(crate) fn reranks(&self, asked: bool) -> anyhow::Result<bool> {
        let reranks = asked || is_set(env_vars::RAG_RERANK);
        if reranks {
            self.reranker()?;
        }
        Ok(reranks)
    }

    /// The folder of the cross-encoder; only who reranks needs one.
    fn reranker(&self) -> anyhow::Result<PathBuf> {
        let name = variable(env_vars::RAG_RERANK_MODEL).with_context(|| {
            format!(
                "{} names no model to rerank with; `wherein model add FOLDER` adds a cross-encoder",
                env_vars::RAG_RERANK_MODEL
            )
        })?;
        self.models().find(&name.to_string_lossy())
    }

    /// What to know of the deep model before its answers are trusted, where nobody has checked its settings.
    pub(crate) fn deep_notice(&self) -> anyhow::Result<Option<String>> {
        let unchecked = match self.deep_model()? {
            DeepModel::BuiltIn => None,
            DeepModel::Folder(folder) => {
                Some(Card::read(&folder)?).filter(|card| !card.is_known).map(|card| card.name)
            }
            DeepModel::Server(server) => {
                let name = server.model.split(':').next().unwrap_or_default();
                Known::find(name).is_none().then_some(server.model)
            }
        };
        Ok(unchecked.map(|name| {
            format!("nobody has checked prefixes, pooling and threshold of the model {name}; `wherein eval` shows what it does for you")
        }))
    }

    /// The models that were added.
    pub(crate) fn models(&self) -> Models {
        let folder = variable(env_vars::MODEL_DIR).or_else(|| variable(env_vars::RAG_MODEL_CACHE));
        Models {
            folder: folder.map_or_else(|| self.config.data_dir.join("models"), |dir| self.current.join(dir)),
        }
    }

    /// The hub, where fetching is allowed: by `asked`, or by the environment.
    pub(crate) fn hub(&self, asked: bool) -> anyhow::Result<Option<Hub>> {
        let offline =
            [env_vars::HF_HUB_OFFLINE, env_vars::TRANSFORMERS_OFFLINE].into_iter().find(|name| is_set(name));
        if let Some(name) = offline.filter(|_| asked) {
            anyhow::bail!("{name} is set, so nothing is fetched; unset it, or give the model's folder");
        }
        let allowed = offline.is_none() && (asked || is_set(env_vars::RAG_ALLOW_DOWNLOAD));
        let base = variable(env_vars::HF_ENDPOINT)
            .map_or_else(|| HUB.to_owned(), |url| url.to_string_lossy().into_owned());
        Ok(allowed.then_some(Hub { base }))
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
