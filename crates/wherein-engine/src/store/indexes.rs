//! Every index below a data folder: whose it is, how large, when it was last used. What nobody asked for is never removed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::error::{IoContext, Result};

use super::location::Location;
use super::manifest::json_of;
use super::postings;

/// An index, whether its root still exists or not.
#[derive(Clone, Debug)]
pub struct IndexInfo {
    /// The folder of the index.
    pub dir: PathBuf,
    /// The indexed folder; `None` where the index does not say, because its making was cut short or it is damaged.
    pub root: Option<PathBuf>,
    /// Bytes on disk.
    pub bytes: u64,
    /// When it was last asked or written; to the hour.
    pub used: SystemTime,
}

/// The file whose time tells when an index was last asked.
const USED: &str = "used";
/// Earlier uses are told apart no finer.
const USED_EVERY: Duration = Duration::from_secs(3600);

/// Lists the indexes below a data folder, by their folders' names.
///
/// # Errors
/// Where the folder is there but can't be read.
pub(crate) fn indexes(data_dir: &Path) -> Result<Vec<IndexInfo>> {
    let roots = data_dir.join("roots");
    let entries = match fs::read_dir(&roots) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.context("read", &roots)?,
    };
    let mut out = Vec::new();
    for entry in entries {
        let dir = entry.context("read", &roots)?.path();
        if dir.is_dir() {
            out.push(IndexInfo { root: root_of(&dir), bytes: bytes(&dir), used: last_use(&dir), dir });
        }
    }
    out.sort_by(|a, b| a.dir.cmp(&b.dir));
    Ok(out)
}

/// Deletes an index.
///
/// # Errors
/// [`crate::error::Error::Locked`] while another process writes it.
pub(crate) fn remove(index: &IndexInfo) -> Result<bool> {
    let root = index.root.clone().unwrap_or_else(|| index.dir.clone());
    Location { root, dir: index.dir.clone() }.remove()
}

/// Notes that an index is in use. One that can't be written is not noted: its owner keeps it anyway.
pub(crate) fn note_use(location: &Location) {
    let file = location.dir.join(USED);
    let is_fresh = |time: SystemTime| time.elapsed().is_ok_and(|age| age < USED_EVERY);
    if location.dir.is_dir() && !fs::metadata(&file).and_then(|m| m.modified()).is_ok_and(is_fresh) {
        drop(File::create(file));
    }
}

/// What an index says of its root, whatever made it.
#[derive(serde::Deserialize)]
struct Named {
    root: PathBuf,
}

fn root_of(dir: &Path) -> Option<PathBuf> {
    let location = Location { root: dir.to_path_buf(), dir: dir.to_path_buf() };
    let epoch = location.current().ok()?.filter(|epoch| postings::exists(epoch))?;
    let payload = postings::payload(&epoch).ok()??;
    serde_json::from_str::<Named>(json_of(&payload)?).ok().map(|named| named.root)
}

fn last_use(dir: &Path) -> SystemTime {
    let time = |path: PathBuf| fs::metadata(path).and_then(|m| m.modified()).ok();
    let times = [time(dir.join(USED)), time(dir.join("current")), time(dir.to_path_buf())];
    times.into_iter().flatten().max().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => bytes(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}
