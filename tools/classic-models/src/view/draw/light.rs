//! The lights around the models, and the exposure.

use crate::view::camera::orbit::Orbit;
use crate::view::draw::lighting::{LightSet, Lighting};
use bevy::camera::Exposure;
use bevy::prelude::*;
use bevy_classic_models::alamo::AlamoEnvironment;
use classic_models_support::stage::{
    KeyLight, StageLight, set_ambient_light, shadows, spawn_lights,
};

/// Applies [`Lighting`].
pub fn light_plugin(app: &mut App) {
    app.init_resource::<Lighting>()
        .add_systems(Update, (choose_lights, expose));
}

/// Replaces the lights if the set has changed. `StagePlugin` spawns those of the studio.
fn choose_lights(
    mut commands: Commands,
    lighting: Res<Lighting>,
    ambient: ResMut<GlobalAmbientLight>,
    lights: Query<Entity, With<StageLight>>,
    cameras: Query<&Orbit>,
    mut shown: Local<LightSet>,
) {
    if lighting.set == *shown {
        return;
    }
    *shown = lighting.set;
    for light in &lights {
        commands.entity(light).despawn();
    }
    let reach = cameras.iter().next().map_or(500.0, Orbit::shadow_reach);
    match lighting.set {
        LightSet::Studio => {
            spawn_lights(&mut commands, reach);
            set_ambient_light(ambient);
        }
        LightSet::Game => {
            let environment = AlamoEnvironment::default();
            let [(sun, at), fills @ ..] = environment.lights();
            let sun = DirectionalLight {
                shadow_maps_enabled: true,
                ..sun
            };
            commands.spawn((StageLight, KeyLight, sun, at, shadows(reach)));
            commands.spawn_batch(fills.map(|fill| (StageLight, fill)));
            commands.insert_resource(environment.ambient_light());
        }
    }
}

/// Sets the exposure of cameras.
fn expose(
    mut commands: Commands,
    lighting: Res<Lighting>,
    cameras: Query<(Entity, Option<&Exposure>), With<Orbit>>,
) {
    let ev100 = Exposure::default().ev100 - lighting.exposure;
    for (camera, exposure) in &cameras {
        if exposure.is_none_or(|exposure| exposure.ev100 != ev100) {
            commands.entity(camera).try_insert(Exposure { ev100 });
        }
    }
}
