//! The options `--hide` and `--show`. If several name the same part, the last one on the command line applies.

use bevy_classic_models::prelude::PartVisibility;
use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// Part names, each with `true` for `--hide` and `false` for `--show`, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub struct PartArgs(pub Vec<(String, bool)>);

impl PartArgs {
    /// Returns `parts` with these parts hidden and shown.
    pub fn applied_to(&self, mut parts: PartVisibility) -> PartVisibility {
        for (name, hidden) in &self.0 {
            match hidden {
                true => parts.hide(name),
                false => parts.show(name),
            };
        }
        parts
    }
}

impl Args for PartArgs {
    fn augment_args(command: Command) -> Command {
        let option = |name: &'static str, help: &'static str| {
            Arg::new(name)
                .long(name)
                .value_name("NAME")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .help(help)
        };
        command
            .arg(option(
                "hide",
                "Hide the parts with this name; may be given more than once",
            ))
            .arg(option(
                "show",
                "Show the parts with this name, even if the file hides them; may be given more than once",
            ))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PartArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut parts = named(matches, "hide", true);
        parts.extend(named(matches, "show", false));
        parts.sort_by_key(|(index, _)| *index);
        Ok(Self(parts.into_iter().map(|(_, part)| part).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The values of an option, each with its index on the command line.
fn named(matches: &ArgMatches, option: &str, hidden: bool) -> Vec<(usize, (String, bool))> {
    let names = matches.get_many::<String>(option).into_iter().flatten();
    let indices = matches.indices_of(option).into_iter().flatten();
    indices
        .zip(names)
        .map(|(index, name)| (index, (name.clone(), hidden)))
        .collect()
}
