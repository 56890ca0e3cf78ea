//! Reading one file: the size check and the read share a handle, and nothing but a regular file is opened.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::path::Path;

use crate::extract::{Text, decode, transcode};
use crate::types::SkipReason;

use super::secret;

/// What the disk says of a file; equal values mean an unchanged file, but for changes within a clock tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Bytes.
    pub size: u64,
    /// Last change of content, nanoseconds since 1970.
    pub mtime: i64,
    /// Last change of content or metadata, nanoseconds since 1970; 0 where the system has none.
    pub ctime: i64,
    /// Inode number; 0 where the system has none.
    pub inode: u64,
}

impl Stat {
    /// Takes the fields out of metadata.
    #[cfg(unix)]
    pub fn of(meta: &Metadata) -> Stat {
        use std::os::unix::fs::MetadataExt;
        Stat {
            size: meta.len(),
            mtime: meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec()),
            ctime: meta.ctime().saturating_mul(1_000_000_000).saturating_add(meta.ctime_nsec()),
            inode: meta.ino(),
        }
    }

    /// Takes the fields out of metadata.
    #[cfg(not(unix))]
    pub fn of(meta: &Metadata) -> Stat {
        let mtime = meta.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
        let mtime = mtime.and_then(|d| i64::try_from(d.as_nanos()).ok()).unwrap_or_default();
        Stat { size: meta.len(), mtime, ctime: 0, inode: 0 }
    }
}

/// A file as read.
#[derive(Debug)]
pub(crate) struct Content {
    /// The handle's own metadata.
    pub stat: Stat,
    /// BLAKE3 of the bytes, cut to 128 bits; zero where they were not read.
    pub hash: u128,
    /// The text, or why there is none.
    pub text: Result<Text, SkipReason>,
}

/// Reads a file of at most `max_bytes`.
///
/// # Errors
/// Whatever opening or reading says; a file that is no regular one any more is "not found".
pub(crate) fn read(path: &Path, max_bytes: u64) -> std::io::Result<Content> {
    read_known(path, max_bytes, None)
}

/// As [`read`]; where the content is still the `known` one, which was found to be text and no secret before, it is only decoded.
pub(crate) fn read_known(path: &Path, max_bytes: u64, known: Option<u128>) -> std::io::Result<Content> {
    let mut file = open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    let stat = Stat::of(&meta);
    let mut bytes = Vec::with_capacity(usize::try_from(stat.size.min(max_bytes)).unwrap_or(0) + 1);
    file.by_ref().take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Ok(Content { stat, hash: 0, text: Err(SkipReason::TooLarge) });
    }
    let hash = content_hash(&bytes);
    if known == Some(hash) {
        return Ok(Content { stat, hash, text: transcode(bytes).ok_or(SkipReason::Binary) });
    }
    let text = match decode(bytes) {
        None => Err(SkipReason::Binary),
        Some(text) if text.content.trim().is_empty() => Err(SkipReason::Empty),
        Some(text) if is_secret(path, &text.content) => Err(SkipReason::Secret),
        Some(text) => Ok(text),
    };
    Ok(Content { stat, hash, text })
}

fn is_secret(path: &Path, text: &str) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    secret::by_content(text) || secret::has_token(&name, text)
}

/// BLAKE3 cut to 128 bits.
pub(crate) fn content_hash(bytes: &[u8]) -> u128 {
    let hash = blake3::hash(bytes);
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    u128::from_le_bytes(half)
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // Never follow a link put in a file's place, never wait for a FIFO's writer.
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
