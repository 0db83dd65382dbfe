//! Starts the loads of images that models and skins refer to.

use crate::texture::loader::GLOW;
use crate::texture::placeholder::Placeholder;
use crate::texture::settings::{
    ClassicImageSettings, has_glow_label, is_classic_image, is_loaded_by_bevy,
};
use bevy::asset::meta::Settings;
use bevy::asset::{AssetPath, LoadContext};
use bevy::image::{ImageLoaderSettings, ImageSampler};
use bevy::prelude::*;

/// Starts loads of images, for the app or as dependencies of the asset that is being loaded.
pub(crate) enum ImageLoads<'a, 'b> {
    App(&'a AssetServer),
    Dependencies(&'a mut LoadContext<'b>),
}

/// How a model uses an image.
pub(crate) struct ImageUse {
    pub(crate) is_srgb: bool,
    /// In place of an image that this crate cannot decode.
    pub(crate) placeholder: Placeholder,
    /// The sampler of an image that Bevy's loader reads.
    pub(crate) sampler: ImageSampler,
}

impl ImageUse {
    /// With the sampler of this crate's loader.
    pub(crate) fn new(is_srgb: bool, placeholder: Placeholder) -> Self {
        Self {
            is_srgb,
            placeholder,
            sampler: ClassicImageSettings::default().sampler,
        }
    }
}

impl ImageLoads<'_, '_> {
    /// Starts the load of an image, with this crate's loader, Bevy's, or one of the app.
    pub(crate) fn load(&mut self, path: AssetPath<'static>, usage: ImageUse) -> Handle<Image> {
        let ImageUse {
            is_srgb,
            placeholder,
            sampler,
        } = usage;
        if is_classic_image(path.path()) {
            self.load_with(path, move |settings: &mut ClassicImageSettings| {
                settings.is_srgb = is_srgb;
                settings.placeholder = Some(placeholder);
                settings.flat = true;
            })
        } else if is_loaded_by_bevy(path.path()) {
            self.load_with(path, move |settings: &mut ImageLoaderSettings| {
                settings.is_srgb = is_srgb;
                settings.sampler = sampler.clone();
            })
        } else {
            match self {
                Self::App(server) => server.load(path),
                Self::Dependencies(load_context) => load_context.load_builder().load(path),
            }
        }
    }

    fn load_with<S: Settings>(
        &mut self,
        path: AssetPath<'static>,
        settings: impl Fn(&mut S) + Send + Sync + 'static,
    ) -> Handle<Image> {
        match self {
            Self::App(server) => server.load_builder().with_settings(settings).load(path),
            Self::Dependencies(load_context) => {
                let builder = load_context.load_builder();
                builder.with_settings(settings).load(path)
            }
        }
    }
}

/// Starts the load of an image of a model.
pub(crate) fn load_model_image(
    load_context: &mut LoadContext<'_>,
    path: AssetPath<'static>,
    is_srgb: bool,
    placeholder: Placeholder,
) -> Handle<Image> {
    let usage = ImageUse::new(is_srgb, placeholder);
    ImageLoads::Dependencies(load_context).load(path, usage)
}

/// Starts the load of a skin image, and of its emissive image if it has one.
pub(crate) fn load_skin_image(
    mut loads: ImageLoads<'_, '_>,
    path: &AssetPath<'static>,
) -> (Handle<Image>, Option<Handle<Image>>) {
    let mut load =
        |path: AssetPath<'static>| loads.load(path, ImageUse::new(true, Placeholder::Checkers));
    // First, because a load of the file could start the load of the label without these settings.
    let glow = has_glow_label(path.path()).then(|| load(path.clone().with_label(GLOW)));
    (load(path.clone()), glow)
}
