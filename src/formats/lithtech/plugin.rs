//! Registers this module's assets, loaders and systems.

use crate::appearance::parts::{choose_levels, reset_level};
use crate::appearance::rebind_textures::rebind_changed_textures;
use crate::appearance::skins::ActiveMaterials;
use crate::crowd::meshes::update_meshes;
use crate::crowd::plugin::{add_crowds, finish_crowds};
use crate::formats::lithtech::animation::rig::pose_deforms;
use crate::formats::lithtech::appearance::{scroll_surfaces, update_appearance};
use crate::formats::lithtech::asset::Abc;
use crate::formats::lithtech::components::{AbcMesh, AbcNode};
use crate::formats::lithtech::crowd::scroll_crowds;
use crate::formats::lithtech::deform::pose_table::AbcPoseTable;
use crate::formats::lithtech::materials::fallback::replace_failed_skins;
use crate::formats::lithtech::materials::material::{AbcDeformMaterial, vertex_shader};
use crate::formats::lithtech::settings::AbcLoaderSettings;
use crate::gpu::pose_table::add_pose_table;
use crate::gpu::shaders::preload_shader;
use crate::playback::skeletal::add_rig;
use crate::root::environment::ClassicModelsSystems;
use crate::spawn::plugin::{add_format, finish_format};
use crate::texture::plugin::TexturePlugin;
use bevy::app::AnimationSystems;
use bevy::asset::embedded_asset;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;

/// LithTech models. Part of [`ClassicModelsPlugins`](crate::ClassicModelsPlugins).
pub struct LithTechPlugin {
    /// Extensions of the models, without the dot. Every combination of cases is registered.
    ///
    /// Other plugins may claim `abc` for other formats; the last one registered wins.
    pub extensions: Vec<String>,
    /// The settings of models. Those that a `.meta` file or a load sets to other values than the built-in defaults override
    /// them.
    pub defaults: AbcLoaderSettings,
}

impl Default for LithTechPlugin {
    fn default() -> Self {
        Self {
            extensions: vec!["abc".into()],
            defaults: AbcLoaderSettings::default(),
        }
    }
}

impl Plugin for LithTechPlugin {
    fn build(&self, app: &mut App) {
        add_format::<Abc>(app, &self.extensions);
        if !app.is_plugin_added::<TexturePlugin>() {
            app.add_plugins(TexturePlugin);
        }
        add_rig::<Abc>(app, &[]);
        // Apps without rendering have no plugin that registers it.
        if !app.world().contains_resource::<Assets<StandardMaterial>>() {
            app.init_asset::<StandardMaterial>();
        }
        embedded_asset!(app, "shaders/deform.wgsl");
        preload_shader(app, vertex_shader());
        rebind_changed_textures::<StandardMaterial>(app);
        rebind_changed_textures::<AbcDeformMaterial>(app);
        app.add_plugins(MaterialPlugin::<AbcDeformMaterial>::default())
            .init_resource::<AbcPoseTable>()
            .init_resource::<ActiveMaterials<StandardMaterial>>()
            .init_resource::<ActiveMaterials<AbcDeformMaterial>>()
            .register_type::<AbcNode>()
            .register_type::<AbcMesh>()
            .add_observer(reset_level::<Abc>)
            .add_systems(
                PostUpdate,
                (
                    pose_deforms
                        .after(AnimationSystems)
                        .before(VisibilitySystems::VisibilityPropagate),
                    (
                        replace_failed_skins,
                        choose_levels::<Abc>,
                        update_appearance,
                        scroll_surfaces,
                        scroll_crowds.after(update_meshes::<Abc>),
                    )
                        .chain()
                        .in_set(ClassicModelsSystems::Appearance),
                ),
            );
        add_crowds::<Abc>(app);
    }

    fn finish(&self, app: &mut App) {
        add_pose_table::<AbcDeformMaterial>(app);
        finish_crowds::<Abc>(app);
        finish_format::<Abc>(app, &self.extensions, &self.defaults, ());
    }
}
