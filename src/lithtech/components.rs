//! Components of spawned models.

use crate::lithtech::asset::AbcModel;
use crate::lithtech::pose_table;
use crate::scene::{HasLods, SceneModel, Skeleton};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::world::DeferredWorld;
use bevy::reflect::Reflect;
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
    pub(super) model: Arc<AbcModel>,
    pub(super) nodes: Vec<Entity>,
    pub(super) meshes: Vec<Entity>,
    /// Those of the meshes that deform.
    pub(super) deforming: Vec<Entity>,
    /// Those of the meshes whose picture moves.
    pub(super) scrolling: Vec<Entity>,
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

pub(super) fn stop_motion(mut world: DeferredWorld<'_>, context: HookContext) {
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

impl HasLods for AbcInstance {
    fn own_distances(&self) -> &[f32] {
        &self.model.lod_distances
    }
}
