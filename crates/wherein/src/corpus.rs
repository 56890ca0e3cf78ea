//! The user's configuration file: the corpus, which is the folders that are searched together, and defaults. JSON with the names of
//! semantic-search-mcp; keys that nobody here knows are kept. It is written only by `add` and `remove`, whole and under a lock.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};
use wherein_engine::DeepPolicy;

/// Every key that is followed, with what it is for.
pub(crate) const KEYS: &[(&str, &str)] = &[
    ("defaultRoots", "The corpus: a list of folders. `wherein add` and `wherein remove` keep it."),
    ("defaultRoot", "One more of them; `wherein add` moves it into the list."),
    ("indexDir", "The folder that holds the indexes."),
    ("modelCacheDir", "The folder of added models."),
    ("defaultTopK", "How many passages a search shows, where `-k` does not say."),
    ("maxFileSizeBytes", "Larger files are skipped; bytes."),
    ("concurrency", "Threads that read, parse and embed."),
    ("defaultIgnorePatterns", "Lines of an ignore file that apply to every root, in gitignore syntax."),
    ("binaryExtensions", "Endings of files that are left out, beside those that always are."),
    ("deep", "Which files get deep vectors: `prose`, `all` or `none`."),
    (
        "deepModel",
        "The model that makes deep vectors: a name of `wherein model list`, or what a server calls it.",
    ),
    ("deepProvider", "Who runs it: `local`, `ollama` or `openai`."),
    ("deepUrl", "Where a server is."),
    ("rerankModel", "The cross-encoder of `--rerank`."),
    ("refreshMs", "How long a search may look for changes and index them before it answers; milliseconds."),
];

/// Keys of semantic-search-mcp that are read and change nothing, with the reason.
pub(crate) const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("storeBackend", "there is one store"),
    (
        "modelName, modelDtype, vectorDim, embedBatchSize",
        "the models are in the program; `deepModel` names another",
    ),
    (
        "chunk.targetTokens, chunk.overlapTokens, chunk.hardTokenLimit",
        "passages are cut along definitions and headings",
    ),
    (
        "searchPoolMultiplier, searchPoolMin, lexicalBoostWeight, hybridSearch, rrfK",
        "ranking is fitted, see docs/measurements.md",
    ),
    ("ignoreFile", "ignore files are called `.indexignore`"),
    ("extractableExtensions", "semantic-search-mcp itself dropped it"),
];

/// What the file says, as far as it is followed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Values {
    default_roots: Vec<PathBuf>,
    default_root: Option<PathBuf>,
    pub(crate) index_dir: Option<PathBuf>,
    pub(crate) model_cache_dir: Option<PathBuf>,
    pub(crate) default_top_k: Option<usize>,
    pub(crate) max_file_size_bytes: Option<u64>,
    pub(crate) concurrency: Option<usize>,
    pub(crate) default_ignore_patterns: Vec<String>,
    pub(crate) binary_extensions: Vec<String>,
    pub(crate) deep: Option<DeepPolicy>,
    pub(crate) deep_model: Option<String>,
    pub(crate) deep_provider: Option<String>,
    pub(crate) deep_url: Option<String>,
    pub(crate) rerank_model: Option<String>,
    pub(crate) refresh_ms: Option<u64>,
}

/// The corpus with the file that names it.
#[derive(Clone, Debug)]
pub(crate) struct Corpus {
    /// The file.
    pub(crate) file: PathBuf,
    /// Whether it is there.
    pub(crate) is_there: bool,
    /// When it was written, and its length.
    stamp: Option<(SystemTime, u64)>,
    /// What it says.
    pub(crate) values: Values,
    /// The roots in the file's order, absolute; links as they were written.
    pub(crate) roots: Vec<PathBuf>,
}

/// What became of a folder that was to be added.
pub(crate) enum Added {
    /// It is new.
    New(PathBuf),
    /// It was there.
    Known(PathBuf),
}

const LIST: &str = "defaultRoots";
const SINGLE: &str = "defaultRoot";

