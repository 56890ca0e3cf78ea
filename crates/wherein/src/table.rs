//! Figures of an evaluation as tables for people.

use std::io::{self, Write};

use wherein_eval::compare::{Moved, ranks};
use wherein_eval::figures::Figures;
use wherein_eval::run::Run;

use crate::ui::{BAD, DIM, LINE, NAME};

/// Changed questions that are listed.
const MOST_CHANGES: usize = 40;

/// A run: by category, grep beside it, latency, reliability.
pub(crate) fn run(out: &mut impl Write, run: &Run) -> io::Result<()> {
    writeln!(
        out,
        "{DIM}{:14} {:>5} {:>8} {:>6} {:>6} {:>8} {:>8} {:>7} {:>9} {:>7}{DIM:#}",
        "", "n", "NDCG@10", "hit@5", "MRR", "files@10", "spans@10", "symbol5", "nothing", "tokens"
    )?;
    for (name, figures) in &run.categories {
        row(out, if name.is_empty() { "(none)" } else { name }, figures)?;
    }
    row(out, "all", &run.total)?;
    if let Some(grep) = &run.grep {
        row(out, "grep", grep)?;
    }
    let latency = run.latency;
    writeln!(
        out,
        "\nquery {:.2} ms (half), {:.2} (19 of 20), {:.2} (99 of 100); tokens: read up to the first right passage",
        latency.p50, latency.p95, latency.p99
    )?;
    writeln!(out, "\n{DIM}score of the first passage   n   promised   right within five{DIM:#}")?;
    for bin in &run.reliability {
        writeln!(
            out,
            "{:.2} – {:.2}          {:>10}   {:>8.2}   {:>8.2}",
            bin.from, bin.to, bin.queries, bin.predicted, bin.observed
        )?;
    }
    Ok(())
}

fn row(out: &mut impl Write, name: &str, figures: &Figures) -> io::Result<()> {
    let some = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| format!("{v:.3}"));
    let nothing = match figures.absent {
        (_, 0) => "–".to_owned(),
        (silent, all) => format!("{silent}/{all}"),
    };
    let answerable = |value: f64| if figures.queries == 0 { "–".to_owned() } else { format!("{value:.3}") };
    writeln!(
        out,
        "{NAME}{name:14}{NAME:#} {:>5} {:>8} {:>6} {:>6} {:>8} {:>8} {:>7} {nothing:>9} {:>7.0}",
        figures.queries + figures.absent.1,
        answerable(figures.ndcg10),
        answerable(figures.hit5),
        answerable(figures.mrr),
        answerable(figures.file_recall10),
        some(figures.span_recall10),
        some(figures.symbol_hit5),
        figures.tokens
    )
}

/// What changed since another run, worst first.
pub(crate) fn changes(out: &mut impl Write, changed: &[Moved]) -> io::Result<()> {
    let worse = changed.iter().filter(|m| m.ndcg.1 < m.ndcg.0).count();
    writeln!(out, "\n{} questions are answered worse, {} better", worse, changed.len() - worse)?;
    for moved in changed.iter().take(MOST_CHANGES) {
        let change = moved.ndcg.1 - moved.ndcg.0;
        let style = if change < 0.0 { BAD } else { LINE };
        writeln!(
            out,
            "  {style}{change:+.3}{style:#}  {}  {DIM}{} → {}{DIM:#}",
            moved.query,
            ranks(&moved.ranks.0),
            ranks(&moved.ranks.1)
        )?;
    }
    if changed.len() > MOST_CHANGES {
        writeln!(out, "  {DIM}… {} more, with --json{DIM:#}", changed.len() - MOST_CHANGES)?;
    }
    Ok(())
}
