//! The file table: every file of a root as the last commit saw it, in order of paths. It is kept in leaves, so that a change writes
//! the few that hold it.

use std::collections::BTreeMap;
use std::ops::{Bound, Index};
use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::source::Known;

use super::leaf::{FileRecord, Leaf, LeafBuilder, Totals};
use super::levels::{Immutable, Names, open_all};
use super::manifest::RowsName;

/// Files of a leaf: half a megabyte.
const LEAF: usize = 4096;
/// Leaves above which they grow instead: a commit that touches all of them syncs each.
const LEAVES: usize = 32;

/// Changes since a commit, by path; `None` removes.
pub(super) type Changes = BTreeMap<String, Option<FileRecord>>;

/// The files of a generation. A file's *place* is its index in it.
#[derive(Clone, Default)]
pub struct Files {
    leaves: Vec<Arc<Leaf>>,
    /// The place of each leaf's first file, and one past the last.
    bases: Vec<usize>,
}

impl Files {
    fn new(leaves: Vec<Arc<Leaf>>) -> Files {
        let mut bases = vec![0];
        for leaf in &leaves {
            bases.push(bases[bases.len() - 1] + leaf.rows());
        }
        Files { leaves, bases }
    }

    /// Opens the leaves of a generation, but for those that are held.
    pub(super) fn open(epoch: &Path, names: &[RowsName], held: &[Arc<Leaf>]) -> Result<Files> {
        let leaves: Vec<Arc<Leaf>> = open_all(epoch, names, held, 0)?;
        let follows = |pair: &[Arc<Leaf>]| pair[0].path(pair[0].rows() - 1) < pair[1].path(0);
        if let Some(pair) = leaves.windows(2).find(|pair| !follows(pair)) {
            return Err(pair[1].map().damaged("paths are not in order"));
        }
        Ok(Files::new(leaves))
    }

    /// The files after some changes, in leaves of which only those that differ are written.
    pub(super) fn with(&self, changes: &Changes, names: &mut Names) -> Result<Files> {
        let target = LEAF.max((self.len() + changes.len()) / LEAVES);
        self.in_leaves_of(target, changes, names)
    }

    fn in_leaves_of(&self, target: usize, changes: &Changes, names: &mut Names) -> Result<Files> {
        let mut out = Growing { target, names, leaves: Vec::new(), open: LeafBuilder::default() };
        for (at, leaf) in self.leaves.iter().enumerate() {
            // The first leaf takes what is before it too.
            let from = if at == 0 { Bound::Unbounded } else { Bound::Included(leaf.path(0)) };
            let to = self.leaves.get(at + 1).map_or(Bound::Unbounded, |next| Bound::Excluded(next.path(0)));
            let mut here = changes.range::<str, _>((from, to)).peekable();
            if here.peek().is_none() && out.may_close() {
                out.close()?;
                out.leaves.push(Arc::clone(leaf));
            } else {
                merge(leaf, here, &mut out.open);
            }
        }
        if self.leaves.is_empty() {
            for (path, record) in changes {
                record.iter().for_each(|record| out.open.push(path, *record));
            }
        }
        out.close()?;
        Ok(Files::new(out.leaves))
    }

    /// What the manifest says of it.
    pub(super) fn names(&self) -> Vec<RowsName> {
        self.leaves.iter().map(|leaf| leaf.name()).collect()
    }

    pub(super) fn leaves(&self) -> &[Arc<Leaf>] {
        &self.leaves
    }

    /// The place of a leaf's first file.
    pub(super) fn base(&self, leaf: usize) -> usize {
        self.bases[leaf]
    }

    pub(super) fn totals(&self) -> impl Iterator<Item = &Totals> {
        self.leaves.iter().map(|leaf| leaf.totals())
    }

    fn leaf_of(&self, place: usize) -> Option<(&Leaf, usize)> {
        let leaf = self.bases.partition_point(|base| *base <= place).checked_sub(1)?;
        Some((self.leaves.get(leaf)?, place - self.bases[leaf]))
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.bases.last().copied().unwrap_or_default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A file's record.
    pub fn get(&self, place: usize) -> Option<&FileRecord> {
        self.leaf_of(place).and_then(|(leaf, row)| leaf.records().get(row))
    }

    /// A file's path; empty where there is no such place.
    pub fn path(&self, place: usize) -> &str {
        self.leaf_of(place).map_or("", |(leaf, row)| leaf.path(row))
    }

    /// Every file, in order of paths.
    pub fn iter(&self) -> impl Iterator<Item = &FileRecord> {
        self.leaves.iter().flat_map(|leaf| leaf.records())
    }

    /// The place of the first path that is not before `path`.
    pub fn first_from(&self, path: &str) -> usize {
        let after = self.leaves.partition_point(|leaf| leaf.path(0) <= path);
        after.checked_sub(1).map_or(0, |leaf| self.bases[leaf] + self.leaves[leaf].first_from(path))
    }

    /// The place of a path.
    pub fn find(&self, path: &str) -> Option<usize> {
        let at = self.first_from(path);
        (at < self.len() && self.path(at) == path).then_some(at)
    }

    /// The files as the source room compares them.
    pub fn known(&self) -> impl Iterator<Item = Known<'_>> {
        let of_leaf = |leaf: &'_ Arc<Leaf>| -> std::ops::Range<usize> { 0..leaf.rows() };
        let all = self.leaves.iter().flat_map(move |leaf| of_leaf(leaf).map(move |row| (leaf, row)));
        all.map(|(leaf, row)| {
            let record = &leaf.records()[row];
            Known { path: leaf.path(row), stat: record.stat(), skip: record.skip() }
        })
    }

    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.leaves.iter().map(|leaf| leaf.map().len()).sum()
    }
}

