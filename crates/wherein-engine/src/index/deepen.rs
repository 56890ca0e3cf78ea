//! The deep tier's flow: chunks without a deep vector → their text, read again → vectors → commits, as it goes. It runs behind
//! everything else: on threads of low priority, without the writer lock but for its commits.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::chunk::worker::Pool;
use crate::config::{Config, DeepModel};
use crate::embed::{Embedder, Role, Scale, counter, deep, passage};
use crate::error::{Error, Result};
use crate::source;
use crate::store::{Location, Snapshot, Writer, borrow};
use crate::types::Cancel;
use crate::vector::quantise;

use super::{Event, Report, identity, low_priority_pool};

/// Vectors are committed at least this often: what a kill can lose.
const COMMIT_EVERY: Duration = Duration::from_secs(2);
/// How long a commit waits for another writer.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often a server is asked for its model before it counts as down, and the pause in between.
const SERVER_TRIES: u32 = 4;
const SERVER_PAUSE: Duration = Duration::from_secs(1);
/// Vectors that may wait to be stored.
const QUEUE: usize = 256;

/// Fills in the deep vectors of one root.
pub(super) struct Deepen<'a> {
    pub(super) location: &'a Location,
    pub(super) config: &'a Config,
    pub(super) cancel: &'a Cancel,
    pub(super) events: &'a mut dyn FnMut(Event<'_>),
    pub(super) report: &'a mut Report,
    /// Whether vectors of other roots may be taken.
    pub(super) borrows: bool,
}

/// Chunks of a file that lack a vector.
type Lacking = (usize, Vec<u32>);

/// The model that made vectors.
struct Made {
    /// Names it, as the configuration does.
    identity: String,
    /// Numbers of a vector.
    dimensions: usize,
    /// Mean and deviation of its cosines of unrelated texts.
    scale: (f32, f32),
}

/// A chunk's vector.
struct Row {
    no: u32,
    vector: Vec<i8>,
    scale: f32,
}

/// What the threads send.
enum Step {
    Row(Row),
    /// A file that is no longer what was indexed; the next run sees to it.
    Passed(usize),
    Failed(Error),
}

