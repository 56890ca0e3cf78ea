//! An index that is not as it was written never answers, and is built anew beside itself.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be written fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use wherein_engine::{Cancel, Config, Engine, Event, Options, Query};

fn engine(folder: &Path) -> Engine {
    let root = folder.join("root");
    fs::create_dir_all(&root).unwrap();
    for i in 0..40 {
        let text = format!("def step_{i}(x):\n    '''Does step {i} of the job.'''\n    return x + {i}\n");
        fs::write(root.join(format!("job{i}.py")), text).unwrap();
        fs::write(
            root.join(format!("note{i}.md")),
            format!("# Note {i}\n\nStep {i} comes after the others.\n"),
        )
        .unwrap();
    }
    Engine::open(root, Config::new(folder.join("data"))).unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { out.extend(files(&path)) } else { out.push(path) }
    }
    out.sort();
    out
}

fn first(engine: &Engine) -> String {
    engine.search(&Query::new("step_7")).unwrap().results[0].path.clone()
}

#[test]
fn a_flipped_byte_anywhere_is_found_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let options = Options { deep: true, ..Options::default() };
    engine.index(&options, &Cancel::new(), &mut |_| {}).unwrap();
    // Locks hold nothing, nothing depends on what is noted of the last use and run; of the list of files that may be deleted tantivy makes a new one.
    let is_data = |file: &PathBuf| {
        let name = file.file_name().unwrap().to_str().unwrap();
        !name.contains("lock") && name != ".managed.json" && name != "used" && name != "last-run"
    };
    // `current`, the parts of a segment of the postings by their endings, our own files by their first letters.
    let kind = |file: &Path| match file.extension() {
        Some(extension) => extension.to_str().unwrap().to_owned(),
        None => file.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().to_owned(),
    };
    let all = || files(engine.index_dir()).into_iter().filter(is_data).collect::<Vec<_>>();
    let kinds: std::collections::BTreeSet<String> = all().iter().map(|file| kind(file)).collect();
    assert!(kinds.len() >= 10, "{kinds:?}");
    for name in kinds {
        // Epochs are numbered on by every repair.
        let all = all();
        let file = all.iter().find(|file| kind(file) == name).unwrap();
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        fs::write(file, bytes).unwrap();
        // tantivy's meta file has words that mean nothing to it; everything else is under a checksum.
        let Err(error) = engine.snapshot() else {
            assert!(file.ends_with("meta.json"), "{} answers", file.display());
            assert_eq!(first(&engine), "job7.py");
            continue;
        };
        assert!(matches!(error.kind(), "damaged" | "storage"), "{name}: {error}");
        let mut rebuilt = false;
        let mut note = |event: Event<'_>| rebuilt |= matches!(event, Event::Rebuilding { .. });
        engine.index(&options, &Cancel::new(), &mut note).unwrap();
        assert!(rebuilt, "{name}: said so");
        assert_eq!(first(&engine), "job7.py", "{name}");
    }
}

#[test]
fn a_file_cut_short_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    engine.index(&Options::default(), &Cancel::new(), &mut |_| {}).unwrap();
    for prefix in ["files-", "chunks-"] {
        let all = files(engine.index_dir());
        let file =
            all.iter().find(|file| file.file_name().unwrap().to_str().unwrap().starts_with(prefix)).unwrap();
        let bytes = fs::read(file).unwrap();
        fs::write(file, &bytes[..bytes.len() - 9]).unwrap();
        assert_eq!(engine.snapshot().err().unwrap().kind(), "damaged");
        engine.index(&Options::default(), &Cancel::new(), &mut |_| {}).unwrap();
        assert_eq!(first(&engine), "job7.py");
    }
}

#[test]
fn an_unmounted_disk_is_believed_by_no_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    engine.index(&Options::default(), &Cancel::new(), &mut |_| {}).unwrap();
    for file in files(engine.root()) {
        fs::remove_file(file).unwrap();
    }
    let rebuild = Options { rebuild: true, ..Options::default() };
    assert_eq!(engine.index(&rebuild, &Cancel::new(), &mut |_| {}).unwrap_err().kind(), "refused");
    let believed = Options { prune_empty: true, ..rebuild };
    assert_eq!(engine.index(&believed, &Cancel::new(), &mut |_| {}).unwrap().coverage.files, 0);
}
