//! Checks that two PNG images show the same: `compare-images A B`. CI compares two captures of a program with it.
//!
//! Equal programs may draw a few pixels of text one step brighter. The order in which texts are laid out depends on
//! loads, and decides the positions of glyphs in Bevy's font atlas, which decide how their edges are rounded.
//!
//! In single pixels, two surfaces of a model that cross each other have the same depth. There the mesh that Bevy draws
//! first is visible. The order in which Bevy draws opaque meshes depends on loads, too.

use bevy::asset::RenderAssetUsages;
use bevy::image::{CompressedImageFormats, Image, ImageSampler, ImageType};
use std::process::ExitCode;

/// The largest difference of a channel, from 0 to 255, that the edge of a glyph may have.
const STEP: u8 = 1;

/// The largest count of pixels that differ.
const PIXELS: usize = 16;

/// The largest count of pixels that differ by more than [`STEP`].
const CROSSINGS: usize = 4;

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b] = &paths[..] else {
        eprintln!("usage: compare-images A B");
        return ExitCode::from(2);
    };
    match difference(a, b) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(difference)) => {
            eprintln!("{a} and {b} differ: {difference}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// How two images differ. `None` if they show the same.
fn difference(a: &str, b: &str) -> Result<Option<String>, String> {
    let [a, b] = [load(a)?, load(b)?];
    if a.size() != b.size() {
        return Ok(Some(format!("sizes {} and {}", a.size(), b.size())));
    }
    let [a, b] = [pixels(&a)?, pixels(&b)?];
    let steps = a.chunks(4).zip(b.chunks(4)).map(|(a, b)| {
        let channels = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b));
        channels.max().unwrap_or(0)
    });
    let steps: Vec<u8> = steps.filter(|step| *step > 0).collect();
    let max = steps.iter().copied().max().unwrap_or(0);
    let crossings = steps.iter().filter(|step| **step > STEP).count();
    let is_same = crossings <= CROSSINGS && steps.len() <= PIXELS;
    Ok((!is_same).then(|| format!("{} pixels, by at most {max} of 255", steps.len())))
}

/// Loads a PNG.
fn load(path: &str) -> Result<Image, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let image = Image::from_buffer(
        &bytes,
        ImageType::Extension("png"),
        CompressedImageFormats::NONE,
        true,
        ImageSampler::Default,
        RenderAssetUsages::MAIN_WORLD,
    );
    image.map_err(|error| format!("{path}: {error}"))
}

/// The pixels of an image, four bytes each.
fn pixels(image: &Image) -> Result<&[u8], String> {
    image.data.as_deref().ok_or("an image has no pixels".into())
}
