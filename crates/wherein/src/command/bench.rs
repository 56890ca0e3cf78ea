//! `wherein model bench`: what a model does on this machine.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use serde::Serialize;
use wherein_engine::{Embedder, ModelInfo, Role, Tier, passages};

use crate::ui::{NAME, Ui};

use super::CANCEL;

/// Times that a text is embedded to know how long a question takes.
const QUESTIONS: usize = 101;
/// A question.
const QUESTION: &str = "where are retries scheduled";
/// Seconds that each number of threads is measured, at least.
const SECONDS: f64 = 1.0;

/// What was measured of a model.
#[derive(Serialize)]
struct Bench {
    name: String,
    /// Milliseconds from nothing to the first vector.
    cold_ms: f64,
    /// Milliseconds of a question, half of the time less.
    question_ms: f64,
    /// Passages that were embedded over and over.
    passages: usize,
    threads: Vec<Rate>,
    /// Least cosine with the vectors of another implementation, where some came with the model.
    agreement: Option<f32>,
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

/// Measures one model.
pub(super) fn bench(info: &ModelInfo, threads: Option<usize>, ui: &Ui) -> anyhow::Result<()> {
    let begin = Instant::now();
    anyhow::ensure!(
        info.tier != Tier::Rerank,
        "{} makes no vectors; `wherein eval --rerank` shows what it does",
        info.name
    );
    let model = info.load()?;
    let model = model.as_ref();
    embed(model, QUESTION)?;
    let cold_ms = begin.elapsed().as_secs_f64() * 1000.0;
    let mut times: Vec<f64> = (0..QUESTIONS)
        .map(|_| seconds(|| embed(model, QUESTION).map(drop)))
        .collect::<anyhow::Result<_>>()?;
    times.sort_by(f64::total_cmp);
    let texts: Vec<&str> = passages().collect();
    let pieces: usize = texts.iter().filter_map(|text| model.pieces(text)).sum();
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
            taken += seconds(|| embed_all(model, &texts, threads))?;
            rounds += 1.0;
        }
        let per_second = |count: usize| count as f64 * rounds / taken;
        rates.push(Rate {
            threads,
            pieces_per_second: per_second(pieces),
            passages_per_second: per_second(texts.len()),
        });
    }
    let mut agreement: Option<f32> = None;
    for reference in info.references()? {
        let cosine = cosine(&embed(model, &reference.text)?, &reference.vector);
        agreement = Some(agreement.map_or(cosine, |least| least.min(cosine)));
    }
    let bench = Bench {
        name: info.name.clone(),
        cold_ms,
        question_ms: times[QUESTIONS / 2] * 1000.0,
        passages: texts.len(),
        threads: rates,
        agreement,
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
    match bench.agreement {
        Some(least) => writeln!(out, "  agreement       cosine {least:.4} at least with the reference")?,
        None => writeln!(out, "  agreement       no reference came with it")?,
    }
    if let Some(memory) = bench.memory {
        writeln!(out, "  memory          {:.0} MB", memory as f64 / 1e6)?;
    }
    Ok(())
}

/// Embeds every text, each thread one after the other.
fn embed_all(model: &dyn Embedder, texts: &[&str], threads: usize) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<()> {
        while let Some(text) = texts.get(next.fetch_add(1, Ordering::Relaxed)) {
            model.vector(Role::Passage, text)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| anyhow::bail!("a thread panicked")))
    })
}

fn seconds(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let begin = Instant::now();
    work()?;
    Ok(begin.elapsed().as_secs_f64())
}

fn embed(model: &dyn Embedder, text: &str) -> anyhow::Result<Vec<f32>> {
    Ok(model.vector(Role::Question, text)?)
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
