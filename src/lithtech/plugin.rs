//! Registers this module's assets, loaders and systems.

use crate::lithtech::animation::{AbcAnimator, AbcGraphs, find_events, play_clips, pose_deforms};
use crate::lithtech::appearance::{apply_appearance, scroll_surfaces};
use crate::lithtech::asset::Abc;
use crate::lithtech::components::{AbcInstance, AbcMesh, AbcNode, AbcScene};
#[cfg(feature = "crowd")]
use crate::lithtech::crowd::AbcCrowdPlugin;
use crate::lithtech::fallback::replace_failed_skins;
use crate::lithtech::instance::on_scene_ready;
use crate::lithtech::loader::AbcLoader;
use crate::lithtech::material::{AbcDeformMaterial, vertex_shader};
use crate::lithtech::pose_table::AbcPoseTable;
use crate::scene::{
    ActiveMaterials, ClassicModelsSystems, ModelLoading, add_animation, add_format,
    add_loading_check, add_pose_table, all_cases, choose_levels, follow_player, is_clip_loading,
    link_bones, preload_shader, rebind_changed_textures, reserve_model_loader, reset_level,
    resolve_clips,
};
use crate::texture::TexturePlugin;
use bevy::animation::{AnimatedBy, AnimationTargetId};
use bevy::app::{AnimationSystems, App, Plugin, PostUpdate};
use bevy::asset::{AssetApp, Assets, embedded_asset};
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, NoAutoAabb, VisibilitySystems};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::mesh::MeshTag;
use bevy::pbr::{MaterialPlugin, MeshMaterial3d, StandardMaterial};

/// LithTech models. Part of [`ClassicModelsPlugins`](crate::ClassicModelsPlugins).
pub struct LithTechPlugin {
    /// Extensions of the models, without the dot. Every combination of cases is registered.
    ///
    /// Other plugins may claim `abc` for other formats; the last one registered wins.
    pub extensions: Vec<String>,
}

impl Default for LithTechPlugin {
    fn default() -> Self {
        Self {
            extensions: vec!["abc".into()],
        }
    }
}

impl Plugin for LithTechPlugin {
    fn build(&self, app: &mut App) {
        add_format::<AbcScene>(app);
        if !app.is_plugin_added::<TexturePlugin>() {
            app.add_plugins(TexturePlugin);
        }
        add_animation(app);
        add_loading_check(app, is_clip_loading::<AbcAnimator>);
        // Apps without rendering have no plugin that registers it.
        if !app.world().contains_resource::<Assets<StandardMaterial>>() {
            app.init_asset::<StandardMaterial>();
        }
        embedded_asset!(app, "shaders/deform.wgsl");
        preload_shader(app, vertex_shader());
        rebind_changed_textures::<StandardMaterial>(app);
        rebind_changed_textures::<AbcDeformMaterial>(app);
        app.add_plugins(MaterialPlugin::<AbcDeformMaterial>::default())
            .init_asset::<Abc>()
            .init_resource::<AbcGraphs>()
            .init_resource::<AbcPoseTable>()
            .init_resource::<ActiveMaterials<StandardMaterial>>()
            .init_resource::<ActiveMaterials<AbcDeformMaterial>>()
            // A scene may hold only what is registered.
            .register_type::<AbcNode>()
            .register_type::<AbcMesh>()
            .register_type::<AnimatedBy>()
            .register_type::<AnimationTargetId>()
            .register_type::<DynamicSkinnedMeshBounds>()
            .register_type::<MeshMaterial3d<StandardMaterial>>()
            .register_type::<MeshMaterial3d<AbcDeformMaterial>>()
            .register_type::<MeshTag>()
            // Bevy does not register it as a component that scenes may hold (not reported upstream as far as known).
            .register_type::<NoAutoAabb>()
            .register_type_data::<NoAutoAabb, ReflectComponent>()
            .add_observer(on_scene_ready)
            .add_observer(reset_level::<AbcInstance>)
            .add_systems(
                PostUpdate,
                (
                    (play_clips, find_events)
                        .chain()
                        .in_set(ClassicModelsSystems::Play)
                        .after(resolve_clips)
                        .before(AnimationSystems),
                    (follow_player::<AbcAnimator>, pose_deforms)
                        .after(AnimationSystems)
                        .before(VisibilitySystems::VisibilityPropagate),
                    (
                        replace_failed_skins,
                        choose_levels::<AbcInstance>,
                        apply_appearance,
                        scroll_surfaces,
                    )
                        .chain()
                        .in_set(ClassicModelsSystems::Appearance),
                ),
            );
        link_bones::<AbcInstance>(app);
        reserve_model_loader::<Abc, AbcLoader>(app, &self.extensions, |model| &model.scene);
        #[cfg(feature = "crowd")]
        app.add_plugins(AbcCrowdPlugin);
    }

    fn finish(&self, app: &mut App) {
        add_pose_table::<AbcDeformMaterial>(app);
        let loader = AbcLoader::new(ModelLoading::of(app.world()), all_cases(&self.extensions));
        app.register_asset_loader(loader);
    }
}