impl Corpus {
    /// Reads the file; none is an empty corpus.
    ///
    /// # Errors
    /// Where it can't be read or is not as it should be.
    pub(crate) fn read(file: PathBuf) -> anyhow::Result<Corpus> {
        let stamp = stamp(&file);
        let text = match fs::read_to_string(&file) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("read {}", file.display())),
        };
        let wrong = || format!("{} is not as it should be", file.display());
        let values: Values =
            text.as_deref().map(serde_json::from_str).transpose().with_context(wrong)?.unwrap_or_default();
        ensure!(values.concurrency != Some(0), "{}: concurrency must be at least 1", file.display());
        ensure!(values.default_top_k != Some(0), "{}: defaultTopK must be at least 1", file.display());
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut known = HashSet::new();
        let named = values.default_roots.iter().chain(&values.default_root).map(|root| folder.join(root));
        let roots = named.filter(|root| known.insert(real(root))).collect();
        Ok(Corpus { file, is_there: text.is_some(), stamp, values, roots })
    }

    /// Whether the file has not been written since it was read.
    pub(crate) fn is_as_read(&self) -> bool {
        stamp(&self.file) == self.stamp
    }

    /// A path of the file, which is meant from the file's own folder.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        self.file.parent().unwrap_or(Path::new("")).join(path)
    }

    /// Adds folders that exist, real and absolute; those that are there already, by whatever way, are told.
    ///
    /// # Errors
    /// Where the file can't be written.
    pub(crate) fn add(&self, folders: &[PathBuf]) -> anyhow::Result<Vec<Added>> {
        edit(&self.file, |roots| {
            let mut known: HashSet<PathBuf> = roots.iter().map(|root| real(&self.resolve(root))).collect();
            let mut add = |folder: &PathBuf| {
                if !known.insert(real(folder)) {
                    return Added::Known(folder.clone());
                }
                roots.push(folder.clone());
                Added::New(folder.clone())
            };
            Ok(folders.iter().map(&mut add).collect())
        })
    }

    /// Takes a root out of the corpus; the file is written anew.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(crate) fn remove(&self, root: &Path) -> anyhow::Result<()> {
        edit(&self.file, |roots| {
            roots.retain(|known| self.resolve(known) != root);
            Ok(())
        })
    }

    /// The root that a name means: a path as stored, a real path, or the name of its folder.
    ///
    /// # Errors
    /// Where several have that name; they are listed.
    pub(crate) fn find(&self, name: &Path, current: &Path) -> anyhow::Result<Option<PathBuf>> {
        let full = current.join(name);
        let meant = real(&full);
        let by_path = self.roots.iter().find(|root| **root == full || real(root) == meant);
        if let Some(root) = by_path {
            return Ok(Some(root.clone()));
        }
        let named: Vec<&PathBuf> =
            self.roots.iter().filter(|root| root.file_name() == Some(name.as_os_str())).collect();
        if named.len() > 1 {
            let list: Vec<String> = named.iter().map(|root| format!("\n  {}", root.display())).collect();
            bail!(
                "{} folders are called {}; name one by its path:{}",
                named.len(),
                name.display(),
                list.concat()
            );
        }
        Ok(named.first().map(|root| (*root).clone()))
    }
}

fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let meta = file.metadata().ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

/// A root's name: that of its folder.
pub(crate) fn name(root: &Path) -> String {
    root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Links followed, where there is something.
pub(crate) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// Reads the file again under its lock, changes the list of roots, and replaces the file whole where that changed something.
fn edit<T>(file: &Path, change: impl FnOnce(&mut Vec<PathBuf>) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let folder = file.parent().with_context(|| format!("{} lies in no folder", file.display()))?;
    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
    let lock_file = file.with_extension("lock");
    let lock = File::create(&lock_file).with_context(|| format!("write {}", lock_file.display()))?;
    lock.lock().with_context(|| format!("lock {}", lock_file.display()))?;
    let mut all: Map<String, Value> = match fs::read_to_string(file) {
        Ok(text) => serde_json::from_str(&text)
            .with_context(|| format!("{} is not as it should be", file.display()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(error).with_context(|| format!("read {}", file.display())),
    };
    let text = |value: &Value| value.as_str().map(PathBuf::from);
    let list = all.get(LIST).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let before: Vec<PathBuf> = list.iter().chain(all.get(SINGLE)).filter_map(text).collect();
    let mut roots = before.clone();
    let out = change(&mut roots)?;
    if roots != before {
        let path = |root: &PathBuf| Value::String(root.to_string_lossy().into_owned());
        all.insert(LIST.to_owned(), roots.iter().map(path).collect());
        all.shift_remove(SINGLE);
        let mut new = tempfile::NamedTempFile::new_in(folder)
            .with_context(|| format!("write in {}", folder.display()))?;
        new.write_all(serde_json::to_string_pretty(&all)?.as_bytes())?;
        new.write_all(b"\n")?;
        new.as_file().sync_all()?;
        new.persist(file).with_context(|| format!("replace {}", file.display()))?;
    }
    Ok(out)
}
