//! Text for the terminal. Output that is closed or full is no panic, and names cannot control the terminal.

use bevy::asset::AssetLoadError;
use bevy::asset::io::AssetReaderError;
use bevy::log::tracing::Event;
use bevy::log::tracing::field::Field;
use bevy_classic_models::load::ModelLoadError;
use bevy_classic_models::manifest::ManifestLoaderError;
use std::fmt::{self, Debug, Display, Write as _};
use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

/// Prints an error to standard error.
pub fn error(text: impl Display) {
    message(format_args!("classic-models: {text}"));
}

/// Prints an error, and returns the exit status of a failure.
pub fn failure(text: impl Display) -> ExitCode {
    error(text);
    ExitCode::FAILURE
}

/// Prints a line to standard error. Errors are ignored, because they cannot be reported.
pub fn message(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(text));
}

/// Prints a line to standard output. A reader that has closed the pipe is no error.
///
/// # Errors
/// If the line cannot be written.
pub fn line(text: impl Display) -> io::Result<()> {
    match writeln!(io::stdout(), "{}", printable(text)) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// A count with its noun, such as "1 file" and "2 files".
pub fn counted(count: u64, noun: &str) -> impl Display {
    fmt::from_fn(move |f| write!(f, "{count} {noun}{}", if count == 1 { "" } else { "s" }))
}

/// Text with escaped control characters, except for line breaks. Names in archives can contain commands of terminals.
pub fn printable(text: impl Display) -> impl Display {
    fmt::from_fn(move |f| write!(Escaped(f), "{text}"))
}

/// The name of an entry on one line, with escaped control characters.
pub fn escaped_name(name: &str) -> impl Display {
    printable(name.replace('\n', "\\u{a}"))
}

/// The message of an event of the log.
pub fn message_of(event: &Event<'_>) -> String {
    let mut text = String::new();
    event.record(&mut |field: &Field, value: &dyn Debug| {
        if field.name() == "message" {
            text = format!("{value:?}");
        }
    });
    text
}

struct Escaped<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|letter| {
            if letter.is_control() && letter != '\n' {
                write!(self.0, "{}", letter.escape_unicode())
            } else {
                self.0.write_char(letter)
            }
        })
    }
}

/// The error message of a loader or of the system for the file with a path, without Bevy's text around it.
pub fn explain(path: impl Display, error: &AssetLoadError) -> String {
    let error = match error {
        AssetLoadError::AssetLoaderError(error) => error,
        AssetLoadError::AssetReaderError(AssetReaderError::Io(error)) => {
            return format!("{path}: {error}");
        }
        error => return error.to_string(),
    };
    let own = error.error();
    None.or_else(|| Some(own.downcast_ref::<ModelLoadError>()?.to_string()))
        .or_else(|| Some(own.downcast_ref::<ManifestLoaderError>()?.to_string()))
        .unwrap_or_else(|| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_characters_are_escaped() {
        for (text, expected) in [
            ("a/\u{fc}.mdl\n", "a/\u{fc}.mdl\n"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("\u{9b}31m\r\u{7f}", "\\u{9b}31m\\u{d}\\u{7f}"),
        ] {
            assert_eq!(printable(text).to_string(), expected);
        }
    }
}
