//! From the asset server's bytes to an [`Image`].

#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod pictures;

#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use pictures::load_picture;

use crate::scene::{all_cases, has_extension};
#[cfg(feature = "lithtech")]
use crate::texture::dtx;
use crate::texture::picture::{Limits, Picture, PictureError};
use crate::texture::placeholder::Placeholder;
use crate::texture::sampling::{Samplings, tell_once};
use crate::texture::settings::{
    ClassicImageError, ClassicImageSettings, EXTENSIONS, is_classic_picture, is_loaded_by_bevy,
};
use bevy::asset::io::Reader;
use bevy::asset::{
    AssetLoader, AssetPath, AssetServer, Handle, LoadContext, LoadState, UntypedAssetId,
};
use bevy::image::{Image, ImageLoaderSettings};
use bevy::reflect::TypePath;
use std::collections::HashMap;
use std::ops::DerefMut;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Label of what a DTX picture gives off by itself.
pub(crate) const GLOW: &str = "Glow";

/// Loads DDS, TGA and (feature `lithtech`) DTX pictures as [`Image`]s.
///
/// * Which of them a file is, its first bytes say, not its extension.
/// * BC1, BC2, BC3 and BC7 go to the GPU as they are if the adapter can do them and the sides are
///   multiples of 4. All else becomes `Rgba8`: grey in all three colours, opaque where there is no
///   alpha.
/// * Of the mip levels, those are kept that are whole.
/// * Cube maps of six squares become cube textures, which their `texture_view_descriptor` tells; a
///   material must not bind one where its shader has a flat texture, nor the other way round.
/// * Volumes and arrays are refused.
/// * What is called `.dtx` has another picture under the label `Glow`: the texels that are not lit, and
///   black elsewhere. It is a single black texel where all are lit.
/// * Where models sample one picture in several ways, each is an image under a label of its own, which
///   begins with `Sampled/`.
#[derive(TypePath)]
pub struct ClassicImageLoader {
    extensions: Vec<&'static str>,
    limits: Limits,
    samplings: Samplings,
    known: Mutex<HashMap<AssetPath<'static>, Known>>,
}

/// What is remembered of a path.
#[derive(Default)]
struct Known {
    /// Whether it was decoded once.
    is_good: bool,
    /// Whether it was asked to be [`flat`](ClassicImageSettings::flat), and was. When the next file is not
    /// Bevy tries once more, without anybody's settings. Not reported upstream as far as known.
    is_flat: bool,
    /// What was said of it last: Bevy loads a file again for each of its labels.
    told: Option<String>,
    /// The image that was loaded last, and the settings that count for it.
    settings: Option<(UntypedAssetId, ClassicImageSettings)>,
}

