//! The asset loader: makes the [`Mdl`] asset, its labeled assets and its scene from a file's bytes.

use crate::formats::quake::asset::{Mdl, MdlAssetLabel, MdlModel, MdlSkin, MdlSkinImage};
use crate::formats::quake::components::MdlInstance;
use crate::formats::quake::convert::ConvertedMdl;
use crate::formats::quake::dependencies::Palette;
use crate::formats::quake::external_skins::{ExternalImage, ExternalSkins};
use crate::formats::quake::material::{MdlMaterial, MdlMorph, MdlMorphUniform};
use crate::formats::quake::settings::MdlLoaderSettings;
use crate::formats::quake::skins::{ConvertedSkin, HOLE_CUTOFF, SkinImage};
use crate::geometry::axes::z_up_forward_x;
use crate::load::error::{ModelLoadError, first_line};
use crate::load::find::FileSearch;
use crate::load::loading::LoaderOverride;
use crate::load::loading::{InvalidSetting, ModelLoad, check_positive};
use crate::load::weak_cache::WeakCache;
use crate::spawn::format::{Format, ModelLoader};
use crate::spawn::instance::ModelFormat;
use crate::spawn::instance::SharedModel;
use crate::spawn::scene::SceneModel;
use crate::texture::loader::model_images::load_model_image;
use crate::texture::placeholder::Placeholder;
use bevy::asset::{AssetPath, LoadContext};
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use classic_model_formats::mdl;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// Loads Quake models as [`Mdl`] assets.
pub type MdlLoader = ModelLoader<Mdl>;

/// What the loader holds.
pub struct MdlLoaderState {
    /// Maximum side of a texture, in texels, on this adapter.
    pub(crate) max_texture_size: u32,
    /// The last valid palettes that models use. They are used while their files are invalid.
    pub(crate) palettes: Mutex<Palettes>,
}

