//! Rays against the collision trees of moving models: `cargo run --release --example collision`.
//!
//! You should see a field of walkers that walk on the spot, and probes (blue crosses) that fly in circles among them. In
//! each frame every probe casts a ray ahead. A ray that hits a walker is blue and ends in a pink cross and the triangle's
//! normal in yellow; a ray that misses is dark. A yellow box surrounds each part that is hit: the bounds of its collision
//! tree, which move with the part. The text shows how many rays hit and how long all of them took.
//!
//! Space pauses, the left and right arrow keys turn the camera.
//!
//! ```text
//! collision --walkers 1000 --probes 2000     other counts
//! collision --frames 100                     runs 100 frames without a window and prints the text of each
//! collision --capture picture.png            saves a picture without opening a window
//! ```

use bevy::camera::visibility::VisibilitySystems;
use bevy::color::palettes::css::{DARK_SLATE_GRAY, DEEP_SKY_BLUE, FUCHSIA, GOLD};
use bevy::prelude::*;
use bevy_classic_models::alamo::ShowAloColliderGizmo;
use bevy_classic_models::alamo::{
    AloLoaderSettings, AloRayCast, AloRayCastSettings, AloRayCastVisibility, AloRayHit,
};
use bevy_classic_models::prelude::*;
use classic_models_support::controls::ControlsPlugin;
use classic_models_support::dice::Dice;
use classic_models_support::{capture, grid, headless};
use lexopt::prelude::*;
use std::error::Error;
use std::f32::consts::TAU;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Meters between two walkers.
const SPACING: f32 = 4.5;
/// Length of the rays in meters.
const REACH: f32 = 12.0;

/// How many walkers and probes to spawn.
#[derive(Resource)]
struct Counts {
    walkers: usize,
    probes: usize,
}

