//! How much room Alamo models take while their clips play, found by playing them once before the
//! picture is taken.

use crate::alo_clips::ClipList;
use crate::rooms::AloRoom;
use crate::support::headless::Headless;
use crate::support::places::Places;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloSubmeshOf;
use bevy_classic_models::prelude::*;

/// Moments of a clip that are looked at.
const MOMENTS: u16 = 24;

type Playing<'w> = (&'w ClipList, &'w PlayClip, &'w mut Playback);

/// Makes the rooms of models those of their clips. Without a camera the frames cost little.
pub fn sweep(headless: &mut Headless) {
    let world = headless.app.world_mut();
    let mut playing = world.query::<(Entity, &Playback, &AloInstance)>();
    let before: Vec<(Entity, f32)> = playing
        .iter(world)
        .map(|(model, playback, _)| (model, playback.time))
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

/// Makes rooms large enough for what shows now; at first, just so large. Beams and glows do not
/// count: they end in nothing, far from the model.
fn grow(
    anew: In<bool>,
    submeshes: Query<(Entity, &AloSubmeshOf, &InheritedVisibility)>,
    parents: Query<&ChildOf>,
    places: Places,
    mut rooms: Query<(&Transform, &AloInstance, &mut AloRoom), With<PlayClip>>,
) {
    let mut grown: Vec<(Entity, Vec3, Vec3)> = Vec::new();
    for (part, of, _) in submeshes.iter().filter(|(.., shows)| shows.get()) {
        let root = parents.iter_ancestors(part).find(|e| rooms.contains(*e));
        let Some((root, vertices)) = root.zip(places.vertices(part)) else {
            continue;
        };
        let Ok((transform, instance, _)) = rooms.get(root) else {
            continue;
        };
        let mesh = instance.model().meshes.get(of.mesh);
        let submesh = mesh.and_then(|mesh| mesh.submeshes.get(of.submesh));
        if submesh.is_some_and(|submesh| submesh.is_additive) {
            continue;
        }
        for at in vertices {
            let at = at - transform.translation;
            match grown.iter_mut().find(|(model, ..)| *model == root) {
                Some((_, min, max)) => (*min, *max) = (min.min(at), max.max(at)),
                None => grown.push((root, at, at)),
            }
        }
    }
    for (root, min, max) in grown {
        if let Ok((.., mut room)) = rooms.get_mut(root) {
            let (old_min, old_max) = if *anew {
                (min, max)
            } else {
                (room.min, room.max)
            };
            *room = AloRoom {
                min: min.min(old_min),
                max: max.max(old_max),
            };
        }
    }
}
