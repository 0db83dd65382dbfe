//! From the asset server's bytes to an [`Image`].

use crate::scene::{all_cases, has_extension};
#[cfg(feature = "lithtech")]
use crate::texture::dtx;
use crate::texture::picture::{Limits, Picture, PictureError};
use crate::texture::placeholder::{Placeholder, repeating};
use crate::texture::sampling::{Samplings, tell_once};
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, AssetServer, Handle, LoadContext, RenderAssetUsages};
use bevy::image::{Image, ImageLoaderSettings, ImageSampler, ImageSamplerDescriptor};
use bevy::reflect::TypePath;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::DerefMut;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// Extensions of the pictures that [`ClassicImageLoader`] loads.
const EXTENSIONS: &[&str] = &[
    "dds",
    "tga",
    #[cfg(feature = "lithtech")]
    "dtx",
];

/// Label of what a DTX picture gives off by itself.
pub(crate) const GLOW: &str = "Glow";

/// How [`ClassicImageLoader`] loads a file, from code or from its `.meta` file.
///
/// Bevy keeps one image per path: the settings of the first load count.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct ClassicImageSettings {
    /// Whether the texels are colours to look at. On by default; off for normals and masks.
    pub is_srgb: bool,
    /// How the picture is sampled. It repeats and is filtered linearly by default.
    pub sampler: ImageSampler,
    /// Where the picture is kept. In both worlds by default.
    pub asset_usage: RenderAssetUsages,
    /// What a picture that cannot be decoded becomes, with an error in the log, so that a model which
    /// wears it is drawn all the same. Nothing by default: the load fails.
    ///
    /// A picture that was loaded before fails in any case when it is loaded again, so that Bevy
    /// keeps the last good one while somebody saves the next.
    pub placeholder: Option<Placeholder>,
    /// Whether cube maps are refused: whoever draws flat pictures must not be given one, over which
    /// the adapter would end the app. Off by default.
    pub flat: bool,
}

impl Default for ClassicImageSettings {
    fn default() -> Self {
        Self {
            is_srgb: true,
            sampler: ImageSampler::Descriptor(repeating(ImageSamplerDescriptor::linear())),
            asset_usage: RenderAssetUsages::default(),
            placeholder: None,
            flat: false,
        }
    }
}

/// Why a picture could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ClassicImageError {
    /// The file could not be read.
    #[error("{path}: could not be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// What the source said.
        source: std::io::Error,
    },
    /// The file is not a picture, or a broken one, or of no use here.
    #[error("{path}: {source}")]
    Picture {
        /// The asset's path.
        path: String,
        /// Why.
        source: PictureError,
    },
}

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
    /// Bevy tries once more, without anybody's settings.
    is_flat: bool,
    /// What was said of it last: Bevy loads a file again for each of its labels.
    told: Option<String>,
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
                let known = Known {
                    is_good: true,
                    is_flat: settings.flat || self.was_flat(&path),
                    told: None,
                };
                self.known().insert(path, known);
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

/// Whether a file is one that [`ClassicImageLoader`] loads, by its extension in any case.
pub(super) fn is_classic_picture(path: &Path) -> bool {
    has_extension(path, EXTENSIONS)
}

/// Begins to load a picture that somebody put on a model in play, and what of it is unlit.
pub(crate) fn load_worn(
    server: &AssetServer,
    path: &AssetPath<'static>,
) -> (Handle<Image>, Option<Handle<Image>>) {
    if !is_classic_picture(path.path()) {
        return (server.load(path), None);
    }
    let load = |path: AssetPath<'static>| {
        let settings = |settings: &mut ClassicImageSettings| {
            settings.placeholder = Some(Placeholder::Checkers);
            settings.flat = true;
        };
        server.load_builder().with_settings(settings).load(path)
    };
    // First, because once the file is being loaded the label may be there without these settings.
    let glows = has_extension(path.path(), &["dtx"]);
    let glow = glows.then(|| load(path.clone().with_label(GLOW)));
    (load(path.clone()), glow)
}

