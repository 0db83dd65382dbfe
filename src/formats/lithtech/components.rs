//! Components of spawned models.

use crate::formats::lithtech::asset::AbcModel;
use bevy::prelude::*;
use std::sync::Arc;

/// On the entity of a node of a spawned model.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AbcNode {
    /// Index of the node in the file, from which [`node_target`](crate::lithtech::node_target) derives its animation target.
    pub index: usize,
}

/// On the entity of a mesh of a spawned model. This crate sets its `Mesh3d`, `MeshMaterial3d` and `Visibility`.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AbcMesh {
    /// Index of the node that is its parent; `None` for the skinned mesh.
    pub node: Option<usize>,
}

/// A spawned LithTech model. On the root entity, once its scene is spawned.
#[derive(Component, Debug)]
pub struct AbcInstance {
    pub(crate) model: Arc<AbcModel>,
    pub(crate) nodes: Vec<Entity>,
    pub(crate) meshes: Vec<Entity>,
    /// The meshes that deform.
    pub(crate) deforming: Vec<Entity>,
    /// The meshes whose textures scroll.
    pub(crate) scrolling: Vec<Entity>,
}

impl AbcInstance {
    /// The entities of the meshes whose textures scroll.
    pub(crate) fn scrolling(&self) -> &[Entity] {
        &self.scrolling
    }

    /// The entities of the meshes that deform.
    pub(crate) fn deforming(&self) -> &[Entity] {
        &self.deforming
    }

    /// The model's data.
    pub fn model(&self) -> &Arc<AbcModel> {
        &self.model
    }

    /// The entities of the nodes, in file order. Empty for a member of a crowd.
    pub fn nodes(&self) -> &[Entity] {
        &self.nodes
    }

    /// The entity of the first node with a name, ignoring case.
    pub fn node(&self, name: &str) -> Option<Entity> {
        let index = self.model.nodes_named(name).first()?;
        self.nodes.get(*index).copied()
    }

    /// The entities with an [`AbcMesh`], in the order of their nodes. The skinned mesh comes first. Empty for a member of a
    /// crowd.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }
}
