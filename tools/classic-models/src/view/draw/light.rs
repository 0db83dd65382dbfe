//! The lights around the models, and the exposure.

use crate::view::camera::orbit::Orbit;
use crate::view::draw::lighting::{LightSet, Lighting};
use bevy::camera::Exposure;
use bevy::prelude::*;
use classic_models_support::stage::{
    KeyLight, StageLight, set_ambient_light, shadows, spawn_lights,
};

/// A directional light of [`LightSet::Game`].
struct GameLight {
    /// Lux.
    illuminance: f32,
    color: Color,
    /// The direction that the light comes from. Models look towards −Z.
    from: Vec3,
}

// A bright day: a warm sun, and the sky from both sides.
const SUN: GameLight = GameLight {
    illuminance: 4600.0,
    color: Color::srgb(1.0, 0.94, 0.82),
    from: Vec3::new(0.7, 0.8, -0.55),
};
const FILLS: [GameLight; 2] = [
    GameLight {
        illuminance: 900.0,
        color: Color::srgb(0.55, 0.7, 1.0),
        from: Vec3::new(-0.9, 0.35, -0.3),
    },
    GameLight {
        illuminance: 700.0,
        color: Color::srgb(0.6, 0.65, 0.85),
        from: Vec3::new(0.1, 0.3, 0.9),
    },
];
const AMBIENT: f32 = 260.0;

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
            let light = |light: &GameLight| {
                let directional = DirectionalLight {
                    illuminance: light.illuminance,
                    color: light.color,
                    ..default()
                };
                let at = Transform::from_translation(light.from).looking_at(Vec3::ZERO, Vec3::Y);
                (StageLight, directional, at)
            };
            let (mark, sun, at) = light(&SUN);
            let sun = DirectionalLight {
                shadow_maps_enabled: true,
                ..sun
            };
            commands.spawn((mark, KeyLight, sun, at, shadows(reach)));
            commands.spawn_batch(FILLS.each_ref().map(light));
            let mut ambient = ambient;
            ambient.brightness = AMBIENT;
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
