//! One file a verb.

mod bench;
mod chunk;
mod corpus;
mod doctor;
mod eval;
mod gc;
mod grep;
mod index;
mod keys;
mod model;
mod refresh;
mod related;
mod search;
mod status;
mod watch;
mod why;

use std::io;

use wherein_engine::Cancel;

use crate::args::{Args, Command};
use crate::mcp::{self, Asked};
use crate::report::Exit;
use crate::settings::Settings;
use crate::ui::Ui;

/// The stop that Ctrl-C asks for; what is done by then is committed.
static CANCEL: Cancel = Cancel::new();

/// Does what was asked.
pub(crate) fn run(args: Args, ui: &Ui) -> anyhow::Result<Exit> {
    if let Command::ParseWorker = args.command {
        // Ctrl-C on a terminal reaches the whole group; the parent decides when its parsers end.
        ctrlc::set_handler(|| {})?;
        wherein_engine::limit_parser_memory();
        wherein_engine::serve_parser(io::stdin().lock(), io::stdout().lock())?;
        return Ok(Exit::Done);
    }
    let settings = Settings::read()?;
    match args.command {
        Command::Search(args) => search::run(&args, &settings, ui),
        Command::Related(args) => related::run(&args, &settings, ui),
        Command::Grep(args) => grep::run(&args, &settings, ui),
        Command::Eval(args) => eval::run(&args, &settings, ui),
        Command::Index(args) => index::run(&args, settings, ui),
        Command::Add(args) => corpus::add(&args, &settings, ui),
        Command::Remove(args) => corpus::remove(&args, &settings, ui),
        Command::List(args) => corpus::list(&args, &settings, ui),
        Command::Config(args) => corpus::config(&args, &settings, ui),
        Command::Watch(args) => watch::run(&args, &settings, ui),
        Command::Mcp(args) => {
            let (root, global) = (args.roots.root, args.roots.global);
            let asked = Asked { paths: args.paths, root, global };
            match args.http {
                Some(address) => mcp::serve_http(settings, asked, args.profile, address, ui),
                None => mcp::serve_stdio(settings, asked, args.profile),
            }
        }
        Command::Doctor(args) => doctor::run(&args, &settings, ui),
        Command::Gc(args) => gc::run(&args, &settings, ui),
        Command::Status(args) => status::run(&args, &settings, ui),
        Command::Why(args) => why::run(&args, &settings, ui),
        Command::Chunk(args) => chunk::run(&args, &settings, ui),
        Command::Model(args) => model::run(&args, &settings, ui),
        Command::ParseWorker => Ok(Exit::Done),
    }
}

/// Lets Ctrl-C ask for a stop once; a second one ends the process at once, which loses nothing that was committed.
fn watch_interrupts() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if CANCEL.is_cancelled() {
            std::process::abort();
        }
        CANCEL.cancel();
    })?;
    Ok(())
}
