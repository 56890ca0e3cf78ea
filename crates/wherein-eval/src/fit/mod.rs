//! Fitting the ranker: weights of files, of passages and of evidence from truth sets, checked by leaving each repository out.

mod data;
mod solve;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use rayon::prelude::*;
use wherein_engine::internals::{Fitted, Weights};
use wherein_eval::figures::Figures;
use wherein_eval::judge::Judged;
use wherein_eval::truth::{self, Item};

use data::{Corpora, Sample, Source};
use solve::{Choice, Trial, logistic, softmax};

use crate::say;

/// What is fitted on what.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder of truth sets, the folder of their checkouts, the weight of a query; may be given again
    #[arg(long, num_args = 3, value_names = ["TRUTH", "CHECKOUTS", "WEIGHT"])]
    on: Vec<String>,
    /// The same, searching whole checkouts with their tests and documents; trained on, not reported
    #[arg(long, num_args = 3, value_names = ["TRUTH", "CHECKOUTS", "WEIGHT"])]
    whole: Vec<String>,
    /// Questions that no corpus answers
    #[arg(long)]
    off_topic: PathBuf,
    /// Leave out these features, too, in a run of their own
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Leave out each group of features in turn too
    #[arg(long)]
    ablation: bool,
    /// Write the weights here
    #[arg(long)]
    write: Option<PathBuf>,
    /// Keep the indexes in this folder, for another run
    #[arg(long)]
    indexes: Option<PathBuf>,
}

/// Penalties: of a weight in words, of prose's difference from words, of a weight in names, of a passage's weight, of the difference that deep vectors make. Chosen by
/// leave-one-repository-out over 3 to 100 each; differences are within ±0.002.
const RIDGE: (f64, f64, f64, f64, f64) = (5.0, 100.0, 10.0, 10.0, 10.0);
/// Penalty of a passage's weight where there are deep vectors: few sets tell of those. With 3, 10, 30 documents have 0.591, 0.605, 0.608.
const DEEP_PASSAGE_RIDGE: f64 = 30.0;
/// Penalty of the evidence's weights: next to none, so that odds are odds.
const EVIDENCE_RIDGE: f64 = 0.02;
/// A weight that no query of the fit could move.
const UNSEEN: f64 = 1e-6;
/// What such a weight of names takes of the one of words.
const UNSEEN_SHARE: f64 = 0.5;
/// Odds that a question asked of a root has an answer there, before anything is known of it: people mostly ask where they expect one.
const PRIOR_ODDS: f64 = 2.0;
/// Weight of a question that its own corpus does not answer, against one that it does.
const ABSENT_WEIGHT: f64 = 0.5;

/// Groups of features for the ablation, by the beginning of their names.
const GROUPS: &[(&str, &[&str])] = &[
    ("stem, folder, path", &["stem_", "path_match", "path_bm25"]),
    ("defined names", &["defines", "defines_", "symbol_match", "named_coverage"]),
    ("vectors", &["cosine", "rank_cosine", "sum_cosine", "mean_cosine", "name_cosine", "stem_affinity"]),
    ("BM25 and coverage", &["bm25", "rank_bm25", "file_bm25", "coverage", "file_coverage", "sum_bm25"]),
    ("size, depth, face, shim", &["size", "depth", "face", "shim"]),
    (
        "roles",
        &[
            "test",
            "example",
            "generated",
            "vendored",
            "legacy",
            "prose",
            "translation",
            "changelog",
            "data",
            "stub",
        ],
    ),
];

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let mut sources = sources(&args.on, false)?;
    sources.extend(self::sources(&args.whole, true)?);
    let temporary = tempfile::tempdir()?;
    let corpora = Corpora::open(&sources, args.indexes.as_deref().unwrap_or(temporary.path()))?;
    let all = corpora.samples(None)?;
    let samples: Vec<&Sample<'_>> = all.iter().collect();
    say(&format!(
        "{} queries, {} of whole checkouts",
        samples.len(),
        samples.iter().filter(|s| s.whole).count()
    ));
    report("leave one repository out", &left_out(&samples, &[]));
    if !args.without.is_empty() {
        let without: Vec<&str> = args.without.iter().map(String::as_str).collect();
        report(&format!("without {}", args.without.join(", ")), &left_out(&samples, &without));
    }
    if args.ablation {
        for (name, features) in GROUPS {
            report(&format!("without {name}"), &left_out(&samples, features));
        }
    }
    let mut weights = fit(&samples, &[]);
    let mut strangers = corpora.samples(Some(&truth::read(&args.off_topic)?))?;
    strangers.extend(foreign_names(&corpora, &all, &weights)?);
    weights.evidence = evidence(&samples, &strangers, &weights);
    report("all, on what they were fitted on", &judged(&samples, &weights));
    silence(&samples, &strangers, &weights);
    if let Some(path) = &args.write {
        table::write(path, &weights)?;
        say(&format!("wrote {}", path.display()));
    }
    Ok(true)
}

