//! Checking hits against the disk: a passage is shown as the file now holds it, or marked as stale.

use std::collections::HashMap;
use std::path::Path;

use crate::chunk::worker::Pool;
use crate::config::Config;
use crate::embed::{counter, passage};
use crate::error::{Error, Result};
use crate::extract::Text;
use crate::source;
use crate::store::Snapshot;

use super::Part;

/// A passage as found on disk.
#[derive(Clone, Debug)]
pub struct Passage {
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Its text; empty where the file no longer holds it.
    pub text: String,
    /// Whether this very passage is in the file now.
    pub fresh: bool,
}

/// The texts of a snapshot's files as they are on disk, each read once.
pub(super) struct Texts<'a> {
    snapshot: &'a Snapshot,
    root: &'a Path,
    config: &'a Config,
    read: HashMap<usize, FileText>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(part: &Part<'a>) -> Self {
        Texts::of(part.snapshot, part.root, part.config)
    }

    fn of(snapshot: &'a Snapshot, root: &'a Path, config: &'a Config) -> Self {
        Texts { snapshot, root, config, read: HashMap::new() }
    }

    /// The passage of a slot; `None` where its file is gone.
    pub(super) fn passage(&mut self, slot: u32) -> Option<Passage> {
        let (snapshot, config) = (self.snapshot, self.config);
        self.file(slot)?.passage(snapshot, slot, config)
    }

    /// The text of a slot; `None` where its file is no longer as it was indexed.
    pub(super) fn as_indexed(&mut self, slot: u32) -> Option<&str> {
        let chunk = self.snapshot.chunk(slot);
        match self.file(slot)? {
            FileText::Same(text) => text.content.get(chunk.start as usize..chunk.end as usize),
            FileText::Changed { .. } | FileText::Gone => None,
        }
    }

    fn file(&mut self, slot: u32) -> Option<&FileText> {
        let Texts { snapshot, root, config, .. } = *self;
        let file = snapshot.file_of(slot)?;
        Some(self.read.entry(file).or_insert_with(|| FileText::read(snapshot, root, file, config)))
    }
}

/// One file of an answer.
enum FileText {
    /// The file is as it was indexed.
    Same(Text),
    /// It changed since.
    Changed { path: String, text: Text },
    /// It is gone or no text any more.
    Gone,
}

impl FileText {
    fn read(snapshot: &Snapshot, root: &Path, file: usize, config: &Config) -> FileText {
        let path = snapshot.path(file);
        let known = snapshot.files()[file].hash();
        let Ok(content) = source::read_known(&root.join(path), config.max_file_bytes, Some(known)) else {
            return FileText::Gone;
        };
        let Ok(text) = content.text else { return FileText::Gone };
        if known == content.hash {
            FileText::Same(text)
        } else {
            FileText::Changed { path: path.to_owned(), text }
        }
    }

    /// The passage of a slot; `None` where its file is gone.
    fn passage(&self, snapshot: &Snapshot, slot: u32, config: &Config) -> Option<Passage> {
        let record = snapshot.chunk(slot);
        match self {
            FileText::Gone => None,
            FileText::Same(text) => {
                let content = text.content.get(record.start as usize..record.end as usize)?;
                Some(Passage {
                    start_line: record.start_line,
                    end_line: record.end_line,
                    text: content.to_owned(),
                    fresh: true,
                })
            }
            FileText::Changed { path, text } => {
                Some(find_again(path, text, record.text_hash(), config).unwrap_or(Passage {
                    start_line: record.start_line,
                    end_line: record.end_line,
                    text: String::new(),
                    fresh: false,
                }))
            }
        }
    }
}

/// Looks for a passage in a file that changed, by cutting the file as the index would.
fn find_again(path: &str, text: &Text, wanted: u128, config: &Config) -> Option<Passage> {
    let pool = Pool::new(config.worker.clone());
    let (_, cut) = pool.cut(path, text, config.limits, counter).ok()?;
    let found = cut.chunks.into_iter().find(|c| {
        let embedded = passage(path, c, &text.content[c.start..c.end]);
        source::content_hash(embedded.as_bytes()) == wanted
    })?;
    Some(Passage {
        start_line: found.start_line,
        end_line: found.end_line,
        text: text.content[found.start..found.end].to_owned(),
        fresh: true,
    })
}

/// The slot and passage of a chunk's id.
///
/// # Errors
/// [`Error::UnknownChunk`] where no live chunk has it.
pub(crate) fn chunk_by_id(
    snapshot: &Snapshot,
    root: &Path,
    id: &str,
    config: &Config,
) -> Result<(u32, Passage)> {
    let unknown = || Error::UnknownChunk { id: id.to_owned() };
    let number = u64::from_str_radix(id, 16).map_err(|_| unknown())?;
    let live = |slot: &u32| snapshot.file_of(*slot).is_some();
    let slot = snapshot
        .all_chunks()
        .filter(|(_, c)| c.id == number)
        .map(|(slot, _)| slot)
        .find(live)
        .ok_or_else(unknown)?;
    let passage = Texts::of(snapshot, root, config).passage(slot).ok_or_else(unknown)?;
    Ok((slot, passage))
}
