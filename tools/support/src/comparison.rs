//! Compares two images of the same scene, of which a few pixels may differ.
//!
//! Equal programs may draw a few pixels of text one step brighter. The order in which texts are laid out depends on
//! loads, and decides the positions of glyphs in Bevy's font atlas, which decide how their edges are rounded.
//!
//! In single pixels, two surfaces of a model that cross each other have the same depth. There the mesh that Bevy draws
//! first is visible. The order in which Bevy draws opaque meshes depends on loads, too.

use bevy::asset::RenderAssetUsages;
use bevy::image::{CompressedImageFormats, Image, ImageSampler, ImageType};

/// The largest difference of a channel, from 0 to 255, that the edge of a glyph may have.
const STEP: u8 = 1;

/// The largest count of pixels that differ.
const PIXELS: usize = 16;

/// The largest count of pixels that differ by more than [`STEP`].
const CROSSINGS: usize = 4;

/// How two PNG images differ. `None` if they show the same.
///
/// # Errors
/// If one is not a PNG.
pub fn difference(a: &[u8], b: &[u8]) -> Result<Option<String>, String> {
    let [a, b] = [decode(a)?, decode(b)?];
    if a.size() != b.size() {
        return Ok(Some(format!("sizes {} and {}", a.size(), b.size())));
    }
    Ok(pixel_difference(pixels(&a)?, pixels(&b)?))
}

fn pixel_difference(a: &[u8], b: &[u8]) -> Option<String> {
    let steps = a.chunks(4).zip(b.chunks(4)).map(|(a, b)| {
        let channels = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b));
        channels.max().unwrap_or(0)
    });
    let steps: Vec<u8> = steps.filter(|step| *step > 0).collect();
    let max = steps.iter().copied().max().unwrap_or(0);
    let crossings = steps.iter().filter(|step| **step > STEP).count();
    let is_same = crossings <= CROSSINGS && steps.len() <= PIXELS;
    (!is_same).then(|| format!("{} pixels, by at most {max} of 255", steps.len()))
}

fn decode(bytes: &[u8]) -> Result<Image, String> {
    let image = Image::from_buffer(
        bytes,
        ImageType::Extension("png"),
        CompressedImageFormats::NONE,
        true,
        ImageSampler::Default,
        RenderAssetUsages::MAIN_WORLD,
    );
    image.map_err(|error| error.to_string())
}

/// The pixels of an image, four bytes each.
fn pixels(image: &Image) -> Result<&[u8], String> {
    image.data.as_deref().ok_or("an image has no pixels".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_pixels_may_differ() {
        let black = [0; 4 * 100];
        let with = |count: usize, value: u8| {
            let mut image = black;
            image[..4 * count].fill(value);
            pixel_difference(&black, &image)
        };
        assert_eq!(with(PIXELS, STEP), None);
        assert!(with(PIXELS + 1, STEP).is_some());
        assert_eq!(with(CROSSINGS, 255), None);
        assert_eq!(
            with(CROSSINGS + 1, 255).as_deref(),
            Some("5 pixels, by at most 255 of 255")
        );
    }

    #[test]
    fn files_that_are_no_images_are_errors() {
        assert!(difference(b"junk", b"junk").is_err());
    }
}
