//! A spawned model: its entities.

use crate::lithtech::abc::node_flags;
use crate::lithtech::model::AbcModel;
use crate::lithtech::player::AbcAnimator;
use crate::lithtech::pose_table::{self, PoseRow};
use crate::scene::{DistanceLod, Leveled, OwnScenes, SceneModel, Skeleton};
use bevy::animation::AnimationPlayer;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::{HookContext, Remove};
use bevy::ecs::observer::On;
use bevy::ecs::query::Has;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::{Commands, Query};
use bevy::ecs::world::DeferredWorld;
use bevy::mesh::MeshTag;
use bevy::reflect::Reflect;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};
use std::sync::Arc;

/// On the root entity of a scene's own world: the model that it is of.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque, Component, Clone, Debug)]
pub(super) struct AbcScene(pub(super) Arc<AbcModel>);

/// On the entity of a node of a spawned model.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AbcNode {
    /// Its index in the file, by which animations know it.
    pub index: usize,
}

/// On the entity of a mesh of a spawned model. Its `Mesh3d`, `MeshMaterial3d` and `Visibility` are
/// this crate's to set.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AbcMesh {
    /// Index of the node that it hangs on; `None` if it is skinned to all of them.
    pub node: Option<usize>,
}

/// A spawned LithTech model. On the root entity, once its scene is there.
#[derive(Component, Debug)]
#[component(on_remove = stop_motion)]
pub struct AbcInstance {
    model: Arc<AbcModel>,
    nodes: Vec<Entity>,
    meshes: Vec<Entity>,
    /// Those of the meshes that deform.
    deforming: Vec<Entity>,
    /// Those of the meshes whose picture moves.
    scrolling: Vec<Entity>,
}

impl AbcInstance {
    /// The entities of the meshes whose picture moves.
    pub(super) fn scrolling(&self) -> &[Entity] {
        &self.scrolling
    }

    /// The entities of the meshes that deform.
    pub(super) fn deforming(&self) -> &[Entity] {
        &self.deforming
    }

    /// The model, for its skeleton, names, animations and all else.
    pub fn model(&self) -> &Arc<AbcModel> {
        &self.model
    }

    /// The entities of the nodes, in file order.
    pub fn nodes(&self) -> &[Entity] {
        &self.nodes
    }

    /// The entity of the first node of a name, in any case.
    pub fn node(&self, name: &str) -> Option<Entity> {
        let index = self.model.nodes_named(name).first()?;
        self.nodes.get(*index).copied()
    }

    /// The entities that have an [`AbcMesh`], in the order of their nodes.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }
}

fn stop_motion(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(instance) = world.get::<AbcInstance>(context.entity) else {
        return;
    };
    let meshes = instance.deforming.clone();
    pose_table::stop_motion(&mut world, &meshes);
}

impl SceneModel for AbcScene {
    type Instance = AbcInstance;

    fn is_of(&self, instance: &AbcInstance) -> bool {
        Arc::ptr_eq(&self.0, &instance.model)
    }
}

impl Skeleton for AbcInstance {
    fn bones(&self) -> &[Entity] {
        &self.nodes
    }
}

impl Leveled for AbcInstance {
    fn own_distances(&self) -> &[f32] {
        &self.model.lod_distances
    }
}

/// What a root has as long as it is a model.
type Instance = (AbcInstance, AbcAnimator);

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
