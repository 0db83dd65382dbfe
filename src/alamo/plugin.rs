//! Registers this module's assets, loaders and systems.

use crate::alamo::animation::AnimationPlugin;
use crate::alamo::appearance::{color_teams, show_parts};
use crate::alamo::asset::Alo;
use crate::alamo::billboard::{AloSceneRoot, BillboardPlugin};
use crate::alamo::components::{
    AloBone, AloInstance, AloPart, AloProxy, AloScene, AloSubmeshIndex, TeamColored,
};
#[cfg(feature = "crowd")]
use crate::alamo::crowd::AloCrowdPlugin;
use crate::alamo::dazzle::DazzlePlugin;
use crate::alamo::fallback::replace_failed_textures;
use crate::alamo::instance::on_scene_ready;
use crate::alamo::lights::LightPlugin;
use crate::alamo::loader::AloLoader;
use crate::alamo::material::{AloMaterial, shader};
use crate::alamo::particles::asset::AloParticles;
use crate::alamo::particles::components::AloParticleSystem;
use crate::alamo::particles::draw::ParticleDrawPlugin;
use crate::alamo::particles::simulate::ParticleSimulationPlugin;
use crate::alamo::proxies::{is_proxy_loading, propagate_to_proxies, spawn_proxy_models};
#[cfg(feature = "collision")]
use crate::alamo::raycast::AloCollider;
#[cfg(feature = "gizmos")]
use crate::alamo::raycast::AloColliderGizmosPlugin;
use crate::scene::{
    ClassicModelsSystems, DamageStage, DistanceLod, ModelLoading, ModelLod, PartVisibility,
    SpawnEarly, TeamColor, add_format, add_loading_check, all_cases, choose_levels, preload_shader,
    rebind_changed_textures, reserve_model_loader, reset_level,
};
use crate::texture::TexturePlugin;
use bevy::app::{App, Plugin, PostUpdate, SceneSpawnerSystems, SpawnScene};
use bevy::asset::{AssetApp, embedded_asset};
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, NoAutoAabb};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::light::NotShadowCaster;
use bevy::pbr::{MaterialPlugin, MeshMaterial3d};

/// Alamo models and their animations. Part of [`ClassicModelsPlugins`](crate::ClassicModelsPlugins).
pub struct AlamoPlugin {
    /// Extensions of the models, without the dot. Every combination of cases is registered.
    pub extensions: Vec<String>,
    /// Extensions of animations likewise.
    pub animation_extensions: Vec<String>,
}

impl Default for AlamoPlugin {
    fn default() -> Self {
        Self {
            extensions: vec!["alo".into()],
            animation_extensions: vec!["ala".into()],
        }
    }
}

impl Plugin for AlamoPlugin {
    fn build(&self, app: &mut App) {
        add_format::<AloScene>(app);
        embedded_asset!(app, "shaders/alo.wgsl");
        preload_shader(app, shader());
        if !app.is_plugin_added::<TexturePlugin>() {
            app.add_plugins(TexturePlugin);
        }
        app.add_plugins((
            MaterialPlugin::<AloMaterial>::default(),
            AnimationPlugin {
                extensions: self.animation_extensions.clone(),
            },
            BillboardPlugin,
            DazzlePlugin,
            LightPlugin,
            ParticleDrawPlugin,
            ParticleSimulationPlugin,
        ))
        .init_asset::<Alo>()
        .init_asset::<AloParticles>();
        rebind_changed_textures::<AloMaterial>(app);
        add_loading_check(app, is_proxy_loading);
        app.add_observer(on_scene_ready)
            .add_observer(reset_level::<AloInstance>)
            .add_systems(
                SpawnScene,
                spawn_proxy_models
                    .after(SpawnEarly)
                    .before(SceneSpawnerSystems::WorldInstanceSpawn),
            )
            .add_systems(
                PostUpdate,
                (
                    replace_failed_textures,
                    choose_levels::<AloInstance>,
                    (
                        propagate_to_proxies::<TeamColor>,
                        propagate_to_proxies::<ModelLod>,
                        propagate_to_proxies::<DistanceLod>,
                        propagate_to_proxies::<DamageStage>,
                        propagate_to_proxies::<PartVisibility>,
                    ),
                    show_parts,
                    color_teams,
                )
                    .chain()
                    .in_set(ClassicModelsSystems::Appearance),
            );
        #[cfg(feature = "gizmos")]
        app.add_plugins(AloColliderGizmosPlugin);
        register_types(app);
        reserve_model_loader::<Alo, AloLoader>(app, &self.extensions, |model| &model.scene);
        #[cfg(feature = "crowd")]
        app.add_plugins(AloCrowdPlugin);
    }

    fn finish(&self, app: &mut App) {
        let loader = AloLoader::new(
            ModelLoading::of(app.world()),
            all_cases(&self.extensions),
            all_cases(&self.animation_extensions),
        );
        app.register_asset_loader(loader);
    }
}

/// A scene may hold only what is registered.
fn register_types(app: &mut App) {
    app.register_type::<AloSceneRoot>()
        .register_type::<AloBone>()
        .register_type::<AloPart>()
        .register_type::<AloProxy>()
        .register_type::<AloSubmeshIndex>()
        .register_type::<TeamColored>()
        .register_type::<AloParticleSystem>()
        .register_type::<DynamicSkinnedMeshBounds>()
        .register_type::<NotShadowCaster>()
        .register_type::<MeshMaterial3d<AloMaterial>>()
        .register_type::<NoAutoAabb>()
        // Bevy does not register it as a component that scenes may hold (not reported upstream as far as known).
        .register_type_data::<NoAutoAabb, ReflectComponent>();
    #[cfg(feature = "collision")]
    app.register_type::<AloCollider>();
}
