//! Loads pictures that are sampled in several ways.

use crate::texture::placeholder::{PLACEHOLDER_CUBE, PLACEHOLDER_IMAGE, Placeholder};
use crate::texture::sampling::{Sampling, Samplings, Way};
use crate::texture::settings::{ClassicImageSettings, is_classic_picture, is_loaded_by_bevy};
use bevy::asset::{AssetPath, Handle, LoadContext};
use bevy::image::{Image, ImageLoaderSettings};
use bevy::log::error;

/// What is seen where a picture is nowhere.
pub(crate) fn missing(is_cube: bool) -> Handle<Image> {
    match is_cube {
        true => PLACEHOLDER_CUBE,
        false => PLACEHOLDER_IMAGE,
    }
}

impl Samplings {
    /// Begins to load a picture that is sampled in some way. A broken one, or one of the wrong
    /// dimension, is an error in the log and a placeholder.
    ///
    /// Pictures that Bevy's own loader reads have no levels but the file's, and one sampler: that of
    /// the first load.
    pub(crate) fn load(
        &self,
        load_context: &mut LoadContext<'_>,
        path: AssetPath<'static>,
        sampling: Sampling,
    ) -> Handle<Image> {
        if !is_classic_picture(path.path()) {
            return load_by_bevy(load_context, path, sampling);
        }
        // Held until there is a handle, so that nobody takes the way for one that is out of use.
        let mut ways = self.ways();
        let of_file = ways.entry(path.clone()).or_default();
        self.forget_unused(&path, of_file);
        if !of_file.iter().any(|way| way.sampling == sampling) {
            of_file.push(Way {
                sampling,
                is_good: false,
                told: None,
            });
        }
        let settings = |settings: &mut ClassicImageSettings| {
            settings.placeholder = Some(Placeholder::Checkers);
            // Somebody else may use the file as a flat picture.
            settings.flat = true;
        };
        let builder = load_context.load_builder().with_settings(settings);
        builder.load(path.with_label(sampling.label()))
    }
}

/// Bevy's loader does not tell what it makes of a file: cube maps are not asked of it.
fn load_by_bevy(
    load_context: &mut LoadContext<'_>,
    path: AssetPath<'static>,
    sampling: Sampling,
) -> Handle<Image> {
    if sampling.is_cube {
        error!("{path}: cube maps must be DDS files");
        return missing(true);
    }
    let builder = load_context.load_builder();
    if !is_loaded_by_bevy(path.path()) {
        return builder.load(path);
    }
    let settings = move |settings: &mut ImageLoaderSettings| {
        settings.is_srgb = sampling.is_srgb;
        settings.sampler = sampling.sampler();
    };
    builder.with_settings(settings).load(path)
}
