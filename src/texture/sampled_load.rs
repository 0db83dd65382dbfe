//! Starts the load of an image with given [`Sampling`] settings.

use crate::load::weak_cache::remove_unused;
use crate::texture::loader::model_images::{ImageLoads, ImageUse};
use crate::texture::placeholder::{PLACEHOLDER_CUBE, PLACEHOLDER_IMAGE, Placeholder};
use crate::texture::sampling::{Sampling, Samplings};
use crate::texture::settings::{ClassicImageSettings, is_classic_image};
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;

/// The placeholder of an image that was not found.
pub(crate) fn placeholder_image(is_cube: bool) -> Handle<Image> {
    if is_cube {
        PLACEHOLDER_CUBE
    } else {
        PLACEHOLDER_IMAGE
    }
}

impl Samplings {
    /// Starts the load of an image with the given sampling. An image that can't be decoded, or has the
    /// wrong dimension, logs an error and becomes a placeholder.
    ///
    /// For images that Bevy's loader reads, no mip levels are generated, and the sampler of the first load
    /// is used for all.
    pub(crate) fn load(
        &self,
        load_context: &mut LoadContext<'_>,
        path: AssetPath<'static>,
        sampling: Sampling,
    ) -> Handle<Image> {
        if !is_classic_image(path.path()) {
            return load_by_bevy(load_context, path, sampling);
        }
        // Locked until there is a handle, so that `remove_unused` doesn't remove the new entry.
        let mut by_path = self.lock();
        remove_unused(&mut by_path, |path, states| {
            states.keys().any(|sampling| self.is_used(path, *sampling))
        });
        let states = by_path.entry(path.clone()).or_default();
        self.remove_unused(&path, states);
        states.entry(sampling).or_default();
        let settings = |settings: &mut ClassicImageSettings| {
            settings.placeholder = Some(Placeholder::Checkers);
            // The image without a label may be bound as a 2D texture.
            settings.flat = true;
        };
        let builder = load_context.load_builder().with_settings(settings);
        builder.load(path.with_label(sampling.label()))
    }
}

/// Starts the load of an image with Bevy's loader. Refuses cube maps: there is no way to check that Bevy's
/// loader makes one.
fn load_by_bevy(
    load_context: &mut LoadContext<'_>,
    path: AssetPath<'static>,
    sampling: Sampling,
) -> Handle<Image> {
    if sampling.is_cube {
        error!("{path}: a cube map must be a DDS file");
        return placeholder_image(true);
    }
    let usage = ImageUse {
        is_srgb: sampling.is_srgb,
        placeholder: Placeholder::Checkers,
        sampler: sampling.sampler(),
    };
    ImageLoads::Dependencies(load_context).load(path, usage)
}
