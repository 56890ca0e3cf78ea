//! Deep vectors of other roots: the same passage has the same vector wherever it lies, in a copy, a branch or a work tree.

use std::collections::HashMap;
use std::path::Path;

use crate::error::Result;

use super::Identity;
use super::deep::DeepFile;
use super::levels::{Immutable, RowFile};
use super::location::Location;
use super::manifest::Manifest;
use super::postings;
use super::segment::{ChunkRecord, Segment};
use super::snapshot::read_manifest;

/// Deep vectors of other roots.
#[derive(Default)]
pub(crate) struct Borrowed {
    /// By the hash of the text.
    pub(crate) vectors: HashMap<u128, (Vec<i8>, f32), rustc_hash::FxBuildHasher>,
    /// Numbers of a vector.
    pub(crate) dimensions: usize,
    /// Mean and deviation of the model's cosines of unrelated texts.
    pub(crate) scale: (f32, f32),
}

/// Looks for vectors of texts in the indexes beside a root's. One that can't be read is passed over: nobody asked about it.
/// All are as long as the root's own, where it has some.
pub(crate) fn borrow(
    location: &Location,
    identity: &Identity,
    dimensions: Option<usize>,
    wanted: impl Fn(u128) -> bool,
) -> Borrowed {
    let mut out = Borrowed { dimensions: dimensions.unwrap_or_default(), ..Borrowed::default() };
    let beside = location.dir.parent().and_then(|dir| std::fs::read_dir(dir).ok());
    for entry in beside.into_iter().flatten().flatten() {
        let dir = entry.path();
        if dir != location.dir {
            let donor = Location { root: location.root.clone(), dir };
            drop(from_root(&donor, identity, &wanted, &mut out));
        }
    }
    out
}

fn from_root(
    donor: &Location,
    identity: &Identity,
    wanted: impl Fn(u128) -> bool,
    out: &mut Borrowed,
) -> Result<()> {
    let Some(epoch) = donor.current()?.filter(|epoch| postings::exists(epoch)) else { return Ok(()) };
    let Some(payload) = postings::payload(&epoch)? else { return Ok(()) };
    let manifest = read_manifest(donor, &payload, &identity.instant)?;
    let fits = out.dimensions == 0 || out.dimensions == manifest.deep.dimensions;
    if fits && identity.deep.as_ref() == Some(&manifest.deep.identity) {
        from_epoch(&epoch, &manifest, identity.dimensions, wanted, out)?;
    }
    Ok(())
}

fn from_epoch(
    epoch: &Path,
    manifest: &Manifest,
    dimensions: usize,
    wanted: impl Fn(u128) -> bool,
    out: &mut Borrowed,
) -> Result<()> {
    let segments = manifest.segments.iter().map(|s| Segment::open(&epoch.join(&s.name), dimensions));
    let segments: Vec<Segment> = segments.collect::<Result<_>>()?;
    let chunk = |no: u32| -> Option<&ChunkRecord> {
        segments.iter().find_map(|s| s.row_of(no).map(|row| &s.records()[row]))
    };
    for name in &manifest.deep.files {
        (out.dimensions, out.scale) = (manifest.deep.dimensions, manifest.deep.scale);
        let file = DeepFile::open(&epoch.join(&name.name), manifest.deep.dimensions)?;
        for (row, no) in file.numbers().enumerate() {
            let Some(hash) = chunk(no).map(ChunkRecord::text_hash).filter(|hash| wanted(*hash)) else {
                continue;
            };
            let (vector, scale) = file.vector(row);
            out.vectors.entry(hash).or_insert_with(|| (vector.to_vec(), scale));
        }
    }
    Ok(())
}
