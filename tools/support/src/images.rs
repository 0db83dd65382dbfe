//! Writes images to files.

use bevy::prelude::*;
use png::{BitDepth, BlendOp, ColorType, Compression, Encoder};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Frames per second of [`save_animation`].
pub const RATE: u16 = 12;

/// Writes an image as an opaque PNG.
///
/// # Errors
/// A message if the image cannot be converted or the file cannot be written.
pub fn save(image: Image, path: &Path) -> Result<(), String> {
    let image = image
        .try_into_dynamic()
        .map_err(|error| error.to_string())?;
    let format = ImageFormat::Png.as_image_crate_format();
    let format = format.ok_or("Bevy was built without PNG")?;
    // The background is opaque.
    image
        .to_rgb8()
        .save_with_format(path, format)
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes images of one size as an animated PNG that loops, with [`RATE`] frames per second. Frames are opaque.
///
/// # Errors
/// A message if there is no image, if one cannot be converted, or if the file cannot be written.
pub fn save_animation(frames: Vec<Image>, path: &Path) -> Result<(), String> {
    let frames = frames.into_iter().map(|frame| {
        let frame = frame
            .try_into_dynamic()
            .map_err(|error| error.to_string())?;
        Ok(frame.to_rgb8())
    });
    let frames: Vec<_> = frames.collect::<Result<_, String>>()?;
    let first = frames.first().ok_or("an animation without frames")?;
    let (width, height) = first.dimensions();
    let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let write = || {
        let mut encoder = Encoder::new(BufWriter::new(file), width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        encoder.set_animated(frames.len() as u32, 0)?;
        encoder.set_frame_delay(1, RATE)?;
        encoder.set_blend_op(BlendOp::Source)?;
        let mut writer = encoder.write_header()?;
        writer.write_image_data(first)?;
        for pair in frames.windows(2) {
            // Only the rectangle that changes.
            let changed = (0..height)
                .flat_map(|y| (0..width).map(move |x| UVec2::new(x, y)))
                .filter(|at| pair[0].get_pixel(at.x, at.y) != pair[1].get_pixel(at.x, at.y));
            let (low, high) = changed.fold((UVec2::MAX, UVec2::ZERO), |(low, high), at| {
                (low.min(at), high.max(at + 1))
            });
            // A frame has at least one pixel.
            let low = low.min(high.saturating_sub(UVec2::ONE));
            let size = (high - low).max(UVec2::ONE);
            let (x, y, width, height) = (low.x, low.y, size.x, size.y);
            writer.set_frame_position(0, 0)?;
            writer.set_frame_dimension(width, height)?;
            writer.set_frame_position(x, y)?;
            let part: Vec<u8> = (y..y + height)
                .flat_map(|y| (x..x + width).flat_map(move |x| pair[1].get_pixel(x, y).0))
                .collect();
            writer.write_image_data(&part)?;
        }
        writer.finish()
    };
    write().map_err(|error| format!("{}: {error}", path.display()))
}
