//! A vocabulary of word pieces in the binary, and the greedy longest match over it.

/// Slots of the hash table, as written by the build script.
const SLOTS: usize = 1 << 16;
const FREE: u16 = u16::MAX;
const FNV_OFFSET: u32 = 0x811c_9dc5;
const FNV_PRIME: u32 = 0x0100_0193;

/// No piece of either vocabulary is longer, marks not counted.
const MAX_PIECE: usize = 32;

fn step(hash: u32, byte: u8) -> u32 {
    (hash ^ u32::from(byte)).wrapping_mul(FNV_PRIME)
}

/// A table laid out by the build script; see there.
pub(super) struct Pieces {
    offsets: &'static [u8],
    slots: &'static [u8],
    bytes: &'static [u8],
    longest: usize,
}

impl Pieces {
    /// Finds the parts of a table; the build script is the only writer.
    pub(super) const fn new(table: &'static [u8]) -> Self {
        let (head, rest) = table.split_at(8);
        let count = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let longest = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let (offsets, rest) = rest.split_at((count + 1) * 4);
        let (slots, bytes) = rest.split_at(SLOTS * 2);
        Pieces { offsets, slots, bytes, longest }
    }

    /// Adds the ids of the pieces of a lower-case word; false, with none added, where a part of it is no piece.
    pub(super) fn split(&self, word: &[u8], ids: &mut Vec<u16>) -> bool {
        let before = ids.len();
        let mut at = 0;
        while at < word.len() {
            match self.longest_prefix(&word[at..], at > 0) {
                Some((id, length)) => {
                    ids.push(id);
                    at += length;
                }
                None => {
                    ids.truncate(before);
                    return false;
                }
            }
        }
        true
    }

    /// The longest piece that begins `text`; continuation pieces begin with `##` in the vocabulary.
    fn longest_prefix(&self, text: &[u8], continues: bool) -> Option<(u16, usize)> {
        let limit = text.len().min(self.longest).min(MAX_PIECE);
        let mark: &[u8] = if continues { b"##" } else { b"" };
        let mut hashes = [0u32; MAX_PIECE];
        let mut hash = mark.iter().fold(FNV_OFFSET, |hash, byte| step(hash, *byte));
        for (slot, byte) in hashes.iter_mut().zip(&text[..limit]) {
            hash = step(hash, *byte);
            *slot = hash;
        }
        // Most words are pieces as a whole: the first look finds them.
        (1..=limit)
            .rev()
            .find_map(|length| self.find(hashes[length - 1], mark, &text[..length]).map(|id| (id, length)))
    }

    #[inline]
    fn find(&self, hash: u32, mark: &[u8], text: &[u8]) -> Option<u16> {
        let mut slot = hash as usize % SLOTS;
        loop {
            let id = u16::from_le_bytes([self.slots[slot * 2], self.slots[slot * 2 + 1]]);
            if id == FREE {
                return None;
            }
            let piece = self.piece(id);
            if piece.len() == mark.len() + text.len() {
                let (head, tail) = piece.split_at(mark.len());
                // Pieces are short: comparing in place beats a call.
                if tail.iter().zip(text).all(|(a, b)| a == b) && head == mark {
                    return Some(id);
                }
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    fn piece(&self, id: u16) -> &'static [u8] {
        let offset = |i: usize| {
            let at = i * 4;
            u32::from_le_bytes([
                self.offsets[at],
                self.offsets[at + 1],
                self.offsets[at + 2],
                self.offsets[at + 3],
            ]) as usize
        };
        &self.bytes[offset(usize::from(id))..offset(usize::from(id) + 1)]
    }
}
