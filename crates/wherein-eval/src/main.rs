//! `wherein-eval`: the project's own judge. `gate` is what CI runs; `judge` runs larger sets; `fit` makes the ranker's weights.

mod fit;
mod gate;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use wherein_engine::{Cancel, ChunkLimits, Config, Engine, Options, Query};
use wherein_eval::figures::{Figures, Latency};
use wherein_eval::judge::Judged;
use wherein_eval::run::Place;
use wherein_eval::truth;

/// Judge retrieval over truth sets, gate it, fit its weights
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run one truth set, or a folder of them with its corpora.tsv, and print figures
    ///
    /// A set is a JSON list of {"query", "relevant", "secondary"?, "category"?, "any"?}; corpora.tsv has the columns name,
    /// repository, revision, folder that is searched.
    Judge {
        /// The truth set (JSON), or a folder of them
        truth: PathBuf,
        /// The folder that is searched; for a folder of sets, the folder of checkouts
        folder: PathBuf,
        /// Print every query whose NDCG@10 is below this, with its ranking
        #[arg(long, default_value_t = 0.0)]
        show: f64,
        /// Cut below this score; 0 never says nothing
        #[arg(long)]
        min_score: Option<f32>,
        /// Leave the deep vectors out
        #[arg(long)]
        instant: bool,
        /// Ask these questions instead
        #[arg(long)]
        instead: Option<PathBuf>,
        /// Most word pieces of a chunk of code, to compare chunk sizes
        #[arg(long)]
        code_pieces: Option<usize>,
        /// Most word pieces of a chunk of prose
        #[arg(long)]
        prose_pieces: Option<usize>,
    },
    /// Run the committed truth sets and fail below their figures, or where a committed rank moved
    Gate {
        /// The repository
        root: PathBuf,
        /// Commit the ranks as they are now
        #[arg(long)]
        update: bool,
    },
    /// Fit the ranker's weights, checked by leaving each repository out
    Fit(fit::Args),
}

fn main() -> ExitCode {
    match run(Args::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<bool> {
    match command {
        Command::Judge { truth, folder, show, min_score, instant, instead, code_pieces, prose_pieces } => {
            let standard = ChunkLimits::default();
            let limits = ChunkLimits {
                code_pieces: code_pieces.unwrap_or(standard.code_pieces),
                prose_pieces: prose_pieces.unwrap_or(standard.prose_pieces),
            };
            let like = Query { min_score, deep: !instant, ..Query::new("") };
            judge(&truth::sets(&truth, &folder)?, instead.as_deref(), limits, show, &like)
        }
        Command::Gate { root, update } => gate::run(&root, update),
        Command::Fit(args) => fit::run(&args),
    }
}

#[expect(clippy::print_stdout, reason = "the figures are this program's result")]
fn say(line: &str) {
    println!("{line}");
}

fn judge(
    sets: &[truth::Set],
    instead: Option<&Path>,
    limits: ChunkLimits,
    show: f64,
    like: &Query,
) -> anyhow::Result<bool> {
    let data = tempfile::tempdir()?;
    let mut all: Vec<Judged> = Vec::new();
    let (mut source, mut index) = (0, 0);
    for set in sets {
        let engine = Engine::open(&set.folder, Config { limits, ..Config::new(data.path()) })?;
        let begin = Instant::now();
        let options = Options { deep: true, ..Options::default() };
        let report = engine.index(&options, &Cancel::new(), &mut |_| {})?;
        let took = begin.elapsed().as_secs_f64();
        let snapshot = engine.snapshot()?;
        let folder = set.folder.canonicalize()?;
        let folders: Vec<&Path> = folder.ancestors().collect();
        let place = Place { engine: &engine, snapshot: &snapshot, folders, like: like.clone() };
        let mut judged = Vec::new();
        for item in truth::read(instead.unwrap_or(&set.truth))? {
            let one = place.ask(&item)?;
            if one.ndcg.is_some_and(|n| n < show) {
                let wanted: Vec<&str> = item.targets().map(|t| t.path).collect();
                say(&format!("  {:.3} {:?} want {wanted:?}", one.ndcg.unwrap_or_default(), item.query));
                for hit in one.page.iter().take(5) {
                    say(&format!("        {:.2} {}:{}-{}", hit.score, hit.path, hit.lines.0, hit.lines.1));
                }
            }
            judged.push(one);
        }
        say(&format!(
            "{:14} {}  index {took:5.2} s, {} files, {} chunks, {:.2}x",
            set.name,
            line(&judged),
            report.coverage.files,
            report.coverage.chunks,
            report.index_bytes as f64 / report.source_bytes.max(1) as f64
        ));
        all.extend(judged);
        source += report.source_bytes;
        index += report.index_bytes;
    }
    say(&format!("{:14} {}  {:.2}x", "ALL", line(&all), index as f64 / source.max(1) as f64));
    let part = |(name, f): (&String, &Figures)| {
        let silent =
            if f.absent.1 > 0 { format!(" nothing {}/{}", f.absent.0, f.absent.1) } else { String::new() };
        format!("{name} {:.3} (n={}){silent}", f.ndcg10, f.queries)
    };
    say(&Figures::by_category(&all).iter().map(part).collect::<Vec<_>>().join(", "));
    Ok(true)
}

/// Figures on one line.
fn line(judged: &[Judged]) -> String {
    let figures = Figures::of(judged);
    let absent = match figures.absent {
        (_, 0) => String::new(),
        (silent, all) => format!("  nothing {silent}/{all}"),
    };
    format!(
        "n={:3} ndcg@10 {:.4} hit@5 {:.3} mrr {:.3}{absent}  query {:.2} ms",
        figures.queries,
        figures.ndcg10,
        figures.hit5,
        figures.mrr,
        Latency::of(judged).p50
    )
}
