//! The models in use: loaded when they are first needed, shared by everybody; the deep one is dropped when nobody needed it for a while.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::{Config, DeepModel};
use crate::error::{Error, Result};

use super::Embedder;
use super::folder::{Card, CrossEncoder, FolderModel};
use super::minilm::{self, MiniLm};
use super::server::{self, ServerModel};

/// A model that nobody asked for that long is dropped.
const IDLE: Duration = Duration::from_secs(60);

/// The model that is loaded.
struct Loaded {
    choice: DeepModel,
    model: Arc<dyn Embedder>,
    used: Instant,
}

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
    *loaded = Some(Loaded { choice: choice.clone(), model: Arc::clone(&model), used: Instant::now() });
    if nobody_waits {
        // Where no thread can be had the model stays.
        drop(thread::Builder::new().name("idle-model".into()).spawn(|| drop_when_idle(IDLE)));
    }
    Ok(model)
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