impl Deepen<'_> {
    /// Fills in what is lacking: what other roots have, then, with `embed`, the rest. Returns the generation that holds it;
    /// `None` where nothing was added.
    pub(super) fn fill(&mut self, now: &Snapshot, embed: bool) -> Result<Option<Snapshot>> {
        let Some(_lock) = self.location.lock_deep()? else {
            self.report.deep.elsewhere = embed;
            return Ok(None);
        };
        // A search takes what is there and waits for nobody.
        let patience = if embed { PATIENCE } else { Duration::ZERO };
        let mut latest =
            if self.borrows && self.borrow(now, patience)? { Some(self.open(now)?) } else { None };
        let mut passed: HashSet<String> = HashSet::new();
        while embed && !self.cancel.is_cancelled() {
            let at = latest.as_ref().unwrap_or(now);
            let lacking = lacking(at, &passed);
            if lacking.is_empty() {
                break;
            }
            match self.round(at, &lacking, &mut passed) {
                Err(error @ Error::Model { .. }) => {
                    self.report.deep.failed = Some(error.to_string());
                    return self.open(at).map(Some);
                }
                done => done?,
            }
            // Others may have written meanwhile: what they added lacks vectors too.
            latest = Some(self.open(at)?);
        }
        Ok(latest)
    }

    fn open(&self, held: &Snapshot) -> Result<Snapshot> {
        Snapshot::open(self.location, &identity(self.config)?, Some(held))
    }

    /// Takes what other roots have; says whether that was something.
    fn borrow(&mut self, at: &Snapshot, patience: Duration) -> Result<bool> {
        let slots = lacking(at, &HashSet::new()).into_iter().flat_map(|(_, slots)| slots);
        let mut wanted: HashMap<u128, Vec<u32>, rustc_hash::FxBuildHasher> = HashMap::default();
        for chunk in slots.map(|slot| at.chunk(slot)) {
            wanted.entry(chunk.text_hash()).or_default().push(chunk.no);
        }
        let own = Some(at.deep().dimensions()).filter(|_| !at.deep().is_empty());
        let identity = identity(self.config)?;
        let found = borrow(self.location, &identity, own, |hash| wanted.contains_key(&hash));
        let identity = identity.deep.unwrap_or_default();
        let made = Made { identity, dimensions: found.dimensions, scale: found.scale };
        let rows = found.vectors.into_iter().flat_map(|(hash, (vector, scale))| {
            let row = move |no: &u32| Row { no: *no, vector: vector.clone(), scale };
            wanted.get(&hash).into_iter().flatten().map(row).collect::<Vec<_>>()
        });
        let mut rows: Vec<Row> = rows.collect();
        rows.sort_unstable_by_key(|row| row.no);
        let is_some = match self.commit(at, &rows, &made, patience) {
            Err(Error::Locked { .. }) if patience.is_zero() => false,
            done => done? && !rows.is_empty(),
        };
        self.report.deep.borrowed += if is_some { rows.len() } else { 0 };
        Ok(is_some)
    }

    /// The model; a server may need its time to load it.
    fn model(&self) -> Result<Arc<dyn Embedder>> {
        let is_server = matches!(self.config.deep_model, DeepModel::Server(_));
        let mut tries = if is_server { SERVER_TRIES } else { 1 };
        loop {
            tries -= 1;
            match deep(&self.config.deep_model) {
                Err(_) if tries > 0 && !self.cancel.is_cancelled() => std::thread::sleep(SERVER_PAUSE),
                done => return done,
            }
        }
    }

    /// Embeds what is lacking in one generation, on all threads.
    fn round(&mut self, at: &Snapshot, lacking: &[Lacking], passed: &mut HashSet<String>) -> Result<()> {
        let model = self.model()?;
        let is_known =
            at.deep().made_by() == Some(model.identity()) && at.deep().dimensions() == model.dimensions();
        let scale = match (&self.config.deep_model, is_known) {
            (_, true) => at.deep().scale(),
            (DeepModel::BuiltIn, _) => (Scale::BUILT_IN.mean, Scale::BUILT_IN.deviation),
            _ => Scale::measure(&*model).map(|scale| (scale.mean, scale.deviation))?,
        };
        let made = Made { identity: model.identity().to_owned(), dimensions: model.dimensions(), scale };
        let group = model.batch();
        let parsers = Pool::new(self.config.worker.clone());
        let (config, cancel, root) = (self.config, self.cancel, &self.location.root);
        let reader = Reader { at, config, parsers: &parsers, cancel, root, group };
        let threads = low_priority_pool(self.config.threads, &self.location.root)?;
        let (send, steps) = sync_channel(QUEUE);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // Where nobody listens any more, what ended the listening is what the run returns.
                drop(threads.install(|| {
                    let files = lacking.par_iter().with_max_len(1);
                    files.try_for_each_with(send, |send, lacking| reader.embed_file(lacking, send))
                }));
            });
            let total = lacking.iter().map(|l| l.1.len()).sum();
            self.collect((at, &made), steps, total, passed)
        })
    }

    /// Stores what the threads send, as it comes.
    fn collect(
        &mut self,
        (at, made): (&Snapshot, &Made),
        steps: Receiver<Step>,
        total: usize,
        passed: &mut HashSet<String>,
    ) -> Result<()> {
        let (mut rows, mut done, mut last) = (Vec::new(), 0, Instant::now());
        let mut failed = Ok(());
        (self.events)(Event::Embedded { done, total });
        for step in steps {
            match step {
                Step::Row(row) => rows.push(row),
                Step::Passed(file) => drop(passed.insert(at.path(file).to_owned())),
                Step::Failed(error) => {
                    failed = Err(error);
                    break;
                }
            }
            (self.events)(Event::Embedded { done: done + rows.len(), total });
            if last.elapsed() >= COMMIT_EVERY {
                if !self.commit(at, &rows, made, PATIENCE)? {
                    return Ok(());
                }
                done += rows.len();
                self.report.deep.embedded += rows.len();
                rows.clear();
                last = Instant::now();
            }
        }
        if self.commit(at, &rows, made, PATIENCE)? {
            self.report.deep.embedded += rows.len();
        }
        failed
    }

    /// Makes vectors part of the index. False where they are of an index that was replaced meanwhile.
    fn commit(&mut self, at: &Snapshot, rows: &[Row], made: &Made, patience: Duration) -> Result<bool> {
        if rows.is_empty() {
            return Ok(true);
        }
        let lock = self.location.lock(patience)?;
        // An index that was removed meanwhile is not begun anew by its deep vectors.
        if self.location.current()?.as_deref() != Some(at.epoch()) {
            return Ok(false);
        }
        let identity = identity(self.config)?;
        if identity.deep.as_ref() != Some(&made.identity) {
            let message =
                "was replaced by another of its name meanwhile; the next run begins with that".to_owned();
            return Err(Error::Model { model: made.identity.clone(), message });
        }
        let mut writer = Writer::open(self.location, lock, &identity, Some(at), false)?;
        if !writer.continues(at) {
            return Ok(false);
        }
        writer.begin_deep(made.dimensions, made.scale);
        for row in rows {
            writer.put_deep(row.no, (&row.vector, row.scale));
        }
        let generation = writer.commit_deep()?;
        writer.finish()?;
        (self.events)(Event::Committed { generation });
        Ok(true)
    }
}

