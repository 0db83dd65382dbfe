//! Rays against the collision trees of moving models: `cargo run --release --example collision`.
//!
//! You should see a field of walkers that walk on the spot, and probes (blue crosses) that fly in circles among them. In
//! each frame every probe casts a ray ahead. A ray that hits a walker is blue and ends in a pink cross and the triangle's
//! normal in yellow; a ray that misses is dark. A yellow box surrounds each part that is hit: the bounds of its collision
//! tree, which move with the part. The text shows how many rays hit and how long all of them took.
//!
//! ```text
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--walkers 1000 --probes 2000` are other counts. `--capture FILE --time SECONDS` saves an image of that moment
//! without a window. `--frames 100` runs 100 frames without a window and prints the text.

use bevy::camera::visibility::VisibilitySystems;
use bevy::color::palettes::css::{DARK_SLATE_GRAY, DEEP_SKY_BLUE, FUCHSIA, GOLD};
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloLoaderSettings, ShowAloColliderGizmo};
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::{
    ModelRayCast, ModelRayCastSettings, ModelRayCastVisibility, ModelRayHit,
};
use classic_models_support::dice::Dice;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::grid;
use classic_models_support::studio::{Caption, MeasuredText, StudioPlugin};
use std::f32::consts::TAU;
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

/// The model of the walkers. Its loader settings count as long as there is a handle.
#[derive(Resource)]
struct Walker {
    _model: Handle<Alo>,
}

/// Flies around its center. `hit` is the part that its ray hits, and where.
#[derive(Component)]
struct Probe {
    center: Vec3,
    hit: Option<ModelRayHit>,
}

fn main() -> AppExit {
    let (plugins, options) = ExamplePlugins::with_options(&["walkers", "probes"]);
    App::new()
        .add_plugins((
            plugins,
            ClassicModelsPlugins,
            StudioPlugin {
                eye: Vec3::new(8.0, 9.0, -14.0),
                shadows: false,
                ..default()
            },
        ))
        .insert_resource(Counts {
            walkers: options.get("walkers").unwrap_or(400),
            probes: options.get("probes").unwrap_or(500),
        })
        .add_systems(Startup, (spawn_walkers, spawn_probes))
        .add_systems(Update, fly)
        .add_systems(
            PostUpdate,
            // After these two, the parts of walkers are where this frame draws them.
            (cast_rays, draw_rays, mark_parts)
                .chain()
                .after(VisibilitySystems::CalculateBounds)
                .after(VisibilitySystems::VisibilityPropagate),
        )
        .run()
}

fn spawn_walkers(mut commands: Commands, assets: Res<AssetServer>, counts: Res<Counts>) {
    // Each walker would have two lights of its own.
    let model = assets
        .load_builder()
        .with_settings(|settings: &mut AloLoaderSettings| settings.load_lights = false)
        .load("models/walker.alo");
    commands.insert_resource(Walker { _model: model });
    let walker = ClassicModel::new("models/walker.alo");
    for (index, position) in grid::square(counts.walkers, SPACING).enumerate() {
        let mut dice = Dice::new(index as u32);
        commands.spawn((
            walker.clone(),
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
    mut rays: ModelRayCast,
    mut probes: Query<(&Transform, &mut Probe)>,
    mut caption: Single<&mut Text, (With<Caption>, Without<MeasuredText>)>,
    mut measured: Single<&mut Text, With<MeasuredText>>,
) {
    let settings = ModelRayCastSettings::default()
        .with_visibility(ModelRayCastVisibility::Visible)
        .with_max_distance(REACH);
    let (mut count, mut hits, start) = (0, 0, Instant::now());
    for (transform, mut probe) in &mut probes {
        let ray = Ray3d::new(transform.translation, transform.forward());
        probe.hit = rays.cast_ray(ray, &settings).first().copied();
        count += 1;
        hits += usize::from(probe.hit.is_some());
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    caption.0 = format!("{count} rays, {hits} of them hit a walker");
    measured.0 = format!("{milliseconds:.2} ms for all rays");
}

fn draw_rays(mut gizmos: Gizmos, probes: Query<(&Transform, &Probe)>) {
    for (transform, probe) in &probes {
        let start = transform.translation;
        gizmos.cross(Isometry3d::from_translation(start), 0.1, DEEP_SKY_BLUE);
        if let Some(hit) = &probe.hit {
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
    for hit in probes.iter().filter_map(|probe| probe.hit) {
        commands.entity(hit.part).try_insert(ShowAloColliderGizmo {
            level: Some(0),
            color: Some(GOLD.into()),
        });
    }
}
