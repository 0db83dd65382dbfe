//! The option `--turntable N DIR`.

use clap::error::{Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::path::PathBuf;

const USAGE: &str = "classic-models view [OPTIONS] [FILE]...";

/// The most views.
const MOST: u32 = 3600;

/// The count of views from all sides, and the folder of their images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turntable {
    pub count: u32,
    pub folder: PathBuf,
}

/// The value of the option.
#[derive(Clone, Debug, Default)]
pub struct TurntableArg(pub Option<Turntable>);

impl Args for TurntableArg {
    fn augment_args(command: Command) -> Command {
        command.arg(
            Arg::new("turntable")
                .long("turntable")
                .num_args(2)
                .value_names(["N", "DIR"])
                .value_parser(clap::value_parser!(OsString))
                .conflicts_with("capture")
                .help("Write N views from all sides to 000.png, 001.png and so on in a folder, and exit")
                .long_help(
                    "Write N views from all sides to 000.png, 001.png and so on in a folder, and exit\n\n\
                    The first is that of --view. The camera has the same distance in all views.",
                ),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TurntableArg {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut values = matches
            .get_many::<OsString>("turntable")
            .into_iter()
            .flatten();
        let (Some(count), Some(folder)) = (values.next(), values.next()) else {
            return Ok(Self(None));
        };
        let number = count.to_str().and_then(|count| count.parse().ok());
        let number = number.filter(|count| (1..=MOST).contains(count));
        let count = number.ok_or_else(|| {
            let text = format!(
                "invalid value {count:?} for '--turntable <N> <DIR>': expected a number from 1 to {MOST}"
            );
            // The parser would print the usage of the root command.
            let mut command = Command::new("view").override_usage(USAGE);
            Error::raw(ErrorKind::ValueValidation, text).format(&mut command)
        })?;
        let folder = PathBuf::from(folder);
        Ok(Self(Some(Turntable { count, folder })))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Turntable, TurntableArg};
    use clap::{Args, Command, FromArgMatches};
    use std::path::PathBuf;

    fn parse(values: &[&str]) -> Result<Option<Turntable>, clap::Error> {
        let command = TurntableArg::augment_args(Command::new("view")).arg(clap::arg!(--capture));
        let args = ["view"].iter().chain(values);
        let matches = command.try_get_matches_from(args)?;
        Ok(TurntableArg::from_arg_matches(&matches)?.0)
    }

    #[test]
    fn the_count_and_the_folder_are_read() {
        assert_eq!(parse(&[]).unwrap(), None);
        let folder = PathBuf::from("out");
        let turntable = Turntable { count: 8, folder };
        assert_eq!(
            parse(&["--turntable", "8", "out"]).unwrap(),
            Some(turntable)
        );
        for wrong in [
            &["--turntable", "0", "out"][..],
            &["--turntable", "x", "out"],
            &["--turntable", "8"],
            &["--turntable", "8", "out", "--capture"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
