//! Images of the same file with different samplers, mip levels or color spaces.
//!
//! Bevy keeps one [`Image`] per path, and the sampler is part of it. If materials sample a file in several
//! ways, each [`Sampling`] gets a labeled image. [`Samplings`] is the registry of those in use: each load
//! of the file makes the images of all of them, so a changed file changes all of them.

use crate::load::warnings::LastMessage;
use crate::texture::decoded_image::{DecodedImage, ImageDecodeError};
use crate::texture::mips::{with_first_level_only, with_mip_levels};
use crate::texture::placeholder::Placeholder;
use crate::texture::settings::ClassicImageError;
use bevy::asset::{AssetPath, LoadContext, RenderAssetUsages};
use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use std::collections::HashMap;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// The prefix of the labels of sampled images.
const PREFIX: &str = "Sampled/";

/// How an image is sampled. The filter is always linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sampling {
    /// Whether the image repeats along U and V. If false, it is clamped to its edge.
    pub(crate) wrap: [bool; 2],
    /// Whether the image has mip levels: the file's, or generated ones if the file has none. None are
    /// generated for compressed blocks.
    pub(crate) mipmaps: bool,
    /// Whether texels are sRGB colors. If false, they are linear data.
    pub(crate) is_srgb: bool,
    /// Whether the image is a cube map. A shader's 2D and cube bindings are not interchangeable.
    pub(crate) is_cube: bool,
}

impl Sampling {
    /// The asset label of the image.
    pub(crate) fn label(self) -> String {
        let axis = |wraps| if wraps { "Wrap" } else { "Clamp" };
        let [u, v] = self.wrap.map(axis);
        let levels = if self.mipmaps { "Mips" } else { "NoMips" };
        let texels = if self.is_srgb { "Colors" } else { "Raw" };
        let kind = if self.is_cube { "Cube" } else { "Flat" };
        format!("{PREFIX}{u}U,{v}V,{levels},{texels},{kind}")
    }

    pub(crate) fn sampler(self) -> ImageSampler {
        let axis = |wraps| {
            if wraps {
                ImageAddressMode::Repeat
            } else {
                ImageAddressMode::ClampToEdge
            }
        };
        let [address_mode_u, address_mode_v] = self.wrap.map(axis);
        ImageSampler::Descriptor(ImageSamplerDescriptor {
            address_mode_u,
            address_mode_v,
            mipmap_filter: if self.mipmaps {
                ImageFilterMode::Linear
            } else {
                ImageFilterMode::Nearest
            },
            ..ImageSamplerDescriptor::linear()
        })
    }

    fn image(self, decoded: &DecodedImage) -> Result<Image, ImageDecodeError> {
        decoded.check_dimension(self.is_cube)?;
        let decoded = if self.mipmaps {
            with_mip_levels(decoded, self.is_srgb)
        } else {
            with_first_level_only(decoded)
        };
        let usage = RenderAssetUsages::default();
        Ok(decoded.into_image(self.is_srgb, self.sampler(), usage))
    }

    fn placeholder(self) -> Image {
        if self.is_cube {
            Placeholder::Checkers.cube()
        } else {
            Placeholder::Checkers.image()
        }
    }
}

/// The registry of the samplings that are in use, by image file.
#[derive(Resource, Clone)]
pub struct Samplings {
    server: AssetServer,
    by_path: Arc<Mutex<HashMap<AssetPath<'static>, SamplingStates>>>,
}

/// The states of the labeled images of one file.
pub(crate) type SamplingStates = HashMap<Sampling, DecodeState>;

/// The result of the loads of an image so far.
#[derive(Debug, Default)]
pub(crate) struct DecodeState {
    /// Whether a load succeeded. If so, the image is kept when a later load fails.
    pub(crate) was_decoded: bool,
    /// The last error. Bevy loads a file again for each of its labels, so errors would repeat.
    error: LastMessage,
}

