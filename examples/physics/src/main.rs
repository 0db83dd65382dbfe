//! Colliders of models for the physics engine Avian:
//! `cargo run --release --manifest-path examples/physics/Cargo.toml`.
//!
//! You should see crates fall on a warden, which stands still, and on a walker, which walks on the spot and turns. The
//! crates slide off and come to rest on the floor, and the walker's legs push those in their way. Lines show the
//! colliders: one for the warden, one for each part of the walker, and a convex hull for each crate.
//!
//! ```text
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window. `--frames 100` runs 100 frames
//! without a window and prints the text.

use avian3d::prelude::*;
use bevy::prelude::*;
use bevy_classic_models::query::{ColliderMesh, ColliderParts, ModelColliders};
use bevy_classic_models::prelude::*;
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::{Caption, StudioPlugin};

/// The count of crates above each model.
const CRATES: i32 = 12;

/// The colliders of a model.
#[derive(Component, Clone, Copy)]
enum Shape {
    /// One triangle mesh, for a model that does not move.
    Triangles,
    /// A triangle mesh for each part, which follows the part's bone.
    TrianglesOfParts,
    /// One convex hull. Triangle meshes are hollow, so bodies that fall need a solid shape.
    Hull,
}

impl Shape {
    fn body(self) -> RigidBody {
        match self {
            Self::Triangles => RigidBody::Static,
            Self::TrianglesOfParts => RigidBody::Kinematic,
            Self::Hull => RigidBody::Dynamic,
        }
    }
}

/// On a model that was spawned or respawned and has no colliders yet.
#[derive(Component)]
struct NeedsColliders;

fn main() -> AppExit {
    App::new()
        .add_plugins((
            ExamplePlugins::from_env(),
            ClassicModelsPlugins,
            PhysicsPlugins::default(),
            PhysicsDebugPlugin,
            StudioPlugin {
                eye: Vec3::new(0.0, 6.0, -13.0),
                ..default()
            },
        ))
        .add_systems(Startup, setup)
        .add_systems(Update, (add_colliders, write_caption).chain())
        .add_observer(request_colliders)
        .run()
}

fn setup(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    commands.spawn((
        ClassicModel::new("models/walker.alo"),
        BevySpace::default(),
        PlayClip::looping("MOVE_00"),
        Transform::from_xyz(-3.0, 0.0, 0.0),
        AngularVelocity(Vec3::Y * 0.4),
        Shape::TrianglesOfParts,
    ));
    commands.spawn((
        ClassicModel::new("models/warden.abc"),
        BevySpace::default(),
        Transform::from_xyz(3.0, 0.0, 0.0),
        Shape::Triangles,
    ));
    let falling = ClassicModel::new("models/crate.alo");
    for model in [-3.0, 3.0] {
        for index in 0..CRATES {
            let offset = Vec3::new(
                (index % 3 - 1) as f32,
                (index / 3) as f32,
                (index % 2) as f32,
            );
            commands.spawn((
                falling.clone(),
                BevySpace::default(),
                Transform::from_translation(1.5 * offset + Vec3::new(model, 8.0, -0.5)),
                Shape::Hull,
            ));
        }
    }
}

/// Requests colliders when a model is complete, and again when a hot reload has respawned it.
fn request_colliders(ready: On<ModelReady>, mut commands: Commands, shapes: Query<&Shape>) {
    if shapes.contains(ready.entity) {
        commands.entity(ready.entity).insert(NeedsColliders);
    }
}

/// Runs in the frame after, because colliders need the transforms of all parts.
fn add_colliders(
    mut commands: Commands,
    mut colliders: ModelColliders,
    models: ModelQuery,
    roots: Query<(Entity, &Shape), With<NeedsColliders>>,
) {
    for (root, shape) in &roots {
        match shape {
            Shape::Triangles => {
                let mesh = colliders.collider_mesh(root, ColliderParts::Solid);
                insert(&mut commands, root, mesh.and_then(triangles));
            }
            Shape::TrianglesOfParts => {
                for part in models.parts(root) {
                    let mesh = colliders.collider_mesh(part.entity, ColliderParts::Solid);
                    insert(&mut commands, part.entity, mesh.and_then(triangles));
                }
            }
            Shape::Hull => {
                let mesh = colliders.collider_mesh(root, ColliderParts::Drawn);
                let hull = mesh.and_then(|mesh| Collider::convex_hull(mesh.positions));
                insert(&mut commands, root, hull);
            }
        }
        // Not earlier: a body without colliders would fall through the floor.
        let mut root = commands.entity(root);
        root.insert(shape.body()).remove::<NeedsColliders>();
    }
}

fn triangles(mesh: ColliderMesh) -> Option<Collider> {
    Collider::try_trimesh(mesh.positions, mesh.indices).ok()
}

fn insert(commands: &mut Commands, entity: Entity, collider: Option<Collider>) {
    if let Some(collider) = collider {
        commands.entity(entity).insert(collider);
    }
}

fn write_caption(
    colliders: Query<(), With<Collider>>,
    bodies: Query<(&RigidBody, Has<Sleeping>)>,
    mut caption: Single<&mut Text, With<Caption>>,
) {
    let crates = bodies.iter().filter(|(body, _)| body.is_dynamic());
    let (resting, falling): (Vec<_>, Vec<_>) = crates.partition(|(_, is_sleeping)| *is_sleeping);
    caption.0 = format!(
        "{} colliders; {} crates move, {} rest",
        colliders.iter().count(),
        falling.len(),
        resting.len(),
    );
}
