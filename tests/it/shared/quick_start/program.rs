//! The program of the quick start, as the README and the manual print it.

use bevy::prelude::*;
use bevy_classic_models::prelude::*;

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, ClassicModelsPlugins))
        .add_systems(Startup, setup)
        .run();
}

/// Spawns a camera, a light and the models. `BevySpace` makes them face −Z, in meters.
pub fn setup(mut commands: Commands, assets: Res<AssetServer>) {
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, 3.0, -9.0).looking_at(Vec3::Y * 2.0, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(3.0, 6.0, -5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        ClassicModel(assets.load("models/sentry.mdl")),
        BevySpace::default(),
        Transform::from_xyz(3.6, 0.0, 0.0),
        PlayClip::looping("walk"),
        PlayerColors {
            shirt: 4,
            pants: 13,
        },
    ));
    commands.spawn((
        ClassicModel(assets.load("models/walker.alo")),
        BevySpace::default(),
        Transform::from_xyz(1.0, 0.0, 2.5),
        PlayClip::looping("MOVE_00"), // walker_MOVE_00.ala, found beside the model
        TeamColor(Color::srgb(0.8, 0.1, 0.1)),
    ));
    commands.spawn((
        ClassicModel(assets.load("models/warden.abc")), // its skin is skins/warden.dtx
        BevySpace::default(),
        Transform::from_xyz(-1.2, 0.0, -0.5),
        PlayClip::looping("walk"),
    ));
    commands.spawn((
        ClassicModel(assets.load("models/courier.lgw")), // this format has no animation
        BevySpace::default(),
        Transform::from_xyz(-3.8, 0.0, 0.5),
    ));
}
