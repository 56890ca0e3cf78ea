//! One file, from disk to what is stored of it: read → extract → chunk → embed. Runs on many threads.

use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;

use crate::chunk::worker::Pool;
use crate::config::Config;
use crate::embed::{Embedder, StaticModel, counter, passage};
use crate::extract::Text;
use crate::lexical::Field;
use crate::source::{self, Pending, Stat};
use crate::store::{FileRecord, NewChunk, NewFile, Snapshot};
use crate::types::{Chunk, SkipReason};
use crate::vector::quantise;

use super::VectorIndex;

/// Turns files into what is stored of them.
pub(super) struct Preparer<'a> {
    pub root: &'a Path,
    pub config: &'a Config,
    pub parsers: &'a Pool,
    pub known: Option<&'a Snapshot>,
    pub donor: Option<&'a Snapshot>,
    pub vectors: &'a OnceLock<VectorIndex>,
    /// How many files are read in this run.
    pub files: usize,
    pub force: bool,
}

/// One file in so many is few.
const FEW: usize = 200;

/// What became of a file.
pub(super) enum Outcome {
    /// It has chunks.
    Indexed(Box<Indexed>),
    /// Its content is what the index already holds.
    Same {
        /// What the disk says now.
        stat: Stat,
    },
    /// It is left out for what it holds.
    Skipped {
        /// Why.
        reason: SkipReason,
        /// Hash of its bytes.
        hash: u128,
        /// What the disk said when it was read.
        stat: Stat,
    },
    /// It went away.
    Gone,
    /// It could not be read or processed.
    Failed {
        /// What happened.
        message: String,
        /// Whether the index already says so.
        was_unreadable: bool,
    },
}

/// A file with its chunks and vectors.
pub(super) struct Indexed {
    record: FileRecord,
    pub fallback: bool,
    pub reused: usize,
    text: Text,
    path: String,
    chunks: Vec<Embedded>,
    vectors: Vec<i8>,
}

struct Embedded {
    chunk: Chunk,
    id: u64,
    text_hash: u128,
    scale: f32,
    /// The deep vector of the same text, where it was known.
    deep: Option<(Vec<i8>, f32)>,
    symbols: String,
    docs: String,
}

