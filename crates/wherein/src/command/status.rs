//! `wherein status`: what an index covers.

use std::io::Write;
use std::time::{Duration, SystemTime};

use wherein_engine::{LastRun, Noise, THRESHOLD};

use crate::args::Status;
use crate::render;
use crate::report::Exit;
use crate::settings::{Settings, Which};
use crate::ui::{BAD, DIM, PATH, Ui};

use super::gc::ago;
use super::index::percent;

/// Shows the state of one root.
pub(crate) fn run(args: &Status, settings: &Settings, ui: &Ui) -> anyhow::Result<Exit> {
    let paths: Vec<_> = args.path.iter().cloned().collect();
    let mut out = ui.out();
    let targets = settings.targets(Which::paths(&paths))?;
    let mut exit = Exit::Done;
    for target in &targets {
        let status = match settings.engine(&target.root, true).and_then(|engine| Ok(engine.status()?)) {
            Ok(status) => status,
            Err(error) if targets.len() == 1 => return Err(error),
            Err(error) => {
                ui.say(format!("{BAD}✗{BAD:#} {error:#}"));
                exit = Exit::Partial;
                continue;
            }
        };
        if ui.json {
            writeln!(out, "{}", serde_json::to_string(&status)?)?;
            continue;
        }
        let coverage = &status.coverage;
        writeln!(out, "{PATH}{}{PATH:#}", status.root.display())?;
        writeln!(out, "  index       {}", status.index.display())?;
        writeln!(out, "  files       {} indexed, {} chunks", coverage.files, coverage.chunks)?;
        writeln!(out, "  languages   {}", render::counts(&status.languages))?;
        writeln!(out, "  skipped     {}", render::counts(&coverage.skipped))?;
        if coverage.line_fallback > 0 {
            writeln!(
                out,
                "  by lines    {} files whose syntax could not be parsed within the limits",
                coverage.line_fallback
            )?;
        }
        writeln!(out, "  deep        {}", deep(&status))?;
        let ratio = status.index_bytes as f64 / status.source_bytes.max(1) as f64;
        writeln!(
            out,
            "  size        {} of index for {} of text ({ratio:.2}×)",
            bytes(status.index_bytes),
            bytes(status.source_bytes)
        )?;
        if !status.segments.is_empty() {
            let one = |s: &wherein_engine::SegmentStatus| format!("{} {} files", s.segment, s.files);
            writeln!(
                out,
                "  segments    {}",
                status.segments.iter().map(one).collect::<Vec<_>>().join(", ")
            )?;
        }
        for path in status.unreadable.iter().take(SHOWN) {
            writeln!(out, "  {BAD}unreadable{BAD:#}  {path}")?;
        }
        let state = match (coverage.partial, status.stale) {
            _ if status.writing => "another process is indexing it at this moment",
            _ if status.deepening => {
                "another process is reading its prose with the deep model at this moment"
            }
            (true, _) => "not everything found is indexed yet; `wherein index` goes on",
            (false, true) => "files changed since; the next search or `wherein index` brings it up to date",
            (false, false) => "up to date",
        };
        writeln!(out, "  state       {state} {DIM}(generation {}){DIM:#}", coverage.generation)?;
        writeln!(
            out,
            "  looked      {}",
            ago(SystemTime::UNIX_EPOCH + Duration::from_nanos(status.scanned.unsigned_abs()))
        )?;
        if let Some(run) = &status.last_run {
            write_last_run(&mut out, run)?;
        }
        writeln!(out, "  noise       {}", noise(status.noise))?;
        writeln!(out, "  model       {DIM}{}{DIM:#}", status.identity)?;
    }
    Ok(exit)
}

fn write_last_run(out: &mut impl Write, run: &LastRun) -> std::io::Result<()> {
    let ended = SystemTime::UNIX_EPOCH + Duration::from_secs(run.ended);
    writeln!(
        out,
        "  last run    {}: {} indexed, {} deleted, {} failed in {:.1} s",
        ago(ended),
        run.indexed,
        run.deleted,
        run.failed,
        run.took_ms / 1000.0
    )?;
    for (path, message) in run.failures.iter().take(SHOWN) {
        writeln!(out, "  {BAD}failed{BAD:#}      {path}: {message}")?;
    }
    for error in run.error.iter().chain(&run.deep_error) {
        writeln!(out, "  {BAD}error{BAD:#}       {error}")?;
    }
    Ok(())
}

/// Files that are named where many could not be read.
const SHOWN: usize = 10;

/// How far the deep tier is, and whose vectors it has.
fn deep(status: &wherein_engine::Status) -> String {
    let (Some(share), Some(wanted)) = (status.coverage.deep, &status.deep_identity) else {
        return "not wanted".to_owned();
    };
    let other = status.deep_made_by.as_ref().filter(|made_by| *made_by != wanted);
    match other {
        Some(other) => {
            format!("vectors of {other} are there, {wanted} is wanted; `wherein index` replaces them")
        }
        None if share < 1.0 => format!("{} % of the prose; `wherein index` goes on", percent(share)),
        None => format!("all of the prose {DIM}({wanted}){DIM:#}"),
    }
}

/// What cosines say nothing, and the threshold in use: docs-rag-mcp's calibration line.
pub(super) fn noise(noise: Noise) -> String {
    if noise.pair_count == 0 {
        return "not measured: no two passages".to_owned();
    }
    let few = if noise.pair_count < 50 { " (few: the figure says little)" } else { "" };
    format!(
        "p99 of cosine {:.3} over {} random pairs{few}, {:.3} over {} unrelated questions; threshold {THRESHOLD} of the calibrated score (built in)",
        noise.pairs, noise.pair_count, noise.questions, noise.question_count
    )
}

fn bytes(count: u64) -> String {
    indicatif::HumanBytes(count).to_string()
}
