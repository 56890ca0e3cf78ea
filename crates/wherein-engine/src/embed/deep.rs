//! The models in use: loaded when they are first needed, shared by everybody; the deep one is dropped when nobody needed it for a while.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lru::LruCache;

use crate::config::{Config, DeepModel};
use crate::error::{Error, Result};

use super::folder::{Card, CrossEncoder, FolderModel};
use super::minilm::{self, MiniLm};
use super::server::{self, ServerModel};
use super::{Embedder, Role};

/// A model that nobody asked for that long is dropped.
const IDLE: Duration = Duration::from_secs(60);

/// The model that is loaded.
struct Loaded {
    choice: DeepModel,
    model: Arc<dyn Embedder>,
    used: Instant,
    /// The vectors of the last questions: who narrows a question asks the same again.
    questions: LruCache<String, Vec<f32>>,
}

/// Questions that are remembered: 100 kB of vectors of 384 numbers.
const QUESTIONS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(63);

static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

/// What names a deep model's vectors.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) where a model's folder has no card.
pub(crate) fn deep_identity(choice: &DeepModel) -> Result<String> {
    Ok(match choice {
        DeepModel::BuiltIn => minilm::IDENTITY.to_owned(),
        DeepModel::Folder(folder) => Card::read(folder)?.identity(),
        DeepModel::Server(server) => server::identity(server),
    })
}

/// The deep model.
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) where it is not the built-in one and can't be loaded or reached.
pub(crate) fn deep(choice: &DeepModel) -> Result<Arc<dyn Embedder>> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = deep_identity(choice)?;
    let fits = |loaded: &&mut Loaded| loaded.choice == *choice && loaded.model.identity() == wanted;
    if let Some(loaded) = loaded.as_mut().filter(fits) {
        loaded.used = Instant::now();
        return Ok(Arc::clone(&loaded.model));
    }
    let model = load(choice)?;
    let nobody_waits = loaded.is_none();
    *loaded = Some(Loaded {
        choice: choice.clone(),
        model: Arc::clone(&model),
        used: Instant::now(),
        questions: LruCache::new(QUESTIONS),
    });
    if nobody_waits {
        // Where no thread can be had the model stays.
        drop(thread::Builder::new().name("idle-model".into()).spawn(|| drop_when_idle(IDLE)));
    }
    Ok(model)
}

/// The vector of a question.
///
/// # Errors
/// As [`deep`], and where a model outside this process fails.
pub(crate) fn question(choice: &DeepModel, text: &str) -> Result<Vec<f32>> {
    let model = deep(choice)?;
    if let Some(known) = with_questions(&model, |questions| questions.get(text).cloned()).flatten() {
        return Ok(known);
    }
    let vector = model.vector(Role::Question, text)?;
    with_questions(&model, |questions| questions.put(text.to_owned(), vector.clone()));
    Ok(vector)
}

/// Lends the questions of a model, where it is still the one that is loaded.
fn with_questions<T>(
    model: &Arc<dyn Embedder>,
    lend: impl FnOnce(&mut LruCache<String, Vec<f32>>) -> T,
) -> Option<T> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    loaded
        .as_mut()
        .filter(|loaded| Arc::ptr_eq(&loaded.model, model))
        .map(|loaded| lend(&mut loaded.questions))
}

/// The cross-encoder that the configuration names.
///
/// # Errors
/// [`Error::Model`] where it names none, or one that can't be loaded.
pub(crate) fn reranker(config: &Config) -> Result<Arc<CrossEncoder>> {
    static LOADED: Mutex<Option<(PathBuf, Arc<CrossEncoder>)>> = Mutex::new(None);
    let folder = config
        .reranker
        .as_ref()
        .ok_or_else(|| Error::Model { model: "reranker".into(), message: "none is configured".into() })?;
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, model)) = loaded.as_ref().filter(|(of, _)| of == folder) {
        return Ok(Arc::clone(model));
    }
    let model = Arc::new(CrossEncoder::open(folder)?);
    *loaded = Some((folder.clone(), Arc::clone(&model)));
    Ok(model)
}

fn load(choice: &DeepModel) -> Result<Arc<dyn Embedder>> {
    Ok(match choice {
        DeepModel::BuiltIn => Arc::new(MiniLm::load()),
        DeepModel::Folder(folder) => Arc::new(FolderModel::open(folder)?),
        DeepModel::Server(server) => Arc::new(ServerModel::connect(server)?),
    })
}

/// Waits until the model has been idle, drops it and ends.
fn drop_when_idle(idle: Duration) {
    let mut wait = idle;
    loop {
        thread::sleep(wait);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(model) = loaded.as_ref() else { return };
        wait = match idle.checked_sub(model.used.elapsed()) {
            Some(rest) => rest,
            // Somebody is at work with it.
            None if Arc::strong_count(&model.model) > 1 => idle,
            None => {
                *loaded = None;
                return;
            }
        };
    }
}