/// Names of other corpora asked of each: where one is not there, nothing is the answer.
fn foreign_names<'a>(
    corpora: &'a Corpora,
    all: &[Sample<'_>],
    weights: &Weights,
) -> anyhow::Result<Vec<Sample<'a>>> {
    let names = all.iter().filter(|s| s.is_name && !s.whole).map(|s| s.item.query.clone());
    let names: BTreeSet<String> = names.filter(|name| name.len() > 3).collect();
    let item = |query: String| Item { query, category: "foreign name".into(), ..Item::default() };
    let items: Vec<Item> = names.into_iter().map(item).collect();
    let asked = corpora.samples(Some(&items))?;
    let coverage = Fitted::EVIDENCE.iter().position(|name| *name == "coverage").unwrap_or_default();
    let is_absent = |s: &Sample<'_>| s.evidence(weights).0[coverage] < 0.999;
    Ok(asked.into_iter().filter(is_absent).collect())
}

fn sources(triples: &[String], whole: bool) -> anyhow::Result<Vec<Source>> {
    let one = |triple: &[String]| {
        let (truth, checkouts) = (PathBuf::from(&triple[0]), PathBuf::from(&triple[1]));
        Ok(Source { truth, checkouts, weight: triple[2].parse()?, whole })
    };
    triples.chunks_exact(3).map(one).collect()
}

/// Weights of files and passages; features that begin with one of `without` get none.
fn fit(samples: &[&Sample<'_>], without: &[&str]) -> Weights {
    let size = Fitted::FILES.len();
    let dropped =
        |name: &str| without.iter().any(|w| name == *w || (w.ends_with('_') && name.starts_with(w)));
    let keep: Vec<bool> = Fitted::FILES.iter().map(|name| !dropped(name)).collect();
    let row = |features: &[f32]| -> Vec<f64> {
        features.iter().zip(&keep).map(|(x, keep)| if *keep { f64::from(*x) } else { 0.0 }).collect()
    };
    let choice = |sample: &&Sample<'_>, prose: bool| {
        let rows = sample.files.iter().map(|file| {
            let mut out = row(&file.features);
            if prose {
                let only = |is: bool| out.iter().map(move |x| if is { *x } else { 0.0 });
                let differences: Vec<f64> =
                    only(file.is_prose).chain(only(file.is_prose && sample.is_deep)).collect();
                out.extend(differences);
            }
            out
        });
        of(rows.collect(), sample.files.iter().map(|f| f.is_right), sample.weight)
    };
    let words: Vec<Choice> = samples.iter().filter(|s| !s.is_name).filter_map(|s| choice(s, true)).collect();
    let names: Vec<Choice> = samples.iter().filter(|s| s.is_name).filter_map(|s| choice(s, false)).collect();
    let (both, names) = rayon::join(
        || softmax(&words, &[vec![RIDGE.0; size], vec![RIDGE.1; size], vec![RIDGE.4; size]].concat()),
        || softmax(&names, &vec![RIDGE.2; size]),
    );
    let within: Vec<Vec<f64>> = [(false, false), (true, false), (true, true)]
        .par_iter()
        .map(|(prose, deep)| passages(samples, *prose, *deep))
        .collect();
    // A role that no name was ever asked beside says less of names, but something.
    let name = |i: usize| if names[i].abs() < UNSEEN { UNSEEN_SHARE * both[i] } else { names[i] };
    let column = |i: usize| {
        let prose = both[i] + both[size + i];
        [both[i] as f32, name(i) as f32, prose as f32, (prose + both[2 * size + i]) as f32]
    };
    Weights {
        files: (0..size).map(column).collect(),
        passages: (0..Fitted::PASSAGES.len())
            .map(|i| [0, 1, 2].map(|at: usize| within[at][i] as f32))
            .collect(),
        evidence: Weights::built_in().evidence.clone(),
    }
}

/// Rows with at least one right and one wrong candidate.
fn of(rows: Vec<Vec<f64>>, right: impl Iterator<Item = bool>, weight: f64) -> Option<Choice> {
    let right: Vec<f64> = right.map(|is| f64::from(u8::from(is))).collect();
    let sum: f64 = right.iter().sum();
    let tells = sum > 0.0 && (sum as usize) < rows.len();
    tells.then(|| Choice { rows, right: right.iter().map(|r| r / sum).collect(), weight })
}

/// Weights of passages, from queries whose targets have lines.
fn passages(samples: &[&Sample<'_>], prose: bool, deep: bool) -> Vec<f64> {
    // Code has no deep vectors: it is the same with and without.
    let wanted = |s: &&&Sample<'_>| s.is_deep == deep && s.item.targets().any(|t| t.lines.is_some());
    let files = samples.iter().filter(wanted).flat_map(|s| &s.files).filter(|f| f.is_prose == prose);
    let choices: Vec<Choice> = files
        .filter_map(|file| {
            let rows = file.passages.iter().map(|p| p.features.iter().map(|x| f64::from(*x)).collect());
            of(rows.collect(), file.passages.iter().map(|p| p.is_right), 1.0)
        })
        .collect();
    let ridge = if deep { DEEP_PASSAGE_RIDGE } else { RIDGE.3 };
    softmax(&choices, &vec![ridge; Fitted::PASSAGES.len()])
}

/// Every query judged with weights fitted without its repository.
fn left_out<'a>(samples: &[&'a Sample<'a>], without: &[&str]) -> Vec<(&'a Sample<'a>, Judged)> {
    let repositories: BTreeSet<&str> =
        samples.iter().filter(|s| !s.whole).map(|s| s.repository.as_str()).collect();
    let fold = |repository: &&str| {
        let (out, rest): (Vec<&Sample<'_>>, Vec<&Sample<'_>>) =
            samples.iter().partition(|s| s.repository == *repository);
        judged(&out, &fit(&rest, without))
    };
    let folds: Vec<&str> = repositories.into_iter().collect();
    folds.par_iter().map(fold).collect::<Vec<_>>().into_iter().flatten().collect()
}