impl Preparer<'_> {
    /// Never panics and never fails: whatever happens to one file is an outcome.
    pub(super) fn prepare(&self, file: &Pending) -> Outcome {
        catch_unwind(AssertUnwindSafe(|| self.try_prepare(file))).unwrap_or_else(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            self.failed(file, format!("internal error: {}", message.unwrap_or("unknown")))
        })
    }

    fn failed(&self, file: &Pending, message: String) -> Outcome {
        let before = file.known.zip(self.known).and_then(|(place, known)| known.files()[place].skip());
        Outcome::Failed { message, was_unreadable: before == Some(SkipReason::Unreadable) }
    }

    fn try_prepare(&self, file: &Pending) -> Outcome {
        let path = file.found.path.as_str();
        let content = match source::read(&self.root.join(path), self.config.max_file_bytes) {
            Ok(content) => content,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Outcome::Gone,
            Err(error) => return self.failed(file, error.to_string()),
        };
        let known = file.known.zip(self.known).map(|(place, known)| known.files()[place]);
        let text = match content.text {
            Err(reason) => return Outcome::Skipped { reason, hash: content.hash, stat: content.stat },
            Ok(text) => text,
        };
        let same = known.is_some_and(|k| k.skip().is_none() && k.hash() == content.hash);
        if same && !self.force {
            return Outcome::Same { stat: content.stat };
        }
        let cut = self.parsers.cut(path, &text, self.config.limits, counter);
        let (lang, cut) = match cut {
            Ok(cut) => cut,
            Err(error) => return self.failed(file, format!("cannot start a parser: {error}")),
        };
        let mut record = FileRecord::new(content.stat, content.hash, lang);
        record.set_fallback(cut.fallback);
        Outcome::Indexed(Box::new(self.embed(path, text, cut.chunks, record)))
    }

    fn embed(&self, path: &str, text: Text, chunks: Vec<Chunk>, record: FileRecord) -> Indexed {
        let model = StaticModel::get();
        let dimensions = model.dimensions();
        let mut out = Indexed {
            fallback: record.is_fallback(),
            record,
            reused: 0,
            path: path.to_owned(),
            vectors: vec![0; chunks.len() * dimensions],
            chunks: Vec::with_capacity(chunks.len()),
            text,
        };
        let mut vector = vec![0.0; dimensions];
        let place = self.donor.and_then(|donor| Some((donor, donor.find(path)?)));
        let own = place.map_or(0..0, |(donor, file)| donor.slots_of(file));
        let mut seen: HashMap<u128, u32, rustc_hash::FxBuildHasher> = HashMap::default();
        for (chunk, row) in chunks.into_iter().zip(out.vectors.chunks_exact_mut(dimensions)) {
            let content = &out.text.content[chunk.start..chunk.end];
            let embedded = passage(path, &chunk, content);
            let text_hash = source::content_hash(embedded.as_bytes());
            let known = self.known_slot(&own, text_hash);
            let scale = match known {
                Some((known, slot)) => {
                    let (known, scale) = known.vector(slot);
                    row.copy_from_slice(known);
                    out.reused += 1;
                    scale
                }
                None => {
                    model.write(&embedded, &mut vector);
                    quantise(&vector, row)
                }
            };
            let deep = known.and_then(|(known, slot)| known.deep().vector(slot));
            let deep = deep.map(|(row, scale)| (row.to_vec(), scale));
            let repeat = seen.entry(text_hash).and_modify(|n| *n += 1).or_insert(0);
            let id = chunk_id(path, text_hash, *repeat);
            let symbols = chunk.symbols.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("\n");
            let docs = chunk
                .trail
                .iter()
                .map(String::as_str)
                .chain(chunk.docs.iter().map(|d| &out.text.content[d.0..d.1]));
            let docs = docs.collect::<Vec<_>>().join("\n");
            out.chunks.push(Embedded { chunk, id, text_hash, scale, deep, symbols, docs });
        }
        out
    }

    /// A chunk with the same text in the index as it is: of the same file, or else of another, a live one if there is one.
    fn known_slot(&self, own: &Range<u32>, text_hash: u128) -> Option<(&Snapshot, u32)> {
        let known = self.donor?;
        let mut same_file = own.clone();
        if let Some(slot) = same_file.find(|slot| known.chunk(*slot).text_hash() == text_hash) {
            return Some((known, slot));
        }
        let index = self.vectors.get_or_init(|| self.index_of(known));
        index.get(&text_hash).map(|slot| (known, *slot))
    }

    /// Where few files are read, a table of everything costs more than the instant vectors that it saves; deep ones are worth it.
    fn index_of(&self, known: &Snapshot) -> VectorIndex {
        let few = self.files < known.files().len() / FEW;
        if few && known.deep().is_empty() {
            return VectorIndex::default();
        }
        let wanted = |slot: &u32| !few || known.deep().vector(*slot).is_some();
        let chunks = known.all_chunks().filter(|(slot, _)| wanted(slot));
        let (live, dead): (Vec<_>, Vec<_>) = chunks.partition(|(slot, _)| known.file_of(*slot).is_some());
        dead.into_iter().chain(live).map(|(slot, chunk)| (chunk.text_hash(), slot)).collect()
    }
}

/// Stable while the passage and its path are; equal passages of one file are counted.
fn chunk_id(path: &str, text_hash: u128, repeat: u32) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(path.as_bytes())
        .update(&[0])
        .update(&text_hash.to_le_bytes())
        .update(&repeat.to_le_bytes());
    let hash = hasher.finalize();
    hash.as_bytes()[..8].try_into().map(u64::from_le_bytes).unwrap_or_default()
}

impl Indexed {
    /// How many chunks it has.
    pub(super) fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// What the store takes.
    pub(super) fn as_new_file<'a>(&'a self, path: &'a str) -> NewFile<'a> {
        let dimensions = self.vectors.len() / self.chunks.len().max(1);
        let chunks = self.chunks.iter().zip(self.vectors.chunks_exact(dimensions.max(1)));
        let chunks = chunks.map(|(embedded, row)| {
            let mut fields = [""; Field::ALL.len()];
            fields[Field::Body as usize] = &self.text.content[embedded.chunk.start..embedded.chunk.end];
            fields[Field::Symbol as usize] = &embedded.symbols;
            fields[Field::Path as usize] = &self.path;
            fields[Field::Doc as usize] = &embedded.docs;
            NewChunk {
                chunk: &embedded.chunk,
                id: embedded.id,
                text_hash: embedded.text_hash,
                vector: (row, embedded.scale),
                deep: embedded.deep.as_ref().map(|(row, scale)| (&row[..], *scale)),
                fields,
            }
        });
        NewFile { path, record: self.record, chunks: chunks.collect() }
    }
}
