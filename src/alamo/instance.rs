//! What happens when the scene of a model is ready, and when it is removed.

use crate::alamo::animation::AloAnimator;
use crate::alamo::components::{AloBone, AloInstance, AloPart, AloProxy, AloScene, WearsTeamColor};
use crate::alamo::proxies::ProxyFollower;
use crate::scene::OwnScenes;
use bevy::animation::AnimationPlayer;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::query::Has;
use bevy::ecs::system::{Commands, Query};
use bevy::transform::components::Transform;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};

/// What a root has as long as it is a model.
pub(super) type Instance = (AloInstance, AloAnimator);

/// What tells the entities of a spawned scene apart.
pub(super) type SpawnedData = (
    Option<&'static AloScene>,
    Option<&'static AloBone>,
    Option<&'static AloProxy>,
    Has<AloPart>,
    Has<WearsTeamColor>,
);

/// Takes charge of a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: OwnScenes<'_, '_, AloScene>,
    spawned: Query<SpawnedData>,
    instances: Query<&AloInstance>,
    mut follower: ProxyFollower,
) {
    let Some(entities) = scenes.entities(&ready) else {
        return;
    };
    let root = ready.entity;
    let mut scene = None;
    let (mut bones, mut parts, mut colored) = (Vec::new(), Vec::new(), Vec::new());
    let mut followed = Vec::new();
    for entity in entities {
        let Ok((of, bone, proxy, is_part, wears_team_color)) = spawned.get(entity) else {
            continue;
        };
        scene = of.map(|of| (entity, of)).or(scene);
        bones.extend(bone.map(|bone| (bone.index, entity)));
        let model = proxy.and_then(|proxy| proxy.model.as_ref());
        followed.extend(model.map(|model| (entity, model)));
        parts.extend(is_part.then_some(entity));
        colored.extend(wears_team_color.then_some(entity));
    }
    let old = instances.get(root).ok();
    let Some((scene_root, AloScene { model, settings })) = scene else {
        if old.is_some() {
            commands.entity(root).try_remove::<Instance>();
        }
        return;
    };
    bones.sort_unstable();
    // The user may have put a player there, and what it plays outlives a change of the file.
    let player = (AnimationPlayer::default(), AloAnimator::default());
    commands.entity(root).try_insert_if_new(player);
    // What the old instance was told stays true for the new one.
    commands.entity(root).try_insert(AloInstance {
        bones: bones.into_iter().map(|(_, entity)| entity).collect(),
        parts,
        colored,
        alt: old.map_or(0, |old| old.alt.min(model.max_alt)),
        held: old.map(|old| old.held.clone()).unwrap_or_default(),
        model: model.clone(),
    });
    if follower.is_proxy(root) {
        // A model that a proxy brings along is in the space of the proxy's bone already.
        commands.entity(scene_root).try_insert(Transform::IDENTITY);
    }
    for (entity, path) in followed {
        follower.follow(&mut commands, root, entity, path, settings);
    }
}

/// Without a scene there is no instance.
pub(super) fn on_root_removed(removed: On<Remove, WorldAssetRoot>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<Instance>();
}
