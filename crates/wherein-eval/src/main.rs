//! `wherein-eval`: judge retrieval over truth sets, in this process.
//!
//! `judge` runs one truth set over a folder; `gate` runs the sets of a folder of sets and fails below the committed figures.

mod metrics;
mod truth;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};
use wherein_engine::{Cancel, ChunkLimits, Config, Engine, Options, Query, Snapshot};

use metrics::{Figures, Judged};
use truth::Item;

/// Judge retrieval over truth sets
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run one truth set, or a folder of them with its corpora.tsv, and print figures
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
        /// Most word pieces of a chunk of code, to compare chunk sizes
        #[arg(long)]
        code_pieces: Option<usize>,
        /// Most word pieces of a chunk of prose
        #[arg(long)]
        prose_pieces: Option<usize>,
    },
    /// Run the committed truth sets over this repository's own tree and fail below their figures
    Gate {
        /// The repository
        root: PathBuf,
    },
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
        Command::Judge { truth, folder, show, min_score, code_pieces, prose_pieces } => {
            let standard = ChunkLimits::default();
            let limits = ChunkLimits {
                code_pieces: code_pieces.unwrap_or(standard.code_pieces),
                prose_pieces: prose_pieces.unwrap_or(standard.prose_pieces),
            };
            judge(&truth::sets(&truth, &folder)?, limits, show, min_score)
        }
        Command::Gate { root } => gate(&root),
    }
}

#[expect(clippy::print_stdout, reason = "the figures are this program's result")]
fn say(line: &str) {
    println!("{line}");
}

fn judge(
    sets: &[truth::Set],
    limits: ChunkLimits,
    show: f64,
    min_score: Option<f32>,
) -> anyhow::Result<bool> {
    let data = tempfile::tempdir()?;
    let mut all = Figures::default();
    let (mut source, mut index) = (0, 0);
    for (name, set, folder) in sets {
        let engine = Engine::open(folder, Config { limits, ..Config::new(data.path()) })?;
        let begin = Instant::now();
        let report = engine.index(Options::default(), &Cancel::new(), &mut |_| {})?;
        let took = begin.elapsed().as_secs_f64();
        let snapshot = engine.snapshot()?;
        let mut figures = Figures::default();
        for item in truth::read(set)? {
            let judged = ask(&engine, &snapshot, &item, min_score)?;
            if judged.ndcg.is_some_and(|n| n < show) {
                say(&format!(
                    "  {:.3} {:?} want {:?}",
                    judged.ndcg.unwrap_or(0.0),
                    item.query,
                    item.wanted()
                ));
                judged.page.iter().take(5).for_each(|p| say(&format!("        {p}")));
            }
            figures.add(&item, &judged);
        }
        say(&format!(
            "{name:14} {}  index {took:5.2} s, {} files, {} chunks, {:.2}x",
            figures.line(),
            report.coverage.files,
            report.coverage.chunks,
            report.index_bytes as f64 / report.source_bytes.max(1) as f64
        ));
        all.merge(figures);
        source += report.source_bytes;
        index += report.index_bytes;
    }
    say(&format!("{:14} {}  {:.2}x", "ALL", all.line(), index as f64 / source.max(1) as f64));
    say(&all.categories());
    Ok(true)
}

fn ask(engine: &Engine, snapshot: &Snapshot, item: &Item, min_score: Option<f32>) -> anyhow::Result<Judged> {
    let query = Query { min_score, ..Query::new(&item.query) };
    let answer = engine.search_in(snapshot, &query, false)?;
    Ok(metrics::judge(item, &answer, engine.root()))
}

/// The committed sets and the figures that they must reach.
const GATES: &[(&str, f64)] = &[("crates/wherein-eval/truth/self.json", 0.80)];

fn gate(root: &Path) -> anyhow::Result<bool> {
    let data = tempfile::tempdir()?;
    let engine = Engine::open(root, Config::new(data.path()))?;
    engine.index(Options::default(), &Cancel::new(), &mut |_| {})?;
    let snapshot = engine.snapshot()?;
    let mut good = true;
    for (set, least) in GATES {
        let mut figures = Figures::default();
        for item in truth::read(&root.join(set))? {
            let judged = ask(&engine, &snapshot, &item, None)?;
            if judged.ndcg.is_some_and(|n| n < 0.5) || judged.absent == Some(false) {
                say(&format!("  {:?} wants {:?}, got {:?}", item.query, item.wanted(), judged.page.first()));
            }
            figures.add(&item, &judged);
        }
        let reached = figures.ndcg() >= *least && figures.absent_rate().is_none_or(|r| r >= 1.0);
        good &= reached;
        say(&format!("{} {set}: {} (least {least})", if reached { "pass" } else { "FAIL" }, figures.line()));
    }
    Ok(good)
}
