//! From the asset server's bytes to the [`Mdl`] asset and everything it holds.

use crate::quake::asset::{Mdl, MdlAssetLabel, MdlModel, MdlPicture, MdlSkin};
use crate::quake::convert::{MdlContents, PictureContents, SkinContents};
use crate::quake::dependencies::Palette;
use crate::quake::material::{MdlMaterial, MdlMorph, MdlMorphUniform, POSE_TABLE_IMAGE};
use crate::quake::settings::{MdlLoaderSettings, SkinFilter};
use crate::quake::spawn::scene;
use crate::read::ParseError;
use crate::scene::{FileFinder, LoaderOverrides, Reloads, RunningLoad};
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
use thiserror::Error;

/// Why a model could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MdlLoaderError {
    /// The file could not be read.
    #[error("{path}: could not be read: {source}")]
    Io {
        /// The asset's path.
        path: String,
        /// What the source said.
        source: std::io::Error,
    },
    /// The file is not a model, or a broken one.
    #[error("{path}: {source}")]
    Parse {
        /// The asset's path.
        path: String,
        /// Where and why.
        source: ParseError,
    },
    /// A setting has a value that no model can be loaded with.
    #[error("{path}: loader setting {setting} is {value}, but must be a finite number{but}")]
    Setting {
        /// The asset's path.
        path: String,
        /// Name of the setting.
        setting: &'static str,
        /// Its value.
        value: f32,
        /// What else is asked of it.
        but: &'static str,
    },
}

/// Loads Quake models: see [`Mdl`] for what becomes of them.
#[derive(TypePath)]
pub struct MdlLoader {
    finder: FileFinder,
    reloads: Reloads,
    overrides: LoaderOverrides,
    extensions: Vec<&'static str>,
    /// Longest side of a texture that the adapter can do.
    max_texture_size: u32,
    /// The last good ones, by their paths: they stay while their files are broken.
    palettes: Mutex<HashMap<AssetPath<'static>, Palette>>,
}

impl MdlLoader {
    pub(super) fn new(
        finder: FileFinder,
        reloads: Reloads,
        overrides: LoaderOverrides,
        extensions: Vec<&'static str>,
        max_texture_size: u32,
    ) -> Self {
        Self {
            finder,
            reloads,
            overrides,
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
        load: &RunningLoad,
        settings: &MdlLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Palette {
        let model = load_context.path().clone();
        let stated = self.overrides.get(&model);
        load.reads(&stated);
        let mut search = self.finder.search_for(load);
        let found = match (&stated.palette, &settings.palette) {
            (Some(path), _) => Ok(path.clone()),
            (None, None) => return Palette::default(),
            (None, Some(name)) => {
                let mut folders = settings.search_folders.clone();
                stated.prepend_folders(&mut folders);
                search.find(name, &folders).await
            }
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
                // Bevy does not follow what it could not load.
                search.cannot_use(&path);
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
    type Error = MdlLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &MdlLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Mdl, MdlLoaderError> {
        let load = self.reloads.begin(load_context);
        check(settings, load_context)?;
        let path = load_context.path().to_string();
        let mut bytes = Vec::new();
        if let Err(source) = reader.read_to_end(&mut bytes).await {
            return Err(MdlLoaderError::Io { path, source });
        }
        load.reads(&bytes);
        let palette = self.palette(&load, settings, load_context).await;
        load.reads(&palette);
        let contents =
            match MdlContents::load_for(&bytes, settings, &palette, self.max_texture_size) {
                Ok(contents) => contents,
                Err(source) => return Err(MdlLoaderError::Parse { path, source }),
            };
        for warning in &contents.warnings {
            warn!("{path}: {warning}");
        }
        let model = Arc::new(model(contents, settings, load_context));
        let scene = scene(&model, settings, load_context);
        // All its pictures are in the file.
        let pictures = Vec::new();
        self.reloads.finish(&load, load_context, pictures).await;
        Ok(Mdl { scene, model })
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}

fn check(
    settings: &MdlLoaderSettings,
    load_context: &LoadContext<'_>,
) -> Result<(), MdlLoaderError> {
    let error = |setting, value, but| {
        Err(MdlLoaderError::Setting {
            path: load_context.path().to_string(),
            setting,
            value,
            but,
        })
    };
    let (scale, rate) = (settings.scale, settings.frame_rate);
    if !scale.is_finite() || scale == 0.0 {
        return error("scale", scale, " other than 0");
    }
    if !rate.is_finite() || rate <= 0.0 {
        return error("frame_rate", rate, " above 0");
    }
    Ok(())
}

/// Makes assets of everything but the scene.
pub(super) fn model(
    contents: MdlContents,
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
    fn skin(&mut self, skin: usize, contents: SkinContents) -> MdlSkin {
        let pictures = (0..).zip(contents.pictures);
        MdlSkin {
            pictures: pictures
                .map(|(picture, contents)| self.picture(skin, picture, contents))
                .collect(),
            timing: contents.timing,
        }
    }

    fn picture(&mut self, skin: usize, picture: usize, contents: PictureContents) -> MdlPicture {
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
