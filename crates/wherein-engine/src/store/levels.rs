//! Sets of immutable files of rows: opened once, kept few by merging, and rewritten when mostly dead.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;

use super::files::Files;
use super::manifest::RowsName;
use super::mapped::Mapped;

/// A kind of file that is written once under a name of its own.
pub(super) trait Immutable: Sized {
    /// What names of such files begin with.
    const PREFIX: &'static str;

    /// Opens and checks a file, whose vectors, where it has some, have so many dimensions.
    fn open(path: &Path, dimensions: usize) -> Result<Self>;

    /// The file.
    fn map(&self) -> &Mapped;

    /// How many rows it has.
    fn rows(&self) -> usize;

    /// How the manifest names it.
    fn name(&self) -> RowsName {
        let name = self.map().path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        RowsName { name, rows: self.rows() as u32 }
    }
}

/// A kind of file with a row a chunk.
pub(super) trait RowFile: Immutable {
    /// Rows that are not in a file yet.
    type Rows: Default;

    /// The chunk number of each row.
    fn numbers(&self) -> impl ExactSizeIterator<Item = u32>;

    /// Appends a row to others.
    fn copy(&self, row: usize, to: &mut Self::Rows);

    /// How many rows those are.
    fn count(rows: &Self::Rows) -> usize;

    /// Writes rows as a file, durably.
    fn write(rows: &Self::Rows, path: &Path) -> Result<()>;
}

/// Opens the files of a generation, but for those that are held: they are never changed.
pub(super) fn open_all<F: Immutable>(
    epoch: &Path,
    names: &[RowsName],
    held: &[Arc<F>],
    dimensions: usize,
) -> Result<Vec<Arc<F>>> {
    let open = |name: &RowsName| {
        let path = epoch.join(&name.name);
        match held.iter().find(|held| held.map().path() == path) {
            Some(held) => Ok(Arc::clone(held)),
            None => F::open(&path, dimensions).map(Arc::new),
        }
    };
    names.iter().map(open).collect()
}

/// Names of files that never were in an epoch.
pub(super) struct Names {
    epoch: PathBuf,
    next: u64,
}

impl Names {
    pub(super) fn new(epoch: &Path, next: u64) -> Names {
        Names { epoch: epoch.to_path_buf(), next }
    }

    /// The number of the next name.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Files of a commit that was killed may still lie here under names that were never committed.
    pub(super) fn fresh(&mut self, what: &str) -> PathBuf {
        loop {
            let path = self.epoch.join(format!("{what}-{:08}", self.next));
            self.next += 1;
            if !path.exists() {
                return path;
            }
        }
    }

    fn write<F: RowFile>(&mut self, rows: &F::Rows, dimensions: usize) -> Result<Arc<F>> {
        let path = self.fresh(F::PREFIX);
        F::write(rows, &path)?;
        F::open(&path, dimensions).map(Arc::new)
    }
}

/// Writes new rows as a file, and with them the youngest files that are not much larger, so that their number stays
/// logarithmic; rewrites files that are mostly dead. Returns the files that hold everything kept, oldest first.
pub(super) fn add<F: RowFile>(
    names: &mut Names,
    old: &[Arc<F>],
    new: &F::Rows,
    live: &Live,
    dimensions: usize,
) -> Result<Vec<Arc<F>>> {
    let mut kept: Vec<Arc<F>> = Vec::new();
    for old in old {
        let keeps = old.numbers().filter(|no| live.keeps(*no)).count();
        if keeps * 2 >= old.rows() && keeps > 0 {
            kept.push(Arc::clone(old));
        } else if keeps > 0 {
            let mut copy = F::Rows::default();
            live.copy(&**old, &mut copy);
            kept.push(names.write::<F>(&copy, dimensions)?);
        }
    }
    if F::count(new) > 0 {
        kept.push(names.write::<F>(new, dimensions)?);
    }
    while let [.., before, last] = kept.as_slice() {
        if last.rows() * 2 < before.rows() {
            break;
        }
        let mut both = F::Rows::default();
        for file in [before, last] {
            live.copy(&**file, &mut both);
        }
        kept.truncate(kept.len() - 2);
        if F::count(&both) == 0 {
            break;
        }
        kept.push(names.write::<F>(&both, dimensions)?);
    }
    Ok(kept)
}

/// Which chunk numbers live, a bit each from the lowest on.
pub(super) struct Live {
    first: u32,
    bits: Vec<u64>,
    /// Numbers from here on are kept for a while when they are dead.
    young: u32,
}

/// Of the chunks stored last, as many as this share of the living, and at least so many, are kept when they are dead: a branch that is
/// switched back to finds its vectors.
const YOUNG: (usize, usize) = (8, 1000);

impl Live {
    /// Those of all files, the next number being `next_no`.
    pub(super) fn of(files: &Files, next_no: u32) -> Live {
        let with_chunks = || files.iter().filter(|f| f.chunks > 0);
        let first = with_chunks().map(|f| f.first_no).min().unwrap_or(next_no);
        let mut bits = vec![0u64; (next_no - first.min(next_no)).div_ceil(64) as usize];
        let mut count = 0;
        for file in with_chunks() {
            for no in file.first_no..file.first_no.saturating_add(file.chunks) {
                let at = no - first;
                if let Some(word) = bits.get_mut((at / 64) as usize) {
                    *word |= 1 << (at % 64);
                }
            }
            count += file.chunks as usize;
        }
        let young = next_no.saturating_sub((count / YOUNG.0).max(YOUNG.1) as u32);
        Live { first, bits, young }
    }

    pub(super) fn holds(&self, no: u32) -> bool {
        let bit = |at: u32| self.bits.get((at / 64) as usize).is_some_and(|word| word >> (at % 64) & 1 == 1);
        no.checked_sub(self.first).is_some_and(bit)
    }

    fn keeps(&self, no: u32) -> bool {
        no >= self.young || self.holds(no)
    }

    fn copy<F: RowFile>(&self, from: &F, to: &mut F::Rows) {
        for (row, no) in from.numbers().enumerate() {
            if self.keeps(no) {
                from.copy(row, to);
            }
        }
    }
}
