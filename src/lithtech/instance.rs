//! What happens when the scene of a model is ready, and when it is removed.

use crate::lithtech::abc::node_flags;
use crate::lithtech::animation::AbcAnimator;
use crate::lithtech::components::{AbcInstance, AbcMesh, AbcNode, AbcScene};
use crate::lithtech::pose_table::PoseRow;
use crate::scene::{DistanceLod, OwnScenes};
use bevy::animation::AnimationPlayer;
use bevy::ecs::lifecycle::Remove;
use bevy::ecs::observer::On;
use bevy::ecs::query::Has;
use bevy::ecs::system::{Commands, Query};
use bevy::mesh::MeshTag;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};

/// What a root has as long as it is a model.
pub(super) type Instance = (AbcInstance, AbcAnimator);

/// What tells the entities of a spawned scene apart.
type SpawnedData = (
    Option<&'static AbcScene>,
    Option<&'static AbcNode>,
    Option<&'static AbcMesh>,
    Has<MeshTag>,
);

/// Takes charge of a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: OwnScenes<'_, '_, AbcScene>,
    spawned: Query<SpawnedData>,
    instances: Query<&AbcInstance>,
) {
    let Some(entities) = scenes.entities(&ready) else {
        return;
    };
    let root = ready.entity;
    let mut model = None;
    let (mut nodes, mut meshes, mut deforming) = (Vec::new(), Vec::new(), Vec::new());
    for entity in entities {
        let Ok((scene, node, mesh, is_deforming)) = spawned.get(entity) else {
            continue;
        };
        model = scene.map(|scene| &scene.0).or(model);
        nodes.extend(node.map(|node| (node.index, entity)));
        meshes.extend(mesh.map(|mesh| (mesh.node, entity)));
        deforming.extend(mesh.filter(|_| is_deforming).map(|_| entity));
    }
    let Some(model) = model else {
        if instances.contains(root) {
            commands.entity(root).try_remove::<Instance>();
        }
        return;
    };
    nodes.sort_unstable();
    meshes.sort_unstable();
    let scrolls = |node: &Option<usize>| {
        let node = node.and_then(|node| model.nodes.get(node));
        node.is_some_and(|node| node.flags & (node_flags::SCROLL_U | node_flags::SCROLL_V) != 0)
    };
    let scrolling = meshes.iter().filter(|(node, _)| scrolls(node));
    let scrolling = scrolling.map(|(_, entity)| *entity).collect();
    for mesh in &deforming {
        commands.entity(*mesh).try_insert_if_new(PoseRow::default());
    }
    // The user may have put a player there, and what it plays outlives a change of the file.
    let player = (
        AnimationPlayer::default(),
        AbcAnimator::default(),
        DistanceLod::default(),
    );
    commands.entity(root).try_insert_if_new(player);
    commands.entity(root).try_insert(AbcInstance {
        model: model.clone(),
        nodes: nodes.into_iter().map(|(_, entity)| entity).collect(),
        meshes: meshes.into_iter().map(|(_, entity)| entity).collect(),
        deforming,
        scrolling,
    });
}

/// Without a scene there is no instance.
pub(super) fn on_root_removed(removed: On<Remove, WorldAssetRoot>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<Instance>();
}
