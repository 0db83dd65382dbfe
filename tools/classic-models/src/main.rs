//! `classic-models`: shows and describes the model files of classic games, one module per subcommand.

mod inspect;
mod lgw_text;
mod view;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Shows and describes the model files of classic games.
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
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::View(args) => view::run(*args),
        Command::Inspect(args) => inspect::run(&args),
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
