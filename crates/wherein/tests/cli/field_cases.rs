//! What users of such tools hit in the field, as inputs with their right outcome. Names follow the kinds of fault.

use std::fs;
use std::process::Stdio;

use crate::world::World;

/// Query text is never syntax: terms with any punctuation find the text that holds them.
#[test]
fn query_text_is_never_syntax() {
    let world = World::new();
    world.write("a.md", "# Notes\n\nWe told @nasa about #tag and a=b and foo&bar, since it's x\\y with [br] or a,b. But why? At 50% we look at gateway/run.py again.\n");
    world.write("b.md", "# Versions\n\nThe real-time mode of parse_args came with 2026.4.10 and \"1.0.21\" of the tool, foo-bar included.\n");
    world.write("c.py", "def unrelated():\n    return None\n");
    for (query, file) in [
        ("@nasa", "a.md"),
        ("#tag", "a.md"),
        ("a=b", "a.md"),
        ("foo&bar", "a.md"),
        ("it's", "a.md"),
        ("x\\y", "a.md"),
        ("[br]", "a.md"),
        ("a,b", "a.md"),
        ("why?", "a.md"),
        ("50%", "a.md"),
        ("gateway/run.py", "a.md"),
        ("real-time", "b.md"),
        ("parse_args", "b.md"),
        ("2026.4.10", "b.md"),
        ("\"1.0.21\"", "b.md"),
        ("foo-bar OR \"", "b.md"),
    ] {
        assert!(world.found(query).iter().any(|p| p == file), "{query}: {:?}", world.found(query));
    }
    for query in [
        "\"",
        "*",
        "NEAR(",
        "col:",
        "???",
        "   ",
        "-",
        "--",
        "a AND",
        "(((",
        "\u{0}x".trim_start_matches('\u{0}'),
    ] {
        let out = world.run(&["search", "--json", "--", query]);
        assert_eq!(out.code, 0, "{query:?}: {} {}", out.stdout, out.stderr);
    }
}

#[test]
fn a_log_line_is_found_verbatim_and_with_a_word_added() {
    let world = World::with_sample();
    world.write("src/pay.dart", "void charge() {\n  // ERR_ZORBLATT_7741 is what the terminal shows\n  throw StateError('payment terminal refused the card: code 7741');\n}\n");
    world.write(
        "vendor/copy/pay.dart",
        "void charge() {\n  throw StateError('payment terminal refused the card: code 7741');\n}\n",
    );
    world.git(&["init", "-q"]);
    for query in [
        "payment terminal refused the card: code 7741",
        "payment terminal refused the card: code 7741 yesterday",
        "ERR_ZORBLATT_7741",
    ] {
        assert_eq!(world.found(query)[0], "src/pay.dart", "{query}");
    }
}

#[test]
fn both_unicode_forms_find_both_files() {
    let world = World::new();
    world.write("größen.md", "# Größen\n\nAlle Größen in Metern.\n");
    world.write("gro\u{308}\u{df}en2.md", "# Gro\u{308}ßen\n\nAlle Gro\u{308}ßen in Fuß.\n");
    for query in ["Größen", "Gro\u{308}ßen"] {
        assert_eq!(world.found(query).len(), 2, "{query}");
    }
    for glob in ["größen*.md", "gro\u{308}\u{df}en*.md"] {
        let answer = world.json(&["search", "--json", "--path", glob, "Größen"]);
        assert_eq!(answer["results"].as_array().unwrap().len(), 2, "{glob}");
    }
}