/// The files with chunks that lack a vector, the largest work first, so that no thread is left alone with it at the end.
fn lacking(at: &Snapshot, passed: &HashSet<String>) -> Vec<Lacking> {
    let files = (0..at.files().len()).map(|file| (file, at.lacking_deep(file).collect::<Vec<u32>>()));
    let mut out: Vec<Lacking> =
        files.filter(|(file, slots)| !slots.is_empty() && !passed.contains(at.path(*file))).collect();
    out.sort_by_key(|(_, slots)| std::cmp::Reverse(slots.len()));
    out
}

/// Reads files again and embeds what of them lacks a vector.
struct Reader<'a> {
    at: &'a Snapshot,
    config: &'a Config,
    parsers: &'a Pool,
    cancel: &'a Cancel,
    root: &'a Path,
    /// Passages that the model is given at once.
    group: usize,
}

impl Reader<'_> {
    fn embed_file(&self, (file, slots): &Lacking, send: &SyncSender<Step>) -> Result<(), SendError<Step>> {
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        let texts = self.texts(*file, slots);
        if texts.len() < slots.len() {
            send.send(Step::Passed(*file))?;
        }
        texts.par_chunks(self.group).try_for_each_with(send.clone(), |send, group| {
            if self.cancel.is_cancelled() {
                return Ok(());
            }
            match embed_group(&self.config.deep_model, group) {
                Ok(rows) => rows.into_iter().try_for_each(|row| send.send(Step::Row(row))),
                Err(error) => send.send(Step::Failed(error)),
            }
        })
    }

    /// Chunk numbers and texts of these slots, as far as the file still holds what was indexed.
    fn texts(&self, file: usize, slots: &[u32]) -> Vec<(u32, String)> {
        let (path, hash) = (self.at.path(file), self.at.files()[file].hash());
        let content = source::read_known(&self.root.join(path), self.config.max_file_bytes, Some(hash));
        let Some(text) = content.ok().filter(|c| c.hash == hash).and_then(|c| c.text.ok()) else {
            return Vec::new();
        };
        let Ok((_, cut)) = self.parsers.cut(path, &text, self.config.limits, counter) else {
            return Vec::new();
        };
        let as_indexed = |slot: &u32| {
            let record = self.at.chunk(*slot);
            let chunk = cut.chunks.iter().find(|c| c.start == record.start as usize)?;
            let text = passage(path, chunk, text.content.get(chunk.start..chunk.end)?);
            (source::content_hash(text.as_bytes()) == record.text_hash()).then_some((record.no, text))
        };
        slots.iter().filter_map(as_indexed).collect()
    }
}

fn embed_group(model: &DeepModel, group: &[(u32, String)]) -> Result<Vec<Row>> {
    // Asked for each time, so that it is not taken for idle.
    let model = deep(model)?;
    let dimensions = model.dimensions();
    let texts: Vec<&str> = group.iter().map(|(_, text)| text.as_str()).collect();
    let mut vectors = vec![0.0; texts.len() * dimensions];
    model.embed(Role::Passage, &texts, &mut vectors)?;
    let row = |((no, _), vector): (&(u32, String), &[f32])| {
        let mut row = vec![0; dimensions];
        let scale = quantise(vector, &mut row);
        Row { no: *no, vector: row, scale }
    };
    Ok(group.iter().zip(vectors.chunks_exact(dimensions)).map(row).collect())
}