fn judged<'a>(samples: &[&'a Sample<'a>], weights: &Weights) -> Vec<(&'a Sample<'a>, Judged)> {
    let asked = samples.iter().filter(|s| !s.whole && s.item.targets().next().is_some());
    asked.map(|s| (*s, s.judged(weights))).collect()
}

fn report(title: &str, judged: &[(&Sample<'_>, Judged)]) {
    say(&format!("\n{title}"));
    let mut groups: BTreeMap<&str, Vec<&Judged>> = BTreeMap::new();
    for (sample, one) in judged {
        groups.entry(&sample.group).or_default().push(one);
    }
    for (group, of_group) in groups {
        let figures = Figures::of(of_group.iter().copied());
        let categories = Figures::by_category(of_group.iter().copied());
        let parts: Vec<String> =
            categories.iter().map(|(name, f)| format!("{name} {:.3} ({})", f.ndcg10, f.queries)).collect();
        say(&format!(
            "  {group:10} n={:3} NDCG@10 {:.4} hit@5 {:.3}   {}",
            figures.queries,
            figures.ndcg10,
            figures.hit5,
            parts.join(", ")
        ));
    }
}

/// Weights of evidence, without deep vectors and with some.
fn evidence(samples: &[&Sample<'_>], strangers: &[Sample<'_>], weights: &Weights) -> Vec<[f32; 2]> {
    let [without, with] = [false, true].map(|deep| column_of_evidence(samples, strangers, weights, deep));
    without.into_iter().zip(with).map(|(a, b)| [a, b]).collect()
}

/// Pages with a right passage among the first five against questions that nothing answers, at the prior odds.
fn column_of_evidence(
    samples: &[&Sample<'_>],
    strangers: &[Sample<'_>],
    weights: &Weights,
    deep: bool,
) -> Vec<f32> {
    let row = |s: &Sample<'_>| {
        let (row, is_deep) = s.evidence(weights);
        (is_deep == deep).then(|| row.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>())
    };
    let mut trials = Vec::new();
    let mut absent = 0.0;
    for sample in samples.iter().filter(|s| !s.whole && !s.files.is_empty()) {
        let Some(row) = row(sample) else { continue };
        if sample.item.targets().next().is_none() {
            absent += ABSENT_WEIGHT;
            trials.push(Trial { row, success: 0.0, weight: ABSENT_WEIGHT });
        } else if sample.judged(weights).hit5 > 0.0 {
            trials.push(Trial { row, success: 1.0, weight: 1.0 });
        }
    }
    let good = trials.iter().filter(|t| t.success > 0.0).count() as f64;
    let others: Vec<Vec<f64>> = strangers.iter().filter(|s| !s.files.is_empty()).filter_map(row).collect();
    let weight = (good / PRIOR_ODDS - absent).max(1.0) / others.len().max(1) as f64;
    trials.extend(others.into_iter().map(|row| Trial { row, success: 0.0, weight }));
    logistic(&trials, EVIDENCE_RIDGE).iter().map(|w| *w as f32).collect()
}

/// How often the evidence says "nothing" where it should, and where it should not.
fn silence(samples: &[&Sample<'_>], strangers: &[Sample<'_>], weights: &Weights) {
    let odds = |s: &Sample<'_>| {
        let (row, is_deep) = s.evidence(weights);
        let column = usize::from(is_deep);
        let sum: f32 = row.iter().zip(&weights.evidence).map(|(x, w)| x * w[column]).sum();
        sum + weights.evidence.last().map_or(0.0, |w| w[column])
    };
    let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut count = |name: String, hit: bool| {
        let entry = groups.entry(name).or_default();
        *entry = (entry.0 + usize::from(hit), entry.1 + 1);
    };
    for s in strangers {
        count(format!("{} {}: silent", s.group, s.item.category), s.files.is_empty() || odds(s) < 0.0);
    }
    for s in samples.iter().filter(|s| !s.whole) {
        if s.item.targets().next().is_none() {
            count(format!("{} absent: silent", s.group), s.files.is_empty() || odds(s) < 0.0);
        } else if s.judged(weights).hit5 > 0.0 {
            count(format!("{} right within five: kept", s.group), odds(s) >= 0.0);
        }
    }
    say("\nat a score of ½");
    for (name, (hit, all)) in groups {
        say(&format!("  {name:40} {hit}/{all} = {:.3}", hit as f64 / all as f64));
    }
}
