//! How much room models with bones take while their clips play, found by playing them once before the
//! picture is taken.

use crate::view::clips::ClipList;
use crate::view::models::ViewedModel;
use crate::view::rooms::Room;
use crate::view::shown::{OfModel, Shown};
use bevy::camera::primitives::Aabb;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::alamo::AloSubmeshIndex;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;
use classic_models_support::headless::Headless;
use classic_models_support::stage::corners;

/// Moments of a clip that are looked at.
const MOMENTS: u16 = 24;

type Playing<'w> = (&'w ClipList, &'w PlayClip, &'w mut Playback);

/// Makes the rooms of models those of their clips. Without a camera the frames cost little.
pub fn sweep(headless: &mut Headless) {
    let world = headless.app.world_mut();
    let mut playing = world.query_filtered::<(Entity, &Playback), With<ClipList>>();
    let before: Vec<(Entity, f32)> = playing
        .iter(world)
        .map(|(model, playback)| (model, playback.time))
        .collect();
    if before.is_empty() {
        return;
    }
    for moment in 0..=MOMENTS {
        let part = f32::from(moment) / f32::from(MOMENTS);
        let world = headless.app.world_mut();
        let mut playing = world.query::<Playing>();
        for (list, play, mut playback) in playing.iter_mut(world) {
            // The end of a loop would be its beginning.
            let seconds = list.ready(play).map_or(0.0, |clip| clip.seconds);
            playback.time = seconds * part.min(0.9999);
        }
        headless.step(0.0);
        let world = headless.app.world_mut();
        if let Err(error) = world.run_system_cached_with(grow, moment == 0) {
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

/// What is drawn of models with bones, and what it is of an Alamo model.
type Drawn = (
    Entity,
    &'static InheritedVisibility,
    Option<&'static AloSubmeshIndex>,
);

/// Quake models that hang on others. Their boxes hold every pose.
#[derive(SystemParam)]
struct Hung<'w, 's> {
    models: Query<'w, 's, (Entity, &'static MdlAnimator), Without<ViewedModel>>,
    meshes: Query<'w, 's, (&'static Aabb, &'static GlobalTransform)>,
}

impl Hung<'_, '_> {
    /// Where they are in the world.
    fn places(&self) -> impl Iterator<Item = (Entity, Vec<Vec3>)> {
        self.models.iter().filter_map(|(model, animator)| {
            let (aabb, place) = self.meshes.get(animator.mesh()).ok()?;
            let corners = corners(aabb.min().into(), aabb.max().into());
            let corners = corners.map(|at| place.transform_point(at));
            Some((model, corners.to_vec()))
        })
    }
}

/// Makes rooms large enough for what shows now; at first, just so large. Beams and glows do not
/// count: they end in nothing, far from the model.
fn grow(
    anew: In<bool>,
    meshes: Query<Drawn, OfModel>,
    parents: Query<&ChildOf>,
    places: Shown,
    hung: Hung,
    mut rooms: Query<(&Transform, Option<&AloInstance>, &mut Room), With<PlayClip>>,
) {
    let mut grown: Vec<(Entity, Room)> = Vec::new();
    let shown = meshes.iter().filter(|(_, shows, _)| shows.get());
    let shown = shown.filter_map(|(entity, _, of)| Some((entity, of, places.vertices(entity)?)));
    let hung = hung
        .places()
        .map(|(entity, corners)| (entity, None, corners));
    for (entity, of, vertices) in shown.chain(hung) {
        let root = parents.iter_ancestors(entity).find(|e| rooms.contains(*e));
        let Some((root, (transform, alo, _))) = root.and_then(|of| Some((of, rooms.get(of).ok()?)))
        else {
            continue;
        };
        if alo.zip(of).is_some_and(|(alo, of)| is_glow(alo, of)) {
            continue;
        }
        let vertices = vertices.into_iter().map(|at| at - transform.translation);
        let room = Room::around(vertices);
        match grown.iter_mut().find(|(model, _)| *model == root) {
            Some((_, all)) => *all = all.and(room),
            None => grown.push((root, room)),
        }
    }
    for (root, grown) in grown {
        if let Ok((.., mut room)) = rooms.get_mut(root) {
            *room = if *anew { grown } else { room.and(grown) };
        }
    }
}

fn is_glow(instance: &AloInstance, of: &AloSubmeshIndex) -> bool {
    let mesh = instance.model().meshes.get(of.mesh);
    let submesh = mesh.and_then(|mesh| mesh.submeshes.get(of.submesh));
    submesh.is_some_and(|submesh| submesh.is_additive)
}
