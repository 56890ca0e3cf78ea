//! Weights → the source file that holds them.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use wherein_engine::internals::{Fitted, Weights};

/// Writes the table, with how it was made.
pub(crate) fn write(path: &Path, weights: &Weights) -> anyhow::Result<()> {
    std::fs::write(path, text(weights)?).with_context(|| format!("write {}", path.display()))
}

fn text(weights: &Weights) -> anyhow::Result<String> {
    let mut out = String::from(
        "//! Fitted weights, written by `wherein-eval fit --write`; the command, the data and the date are in\n\
         //! docs/measurements.md, \"Ranking\". Not to be edited by hand.\n",
    );
    writeln!(out, "\n/// Features of files: words, names, prose, prose with deep vectors.")?;
    writeln!(
        out,
        "#[rustfmt::skip]\npub(super) const FILES: [(&str, [f32; 4]); {}] = [",
        weights.files.len()
    )?;
    for (name, row) in Fitted::FILES.iter().zip(&weights.files) {
        writeln!(out, "    ({name:?}, [{:.4}, {:.4}, {:.4}, {:.4}]),", row[0], row[1], row[2], row[3])?;
    }
    writeln!(out, "];\n\n/// Features of passages: code, prose, prose with deep vectors.")?;
    writeln!(
        out,
        "#[rustfmt::skip]\npub(super) const PASSAGES: [(&str, [f32; 3]); {}] = [",
        weights.passages.len()
    )?;
    for (name, row) in Fitted::PASSAGES.iter().zip(&weights.passages) {
        writeln!(out, "    ({name:?}, [{:.4}, {:.4}, {:.4}]),", row[0], row[1], row[2])?;
    }
    writeln!(out, "];\n\n/// Kinds of evidence, then the constant: without deep vectors, with some.")?;
    writeln!(
        out,
        "#[rustfmt::skip]\npub(super) const EVIDENCE: [(&str, [f32; 2]); {}] = [",
        weights.evidence.len()
    )?;
    for (name, row) in Fitted::EVIDENCE.iter().copied().chain(["constant"]).zip(&weights.evidence) {
        writeln!(out, "    ({name:?}, [{:.4}, {:.4}]),", row[0], row[1])?;
    }
    writeln!(out, "];")?;
    Ok(out)
}