#[test]
fn encodings_are_read_and_binaries_are_not() {
    let world = World::new();
    let text = "public class Quokka { /* marsupial of Rottnest */ }\r\n";
    let utf16 = |le: bool, mark: bool| -> Vec<u8> {
        let mark = if mark { "\u{feff}" } else { "" };
        format!("{mark}{text}")
            .encode_utf16()
            .flat_map(|u| if le { u.to_le_bytes() } else { u.to_be_bytes() })
            .collect()
    };
    for (name, le, mark) in
        [("a.cs", true, true), ("b.cs", false, true), ("c.ps1", true, false), ("d.ps1", false, false)]
    {
        world.write(name, utf16(le, mark));
    }
    world.write(
        "e.txt",
        format!("\u{feff}{text}").chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>(),
    );
    world.write("latin.c", b"// caf\xe9 au lait\nint quokka;\n");
    world.write("elf", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0quokka\0\0");
    let found = world.found("quokka");
    for name in ["a.cs", "b.cs", "c.ps1", "d.ps1", "e.txt", "latin.c"] {
        assert!(found.iter().any(|p| p == name), "{name}: {found:?}");
    }
    assert!(!found.iter().any(|p| p == "elf"));
    assert_eq!(world.found("café"), ["latin.c"]);
}

#[test]
fn lines_equal_greps_whatever_ends_them() {
    let world = World::new();
    world.write("a.txt", "\u{feff}one\r\ntwo\rstill two\r\nthree\nfour quokka\n");
    let answer = world.json(&["search", "--json", "quokka"]);
    let hit = &answer["results"][0];
    assert_eq!((hit["start_line"].as_u64(), hit["end_line"].as_u64()), (Some(1), Some(4)));
}

#[test]
fn names_that_collide_elsewhere_do_not_here() {
    let world = World::new();
    for (name, word) in [
        ("a b.md", "quokka"),
        ("a_b.md", "wombat"),
        ("README.md", "numbat"),
        ("readme.md", "bilby"),
        ("🦘.md", "wallaby"),
    ] {
        world.write(name, format!("# Animals\n\nAll about the {word}.\n"));
    }
    for (word, name) in [
        ("quokka", "a b.md"),
        ("wombat", "a_b.md"),
        ("numbat", "README.md"),
        ("bilby", "readme.md"),
        ("wallaby", "🦘.md"),
    ] {
        assert_eq!(world.found(word), [name], "{word}");
    }
}

#[test]
fn a_deletion_and_a_move_are_seen() {
    let world = World::with_sample();
    assert_eq!(world.found("retry_with_backoff")[0], "src/retry.py");
    fs::rename(world.root().join("src/session_cache.py"), world.root().join("src/retry.py")).unwrap();
    assert_eq!(world.found("SessionCache")[0], "src/retry.py");
    assert!(world.found("retry_with_backoff").is_empty());
}

#[test]
fn a_message_of_common_words_is_found_where_it_stands() {
    let world = World::new();
    // Every word of it is everywhere, and some passages hold all of them.
    for i in 'a'..='y' {
        world.write(&format!("src/flush_{i}.py"), format!("def flush_queue_{i}(queue):\n    '''Completed when the queue is flushed; before, it is drained.'''\n    flush = queue.drained\n    return flush.completed('{i}')\n"));
    }
    world.write("src/writer.py", "def stop(writer, name, count):\n    if count:\n        raise RuntimeError(f'{count} items of queue {name} drained before flush completed')\n    writer.close()\n");
    world.write("tests/test_writer.py", "def test_stop(writer):\n    with raises(match='items of queue q drained before flush completed'):\n        writer.stop()\n");
    for query in [
        "drained before flush completed",
        "RuntimeError: 3 items of queue jobs drained before flush completed",
        "2026-11-29T12:00:01Z ERROR [worker-3] 17 items of queue jobs drained before flush completed",
    ] {
        assert_eq!(world.found(query)[0], "src/writer.py", "{query}: {:?}", world.found(query));
    }
}

/// A further passage of a file costs places, but a reader who looks for lines wants the best two of a file rather than the tenth
/// file: docs/measurements.md, "Ranking".
#[test]
fn a_page_is_not_filled_by_one_file() {
    let world = World::new();
    let many: String = (0..200).map(|i| format!("def handle_request_{i}(request):\n    '''Handles a request from the queue.'''\n    return request.handle({i}) + request.queue\n\n")).collect();
    world.write("big.py", many);
    for i in 0..5 {
        world.write(
            &format!("other{i}.py"),
            format!("def queue_request_{i}(request):\n    return request.queue\n"),
        );
    }
    let found = world.found("handle a request from the queue");
    assert_eq!(found[..8].iter().collect::<std::collections::HashSet<_>>().len(), 6, "{found:?}");
}

#[test]
fn hard_inputs_end_and_are_still_searchable() {
    let world = World::new();
    world.write("deep.c", format!("// quokka\n{}", "{".repeat(100_000)));
    world.write("deep.json", "[".repeat(100_000));
    world.write("parens.js", format!("// wombat\nx = {}", "(".repeat(100_000)));
    world.write(
        "long.js",
        (0..2000).map(|i| format!("function numbat{i}(a){{return a+{i}}}")).collect::<String>(),
    );
    world.write(
        "list.md",
        (0..2000).map(|i| format!("{}- bilby\n", "  ".repeat(i.min(60)))).collect::<String>(),
    );
    let out = world.run(&["index"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert_eq!(world.found("quokka")[0], "deep.c");
    assert_eq!(world.found("numbat1234")[0], "long.js");
}

#[test]
fn two_writers_and_many_readers_do_not_disturb_each_other() {
    let world = World::with_sample();
    for i in 0..60 {
        world.write(
            &format!("pkg/m{i}.py"),
            format!("def worker_{i}():\n    '''Takes jobs from queue {i}.'''\n    return {i}\n"),
        );
    }
    let start = |args: &[&str]| {
        world.command(&world.root(), args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let writers: Vec<_> = (0..2).map(|_| start(&["index", "--lock-wait", "60"])).collect();
    let readers: Vec<_> = (0..8).map(|_| start(&["search", "--json", "retry_with_backoff"])).collect();
    for child in writers.into_iter().chain(readers) {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(world.json(&["status", "--json"])["coverage"]["files"], 64);
}

#[test]
fn a_worktree_answers_from_itself() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    world.git(&["add", "."]);
    world.git(&["commit", "-qm", "one"]);
    world.git(&["worktree", "add", "-q", "../tree"]);
    let tree = world.root().parent().unwrap().join("tree");
    fs::write(tree.join("src/retry.py"), "def quokka_only_here():\n    return 1\n").unwrap();
    let out = world.run_in(&tree, &["search", "--json", "quokka_only_here"]);
    assert!(
        out.stdout.contains("\"path\":\"src/retry.py\"") && out.stdout.contains("/tree\""),
        "{}",
        out.stdout
    );
    assert!(world.found("quokka_only_here").is_empty());
}

#[cfg(unix)]
#[test]
fn a_read_only_index_answers() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with_sample();
    world.index();
    let data = world.home().join(".local/share/wherein");
    let mut folders = vec![data];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                fs::set_permissions(&entry, fs::Permissions::from_mode(0o444)).unwrap();
            }
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    }
    assert_eq!(world.found("retry_with_backoff")[0], "src/retry.py");
}

/// D7: where the data folder can't be written, the project takes the index, said once; git and the index itself do not see it.
#[test]
fn without_a_writable_home_the_index_is_kept_in_the_project() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    let run = |args: &[&str]| {
        let mut command = world.command(&world.root(), args);
        let output = command.env("WHEREIN_DATA_DIR", "/dev/null/indexes").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (first, said) = run(&["search", "retry_with_backoff", "-l"]);
    assert!(first.starts_with("src/retry.py"), "{first}");
    assert!(said.contains("can't be written") && said.contains("root/.wherein"), "{said}");
    let (second, said) = run(&["search", "retry_with_backoff", "-l"]);
    assert_eq!(first, second);
    assert!(!said.contains("can't be written"), "{said}");
    assert!(run(&["list", "--all"]).0.contains(&world.root().display().to_string()));
    let seen =
        std::process::Command::new("git").args(["status", "--short"]).current_dir(world.root()).output();
    assert!(!String::from_utf8(seen.unwrap().stdout).unwrap().contains(".wherein"));
    assert!(
        run(&["search", "gitignore", "-l", "--min-score", "0"])
            .0
            .lines()
            .all(|path| !path.starts_with(".wherein"))
    );
}

/// D3: twenty indexers of one fresh folder at once; each waits its turn, and the index is whole.
#[test]
fn twenty_indexers_at_once_make_one_index() {
    let world = World::with_sample();
    let begin = |_| {
        let mut command = world.command(&world.root(), &["index", "--no-wait", "--lock-wait", "120"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..20).map(begin).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let status = world.json(&["status", "--json"]);
    assert_eq!((&status["coverage"]["files"], &status["stale"]), (&4.into(), &false.into()), "{status}");
    assert_eq!(world.found("retry_with_backoff")[0], "src/retry.py");
}

/// Of a folder that can't be read nothing is known: what the index holds of it is kept, named as unreadable, and not shown.
#[cfg(unix)]
#[test]
fn a_closed_folder_is_neither_forgotten_nor_shown() {
    use std::os::unix::fs::PermissionsExt;
    for with_git in [false, true] {
        let world = World::with_sample();
        world.write("closed/inner/quokka.py", "def feed_quokka():\n    pass\n");
        if with_git {
            world.git(&["init", "-q"]);
            world.git(&["add", "src", "closed"]);
        }
        world.index();
        let closed = world.root().join("closed");
        let mode = |mode| fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o000);
        let bound = |args: &[&str]| {
            let out = world.run_bound(args);
            (out.code, serde_json::from_str::<serde_json::Value>(&out.stdout).unwrap_or_default(), out.stderr)
        };
        let (code, last, _) = bound(&["index", "--json", "--no-wait"]);
        assert_eq!((code, &last["filesDeleted"]), (3, &0.into()), "{last}");
        assert_eq!(last["roots"][0]["failed"][0]["path"], "closed", "{last}");
        let (_, answer, said) = bound(&["search", "--json", "--min-score", "0", "feed_quokka"]);
        let hits = answer["results"].as_array().unwrap();
        assert!(hits.iter().all(|hit| hit["path"] != "closed/inner/quokka.py"), "{answer}");
        assert!(said.contains("closed could not be read"), "{said}");
        let (_, status, _) = bound(&["status", "--json"]);
        assert_eq!(
            (&status["unreadable"][0], &status["stale"]),
            (&"closed".into(), &false.into()),
            "{status}"
        );
        assert_eq!(status["coverage"]["files"], 5);
        let (_, why, _) = bound(&["why", "--json", "closed/inner/quokka.py"]);
        assert!(why["reason"].as_str().unwrap().contains("can't be read"), "{why}");
        mode(0o755);
        assert_eq!(world.found("feed_quokka")[0], "closed/inner/quokka.py");
        assert_eq!(world.json(&["status", "--json"])["unreadable"], serde_json::json!([]));
    }
}

/// D6: the project that an agent's client names, for a process that was begun elsewhere; inside of it the current folder says.
#[test]
fn the_clients_project_is_asked_from_elsewhere() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    let elsewhere = world.home();
    let first = |folder: &std::path::Path| {
        let mut command = world.command(folder, &["search", "-l", "retry_with_backoff"]);
        let output = command.env("CLAUDE_PROJECT_DIR", world.root()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or_default().to_owned()
    };
    assert!(first(&elsewhere).ends_with("src/retry.py"));
    assert!(first(&world.root().join("src")).ends_with("retry.py"));
}

/// Lines of indexed files only: whatever ends them, with context and globs; what is ignored or secret is not read.
#[test]
fn grep_reads_what_is_indexed_and_nothing_else() {
    let world = World::with_sample();
    world.git(&["init", "-q"]);
    world.write(".gitignore", "out/\n");
    world.write("out/log.txt", "retry in a log\n");
    world.write(".env", "RETRY_TOKEN=1\n");
    world.write("src/windows.txt", "one\r\nretry at the end\r\ntwo\r\n");
    let lines = |args: &[&str]| {
        let out = world.run(&[&["grep"], args].concat());
        assert_eq!(out.code, 0, "{}", out.stderr);
        out.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let found = lines(&["retry"]);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found.contains(&"src/retry.py:4:def retry_with_backoff(call, attempts=5):".to_owned()),
        "{found:?}"
    );
    assert_eq!(lines(&["end$"]), ["src/windows.txt:2:retry at the end"]);
    assert_eq!(lines(&["-s", "RETRY"]), [""; 0]);
    assert_eq!(lines(&["-F", "attempts=5)", "-l"]), ["src/retry.py"]);
    assert_eq!(
        lines(&["retry", "--path", "docs/**"]),
        ["docs/deploy.md:7:Put the previous image back and retry the health check."]
    );
    assert_eq!(
        lines(&["at the", "src", "-C", "1"]),
        ["src/windows.txt-1-one", "src/windows.txt:2:retry at the end", "src/windows.txt-3-two", "--"]
    );
    let answer = world.json(&["grep", "--json", "-m", "1", "retry"]);
    assert_eq!((&answer["total"], answer["matches"].as_array().unwrap().len()), (&3.into(), 1), "{answer}");
    let bad = world.run(&["grep", "retry("]);
    assert!(bad.code == 1 && bad.stderr.contains("retry("), "{}", bad.stderr);
}
