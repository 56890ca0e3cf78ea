//! The streams: stdout is results, stderr is talk. Colour and progress are decided here, once.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The streams of one run.
pub(crate) struct Ui {
    /// Whether results and failures are JSON.
    pub(crate) json: bool,
}

/// Styles, empty where the stream takes no colour; anstream strips them there.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Paths.
pub(crate) const PATH: Style = AnsiColor::Magenta.on_default().bold();
/// Names.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default().bold();
/// Numbers of lines.
pub(crate) const LINE: Style = AnsiColor::Green.on_default();
/// Things that went wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

impl Ui {
    /// Decides nothing about colour: each stream does, when it is written.
    pub(crate) fn new(json: bool) -> Self {
        Ui { json }
    }

    /// Where results go.
    pub(crate) fn out(&self) -> anstream::AutoStream<io::StdoutLock<'static>> {
        anstream::AutoStream::auto(io::stdout().lock())
    }

    /// Whether results are read by a person.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// A line of talk. A closed stderr stops nothing.
    pub(crate) fn say(&self, line: impl AsRef<str>) {
        drop(writeln!(anstream::stderr(), "{}", line.as_ref()));
    }

    /// A progress bar on a terminal, nothing elsewhere.
    pub(crate) fn progress(&self) -> ProgressBar {
        if !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} files  {per_sec}  {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    }

    /// A bar of bytes on a terminal, nothing elsewhere.
    pub(crate) fn bytes(&self, name: &str, total: Option<u64>, done: u64) -> ProgressBar {
        if !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(10));
        let template = "{spinner} {msg}  {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        bar.set_position(done);
        bar
    }

    /// Makes a bar of files one of so many passages that are embedded.
    pub(crate) fn embedding(&self, bar: &ProgressBar, total: usize) {
        let template =
            "{spinner} {pos}/{len} passages of prose read by the deep model  {per_sec}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.reset();
        bar.set_length(total as u64);
    }
}
