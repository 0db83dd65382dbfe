//! The subcommand `thumbnail`: writes a small image of a file, for file managers. It opens no window.

use crate::file_format::is_texture;
use crate::paths::archive_file::{absolute, is_archive, read};
use crate::view::capture::texture::scaled;
use crate::view::capture::thumbnail;
use crate::{messages, output_file};
use bevy::math::UVec2;
use bevy_classic_models::texture::Pixels;
use classic_models_support::images::{Alpha, encode_png, pixels};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const NOTES: &str = "\
File managers of freedesktop.org run it with the files in the folder `share` of the project: see docs/viewer.md.

Exit status: 0; 1 if the file cannot be shown or the image cannot be written; 2 for wrong arguments.";

/// Writes a square PNG of a model, a particle system or a texture, with a transparent background.
///
/// A model shows the first frame of the clip that `view` plays. Its textures are searched for as in `view`.
#[derive(clap::Args)]
#[command(after_help = NOTES)]
pub struct Args {
    /// An .alo, .abc, .mdl, .lgw, .dds, .tga or .dtx file or a manifest (.model.ron); a path or a file:// URI
    #[arg(value_name = "IN")]
    input: String,
    /// The image. An existing one is replaced
    #[arg(value_name = "OUT.png")]
    output: PathBuf,
    /// The width and the height in pixels
    #[arg(value_name = "SIZE", value_parser = clap::value_parser!(u32).range(16..=2048))]
    size: u32,
}

/// Writes the image.
pub fn run(args: &Args) -> ExitCode {
    let written = path_of(&args.input).and_then(|input| {
        check_output(&args.output)?;
        let png = image(&input, args.size)?;
        output_file::write(&args.output, &png, true)
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => messages::failure(error),
    }
}

/// Refuses to replace a file that is not an image. File managers create an empty file, or name a new one without `.png`.
fn check_output(output: &Path) -> Result<(), String> {
    const SIGNATURE: &[u8] = b"\x89PNG";
    let start = || -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        let file = File::open(output)?;
        file.take(SIGNATURE.len() as u64).read_to_end(&mut start)?;
        Ok(start)
    };
    let is_replaceable = match start() {
        Ok(start) => start.is_empty() || start == SIGNATURE,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if !is_replaceable {
        let output = output.display();
        return Err(format!(
            "{output}: exists and is not a PNG, so it is not replaced"
        ));
    }
    Ok(())
}

/// The bytes of the PNG.
fn image(input: &Path, size: u32) -> Result<Vec<u8>, String> {
    if input.is_dir() || is_archive(input) {
        let input = input.display();
        return Err(format!(
            "{input}: expected a file that is not a folder or an archive"
        ));
    }
    let pixels = if is_texture(input) {
        let with_path = |error: &dyn std::fmt::Display| format!("{}: {error}", input.display());
        let bytes = read(&absolute(input)).map_err(|error| with_path(&error))?;
        let texture = Pixels::decode(&bytes, input).map_err(|error| with_path(&error))?;
        scaled(&texture, UVec2::splat(size))
    } else {
        pixels(thumbnail::image(input, size)?, Alpha::Straight)?
    };
    encode_png(&pixels, Alpha::Straight)
}

/// The path of an argument that is a path or a `file://` URI.
fn path_of(input: &str) -> Result<PathBuf, String> {
    let Some((scheme, rest)) = input.split_once("://") else {
        // `-` is standard input only for `view`.
        return Ok(Path::new(".").join(input));
    };
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !scheme.eq_ignore_ascii_case("file") || !path.starts_with('/') {
        return Err(format!(
            "{input}: expected a path or a file:// URI of this computer"
        ));
    }
    let path = decoded(path)
        .ok_or_else(|| format!("{input}: expected % and two hexadecimal digits of UTF-8"))?;
    // `/C:/walker.alo`
    let drive = path
        .strip_prefix('/')
        .filter(|path| path.get(1..2) == Some(":"));
    let path = drive.filter(|_| cfg!(windows)).unwrap_or(&path);
    Ok(PathBuf::from(path))
}

/// Text in which each `%` and two hexadecimal digits are a byte. `None` if the digits are missing, or it is not UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        (bytes, rest) = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |digit: &u8| char::from(*digit).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(low)?) as u8);
                (bytes, after)
            }
            (b'%', _) => return None,
            _ => {
                bytes.push(*first);
                (bytes, after)
            }
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::path_of;
    use std::path::PathBuf;

    #[test]
    fn inputs_are_paths_or_file_uris() {
        for (input, expected) in [
            ("a b%20.alo", "./a b%20.alo"),
            ("/a.alo", "/a.alo"),
            ("-", "./-"),
            ("file:///a%20b/%C3%BC.alo", "/a b/\u{fc}.alo"),
            ("file://localhost/a.alo", "/a.alo"),
            ("FILE:///a%2fb", "/a/b"),
        ] {
            assert_eq!(path_of(input), Ok(PathBuf::from(expected)));
        }
        for input in [
            "http://a/b.alo",
            "file://host/a",
            "file:///a%2",
            "file:///%ff",
        ] {
            assert!(path_of(input).is_err(), "{input}");
        }
    }

    /// The types of the thumbnailer are those that the MIME database defines, and two that it has already.
    #[test]
    fn the_thumbnailer_has_the_defined_types() {
        let thumbnailer = include_str!("../share/thumbnailers/classic-models.thumbnailer");
        let types = thumbnailer
            .lines()
            .find_map(|line| line.strip_prefix("MimeType="));
        let types = types.unwrap().split_terminator(';');
        let mut types: Vec<&str> = types.collect();
        let database = include_str!("../share/mime/packages/classic-models.xml");
        let defined = database.split("<mime-type type=\"").skip(1);
        let defined = defined.map(|rest| rest.split_once('"').unwrap().0);
        let mut defined: Vec<&str> = defined.chain(["image/x-dds", "image/x-tga"]).collect();
        types.sort_unstable();
        defined.sort_unstable();
        assert_eq!(types, defined);
    }
}
