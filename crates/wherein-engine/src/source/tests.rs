use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

fn write(root: &Path, path: &str, content: &str) {
    let full = root.join(path);
    fs::create_dir_all(full.parent().unwrap()).unwrap();
    fs::write(full, content).unwrap();
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn listed(root: &Path) -> BTreeSet<String> {
    let config = Config::new(root.join("no-data"));
    list(root, &config).unwrap().files.into_iter().map(|f| f.path).collect()
}

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|p| (*p).to_owned()).collect()
}

#[test]
fn git_decides_inside_a_work_tree() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "-q"]);
    for path in [
        "src/a.rs",
        "vendor/dep/b.go",
        "build/kept.c",
        "x/build/kept.c",
        "out/secret.txt",
        ".github/workflows/x.yml",
        "***/s.txt",
        "[a]/b.txt",
        "!c/d.txt",
    ] {
        write(root, path, "text\n");
    }
    write(root, ".gitignore", "out/\nbuild/\n!/x/build/\n");
    git(root, &["add", "-A", "-f", "vendor", "build"]);
    write(root, "untracked.md", "text\n");
    let theirs: BTreeSet<String> =
        git(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .split('\0')
            .filter(|p| !p.is_empty())
            .map(str::to_owned)
            .collect();
    assert_eq!(listed(root), theirs);
    assert!(
        theirs.contains("vendor/dep/b.go")
            && theirs.contains("x/build/kept.c")
            && !theirs.contains("out/secret.txt")
    );
}

#[test]
fn nested_repositories_and_submodules_go_by_their_own_rules() {
    let dir = tempfile::tempdir().unwrap();
    let (root, other) = (dir.path().join("main"), dir.path().join("other"));
    for repo in [&root, &other] {
        fs::create_dir(repo).unwrap();
        git(repo, &["init", "-q"]);
    }
    write(&other, "lib.py", "x = 1\n");
    git(&other, &["add", "."]);
    git(&other, &["commit", "-qm", "one"]);
    write(&root, "a.txt", "a\n");
    git(&root, &["submodule", "add", "-q", other.to_str().unwrap(), "sub"]);
    let nested = root.join("nested");
    fs::create_dir(&nested).unwrap();
    git(&nested, &["init", "-q"]);
    write(&nested, "n.rs", "fn n() {}\n");
    write(&nested, "ignored.log", "x\n");
    write(&nested, ".gitignore", "*.log\n");
    git(&nested, &["add", "."]);
    git(&nested, &["commit", "-qm", "one"]);
    assert_eq!(
        listed(&root),
        set(&[".gitmodules", "a.txt", "nested/.gitignore", "nested/n.rs", "sub/lib.py"])
    );
}

#[test]
fn a_conflicted_file_is_listed_once() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "-q"]);
    write(root, "f.txt", "base\n");
    git(root, &["add", "."]);
    git(root, &["commit", "-qm", "base"]);
    git(root, &["checkout", "-qb", "side"]);
    write(root, "f.txt", "side\n");
    git(root, &["commit", "-qam", "side"]);
    git(root, &["checkout", "-q", "main"]);
    write(root, "f.txt", "main\n");
    git(root, &["commit", "-qam", "main"]);
    let merge = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "merge", "side"])
        .current_dir(root)
        .output();
    assert!(!merge.unwrap().status.success());
    let files = list(root, &Config::new(root.join("d"))).unwrap().files;
    assert_eq!(files.iter().filter(|f| f.path == "f.txt").count(), 1);
}

#[test]
fn a_broken_repository_is_an_error_and_never_a_plain_walk() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), ".git/HEAD", "nonsense");
    write(dir.path(), "secret.txt", "x\n");
    assert!(matches!(list(dir.path(), &Config::new("d")), Err(Error::Git { .. })));
}

#[test]
fn a_repository_cannot_make_git_run_a_program() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "-q"]);
    let mark = root.join("ran");
    git(root, &["config", "core.fsmonitor", &format!("touch {}; false", mark.display())]);
    write(root, "a.txt", "a\n");
    listed(root);
    assert!(!mark.exists());
}

#[test]
fn elsewhere_the_walk_honours_ignore_files_and_skips_build_output() {
    let dir = tempfile::tempdir().unwrap();
    let root = &dir.path().join("build/.cache/proj");
    for path in [
        "src/a.rs",
        "node_modules/x/i.js",
        "build/out.txt",
        "sub/skip.me",
        "sub/deep/keep.txt",
        ".github/w.yml",
        "logs/a.log",
    ] {
        write(root, path, "text\n");
    }
    write(root, ".gitignore", "*.log\n");
    write(root, "sub/.indexignore", "skip.*\n");
    assert_eq!(listed(root), set(&[".github/w.yml", ".gitignore", "src/a.rs", "sub/deep/keep.txt"]));
    let repository = root.join("repo");
    fs::create_dir_all(&repository).unwrap();
    git(&repository, &["init", "-q"]);
    write(&repository, "build/kept.txt", "text\n");
    write(&repository, "dropped.tmp", "text\n");
    write(&repository, ".gitignore", "*.tmp\n");
    assert!(listed(root).contains("repo/build/kept.txt") && !listed(root).contains("repo/dropped.tmp"));
}

