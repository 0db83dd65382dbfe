//! Adds the instance components to a root entity when its scene is ready.

use crate::crowd::members::{CrowdScene, update_member};
use crate::formats::lithtech::animation::rig::AbcAnimator;
use crate::formats::lithtech::appearance::is_scrolling;
use crate::formats::lithtech::asset::Abc;
use crate::formats::lithtech::components::{AbcInstance, AbcMesh, AbcNode, AbcScene};
use crate::formats::lithtech::deform::pose_table::AbcPoseRow;
use crate::root::parts::DistanceLod;
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::reload::ReadyScenes;
use bevy::mesh::MeshTag;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstanceReady;

/// The components that identify the nodes and meshes of a spawned scene.
type SpawnedData = (
    Option<&'static AbcNode>,
    Option<&'static AbcMesh>,
    Has<MeshTag>,
);

/// Makes a root entity an instance of the model whose scene was spawned or respawned on it.
pub(crate) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: ReadyScenes<'_, '_, Abc>,
    spawned: Query<SpawnedData>,
    crowds: Query<(), With<CrowdScene>>,
) {
    let Some((scene_root, AbcScene(model), entities)) = scenes.get(&ready, &mut commands) else {
        return;
    };
    let root = ready.entity;
    let (mut nodes, mut meshes, mut deforming) = (Vec::new(), Vec::new(), Vec::new());
    for entity in entities {
        let Ok((node, mesh, is_deforming)) = spawned.get(entity) else {
            continue;
        };
        nodes.extend(node.map(|node| (node.index, entity)));
        meshes.extend(mesh.map(|mesh| (mesh.node, entity)));
        deforming.extend(mesh.filter(|_| is_deforming).map(|_| entity));
    }
    nodes.sort_unstable();
    meshes.sort_unstable();
    let scrolling = meshes
        .iter()
        .filter(|(node, _)| is_scrolling(&model, *node));
    let scrolling = scrolling.map(|(_, entity)| *entity).collect();
    for mesh in &deforming {
        commands
            .entity(*mesh)
            .try_insert_if_new(AbcPoseRow::default());
    }
    // Keeps a player that the user added, and playback across reloads.
    let player = (
        AnimationPlayer::default(),
        AbcAnimator::default(),
        DistanceLod::default(),
    );
    commands.entity(root).try_insert_if_new(player);
    let any = ModelInstance::new(
        ModelFormat::LithTech,
        model.shared.clone(),
        scene_root,
        nodes.iter().copied(),
    );
    let crowd = crowds.contains(scene_root).then_some(scene_root);
    let any = any.in_crowd(crowd.is_some());
    update_member::<Abc>(&mut commands, root, crowd, &model);
    let instance = AbcInstance {
        model,
        nodes: nodes.into_iter().map(|(_, entity)| entity).collect(),
        meshes: meshes.into_iter().map(|(_, entity)| entity).collect(),
        deforming,
        scrolling,
    };
    commands.entity(root).try_insert((instance, any));
}