impl ClassicImageLoader {
    pub(super) fn extensions() -> Vec<&'static str> {
        all_cases(EXTENSIONS)
    }

    /// For what the adapter can do.
    pub(super) fn new(limits: Limits, samplings: Samplings) -> Self {
        Self {
            extensions: Self::extensions(),
            limits,
            samplings,
            known: Mutex::default(),
        }
    }

    #[cfg_attr(
        not(feature = "lithtech"),
        expect(
            unused_variables,
            reason = "other pictures are known by their first bytes"
        )
    )]
    fn decode(&self, bytes: &[u8], path: &Path) -> Result<Picture, PictureError> {
        match Picture::decode(bytes, self.limits) {
            // The oldest DTX pictures have no first bytes to be known by.
            #[cfg(feature = "lithtech")]
            Err(PictureError::Tga(_)) if has_extension(path, &["dtx"]) => {
                dtx::decode(bytes, self.limits)
            }
            picture => picture,
        }
    }

    /// The picture of a file as the settings want it, if they can have it; and all ways in which
    /// others sample it.
    fn picture(
        &self,
        bytes: &[u8],
        settings: &ClassicImageSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Picture, Box<Refusal>> {
        let path = load_context.path().clone();
        let refusal = |source, is_expected| {
            let path = path.to_string();
            let error = ClassicImageError::Picture { path, source };
            Box::new(Refusal { error, is_expected })
        };
        match self.decode(bytes, path.path()) {
            Ok(picture) => {
                let is_sampled = self.samplings.add_images(&picture, load_context);
                if settings.flat || !is_sampled && self.was_flat(&path) {
                    let is_flat = picture.check_dimension(false);
                    is_flat.map_err(|error| refusal(error, is_sampled))?;
                }
                Ok(picture)
            }
            Err(error) => {
                if self.samplings.add_placeholders(load_context) {
                    self.known().entry(path.clone()).or_default().is_good = false;
                }
                Err(refusal(error, false))
            }
        }
    }

    /// Whether somebody has a picture who may be given no cube map.
    fn was_flat(&self, path: &AssetPath<'static>) -> bool {
        self.known().get(path).is_some_and(|known| known.is_flat)
    }

    /// What is shown instead of a picture, if anything is.
    fn placeholder(
        &self,
        path: AssetPath<'static>,
        refusal: &Refusal,
        settings: &ClassicImageSettings,
    ) -> Option<Image> {
        let placeholder = settings.placeholder?;
        let mut known = self.known();
        let known = known.entry(path).or_default();
        if !refusal.is_expected {
            if known.is_good {
                return None;
            }
            tell_once(&refusal.error, &mut known.told);
        }
        Some(Image {
            asset_usage: settings.asset_usage,
            ..placeholder.image()
        })
    }

    /// Takes down that a picture was decoded.
    fn remember(&self, path: AssetPath<'static>, is_flat: bool) {
        let mut known = self.known();
        let known = known.entry(path).or_default();
        known.is_good = true;
        known.is_flat |= is_flat;
        known.told = None;
    }

    /// The settings that count for a load. Bevy loads a whole file again for each label that is asked for,
    /// with the settings of that request: see <https://github.com/bevyengine/bevy/issues/12756>. The image without a label
    /// keeps those that it has.
    fn effective(
        &self,
        path: &AssetPath<'static>,
        requested: &ClassicImageSettings,
    ) -> ClassicImageSettings {
        let image = self.samplings.server().get_path_id(path);
        let is_for_label = self.is_label_loading(path);
        let mut known = self.known();
        let known = known.entry(path.clone()).or_default();
        match &known.settings {
            Some((of, first)) if is_for_label && Some(*of) == image => ClassicImageSettings {
                placeholder: requested.placeholder.or(first.placeholder),
                flat: requested.flat || first.flat,
                ..first.clone()
            },
            _ => {
                known.settings = image.map(|image| (image, requested.clone()));
                requested.clone()
            }
        }
    }

    /// Whether an image that has a label is being loaded from a file.
    fn is_label_loading(&self, path: &AssetPath<'static>) -> bool {
        let server = self.samplings.server();
        let labels = self.samplings.labels(path).into_iter();
        labels.chain([GLOW.to_owned()]).any(|label| {
            let image = server.get_path_id(path.clone().with_label(label));
            let state = image.and_then(|image| server.get_load_state(image));
            matches!(state, Some(LoadState::Loading))
        })
    }

    fn known(&self) -> impl DerefMut<Target = HashMap<AssetPath<'static>, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why there is no picture.
struct Refusal {
    error: ClassicImageError,
    /// Whether others use the file for what it is, so that nobody need be told.
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
        let into_image = |picture: Picture| {
            let sampler = settings.sampler.clone();
            picture.into_image(settings.is_srgb, sampler, settings.asset_usage)
        };
        #[cfg(feature = "lithtech")]
        if has_extension(path.path(), &["dtx"]) {
            let glow = into_image(dtx::glow(&bytes, self.limits));
            load_context.add_labeled_asset(GLOW, glow);
        }
        match self.picture(&bytes, settings, load_context) {
            Ok(picture) => {
                self.remember(path, settings.flat);
                Ok(into_image(picture))
            }
            Err(refusal) => {
                let placeholder = self.placeholder(path, &refusal, settings);
                placeholder.ok_or(refusal.error)
            }
        }
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}

/// Begins to load a picture that somebody put on a model in play, and what of it is unlit.
pub(crate) fn load_skin_image(
    server: &AssetServer,
    path: &AssetPath<'static>,
) -> (Handle<Image>, Option<Handle<Image>>) {
    if !is_classic_picture(path.path()) {
        let builder = server.load_builder();
        return match is_loaded_by_bevy(path.path()) {
            true => (builder.with_settings(bevy_settings(true)).load(path), None),
            false => (builder.load(path), None),
        };
    }
    let load = |path: AssetPath<'static>| {
        let builder = server.load_builder();
        builder.with_settings(worn_settings).load(path)
    };
    // First, because once the file is being loaded the label may be there without these settings.
    let glow = glow_of(path).map(load);
    (load(path.clone()), glow)
}

/// The same as dependencies of what is being loaded: of a manifest whose models may be given the picture.
pub(crate) fn preload_skin_image(
    load_context: &mut LoadContext<'_>,
    path: &AssetPath<'static>,
) -> (Handle<Image>, Option<Handle<Image>>) {
    if !is_classic_picture(path.path()) {
        let builder = load_context.load_builder();
        return match is_loaded_by_bevy(path.path()) {
            true => (builder.with_settings(bevy_settings(true)).load(path), None),
            false => (builder.load(path), None),
        };
    }
    let mut load = |path: AssetPath<'static>| {
        let builder = load_context.load_builder();
        builder.with_settings(worn_settings).load(path)
    };
    let glow = glow_of(path).map(&mut load);
    (load(path.clone()), glow)
}

fn worn_settings(settings: &mut ClassicImageSettings) {
    settings.placeholder = Some(Placeholder::Checkers);
    settings.flat = true;
}

/// What of a picture is unlit, if its file says so.
fn glow_of(path: &AssetPath<'static>) -> Option<AssetPath<'static>> {
    let glows = has_extension(path.path(), &["dtx"]);
    glows.then(|| path.clone().with_label(GLOW))
}

/// How Bevy's image loader loads a picture that a model wears: sampled like those of this crate's loader.
fn bevy_settings(is_srgb: bool) -> impl Fn(&mut ImageLoaderSettings) + Send + Sync + 'static {
    move |settings| {
        settings.is_srgb = is_srgb;
        settings.sampler = ClassicImageSettings::default().sampler;
    }
}

#[cfg(test)]
mod tests;
