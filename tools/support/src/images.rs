//! Writes rendered images to files: PNG, animated PNG, GIF and sequences of PNGs.

use super::gif;
use bevy::prelude::*;
use bevy_classic_models::texture::Pixels;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{File, create_dir_all};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The frames per second of animations by default.
pub const RATE: f32 = 12.0;

/// What the alpha of a rendered image becomes in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alpha {
    /// The file is opaque.
    #[default]
    Opaque,
    /// The background is transparent. The file has straight alpha, as PNG demands; rendered colors are multiplied by alpha.
    Straight,
}

/// Writes an image as a PNG.
///
/// # Errors
/// A message if the image cannot be converted or the file cannot be written.
pub fn save(image: Image, alpha: Alpha, path: &Path) -> Result<(), String> {
    let image = pixels(image, alpha)?;
    write_png(&image, alpha, path)
}

fn write_png(image: &Pixels, alpha: Alpha, path: &Path) -> Result<(), String> {
    let bytes = encode_png(image, alpha)?;
    std::fs::write(path, bytes).map_err(|error| with_path(path, error))
}

/// The bytes of a PNG.
///
/// # Errors
/// A message if the size does not fit the pixels.
pub fn encode_png(image: &Pixels, alpha: Alpha) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut write = || {
        let mut encoder = encoder(image, alpha, &mut bytes);
        encoder.set_compression(Compression::Balanced);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&channels(image, alpha))?;
        writer.finish()
    };
    write().map_err(|error: EncodingError| error.to_string())?;
    Ok(bytes)
}

/// The path of an image of a sequence in a folder: `000.png`, `001.png` and so on.
pub fn frame_path(folder: &Path, index: u32, count: u32) -> PathBuf {
    let digits = count.saturating_sub(1).to_string().len().max(3);
    folder.join(format!("{index:0digits$}.png"))
}

/// Removes the images of earlier sequences from a folder: those whose names are numbers, except for the first `count`.
/// Otherwise, a shorter sequence would end with the images of a longer one.
///
/// # Errors
/// A message if the folder cannot be read, or an image cannot be removed.
pub fn remove_other_frames(folder: &Path, count: u32) -> Result<(), String> {
    let frames: HashSet<PathBuf> = (0..count)
        .map(|index| frame_path(folder, index, count))
        .collect();
    let is_frame = |path: &Path| {
        let name = path.file_name().and_then(OsStr::to_str);
        let number = name.and_then(|name| name.strip_suffix(".png"));
        number
            .is_some_and(|number| number.len() >= 3 && number.bytes().all(|it| it.is_ascii_digit()))
    };
    let entries = folder
        .read_dir()
        .map_err(|error| with_path(folder, error))?;
    for entry in entries {
        let path = entry.map_err(|error| with_path(folder, error))?.path();
        if is_frame(&path) && !frames.contains(&path) && path.is_file() {
            std::fs::remove_file(&path).map_err(|error| with_path(&path, error))?;
        }
    }
    Ok(())
}

/// Writes `count` frames that loop after so many seconds: as a GIF or an animated PNG by the extension of `path`, otherwise
/// as a sequence of PNGs in a folder: `000.png`, `001.png` and so on. Images of earlier sequences are removed. All have the same
/// size. `frame` renders the next one.
///
/// # Errors
/// A message if there is no frame, if one cannot be converted, or if a file cannot be written.
pub fn save_animation(
    count: u32,
    mut frame: impl FnMut() -> Image,
    seconds: f32,
    alpha: Alpha,
    path: &Path,
) -> Result<(), String> {
    let mut frame = || pixels(frame(), alpha);
    let is = |expected: &str| {
        let extension = path.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(expected))
    };
    if is("gif") {
        let frames = (0..count).map(|_| frame());
        let frames: Vec<Pixels> = frames.collect::<Result<_, _>>()?;
        return gif::write(&frames, seconds, path).map_err(|error| with_path(path, error));
    }
    if !is("png") {
        create_dir_all(path).map_err(|error| with_path(path, error))?;
        (0..count)
            .try_for_each(|index| write_png(&frame()?, alpha, &frame_path(path, index, count)))?;
        return remove_other_frames(path, count);
    }
    let first = frame()?;
    let mut write = || -> Result<(), String> {
        let text = |error: EncodingError| with_path(path, error);
        let file = File::create(path).map_err(|error| with_path(path, error))?;
        let mut encoder = encoder(&first, alpha, BufWriter::new(file));
        encoder.set_compression(Compression::High);
        encoder.set_animated(count, 0).map_err(text)?;
        let delay = (seconds * 1000.0 / count as f32).round() as u16;
        encoder.set_frame_delay(delay, 1000).map_err(text)?;
        let mut writer = encoder.write_header().map_err(text)?;
        let mut write = |frame: &Pixels| writer.write_image_data(&channels(frame, alpha));
        write(&first).map_err(text)?;
        for _ in 1..count {
            write(&frame()?).map_err(text)?;
        }
        writer.finish().map_err(text)
    };
    write()
}

