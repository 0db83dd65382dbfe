//! From the asset server's bytes to the [`Mdl`] asset and everything it holds.

use crate::quake::asset::{Mdl, MdlAssetLabel, MdlModel, MdlPicture, MdlSkin};
use crate::quake::convert::{ConvertedImage, ConvertedMdl, ConvertedSkin};
use crate::quake::dependencies::Palette;
use crate::quake::material::{MdlMaterial, MdlMorph, MdlMorphUniform, POSE_TABLE_IMAGE};
use crate::quake::settings::{MdlLoaderSettings, SkinFilter};
use crate::quake::spawn::scene;
use crate::scene::{ModelLoad, ModelLoadError, ModelLoading};
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, Handle, LoadContext};
use bevy::color::{Color, LinearRgba};
use bevy::image::Image;
use bevy::log::{error, warn};
use bevy::material::AlphaMode;
use bevy::math::Vec3;
use bevy::pbr::{ExtendedMaterial, StandardMaterial};
use bevy::reflect::TypePath;
use std::collections::HashMap;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// Loads Quake models: see [`Mdl`] for what becomes of them.
#[derive(TypePath)]
pub struct MdlLoader {
    loading: ModelLoading,
    extensions: Vec<&'static str>,
    /// Longest side of a texture that the adapter can do.
    max_texture_size: u32,
    /// The last good ones, by their paths: they stay while their files are broken.
    palettes: Mutex<HashMap<AssetPath<'static>, Palette>>,
}

impl MdlLoader {
    pub(super) fn new(
        loading: ModelLoading,
        extensions: Vec<&'static str>,
        max_texture_size: u32,
    ) -> Self {
        Self {
            loading,
            extensions,
            max_texture_size,
            palettes: Mutex::default(),
        }
    }

