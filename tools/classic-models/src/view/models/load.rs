//! Loads models by the extensions of their files, with the loader settings of the viewer.

use crate::file_format::{has_extension, is_manifest};
use crate::view::open::files::Folders;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloLoaderSettings};
use bevy_classic_models::lgw::{Lgw, LgwLoaderSettings};
use bevy_classic_models::lithtech::{Abc, AbcLoaderSettings};
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::quake::{Mdl, MdlLoaderSettings};
use std::path::Path;

// Quake units per Alamo and per LGW unit, so that models of all formats have similar sizes in the row.
const ALO_SCALE: f32 = 4.0;
const LGW_SCALE: f32 = 0.3;

/// The largest count of levels of detail of LithTech models to choose from.
const LEVELS: u16 = 24;

/// Loads a model with the loader of its extension.
pub fn load(
    file: &Path,
    path: &AssetPath<'static>,
    folders: &Folders,
    server: &AssetServer,
) -> UntypedHandle {
    fn untyped<A: Asset>(handle: Handle<A>) -> UntypedHandle {
        handle.untyped()
    }
    let (builder, path) = (server.load_builder(), path.clone());
    let mut textures = folders.texture_folders(file);
    if has_extension(file, "alo") {
        let settings = move |settings: &mut AloLoaderSettings| {
            settings.scale = ALO_SCALE;
            settings.texture_folders.extend(textures.iter().cloned());
        };
        untyped::<Alo>(builder.with_settings(settings).load(path))
    } else if has_extension(file, "abc") {
        let skins = folders.skins();
        // From the full model to the coarsest.
        let shares = (0..LEVELS).map(|level| f32::from(level) / f32::from(LEVELS));
        let shares: Vec<f32> = shares.collect();
        let settings = move |settings: &mut AbcLoaderSettings| {
            settings.skins.extend(skins.iter().cloned());
            settings.texture_folders.extend(textures.iter().cloned());
            settings.lod_shares.clone_from(&shares);
        };
        untyped::<Abc>(builder.with_settings(settings).load(path))
    } else if has_extension(file, "lgw") {
        // Texture paths are relative to the game's folder, which may be any folder above the model.
        textures.extend(folders.above(file));
        let settings = move |settings: &mut LgwLoaderSettings| {
            settings.scale = LGW_SCALE;
            settings.texture_folders.extend(textures.iter().cloned());
        };
        untyped::<Lgw>(builder.with_settings(settings).load(path))
    } else if is_manifest(file) {
        untyped::<ModelManifest>(builder.load(path))
    } else {
        let (palette, hole_index) = (folders.palette(), folders.hole_index);
        let settings = move |settings: &mut MdlLoaderSettings| {
            settings.palette = palette.clone().or_else(|| settings.palette.take());
            settings.hole_index = hole_index.unwrap_or(settings.hole_index);
        };
        untyped::<Mdl>(builder.with_settings(settings).load(path))
    }
}