impl Index<usize> for Files {
    type Output = FileRecord;

    fn index(&self, place: usize) -> &FileRecord {
        let leaf = self.bases.partition_point(|base| *base <= place) - 1;
        &self.leaves[leaf].records()[place - self.bases[leaf]]
    }
}

/// Leaves of the next generation.
struct Growing<'a> {
    target: usize,
    names: &'a mut Names,
    leaves: Vec<Arc<Leaf>>,
    /// What comes after them and is not written yet.
    open: LeafBuilder,
}

impl Growing<'_> {
    /// Whether what is open is enough for a leaf, or nothing at all.
    fn may_close(&self) -> bool {
        self.open.len() == 0 || self.open.len() >= self.target / 4
    }

    /// Writes what is open: one leaf, or several of even size where it would be more than twice what it should be.
    fn close(&mut self) -> Result<()> {
        let open = std::mem::take(&mut self.open);
        let pieces = if open.len() > 2 * self.target { open.len() / self.target } else { 1 };
        for piece in 0..pieces {
            let rows = open.len() * piece / pieces..open.len() * (piece + 1) / pieces;
            if !rows.is_empty() {
                let path = self.names.fresh(Leaf::PREFIX);
                open.write(rows, &path)?;
                self.leaves.push(Arc::new(Leaf::open(&path, 0)?));
            }
        }
        Ok(())
    }
}

/// A leaf's files after the changes among them.
fn merge<'a>(
    leaf: &Leaf,
    mut changes: std::iter::Peekable<impl Iterator<Item = (&'a String, &'a Option<FileRecord>)>>,
    out: &mut LeafBuilder,
) {
    let mut add = |path: &str, record: Option<FileRecord>| record.into_iter().for_each(|r| out.push(path, r));
    for (row, record) in leaf.records().iter().enumerate() {
        let path = leaf.path(row);
        while let Some((new, changed)) = changes.next_if(|(new, _)| new.as_str() < path) {
            add(new, *changed);
        }
        match changes.next_if(|(new, _)| new.as_str() == path) {
            Some((_, changed)) => add(path, *changed),
            None => add(path, Some(*record)),
        }
    }
    for (path, changed) in changes {
        add(path, *changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::LangId;
    use crate::source::Stat;
    use proptest::prelude::*;

    fn record(size: u64) -> FileRecord {
        FileRecord::new(Stat { size, mtime: 1, ctime: 1, inode: 1 }, 7, LangId::TEXT)
    }

    proptest! {
        #[test]
        fn any_changes_give_the_files_that_a_map_has(
            rounds in prop::collection::vec(prop::collection::btree_map("[a-d]{1,3}", prop::option::of(0u64..9), 0..30), 1..8)
        ) {
            let folder = tempfile::tempdir().unwrap();
            let (mut files, mut expected) = (Files::default(), BTreeMap::<String, u64>::new());
            let mut names = Names::new(folder.path(), 1);
            for round in rounds {
                let changes: Changes = round.into_iter().map(|(path, size)| (path, size.map(record))).collect();
                for (path, changed) in &changes {
                    match changed {
                        Some(record) => expected.insert(path.clone(), record.stat().size),
                        None => expected.remove(path),
                    };
                }
                let before = files.clone();
                files = files.in_leaves_of(8, &changes, &mut names).unwrap();
                let found: BTreeMap<String, u64> =
                    files.known().map(|known| (known.path.to_owned(), known.stat.size)).collect();
                prop_assert_eq!(&found, &expected);
                prop_assert_eq!(files.len(), expected.len());
                for (place, path) in expected.keys().enumerate() {
                    prop_assert_eq!(files.find(path), Some(place));
                    prop_assert_eq!(files[place].stat().size, expected[path]);
                }
                prop_assert_eq!(files.find("zzz"), None);
                prop_assert!(files.leaves().iter().all(|leaf| leaf.rows() <= 16));
                let opened = Files::open(folder.path(), &files.names(), before.leaves()).unwrap();
                prop_assert!(opened.known().map(|known| known.path).eq(files.known().map(|known| known.path)));
            }
        }
    }
}