    fn palettes(&self) -> impl DerefMut<Target = HashMap<AssetPath<'static>, Palette>> {
        self.palettes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn palette(
        &self,
        load: &ModelLoad<'_>,
        settings: &MdlLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Palette {
        let model = load_context.path().clone();
        let mut search = load.search();
        let found = match (&load.overrides().palette, &settings.palette) {
            (Some(path), _) => Ok(path.clone()),
            (None, None) => return Palette::default(),
            (None, Some(name)) => search.find(name, &settings.texture_folders).await,
        };
        let path = match found {
            Ok(path) => path,
            Err(not_found) => {
                warn!("{model}: Quake's palette is used: {not_found}");
                return Palette::default();
            }
        };
        search.reads(&path);
        let builder = load_context.load_builder();
        match builder.load_value::<Palette>(path.clone()).await {
            Ok(palette) => {
                let palette = palette.take();
                self.palettes().insert(path, palette.clone());
                palette
            }
            Err(error) => {
                // Bevy does not follow what it could not load: https://github.com/bevyengine/bevy/issues/7470
                search.cannot_use(path.path());
                if let Some(last) = self.palettes().get(&path) {
                    error!("{model}: the palette stays as it was: {error}");
                    return last.clone();
                }
                warn!("{model}: Quake's palette is used: {error}");
                Palette::default()
            }
        }
    }
}

impl AssetLoader for MdlLoader {
    type Asset = Mdl;
    type Settings = MdlLoaderSettings;
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &MdlLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Mdl, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let settings = &load.settings(settings)?;
        let bytes = load.read(reader).await?;
        let palette = self.palette(&load, settings, load_context).await;
        load.reads(&palette);
        let contents = ConvertedMdl::load_for(&bytes, settings, &palette, self.max_texture_size);
        let contents = load.parsed(contents)?;
        load.warn(&contents.warnings);
        let model = Arc::new(model(contents, settings, load_context));
        let scene = scene(&model, settings, load_context);
        // All its pictures are in the file.
        load.finish(load_context, Vec::new()).await;
        Ok(Mdl { scene, model })
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}

/// Makes assets of everything but the scene.
pub(super) fn model(
    contents: ConvertedMdl,
    settings: &MdlLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> MdlModel {
    let label = |label: MdlAssetLabel| label.to_string();
    let poses = &contents.poses;
    let uniform = MdlMorphUniform {
        step: poses.step(),
        vertex_count: poses.vertex_count(),
        origin: poses.origin(),
        pose_count: poses.pose_count(),
        linear: u32::from(settings.filter == SkinFilter::Linear),
        ..MdlMorphUniform::default()
    };
    let mut materials = Materials {
        poses: load_context.add_labeled_asset(label(MdlAssetLabel::Poses), contents.poses_image),
        palette: load_context.add_labeled_asset(label(MdlAssetLabel::Palette), contents.palette),
        uniform,
        has_holes: contents.has_holes,
        load_context,
    };
    let skins: Vec<MdlSkin> = (0..)
        .zip(contents.skins)
        .map(|(index, skin)| materials.skin(index, skin))
        .collect();
    let plain_material = skins.is_empty().then(|| materials.plain());
    let palette = materials.palette;

    let mut named_clips = bevy::platform::collections::HashMap::default();
    for (index, clip) in contents.clips.iter().enumerate() {
        named_clips.entry(clip.name.clone()).or_insert(index);
    }
    MdlModel {
        mesh: load_context.add_labeled_asset(label(MdlAssetLabel::Mesh), contents.mesh),
        skins,
        plain_material,
        palette,
        frames: contents.frames,
        pose_names: contents.pose_names,
        clips: contents.clips,
        named_clips,
        poses: contents.poses,
        sync_type: contents.header.sync_type.into(),
        flags: contents.header.flags,
        radius: contents.header.radius,
        eye_position: Vec3::from_array(contents.header.eye_position),
        frame_rate: settings.frame_rate,
        interpolate: settings.interpolate,
        warnings: contents.warnings,
    }
}

/// Makes the assets of skins.
struct Materials<'a, 'b> {
    poses: Handle<Image>,
    palette: Handle<Image>,
    uniform: MdlMorphUniform,
    has_holes: bool,
    load_context: &'a mut LoadContext<'b>,
}

impl Materials<'_, '_> {
    fn skin(&mut self, skin: usize, contents: ConvertedSkin) -> MdlSkin {
        let pictures = (0..).zip(contents.pictures);
        MdlSkin {
            pictures: pictures
                .map(|(picture, contents)| self.picture(skin, picture, contents))
                .collect(),
            timing: contents.timing,
        }
    }

    fn picture(&mut self, skin: usize, picture: usize, contents: ConvertedImage) -> MdlPicture {
        let image = self.add(MdlAssetLabel::Picture { skin, picture }, contents.image);
        let fullbright = contents
            .fullbright
            .map(|image| self.add(MdlAssetLabel::Fullbright { skin, picture }, image));
        let indices = self.add(MdlAssetLabel::Indices { skin, picture }, contents.indices);
        let base = StandardMaterial {
            base_color_texture: Some(image.clone()),
            emissive: match fullbright {
                Some(_) => LinearRgba::WHITE,
                None => LinearRgba::BLACK,
            },
            emissive_texture: fullbright.clone(),
            alpha_mode: if self.has_holes {
                // Where later engines put the edge of a filtered hole.
                AlphaMode::Mask(0.666)
            } else {
                AlphaMode::Opaque
            },
            ..matte()
        };
        let label = MdlAssetLabel::Material { skin, picture };
        let material = self.material(label, base, indices.clone());
        MdlPicture {
            image,
            fullbright,
            indices,
            material,
        }
    }

    /// The material of a model without skins.
    fn plain(&mut self) -> Handle<MdlMaterial> {
        // Nothing reads the indices without player's colours, but something must be bound.
        let indices = POSE_TABLE_IMAGE;
        let base = StandardMaterial {
            base_color: Color::srgb(0.7, 0.7, 0.7),
            ..matte()
        };
        self.material(MdlAssetLabel::PlainMaterial, base, indices)
    }

    fn add(&mut self, label: MdlAssetLabel, image: Image) -> Handle<Image> {
        self.load_context
            .add_labeled_asset(label.to_string(), image)
    }

    fn material(
        &mut self,
        label: MdlAssetLabel,
        base: StandardMaterial,
        indices: Handle<Image>,
    ) -> Handle<MdlMaterial> {
        let (poses, palette) = (self.poses.clone(), self.palette.clone());
        let extension = MdlMorph::new(poses, indices, palette, self.uniform);
        let material = ExtendedMaterial { base, extension };
        self.load_context
            .add_labeled_asset(label.to_string(), material)
    }
}

/// The games knew no gloss.
fn matte() -> StandardMaterial {
    StandardMaterial {
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        ..StandardMaterial::default()
    }
}
