//! Computes the bounds of models with bones over their clips: plays each clip once before the image is captured.

use crate::view::draw::visible_points::{MeshVertices, OfModel, is_glow};
use crate::view::models::clip_list::ClipList;
use crate::view::models::viewed_model::ModelBounds;
use bevy::camera::primitives::Aabb;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, AloSubmeshIndex};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlInstance, MdlMesh};
use classic_models_support::headless::Headless;
use classic_models_support::stage::corners;

/// The intervals into which a clip is divided.
const STEPS: u16 = 24;

/// Models with clips. The bounds of Quake models follow the clip anyway.
type Swept = (With<ClipList>, With<PlayClip>, Without<MdlInstance>);

type Playing<'w> = (&'w ClipList, &'w PlayClip, &'w mut Playback);

/// Sets the bounds of models to those of their clips. Called before the camera is spawned, so that nothing is rendered.
pub fn sweep(headless: &mut Headless) {
    let world = headless.app.world_mut();
    let mut playing = world.query_filtered::<(Entity, &Playback), Swept>();
    let before: Vec<(Entity, f32)> = playing
        .iter(world)
        .map(|(model, playback)| (model, playback.time))
        .collect();
    if before.is_empty() {
        return;
    }
    for step in 0..=STEPS {
        let fraction = f32::from(step) / f32::from(STEPS);
        let world = headless.app.world_mut();
        let mut playing = world.query_filtered::<Playing, Swept>();
        for (list, play, mut playback) in playing.iter_mut(world) {
            // The end of a loop would be its beginning.
            let seconds = list.ready(play).map_or(0.0, |clip| clip.seconds);
            playback.time = seconds * fraction.min(0.9999);
        }
        headless.step(0.0);
        let world = headless.app.world_mut();
        if let Err(error) = world.run_system_cached_with(extend_bounds, step == 0) {
            error!("{error}");
        }
    }
    let world = headless.app.world_mut();
    let mut playbacks = world.query::<&mut Playback>();
    for (model, time) in before {
        if let Ok(mut playback) = playbacks.get_mut(world, model) {
            playback.time = time;
        }
    }
    headless.step(0.0);
}

/// A mesh, its sub-mesh index in an Alamo model, and the bounds of a mesh of an attached Quake model, which contain every pose.
type Drawn = (
    Entity,
    &'static InheritedVisibility,
    Option<&'static AloSubmeshIndex>,
    Option<(&'static MdlMesh, &'static Aabb, &'static GlobalTransform)>,
);

/// Extends the bounds of models by the current pose; with `reset`, replaces them. Additive sub-meshes are left out:
/// beams and glows fade out far from the model.
fn extend_bounds(
    reset: In<bool>,
    meshes: Query<Drawn, OfModel>,
    parents: Query<&ChildOf>,
    mesh_vertices: MeshVertices,
    mut all_bounds: Query<(&Transform, Option<&AloInstance>, &mut ModelBounds), Swept>,
) {
    let mut extended: Vec<(Entity, ModelBounds)> = Vec::new();
    let shown = meshes.iter().filter(|(_, visibility, ..)| visibility.get());
    let shown = shown.filter_map(|(entity, _, of, quake)| {
        let vertices = match quake {
            Some((_, aabb, transform)) => corners(aabb.min().into(), aabb.max().into())
                .map(|corner| transform.transform_point(corner))
                .to_vec(),
            None => mesh_vertices.vertices(entity)?,
        };
        Some((entity, of, vertices))
    });
    for (entity, of, vertices) in shown {
        let root = parents
            .iter_ancestors(entity)
            .find(|e| all_bounds.contains(*e));
        let Some((root, (transform, alo, _))) =
            root.and_then(|of| Some((of, all_bounds.get(of).ok()?)))
        else {
            continue;
        };
        if alo.zip(of).is_some_and(|(alo, of)| is_glow(alo, of)) {
            continue;
        }
        let vertices = vertices.into_iter().map(|at| at - transform.translation);
        let bounds = ModelBounds::around(vertices);
        match extended.iter_mut().find(|(model, _)| *model == root) {
            Some((_, all)) => *all = all.and(bounds),
            None => extended.push((root, bounds)),
        }
    }
    for (root, pose) in extended {
        if let Ok((.., mut bounds)) = all_bounds.get_mut(root) {
            *bounds = if *reset { pose } else { bounds.and(pose) };
        }
    }
}
