//! A second opinion: a cross-encoder reads question and passage together and orders the top of a page anew. It decides order only, not
//! what is an answer at all; since scores never rise from hit to hit, one that it puts below a lower one is capped by that.

use crate::embed::CrossEncoder;
use crate::error::Result;
use crate::types::Hit;

/// Hits that are read again, at least: what ranking puts below is not worth the wait.
pub(super) const READ: usize = 20;

/// Orders hits by what the model thinks of them and keeps `k`.
///
/// # Errors
/// Where the model can't read a text.
pub(super) fn rerank(hits: &mut Vec<Hit>, question: &str, model: &CrossEncoder, k: usize) -> Result<()> {
    for hit in hits.iter_mut() {
        let text = format!("{}\n{}", hit.trail.join(" > "), hit.text);
        hit.signals.insert("rerank", model.score(question, &text)?);
    }
    let opinion = |hit: &Hit| hit.signals.get("rerank").copied().unwrap_or(f32::MIN);
    hits.sort_by(|a, b| opinion(b).total_cmp(&opinion(a)).then(a.rank.cmp(&b.rank)));
    hits.truncate(k);
    let mut above = 1f32;
    for (place, hit) in hits.iter_mut().enumerate() {
        hit.rank = place + 1;
        hit.score = hit.score.min(above);
        above = hit.score;
    }
    Ok(())
}