/// Flies around its center. `hit` is the part that its ray hits, and where.
#[derive(Component)]
struct Probe {
    center: Vec3,
    hit: Option<(Entity, AloRayHit)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut walkers, mut probes, mut frames, mut picture) = (400, 500, None, None);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("walkers") => walkers = arguments.value()?.parse()?,
            Long("probes") => probes = arguments.value()?.parse()?,
            Long("frames") => frames = Some(arguments.value()?.parse()?),
            Long("capture") => picture = Some(PathBuf::from(arguments.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let mut app = App::new();
    let in_window = frames.is_none() && picture.is_none();
    match in_window {
        true => app.add_plugins((DefaultPlugins, ControlsPlugin { center: Vec3::ZERO })),
        false => app.add_plugins(headless::plugins("assets".as_ref(), false)),
    };
    app.add_plugins(ClassicModelsPlugins)
        .insert_resource(Counts { walkers, probes })
        .add_systems(Startup, (spawn_walkers, spawn_probes, spawn_view))
        .add_systems(Update, fly)
        .add_systems(
            PostUpdate,
            // After these two, the parts of walkers are where this frame draws them.
            (cast_rays, draw_rays, mark_parts)
                .chain()
                .after(TransformSystems::Propagate)
                .after(VisibilitySystems::VisibilityPropagate),
        );
    if in_window {
        app.run();
        return Ok(());
    }
    Ok(run_headless(app, frames.unwrap_or(1), picture.as_deref())?)
}

/// Runs frames without a window, prints the text of each, and saves a picture of the last one.
fn run_headless(app: App, frames: u32, picture: Option<&Path>) -> Result<(), String> {
    let mut headless = capture::start(app, UVec2::new(1280, 720));
    capture::wait_for_models(&mut headless);
    for _ in 0..frames {
        headless.step(1.0 / 60.0);
        let world = headless.app.world_mut();
        let text = world.query::<&Text>().single(world);
        println!("{}", text.map_or("", |text| &text.0));
    }
    picture.map_or(Ok(()), |path| capture::save(&mut headless, path))
}

fn spawn_walkers(mut commands: Commands, assets: Res<AssetServer>, counts: Res<Counts>) {
    // Each walker would bring two lights of its own.
    let walker = assets
        .load_builder()
        .with_settings(|settings: &mut AloLoaderSettings| settings.load_lights = false)
        .load("models/walker.alo#Scene");
    for (index, position) in grid::square(counts.walkers, SPACING).enumerate() {
        let mut dice = Dice::new(index as u32);
        commands.spawn((
            WorldAssetRoot(walker.clone()),
            BevySpace::default(),
            Transform::from_translation(position)
                .with_rotation(Quat::from_rotation_y(dice.between(0.0, TAU))),
            PlayClip::looping("MOVE_00").starting_at(dice.roll()),
        ));
    }
}

fn spawn_probes(mut commands: Commands, counts: Res<Counts>) {
    let half = (counts.walkers as f32).sqrt() / 2.0 * SPACING;
    for index in 0..counts.probes {
        let mut dice = Dice::new(!index as u32);
        let (x, z) = (dice.between(-half, half), dice.between(-half, half));
        let center = Vec3::new(x, dice.between(1.0, 5.0), z);
        let side = Quat::from_rotation_y(dice.between(0.0, TAU)) * Vec3::X;
        let ahead = Vec3::Y.cross(side) - side + Vec3::Y * dice.between(-0.4, 0.0);
        let start = center + side * dice.between(1.5, 6.0);
        let transform = Transform::from_translation(start).looking_to(ahead, Vec3::Y);
        commands.spawn((Probe { center, hit: None }, transform));
    }
}

fn fly(time: Res<Time>, mut probes: Query<(&Probe, &mut Transform)>) {
    let rotation = Quat::from_rotation_y(0.3 * time.delta_secs());
    for (probe, mut transform) in &mut probes {
        transform.rotate_around(probe.center, rotation);
    }
}

fn cast_rays(
    mut rays: AloRayCast,
    mut probes: Query<(&Transform, &mut Probe)>,
    mut text: Single<&mut Text>,
) {
    let settings = AloRayCastSettings::default()
        .with_visibility(AloRayCastVisibility::Visible)
        .with_max_distance(REACH);
    let (mut count, mut hits, start) = (0, 0, Instant::now());
    for (transform, mut probe) in &mut probes {
        let ray = Ray3d::new(transform.translation, transform.forward());
        probe.hit = rays.cast_ray(ray, &settings).first().copied();
        count += 1;
        hits += usize::from(probe.hit.is_some());
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    text.0 = format!("{count} rays in {milliseconds:.2} ms, {hits} of them hit a walker");
}

fn spawn_view(mut commands: Commands) {
    commands.spawn((
        Camera3d::default(),
        Transform::from_xyz(8.0, 7.0, 13.0).looking_at(Vec3::Y * 2.0, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(4.0, 8.0, 6.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn(Text::default());
}

fn draw_rays(mut gizmos: Gizmos, probes: Query<(&Transform, &Probe)>) {
    for (transform, probe) in &probes {
        let start = transform.translation;
        gizmos.cross(Isometry3d::from_translation(start), 0.1, DEEP_SKY_BLUE);
        if let Some((_, hit)) = &probe.hit {
            gizmos.line(start, hit.point, DEEP_SKY_BLUE);
            gizmos.cross(Isometry3d::from_translation(hit.point), 0.15, FUCHSIA);
            gizmos.line(hit.point, hit.point + hit.normal * 0.5, GOLD);
        } else {
            gizmos.line(start, start + transform.forward() * REACH, DARK_SLATE_GRAY);
        }
    }
}

/// Shows the box of each part that is hit, and of no other.
fn mark_parts(
    mut commands: Commands,
    probes: Query<&Probe>,
    marked: Query<Entity, With<ShowAloColliderGizmo>>,
) {
    for part in &marked {
        commands.entity(part).remove::<ShowAloColliderGizmo>();
    }
    for (part, _) in probes.iter().filter_map(|probe| probe.hit) {
        commands.entity(part).try_insert(ShowAloColliderGizmo {
            level: Some(0),
            color: Some(GOLD.into()),
        });
    }
}