#[test]
fn indexignore_works_inside_git_at_any_depth_with_negation() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "-q"]);
    for path in ["a.gen", "keep.gen", "sub/b.gen", "sub/c.txt", "big/x/y.txt"] {
        write(root, path, "text\n");
    }
    write(root, ".indexignore", "*.gen\n!keep.gen\nbig/\n");
    write(root, "sub/.indexignore", "!b.gen\nc.txt\n");
    assert_eq!(listed(root), set(&["keep.gen", "sub/b.gen"]));
    let config = Config::new(root.join("d"));
    assert!(index_ignored(root, "big/x/y.txt", &config).unwrap().unwrap().contains("big/"));
    assert_eq!(index_ignored(root, "keep.gen", &config).unwrap(), None);
}

#[test]
fn the_users_ignore_file_holds_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "root/a.snap", "x\n");
    write(dir.path(), "root/b.txt", "x\n");
    write(dir.path(), "ignore", "*.snap\n");
    let config = Config { user_ignore: Some(dir.path().join("ignore")), ..Config::new(dir.path().join("d")) };
    let files = list(&dir.path().join("root"), &config).unwrap().files;
    assert_eq!(files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), ["b.txt"]);
}

#[cfg(unix)]
#[test]
fn links_pipes_and_sockets_are_left_alone() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(root, "real/a.txt", "x\n");
    symlink("/etc", root.join("etc")).unwrap();
    symlink(root, root.join("real/loop")).unwrap();
    symlink(root.join("real/a.txt"), root.join("file-link")).unwrap();
    symlink("nowhere", root.join("broken")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    assert_eq!(listed(root), set(&["real/a.txt"]));
    // Put in the place of a listed file it is not opened either.
    assert!(read(&root.join("pipe"), 100).is_err());
    assert!(read(&root.join("file-link"), 100).is_err());
    let in_git = tempfile::tempdir().unwrap();
    git(in_git.path(), &["init", "-q"]);
    symlink("/etc/passwd", in_git.path().join("link")).unwrap();
    write(in_git.path(), "a.txt", "x\n");
    assert_eq!(listed(in_git.path()), set(&["a.txt"]));
}

#[test]
fn each_skip_has_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    write(root, "empty.txt", " \n\t\n");
    fs::write(root.join("elf"), b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0").unwrap();
    write(root, "key", "-----BEGIN RSA PRIVATE KEY-----\nabc\n");
    write(root, "large.txt", &"x ".repeat(600));
    let reason = |name: &str| read(&root.join(name), 1000).unwrap().text.map(|_| ()).unwrap_err();
    assert_eq!(reason("empty.txt"), SkipReason::Empty);
    assert_eq!(reason("elf"), SkipReason::Binary);
    assert_eq!(reason("key"), SkipReason::Secret);
    assert_eq!(reason("large.txt"), SkipReason::TooLarge);
    assert_eq!(skip_by_name("a/.env"), Some(SkipReason::Secret));
    assert_eq!(skip_by_name("a/logo.png"), Some(SkipReason::Binary));
    assert_eq!(skip_by_name("internal/secrets/router.go"), None);
}

#[test]
fn a_change_within_the_clock_tick_of_the_last_look_is_doubted() {
    let stat = Stat { size: 3, mtime: 1_000_000_000, ctime: 1_000_000_000, inode: 7 };
    let listing =
        || Listing { files: vec![Found { path: "a".into(), stat, skip: None }], ..Listing::default() };
    let known = |path| std::iter::once(Known { path, stat, skip: None });
    assert_eq!(compare(listing(), known("a"), 2_000_000_000).unchanged, [0]);
    assert_eq!(compare(listing(), known("a"), 1_000_000_001).pending.len(), 1);
    let moved = compare(listing(), known("b"), 2_000_000_000);
    assert_eq!((moved.pending.len(), moved.removed.as_slice()), (1, &[0][..]));
}

#[test]
fn home_and_the_top_of_the_file_system_are_refused() {
    assert!(check_root(Path::new("/"), None).is_err());
    assert!(check_root(Path::new("/home/u"), Some(Path::new("/home/u"))).is_err());
    assert!(check_root(Path::new("/home/u/x"), Some(Path::new("/home/u"))).is_ok());
}

#[test]
fn what_lies_in_a_closed_folder_is_not_named_beside_it() {
    let named = ["locked/in/deep", "locked", "locked-x", "open/c", "locked/in"];
    let mut closed: Vec<_> = named.map(|path| (path.to_owned(), String::new())).to_vec();
    keep_outermost(&mut closed);
    let paths: Vec<&str> = closed.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["locked", "locked-x", "open/c"]);
}
