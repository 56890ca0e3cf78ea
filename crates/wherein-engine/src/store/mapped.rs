//! Immutable files as slices of plain records.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use crc32fast::Hasher as Checksum;
use memmap2::Mmap;

use crate::error::{Error, IoContext, Result};

use super::break_point;

/// Sections begin at multiples of this, so that records of any type are aligned.
const ALIGN: usize = 64;
/// A file begins with its magic and the checksum of its sections, CRC-32 in the low half; then where each section lies.
const HEAD: usize = 16;

/// A whole file in memory, cut into sections by the header it begins with.
pub(super) struct Mapped {
    map: Mmap,
    path: PathBuf,
    sections: Vec<(usize, usize)>,
}

impl Mapped {
    /// Maps a file and checks that it is as it was written.
    #[expect(unsafe_code, reason = "mapping a file")]
    pub(super) fn open(path: &Path, magic: &[u8; 8], sections: usize) -> Result<Mapped> {
        let file = File::open(path).context("open", path)?;
        // SAFETY: index files are written once under a fresh name, synced before a commit names them, and never
        // changed afterwards, only unlinked, which keeps the mapping valid. Nobody else has business in this folder.
        let map = unsafe { Mmap::map(&file) }.context("map", path)?;
        let damaged = |detail: &str| Error::Damaged { path: path.to_path_buf(), detail: detail.to_owned() };
        let head = map.get(..HEAD + sections * 16).ok_or_else(|| damaged("too short"))?;
        if head[..8] != *magic {
            return Err(damaged("not an index file of this version"));
        }
        let number = |at: usize| {
            head[at..at + 8].try_into().ok().map(u64::from_le_bytes).and_then(|n| usize::try_from(n).ok())
        };
        let mut places = Vec::with_capacity(sections);
        for i in 0..sections {
            let place = number(HEAD + i * 16).zip(number(HEAD + 8 + i * 16));
            let (start, length) = place.ok_or_else(|| damaged("bad header"))?;
            if start % ALIGN != 0 || start.checked_add(length).is_none_or(|end| end > map.len()) {
                return Err(damaged("shorter than its header says"));
            }
            places.push((start, length));
        }
        let mut checksum = Checksum::new();
        places.iter().for_each(|(start, length)| checksum.update(&map[*start..start + length]));
        if number(8) != Some(checksum.finalize() as usize) {
            return Err(damaged("its checksum does not fit its content"));
        }
        Ok(Mapped { map, path: path.to_path_buf(), sections: places })
    }

    /// A section's bytes.
    pub(super) fn bytes(&self, section: usize) -> &[u8] {
        let (start, length) = self.sections[section];
        &self.map[start..start + length]
    }

    /// Checks once that a section is whole records, so that [`Self::records`] can't fail.
    pub(super) fn check<T: Pod>(&self, section: usize) -> Result<usize> {
        match bytemuck::try_cast_slice::<u8, T>(self.bytes(section)) {
            Ok(records) => Ok(records.len()),
            Err(error) => Err(Error::Damaged { path: self.path.clone(), detail: error.to_string() }),
        }
    }

    /// A section as records; empty where [`Self::check`] would have failed.
    pub(super) fn records<T: Pod>(&self, section: usize) -> &[T] {
        bytemuck::try_cast_slice(self.bytes(section)).unwrap_or_default()
    }

    /// Where the file lies.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file's length.
    pub(super) fn len(&self) -> u64 {
        self.map.len() as u64
    }

    /// An error that names this file.
    pub(super) fn damaged(&self, detail: &str) -> Error {
        Error::Damaged { path: self.path.clone(), detail: detail.to_owned() }
    }
}

/// Writes a file of sections and syncs it.
pub(super) fn write(path: &Path, magic: &[u8; 8], sections: &[&[u8]]) -> Result<()> {
    break_point!("file-unwritten", path);
    let file = File::create_new(path).context("create", path)?;
    break_point!("file-empty", path);
    let mut out = BufWriter::with_capacity(1 << 20, &file);
    let mut write = || -> std::io::Result<()> {
        out.write_all(magic)?;
        let mut checksum = Checksum::new();
        sections.iter().for_each(|section| checksum.update(section));
        out.write_all(&u64::from(checksum.finalize()).to_le_bytes())?;
        let mut at = (HEAD + sections.len() * 16).next_multiple_of(ALIGN);
        for section in sections {
            out.write_all(&(at as u64).to_le_bytes())?;
            out.write_all(&(section.len() as u64).to_le_bytes())?;
            at = (at + section.len()).next_multiple_of(ALIGN);
        }
        let mut written = HEAD + sections.len() * 16;
        for section in sections {
            let gap = written.next_multiple_of(ALIGN) - written;
            out.write_all(&[0; ALIGN][..gap])?;
            out.write_all(section)?;
            written += gap + section.len();
        }
        out.flush()?;
        file.sync_all()
    };
    write().context("write", path)?;
    break_point!("file-unnamed", path);
    Ok(())
}
