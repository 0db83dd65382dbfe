//! Thousands of animated models: `cargo run --release --example crowd`.
//!
//! You should see a square of 10,000 models, each with its own clip, phase, speed and skin, and in the corner the time
//! per frame. Instances of a file share its meshes and materials, so a few draw calls draw the whole crowd.
//!
//! Space pauses the animation, the left and right arrow keys turn the camera around the crowd.
//!
//! ```text
//! crowd 2000 --model path/to/hero.abc    2000 instances of your own model, in its first clip
//! crowd 500 --frames 100                 renders 100 frames without a window and prints the time per frame
//! ```

use bevy::asset::UnapprovedPathMode;
use bevy::diagnostic::{DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy::prelude::*;
use bevy::window::PresentMode;
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::prelude::*;
use classic_models_support::controls::ControlsPlugin;
use classic_models_support::dice::Dice;
use classic_models_support::draws::{DrawCount, DrawCountPlugin};
use classic_models_support::{capture, grid, headless};
use lexopt::prelude::*;
use std::f32::consts::TAU;
use std::path::PathBuf;
use std::time::Instant;

const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");

/// Meters between two models.
const SPACING: f32 = 2.5;

/// A model to spawn, and what its instances choose from.
struct Kind {
    path: PathBuf,
    clips: Vec<ClipRef>,
    skins: usize,
}

#[derive(Resource)]
struct Crowd {
    count: usize,
    kinds: Vec<Kind>,
}

fn main() -> Result<(), lexopt::Error> {
    let (mut count, mut kinds, mut frames) = (10_000, Vec::new(), None);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Value(value) => count = value.parse()?,
            Long("model") => kinds.push(own_kind(arguments.value()?.into())),
            Long("frames") => frames = Some(arguments.value()?.parse()?),
            other => return Err(other.unexpected()),
        }
    }
    if kinds.is_empty() {
        kinds = bundled_kinds();
    }
    let crowd = Crowd { count, kinds };
    match frames {
        Some(frames) => measure(crowd, frames),
        None => show(crowd),
    }
    Ok(())
}

fn bundled_kinds() -> Vec<Kind> {
    let kind = |path: &str, clips: &[&str], skins| Kind {
        path: path.into(),
        clips: clips.iter().map(|clip| ClipRef::from(*clip)).collect(),
        skins,
    };
    vec![
        kind("models/sentry.mdl", &["stand", "walk", "attack", "die"], 3),
        kind("models/crystal.mdl", &["hover"], 2),
        kind("models/brazier.mdl", &["flame"], 1),
    ]
}

/// A model of the user's, whose clips and skins are not known.
fn own_kind(file: PathBuf) -> Kind {
    let path = std::path::absolute(&file).unwrap_or(file);
    Kind {
        // Files in the assets folder must have their asset path, or their textures are not found.
        path: path.strip_prefix(ASSETS).unwrap_or(&path).into(),
        clips: vec![ClipRef::Index(0)],
        skins: 1,
    }
}

/// Spawns the crowd, a camera, a light and the text.
fn setup(mut commands: Commands, assets: Res<AssetServer>, crowd: Res<Crowd>) {
    let width = (crowd.count as f32).sqrt() * SPACING;
    let kinds: Vec<(Handle<ModelManifest>, &Kind)> = crowd
        .kinds
        .iter()
        .map(|kind| (assets.load(kind.path.clone()), kind))
        .collect();
    let positions = grid::square(crowd.count, SPACING);
    for (index, (position, (model, kind))) in positions.zip(kinds.iter().cycle()).enumerate() {
        let mut dice = Dice::new(index as u32);
        let clip = kind.clips[dice.choose(kind.clips.len())].clone();
        let mut model = commands.spawn((
            ClassicModel(model.clone()),
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
    }
    commands.spawn((
        Camera3d::default(),
        Projection::Perspective(PerspectiveProjection {
            far: 1000.0 + 4.0 * width,
            ..default()
        }),
        Transform::from_xyz(0.0, 0.6 * width, width).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(1.0, 2.0, 1.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn(Text::default());
}

/// Shows the crowd in a window.
fn show(crowd: Crowd) {
    let window = WindowPlugin {
        primary_window: Some(Window {
            title: "crowd".into(),
            present_mode: PresentMode::AutoNoVsync,
            ..default()
        }),
        ..default()
    };
    let assets = AssetPlugin {
        file_path: ASSETS.into(),
        unapproved_path_mode: UnapprovedPathMode::Allow,
        ..default()
    };
    App::new()
        .add_plugins((
            DefaultPlugins.set(window).set(assets),
            ClassicModelsPlugins,
            DrawCountPlugin,
            FrameTimeDiagnosticsPlugin::default(),
            ControlsPlugin { center: Vec3::ZERO },
        ))
        .insert_resource(crowd)
        .add_systems(Startup, setup)
        .add_systems(Update, show_figures)
        .run();
}

fn show_figures(
    diagnostics: Res<DiagnosticsStore>,
    draws: Res<DrawCount>,
    crowd: Res<Crowd>,
    mut text: Single<&mut Text>,
) {
    let frame_time = diagnostics.get(&FrameTimeDiagnosticsPlugin::FRAME_TIME);
    if let Some(milliseconds) = frame_time.and_then(|time| time.smoothed()) {
        text.0 = figures(crowd.count, milliseconds, &draws);
    }
}

fn figures(count: usize, milliseconds: f64, draws: &DrawCount) -> String {
    let draws = draws.get();
    format!("{count} models, {milliseconds:.1} ms per frame, {draws} draw calls")
}

/// Renders so many frames without a window and prints the time per frame.
fn measure(crowd: Crowd, frames: u32) {
    let count = crowd.count;
    let mut app = App::new();
    app.add_plugins((
        headless::plugins(ASSETS.as_ref(), false),
        ClassicModelsPlugins,
        DrawCountPlugin,
    ))
    .insert_resource(crowd)
    .add_systems(Startup, setup);
    let mut headless = capture::start(app, UVec2::new(1280, 720));
    capture::wait_for_models(&mut headless);
    let start = Instant::now();
    for _ in 0..frames {
        headless.step(1.0 / 60.0);
        capture::wait_for_gpu(&headless);
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3 / f64::from(frames.max(1));
    let draws = headless.app.world().resource::<DrawCount>();
    println!("{}", figures(count, milliseconds, draws));
}
