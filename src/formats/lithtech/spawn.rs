//! Builds the scene of a model: one entity per node, and one per mesh.

use crate::crowd::members::CrowdScene;
use crate::formats::lithtech::animation::tracks::node_target;
use crate::formats::lithtech::asset::{AbcAssetLabel, AbcMeshInfo, AbcModel};
use crate::formats::lithtech::components::{AbcMesh, AbcNode, AbcScene};
use crate::formats::lithtech::settings::AbcLoaderSettings;
use crate::geometry::axes::{Mirror, scene_root};
use bevy::asset::LoadContext;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, NoAutoAabb};
use bevy::math::bounding::BoundingVolume;
use bevy::mesh::MeshTag;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;
use std::sync::Arc;

pub(crate) fn scene(
    model: &Arc<AbcModel>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Handle<WorldAsset> {
    let mut world = World::new();
    let root = world
        .spawn(root_components(model, settings, load_context))
        .id();
    let mut builder = Builder {
        nodes: Vec::with_capacity(model.nodes.len()),
        root,
        world,
        model,
    };
    builder.spawn_nodes();
    for mesh in model.level(0).iter().flat_map(|level| &level.meshes) {
        builder.spawn_mesh(mesh);
    }
    let scene = WorldAsset::new(builder.world);
    load_context.add_labeled_asset(AbcAssetLabel::Scene.to_string(), scene)
}

/// Makes the scene of a crowd's member, as a labeled asset: one entity, without nodes and meshes.
pub(crate) fn crowd_scene(
    model: &Arc<AbcModel>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Handle<WorldAsset> {
    let mut world = World::new();
    world.spawn((root_components(model, settings, load_context), CrowdScene));
    load_context.add_labeled_asset(AbcAssetLabel::Crowd.to_string(), WorldAsset::new(world))
}

/// The components that the root entity of every scene has.
fn root_components(
    model: &Arc<AbcModel>,
    settings: &AbcLoaderSettings,
    load_context: &LoadContext<'_>,
) -> impl Bundle {
    let mirror = if settings.convert_axes {
        Vec3::new(1.0, 1.0, -1.0)
    } else {
        Vec3::ONE
    };
    let root = scene_root(load_context, None, settings.scale);
    (root, AbcScene(model.clone()), Mirror(mirror))
}

struct Builder<'a> {
    world: World,
    root: Entity,
    nodes: Vec<Entity>,
    model: &'a AbcModel,
}

impl Builder<'_> {
    fn node(&self, index: usize) -> Entity {
        self.nodes.get(index).copied().unwrap_or(self.root)
    }

    fn spawn_nodes(&mut self) {
        for (index, node) in self.model.nodes.iter().enumerate() {
            let parent = node.parent.map_or(self.root, |parent| self.node(parent));
            let entity = self.world.spawn((
                Name::new(node.name.to_string()),
                node.transform,
                Visibility::Inherited,
                AbcNode { index },
                node_target(index),
                ChildOf(parent),
            ));
            let entity = entity.id();
            self.nodes.push(entity);
        }
    }

    fn spawn_mesh(&mut self, mesh: &AbcMeshInfo) {
        let parent = mesh.node.map_or(self.root, |node| self.node(node));
        let skin = self.model.inverse_bindposes.as_ref();
        let skin = skin.filter(|_| mesh.node.is_none()).map(|poses| {
            let joints = self.model.joints.iter();
            SkinnedMesh {
                inverse_bindposes: poses.clone(),
                joints: joints.map(|node| self.node(*node)).collect(),
            }
        });
        let mut entity = self.world.spawn((
            Name::new("mesh"),
            Transform::IDENTITY,
            Visibility::Inherited,
            AbcMesh { node: mesh.node },
            Mesh3d(mesh.mesh.clone()),
            Aabb::from_min_max(mesh.bounds.min.into(), mesh.bounds.max.into()),
            ChildOf(parent),
        ));
        let deform = mesh.node.and_then(|node| {
            let material = self.model.deform_material(0, node)?;
            // Vertices of the mesh that don't deform may be outside the bounding box of those that do.
            let bounds = self.model.deform(node)?.bounds.merge(&mesh.bounds);
            Some((bounds, material))
        });
        if let Some((bounds, material)) = deform {
            entity.insert((
                MeshMaterial3d(material.clone()),
                MeshTag(0),
                Aabb::from_min_max(bounds.min.into(), bounds.max.into()),
                NoAutoAabb,
            ));
        } else if let Some(material) = self.model.material(0, mesh.node) {
            entity.insert(MeshMaterial3d(material.clone()));
        }
        if let Some(skin) = skin {
            entity.insert((skin, DynamicSkinnedMeshBounds));
        }
    }
}
