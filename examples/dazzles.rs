//! Dazzles, which are small lights that blink: `cargo run --example dazzles`.
//!
//! You should see a walker at night, from behind, with five dazzles. A red and a green one blink by turns on its roof,
//! the beacon at the tip of its antenna has the color of its team, and the two headlamps are lit only at night: turn the
//! camera to see them. The lines at the bottom have a row for each dazzle: the bar is its brightness now.
//!
//! ```text
//! N              day and night
//! T              the next team color
//! H              hides and shows the headlamps
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::color::palettes::tailwind::{AMBER_500, EMERALD_500, FUCHSIA_500, SKY_500};
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, dazzle_intensity};
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::NightTime;
use classic_models_support::controls::next;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, StudioPlugin};

const TEAMS: [Srgba; 4] = [SKY_500, FUCHSIA_500, AMBER_500, EMERALD_500];

/// Light of the sun by day and by night, in lux.
const SUN: [f32; 2] = [7000.0, 300.0];
/// Ambient light by day and by night.
const AMBIENT: [f32; 2] = [500.0, 120.0];

fn main() -> AppExit {
    App::new()
        .add_plugins((
            ExamplePlugins::from_env(),
            ClassicModelsPlugins,
            StudioPlugin {
                eye: Vec3::new(0.0, 5.0, -8.0),
                target: Vec3::Y * 2.9,
                keys: "N: day or night   T: team color   H: hide headlamps",
                ..default()
            },
        ))
        .insert_resource(NightTime(true))
        .add_systems(Startup, setup)
        .add_systems(Update, (change_time, change_team, hide_headlamps))
        // After this frame's visibility is computed.
        .add_systems(Last, show_brightness)
        .run()
}

fn setup(mut commands: Commands) {
    commands.spawn((
        ClassicModel::new("models/walker.alo"),
        BevySpace::default(),
        Transform::from_rotation(Quat::from_rotation_y(2.2)),
        PlayClip::looping("MOVE_00"),
        TeamColor(TEAMS[0].into()),
        PartVisibility::default(),
    ));
}

/// `NightTime` is for the dazzles. The light is the game's task.
fn change_time(
    keys: Res<ButtonInput<KeyCode>>,
    mut night: ResMut<NightTime>,
    mut ambient: ResMut<GlobalAmbientLight>,
    mut sun: Single<&mut DirectionalLight>,
) {
    if keys.just_pressed(KeyCode::KeyN) {
        night.0 = !night.0;
    }
    if night.is_changed() {
        let time = usize::from(night.0);
        ambient.brightness = AMBIENT[time];
        sun.illuminance = SUN[time];
    }
}

fn change_team(keys: Res<ButtonInput<KeyCode>>, mut color: Single<&mut TeamColor>) {
    if keys.just_pressed(KeyCode::KeyT)
        && let Some(team) = next(&TEAMS, |team| color.0 == (*team).into())
    {
        color.0 = (*team).into();
    }
}

/// A dazzle is a part of the model: `PartVisibility` hides it by its name.
fn hide_headlamps(keys: Res<ButtonInput<KeyCode>>, mut parts: Single<&mut PartVisibility>) {
    if keys.just_pressed(KeyCode::KeyH) {
        match parts.get("Headlamp") {
            Some(true) => parts.reset("Headlamp"),
            _ => parts.hide("Headlamp"),
        };
    }
}

fn show_brightness(
    walker: Single<(Entity, &AloInstance)>,
    models: ModelQuery,
    visibility: Query<&InheritedVisibility>,
    time: Res<Time>,
    mut caption: Single<&mut Text, With<Caption>>,
) {
    let (root, instance) = *walker;
    let mut lines = Vec::new();
    for dazzle in &instance.model().dazzles {
        let part = models.bone(root, &dazzle.name);
        let is_visible = part.is_some_and(|part| visibility.get(part).is_ok_and(|it| it.get()));
        let brightness = dazzle_intensity(
            dazzle.frequency,
            dazzle.phase,
            dazzle.bias(),
            time.elapsed_secs_wrapped(),
        );
        let bar = match is_visible {
            true => "#".repeat((20.0 * brightness).round() as usize),
            false => "hidden".to_owned(),
        };
        lines.push(format!("{:<14} {bar}", dazzle.name));
    }
    caption.set_if_neq(Text(lines.join("\n")));
}
