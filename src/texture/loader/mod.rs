//! The asset loader of [`Image`]s.

pub(crate) mod model_images;

use crate::load::weak_cache::remove_unused;
use crate::texture::decoded_image::{DecodedImage, ImageDecodeError, Limits};
use crate::texture::dtx;
use crate::texture::sampling::{DecodeState, Samplings};
use crate::texture::settings::{ClassicImageError, ClassicImageSettings, has_glow_label};
use crate::texture::sky_cube::turn_sky_cube;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, LoadContext, LoadState, UntypedAssetId};
use bevy::image::CompressedImageFormats;
use bevy::prelude::*;
use std::collections::HashMap;
use std::ops::DerefMut;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Label of the emissive image of a DTX file.
pub(crate) const GLOW: &str = "Glow";

/// Loads DDS, TGA and (feature `lithtech`) DTX files as [`Image`]s.
///
/// * The format is detected by the first bytes of the file, not by its extension. A PNG image with one of these extensions is
///   decoded too, and so are images of other formats that the app enables by features of Bevy, such as `jpeg`.
/// * A TGA image whose header says that it has no alpha keeps its fourth bytes, unless all are 0.
/// * Of a DTX file with a palette, only the mip levels that its header says are used; the others are averages of them.
/// * BC1, BC2, BC3 and BC7 are passed to the GPU if it supports them and the sides are multiples of 4.
///   Everything else becomes `Rgba8`: gray in all three colors, opaque if there is no alpha.
/// * Truncated mip levels are left out.
/// * Cube maps of six square faces become cube textures, with a `texture_view_descriptor` of dimension
///   `Cube`. A material must bind them to cube textures of its shader only, and other images to 2D
///   textures only.
/// * Volume textures and texture arrays are rejected.
/// * A `.dtx` file has a second image with the label `Glow`: its unlit texels, and black elsewhere. It is
///   one black texel if all texels are lit.
/// * If models sample one file in several ways, each way is an image with a label that begins with
///   `Sampled/`.
#[derive(TypePath)]
pub struct ClassicImageLoader {
    limits: Limits,
    samplings: Samplings,
    states: Mutex<HashMap<AssetPath<'static>, PathState>>,
}

/// The state of an image file that is in use.
#[derive(Default)]
struct PathState {
    decoding: DecodeState,
    /// Whether a load with [`flat`](ClassicImageSettings::flat) succeeded. If a later load fails, Bevy
    /// tries again with default settings, which must not accept a cube map. No upstream report known.
    is_flat: bool,
    /// The image that was loaded last, and its settings.
    settings: Option<(UntypedAssetId, ClassicImageSettings)>,
}

impl ClassicImageLoader {
    /// A loader for a GPU with the given capabilities.
    pub(crate) fn new(limits: Limits, samplings: Samplings) -> Self {
        Self {
            limits,
            samplings,
            states: Mutex::default(),
        }
    }

