//! Options of a command line, each of which has a value: `--time 0.5`.

use bevy::math::UVec2;
use std::fmt::Display;
use std::str::FromStr;

/// The size of an image in pixels, written as `1280x720`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize(pub UVec2);

impl Default for ImageSize {
    fn default() -> Self {
        Self(UVec2::new(1280, 720))
    }
}

impl FromStr for ImageSize {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Every adapter supports textures of this size.
        let side = |text: &str| text.parse().ok().filter(|side| (1..=8192).contains(side));
        let pair = text.split_once('x').map(|(w, h)| (side(w), side(h)));
        match pair {
            Some((Some(width), Some(height))) => Ok(Self(UVec2::new(width, height))),
            _ => Err("expected width and height from 1 to 8192, such as 1280x720"),
        }
    }
}

/// The options of a command line.
#[derive(Debug)]
pub struct Options(Vec<(String, String)>);

impl Options {
    /// Reads the command line. Ends the program with a message if an option is not in `known`.
    pub fn from_env(known: &[&str]) -> Self {
        or_exit(Self::parse(std::env::args().skip(1), known))
    }

    fn parse(mut arguments: impl Iterator<Item = String>, known: &[&str]) -> Result<Self, String> {
        let mut options = Vec::new();
        while let Some(argument) = arguments.next() {
            let name = argument.strip_prefix("--").unwrap_or_default();
            if !known.contains(&name) {
                let known = known.join(", --");
                return Err(format!("unknown argument {argument}; expected --{known}"));
            }
            let value = arguments.next();
            let value = value.ok_or_else(|| format!("{argument} has no value"))?;
            options.push((name.to_owned(), value));
        }
        Ok(Self(options))
    }

    /// The value of an option. Ends the program with a message if the value is not a `T`.
    pub fn get<T: FromStr<Err: Display>>(&self, name: &str) -> Option<T> {
        self.all(name).last().map(|value| {
            let value = value.parse::<T>();
            or_exit(value.map_err(|error| format!("--{name}: {error}")))
        })
    }

    /// The values of an option that may be given several times.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |(option, _)| option == name);
        named.map(|(_, value)| value.as_str())
    }
}

fn or_exit<T>(result: Result<T, String>) -> T {
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, String> {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned());
        Options::parse(arguments, &["time", "model"])
    }

    #[test]
    fn options_have_values() {
        let options = parse(&["--time", "0.5", "--model", "a", "--model", "b"]).unwrap();
        assert_eq!(options.get("time"), Some(0.5));
        assert_eq!(options.all("model").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(options.get::<u32>("frames"), None);
    }

    #[test]
    fn sizes_are_width_and_height() {
        assert_eq!("640x360".parse(), Ok(ImageSize(UVec2::new(640, 360))));
        for text in ["", "640", "0x360", "640x8193", "-1x2", "640x360x2"] {
            assert!(text.parse::<ImageSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn unknown_options_and_missing_values_are_errors() {
        let error = parse(&["--colour", "red"]).unwrap_err();
        assert_eq!(error, "unknown argument --colour; expected --time, --model");
        assert!(parse(&["time"]).is_err());
        assert_eq!(parse(&["--time"]).unwrap_err(), "--time has no value");
    }
}
