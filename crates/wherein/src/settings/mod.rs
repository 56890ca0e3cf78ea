//! Flags, environment and files → what the engine is told. The only room that reads the environment.

mod fallback;
mod places;
pub(crate) mod variables;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use anyhow::Context;
use wherein_engine::{Api, Card, Config, DeepModel, DeepPolicy, Engine, Known, Server, Worker};

use crate::args::WORKER;
use crate::corpus::{self, Corpus};
use crate::download::{HUB, Hub};
use crate::models::Models;
use crate::mount;
use crate::project;

pub(crate) use fallback::check_writable;
pub(crate) use places::{Target, Which, segment_globs};

use variables as env_vars;
use variables::{is_set, text, variable};

/// How long a search looks for changes and indexes them, where nobody says otherwise.
const REFRESH: Duration = Duration::from_secs(1);

/// What the environment and the user's file say.
pub(crate) struct Settings {
    /// Defaults of every engine.
    pub(crate) config: Config,
    /// The corpus.
    pub(crate) corpus: Corpus,
    /// How long a search looks for changes and indexes them.
    pub(crate) refresh: Duration,
    /// Which files get deep vectors, where the environment says so.
    deep: Option<DeepPolicy>,
    /// What to say of folders that were chosen for want of others.
    notes: Mutex<Vec<String>>,
    /// Whether indexes can be kept where they should be.
    usable: OnceLock<bool>,
    home: Option<PathBuf>,
    current: PathBuf,
    /// Where the project is looked for: in the current folder, or the one that an agent's client names, where we are not inside of that.
    begin: PathBuf,
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
        let begin =
            variable(env_vars::CLAUDE_PROJECT_DIR).and_then(|dir| current.join(dir).canonicalize().ok());
        let begin = begin.filter(|dir| !current.starts_with(dir)).unwrap_or_else(|| current.clone());
        let home = std::env::home_dir().filter(|h| !h.as_os_str().is_empty());
        let corpus = Corpus::read(corpus_file(&current, home.as_deref())?)?;
        let values = &corpus.values;
        let data = variable(env_vars::DATA_DIR)
            .or_else(|| variable(env_vars::SS_INDEX_DIR))
            .map(|dir| current.join(dir))
            .or_else(|| values.index_dir.as_ref().map(|dir| corpus.resolve(dir)))
            .or_else(|| {
                base(env_vars::XDG_DATA_HOME, home.as_deref(), ".local/share").map(|b| b.join("wherein"))
            })
            .with_context(|| {
                format!("there is no home folder to keep indexes in; set {}", env_vars::DATA_DIR)
            })?;
        let mut config = Config::new(data);
        config.user_ignore = base(env_vars::XDG_CONFIG_HOME, home.as_deref(), ".config")
            .map(|b| b.join("wherein").join(".indexignore"));
        config.ignore.clone_from(&values.default_ignore_patterns);
        config.ignore.extend(
            values.binary_extensions.iter().map(|ending| format!("*.{}", ending.trim_start_matches('.'))),
        );
        config.max_file_bytes = number(env_vars::MAX_FILE_BYTES, "bytes")?
            .or(values.max_file_size_bytes)
            .unwrap_or(config.max_file_bytes);
        config.threads = values.concurrency.unwrap_or(config.threads);
        let deep = text(env_vars::DEEP).map(|policy| {
            DeepPolicy::from_name(&policy)
                .with_context(|| format!("{} must be prose, all or none, not {policy:?}", env_vars::DEEP))
        });
        let refresh = number(env_vars::REFRESH_MS, "milliseconds")?.or(values.refresh_ms);
        config.worker =
            std::env::current_exe().ok().map(|program| Worker { program, args: vec![WORKER.to_owned()] });
        let home = home.map(|h| h.canonicalize().unwrap_or(h));
        // A repository that the home folder is itself, of dotfiles mostly, says nothing of what lies in it.
        let ceilings = variable(env_vars::GIT_CEILING_DIRECTORIES);
        let ceilings = ceilings.iter().flat_map(std::env::split_paths).filter_map(|p| p.canonicalize().ok());
        config.ceilings = ceilings.chain(home.clone()).collect();
        Ok(Settings {
            config,
            deep: deep.transpose()?.or(values.deep),
            refresh: refresh.map_or(REFRESH, Duration::from_millis),
            corpus,
            notes: Mutex::default(),
            usable: OnceLock::new(),
            home,
            current,
            begin,
        })
    }

    /// The engine of a root. Home and `/` are refused unless `anything` is allowed, or was when they were indexed.
    pub(crate) fn engine(&self, root: &Path, anything: bool) -> anyhow::Result<Engine> {
        let project = project::read(root)?;
        let mut config = Config {
            deep_model: self.deep_model()?,
            reranker: self.reranker().ok(),
            selection: project.selection,
            ..self.config.clone()
        };
        if let Some(deep) = self.deep.or(project.deep) {
            config.deep = deep;
        }
        if anything {
            config.max_files = usize::MAX;
        }
        if !*self.usable.get_or_init(|| fallback::is_usable(&config.data_dir)) {
            let (dir, note) = fallback::data_dir(&config, root)?;
            config.data_dir = dir;
            if let Ok(mut notes) = self.notes.lock() {
                notes.extend(note);
            }
        }
        let engine = Engine::open(root, config)?;
        if !engine.is_indexed() {
            if !anything {
                wherein_engine::check_root(root, self.home.as_deref())?;
            }
            self.note_remote(&engine.config().data_dir);
        }
        Ok(engine)
    }

    /// Says, before anything is kept there, that a data folder lies on another machine's disk.
    fn note_remote(&self, data_dir: &Path) {
        if let Some(kind) = mount::remote(data_dir)
            && let Ok(mut notes) = self.notes.lock()
        {
            let note = remote_note(data_dir, kind);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }

    /// Every folder that may hold indexes: the usual one; where that can't be written, those inside of roots that are known, and the one
    /// for temporary files.
    pub(crate) fn data_dirs(&self) -> Vec<PathBuf> {
        let mut out = vec![self.config.data_dir.clone()];
        let roots =
            self.corpus.roots.iter().map(|root| corpus::real(root)).chain(self.known_around(&self.current));
        out.extend(roots.map(|root| fallback::inside(&root)));
        out.extend(fallback::temporary_if_there());
        out.retain(|dir| dir.join("roots").is_dir());
        out.sort();
        out.dedup();
        out
    }

    /// What has come up since that was asked last.
    pub(crate) fn take_notes(&self) -> Vec<String> {
        self.notes.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default()
    }

    /// What clients over HTTP have to name.
    pub(crate) fn http_token(&self) -> Option<String> {
        text(env_vars::HTTP_TOKEN)
    }

    /// Whether the user's file is still the one that was read.
    pub(crate) fn is_current(&self) -> bool {
        let file = corpus_file(&self.current, self.home.as_deref());
        file.is_ok_and(|file| file == self.corpus.file) && self.corpus.is_as_read()
    }

    /// Whether the environment names a configuration, and that a corpus.
    pub(crate) fn names_corpus(&self) -> bool {
        let named = variable(env_vars::CONFIG).or_else(|| variable(env_vars::SS_CONFIG_PATH));
        named.is_some() && !self.corpus.roots.is_empty()
    }

    /// Whether a folder is the home folder or `/`, which are nobody's project.
    pub(crate) fn is_everything(&self, folder: &Path) -> bool {
        let real = corpus::real(folder);
        real.parent().is_none() || Some(real.as_path()) == self.home.as_deref()
    }

    /// The home folder.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The current folder.
    pub(crate) fn current(&self) -> &Path {
        &self.current
    }

    /// The model that makes deep vectors.
    fn deep_model(&self) -> anyhow::Result<DeepModel> {
        let values = &self.corpus.values;
        let model = text(env_vars::DEEP_MODEL).or_else(|| values.deep_model.clone());
        let provider = text(env_vars::DEEP_PROVIDER).or_else(|| values.deep_provider.clone());
        let provider = provider.unwrap_or_else(|| "local".to_owned());
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
                anyhow::bail!(
                    "{} or deepProvider must be local, ollama or openai, not {other:?}",
                    env_vars::DEEP_PROVIDER
                )
            }
        };
        let model = model.with_context(|| {
            format!("the provider is {provider}, but {} or deepModel names no model", env_vars::DEEP_MODEL)
        })?;
        let known = Known::find(model.split(':').next().unwrap_or(&model));
        let (question, passage) = known.map_or(("", ""), |known| known.prefixes);
        Ok(DeepModel::Server(Server {
            api,
            url: text(env_vars::DEEP_URL)
                .or_else(|| values.deep_url.clone())
                .unwrap_or_else(|| default.to_owned()),
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
        let name = text(env_vars::RAG_RERANK_MODEL).or_else(|| self.corpus.values.rerank_model.clone());
        let name = name.with_context(|| {
            format!(
                "{} or rerankModel names no model to rerank with; `wherein model add FOLDER` adds a cross-encoder",
                env_vars::RAG_RERANK_MODEL
            )
        })?;
        self.models().find(&name)
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
        let names = [env_vars::MODEL_DIR, env_vars::SS_MODEL_CACHE_DIR, env_vars::RAG_MODEL_CACHE];
        let named = names.into_iter().find_map(variable).map(|dir| self.current.join(dir));
        let configured = || self.corpus.values.model_cache_dir.as_ref().map(|dir| self.corpus.resolve(dir));
        let folder = named.or_else(configured).unwrap_or_else(|| self.config.data_dir.join("models"));
        Models { folder }
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
}

/// What to know of indexes on another machine's disk.
pub(crate) fn remote_note(data_dir: &Path, kind: &str) -> String {
    format!(
        "{} is on a {kind} mount; indexes are safe there from one machine at a time only, and quicker on a disk of this one: set {}",
        data_dir.display(),
        env_vars::DATA_DIR
    )
}

/// A number that a variable gives.
fn number(name: &str, unit: &str) -> anyhow::Result<Option<u64>> {
    let Some(value) = text(name) else { return Ok(None) };
    value.parse().map(Some).with_context(|| format!("{name} must be a number of {unit}, not {value:?}"))
}

/// The user's configuration file: the one that is named, else ours, else semantic-search-mcp's where only that is there.
fn corpus_file(current: &Path, home: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(file) = variable(env_vars::CONFIG).or_else(|| variable(env_vars::SS_CONFIG_PATH)) {
        return Ok(current.join(file));
    }
    let base = base(env_vars::XDG_CONFIG_HOME, home, ".config");
    let base = base.with_context(|| format!("there is no home folder; set {}", env_vars::CONFIG))?;
    let own = base.join("wherein").join("config.json");
    let before = base.join("semantic-search").join("config.json");
    Ok(if !own.exists() && before.exists() { before } else { own })
}
