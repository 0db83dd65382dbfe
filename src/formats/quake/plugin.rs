//! Registers this module's assets, loaders and systems.

use crate::appearance::rebind_textures::rebind_changed_textures;
use crate::appearance::skins::ActiveMaterials;
use crate::formats::quake::appearance::{ColoredMaterials, apply_appearance};
use crate::formats::quake::asset::Mdl;
use crate::formats::quake::convert::MAX_TEXTURE_SIZE;
use crate::formats::quake::dependencies::{Palette, PaletteLoader};
use crate::formats::quake::loader::MdlLoaderState;
use crate::formats::quake::material::{MdlMaterial, NORMALS_IMAGE, normals_image, vertex_shader};
use crate::formats::quake::player::play;
use crate::formats::quake::poses::MdlPoseTable;
use crate::formats::quake::settings::MdlLoaderSettings;
use crate::gpu::pose_table::add_pose_table;
use crate::gpu::shaders::preload_shader;
use crate::load::loading::insert_image;
use crate::playback::resolve::resolve_clips;
use crate::root::environment::ClassicModelsSystems;
use crate::spawn::plugin::{add_format, finish_format};
use bevy::asset::embedded_asset;
use bevy::prelude::*;
use bevy::render::renderer::RenderDevice;
use std::sync::Mutex;

/// Quake models. Part of [`ClassicModelsPlugins`](crate::ClassicModelsPlugins).
pub struct QuakePlugin {
    /// Extensions of the files, without the dot. Every combination of cases is registered.
    ///
    /// Other plugins may claim `mdl` for other formats; the last one registered wins.
    pub extensions: Vec<String>,
    /// The settings of models. Those that a `.meta` file or a load sets to other values than the built-in defaults override
    /// them.
    pub defaults: MdlLoaderSettings,
}

impl Default for QuakePlugin {
    fn default() -> Self {
        Self {
            extensions: vec!["mdl".into()],
            defaults: MdlLoaderSettings::default(),
        }
    }
}

impl Plugin for QuakePlugin {
    fn build(&self, app: &mut App) {
        add_format::<Mdl>(app, &self.extensions);
        embedded_asset!(app, "shaders/morph.wgsl");
        preload_shader(app, vertex_shader());
        rebind_changed_textures::<MdlMaterial>(app);
        app.add_plugins(MaterialPlugin::<MdlMaterial>::default())
            .init_asset::<Palette>()
            .init_asset_loader::<PaletteLoader>()
            .init_resource::<MdlPoseTable>()
            .init_resource::<ColoredMaterials>()
            .init_resource::<ActiveMaterials<MdlMaterial>>()
            .add_systems(
                PostUpdate,
                (
                    play.in_set(ClassicModelsSystems::Play).after(resolve_clips),
                    apply_appearance.in_set(ClassicModelsSystems::Appearance),
                ),
            );
    }

    fn finish(&self, app: &mut App) {
        insert_image(app, &NORMALS_IMAGE, normals_image());
        add_pose_table::<MdlMaterial>(app);
        // The adapter is known only now; loads that began before wait.
        let device = app.world().get_resource::<RenderDevice>();
        let max_texture_size = device.map_or(MAX_TEXTURE_SIZE, |device| {
            device.limits().max_texture_dimension_2d
        });
        let state = MdlLoaderState {
            max_texture_size,
            palettes: Mutex::default(),
        };
        finish_format::<Mdl>(app, &self.extensions, &self.defaults, state);
    }
}
