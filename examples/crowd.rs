//! Thousands of animated models: `cargo run --release --example crowd`.
//!
//! You should see a square of 10,000 walkers, wardens and sentries, each with its own clip, phase and speed. The text
//! shows how many draw calls they take and the time per frame. Walkers and wardens are members of crowds: see
//! `docs/crowds.md`. C spawns them as scenes, with an entity per bone, to compare the time. The GPU poses sentries anyway.
//!
//! ```text
//! C              switches between crowds and scenes
//! Space          pauses the animation
//! left, right    turn the camera around the crowd
//! ```
//!
//! `--scene true` starts with scenes. `--count 2000 --model path/to/hero.alo` shows 2000 instances of your own model, in its
//! first clip. `--loop SECONDS` plays each clip once in this time, so that an animation of it loops. `--capture FILE --time SECONDS` saves an image of that moment without a window. `--frames 100` renders
//! 100 frames without a window and prints the time per frame.

use bevy::asset::AssetPath;
use bevy::diagnostic::{DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy::prelude::*;
use bevy::window::PresentMode;
use bevy_classic_models::prelude::*;
use bevy_classic_models::spawn::ModelClip;
use classic_models_support::dice::Dice;
use classic_models_support::draws::{DrawCount, DrawCountPlugin};
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, MeasuredText, StudioPlugin};
use classic_models_support::{grid, samples};
use std::f32::consts::TAU;
use std::path::{Path, PathBuf};

/// Meters between two models.
const SPACING: f32 = 4.0;

/// A model to spawn, and what its instances choose from.
struct Kind {
    path: PathBuf,
    clips: Vec<ClipRef>,
    skins: usize,
}

#[derive(Resource)]
struct Population {
    /// The time of one pass through each clip.
    seconds: Option<f32>,
    count: usize,
    kinds: Vec<Kind>,
    /// Whether models are members of crowds, if their format has crowds.
    in_crowds: bool,
}

fn main() -> AppExit {
    let (plugins, options) = ExamplePlugins::with_options(&["count", "model", "scene", "loop"]);
    let count = options.get("count").unwrap_or(10_000);
    let mut kinds: Vec<Kind> = options.all("model").map(own_kind).collect();
    if kinds.is_empty() {
        kinds = bundled_kinds();
    }
    let width = (count as f32).sqrt() * SPACING;
    App::new()
        .add_plugins((
            plugins,
            ClassicModelsPlugins,
            StudioPlugin {
                eye: Vec3::new(0.0, 0.6, -1.0) * width,
                target: Vec3::ZERO,
                keys: "C: crowds or scenes",
                shadows: false,
            },
            DrawCountPlugin,
            FrameTimeDiagnosticsPlugin::default(),
        ))
        .insert_resource(Population {
            seconds: options.get("loop"),
            count,
            kinds,
            in_crowds: !options.get("scene").unwrap_or(false),
        })
        .add_systems(Startup, (spawn_models, turn_vsync_off))
        .add_systems(Update, (switch_crowds, show_draws, show_time))
        .add_observer(set_speed)
        .add_observer(hide_texts)
        .run()
}

fn bundled_kinds() -> Vec<Kind> {
    let kind = |path: &str, clips: &[&str], skins| Kind {
        path: path.into(),
        clips: clips.iter().map(|clip| ClipRef::from(*clip)).collect(),
        skins,
    };
    vec![
        kind("models/walker.alo", &["MOVE_00", "ATTACK_00"], 1),
        kind("models/warden.abc", &["walk", "attack"], 1),
        kind("models/sentry.mdl", &["stand", "walk", "attack"], 3),
    ]
}

/// A model of the user's, whose clips and skins are not known.
fn own_kind(file: &str) -> Kind {
    let path = std::path::absolute(file).unwrap_or(file.into());
    Kind {
        // Files in the assets folder must have their asset path, or their textures are not found.
        path: path
            .strip_prefix(samples())
            .map_or(path.clone(), Path::to_path_buf),
        clips: vec![ClipRef::Index(0)],
        skins: 1,
    }
}