impl DecodeState {
    pub(crate) const SUCCESS: Self = Self {
        was_decoded: true,
        error: LastMessage::NONE,
    };

    /// Logs an error, unless it equals the last one.
    pub(crate) fn log(&mut self, error: &ClassicImageError) {
        let text = error.to_string();
        if self.error.is_new(&text) {
            error!("{text}");
        }
    }
}

impl Samplings {
    pub(crate) fn new(server: AssetServer) -> Self {
        Self {
            server,
            by_path: Arc::default(),
        }
    }

    pub(crate) fn server(&self) -> &AssetServer {
        &self.server
    }

    /// The labels of a file's images that are in use.
    pub(crate) fn labels(&self, path: &AssetPath<'static>) -> Vec<String> {
        let used = self.used(path).into_iter();
        used.map(Sampling::label).collect()
    }

    /// Adds the labeled images of all samplings of a file that are in use. Returns whether there are any.
    pub(crate) fn add_images(
        &self,
        decoded: &DecodedImage,
        load_context: &mut LoadContext<'_>,
    ) -> bool {
        let path = load_context.path().clone();
        let used = self.used(&path);
        for sampling in &used {
            let image = sampling.image(decoded);
            if let Some(image) = self.resolve(&path, *sampling, image) {
                load_context.add_labeled_asset(sampling.label(), image);
            }
        }
        !used.is_empty()
    }

    /// Adds a labeled placeholder for each sampling of an invalid file that has no image yet. Returns
    /// whether there are any.
    pub(crate) fn add_placeholders(&self, load_context: &mut LoadContext<'_>) -> bool {
        let path = load_context.path().clone();
        let used = self.used(&path);
        let by_path = self.lock();
        let states = by_path.get(&path);
        let was_decoded = |sampling: &Sampling| Some(states?.get(sampling)?.was_decoded);
        let mut has_any = false;
        for sampling in used.iter().filter(|it| was_decoded(it) == Some(false)) {
            load_context.add_labeled_asset(sampling.label(), sampling.placeholder());
            has_any = true;
        }
        has_any
    }

    /// The image to add for a sampling: the decoded one, or a placeholder. `None` if decoding failed and
    /// the previous image is kept.
    fn resolve(
        &self,
        path: &AssetPath<'static>,
        sampling: Sampling,
        image: Result<Image, ImageDecodeError>,
    ) -> Option<Image> {
        let mut by_path = self.lock();
        let state = by_path.get_mut(path)?.get_mut(&sampling)?;
        match image {
            Ok(image) => {
                *state = DecodeState::SUCCESS;
                Some(image)
            }
            Err(source) => {
                let path = path.to_string();
                let error = ClassicImageError::Decode { path, source };
                state.log(&error);
                (!state.was_decoded).then(|| sampling.placeholder())
            }
        }
    }

    /// The samplings of a file that are in use.
    fn used(&self, path: &AssetPath<'static>) -> Vec<Sampling> {
        let mut by_path = self.lock();
        let Some(states) = by_path.get_mut(path) else {
            return Vec::new();
        };
        self.remove_unused(path, states);
        let used = states.keys().copied().collect();
        if states.is_empty() {
            by_path.remove(path);
        }
        used
    }

    /// Removes the samplings whose labeled image has no handle.
    pub(crate) fn remove_unused(&self, path: &AssetPath<'static>, states: &mut SamplingStates) {
        states.retain(|sampling, _| self.is_used(path, *sampling));
    }

    /// Whether the labeled image of a sampling has a handle.
    pub(crate) fn is_used(&self, path: &AssetPath<'static>, sampling: Sampling) -> bool {
        let path = path.clone().with_label(sampling.label());
        self.server.get_handle::<Image>(path).is_some()
    }

    pub(crate) fn lock(
        &self,
    ) -> impl DerefMut<Target = HashMap<AssetPath<'static>, SamplingStates>> {
        self.by_path.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
