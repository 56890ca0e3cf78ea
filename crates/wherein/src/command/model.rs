//! `wherein model`: which models there are, and what they do on this machine.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::Context;
use serde::Serialize;
use wherein_engine::{Embedder, ModelInfo, Tier, models, passages};

use crate::args::{Model, ModelVerb};
use crate::report::Exit;
use crate::ui::{DIM, NAME, Ui};

use super::{CANCEL, watch_interrupts};

/// Times that a text is embedded to know how long a question takes.
const QUESTIONS: usize = 101;
/// A question.
const QUESTION: &str = "where are retries scheduled";
/// Seconds that each number of threads is measured, at least.
const SECONDS: f64 = 1.0;

/// What was measured of a model.
#[derive(Serialize)]
struct Bench {
    name: &'static str,
    /// Milliseconds from nothing to the first vector.
    cold_ms: f64,
    /// Milliseconds of a question, half of the time less.
    question_ms: f64,
    /// Passages that were embedded over and over.
    passages: usize,
    threads: Vec<Rate>,
    /// Least cosine with the vectors of another implementation.
    agreement: f32,
    /// Anonymous memory of this process afterwards, in bytes; none where the system does not say.
    memory: Option<u64>,
}

/// How fast with so many threads.
#[derive(Serialize)]
struct Rate {
    threads: usize,
    pieces_per_second: f64,
    passages_per_second: f64,
}

/// Lists, describes or measures models.
pub(crate) fn run(args: &Model, ui: &Ui) -> anyhow::Result<Exit> {
    watch_interrupts()?;
    match &args.verb {
        ModelVerb::List { .. } => list(ui),
        ModelVerb::Info { name, .. } => info(&named(name)?, ui),
        ModelVerb::Bench { name, threads, .. } => {
            let all = match name {
                Some(name) => vec![named(name)?],
                None => models().into(),
            };
            all.iter().try_for_each(|model| bench(model, *threads, ui))?;
            Ok(Exit::Done)
        }
    }
}

fn named(name: &str) -> anyhow::Result<ModelInfo> {
    wherein_engine::model(name).with_context(|| {
        format!("there is no model {name:?}; `wherein model list` names those that there are")
    })
}

fn list(ui: &Ui) -> anyhow::Result<Exit> {
    let mut out = ui.out();
    if ui.json {
        writeln!(out, "{}", serde_json::to_string(&models())?)?;
        return Ok(Exit::Done);
    }
    for model in models() {
        writeln!(
            out,
            "{NAME}{:16}{NAME:#} {:8} {:4} numbers, {:.1} MB  {DIM}{}{DIM:#}",
            model.name,
            tier(model.tier),
            model.dimensions,
            model.bytes as f64 / 1e6,
            model.source
        )?;
    }
    Ok(Exit::Done)
}

fn tier(tier: Tier) -> &'static str {
    match tier {
        Tier::Instant => "instant",
        Tier::Deep => "deep",
    }
}

fn info(model: &ModelInfo, ui: &Ui) -> anyhow::Result<Exit> {
    let mut out = ui.out();
    if ui.json {
        writeln!(out, "{}", serde_json::to_string(model)?)?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{NAME}{}{NAME:#}", model.name)?;
    writeln!(out, "  tier        {}", tier(model.tier))?;
    writeln!(out, "  vectors     {} numbers, {} of the pieces' vectors", model.dimensions, model.pooling)?;
    let reads =
        model.max_pieces.map_or("all of a text".to_owned(), |most| format!("{most} pieces of a text"));
    writeln!(out, "  reads       {reads}")?;
    writeln!(out, "  identity    {}", model.identity)?;
    writeln!(out, "  weights     {:.1} MB, {}", model.bytes as f64 / 1e6, model.licence)?;
    writeln!(out, "  source      {}", model.source)?;
    Ok(Exit::Done)
}

fn bench(info: &ModelInfo, threads: Option<usize>, ui: &Ui) -> anyhow::Result<()> {
    let begin = Instant::now();
    let model = info.load();
    embed(model, QUESTION);
    let cold_ms = begin.elapsed().as_secs_f64() * 1000.0;
    let mut times: Vec<f64> = (0..QUESTIONS).map(|_| seconds(|| drop(embed(model, QUESTION)))).collect();
    times.sort_by(f64::total_cmp);
    let texts: Vec<&str> = passages().collect();
    let pieces: usize = texts.iter().map(|text| info.pieces(text)).sum();
    let counts = match threads {
        Some(count) => vec![count],
        None => {
            let most = thread::available_parallelism()?.get();
            (0..).map(|n| 1 << n).take_while(|n| *n <= most).collect()
        }
    };
    let mut rates = Vec::new();
    for threads in counts {
        anyhow::ensure!(!CANCEL.is_cancelled(), wherein_engine::Error::Cancelled);
        let (mut rounds, mut taken) = (0.0, 0.0);
        while taken < SECONDS {
            taken += seconds(|| embed_all(model, &texts, threads));
            rounds += 1.0;
        }
        let per_second = |count: usize| count as f64 * rounds / taken;
        rates.push(Rate {
            threads,
            pieces_per_second: per_second(pieces),
            passages_per_second: per_second(texts.len()),
        });
    }
    let agreements = info.references().into_iter().map(|r| cosine(&embed(model, &r.text), &r.vector));
    let bench = Bench {
        name: info.name,
        cold_ms,
        question_ms: times[QUESTIONS / 2] * 1000.0,
        passages: texts.len(),
        threads: rates,
        agreement: agreements.fold(1.0, f32::min),
        memory: memory(),
    };
    write(&bench, ui)
}

fn write(bench: &Bench, ui: &Ui) -> anyhow::Result<()> {
    let mut out = ui.out();
    if ui.json {
        writeln!(out, "{}", serde_json::to_string(bench)?)?;
        return Ok(());
    }
    writeln!(out, "{NAME}{}{NAME:#}", bench.name)?;
    writeln!(out, "  first vector    {:.1} ms from nothing", bench.cold_ms)?;
    writeln!(out, "  a question      {:.2} ms", bench.question_ms)?;
    for rate in &bench.threads {
        writeln!(
            out,
            "  {:2} threads      {:.0} pieces, {:.0} passages a second",
            rate.threads, rate.pieces_per_second, rate.passages_per_second
        )?;
    }
    writeln!(out, "  agreement       cosine {:.4} at least with the reference", bench.agreement)?;
    if let Some(memory) = bench.memory {
        writeln!(out, "  memory          {:.0} MB", memory as f64 / 1e6)?;
    }
    Ok(())
}

/// Embeds every text, each thread one after the other.
fn embed_all(model: &dyn Embedder, texts: &[&str], threads: usize) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
            embed(model, text);
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
}

fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn embed(model: &dyn Embedder, text: &str) -> Vec<f32> {
    let mut out = vec![0.0; model.dimensions()];
    model.embed(&[text], &mut out);
    out
}

/// Of as many numbers as both have; two vectors of a text that neither model knows agree.
fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let a = &a[..a.len().min(b.len())];
    match length(a) * length(b) {
        0.0 => f32::from(u8::from(length(a) == length(b))),
        product => a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>() / product,
    }
}

/// What Linux calls `RssAnon`.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