impl MdlLoaderState {
    fn palettes(&self) -> impl DerefMut<Target = Palettes> {
        self.palettes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn palette(
        &self,
        load: &ModelLoad<'_>,
        search: &mut FileSearch<'_>,
        settings: &MdlLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Arc<Palette> {
        let model = load_context.path().clone();
        let found = match (&load.overrides().palette, &settings.palette) {
            (Some(path), _) => Ok(path.clone()),
            (None, None) => return Arc::default(),
            (None, Some(name)) if name.contains("://") => Ok(AssetPath::parse(name).into_owned()),
            (None, Some(name)) => search.find(name, &settings.texture_folders).await,
        };
        let path = match found {
            Ok(path) => path,
            Err(not_found) => {
                warn!("{model}: using Quake's default palette: {not_found}");
                return Arc::default();
            }
        };
        search.note_read(&path);
        let builder = load_context.load_builder();
        match builder.load_value::<Palette>(path.clone()).await {
            Ok(palette) => shared_palette(&mut self.palettes(), path, palette.take()),
            Err(error) => {
                // Bevy does not track failed dependencies: https://github.com/bevyengine/bevy/issues/7470
                search.note_unusable(path.path());
                let error = first_line(&error);
                if let Some(last) = self.palettes().get(&path) {
                    error!("{model}: keeping the previous palette: {error}");
                    return last;
                }
                warn!("{model}: using Quake's default palette: {error}");
                Arc::default()
            }
        }
    }
}

/// The palettes that models use, by path.
type Palettes = WeakCache<AssetPath<'static>, Palette>;

/// The palette of a file, which all models share while it does not change.
fn shared_palette(
    palettes: &mut Palettes,
    path: AssetPath<'static>,
    palette: Palette,
) -> Arc<Palette> {
    let known = palettes.get(&path);
    if let Some(known) = known.filter(|known| **known == palette) {
        return known;
    }
    let palette = Arc::new(palette);
    palettes.insert(path, &palette);
    palette
}

impl Format for Mdl {
    const FORMAT: ModelFormat = ModelFormat::Quake;
    const LOADER: &'static str = "bevy_classic_models::quake::loader::MdlLoader";

    type Settings = MdlLoaderSettings;
    type State = MdlLoaderState;
    type Instance = MdlInstance;
    type OnRoot = MdlInstance;

    fn prepare(
        settings: &mut MdlLoaderSettings,
        overrides: &LoaderOverride,
    ) -> Result<(), InvalidSetting> {
        overrides.prepend_folders(&mut settings.texture_folders);
        settings.hole_index = overrides.hole_index.unwrap_or(settings.hole_index);
        settings.external_skins = overrides.external_skins.unwrap_or(settings.external_skins);
        check_positive("scale", settings.scale)?;
        check_positive("frame_rate", settings.frame_rate)
    }

    async fn load(
        loader: &MdlLoader,
        load: &ModelLoad<'_>,
        bytes: &[u8],
        settings: &MdlLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<(Mdl, Vec<Handle<Image>>), ModelLoadError> {
        let mut search = load.search();
        let palette = loader
            .state
            .palette(load, &mut search, settings, load_context);
        let palette = palette.await;
        load.add_input(&*palette);
        let file = load.parsed(mdl::parse(bytes))?;
        let external = match settings.external_skins {
            true => {
                let path = load_context.path().path().to_path_buf();
                ExternalSkins::find(&mut search, &path, &file.skins).await
            }
            false => ExternalSkins::default(),
        };
        let max_texture_size = loader.state.max_texture_size;
        let converted = ConvertedMdl::of(file, &external, settings, &palette, max_texture_size);
        let converted = load.parsed(converted)?;
        load.warn(&converted.warnings);
        let (model, images) = model(converted, &external.added, palette, settings, load_context);
        let model = Arc::new(model);
        let scene = scene(&model, settings, load_context).add(load_context);
        Ok((Mdl { scene, model }, images))
    }

    fn scene(&self) -> &Handle<WorldAsset> {
        &self.scene
    }
}

/// Adds all labeled assets except the scene, and makes the model of them. Also returns the images that are not in the file.
fn model(
    converted: ConvertedMdl,
    added: &[ExternalImage],
    palette: Arc<Palette>,
    settings: &MdlLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> (MdlModel, Vec<Handle<Image>>) {
    let label = |label: MdlAssetLabel| label.to_string();
    let poses = &converted.poses;
    let uniform = MdlMorphUniform {
        step: poses.step(),
        vertex_count: poses.vertex_count(),
        origin: poses.origin(),
        pose_count: poses.pose_count(),
    };
    let mut materials = Materials {
        poses: load_context.add_labeled_asset(label(MdlAssetLabel::Poses), converted.poses_image),
        uniform,
        has_holes: converted.has_holes,
        external_images: Vec::new(),
        load_context,
    };
    let mut skins: Vec<MdlSkin> = (0..)
        .zip(converted.skins)
        .map(|(index, skin)| materials.skin(index, skin))
        .collect();
    for image in added {
        let skin = materials.external_skin(skins.len(), image);
        skins.push(skin);
    }
    let plain_material = skins.is_empty().then(|| materials.plain());
    let external_images = core::mem::take(&mut materials.external_images);

    let mut named_clips = bevy::platform::collections::HashMap::default();
    for (index, clip) in converted.clips.iter().enumerate() {
        named_clips.entry(clip.name.clone()).or_insert(index);
    }
    let points = converted.poses.pose(0).map(|(position, _)| position.into());
    let boxes = points.map(|point| Aabb3d {
        min: point,
        max: point,
    });
    let shared = SharedModel {
        accepts_any_name: true,
        bounds: boxes.reduce(|one, other| one.merge(&other)),
        ..SharedModel::default()
    };
    let model = MdlModel {
        mesh: load_context.add_labeled_asset(label(MdlAssetLabel::Mesh), converted.mesh),
        skins,
        plain_material,
        palette,
        skin_converter: converted.skin_converter,
        frames: converted.frames,
        pose_names: converted.pose_names,
        clips: converted.clips,
        named_clips,
        poses: converted.poses,
        shared: shared.into(),
        sync_type: converted.header.sync_type.into(),
        flags: converted.header.flags,
        radius: converted.header.radius,
        eye_position: Vec3::from_array(converted.header.eye_position),
        frame_rate: settings.frame_rate,
        interpolate: settings.interpolate,
        warnings: converted.warnings,
    };
    (model, external_images)
}

/// Makes the images and materials of skins.
struct Materials<'a, 'b> {
    poses: Handle<Image>,
    uniform: MdlMorphUniform,
    has_holes: bool,
    /// The images that are not in the file.
    external_images: Vec<Handle<Image>>,
    load_context: &'a mut LoadContext<'b>,
}

impl Materials<'_, '_> {
    fn skin(&mut self, skin: usize, converted: ConvertedSkin) -> MdlSkin {
        let images = (0..).zip(converted.images);
        MdlSkin {
            images: images
                .map(|(index, converted)| self.image(skin, index, converted))
                .collect(),
            timing: converted.timing,
        }
    }

    fn image(&mut self, skin: usize, index: usize, image: SkinImage) -> MdlSkinImage {
        let converted = match image {
            SkinImage::OfFile(converted) => converted,
            SkinImage::External(external) => return self.external_image(skin, index, &external),
        };
        let image = self.add(MdlAssetLabel::Image { skin, image: index }, converted.image);
        let fullbright = converted
            .fullbright
            .map(|image| self.add(MdlAssetLabel::Fullbright { skin, image: index }, image));
        self.skin_image(skin, index, (image, fullbright), converted.indices)
    }

    /// A skin behind those of the file.
    fn external_skin(&mut self, skin: usize, external: &ExternalImage) -> MdlSkin {
        MdlSkin {
            images: vec![self.external_image(skin, 0, external)],
            timing: None,
        }
    }

    fn external_image(
        &mut self,
        skin: usize,
        index: usize,
        external: &ExternalImage,
    ) -> MdlSkinImage {
        let mut load = |path: &AssetPath<'static>| {
            let path = path.clone();
            let image = load_model_image(self.load_context, path, true, Placeholder::Checkers);
            self.external_images.push(image.clone());
            image
        };
        let images = (load(&external.image), external.glow.as_ref().map(load));
        self.skin_image(skin, index, images, Arc::default())
    }

    /// An image with its fullbright texels and its material.
    fn skin_image(
        &mut self,
        skin: usize,
        index: usize,
        (image, fullbright): (Handle<Image>, Option<Handle<Image>>),
        indices: Arc<[u8]>,
    ) -> MdlSkinImage {
        let base = StandardMaterial {
            base_color_texture: Some(image.clone()),
            emissive: match fullbright {
                Some(_) => LinearRgba::WHITE,
                None => LinearRgba::BLACK,
            },
            emissive_texture: fullbright.clone(),
            alpha_mode: if self.has_holes {
                AlphaMode::Mask(HOLE_CUTOFF)
            } else {
                AlphaMode::Opaque
            },
            ..matte()
        };
        let label = MdlAssetLabel::Material { skin, image: index };
        let material = self.material(label, base);
        MdlSkinImage {
            image,
            fullbright,
            indices,
            material,
        }
    }

    /// The material of a model without skins.
    fn plain(&mut self) -> Handle<MdlMaterial> {
        let base = StandardMaterial {
            base_color: Color::srgb(0.7, 0.7, 0.7),
            ..matte()
        };
        self.material(MdlAssetLabel::PlainMaterial, base)
    }

    fn add(&mut self, label: MdlAssetLabel, image: Image) -> Handle<Image> {
        self.load_context
            .add_labeled_asset(label.to_string(), image)
    }

    fn material(&mut self, label: MdlAssetLabel, base: StandardMaterial) -> Handle<MdlMaterial> {
        let extension = MdlMorph::new(self.poses.clone(), self.uniform);
        let material = ExtendedMaterial { base, extension };
        self.load_context
            .add_labeled_asset(label.to_string(), material)
    }
}

/// A matte material: the games had no specular highlights.
fn matte() -> StandardMaterial {
    StandardMaterial {
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        ..StandardMaterial::default()
    }
}

/// The scene of a model.
pub(crate) fn scene(
    model: &Arc<MdlModel>,
    settings: &MdlLoaderSettings,
    load_context: &LoadContext<'_>,
) -> SceneModel {
    let axes = settings.convert_axes.then(z_up_forward_x);
    let shared = &model.shared;
    SceneModel::new::<Mdl>(model.clone(), shared, load_context, axes, settings.scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palettes_are_kept_while_models_use_them() {
        let mut palettes = Palettes::default();
        let palette = |level: u8| Palette(Box::new([[level; 3]; 256]));
        let path = |index: usize| AssetPath::from(format!("{index}.lmp"));
        let used = shared_palette(&mut palettes, path(0), palette(1));
        let again = shared_palette(&mut palettes, path(0), palette(1));
        assert!(
            Arc::ptr_eq(&used, &again),
            "models share an unchanged palette"
        );
        drop(used);
        for index in 1..100 {
            shared_palette(&mut palettes, path(index), palette(2));
        }
        assert_eq!(palettes.values().count(), 1, "only the used one");
        let kept = palettes.get(&path(0));
        assert_eq!(kept, Some(again));
    }
}
