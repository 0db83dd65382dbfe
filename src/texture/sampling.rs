//! Pictures that are sampled in several ways.
//!
//! Bevy keeps one image per path, and how it is sampled is part of it. Where one picture is clamped
//! here and repeats there, each way is an image of its own under a label of the file. Whoever wants
//! one tells [`Samplings`], and every load of the file makes all that are in use: so all of them
//! change when the file does.

use crate::texture::mips::{with_levels, without_levels};
use crate::texture::picture::{Picture, PictureError};
use crate::texture::placeholder::Placeholder;
use crate::texture::settings::ClassicImageError;
use bevy::asset::{AssetPath, AssetServer, LoadContext, RenderAssetUsages};
use bevy::ecs::resource::Resource;
use bevy::image::{Image, ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::log::error;
use std::collections::HashMap;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// What labels of ways begin with.
const PREFIX: &str = "Sampled/";

/// A way in which a picture is sampled, always with linear filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampling {
    /// Whether it repeats along U and V, or ends in its border.
    pub(crate) wrap: [bool; 2],
    /// Whether it has smaller levels: the file's, or ones that are made. Blocks that the GPU reads keep the
    /// file's.
    pub(crate) mipmaps: bool,
    /// Whether its texels are colours to look at, or numbers.
    pub(crate) is_srgb: bool,
    /// Whether it is a cube map. A shader must never be given one for the other.
    pub(crate) is_cube: bool,
}

impl Sampling {
    /// What the image is called among those of its file.
    pub(super) fn label(self) -> String {
        let axis = |wraps| if wraps { "Wrap" } else { "Clamp" };
        let [u, v] = self.wrap.map(axis);
        let levels = if self.mipmaps { "Mips" } else { "NoMips" };
        let texels = if self.is_srgb { "Colors" } else { "Raw" };
        let kind = if self.is_cube { "Cube" } else { "Flat" };
        format!("{PREFIX}{u}U,{v}V,{levels},{texels},{kind}")
    }

    pub(super) fn sampler(self) -> ImageSampler {
        let axis = |wraps| match wraps {
            true => ImageAddressMode::Repeat,
            false => ImageAddressMode::ClampToEdge,
        };
        let [address_mode_u, address_mode_v] = self.wrap.map(axis);
        ImageSampler::Descriptor(ImageSamplerDescriptor {
            address_mode_u,
            address_mode_v,
            mipmap_filter: match self.mipmaps {
                true => ImageFilterMode::Linear,
                false => ImageFilterMode::Nearest,
            },
            ..ImageSamplerDescriptor::linear()
        })
    }

    fn image(self, picture: &Picture) -> Result<Image, PictureError> {
        picture.check_dimension(self.is_cube)?;
        let picture = match self.mipmaps {
            true => with_levels(picture, self.is_srgb),
            false => without_levels(picture),
        };
        let usage = RenderAssetUsages::default();
        Ok(picture.into_image(self.is_srgb, self.sampler(), usage))
    }

    fn placeholder(self) -> Image {
        match self.is_cube {
            true => Placeholder::Checkers.cube(),
            false => Placeholder::Checkers.image(),
        }
    }
}

/// The ways in which pictures are sampled that are in use, by their files.
#[derive(Resource, Clone)]
pub(crate) struct Samplings {
    server: AssetServer,
    ways: Arc<Mutex<HashMap<AssetPath<'static>, Vec<Way>>>>,
}

pub(super) struct Way {
    pub(super) sampling: Sampling,
    /// Whether there was a picture once; it stays while its file is broken.
    pub(super) is_good: bool,
    /// What was said of the file last, not to say it again.
    pub(super) told: Option<String>,
}

impl Samplings {
    pub(super) fn new(server: AssetServer) -> Self {
        Self {
            server,
            ways: Arc::default(),
        }
    }

    pub(super) fn server(&self) -> &AssetServer {
        &self.server
    }

    /// The labels of the ways in which a file is sampled.
    pub(super) fn labels(&self, path: &AssetPath<'static>) -> Vec<String> {
        let used = self.used(path).into_iter();
        used.map(Sampling::label).collect()
    }

    /// Makes the images of a file in all ways that are in use; tells whether there are any.
    pub(super) fn add_images(&self, picture: &Picture, load_context: &mut LoadContext<'_>) -> bool {
        let path = load_context.path().clone();
        let used = self.used(&path);
        for sampling in &used {
            let image = sampling.image(picture);
            if let Some(image) = self.settle(&path, *sampling, image) {
                load_context.add_labeled_asset(sampling.label(), image);
            }
        }
        !used.is_empty()
    }

    /// Makes placeholders of a file that is broken, where there was no picture yet; tells whether
    /// there are any.
    pub(super) fn add_placeholders(&self, load_context: &mut LoadContext<'_>) -> bool {
        let path = load_context.path().clone();
        let mut waiting = self.used(&path);
        let ways = self.ways();
        let of_file = ways.get(&path).map_or(&[][..], Vec::as_slice);
        waiting.retain(|sampling| {
            let is_it = |way: &&Way| way.sampling == *sampling;
            of_file.iter().find(is_it).is_some_and(|way| !way.is_good)
        });
        for sampling in &waiting {
            load_context.add_labeled_asset(sampling.label(), sampling.placeholder());
        }
        !waiting.is_empty()
    }

    /// What a way becomes; nothing if what it was before stays.
    fn settle(
        &self,
        path: &AssetPath<'static>,
        sampling: Sampling,
        image: Result<Image, PictureError>,
    ) -> Option<Image> {
        let mut ways = self.ways();
        let mut of_file = ways.get_mut(path).into_iter().flatten();
        let way = of_file.find(|way| way.sampling == sampling)?;
        match image {
            Ok(image) => {
                (way.is_good, way.told) = (true, None);
                Some(image)
            }
            Err(source) => {
                let path = path.to_string();
                tell_once(&ClassicImageError::Picture { path, source }, &mut way.told);
                (!way.is_good).then(|| sampling.placeholder())
            }
        }
    }

    fn used(&self, path: &AssetPath<'static>) -> Vec<Sampling> {
        let mut ways = self.ways();
        let Some(of_file) = ways.get_mut(path) else {
            return Vec::new();
        };
        self.forget_unused(path, of_file);
        let used = of_file.iter().map(|way| way.sampling).collect();
        if of_file.is_empty() {
            ways.remove(path);
        }
        used
    }

    pub(super) fn forget_unused(&self, path: &AssetPath<'static>, of_file: &mut Vec<Way>) {
        of_file.retain(|way| {
            let path = path.clone().with_label(way.sampling.label());
            self.server.get_handle::<Image>(path).is_some()
        });
    }

    pub(super) fn ways(&self) -> impl DerefMut<Target = HashMap<AssetPath<'static>, Vec<Way>>> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Logs an error, unless it is what was told last.
pub(super) fn tell_once(error: &ClassicImageError, told: &mut Option<String>) {
    let text = error.to_string();
    if told.as_ref() != Some(&text) {
        error!("{text}");
        *told = Some(text);
    }
}
