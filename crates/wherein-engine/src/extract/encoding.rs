//! Encodings: UTF-8, UTF-16 and UTF-32 with or without a byte order mark, Windows-1252 for the rest, binary for none of them.

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::Text;

/// How a file's bytes were turned into text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, a byte order mark included.
    Utf8,
    /// UTF-16, little endian.
    Utf16Le,
    /// UTF-16, big endian.
    Utf16Be,
    /// UTF-32, little endian.
    Utf32Le,
    /// UTF-32, big endian.
    Utf32Be,
    /// Windows-1252, of which Latin-1's letters are a part.
    Windows1252,
}

/// Bytes looked at to tell text from binary.
const SNIFF: usize = 8192;

/// Decodes a file; `None` where it is binary.
pub fn decode(bytes: Vec<u8>) -> Option<Text> {
    transcode(bytes).filter(|text| plausible(&text.content))
}

/// Decodes a file that is known to be text.
pub(crate) fn transcode(bytes: Vec<u8>) -> Option<Text> {
    let encoding = sniff(&bytes)?;
    let content = match encoding {
        Encoding::Utf8 => match String::from_utf8(bytes) {
            Ok(content) => content,
            // A few broken sequences in a long UTF-8 file are not worth losing the file, nor its offsets.
            Err(error) => return Some(decode_broken(error.as_bytes())),
        },
        Encoding::Utf16Le => UTF_16LE.decode_with_bom_removal(&bytes).0.into_owned(),
        Encoding::Utf16Be => UTF_16BE.decode_with_bom_removal(&bytes).0.into_owned(),
        Encoding::Utf32Le => utf32(&bytes, u32::from_le_bytes),
        Encoding::Utf32Be => utf32(&bytes, u32::from_be_bytes),
        Encoding::Windows1252 => WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned(),
    };
    Some(Text { content, encoding })
}

fn decode_broken(bytes: &[u8]) -> Text {
    let content = WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned();
    Text { content, encoding: Encoding::Windows1252 }
}

/// The encoding that the first bytes show; `None` for binary.
fn sniff(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return Some(Encoding::Utf32Le),
        [0, 0, 0xfe, 0xff, ..] => return Some(Encoding::Utf32Be),
        [0xff, 0xfe, ..] => return Some(Encoding::Utf16Le),
        [0xfe, 0xff, ..] => return Some(Encoding::Utf16Be),
        _ => {}
    }
    let head = &bytes[..bytes.len().min(SNIFF)];
    let zeros = bytecount(head, |_| true);
    if zeros == 0 {
        return Some(Encoding::Utf8);
    }
    // Western text in a wide encoding has its zeros in fixed places: all high bytes, hardly any low one.
    let place = |width: usize, offset: usize| {
        bytecount(head, |i| i % width == offset) as f64 / (head.len() / width).max(1) as f64
    };
    if bytes.len().is_multiple_of(4) && place(4, 2) > 0.95 && place(4, 3) > 0.95 && place(4, 0) < 0.05 {
        return Some(Encoding::Utf32Le);
    }
    if bytes.len().is_multiple_of(4) && place(4, 0) > 0.95 && place(4, 1) > 0.95 && place(4, 3) < 0.05 {
        return Some(Encoding::Utf32Be);
    }
    if bytes.len().is_multiple_of(2) && place(2, 1) > 0.4 && place(2, 0) < 0.05 {
        return Some(Encoding::Utf16Le);
    }
    if bytes.len().is_multiple_of(2) && place(2, 0) > 0.4 && place(2, 1) < 0.05 {
        return Some(Encoding::Utf16Be);
    }
    None
}

fn bytecount(head: &[u8], place: impl Fn(usize) -> bool) -> usize {
    head.iter().enumerate().filter(|(i, b)| **b == 0 && place(*i)).count()
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> String {
    bytes
        .chunks_exact(4)
        .map(|c| char::from_u32(unit([c[0], c[1], c[2], c[3]])).unwrap_or(char::REPLACEMENT_CHARACTER))
        .skip_while(|c| *c == '\u{feff}')
        .collect()
}

/// Whether decoded text looks like text: hardly any control or replacement characters.
fn plausible(content: &str) -> bool {
    let mut total = 0usize;
    let mut odd = 0usize;
    for c in content.chars().take(SNIFF) {
        total += 1;
        // Form feed and escape (terminal colours in logs and scripts) are common in text.
        let control = c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c' | '\x1b' | '\x08');
        odd += usize::from(control || c == char::REPLACEMENT_CHARACTER);
    }
    odd * 20 <= total
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "using System;\r\npublic class Größe { int café = 1; }\n";

    fn wide<const N: usize>(text: &str, unit: fn(u16) -> [u8; N], mark: bool) -> Vec<u8> {
        let mark = if mark { vec![0xfeffu16] } else { vec![] };
        mark.into_iter().chain(text.encode_utf16()).flat_map(unit).collect()
    }

    #[test]
    fn wide_encodings_with_and_without_mark() {
        for mark in [true, false] {
            for bytes in [wide(SAMPLE, u16::to_le_bytes, mark), wide(SAMPLE, u16::to_be_bytes, mark)] {
                assert_eq!(decode(bytes).unwrap().content, SAMPLE);
            }
            let mark = if mark { "\u{feff}" } else { "" };
            let units = || mark.chars().chain(SAMPLE.chars()).map(u32::from);
            assert_eq!(decode(units().flat_map(u32::to_le_bytes).collect()).unwrap().content, SAMPLE);
            assert_eq!(decode(units().flat_map(u32::to_be_bytes).collect()).unwrap().content, SAMPLE);
        }
    }

    #[test]
    fn latin1_is_text_and_elf_is_not() {
        let text = decode(b"// caf\xe9 au lait\nint x;\n".to_vec()).unwrap();
        assert_eq!(
            (text.content.as_str(), text.encoding),
            ("// café au lait\nint x;\n", Encoding::Windows1252)
        );
        let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0".to_vec();
        elf.extend((0..4000u32).flat_map(|i| (i.wrapping_mul(2_654_435_761)).to_le_bytes()));
        assert!(decode(elf).is_none());
        assert!(decode((1..=255u8).cycle().take(4096).filter(|b| *b < 32).collect()).is_none());
    }

    #[test]
    fn utf8_keeps_offsets() {
        let text = decode("\u{feff}a\r\nb".as_bytes().to_vec()).unwrap();
        assert_eq!((text.content.len(), text.body_start(), text.encoding), (7, 3, Encoding::Utf8));
    }
}
