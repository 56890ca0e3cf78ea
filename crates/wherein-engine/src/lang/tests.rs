use super::*;

#[test]
fn detects_by_name_extension_and_first_line() {
    for (path, text, want) in [
        ("src/main.rs", "", "rust"),
        ("a/b/Makefile", "", "make"),
        ("CMakeLists.txt", "", "cmake"),
        ("include/core.h", "", "cpp"),
        ("README.MD", "", "markdown"),
        ("bin/deploy", "#!/usr/bin/env bash\n", "bash"),
        ("bin/run", "#!/usr/bin/env -S python3.11 -u\n", "python"),
        ("bin/x", "#!/bin/sh\n", "bash"),
        ("unknown.zzz", "", "text"),
        ("LICENSE", "", "text"),
        (".github/workflows/ci.yml", "", "yaml"),
    ] {
        assert_eq!(LangId::detect(path, text).id(), want, "{path}");
    }
}

#[test]
fn names_that_users_type() {
    for (name, want) in [("ts", "typescript"), ("C#", "csharp"), (".py", "python"), ("Shell", "bash")] {
        assert_eq!(LangId::named(name).map(LangId::id), Some(want), "{name}");
    }
    assert_eq!(LangId::named("klingon"), None);
}

#[test]
fn every_query_compiles_and_every_capture_is_known() {
    for i in 0..LANGUAGES.len() {
        let id = LangId(u8::try_from(i).unwrap());
        if matches!(id.row().cutter, Cutter::Syntax { .. }) {
            assert!(id.query().is_some(), "{}", id.id());
        }
    }
}

#[test]
fn no_extension_or_name_belongs_to_two_rows() {
    let mut seen = std::collections::HashMap::new();
    for row in LANGUAGES {
        for key in
            row.extensions.iter().map(|e| format!(".{e}")).chain(row.names.iter().map(|n| (*n).to_string()))
        {
            if let Some(other) = seen.insert(key.clone(), row.id) {
                panic!("{key} belongs to {other} and {}", row.id);
            }
        }
    }
}
