//! `wherein index`: bring indexes up to date, and the refresh that `search` does first.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::{Value, json};
use wherein_engine::{DeepReport, Engine, Error, Event, Options, Report, SkipReason};

use crate::args::Index;
use crate::report::{self, Exit};
use crate::settings::{Settings, Target, Which, segment_globs};
use crate::ui::{BAD, DIM, NAME, Ui};

use super::status::noise;
use super::{CANCEL, watch_interrupts};

/// Sums over the roots of one run.
#[derive(Default)]
struct Totals {
    indexed: usize,
    skipped: usize,
    deleted: usize,
    chunks: usize,
    truncated: bool,
    failures: usize,
    roots: Vec<Value>,
}

/// Indexes each root in turn; one that fails does not stop the others.
pub(crate) fn run(args: &Index, mut settings: Settings, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    if let Some(threads) = args.concurrency {
        settings.config.threads = threads;
    }
    if let Some(notice) = settings.deep_notice()? {
        ui.say(format!("note: {notice}"));
    }
    let begin = Instant::now();
    let mut totals = Totals::default();
    let targets = targets(args, &settings, ui, &mut totals)?;
    for (place, target) in targets.iter().enumerate() {
        if CANCEL.is_cancelled() {
            return Err(Error::Cancelled.into());
        }
        header(ui, place + 1, targets.len(), &target.root);
        match one(args, &settings, ui, target) {
            Ok(report) => totals.add(&target.root, &report),
            Err(error) if matches!(error.downcast_ref(), Some(Error::Cancelled)) => return Err(error),
            Err(error) if targets.len() == 1 && totals.failures == 0 => return Err(error),
            Err(error) => totals.fail(ui, &target.root.display().to_string(), &error),
        }
    }
    if targets.len() > 1 {
        ui.say("─".repeat(60));
        ui.say(format!(
            "total  {}",
            summary_of(totals.indexed, totals.skipped, totals.deleted, totals.chunks, begin.elapsed())
        ));
    }
    let exit = if totals.failures > 0 { Exit::Partial } else { Exit::Done };
    writeln!(ui.out(), "{}", totals.json(args.json))?;
    Ok(exit)
}

/// The roots asked for; paths that mean none are failures of their own where others are fine.
fn targets(args: &Index, settings: &Settings, ui: &Ui, totals: &mut Totals) -> anyhow::Result<Vec<Target>> {
    if args.paths.len() < 2 {
        return settings.targets(args.roots.which(&args.paths));
    }
    let mut good = Vec::new();
    for path in &args.paths {
        match settings.target(path) {
            Ok(_) => good.push(path.clone()),
            Err(error) => totals.fail(ui, &path.display().to_string(), &error),
        }
    }
    if good.is_empty() {
        anyhow::bail!("none of the given folders can be opened");
    }
    settings.targets(Which::paths(&good))
}

fn header(ui: &Ui, place: usize, total: usize, root: &Path) {
    let name =
        root.file_name().map_or_else(|| root.display().to_string(), |n| n.to_string_lossy().into_owned());
    let dash = if std::io::stderr().is_terminal() { "─" } else { "-" };
    let rule = dash.repeat(50usize.saturating_sub(name.chars().count()));
    ui.say(format!("\n[{place}/{total}] {NAME}{name}{NAME:#}  {DIM}{}  {rule}{DIM:#}", root.display()));
}

fn one(args: &Index, settings: &Settings, ui: &Ui, target: &Target) -> anyhow::Result<Report> {
    let engine = settings.engine(&target.root, args.yes)?;
    settings.take_notes().iter().for_each(|note| ui.say(format!("note: {note}")));
    let within = segment_globs(&engine, args.segment.as_deref())?;
    let options = Options {
        force: args.force,
        rebuild: args.rebuild,
        max_files: args.max_files,
        lock_wait: Duration::from_secs(args.lock_wait),
        prune_empty: args.prune_empty,
        deep: !args.no_wait,
        within,
        ..Options::default()
    };
    let bar = ui.progress();
    let result = engine.index(&options, &CANCEL, &mut |event| line(ui, &bar, args.verbose, &event));
    bar.finish_and_clear();
    let report = result?;
    let skipped = report.unchanged + report.coverage.skipped.values().sum::<usize>();
    ui.say(summary_of(report.indexed, skipped, report.deleted, report.chunks_written, report.took));
    if let Some(line) = deep(&report) {
        ui.say(line);
    }
    ui.say(format!("{DIM}calibration: {}{DIM:#}", noise(report.noise)));
    for part in &target.within {
        narrow(ui, &engine, part)?;
    }
    Ok(report)
}

