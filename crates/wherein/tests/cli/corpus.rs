//! The corpus of several folders, projects with a configuration, work trees.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::world::World;

/// A world with folders beside the root.
fn with_folders(files: &[(&str, &str)]) -> World {
    let world = World::new();
    for (path, text) in files {
        world.write(path, text);
    }
    world
}

fn corpus() -> World {
    with_folders(&[
        ("notes/gardening.md", "# Gardening\n\nTomatoes are watered in the morning, never at noon.\n"),
        ("notes/baking.md", "# Baking\n\nDough rests for a night in the fridge.\n"),
        (
            "app/src/retry.py",
            "def retry_with_backoff(call):\n    '''Call again, waiting longer each time.'''\n",
        ),
        ("other/app/server.go", "package server\n\n// Listen waits for connections.\nfunc Listen() {}\n"),
    ])
}

fn paths(answer: &Value) -> Vec<String> {
    let path = |hit: &Value| {
        let root = Path::new(hit["root"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
        format!("{root}/{}", hit["path"].as_str().unwrap())
    };
    answer["results"].as_array().unwrap().iter().map(path).collect()
}

#[test]
fn folders_are_added_searched_together_and_removed() {
    let world = corpus();
    let root = world.root();
    let empty = world.run_in(&world.home(), &["list"]);
    assert!(empty.stdout.starts_with("The corpus is empty.\n"), "{}", empty.stdout);
    let out = world.run(&["add", "notes", "app", "nowhere"]);
    assert_eq!(out.code, 3, "{}", out.stderr);
    assert!(out.stdout.starts_with(&format!("added     {}/notes\n", root.display())), "{}", out.stdout);
    assert!(out.stderr.contains("not a directory: nowhere") && out.stdout.contains("Next: wherein index"));
    assert_eq!(world.run(&["add", "nowhere"]).code, 1);
    std::os::unix::fs::symlink(root.join("notes"), root.join("link")).unwrap();
    let again = world.run(&["add", "./link"]);
    assert_eq!((again.code, &*again.stdout), (0, &*format!("already   {}/notes\n", root.display())));

    // Nothing is around the home folder: the corpus is asked.
    let last = world.run_in(&world.home(), &["index", "--no-wait"]);
    let last: Value = serde_json::from_str(&last.stdout).unwrap();
    assert_eq!(last["filesProcessed"], 3);
    for args in [&["search", "--json"][..], &["search", "--json", "--global"]] {
        let out = world.run_in(&world.home(), &[args, &["waiting longer each time"]].concat());
        assert_eq!(
            paths(&serde_json::from_str(&out.stdout).unwrap())[0],
            "app/src/retry.py",
            "{}",
            out.stderr
        );
    }
    let one = world.json(&["search", "--json", "--root", "notes", "when are tomatoes watered"]);
    assert_eq!(paths(&one)[0], "notes/gardening.md");
    let unknown = world.run(&["search", "--root", "nothing", "x"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("wherein list"), "{}", unknown.stderr);

    let list = world.run(&["ls"]);
    assert_eq!(list.stdout.lines().next().unwrap(), format!("{:<24} {}/notes", "notes", root.display()));
    assert_eq!(world.run(&["add", "other/app"]).code, 0);
    let ambiguous = world.run_in(&world.home(), &["rm", "app"]);
    assert_eq!(ambiguous.code, 1);
    assert!(ambiguous.stderr.contains(&format!("{}/other/app", root.display())), "{}", ambiguous.stderr);
    let removed = world.run_in(&world.home(), &["rm", "notes"]);
    assert_eq!(
        (removed.code, &*removed.stdout),
        (
            0,
            &*format!(
                "removed   {}/notes\npurged    2 files from the index\n2 folders remaining\n",
                root.display()
            )
        )
    );
    let gone = world.run_in(&world.home(), &["search", "--json", "--global", "tomatoes"]);
    assert!(!gone.stdout.contains("gardening"), "{}", gone.stdout);
    assert_eq!(world.run(&["remove", "notes"]).code, 1, "not configured any more");
}

#[test]
fn a_folder_that_is_gone_spoils_nothing() {
    let world = corpus();
    assert_eq!(world.run(&["add", "notes", "app"]).code, 0);
    assert_eq!(world.run(&["index", "--global", "--no-wait"]).code, 0);
    fs::remove_dir_all(world.root().join("app")).unwrap();
    let list = world.run(&["list"]);
    assert!(list.stdout.contains("app  (missing on disk)"), "{}", list.stdout);
    let answer = world.run(&["search", "--global", "--json", "when are tomatoes watered"]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    assert_eq!(paths(&serde_json::from_str(&answer.stdout).unwrap())[0], "notes/gardening.md");
    let index = world.run(&["index", "--global", "--no-wait"]);
    assert_eq!(index.code, 3, "{}", index.stderr);

    let all = world.json(&["list", "--all", "--json"]);
    let states: Vec<&str> =
        all["indexes"].as_array().unwrap().iter().map(|i| i["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["folder gone", "corpus"]);
    assert_eq!(
        world.json(&["gc", "--json"])["would_remove"].as_array().unwrap().len(),
        1,
        "asked, it only shows"
    );
    assert_eq!(world.json(&["gc", "--json", "--yes"])["removed"].as_array().unwrap().len(), 1);
    assert_eq!(world.json(&["list", "--all", "--json"])["indexes"].as_array().unwrap().len(), 1);
}

#[test]
fn the_configuration_of_the_program_before_is_taken_over() {
    let world = corpus();
    let file = world.home().join(".config/semantic-search/config.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let before = json!({"rrfK": 60, "defaultRoot": "../../../root/app", "mine": {"z": 1, "a": 2}, "defaultTopK": 1,
        "defaultIgnorePatterns": ["baking*"]});
    fs::write(&file, before.to_string()).unwrap();
    assert_eq!(world.run(&["add", "notes"]).code, 0);
    let after: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(after["mine"], before["mine"], "what nobody knows is kept");
    assert_eq!(after["defaultRoots"], json!(["../../../root/app", world.root().join("notes")]));
    assert_eq!(after.get("defaultRoot"), None);
    let answer = world.json(&["search", "--json", "--global", "--min-score", "0", "dough"]);
    assert_eq!(answer["results"].as_array().unwrap().len(), 1, "defaultTopK");
    assert_eq!(answer["coverage"]["files"], 2, "defaultIgnorePatterns");
    let config = world.run(&["config"]);
    assert!(config.stdout.contains("semantic-search/config.json"), "{}", config.stdout);

    fs::write(&file, "{\"defaultRoots\": 7}").unwrap();
    let wrong = world.run(&["list"]);
    assert!(wrong.code == 1 && wrong.stderr.contains("semantic-search/config.json"), "{}", wrong.stderr);
}

#[test]
fn writers_of_the_configuration_wait_for_each_other() {
    let world = World::new();
    let names: Vec<String> = (0..12).map(|n| format!("folder{n}")).collect();
    for name in &names {
        fs::create_dir(world.root().join(name)).unwrap();
    }
    let children: Vec<_> =
        names.iter().map(|name| world.command(&world.root(), &["add", name]).spawn().unwrap()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(world.json(&["list", "--json"])["roots"].as_array().unwrap().len(), names.len());
}

#[test]
fn a_project_narrows_what_is_indexed_and_has_segments() {
    let world = with_folders(&[
        ("apps/web/src/view.ts", "export function renderRoute() { return 1; }\n"),
        ("apps/web/src/view.test.ts", "test('renders the route', () => renderRoute());\n"),
        ("lib/route.py", "def match_route(path):\n    '''Finds the route of a path.'''\n"),
        ("docs/routes.md", "# Routes\n\nA route leads to a view.\n"),
        (
            "rag.config.json",
            r#"{"segments": [{"name": "web", "root": "apps/web", "include": ["src/**/*.ts"]}, {"name": "lib", "root": "lib"}], "exclude": ["**/*.test.ts"]}"#,
        ),
    ]);
    let answer = world.json(&["search", "--json", "--min-score", "0", "route"]);
    let mut found = paths(&answer);
    found.sort();
    assert_eq!(found, ["root/apps/web/src/view.ts", "root/lib/route.py"]);
    let segments: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|hit| &hit["segment"]).collect();
    assert!(segments.contains(&&json!("web")) && segments.contains(&&json!("lib")), "{segments:?}");
    let web = world.json(&["search", "--json", "--min-score", "0", "--segment", "web", "route"]);
    assert_eq!(paths(&web), ["root/apps/web/src/view.ts"]);
    let unknown = world.run(&["search", "--segment", "api", "route"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("it has web, lib"), "{}", unknown.stderr);
    let why = world.run(&["why", "docs/routes.md"]);
    assert!(why.stdout.contains("rag.config.json: no pattern of include matches"), "{}", why.stdout);
    let status = world.json(&["status", "--json"]);
    assert_eq!(
        status["segments"],
        json!([{"segment": "web", "chunks": 1, "files": 1}, {"segment": "lib", "chunks": 1, "files": 1}])
    );

    // One segment alone is brought up to date; the other stays until it is asked.
    world.write("apps/web/src/view.ts", "export function renderFlower() { return 1; }\n");
    world.write("lib/route.py", "def match_flower(path):\n    pass\n");
    let last = world.run(&["index", "--segment", "web"]);
    let last: Value = serde_json::from_str(last.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["filesProcessed"], 1);
    let status = world.json(&["status", "--json"]);
    assert_eq!((&status["stale"], &status["coverage"]["partial"]), (&json!(true), &json!(false)));
    let found = world.json(&["search", "--json", "match_flower"]);
    assert_eq!(paths(&found)[0], "root/lib/route.py");
    // One that leaves nothing is more likely a slip than a wish; it is said which file does.
    fs::rename(world.root().join("rag.config.json"), world.root().join("rag.config.old")).unwrap();
    world.write(".wherein.toml", "[index]\ninclude = [\"sources/**\"]\n");
    let none = world.run(&["index"]);
    assert!(
        none.code == 1 && none.stderr.contains("its own configuration leaves no file"),
        "{}",
        none.stderr
    );
    fs::remove_file(world.root().join(".wherein.toml")).unwrap();
    fs::rename(world.root().join("rag.config.old"), world.root().join("rag.config.json")).unwrap();
    // From a folder inside, the project is what is asked.
    let inside = world.run_in(&world.root().join("lib"), &["search", "--json", "renderFlower"]);
    assert_eq!(paths(&serde_json::from_str(&inside.stdout).unwrap())[0], "root/apps/web/src/view.ts");
}

#[test]
fn a_project_that_reaches_outside_is_refused() {
    let world = with_folders(&[
        ("a.md", "# A\n\nText.\n"),
        (".rag/config.json", r#"{"vaultPath": "../../home", "embedModel": "http://example.invalid/steal"}"#),
    ]);
    fs::write(world.home().join("secret.md"), "# Secret\n\nThe treasure lies under the oak.\n").unwrap();
    let out = world.run(&["search", "treasure"]);
    assert_eq!(out.code, 1);
    assert!(
        out.stderr.contains(".rag/config.json") && out.stderr.contains("outside the project"),
        "{}",
        out.stderr
    );
}

#[test]
fn each_work_tree_answers_from_itself_and_counts_once() {
    let world = with_folders(&[("main.py", "def shared_name():\n    return 'from main'\n")]);
    world.git(&["init", "-q"]);
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "one"]);
    world.git(&["worktree", "add", "-q", "trees/feature"]);
    world.write("trees/feature/main.py", "def shared_name():\n    return 'from feature'\n");
    let main = world.json(&["search", "--json", "shared_name"]);
    assert_eq!((paths(&main), &main["coverage"]["files"]), (vec!["root/main.py".to_owned()], &json!(1)));
    assert!(main["results"][0]["text"].as_str().unwrap().contains("from main"));
    let tree = world.root().join("trees/feature");
    let feature = world.run_in(&tree, &["search", "--json", "shared_name"]);
    let feature: Value = serde_json::from_str(&feature.stdout).unwrap();
    assert_eq!(feature["results"][0]["root"], json!(tree));
    assert!(feature["results"][0]["text"].as_str().unwrap().contains("from feature"));
    let why = world.run(&["why", "trees/feature/main.py"]);
    assert!(why.stdout.contains(": indexed") && why.stdout.contains("trees/feature"), "{}", why.stdout);

    // A plain folder that holds both counts the repository once.
    let both = world.run_in(&world.home(), &["add", world.root().parent().unwrap().to_str().unwrap()]);
    assert_eq!(both.code, 0, "{}", both.stderr);
    let all = world.run_in(&world.home(), &["search", "--json", "--global", "shared_name"]);
    let all: Value = serde_json::from_str(&all.stdout).unwrap();
    assert_eq!(all["results"].as_array().unwrap().len(), 1, "{all}");
}

#[test]
fn a_folder_of_a_work_tree_is_listed_by_git() {
    let world = with_folders(&[
        ("docs/guide.md", "# Guide\n\nHow to begin.\n"),
        ("docs/out/page.md", "# Page\n\nMade by a machine.\n"),
        ("src/a.py", "def begin():\n    pass\n"),
        (".gitignore", "out/\n"),
    ]);
    world.git(&["init", "-q"]);
    assert_eq!(world.run(&["add", "docs"]).code, 0);
    let answer = world.json(&["search", "--json", "--root", "docs", "--min-score", "0", "begin page"]);
    assert_eq!((paths(&answer), &answer["coverage"]["files"]), (vec!["docs/guide.md".to_owned()], &json!(1)));
}

#[test]
fn the_page_of_keys_is_true() {
    let page = World::new().run(&["config", "--keys"]).stdout;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    assert_eq!(fs::read_to_string(file).unwrap(), page, "wherein config --keys > docs/configuration.md");
}

#[test]
fn the_doctor_names_what_mends() {
    let world = corpus();
    assert_eq!(world.run(&["add", "notes", "app"]).code, 0);
    assert_eq!(world.run(&["index", "--global"]).code, 0);
    let well = world.json(&["doctor", "--json"]);
    let all = well["checks"].as_array().unwrap();
    assert!(all.len() >= 5 && all.iter().all(|check| check["state"] == "good"), "{well:#}");

    // A file of the index is another; a folder is gone.
    let notes = world.json(&["status", "--json", "notes"]);
    let epoch = Path::new(notes["index"].as_str().unwrap()).join("e000001");
    let names = fs::read_dir(&epoch).unwrap().map(|entry| entry.unwrap().path());
    let chunks = names.into_iter().find(|path| path.to_str().unwrap().contains("/chunks-")).unwrap();
    let mut bytes = fs::read(&chunks).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&chunks, bytes).unwrap();
    fs::remove_dir_all(world.root().join("app")).unwrap();
    let ill = world.run(&["doctor", "--json"]);
    assert_eq!(ill.code, 3, "{}", ill.stderr);
    let ill: Value = serde_json::from_str(&ill.stdout).unwrap();
    let repairs: Vec<&str> =
        ill["checks"].as_array().unwrap().iter().filter_map(|c| c["repair"].as_str()).collect();
    let root = world.root();
    let (remove, index) =
        (format!("wherein remove {}/app", root.display()), format!("wherein index {}/notes", root.display()));
    assert_eq!(repairs, [remove.as_str(), "wherein gc --yes", index.as_str()]);
    // Each of them does.
    for repair in repairs {
        let args: Vec<&str> = repair.split(' ').skip(1).collect();
        assert_eq!(world.run(&args).code, 0, "{repair}");
    }
    assert_eq!(world.run(&["doctor"]).code, 0);
}

#[test]
fn a_search_that_has_no_time_says_so() {
    let world = corpus();
    world.index();
    world.write("notes/new.md", "# New\n\nA numbat eats termites.\n");
    let mut command = world.command(&world.root(), &["search", "--json", "numbat"]);
    let output = command.env("WHEREIN_REFRESH_MS", "0").output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["coverage"]["unchecked"], json!(true), "{answer}");
    let mut command = world.command(&world.root(), &["search", "numbat"]);
    let output = command.env("WHEREIN_REFRESH_MS", "0").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("no time to look for changes"));
    assert_eq!(paths(&world.json(&["search", "--json", "numbat"]))[0], "root/notes/new.md");
}

/// H3: secrets by what they hold, in a visible count; code that speaks of them stays.
#[test]
fn secrets_are_left_out_and_code_about_them_is_not() {
    let token = format!("gh{}_{}", "p", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let world = with_folders(&[
        ("deploy/values.yaml", &*format!("github:\n  api_key_token: {token}\n")),
        (".env", "API_KEY_TOKEN=1234\n"),
        (".npmrc", "//registry/:_authToken=1234\n"),
        (
            "internal/secrets/router.go",
            "package secrets\n\n// RouteToken routes an api key token.\nfunc RouteToken() {}\n",
        ),
    ]);
    let answer = world.json(&["search", "--json", "--min-score", "0", "api key token"]);
    assert_eq!(paths(&answer), ["root/internal/secrets/router.go"]);
    assert_eq!(answer["coverage"]["skipped"]["secret"], 3);
    assert!(world.run(&["why", "deploy/values.yaml"]).stdout.contains("holds credentials"));
}
