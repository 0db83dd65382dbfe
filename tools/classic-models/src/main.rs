//! `classic-models`: shows, describes, converts and checks the model files of classic games, and lists and extracts their
//! archives. One module per subcommand.

mod archive_file;
mod archive_slot;
mod archive_sources;
mod convert;
mod entry_pattern;
mod extract;
mod file_format;
mod game;
mod inspect;
mod lgw_text;
mod list;
mod messages;
mod paths;
mod validate;
mod view;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Shows, describes, converts and checks the model files of classic games, and lists and extracts their archives.
#[derive(Parser)]
#[command(version, args_override_self = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    View(Box<view::Args>),
    Inspect(inspect::Args),
    Convert(convert::Args),
    List(list::Args),
    Extract(extract::Args),
    Validate(validate::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::View(args) => view::run(*args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::List(args) => list::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Validate(args) => validate::run(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