/// Whether a file's format has crowds. On other formats, `Crowd` would have no effect.
fn has_crowds(path: &Path) -> bool {
    let is_any = |of: &str| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(of))
    };
    is_any("alo") || is_any("abc")
}

/// On the root of a model whose format has crowds.
#[derive(Component)]
struct CanJoin;

fn spawn_models(mut commands: Commands, population: Res<Population>) {
    let kinds: Vec<(ClassicModel, &Kind)> = population
        .kinds
        .iter()
        .map(|kind| (ClassicModel::new(AssetPath::from(kind.path.clone())), kind))
        .collect();
    let positions = grid::square(population.count, SPACING);
    for (index, (position, (model, kind))) in positions.zip(kinds.iter().cycle()).enumerate() {
        let mut dice = Dice::new(index as u32);
        let clip = kind.clips[dice.choose(kind.clips.len())].clone();
        let mut model = commands.spawn((
            model.clone(),
            BevySpace::default(),
            Transform::from_translation(position)
                .with_rotation(Quat::from_rotation_y(dice.between(0.0, TAU))),
            PlayClip::looping(clip)
                .starting_at(dice.roll())
                .with_speed(dice.between(0.75, 1.25)),
        ));
        if kind.skins > 1 {
            model.insert(ModelSkin::Index(dice.choose(kind.skins)));
        }
        if has_crowds(&kind.path) {
            model.insert(CanJoin);
            if population.in_crowds {
                model.insert(Crowd);
            }
        }
    }
}

/// Hides all texts of pictures that loop.
fn hide_texts(text: On<Add, Text>, population: Res<Population>, mut commands: Commands) {
    if population.seconds.is_some() {
        commands.entity(text.entity).insert(Visibility::Hidden);
    }
}

/// Sets the speed of a model's clip if all clips have the same time.
fn set_speed(
    ready: On<ModelReady>,
    models: ModelQuery,
    population: Res<Population>,
    mut plays: Query<&mut PlayClip>,
) {
    let (Some(seconds), Ok(mut play)) = (population.seconds, plays.get_mut(ready.entity)) else {
        return;
    };
    let clips = models.clips(ready.entity);
    let plays = |(index, clip): &(usize, &ModelClip)| match &play.clip {
        ClipRef::Name(name) => *name == *clip.name,
        other => *other == ClipRef::Index(*index),
    };
    let clip = clips.iter().enumerate().find(plays);
    if let Some(length) = clip.and_then(|(_, clip)| clip.seconds) {
        play.speed = length / seconds;
    }
}

/// Switches between crowds and scenes. Clips go on at their times.
fn switch_crowds(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    mut population: ResMut<Population>,
    models: Query<Entity, With<CanJoin>>,
) {
    if !keys.just_pressed(KeyCode::KeyC) {
        return;
    }
    population.in_crowds = !population.in_crowds;
    for model in &models {
        match population.in_crowds {
            true => commands.entity(model).insert(Crowd),
            false => commands.entity(model).remove::<Crowd>(),
        };
    }
}

/// Otherwise the time of a frame would be that of the screen.
fn turn_vsync_off(mut windows: Query<&mut Window>) {
    for mut window in &mut windows {
        window.present_mode = PresentMode::AutoNoVsync;
    }
}

fn show_draws(
    draws: Res<DrawCount>,
    population: Res<Population>,
    mut caption: Single<&mut Text, With<Caption>>,
) {
    let (count, draws) = (population.count, draws.get());
    let how = match population.in_crowds {
        true => "crowds",
        false => "scenes",
    };
    caption.0 = format!("{count} models as {how}, {draws} draw calls");
}

fn show_time(
    diagnostics: Res<DiagnosticsStore>,
    mut measured: Single<&mut Text, With<MeasuredText>>,
) {
    let frame_time = diagnostics.get(&FrameTimeDiagnosticsPlugin::FRAME_TIME);
    if let Some(milliseconds) = frame_time.and_then(|time| time.smoothed()) {
        measured.0 = format!("{milliseconds:.1} ms per frame");
    }
}
