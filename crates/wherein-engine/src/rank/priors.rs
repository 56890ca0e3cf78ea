//! What a path alone says of a file: test, example, generated, vendored, legacy, prose, data.

use crate::lang::{Form, LangId};
use crate::types::Area;

/// A role that makes a file a less likely answer, unless it is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Role {
    /// Tests and what serves them.
    pub test: bool,
    /// Examples, demos, benchmarks.
    pub example: bool,
    /// Made by a tool: minified, lock files, protocol stubs.
    pub generated: bool,
    /// Somebody else's code.
    pub vendored: bool,
    /// A version that a newer one replaces.
    pub legacy: bool,
    /// Prose.
    pub prose: bool,
    /// A list of changes.
    pub changelog: bool,
    /// Data and configuration.
    pub data: bool,
    /// Declarations without bodies: `.d.ts`, `.pyi`.
    pub stub: bool,
}

const TEST_FOLDERS: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "testing",
    "spec",
    "specs",
    "testdata",
    "fixtures",
    "mocks",
    "__mocks__",
    "e2e",
];
const EXAMPLE_FOLDERS: &[&str] = &[
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "docs_src",
    "playground",
    "tutorial",
];
const VENDOR_FOLDERS: &[&str] = &[
    "vendor",
    "vendored",
    "third_party",
    "thirdparty",
    "third-party",
    "node_modules",
    "external",
    "extern",
    "deps",
    "_vendor",
];
const LEGACY_FOLDERS: &[&str] = &["legacy", "deprecated", "old", "compat", "attic", "obsolete"];
const GENERATED_FOLDERS: &[&str] = &["generated", "gen", "dist", "autogen", "__generated__"];
const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "cargo.lock",
    "poetry.lock",
    "uv.lock",
    "gemfile.lock",
    "composer.lock",
    "go.sum",
    "mix.lock",
    "podfile.lock",
    "flake.lock",
    "pubspec.lock",
    "packages.lock.json",
];

/// Reads a path.
pub(super) fn roles(path: &str, lang: LangId) -> Role {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once('/').unwrap_or(("", &lower));
    let within = |list: &[&str]| folders.split('/').any(|f| list.contains(&f));
    let form = lang.row().form;
    let stem = name.split('.').next().unwrap_or(name);
    Role {
        test: within(TEST_FOLDERS) || is_test_name(path.rsplit('/').next().unwrap_or(path), name, stem),
        example: within(EXAMPLE_FOLDERS)
            || stem.ends_with("_benchmark")
            || stem.ends_with("_bench")
            || stem.starts_with("example"),
        generated: within(GENERATED_FOLDERS)
            || LOCK_FILES.contains(&name)
            || [
                ".min.js",
                ".min.css",
                ".pb.go",
                "_pb2.py",
                ".pb.cc",
                ".pb.h",
                ".g.dart",
                ".designer.cs",
                ".bundle.js",
                ".map",
            ]
            .iter()
            .any(|e| name.ends_with(e))
            || name.contains(".generated."),
        vendored: within(VENDOR_FOLDERS),
        legacy: within(LEGACY_FOLDERS),
        prose: form == Form::Prose,
        changelog: form == Form::Prose
            && ["changelog", "changes", "history", "news", "release", "migration"]
                .iter()
                .any(|s| stem.starts_with(s)),
        data: matches!(form, Form::Data | Form::Markup),
        stub: name.ends_with(".d.ts") || name.ends_with(".pyi"),
    }
}

/// `test_x.py`, `x_test.go`, `x.spec.ts`, `XTest.java`; not `latest` or `inspect`.
fn is_test_name(written: &str, name: &str, stem: &str) -> bool {
    let written_stem = written.split('.').next().unwrap_or(written);
    stem.starts_with("test_")
        || stem.starts_with("tests_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || stem == "test"
        || stem == "tests"
        || matches!(stem, "conftest" | "mock" | "mocks" | "testing" | "testutil" | "testutils")
        || stem.ends_with("_test_helper")
        || [".test.", ".spec.", ".tests."].iter().any(|m| name.contains(m))
        || ["Test", "Tests", "TestCase", "Spec", "IT"].iter().any(|end| {
            written_stem.len() > end.len() && written_stem.ends_with(end) && ends_word(written_stem, end)
        })
        || (written_stem.starts_with("Test") && written_stem.chars().nth(4).is_some_and(char::is_uppercase))
}

fn ends_word(stem: &str, end: &str) -> bool {
    stem[..stem.len() - end.len()].chars().last().is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
}

/// The part of a root that a file belongs to.
pub(crate) fn area_of(path: &str, lang: LangId) -> Area {
    let role = roles(path, lang);
    if role.prose {
        Area::Docs
    } else if role.data {
        Area::Config
    } else if role.test {
        Area::Tests
    } else {
        Area::Code
    }
}
