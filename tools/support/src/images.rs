//! Writes images to files.

use bevy::prelude::*;
use png::{BitDepth, ColorType, Compression, Encoder};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// The most frames per second of [`save_animation`].
pub const RATE: f32 = 12.0;

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

/// Writes images of one size as an animated PNG that loops after so many seconds. Frames are opaque.
///
/// # Errors
/// A message if there is no image, if one cannot be converted, or if the file cannot be written.
pub fn save_animation(frames: Vec<Image>, seconds: f32, path: &Path) -> Result<(), String> {
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
        let delay = seconds * 1000.0 / frames.len() as f32;
        encoder.set_frame_delay(delay.round() as u16, 1000)?;
        let mut writer = encoder.write_header()?;
        for frame in &frames {
            writer.write_image_data(frame)?;
        }
        writer.finish()
    };
    write().map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::save_animation;
    use bevy::asset::RenderAssetUsages;
    use bevy::prelude::*;
    use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
    use png::Decoder;
    use std::fs::File;
    use std::io::BufReader;

    #[test]
    fn animations_have_the_frames_in_order() {
        let size = Extent3d {
            width: 3,
            height: 2,
            ..default()
        };
        let colors = [[9, 8, 7, 255], [0, 0, 0, 255], [255, 1, 2, 255]];
        let frames = colors.map(|color| {
            let format = TextureFormat::Rgba8UnormSrgb;
            let usages = RenderAssetUsages::all();
            Image::new_fill(size, TextureDimension::D2, &color, format, usages)
        });
        let file = std::env::temp_dir().join(format!("animation-{}.png", std::process::id()));
        save_animation(frames.into(), 0.3, &file).expect("the file can be written");
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
}
