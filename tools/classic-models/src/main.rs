//! `classic-models`: shows, describes, converts and checks the model files of classic games, and lists, extracts and
//! packs their archives. One module per subcommand.

mod clip_names;
mod convert;
mod engines;
mod extract;
mod file_format;
mod inspect;
mod lgw_text;
mod list;
mod log_buffer;
mod messages;
mod output_file;
mod pack;
mod paths;
mod thumbnail;
mod validate;
mod view;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  classic-models view                                  shows the sample models in a window
  classic-models view walker.alo                       shows a model
  classic-models view --game quake C:/Quake            shows the models of a game
  classic-models inspect walker.alo                    describes a model: bones, parts, textures
  classic-models convert walker.alo walker.glb         converts a model for Blender
  classic-models convert Models out                    converts all models and textures in a folder
  classic-models list id1/pak0.pak *.mdl               lists the models in an archive
  classic-models extract id1/pak0.pak --to files       extracts an archive
  classic-models pack mymod id1/pak2.pak               packs a folder into an archive
  classic-models validate --game quake C:/Quake        checks all files of a game

`classic-models COMMAND --help` has all options of a command, with examples; -h is shorter.";

/// Shows, describes, converts and checks the model files of classic games, and lists, extracts and packs their archives.
#[derive(Parser)]
#[command(version, args_override_self = true, after_help = EXAMPLES)]
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
    Pack(pack::Args),
    Validate(validate::Args),
    Thumbnail(thumbnail::Args),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::View(args) => view::run(*args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::List(args) => list::run(&args),
        Command::Extract(args) => extract::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Thumbnail(args) => thumbnail::run(&args),
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
