//! Registers this module's assets, loaders and systems.

use crate::appearance::parts::{choose_levels, reset_level};
use crate::appearance::rebind_textures::rebind_changed_textures;
use crate::crowd::plugin::{add_crowds, finish_crowds};
use crate::formats::alamo::animation::plugin::AnimationPlugin;
use crate::formats::alamo::animation::sounds::SoundTables;
use crate::formats::alamo::appearance::{color_teams, show_parts};
use crate::formats::alamo::asset::Alo;
use crate::formats::alamo::components::{AloBone, AloPart, AloProxy, AloSubmeshIndex, TeamColored};
use crate::formats::alamo::crowd::color_crowds;
use crate::formats::alamo::loader::AloLoaderState;
use crate::formats::alamo::materials::fallback::replace_failed_textures;
use crate::formats::alamo::materials::material::{AloMaterial, GRASS_SHADER, apply_wind, shader};
use crate::formats::alamo::particles::asset::{AloParticleSystem, AloParticles};
use crate::formats::alamo::particles::draw::ParticleDrawPlugin;
use crate::formats::alamo::particles::simulate::ParticleSimulationPlugin;
use crate::formats::alamo::parts::billboard::{AloSceneRoot, BillboardPlugin};
use crate::formats::alamo::parts::dazzle::DazzlePlugin;
use crate::formats::alamo::parts::lights::LightPlugin;
use crate::formats::alamo::parts::proxies::{
    is_proxy_loading, propagate_to_proxies, spawn_proxy_models,
};
use crate::formats::alamo::raycast::collider::AloCollider;
#[cfg(feature = "gizmos")]
use crate::formats::alamo::raycast::gizmos::AloColliderGizmosPlugin;
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::gpu::shaders::{embedded_shader, preload_shader};
use crate::load::reloads::add_loading_check;
use crate::root::environment::{ClassicModelsSystems, SpawnModels};
use crate::root::parts::{DamageStage, DistanceLod, ModelLod, PartVisibility};
use crate::root::skins::TeamColor;
use crate::spawn::plugin::{add_format, finish_format};
use crate::texture::plugin::TexturePlugin;
use bevy::asset::{embedded_asset, load_internal_asset};
use bevy::prelude::*;

/// Alamo models and their animations. Part of [`ClassicModelsPlugins`](crate::ClassicModelsPlugins).
pub struct AlamoPlugin {
    /// Extensions of the models, without the dot. Every combination of cases is registered.
    pub extensions: Vec<String>,
    /// Extensions of animations likewise.
    pub animation_extensions: Vec<String>,
    /// The settings of models. Those that a `.meta` file or a load sets to other values than the built-in defaults override
    /// them.
    pub defaults: AloLoaderSettings,
}

impl Default for AlamoPlugin {
    fn default() -> Self {
        Self {
            extensions: vec!["alo".into()],
            animation_extensions: vec!["ala".into()],
            defaults: AloLoaderSettings::default(),
        }
    }
}

impl Plugin for AlamoPlugin {
    fn build(&self, app: &mut App) {
        add_format::<Alo>(app, &self.extensions);
        embedded_asset!(app, "shaders/alo.wgsl");
        preload_shader(app, shader());
        embedded_asset!(app, "shaders/alo_uniform.wgsl");
        preload_shader(
            app,
            embedded_shader("formats/alamo/shaders/alo_uniform.wgsl"),
        );
        if app.world().contains_resource::<Assets<Shader>>() {
            load_internal_asset!(app, GRASS_SHADER, "shaders/grass.wgsl", Shader::from_wgsl);
        }
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
        .init_asset::<AloParticles>();
        rebind_changed_textures::<AloMaterial>(app);
        add_loading_check(app, is_proxy_loading);
        app.add_observer(reset_level::<Alo>)
            .add_systems(SpawnScene, spawn_proxy_models.before(SpawnModels))
            .add_systems(
                PostUpdate,
                (
                    replace_failed_textures,
                    apply_wind,
                    choose_levels::<Alo>,
                    (
                        propagate_to_proxies::<TeamColor>,
                        propagate_to_proxies::<ModelLod>,
                        propagate_to_proxies::<DistanceLod>,
                        propagate_to_proxies::<DamageStage>,
                        propagate_to_proxies::<PartVisibility>,
                    ),
                    show_parts,
                    (color_teams, color_crowds),
                )
                    .chain()
                    .in_set(ClassicModelsSystems::Appearance),
            );
        #[cfg(feature = "gizmos")]
        app.add_plugins(AloColliderGizmosPlugin);
        register_types(app);
        add_crowds::<Alo>(app);
    }

    fn finish(&self, app: &mut App) {
        let state = AloLoaderState {
            animation_extensions: self.animation_extensions.clone(),
            sounds: SoundTables::default(),
        };
        finish_crowds::<Alo>(app);
        finish_format::<Alo>(app, &self.extensions, &self.defaults, state);
    }
}

fn register_types(app: &mut App) {
    app.register_type::<AloSceneRoot>()
        .register_type::<AloBone>()
        .register_type::<AloPart>()
        .register_type::<AloProxy>()
        .register_type::<AloSubmeshIndex>()
        .register_type::<TeamColored>()
        .register_type::<AloParticleSystem>()
        .register_type::<AloCollider>();
}
