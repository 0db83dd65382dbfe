//! Loads the images that models refer to.

use crate::texture::loader::bevy_settings;
use crate::texture::placeholder::Placeholder;
use crate::texture::settings::{ClassicImageSettings, is_classic_image, is_loaded_by_bevy};
use bevy::asset::{AssetPath, Handle, LoadContext};
use bevy::image::Image;

/// Starts the load of an image of a model, with this crate's loader or Bevy's.
pub(crate) fn load_model_image(
    load_context: &mut LoadContext<'_>,
    path: AssetPath<'static>,
    is_srgb: bool,
    placeholder: Placeholder,
) -> Handle<Image> {
    let is_classic = is_classic_image(path.path());
    let builder = load_context.load_builder();
    if is_classic {
        let settings = move |settings: &mut ClassicImageSettings| {
            settings.is_srgb = is_srgb;
            settings.placeholder = Some(placeholder);
            settings.flat = true;
        };
        builder.with_settings(settings).load(path)
    } else if is_loaded_by_bevy(path.path()) {
        builder.with_settings(bevy_settings(is_srgb)).load(path)
    } else {
        builder.load(path)
    }
}
