//! Particle systems: `cargo run --example particles [-- --system NAME]`.
//!
//! You should see an explosion that begins again and again: a flash, fire, smoke, sparks that bounce, and splinters that
//! trail smoke and raise dust where they hit the ground. The lines at the left are the list of the sample systems,
//! the time since the system began, and a bar for the particles of each emitter.
//!
//! ```text
//! up, down       the previous or the next system
//! R              restarts
//! F              no more births: the particles finish their life
//! Period         one frame further while paused
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window. It is the same in every run, because
//! the system has a seed.

use bevy::core_pipeline::prepass::DepthPrepass;
use bevy::prelude::*;
use bevy_classic_models::alamo::{
    AloParticleSystem, AloParticles, ParticleEmission, ParticleRecords, ParticleSeed,
    ParticlesFinished,
};
use bevy_classic_models::prelude::*;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, StudioPlugin};

/// The systems in `assets/models`. Each has the height of its origin, and the camera's distance from [`TARGET`].
const SYSTEMS: [(&str, f32, f32); 9] = [
    ("p_explosion", 0.5, 14.0),
    ("p_smoke_small", 1.8, 5.0),
    ("p_smoke_large", 0.5, 11.0),
    ("p_sparks", 2.5, 3.0),
    ("p_exhaust", 1.8, 4.0),
    ("p_muzzle_flash", 2.5, 2.5),
    ("pe_engine_glow", 0.0, 3.0),
    ("pe_warp_out", 2.5, 10.0),
    ("pe_portal", 2.0, 7.0),
];

/// The point that the camera looks at.
const TARGET: Vec3 = Vec3::new(0.0, 2.5, 0.0);

/// The direction to the camera.
const EYE: Vec3 = Vec3::new(0.0, 0.12, -1.0);

const SEED: u64 = 1;

/// Seconds on the timeline.
const TIMELINE: f32 = 5.0;

/// Characters of the timeline and of the longest bar.
const BAR: f32 = 40.0;

/// The system that is shown.
#[derive(Resource)]
struct Shown(String);

fn main() -> AppExit {
    let (plugins, options) = ExamplePlugins::with_options(&["system"]);
    let name: String = options.get("system").unwrap_or(SYSTEMS[0].0.into());
    let names = SYSTEMS.map(|(name, ..)| name);
    if !names.contains(&&*name) {
        eprintln!("`{name}` is not one of the systems: {}", names.join(", "));
        return AppExit::from_code(2);
    }
    App::new()
        .add_plugins((
            plugins,
            ClassicModelsPlugins,
            StudioPlugin {
                eye: TARGET + 20.0 * EYE,
                target: TARGET,
                keys: "Up, Down: choose   R: restart   F: finish   Period: step while paused",
                ..default()
            },
        ))
        .insert_resource(Shown(name))
        .add_observer(place_camera)
        .add_observer(repeat)
        .add_systems(Startup, spawn)
        .add_systems(Update, (choose, control, step))
        .add_systems(Last, show_state)
        .run()
}

/// Spawned by path, as a model is.
fn spawn(mut commands: Commands, shown: Res<Shown>) {
    let (name, height, _) = SYSTEMS[index_of(&shown.0)];
    let (model, transform) = match name {
        // It emits from the vent at the walker's back.
        "pe_engine_glow" => {
            let turn = Transform::from_rotation(Quat::from_rotation_y(0.5));
            ("walker", turn.with_scale(Vec3::splat(0.35)))
        }
        _ => (name, Transform::from_xyz(0.0, height, 0.0)),
    };
    commands.spawn((
        transform,
        ClassicModel::new(format!("models/{model}.alo")),
        ParticleEmission::default(),
        ParticleSeed(SEED),
    ));
}

/// The index of a name in [`SYSTEMS`].
fn index_of(name: &str) -> usize {
    let index = SYSTEMS.iter().position(|(it, ..)| *it == name);
    index.unwrap_or_default()
}

/// Systems have very different sizes.
fn place_camera(
    _: On<Add, AloParticleSystem>,
    shown: Res<Shown>,
    camera: Single<(Entity, &mut Transform), With<Camera3d>>,
    mut commands: Commands,
) {
    let (camera, mut transform) = camera.into_inner();
    // Particles fade where they meet the ground.
    commands.entity(camera).insert(DepthPrepass);
    let (_, _, distance) = SYSTEMS[index_of(&shown.0)];
    let direction = (transform.translation - TARGET).normalize();
    transform.translation = TARGET + distance * direction;
}

/// Systems that end begin again, unless F was pressed.
fn repeat(finished: On<ParticlesFinished>, mut systems: Query<&mut ParticleEmission>) {
    if let Ok(mut emission) = systems.get_mut(finished.entity)
        && *emission == ParticleEmission::Playing
    {
        emission.restart();
    }
}

fn choose(
    keys: Res<ButtonInput<KeyCode>>,
    root: Single<Entity, With<ClassicModel>>,
    mut commands: Commands,
    mut shown: ResMut<Shown>,
) {
    let steps = match () {
        () if keys.just_pressed(KeyCode::ArrowDown) => 1,
        () if keys.just_pressed(KeyCode::ArrowUp) => SYSTEMS.len() - 1,
        () => return,
    };
    let index = (index_of(&shown.0) + steps) % SYSTEMS.len();
    SYSTEMS[index].0.clone_into(&mut shown.0);
    commands.entity(*root).despawn();
    commands.run_system_cached(spawn);
}

fn control(keys: Res<ButtonInput<KeyCode>>, mut systems: Query<&mut ParticleEmission>) {
    for mut emission in &mut systems {
        if keys.just_pressed(KeyCode::KeyR) {
            emission.restart();
        }
        if keys.just_pressed(KeyCode::KeyF) {
            *emission = ParticleEmission::Finishing;
        }
    }
}

/// Particles follow `Time<Virtual>`: if it runs for one frame, they move on by that frame.
fn step(
    keys: Res<ButtonInput<KeyCode>>,
    mut time: ResMut<Time<Virtual>>,
    mut is_step: Local<bool>,
) {
    if *is_step {
        time.pause();
        *is_step = false;
    } else if time.is_paused() && keys.just_pressed(KeyCode::Period) {
        time.unpause();
        *is_step = true;
    }
}

/// `ParticleRecords` has the particles of a system that runs, and the time since it began.
fn show_state(
    shown: Res<Shown>,
    systems: Query<&ParticleRecords>,
    assets: Res<Assets<AloParticles>>,
    mut caption: Single<&mut Text, With<Caption>>,
) {
    let list = SYSTEMS.map(|(name, ..)| match name == shown.0 {
        true => format!("[{name}]"),
        false => format!(" {name} "),
    });
    let mut lines = vec![list.join("\n"), String::new()];
    let is_shown = |records: &&ParticleRecords| match records.particles.path() {
        Some(path) => path.path().ends_with(format!("{}.alo", shown.0)),
        None => false,
    };
    if let Some(records) = systems.iter().find(is_shown)
        && let Some(asset) = assets.get(&records.particles)
    {
        let seconds = records.elapsed as f32;
        let passed = "=".repeat((BAR * (seconds / TIMELINE).clamp(0.0, 1.0)) as usize);
        let end = if asset.is_endless() { "endless" } else { "" };
        lines.push(format!("{seconds:5.2} s |{passed:<40}| {end}"));
        for (emitter, count) in asset.emitters.iter().zip(records.alive(asset)) {
            let bar = "#".repeat(count.min(BAR as usize));
            lines.push(format!("{:<10} {bar}", emitter.emitter.name));
        }
    }
    caption.set_if_neq(Text(lines.join("\n")));
}
