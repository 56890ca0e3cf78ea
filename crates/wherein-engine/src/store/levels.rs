//! Sets of immutable files of rows, a row a chunk: kept few by merging, and rewritten when mostly dead.

use std::path::{Path, PathBuf};

use crate::error::Result;

use super::file_table::FileRecord;
use super::manifest::SegmentName;

/// A kind of file of rows.
pub(super) trait RowFile: Sized {
    /// Rows that are not in a file yet.
    type Rows: Default;

    /// What names of such files begin with.
    const PREFIX: &'static str;

    /// Opens a file whose vectors have so many dimensions.
    fn open(path: &Path, dimensions: usize) -> Result<Self>;

    /// The chunk number of each row.
    fn numbers(&self) -> impl ExactSizeIterator<Item = u32>;

    /// Appends a row to others.
    fn copy(&self, row: usize, to: &mut Self::Rows);

    /// How many rows those are.
    fn count(rows: &Self::Rows) -> usize;

    /// Writes rows as a file, durably.
    fn write(rows: &Self::Rows, path: &Path) -> Result<()>;
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

    /// Files of a commit that was killed may still lie here under names that were never committed.
    pub(super) fn fresh(&mut self, what: &str) -> String {
        loop {
            let name = format!("{what}-{:08}", self.next);
            self.next += 1;
            if !self.epoch.join(&name).exists() {
                return name;
            }
        }
    }

    fn write<F: RowFile>(&mut self, rows: &F::Rows) -> Result<SegmentName> {
        let name = self.fresh(F::PREFIX);
        F::write(rows, &self.epoch.join(&name))?;
        Ok(SegmentName { name, rows: F::count(rows) as u32 })
    }
}

/// Writes new rows as a file, and with them the youngest files that are not much larger, so that their number stays
/// logarithmic; rewrites files that are mostly dead. Returns the files that hold everything live, oldest first.
pub(super) fn add<F: RowFile>(
    names: &mut Names,
    old: Vec<SegmentName>,
    new: &F::Rows,
    live: &Live,
    dimensions: usize,
) -> Result<Vec<SegmentName>> {
    let epoch = names.epoch.clone();
    let open = |name: &SegmentName| F::open(&epoch.join(&name.name), dimensions);
    let mut kept: Vec<SegmentName> = Vec::new();
    for old in old {
        let file = open(&old)?;
        let (rows, alive) = (file.numbers().len(), file.numbers().filter(|no| live.holds(*no)).count());
        if alive * 2 >= rows && alive > 0 {
            kept.push(old);
        } else if alive > 0 {
            let mut copy = F::Rows::default();
            live.copy(&file, &mut copy);
            kept.push(names.write::<F>(&copy)?);
        }
    }
    if F::count(new) > 0 {
        kept.push(names.write::<F>(new)?);
    }
    while let [.., before, last] = kept.as_slice() {
        if u64::from(last.rows) * 2 < u64::from(before.rows) {
            break;
        }
        let mut both = F::Rows::default();
        for name in [before, last] {
            live.copy(&open(name)?, &mut both);
        }
        kept.truncate(kept.len() - 2);
        if F::count(&both) == 0 {
            break;
        }
        kept.push(names.write::<F>(&both)?);
    }
    Ok(kept)
}

/// Ranges of live chunk numbers, ascending.
pub(super) struct Live(Vec<(u32, u32)>);

impl Live {
    pub(super) fn of(files: &[FileRecord]) -> Live {
        let with_chunks = files.iter().filter(|f| f.chunks > 0);
        let mut ranges: Vec<(u32, u32)> = with_chunks.map(|f| (f.first_no, f.first_no + f.chunks)).collect();
        ranges.sort_unstable();
        Live(ranges)
    }

    pub(super) fn holds(&self, no: u32) -> bool {
        let after = self.0.partition_point(|range| range.0 <= no);
        after.checked_sub(1).is_some_and(|i| no < self.0[i].1)
    }

    fn copy<F: RowFile>(&self, from: &F, to: &mut F::Rows) {
        for (row, no) in from.numbers().enumerate() {
            if self.holds(no) {
                from.copy(row, to);
            }
        }
    }
}
