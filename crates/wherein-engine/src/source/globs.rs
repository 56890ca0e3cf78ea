//! Globs as people write them: one without a slash matches at any depth; a folder matches what is in it.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

use crate::config::{Segment, Selection};
use crate::error::{Error, Result};

/// NFC: file systems and keyboards differ in how they write `ö`.
pub(crate) fn normal(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { text.nfc().collect() }
}

/// A list of globs.
pub(crate) struct Globs(GlobSet);

impl Globs {
    /// Reads globs.
    ///
    /// # Errors
    /// [`Error::Pattern`] where one is none.
    pub(crate) fn new(globs: &[String]) -> Result<Globs> {
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let written = normal(glob);
            let trimmed = written.trim_start_matches("./").trim_start_matches('/');
            let anywhere = !written.starts_with('/') && !trimmed.trim_end_matches('/').contains('/');
            let base = trimmed.trim_end_matches('/');
            let base = if anywhere { format!("**/{base}") } else { base.to_owned() };
            for pattern in [base.clone(), format!("{base}/**")] {
                let bad = |e: globset::Error| Error::Pattern {
                    pattern: glob.clone(),
                    message: e.kind().to_string(),
                };
                set.add(GlobBuilder::new(&pattern).literal_separator(true).build().map_err(bad)?);
            }
        }
        let bad = |e: globset::Error| Error::Pattern { pattern: globs.join(" "), message: e.to_string() };
        set.build().map(Globs).map_err(bad)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one matches a path.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.matches_normal(&normal(path))
    }

    /// Whether one matches a path that is in normal form.
    pub(crate) fn matches_normal(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// A [`Selection`], ready to be asked.
pub(crate) struct Selected {
    include: Globs,
    exclude: Globs,
}

impl Selected {
    /// Reads the globs of a selection.
    ///
    /// # Errors
    /// [`Error::Pattern`] where one is none.
    pub(crate) fn new(selection: &Selection) -> Result<Selected> {
        Ok(Selected { include: Globs::new(&selection.include)?, exclude: Globs::new(&selection.exclude)? })
    }

    /// Whether a path belongs to the root.
    pub(crate) fn allows(&self, path: &str) -> bool {
        (self.include.is_empty() || self.include.matches(path))
            && (self.exclude.is_empty() || !self.exclude.matches(path))
    }

    /// Why it does not, in words.
    pub(crate) fn reason(&self, path: &str) -> Option<&'static str> {
        if self.allows(path) {
            None
        } else if !self.exclude.is_empty() && self.exclude.matches(path) {
            Some("exclude")
        } else {
            Some("no pattern of include matches")
        }
    }
}

/// The segments of a root, ready to be asked.
pub(crate) struct Segments(Vec<(String, Globs)>);

impl Segments {
    /// Reads the globs of segments.
    ///
    /// # Errors
    /// [`Error::Pattern`] where one is none.
    pub(crate) fn new(segments: &[Segment]) -> Result<Segments> {
        let one = |segment: &Segment| Ok((segment.name.clone(), Globs::new(&segment.globs)?));
        segments.iter().map(one).collect::<Result<_>>().map(Segments)
    }

    /// The name of the first that holds a path.
    pub(crate) fn of(&self, path: &str) -> Option<&str> {
        self.0.iter().find(|(_, globs)| globs.matches(path)).map(|(name, _)| name.as_str())
    }
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
            let set = Globs::new(&[glob.to_owned()]).unwrap();
            assert_eq!(set.matches(path), want, "{glob} {path}");
        }
        assert!(Globs::new(&["a{".to_owned()]).is_err());
    }

    #[test]
    fn a_selection_narrows_and_says_why() {
        let list = |globs: &[&str]| globs.iter().map(|g| (*g).to_owned()).collect::<Vec<_>>();
        let selected = Selected::new(&Selection {
            include: list(&["src/**/*.ts", "docs"]),
            exclude: list(&["*.test.ts"]),
            ..Selection::default()
        })
        .unwrap();
        assert_eq!(selected.reason("src/a/b.ts"), None);
        assert_eq!(selected.reason("docs/x/y.md"), None);
        assert_eq!(selected.reason("src/a/b.test.ts"), Some("exclude"));
        assert_eq!(selected.reason("README.md"), Some("no pattern of include matches"));
    }
}
