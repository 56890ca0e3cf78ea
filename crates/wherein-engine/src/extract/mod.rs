//! Bytes → text. It owns encodings and what counts as text at all; it refuses to guess at structure.

mod encoding;

pub(crate) use encoding::Encoding;
pub use encoding::decode;
pub(crate) use encoding::transcode;

/// A file's text. For UTF-8 files a byte offset in it is a byte offset in the file.
#[derive(Clone, Debug)]
pub struct Text {
    /// The decoded text. A UTF-8 byte order mark stays, so that offsets hold.
    pub content: String,
    /// How the bytes were read.
    pub encoding: Encoding,
}

impl Text {
    /// The first byte after a byte order mark.
    pub fn body_start(&self) -> usize {
        if self.content.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
    }
}

/// The byte where each line begins, by LF alone, as `grep -n` counts.
pub(crate) struct LineMap {
    starts: Vec<usize>,
}

impl LineMap {
    /// Maps a text.
    pub(crate) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1));
        LineMap { starts }
    }

    /// How many lines there are; a text that ends in LF has an empty last one.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// The 0-based line that holds a byte.
    pub(crate) fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|s| *s <= byte) - 1
    }

    /// The first byte of a 0-based line; the text's end for lines past the last.
    pub(crate) fn start_of(&self, line: usize, text_len: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(text_len)
    }
}
