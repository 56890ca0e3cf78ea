//! What becomes of a file: left out, or given deep vectors.

use serde::{Deserialize, Serialize};

/// Why a file is listed but not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum SkipReason {
    /// No text in it.
    Empty = 1,
    /// Binary by extension or by content.
    Binary,
    /// Above the size limit.
    TooLarge,
    /// Holds credentials, by name or by content.
    Secret,
    /// Matched by an `.indexignore`.
    IndexIgnored,
    /// Its name is not valid Unicode.
    PathEncoding,
    /// Could not be read.
    Unreadable,
}

impl SkipReason {
    /// Every reason with its JSON name, in the order of the discriminants.
    pub const ALL: [(SkipReason, &'static str); 7] = [
        (SkipReason::Empty, "empty"),
        (SkipReason::Binary, "binary"),
        (SkipReason::TooLarge, "too_large"),
        (SkipReason::Secret, "secret"),
        (SkipReason::IndexIgnored, "index_ignored"),
        (SkipReason::PathEncoding, "path_encoding"),
        (SkipReason::Unreadable, "unreadable"),
    ];

    /// The name used in JSON.
    pub fn as_str(self) -> &'static str {
        Self::ALL[self as usize - 1].1
    }

    /// The reason stored as this byte, if it is one.
    pub fn from_byte(byte: u8) -> Option<SkipReason> {
        Self::ALL.get(usize::from(byte).checked_sub(1)?).map(|(r, _)| *r)
    }
}

/// Which files get vectors of the deep model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeepPolicy {
    /// Prose, where they find what no shared word does. On code they bring nothing (docs/measurements.md).
    #[default]
    Prose,
    /// All.
    All,
    /// None.
    None,
}

impl DeepPolicy {
    /// The policy of that name.
    pub fn from_name(name: &str) -> Option<DeepPolicy> {
        match name {
            "prose" => Some(DeepPolicy::Prose),
            "all" => Some(DeepPolicy::All),
            "none" => Some(DeepPolicy::None),
            _ => None,
        }
    }

    /// Whether a file wants them.
    pub fn wants(self, is_prose: bool) -> bool {
        match self {
            DeepPolicy::Prose => is_prose,
            DeepPolicy::All => true,
            DeepPolicy::None => false,
        }
    }
}
