//! Models from manifests: `cargo run --example manifest`.
//!
//! You should see a blue walker with a bowl of fire on its roof, a guard that holds a crystal, and on the left the file
//! `patrol.model.ron`. This manifest is what makes the walker: it names the model, its team color, the bowl of fire and
//! the bone that the bowl is attached to, and clips. The guard is made by `frost_warden.model.ron`.
//!
//! ```text
//! 1 to 4         play the clips of the walker's manifest, by the names that it gives them
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use classic_models_support::controls::pressed_digit;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, StudioPlugin};

const MANIFEST: &str = include_str!("../assets/models/patrol.model.ron");

/// The names in the manifest.
const CLIPS: [&str; 4] = ["march", "salvo", "one shot", "fall"];

#[derive(Component)]
struct Walker;

fn main() -> AppExit {
    App::new()
        .add_plugins((
            ExamplePlugins::from_env(),
            ClassicModelsPlugins,
            StudioPlugin {
                eye: Vec3::new(1.5, 3.0, -10.0),
                target: Vec3::new(1.5, 2.4, 0.0),
                keys: "1: march   2: salvo   3: one shot   4: fall",
                ..default()
            },
        ))
        .add_systems(Startup, setup)
        // The text is spawned by then.
        .add_systems(PostStartup, show_manifest)
        .add_systems(Update, choose_clip)
        .run()
}

/// Everything else about these models is in their manifests.
fn setup(mut commands: Commands) {
    commands.spawn((
        Walker,
        ClassicModel::new("models/patrol.model.ron"),
        BevySpace::default(),
        Transform::from_xyz(0.0, 0.0, 0.0).with_rotation(Quat::from_rotation_y(0.3)),
    ));
    commands.spawn((
        ClassicModel::new("models/frost_warden.model.ron"),
        BevySpace::default(),
        Transform::from_xyz(-3.2, 0.0, -1.0),
    ));
}

/// The speed and the repeat of the clip are those in the manifest.
fn choose_clip(
    keys: Res<ButtonInput<KeyCode>>,
    mut commands: Commands,
    walker: Single<Entity, With<Walker>>,
) {
    if let Some(digit) = pressed_digit(&keys) {
        let play = PlayClip::from_manifest(CLIPS[digit]).with_fade(0.3);
        commands.entity(*walker).insert(play);
    }
}

fn show_manifest(mut commands: Commands, caption: Single<(Entity, &mut Text), With<Caption>>) {
    let (entity, mut text) = caption.into_inner();
    text.0 = MANIFEST.trim_end().to_owned();
    commands
        .entity(entity)
        .insert(TextFont::from_font_size(FontSize::Vh(1.7)));
}