    /// Decodes a file, checks it against the settings, and adds the images of all samplings in use.
    fn decode_and_add_samplings(
        &self,
        bytes: &[u8],
        settings: &ClassicImageSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<DecodedImage, Box<DecodeFailure>> {
        let path = load_context.path().clone();
        let failure = |source, is_expected| {
            let path = path.to_string();
            let error = ClassicImageError::Decode { path, source };
            Box::new(DecodeFailure { error, is_expected })
        };
        match decode_named(bytes, path.path(), self.limits) {
            Ok(decoded) => {
                let is_sampled = self.samplings.add_images(&decoded, load_context);
                if settings.flat || !is_sampled && self.was_flat(&path) {
                    let is_flat = decoded.check_dimension(false);
                    is_flat.map_err(|error| failure(error, is_sampled))?;
                }
                Ok(decoded)
            }
            Err(error) => {
                if self.samplings.add_placeholders(load_context) {
                    let mut states = self.lock();
                    let state = states.entry(path.clone()).or_default();
                    state.decoding.was_decoded = false;
                }
                Err(failure(error, false))
            }
        }
    }

    /// Whether the image of a path may be bound as a 2D texture, so that it must not become a cube map.
    fn was_flat(&self, path: &AssetPath<'static>) -> bool {
        self.lock().get(path).is_some_and(|state| state.is_flat)
    }

    /// The placeholder of an image that can't be decoded. `None` if the load must fail.
    fn placeholder(
        &self,
        path: AssetPath<'static>,
        failure: &DecodeFailure,
        settings: &ClassicImageSettings,
    ) -> Option<Image> {
        let placeholder = settings.placeholder?;
        let mut states = self.lock();
        let state = states.entry(path).or_default();
        if !failure.is_expected {
            if state.decoding.was_decoded {
                return None;
            }
            state.decoding.log(&failure.error);
        }
        Some(Image {
            asset_usage: settings.asset_usage,
            ..placeholder.image()
        })
    }

    /// Records a successful load.
    fn record_success(&self, path: AssetPath<'static>, is_flat: bool) {
        let mut states = self.lock();
        let state = states.entry(path).or_default();
        state.decoding = DecodeState::SUCCESS;
        state.is_flat |= is_flat;
    }

    /// The settings to use for a load. For each requested label, Bevy loads the whole file again with the
    /// settings of that request: see <https://github.com/bevyengine/bevy/issues/12756>. The image without a
    /// label keeps its settings in such a load.
    fn effective(
        &self,
        path: &AssetPath<'static>,
        requested: &ClassicImageSettings,
    ) -> ClassicImageSettings {
        let image = self.samplings.server().get_path_id(path);
        let is_for_label = self.is_label_loading(path);
        let mut states = self.lock();
        remove_unused(&mut states, |path, _| self.is_used(path));
        let state = states.entry(path.clone()).or_default();
        match &state.settings {
            Some((of, first)) if is_for_label && Some(*of) == image => ClassicImageSettings {
                placeholder: requested.placeholder.or(first.placeholder),
                flat: requested.flat || first.flat,
                ..first.clone()
            },
            _ => {
                state.settings = image.map(|image| (image, requested.clone()));
                requested.clone()
            }
        }
    }

    /// Whether a labeled image of a file is being loaded.
    fn is_label_loading(&self, path: &AssetPath<'static>) -> bool {
        let server = self.samplings.server();
        self.labeled(path).any(|image| {
            let image = server.get_path_id(image);
            let state = image.and_then(|image| server.get_load_state(image));
            matches!(state, Some(LoadState::Loading))
        })
    }

    /// The paths of a file's labeled images.
    fn labeled(&self, path: &AssetPath<'static>) -> impl Iterator<Item = AssetPath<'static>> {
        let labels = self.samplings.labels(path).into_iter();
        let labels = labels.chain([GLOW.to_owned()]);
        labels.map(|label| path.clone().with_label(label))
    }

    /// Whether an image of a file has a handle.
    fn is_used(&self, path: &AssetPath<'static>) -> bool {
        let server = self.samplings.server();
        let mut images = core::iter::once(path.clone()).chain(self.labeled(path));
        images.any(|image| server.get_path_id(image).is_some())
    }

    fn lock(&self) -> impl DerefMut<Target = HashMap<AssetPath<'static>, PathState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decodes a file. Only the oldest DTX files need their extension.
pub(crate) fn decode_named(
    bytes: &[u8],
    path: &Path,
    limits: Limits,
) -> Result<DecodedImage, ImageDecodeError> {
    match DecodedImage::decode(bytes, limits) {
        // The oldest DTX files don't begin with the magic bytes.
        Err(ImageDecodeError::Tga(_) | ImageDecodeError::NotAnImage { .. })
            if has_glow_label(path) =>
        {
            dtx::decode(bytes, limits)
        }
        result => result,
    }
}

/// Decodes a cube map, and turns it to the axes of Bevy's environment maps.
fn decode_sky_cube(
    bytes: &[u8],
    path: &Path,
    limits: Limits,
) -> Result<DecodedImage, ImageDecodeError> {
    let uncompressed = Limits {
        compressed: CompressedImageFormats::NONE,
        ..limits
    };
    let mut cube = decode_named(bytes, path, uncompressed)?;
    cube.check_dimension(true)?;
    turn_sky_cube(&mut cube);
    Ok(cube)
}

/// A failed decode.
struct DecodeFailure {
    error: ClassicImageError,
    /// Whether the file is a cube map that materials sample as such, so that the error is not logged.
    is_expected: bool,
}

impl AssetLoader for ClassicImageLoader {
    type Asset = Image;
    type Settings = ClassicImageSettings;
    type Error = ClassicImageError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &ClassicImageSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Image, ClassicImageError> {
        let path = load_context.path().clone();
        let settings = &self.effective(&path, settings);
        let mut bytes = Vec::new();
        if let Err(source) = reader.read_to_end(&mut bytes).await {
            let path = path.to_string();
            return Err(ClassicImageError::Io { path, source });
        }
        let into_image = |decoded: DecodedImage| {
            let sampler = settings.sampler.clone();
            decoded.into_image(settings.is_srgb, sampler, settings.asset_usage)
        };
        if has_glow_label(path.path()) {
            let glow = into_image(dtx::glow(&bytes, self.limits));
            load_context.add_labeled_asset(GLOW, glow);
        }
        if settings.is_sky_cube {
            let cube = decode_sky_cube(&bytes, path.path(), self.limits);
            return cube.map(into_image).map_err(|source| {
                let path = path.to_string();
                ClassicImageError::Decode { path, source }
            });
        }
        match self.decode_and_add_samplings(&bytes, settings, load_context) {
            Ok(decoded) => {
                self.record_success(path, settings.flat);
                Ok(into_image(decoded))
            }
            Err(failure) => {
                let placeholder = self.placeholder(path, &failure, settings);
                placeholder.ok_or(failure.error)
            }
        }
    }
}

#[cfg(test)]
mod tests;
