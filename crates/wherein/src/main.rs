//! `wherein`: where in these files is …?
//!
//! This file only connects the rooms: `args` is the grammar, `settings` resolves it with environment and files, a file
//! of `command` does each verb, `render` and `ui` speak, `report` turns failures into words and exit codes.

mod args;
mod command;
mod corpus;
mod download;
mod mcp;
mod models;
mod mount;
mod notices;
mod project;
mod render;
mod report;
mod settings;
mod table;
mod ui;
mod watch;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return report::usage(&error),
    };
    let ui = ui::Ui::new(args.command.wants_json());
    match command::run(args, &ui) {
        Ok(exit) => exit.into(),
        Err(error) => report::failure(&ui, &error),
    }
}
