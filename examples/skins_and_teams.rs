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
#[derive(Component, Clone, Default)]
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
fn spawn_sentries(mut commands: Commands) {
    for (index, x) in [2.4, 0.0, -2.4].into_iter().enumerate() {
        let choice: Vec<_> = (0..3).map(ModelSkin::Index).collect();
        let PlayerColors { shirt, pants } = PLAYERS[index];
        commands.spawn_scene(bsn! {
            ClassicModel("models/sentry.mdl")
            BevySpace
            Transform::from_xyz(x, 0.0, -2.0)
            PlayClip { clip: "stand" }
            ModelSkin::Index(index)
            PlayerColors { shirt: { shirt }, pants: { pants } }
            SkinChoice(choice)
        });
    }
}

/// Images, by path from the folder `assets`.
fn spawn_wardens(mut commands: Commands) {
    let skins = ["skins/warden.dtx", "skins/warden_frost.dtx"];
    for (x, skin) in [1.2, -1.2].into_iter().zip(skins) {
        commands.spawn_scene(bsn! {
            ClassicModel("models/warden.abc")
            BevySpace
            Transform::from_xyz(x, 0.0, 0.5)
            PlayClip { clip: "idle" }
            ModelSkin::Name(skin)
            SkinChoice({ skins.map(ModelSkin::from) })
        });
    }
}

/// The texture of the model has a mask where it shows the color of the team.
fn spawn_walkers(mut commands: Commands) {
    for (index, x) in [4.5, -4.5].into_iter().enumerate() {
        commands.spawn_scene(bsn! {
            ClassicModel("models/walker.alo")
            BevySpace
            Transform::from_xyz(x, 0.0, 3.5)
            TeamColor({ TEAMS[index] })
        });
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
