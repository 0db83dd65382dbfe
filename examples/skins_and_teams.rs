//! Skins, player colors and team colors: `cargo run --example skins_and_teams`.
//!
//! You should see three kinds of models. The three small machines in front have the three skins of their file, and each
//! has other player colors on its shoulders and legs. The two guards have two images as skins, by their paths. The two
//! big machines in the background have the colors of two teams.
//!
//! ```text
//! S              every model with skins changes to its next skin
//! C              every model with colors changes to its next colors
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::color::palettes::tailwind::{AMBER_500, EMERALD_600, RED_600, SKY_600};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use classic_models_support::controls::next;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::StudioPlugin;

/// Palette rows for shirt and pants.
const PLAYERS: [PlayerColors; 4] = [
    PlayerColors {
        shirt: 4,
        pants: 13,
    },
    PlayerColors {
        shirt: 12,
        pants: 3,
    },
    PlayerColors {
        shirt: 11,
        pants: 4,
    },
    PlayerColors { shirt: 3, pants: 8 },
];

const TEAMS: [Srgba; 4] = [RED_600, SKY_600, AMBER_500, EMERALD_600];

/// The skins that a model goes through.
#[derive(Component)]
struct SkinChoice(Vec<ModelSkin>);

fn main() -> AppExit {
    App::new()
        .add_plugins((
            ExamplePlugins::from_env(),
            ClassicModelsPlugins,
            StudioPlugin {
                eye: Vec3::new(0.0, 3.6, -8.8),
                target: Vec3::Y * 1.9,
                keys: "S: next skins   C: next colors",
                ..default()
            },
        ))
        .add_systems(Startup, (spawn_sentries, spawn_wardens, spawn_walkers))
        .add_systems(Update, (change_skins, change_colors))
        .run()
}

/// Skins of the file, by index.
fn spawn_sentries(mut commands: Commands, assets: Res<AssetServer>) {
    for (index, x) in [2.4, 0.0, -2.4].into_iter().enumerate() {
        let choice = SkinChoice((0..3).map(ModelSkin::Index).collect());
        commands.spawn((
            ClassicModel(assets.load("models/sentry.mdl")),
            BevySpace::default(),
            Transform::from_xyz(x, 0.0, -2.0),
            PlayClip::looping("stand"),
            choice.0[index].clone(),
            PLAYERS[index],
            choice,
        ));
    }
}

/// Images, by path from the folder `assets`.
fn spawn_wardens(mut commands: Commands, assets: Res<AssetServer>) {
    for (index, x) in [1.2, -1.2].into_iter().enumerate() {
        let skins = ["skins/warden.dtx", "skins/warden_frost.dtx"];
        let choice = SkinChoice(skins.map(ModelSkin::from).into());
        commands.spawn((
            ClassicModel(assets.load("models/warden.abc")),
            BevySpace::default(),
            Transform::from_xyz(x, 0.0, 0.5),
            PlayClip::looping("idle"),
            choice.0[index].clone(),
            choice,
        ));
    }
}

/// The texture of the model has a mask where it shows the color of the team.
fn spawn_walkers(mut commands: Commands, assets: Res<AssetServer>) {
    for (index, x) in [4.5, -4.5].into_iter().enumerate() {
        commands.spawn((
            ClassicModel(assets.load("models/walker.alo")),
            BevySpace::default(),
            Transform::from_xyz(x, 0.0, 3.5),
            TeamColor(TEAMS[index].into()),
        ));
    }
}

fn change_skins(keys: Res<ButtonInput<KeyCode>>, mut models: Query<(&mut ModelSkin, &SkinChoice)>) {
    if keys.just_pressed(KeyCode::KeyS) {
        for (mut skin, choice) in &mut models {
            if let Some(next) = next(&choice.0, |choice| *choice == *skin) {
                *skin = next.clone();
            }
        }
    }
}

fn change_colors(
    keys: Res<ButtonInput<KeyCode>>,
    mut players: Query<&mut PlayerColors>,
    mut teams: Query<&mut TeamColor>,
) {
    if !keys.just_pressed(KeyCode::KeyC) {
        return;
    }
    for mut colors in &mut players {
        if let Some(player) = next(&PLAYERS, |player| player == &*colors) {
            *colors = *player;
        }
    }
    for mut color in &mut teams {
        if let Some(team) = next(&TEAMS, |team| color.0 == (*team).into()) {
            color.0 = (*team).into();
        }
    }
}