/// What became of the deep tier, where there is something to say.
fn deep(report: &Report) -> Option<String> {
    let share = report.coverage.deep?;
    let DeepReport { embedded, borrowed, elsewhere, failed } = &report.deep;
    let mut parts = Vec::new();
    if *embedded > 0 {
        parts.push(format!("{embedded} passages embedded"));
    }
    if *borrowed > 0 {
        parts.push(format!("{borrowed} known from other folders"));
    }
    if *elsewhere {
        parts.push("another process is at it".to_owned());
    }
    if share < 1.0 {
        parts.push(format!("{} % of the prose covered; `wherein index` goes on", percent(share)));
    }
    let failed =
        failed.as_ref().map(|message| format!("\n{BAD}✗{BAD:#} deep tier: {message}")).unwrap_or_default();
    (!parts.is_empty()).then(|| format!("deep tier: {}{failed}", parts.join(", ")))
}

/// A share in whole hundredths, never more than there is.
pub(super) fn percent(share: f32) -> u32 {
    (share * 100.0).floor() as u32
}

/// A path inside a root was given: says what of it is in.
fn narrow(ui: &Ui, engine: &Engine, part: &str) -> anyhow::Result<()> {
    let why = engine.why(part)?;
    let rule = why.rule.map(|r| format!(" {r}")).unwrap_or_default();
    ui.say(match why.reason.strip_prefix("ignored by a rule") {
        Some(_) => format!("{part}: 0 files, ignored by rule{rule}"),
        None => format!("{part}: {}", why.reason),
    });
    Ok(())
}

/// One event as a line or a step of the bar.
fn line(ui: &Ui, bar: &ProgressBar, verbose: bool, event: &Event<'_>) {
    let say = |text: String| bar.suspend(|| ui.say(text));
    match event {
        Event::Planned { pending, .. } => bar.set_length(*pending as u64),
        Event::Progress { done, path, .. } => {
            bar.set_position(*done as u64);
            bar.set_message(tail(path));
        }
        Event::Embedded { done: 0, total } => ui.embedding(bar, *total),
        Event::Embedded { done, .. } => bar.set_position(*done as u64),
        Event::Indexed { path, chunks } => {
            if verbose {
                say(format!("processing: {path}"));
            }
            say(format!("↺ indexed {path} ({chunks} chunks)"));
        }
        Event::Skipped { path, reason: SkipReason::TooLarge } => say(format!("⊘ too large {path}")),
        Event::Skipped { path, reason } if verbose => {
            say(format!("⊘ {} {path}", reason.as_str().replace('_', " ")));
        }
        Event::Failed { path, message } => say(format!("{BAD}✗{BAD:#} read error {path} {message}")),
        Event::Rebuilding { reason } => say(format!("{BAD}✗{BAD:#} {reason}; it is built anew")),
        Event::Deleted { path } => say(format!("✂ deleted {path}")),
        _ => {}
    }
}

/// The last 49 characters of a path.
pub(super) fn tail(path: &str) -> String {
    let skip = path.chars().count().saturating_sub(49);
    path.chars().skip(skip).collect()
}

fn summary_of(indexed: usize, skipped: usize, deleted: usize, chunks: usize, took: Duration) -> String {
    let seconds = took.as_secs_f64();
    let mut out = format!("{indexed} indexed  {skipped} skipped");
    if deleted > 0 {
        out += &format!("  {deleted} deleted");
    }
    if chunks > 0 {
        out += &format!("  {chunks} chunks");
    }
    let rate = indexed as f64 / seconds.max(1e-3);
    out + &format!("  {seconds:.1}s  ({rate:.0}/s)")
}

impl Totals {
    fn add(&mut self, root: &Path, report: &Report) {
        self.indexed += report.indexed;
        self.skipped += report.unchanged + report.coverage.skipped.values().sum::<usize>();
        self.deleted += report.deleted;
        self.chunks += report.chunks_written;
        self.truncated |= report.truncated;
        self.failures += report.failed.len() + usize::from(report.deep.failed.is_some());
        self.roots.push(json!({
            "root": root.display().to_string(),
            "indexed": report.indexed,
            "unchanged": report.unchanged,
            "touched": report.touched,
            "deleted": report.deleted,
            "chunks_written": report.chunks_written,
            "vectors_reused": report.vectors_reused,
            "deep": report.deep,
            "failed": report.failed.iter().map(|(path, message)| json!({"path": path, "message": message})).collect::<Vec<_>>(),
            "truncated": report.truncated,
            "noise": report.noise,
            "coverage": report.coverage,
            "source_bytes": report.source_bytes,
            "index_bytes": report.index_bytes,
            "took_ms": report.took.as_secs_f64() * 1000.0,
        }));
    }

    fn fail(&mut self, ui: &Ui, root: &str, error: &anyhow::Error) {
        self.failures += 1;
        ui.say(format!("{BAD}✗{BAD:#} {error:#}"));
        self.roots.push(json!({"root": root, "error": report::describe(error)}));
    }

    /// The keys that scripts of semantic-search-mcp parse; with `--json` everything else too.
    fn json(self, all: bool) -> Value {
        let mut out = json!({
            "filesProcessed": self.indexed,
            "filesSkipped": self.skipped,
            "filesDeleted": self.deleted,
            "chunksWritten": self.chunks,
            "truncated": self.truncated,
        });
        if all {
            out["roots"] = Value::Array(self.roots);
        }
        out
    }
}