/// Begins to load a picture that a model wears: by this crate's loader or by Bevy's.
pub(crate) fn load_picture(
    load_context: &mut LoadContext<'_>,
    path: AssetPath<'static>,
    is_srgb: bool,
    placeholder: Placeholder,
) -> Handle<Image> {
    let is_classic = is_classic_picture(path.path());
    let builder = load_context.load_builder();
    if is_classic {
        let settings = move |settings: &mut ClassicImageSettings| {
            settings.is_srgb = is_srgb;
            settings.placeholder = Some(placeholder);
            settings.flat = true;
        };
        builder.with_settings(settings).load(path)
    } else {
        let settings = move |settings: &mut ImageLoaderSettings| {
            settings.is_srgb = is_srgb;
            settings.sampler = ClassicImageSettings::default().sampler;
        };
        builder.with_settings(settings).load(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::samples::{BC1_BLOCK, DdsSample, four_cc, masks, tga};
    use crate::texture::{PLACEHOLDER_IMAGE, TexturePlugin};
    use bevy::MinimalPlugins;
    use bevy::app::App;
    use bevy::asset::io::memory::{Dir, MemoryAssetReader};
    use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
    use bevy::asset::{AssetApp, AssetPlugin, AssetServer, Assets, LoadState};
    use bevy::image::ImagePlugin;
    use bevy::render::render_resource::{
        TextureDimension, TextureFormat, TextureUsages, TextureViewDimension,
    };
    use std::time::Duration;

    struct Stage {
        app: App,
        files: Dir,
    }

    impl Stage {
        fn new(files: &[(&str, Vec<u8>)]) -> Self {
            let root = Dir::default();
            for (path, bytes) in files {
                root.insert_asset(Path::new(path), bytes.clone());
            }
            let files = root.clone();
            let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
                Box::new(MemoryAssetReader { root: root.clone() })
            };
            let mut app = App::new();
            app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
                .add_plugins((MinimalPlugins, AssetPlugin::default()))
                .add_plugins((ImagePlugin::default(), TexturePlugin));
            app.finish();
            app.cleanup();
            Self { app, files }
        }

        fn load(&mut self, path: &'static str, placeholder: bool) -> Handle<Image> {
            let server = self.app.world().resource::<AssetServer>();
            let settings = move |settings: &mut ClassicImageSettings| {
                settings.placeholder = placeholder.then_some(Placeholder::Checkers);
            };
            server.load_builder().with_settings(settings).load(path)
        }

        /// Updates until something is seen of the server.
        fn wait(&mut self, what: impl Fn(&AssetServer, &Assets<Image>) -> bool) {
            for _ in 0..5000 {
                self.app.update();
                let world = self.app.world();
                if what(world.resource(), world.resource()) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            panic!("it never came");
        }

        fn loaded(&mut self, path: &'static str, placeholder: bool) -> Image {
            let handle = self.load(path, placeholder);
            self.wait(|server, _| server.is_loaded(&handle));
            self.image(&handle)
        }

        fn image(&self, handle: &Handle<Image>) -> Image {
            let images = self.app.world().resource::<Assets<Image>>();
            images.get(handle).unwrap().clone()
        }

        fn write(&mut self, path: &'static str, bytes: Vec<u8>) {
            self.files.insert_asset(Path::new(path), bytes);
            self.app.world().resource::<AssetServer>().reload(path);
        }
    }

    #[test]
    fn bytes_decide_not_names() {
        let dds = DdsSample::new(4, 4, four_cc(b"DXT1"), &BC1_BLOCK).bytes();
        let tga = tga(2, 1, 1, 24, 0, &[1, 2, 3]);
        let mut stage = Stage::new(&[("a.TGA", dds), ("b.Dds", tga)]);
        assert_eq!(stage.loaded("a.TGA", false).width(), 4);
        let image = stage.loaded("b.Dds", false);
        assert_eq!(image.data.as_deref(), Some(&[3, 2, 1, 255][..]));
        assert_eq!(
            image.texture_descriptor.format,
            TextureFormat::Rgba8UnormSrgb
        );
    }

    #[test]
    fn cube_maps_are_told_to_be_so() {
        let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
        let mut sample = DdsSample::new(2, 2, l8, &[9; 30]);
        (sample.levels, sample.caps2) = (2, 0xFE00);
        let image = Stage::new(&[("sky.dds", sample.bytes())]).loaded("sky.dds", false);
        let view = image.texture_view_descriptor.unwrap();
        assert_eq!(view.dimension, Some(TextureViewDimension::Cube));
        let texture = image.texture_descriptor;
        assert_eq!(texture.dimension, TextureDimension::D2);
        assert_eq!(texture.size.depth_or_array_layers, 6);
        assert_eq!(texture.mip_level_count, 2);
    }

    #[test]
    fn errors_begin_with_the_path() {
        let mut stage = Stage::new(&[("art/x.tga", b"?".to_vec())]);
        let handle = stage.load("art/x.tga", false);
        stage.wait(|server, _| matches!(server.load_state(&handle), LoadState::Failed(_)));
        let server = stage.app.world().resource::<AssetServer>();
        let LoadState::Failed(error) = server.load_state(&handle) else {
            unreachable!()
        };
        assert!(
            error
                .to_string()
                .contains("art/x.tga: TGA: the file is neither"),
            "{error}"
        );
    }

    #[test]
    fn a_placeholder_is_shown_until_there_is_a_picture_which_then_stays() {
        let good = tga(2, 1, 1, 24, 0, &[1, 2, 3]);
        let mut stage = Stage::new(&[("x.tga", b"?".to_vec())]);
        let handle = stage.load("x.tga", true);
        stage.wait(|server, _| server.is_loaded(&handle));
        let checkerboard = stage.image(&PLACEHOLDER_IMAGE);
        assert_eq!(stage.image(&handle).data, checkerboard.data);

        let width = |images: &Assets<Image>| images.get(&handle).map(Image::width);
        stage.write("x.tga", good);
        stage.wait(|_, images| width(images) == Some(1));

        stage.write("x.tga", b"half".to_vec());
        stage.wait(|server, _| matches!(server.load_state(&handle), LoadState::Failed(_)));
        assert_eq!(
            stage.image(&handle).width(),
            1,
            "the last good picture is kept"
        );
    }

    #[test]
    fn a_flat_picture_never_becomes_a_cube_map() {
        let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
        let mut cube = DdsSample::new(2, 2, l8, &[9; 30]);
        (cube.levels, cube.caps2) = (2, 0xFE00);
        let mut stage = Stage::new(&[("x.tga", tga(2, 1, 1, 24, 0, &[1, 2, 3]))]);
        let server = stage.app.world().resource::<AssetServer>();
        let flat = |settings: &mut ClassicImageSettings| settings.flat = true;
        let handle: Handle<Image> = server.load_builder().with_settings(flat).load("x.tga");
        stage.wait(|server, _| server.is_loaded(&handle));
        stage.write("x.tga", cube.bytes());
        stage.wait(|server, _| matches!(server.load_state(&handle), LoadState::Failed(_)));
        // Bevy's second try, without the settings.
        for _ in 0..100 {
            stage.app.update();
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(stage.image(&handle).texture_view_descriptor, None);
    }

    #[test]
    fn levels_are_renewed_with_the_picture() {
        let usage = |file: Vec<u8>| {
            let image = Stage::new(&[("x.dds", file)]).loaded("x.dds", false);
            image.texture_descriptor.usage
        };
        let mut sample = DdsSample::new(2, 2, masks(0x2_0000, 8, [0xFF, 0, 0, 0]), &[9; 5]);
        sample.levels = 2;
        // Bevy would copy but the largest into the texture that is there.
        assert!(!usage(sample.bytes()).contains(TextureUsages::COPY_DST));
        let one = tga(2, 1, 1, 24, 0, &[1, 2, 3]);
        assert!(usage(one).contains(TextureUsages::COPY_DST));
    }

    #[test]
    fn settings_may_name_only_what_they_change() {
        let settings: ClassicImageSettings = serde_json::from_str(r#"{"is_srgb": false}"#).unwrap();
        let expected = ClassicImageSettings {
            is_srgb: false,
            ..ClassicImageSettings::default()
        };
        assert_eq!(settings, expected);
        assert!(serde_json::from_str::<ClassicImageSettings>(r#"{"srgb": false}"#).is_err());
    }
}
