//! `inspect --diff`: the differences between two versions of a file.
//!
//! - `content` adds what descriptions do not have: hashes of geometry, of keyframes and of texels, and names in place of
//!   indices.
//! - `compare` finds the differences between two descriptions with content.

mod compare;
mod content;

use crate::inspect::description::{self, Options};
use crate::messages::{self, printable};
use crate::paths::archive_file;
use crate::paths::path_args::Unmatched;
use bevy_classic_models::texture::Pixels;
use compare::{Difference, compare};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit status if the files cannot be compared. 1 means that they differ.
const TROUBLE: u8 = 2;

/// Compares two files, and prints their differences.
pub fn run(files: &[Result<PathBuf, Unmatched>], json: bool) -> ExitCode {
    for unmatched in files.iter().filter_map(|file| file.as_ref().err()) {
        messages::error(format_args!(
            "{}: {}",
            unmatched.path.display(),
            unmatched.error
        ));
    }
    let [Ok(a), Ok(b)] = files else {
        messages::error(format_args!(
            "--diff needs two files; {} are given",
            files.iter().flatten().count()
        ));
        return ExitCode::from(TROUBLE);
    };
    let described: Vec<Result<Value, String>> = [a, b].map(|path| describe(path)).into();
    let mut values = Vec::new();
    for (path, described) in [a, b].into_iter().zip(described) {
        match described {
            Ok(value) => values.push(value),
            Err(error) => messages::error(format_args!("{}: {error}", path.display())),
        }
    }
    let [first, second] = &values[..] else {
        return ExitCode::from(TROUBLE);
    };
    let differences = compare(first, second);
    let printed = match json {
        true => print_json(a, b, &differences),
        false => print_text(a, b, &differences),
    };
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            messages::error(error);
            ExitCode::from(TROUBLE)
        }
        _ => ExitCode::from(u8::from(!differences.is_empty())),
    }
}

/// The description of a file with its content.
fn describe(path: &Path) -> Result<Value, String> {
    if crate::file_format::is_picture(path) {
        let bytes = archive_file::read(path).map_err(|error| error.to_string())?;
        let pixels = Pixels::decode(&bytes, path).map_err(|error| error.to_string())?;
        return Ok(json!({
            "format": "image",
            "width": pixels.width,
            "height": pixels.height,
            "texels": content::hash(&pixels.rgba),
        }));
    }
    let options = Options {
        times: &[],
        engines: &[],
        only_archives: false,
        game: None,
    };
    let description = description::describe(path, &options).map_err(|failure| failure.message)?;
    let mut value = description.to_json();
    value.as_object_mut().map(|object| object.remove("posed"));
    content::add(path, &mut value)?;
    Ok(value)
}

fn print_text(a: &Path, b: &Path, differences: &[Difference]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (a, b) = (a.display(), b.display());
    if differences.is_empty() {
        return writeln!(
            out,
            "{}",
            printable(format_args!("{a} and {b} have no differences"))
        );
    }
    writeln!(out, "{}", printable(format_args!("- {a}\n+ {b}")))?;
    for difference in differences {
        writeln!(out, "{}", printable(difference))?;
    }
    Ok(())
}

fn print_json(a: &Path, b: &Path, differences: &[Difference]) -> io::Result<()> {
    let differences: Vec<Value> = differences.iter().map(Difference::to_json).collect();
    let object = json!({
        "files": [a.display().to_string(), b.display().to_string()],
        "equal": differences.is_empty(),
        "differences": differences,
    });
    writeln!(io::stdout().lock(), "{object}")
}
