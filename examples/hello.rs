//! One animated model: `cargo run --example hello`.
//!
//! You should see a red walking machine with two legs, which walks on the spot. There are no keys.
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use classic_models_support::example::ExamplePlugins;

fn main() -> AppExit {
    App::new()
        // An app of your own has `DefaultPlugins` here. `ExamplePlugins` are these, with the option `--capture`.
        .add_plugins((ExamplePlugins::from_env(), ClassicModelsPlugins))
        .add_systems(Startup, setup)
        .run()
}

fn setup(mut commands: Commands) {
    commands.spawn((
        ClassicModel::new("models/walker.alo"), // a file in the folder `assets`
        BevySpace::default(),                   // the model faces −Z, and its unit is the meter
        PlayClip::looping("MOVE_00"),           // walker_MOVE_00.ala, found beside the model
        TeamColor(Color::srgb(0.8, 0.1, 0.1)),
        Transform::from_rotation(Quat::from_rotation_y(0.5)),
    ));
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(0.0, 3.0, -8.5).looking_at(Vec3::Y * 2.5, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(-3.0, 6.0, -5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}
