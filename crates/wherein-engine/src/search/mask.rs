//! Scope → which chunks may answer, decided before any candidate is chosen.

use crate::error::{Error, Result};
use crate::lang::LangId;
use crate::rank::area_of;
use crate::source::{Globs, is_within, normal};
use crate::store::Snapshot;
use crate::types::Scope;

/// Which files may answer. Without a scope every live chunk may.
pub(super) struct Mask {
    files: Option<Vec<bool>>,
}

impl Mask {
    /// Decides every file of a snapshot; `without` is left out.
    pub(super) fn new(snapshot: &Snapshot, scope: &Scope, without: Option<usize>) -> Result<Mask> {
        let Scope { within, globs, exclude, segment, languages, areas } = scope;
        if within.is_empty()
            && globs.is_empty()
            && segment.is_empty()
            && exclude.is_empty()
            && languages.is_empty()
            && areas.is_empty()
            && without.is_none()
        {
            return Ok(Mask { files: None });
        }
        let (globs, segment) = (Globs::new(globs)?, Globs::new(segment)?);
        let exclude: Vec<String> =
            exclude.iter().map(|e| normal(e).to_lowercase()).filter(|e| !e.is_empty()).collect();
        let within: Vec<String> = within.iter().map(|w| normal(w)).collect();
        let languages: Vec<LangId> = languages
            .iter()
            .map(|l| {
                LangId::named(l).ok_or_else(|| Error::Pattern {
                    pattern: l.clone(),
                    message: "no language has this name".into(),
                })
            })
            .collect::<Result<_>>()?;
        let allowed = |file: usize| {
            if without == Some(file) {
                return false;
            }
            let path = normal(snapshot.path(file));
            let lang = snapshot.language(file);
            (within.is_empty() || within.iter().any(|w| w.is_empty() || is_within(&path, w)))
                && (globs.is_empty() || globs.matches_normal(&path))
                && (segment.is_empty() || segment.matches_normal(&path))
                && (exclude.is_empty() || {
                    let lower = path.to_lowercase();
                    !exclude.iter().any(|e| lower.contains(e.as_str()))
                })
                && (languages.is_empty() || languages.contains(&lang))
                && (areas.is_empty() || areas.contains(&area_of(&path, lang)))
        };
        Ok(Mask { files: Some((0..snapshot.files().len()).map(allowed).collect()) })
    }

    /// Whether a file may answer.
    pub(super) fn allows(&self, file: usize) -> bool {
        self.files.as_ref().is_none_or(|files| files.get(file).copied().unwrap_or(false))
    }

    /// Whether every file may.
    pub(super) fn allows_all(&self) -> bool {
        self.files.is_none()
    }
}