/// The pixels of a rendered image, sRGB.
///
/// # Errors
/// A message if the image cannot be converted.
pub fn pixels(image: Image, alpha: Alpha) -> Result<Pixels, String> {
    let image = image
        .try_into_dynamic()
        .map_err(|error| error.to_string())?
        .into_rgba8();
    let (width, height) = image.dimensions();
    let mut rgba = image.into_raw();
    match alpha {
        Alpha::Opaque => rgba
            .iter_mut()
            .skip(3)
            .step_by(4)
            .for_each(|alpha| *alpha = 255),
        Alpha::Straight => straighten(&mut rgba),
    }
    Ok(Pixels {
        width,
        height,
        rgba,
    })
}

/// Divides colors by alpha, in linear light. Surfaces that only add light leave alpha as it is: it is increased to the
/// brightest channel, so that they look the same over black.
fn straighten(rgba: &mut [u8]) {
    let linear: Vec<f32> = (0..=u8::MAX)
        .map(|value| Srgba::gamma_function(f32::from(value) / 255.0))
        .collect();
    for pixel in rgba.as_chunks_mut().0 {
        let [red, green, blue, alpha] = *pixel;
        let color = [red, green, blue].map(|channel| linear[usize::from(channel)]);
        let alpha = color.into_iter().fold(f32::from(alpha) / 255.0, f32::max);
        let byte = |value: f32| (value * 255.0).round() as u8;
        let straight = |channel: f32| byte(Srgba::gamma_function_inverse(channel / alpha));
        *pixel = match byte(alpha) {
            0 => [0; 4],
            alpha => {
                let [red, green, blue] = color.map(straight);
                [red, green, blue, alpha]
            }
        };
    }
}

/// An encoder of 8 bits per channel.
fn encoder<W: Write>(image: &Pixels, alpha: Alpha, to: W) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(to, image.width, image.height);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(match alpha {
        Alpha::Opaque => ColorType::Rgb,
        Alpha::Straight => ColorType::Rgba,
    });
    encoder
}

/// The channels of a PNG's pixels.
fn channels(image: &Pixels, alpha: Alpha) -> Vec<u8> {
    match alpha {
        Alpha::Straight => image.rgba.clone(),
        Alpha::Opaque => {
            let pixels = image.rgba.as_chunks::<4>().0.iter();
            pixels.flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
        }
    }
}

fn with_path(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::{Alpha, pixels, save_animation};
    use bevy::asset::RenderAssetUsages;
    use bevy::prelude::*;
    use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
    use png::Decoder;
    use std::fs::File;
    use std::io::BufReader;

    /// An image of 3 × 2 pixels of one color.
    pub fn filled(color: [u8; 4]) -> Image {
        let size = Extent3d {
            width: 3,
            height: 2,
            ..default()
        };
        let format = TextureFormat::Rgba8UnormSrgb;
        let usages = RenderAssetUsages::all();
        Image::new_fill(size, TextureDimension::D2, &color, format, usages)
    }

    #[test]
    fn animations_have_the_frames_in_order() {
        let colors = [[9, 8, 7, 255], [0, 0, 0, 255], [255, 1, 2, 255]];
        let mut frames = colors.map(filled).into_iter();
        let file = std::env::temp_dir().join(format!("animation-{}.png", std::process::id()));
        let next = || frames.next().expect("a frame");
        save_animation(3, next, 0.3, Alpha::Opaque, &file).expect("the file can be written");
        let decoder = Decoder::new(BufReader::new(File::open(&file).expect("the file exists")));
        let mut reader = decoder.read_info().expect("it is a PNG");
        let control = reader.info().animation_control.expect("it is animated");
        assert_eq!((control.num_frames, control.num_plays), (3, 0));
        let frame = reader.info().frame_control.expect("it has frames");
        assert_eq!((frame.delay_num, frame.delay_den), (100, 1000));
        for [red, green, blue, _] in colors {
            let mut found = vec![0; 3 * 2 * 3];
            reader.next_frame(&mut found).expect("a frame");
            assert_eq!(found, [red, green, blue].repeat(6));
        }
        std::fs::remove_file(file).expect("the file exists");
    }

    #[test]
    fn rendered_colors_are_divided_by_alpha() {
        for (rendered, straight) in [
            ([10, 20, 30, 255], [10, 20, 30, 255]),
            ([0, 0, 0, 128], [0, 0, 0, 128]),
            // A white surface that covers half of the pixel: 188 is half of the light.
            ([188, 188, 188, 128], [255, 255, 255, 128]),
            // Half of the light of red is added.
            ([188, 0, 0, 0], [255, 0, 0, 128]),
            ([0, 0, 0, 0], [0, 0, 0, 0]),
            // Too dark for a step of alpha.
            ([3, 0, 0, 0], [0, 0, 0, 0]),
        ] {
            let found = pixels(filled(rendered), Alpha::Straight).expect("it is an image");
            assert_eq!(found.rgba, straight.repeat(6), "{rendered:?}");
        }
        let opaque = pixels(filled([188, 0, 0, 0]), Alpha::Opaque).expect("it is an image");
        assert_eq!(opaque.rgba, [188, 0, 0, 255].repeat(6));
    }
}
