use super::*;

/// The globs of a segment.
fn globs<'a>(project: &'a Project, name: &str) -> Option<&'a [String]> {
    project.selection.segments.iter().find(|segment| segment.name == name).map(|segment| &*segment.globs)
}

fn parse(name: &str, text: &str) -> anyhow::Result<Project> {
    formats::parse(name, text, Path::new("/p"))
}

#[test]
fn our_own_format_is_read_and_nonsense_is_named() {
    let text = "[search]\ndefault_exclude = ['archive/']\nmin_score = 0.4\n[search.path_boosts]\n'guides/' = 1.15\n\
                [index]\ndeep = 'none'\nexclude = ['*.gen.ts']\n[[segments]]\nname = 'api'\nroot = 'services/api'\n[other]\nkept = 1\n";
    let project = parse(".wherein.toml", text).unwrap();
    assert_eq!(project.deep, Some(DeepPolicy::None));
    assert_eq!(project.default_exclude, ["archive/"]);
    assert_eq!(project.path_boosts, [("guides/".to_owned(), 1.15)]);
    assert_eq!(project.query(false).min_score, Some(0.4));
    assert_eq!(globs(&project, "api"), Some(&["/services/api".to_owned()][..]));
    assert!(project.selection.include.is_empty() && globs(&project, "web").is_none());
    assert_eq!(parse(".wherein.toml", "").unwrap(), Project::default());
    let error = parse(".wherein.toml", "[search.path_boosts]\n'x' = -2.0").unwrap_err().to_string();
    assert!(error.contains("\"x\""), "{error}");
    for bad in
        ["[search]\ndefault_exclude = 'archive'", "[index]\ndeep = 'some'", "[search]\nmin_score = 3.0"]
    {
        assert!(parse(".wherein.toml", bad).is_err(), "{bad}");
    }
}

#[test]
fn the_formats_of_the_programs_before_are_read() {
    let text = r#"{"vaultPath": "../notes", "include": "**/docs/**/*.md", "defaultExclude": ["archive", "plans"],
        "pathBoosts": {"guides": 1.15}, "embedModel": "bge-m3", "minScore": 0.55}"#;
    let project = parse(".rag/config.json", text).unwrap();
    assert_eq!(project.selection.include, ["/notes/**/docs/**/*.md"]);
    assert_eq!(project.default_exclude, ["archive", "plans"]);
    assert_eq!(project.query(false).min_score, None, "a cosine of another model is no score of ours");
    let whole = parse(".rag/config.json", r#"{"vaultPath": "/p"}"#).unwrap();
    assert!(whole.selection.include.is_empty());

    let text = r#"{"segments": [{"name": "web", "root": "./apps/web", "include": ["src/**/*.ts"]}, {"name": "lib", "root": "lib"}],
        "exclude": ["**/*.test.ts"], "store": {"path": "/etc/index.db"}, "embedder": {"provider": "local"}}"#;
    let project = parse("rag.config.json", text).unwrap();
    assert_eq!(project.selection.include, ["/apps/web/src/**/*.ts", "/lib"]);
    assert_eq!(project.selection.exclude, ["**/*.test.ts"]);
    assert_eq!(globs(&project, "lib"), Some(&["/lib".to_owned()][..]));
    assert!(parse("rag.config.json", "{}").is_err(), "segments are its only required key");
}

#[test]
fn a_project_leads_nowhere_else() {
    for (file, text) in [
        (".rag/config.json", r#"{"vaultPath": "/etc"}"#),
        (".rag/config.json", r#"{"vaultPath": "../../other"}"#),
        ("rag.config.json", r#"{"segments": [{"name": "x", "root": "../outside"}]}"#),
        (".wherein.toml", "[[segments]]\nname = 'x'\nroot = '/p2'\n"),
    ] {
        let error = parse(file, text).unwrap_err().to_string();
        assert!(error.contains("outside the project") && error.contains("wherein add /"), "{error}");
    }
}
