//! Where a root's index lies, who may write it, and which epoch answers.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Error, IoContext, Result};

use super::break_point;

/// The folder of one root's index.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// The indexed folder, absolute and real.
    pub(crate) root: PathBuf,
    /// The folder of its index.
    pub(crate) dir: PathBuf,
}

/// Holds a right to an index until it is dropped, or the process ends.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

/// How soon a waiting writer looks again, and how seldom at last.
const LOCK_PAUSE: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(50));

impl Location {
    /// The index of `root` below a data folder: its base name for people, a hash of its path for certainty.
    pub(crate) fn new(data_dir: &Path, root: &Path) -> Location {
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        let name: String = root
            .file_name()
            .map(|n| {
                n.to_string_lossy()
                    .chars()
                    .filter(|c| c.is_alphanumeric() || "-_.".contains(*c))
                    .take(40)
                    .collect()
            })
            .unwrap_or_default();
        Location {
            root: root.to_path_buf(),
            dir: data_dir.join("roots").join(format!("{name}-{}", &hash[..16])),
        }
    }

    /// Takes the writer lock, waiting for another writer as long as asked.
    ///
    /// # Errors
    /// [`Error::Locked`] when the wait is over, [`Error::Io`] where the folder can't be made or written.
    pub(crate) fn lock(&self, wait: Duration) -> Result<WriterLock> {
        self.take("lock", wait)
    }

    /// Takes the right to fill in deep vectors, which takes its time: others write meanwhile. `None` where another process has it.
    ///
    /// # Errors
    /// As [`Self::lock`].
    pub(crate) fn lock_deep(&self) -> Result<Option<WriterLock>> {
        match self.take("lock-deep", Duration::ZERO) {
            Ok(lock) => Ok(Some(lock)),
            Err(Error::Locked { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether another process writes files, and whether one fills in deep vectors, at this moment.
    pub(crate) fn is_held(&self) -> (bool, bool) {
        let held = |name: &str| {
            let file = File::open(self.dir.join(name));
            file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
        };
        (held("lock"), held("lock-deep"))
    }

    fn take(&self, name: &str, wait: Duration) -> Result<WriterLock> {
        fs::create_dir_all(&self.dir).context("create", &self.dir)?;
        let path = self.dir.join(name);
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).context("open", &path)?;
        let until = Instant::now() + wait;
        let mut pause = LOCK_PAUSE.0;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(WriterLock { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(LOCK_PAUSE.1);
                }
                Err(TryLockError::WouldBlock) => return Err(Error::Locked { path: self.root.clone() }),
                Err(TryLockError::Error(error)) => return Err(error).context("lock", &path),
            }
        }
    }

    /// The epoch folder that answers; `None` where the root was never indexed.
    pub(crate) fn current(&self) -> Result<Option<PathBuf>> {
        let path = self.dir.join("current");
        match fs::read_to_string(&path) {
            Ok(name) => {
                let name = name.trim();
                if name.is_empty() || name.contains(['/', '\\']) || name == ".." {
                    return Err(Error::Damaged { path, detail: format!("{name:?} names no epoch") });
                }
                Ok(Some(self.dir.join(name)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).context("read", path),
        }
    }

    /// A new, empty epoch folder.
    pub(super) fn new_epoch(&self, _lock: &WriterLock) -> Result<PathBuf> {
        // One past the largest there is, so that a name does not come back while somebody remembers it.
        let entries = fs::read_dir(&self.dir).context("read", &self.dir)?.flatten();
        let numbers =
            entries.filter_map(|entry| entry.file_name().to_str()?.strip_prefix('e')?.parse::<u32>().ok());
        let epoch = self.dir.join(format!("e{:06}", numbers.max().unwrap_or(0) + 1));
        fs::create_dir_all(&epoch).context("create", &epoch)?;
        Ok(epoch)
    }

    /// Makes an epoch the one that answers, then removes the others.
    pub(super) fn set_current(&self, epoch: &Path, _lock: &WriterLock) -> Result<()> {
        let name = epoch.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let next = self.dir.join("current.new");
        let mut file = File::create(&next).context("write", &next)?;
        file.write_all(name.as_bytes()).and_then(|()| file.sync_all()).context("write", &next)?;
        break_point!("swap", &next);
        fs::rename(&next, self.dir.join("current")).context("replace", self.dir.join("current"))?;
        sync_folder(&self.dir)?;
        break_point!("leftover-epochs", &self.dir);
        self.remove_other_epochs(&name)
    }

    /// Removes epochs that no longer answer, left over by a rebuild or by one that was killed.
    pub(super) fn remove_other_epochs(&self, keep: &str) -> Result<()> {
        for entry in fs::read_dir(&self.dir).context("read", &self.dir)? {
            let entry = entry.context("read", &self.dir)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_epoch =
                name.len() == 7 && name.starts_with('e') && name[1..].bytes().all(|b| b.is_ascii_digit());
            if is_epoch && name != keep {
                fs::remove_dir_all(entry.path()).context("remove", entry.path())?;
            }
        }
        Ok(())
    }

    /// Deletes the whole index.
    ///
    /// # Errors
    /// [`Error::Locked`] while another process writes it.
    pub(crate) fn remove(&self) -> Result<bool> {
        if !self.dir.is_dir() {
            return Ok(false);
        }
        let _lock = self.lock(Duration::ZERO)?;
        fs::remove_dir_all(&self.dir).context("remove", &self.dir)?;
        Ok(true)
    }
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(folder).and_then(|f| f.sync_all()).context("sync", folder)?;
    }
    Ok(())
}
