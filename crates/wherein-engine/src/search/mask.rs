//! Scope → which chunks may answer, decided before any candidate is chosen.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Result};
use crate::lang::LangId;
use crate::rank::area_of;
use crate::store::Snapshot;
use crate::types::{Area, Scope};

/// Which files may answer. Without a scope every live chunk may.
pub(super) struct Mask {
    files: Option<Vec<bool>>,
}

impl Mask {
    /// Decides every file of a snapshot; `without` is left out.
    pub(super) fn new(snapshot: &Snapshot, scope: &Scope, without: Option<usize>) -> Result<Mask> {
        let Scope { within, globs, exclude, languages, area } = scope;
        if within.is_empty()
            && globs.is_empty()
            && exclude.is_empty()
            && languages.is_empty()
            && *area == Area::All
            && without.is_none()
        {
            return Ok(Mask { files: None });
        }
        let globs = glob_set(globs)?;
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
            (within.is_empty() || within.iter().any(|w| is_within(&path, w)))
                && globs.as_ref().is_none_or(|g| g.is_match(&path))
                && (exclude.is_empty() || {
                    let lower = path.to_lowercase();
                    !exclude.iter().any(|e| lower.contains(e.as_str()))
                })
                && (languages.is_empty() || languages.contains(&lang))
                && (*area == Area::All || area_of(&path, lang) == *area)
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

/// NFC: file systems and keyboards differ in how they write `ö`.
fn normal(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { text.nfc().collect() }
}

fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Globs as people write them: one without a slash matches at any depth; a folder matches what is in it.
fn glob_set(globs: &[String]) -> Result<Option<GlobSet>> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let written = normal(glob);
        let trimmed = written.trim_start_matches("./").trim_start_matches('/');
        let anywhere = !written.starts_with('/') && !trimmed.trim_end_matches('/').contains('/');
        let base = trimmed.trim_end_matches('/');
        let base = if anywhere { format!("**/{base}") } else { base.to_owned() };
        for pattern in [base.clone(), format!("{base}/**")] {
            let bad =
                |e: globset::Error| Error::Pattern { pattern: glob.clone(), message: e.kind().to_string() };
            set.add(GlobBuilder::new(&pattern).literal_separator(true).build().map_err(bad)?);
        }
    }
    let bad = |e: globset::Error| Error::Pattern { pattern: globs.join(" "), message: e.to_string() };
    set.build().map(Some).map_err(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_people_mean_them() {
        for (glob, path, want) in [
            ("*.rs", "src/a/b.rs", true),
            ("src/*.rs", "src/a/b.rs", false),
            ("src/**/*.rs", "src/a/b.rs", true),
            ("src", "src/a/b.rs", true),
            ("src/", "x/src/b.rs", true),
            ("/src", "x/src/b.rs", false),
            ("./src/a", "src/a/b.rs", true),
            ("größen.md", "docs/gro\u{308}ßen.md", true),
        ] {
            let set = glob_set(&[glob.to_owned()]).unwrap().unwrap();
            assert_eq!(set.is_match(normal(path)), want, "{glob} {path}");
        }
        assert!(glob_set(&["a{".to_owned()]).is_err());
    }
}
