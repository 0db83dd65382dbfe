//! Writes images to files.

use bevy::prelude::*;
use std::path::Path;

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
