//! Outlines of models with the crate `bevy_mod_outline`: `cargo run --release --manifest-path examples/outline/Cargo.toml`.
//!
//! You should see an outline around a walker, a warden with its cape, a sentry and a walker of a crowd, in the pose that
//! each shows.
//!
//! ```text
//! Space          pauses
//! left, right    turn the camera
//! ```
//!
//! `--capture FILE --time SECONDS` saves an image of that moment without a window.

use bevy::asset::AssetEventSystems;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::{ColliderParts, ModelColliders};
use bevy_mod_outline::{OutlinePlugin, OutlineVolume};
use classic_models_support::example::ExamplePlugins;
use classic_models_support::studio::StudioPlugin;

fn main() -> AppExit {
    App::new()
        .add_plugins((
            ExamplePlugins::from_env(),
            ClassicModelsPlugins,
            OutlinePlugin::JUMP_FLOOD,
            StudioPlugin {
                eye: Vec3::new(0.0, 5.0, -14.0),
                ..default()
            },
        ))
        .add_systems(Startup, setup)
        .add_systems(
            PostUpdate,
            pose_outlines
                .after(TransformSystems::Propagate)
                .before(AssetEventSystems),
        )
        .run()
}

/// The mesh of a model's outline: a child of the model's root.
#[derive(Component)]
struct Outline;

fn setup(mut commands: Commands, meshes: Res<Assets<Mesh>>) {
    let at = |x: f32, y: f32, scale: f32| {
        let transform = Transform::from_xyz(x, y, 0.0).with_scale(Vec3::splat(scale));
        (BevySpace::default(), transform)
    };
    let walker = || {
        (
            ClassicModel::new("models/walker.alo"),
            PlayClip::looping("MOVE_00"),
        )
    };
    let warden = (
        ClassicModel::new("models/warden.abc"),
        PlayClip::looping("walk"),
    );
    let sentry = (
        ClassicModel::new("models/sentry.mdl"),
        PlayClip::looping("walk"),
    );
    let roots = [
        commands.spawn((walker(), at(-4.5, 0.0, 1.0))).id(),
        commands.spawn((walker(), Crowd, at(4.5, 0.0, 1.0))).id(),
        commands.spawn((warden, at(1.5, 0.0, 1.0))).id(),
        commands.spawn((sentry, at(-1.5, 0.0, 1.0))).id(),
    ];
    for root in roots {
        let outline = OutlineVolume {
            visible: true,
            width: 4.0,
            colour: Color::srgb(1.0, 0.7, 0.1),
        };
        // The posed mesh has no material, so that only its outline is drawn.
        let mesh = Mesh3d(meshes.reserve_handle());
        commands
            .entity(root)
            .with_child((Outline, mesh, outline, NoFrustumCulling));
    }
}

/// Gives outlines the pose that their models show in this frame.
fn pose_outlines(
    outlines: Query<(&ChildOf, &Mesh3d), With<Outline>>,
    mut params: ParamSet<(ModelColliders, ResMut<Assets<Mesh>>)>,
) {
    for (root, Mesh3d(handle)) in &outlines {
        let posed = params
            .p0()
            .collider_mesh(root.parent(), ColliderParts::Drawn);
        if let Some(posed) = posed {
            // Inserting fails only if the handle was dropped.
            let _ = params.p1().insert(handle, posed.into());
        }
    }
}
