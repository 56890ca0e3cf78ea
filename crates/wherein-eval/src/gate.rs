//! The gates of CI: small truth sets of the project about corpora it can always get. Ranks are committed for corpora that the
//! lock file pins; every set has a least figure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use wherein_engine::{Cancel, Config, Engine, Options, Query, Scope};
use wherein_eval::compare::ranks;
use wherein_eval::figures::Figures;
use wherein_eval::judge::Judged;
use wherein_eval::run::Place;
use wherein_eval::truth;

use crate::say;

/// Where the sets lie in a checkout.
const TRUTH: &str = "crates/wherein-eval/truth";
/// The committed ranks.
const RANKS: &str = "crates/wherein-eval/truth/ranks.tsv";

/// Sets over this repository's own tree: least NDCG@10, least share of right "nothing", glob. Its ranks move with its code.
const OWN: &[(&str, f64, f64, Option<&str>)] =
    &[("self.json", 0.80, 1.0, None), ("handbook.json", 0.50, 0.6, Some("*.md"))];
/// Least NDCG@10 over the sets of the crates together, least share of right "nothing".
const CRATES: (f64, f64) = (0.50, 0.25);
/// Least NDCG@10 over the error messages of the crates.
const MESSAGES: f64 = 0.80;

/// Runs every gate; `update` writes the ranks instead of comparing them.
pub(crate) fn run(root: &Path, update: bool) -> anyhow::Result<bool> {
    let data = tempfile::tempdir()?;
    let mut good = true;
    for (set, least, least_absent, glob) in OWN {
        let scope = Scope { globs: glob.iter().map(|g| (*g).to_owned()).collect(), ..Scope::default() };
        let judged = ask(&root.join(TRUTH).join(set), root, data.path(), scope)?;
        good &= passes(set, &Figures::of(&judged), *least, *least_absent);
        for one in judged.iter().filter(|j| j.ndcg.is_some_and(|n| n < 0.5) || j.absent == Some(false)) {
            say(&format!("     {:?} at {}, first {}", one.query, rank(one), first(one)));
        }
    }
    let (mut all, mut messages) = (Vec::new(), Vec::new());
    let mut lines =
        String::from("# set\tquery\tranks of its targets; written by `wherein-eval gate . --update`\n");
    for (name, folder) in crates(root)? {
        for (folder_of_sets, judged_so_far) in [("crates", &mut all), ("messages", &mut messages)] {
            let set = root.join(TRUTH).join(folder_of_sets).join(format!("{name}.json"));
            let judged = ask(&set, &folder, data.path(), Scope::default())?;
            for one in &judged {
                lines += &format!("{name}\t{}\t{}\n", one.query, rank(one));
            }
            judged_so_far.extend(judged);
        }
    }
    good &= passes("crates", &Figures::of(&all), CRATES.0, CRATES.1);
    good &= passes("messages", &Figures::of(&messages), MESSAGES, 0.0);
    let file = root.join(RANKS);
    if update {
        std::fs::write(&file, lines).with_context(|| format!("write {}", file.display()))?;
        return Ok(good);
    }
    let committed = std::fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))?;
    Ok(good & same(&committed, &lines))
}

/// The ranks of a question's targets; where nothing should be found, what was.
fn rank(judged: &Judged) -> String {
    if judged.absent.is_some() { first(judged) } else { ranks(&judged.ranks) }
}

fn first(judged: &Judged) -> String {
    judged.page.first().map_or_else(|| "nothing".to_owned(), |hit| format!("{}:{}", hit.path, hit.lines.0))
}

fn passes(name: &str, figures: &Figures, least: f64, least_absent: f64) -> bool {
    let (silent, absent) = figures.absent;
    let good = figures.ndcg10 >= least && silent as f64 >= least_absent * absent as f64;
    say(&format!(
        "{} {name}: {} queries, NDCG@10 {:.4} (least {least}), hit@5 {:.3}, nothing {silent}/{absent}",
        if good { "pass" } else { "FAIL" },
        figures.queries,
        figures.ndcg10,
        figures.hit5,
    ));
    good
}

fn ask(set: &Path, folder: &Path, data: &Path, scope: Scope) -> anyhow::Result<Vec<Judged>> {
    let engine = Engine::open(folder, Config::new(data))?;
    engine.index(&Options { deep: true, ..Options::default() }, &Cancel::new(), &mut |_| {})?;
    let snapshot = engine.snapshot()?;
    let like = Query { scope, ..Query::new("") };
    let place = Place { engine: &engine, snapshot: &snapshot, folders: vec![folder], like };
    truth::read(set)?.iter().map(|item| place.ask(item)).collect()
}

/// The crates with a set, where cargo unpacked them; one whose version is not the set's is an error.
fn crates(root: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let host = printed(root, "rustc", &["-vV"])?;
    let host =
        host.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc -vV names no host")?;
    // Only what this machine builds was downloaded.
    let metadata = printed(
        root,
        "cargo",
        &["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", host],
    )?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let mut packages: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        packages.insert((text("name"), text("version")), text("manifest_path"));
    }
    let table = root.join(TRUTH).join("crates/corpora.tsv");
    let text = std::fs::read_to_string(&table).with_context(|| format!("read {}", table.display()))?;
    let mut out = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let [name, _, version, ..] = line.split('\t').collect::<Vec<_>>()[..] else { continue };
        let manifest = packages.get(&(name, version)).with_context(|| {
            format!(
                "the lock file has no {name} {version}, for which {} was written: check its lines against the new \
                 version, then change the version in {}",
                table.with_file_name(format!("{name}.json")).display(),
                table.display()
            )
        })?;
        out.push((name.to_owned(), Path::new(manifest).parent().unwrap_or(root).to_path_buf()));
    }
    Ok(out)
}

/// What a program prints.
fn printed(folder: &Path, program: &str, args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(args).current_dir(folder).output();
    let output = output.with_context(|| format!("run {program}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "{program} {}: {}", args[0], error.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Compares ranks line by line and says which moved.
fn same(committed: &str, now: &str) -> bool {
    let parse = |text: &str| -> BTreeMap<String, String> {
        let rows = text.lines().filter(|l| !l.starts_with('#')).filter_map(|l| l.rsplit_once('\t'));
        rows.map(|(query, rank)| (query.replace('\t', ": "), rank.to_owned())).collect()
    };
    let (before, after) = (parse(committed), parse(now));
    let mut moved = 0;
    for query in before.keys().chain(after.keys().filter(|q| !before.contains_key(*q))) {
        let (old, new) = (before.get(query), after.get(query));
        if old != new {
            moved += 1;
            let show = |rank: Option<&String>| rank.cloned().unwrap_or_else(|| "not asked".into());
            say(&format!("     {query}\n       - {}\n       + {}", show(old), show(new)));
        }
    }
    if moved > 0 {
        say(&format!(
            "FAIL ranks: {moved} moved; if that is meant, `cargo run -p wherein-eval -- gate . --update`"
        ));
    } else {
        say(&format!("pass ranks: {} queries as committed", after.len()));
    }
    moved == 0
}
