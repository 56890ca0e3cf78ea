//! Turns the vocabularies in `models/` into lookup tables that are ready in the binary: nothing is built at start.
//!
//! Layout of a table: number of pieces n and bytes of the longest piece (u32 each), n + 1 byte offsets (u32), 65,536 slots (u16, 0xffff is
//! free), then the pieces one after another. A piece sits in the first free slot from its FNV-1a hash onwards.

use std::path::Path;
use std::{env, fs};

const SLOTS: usize = 1 << 16;

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script its folder this way")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = env::var("OUT_DIR")?;
    for (name, vocabulary) in
        [("static", "models/static-code-128/vocab.txt"), ("minilm", "models/minilm/vocab.txt")]
    {
        println!("cargo::rerun-if-changed={vocabulary}");
        let text = fs::read_to_string(vocabulary)?;
        let pieces: Vec<&str> = text.lines().collect();
        fs::write(Path::new(&out).join(format!("{name}.pieces")), table(&pieces)?)?;
    }
    Ok(())
}

fn table(pieces: &[&str]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let longest = pieces.iter().map(|p| p.len()).max().unwrap_or(0);
    let mut slots = vec![u16::MAX; SLOTS];
    let mut offsets = vec![0u32];
    let mut bytes = Vec::new();
    for (id, piece) in pieces.iter().enumerate() {
        bytes.extend_from_slice(piece.as_bytes());
        offsets.push(u32::try_from(bytes.len())?);
        let mut slot = fnv(piece.as_bytes()) as usize % SLOTS;
        while slots[slot] != u16::MAX {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = u16::try_from(id)?;
    }
    let mut out = Vec::new();
    out.extend(u32::try_from(pieces.len())?.to_le_bytes());
    out.extend(u32::try_from(longest)?.to_le_bytes());
    out.extend(offsets.iter().flat_map(|o| o.to_le_bytes()));
    out.extend(slots.iter().flat_map(|s| s.to_le_bytes()));
    out.extend(bytes);
    Ok(out)
}

/// FNV-1a, 32 bits; `embed::pieces` computes the same.
fn fnv(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
