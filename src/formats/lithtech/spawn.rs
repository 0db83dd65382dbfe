//! Spawns a model: one entity per node, and one per mesh.

use crate::crowd::members::update_member;
use crate::formats::lithtech::animation::rig::AbcAnimator;
use crate::formats::lithtech::animation::tracks::node_target;
use crate::formats::lithtech::appearance::is_scrolling;
use crate::formats::lithtech::asset::{Abc, AbcMeshInfo, AbcModel};
use crate::formats::lithtech::components::{AbcInstance, AbcMesh, AbcNode};
use crate::formats::lithtech::deform::pose_table::AbcPoseRow;
use crate::formats::lithtech::settings::AbcLoaderSettings;
use crate::formats::lithtech::surfaces::largest_box;
use crate::geometry::axes::Mirror;
use crate::root::parts::DistanceLod;
use crate::spawn::instance::{ModelFormat, ModelInstance, RayBounds, RayPart};
use crate::spawn::render_layers::HasLayers;
use crate::spawn::scene::{SceneModel, SceneRoot, Spawnable, insert, spawn_below};
use bevy::asset::LoadContext;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, NoAutoAabb};
use bevy::mesh::MeshTag;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;
use std::sync::Arc;

/// The scene of a model.
pub(crate) fn scene(
    model: &Arc<AbcModel>,
    settings: &AbcLoaderSettings,
    load_context: &LoadContext<'_>,
) -> SceneModel {
    let mirror = if settings.convert_axes {
        Vec3::new(1.0, 1.0, -1.0)
    } else {
        Vec3::ONE
    };
    let shared = &model.shared;
    SceneModel::new::<Abc>(model.clone(), shared, load_context, None, settings.scale)
        .with_mirror(Mirror(mirror))
}

impl Spawnable for AbcModel {
    fn has_crowd(&self) -> bool {
        true
    }

    fn spawn(self: Arc<Self>, world: &mut World, root: Entity, scene: SceneRoot) {
        let is_crowd = scene.is_crowd;
        let scene = spawn_below(world, root, scene.bundle);
        let mut builder = Builder {
            nodes: Vec::new(),
            meshes: Vec::new(),
            deforming: Vec::new(),
            scene,
            ray_part: RayPart {
                format: ModelFormat::LithTech,
                root,
            },
            world,
            model: &self,
        };
        if !is_crowd {
            builder.spawn_box();
            builder.spawn_nodes();
            for mesh in self.level(0).iter().flat_map(|level| &level.meshes) {
                builder.spawn_mesh(mesh);
            }
        }
        let Builder {
            nodes,
            mut meshes,
            deforming,
            ..
        } = builder;
        meshes.sort_unstable();
        let scrolling = meshes.iter().filter(|(node, _)| is_scrolling(&self, *node));
        let scrolling = scrolling.map(|(_, entity)| *entity).collect();
        let named = nodes.iter().copied().enumerate();
        let any = ModelInstance::new(ModelFormat::LithTech, self.shared.clone(), scene, named);
        let any = any.in_crowd(is_crowd);
        let instance = AbcInstance {
            model: self.clone(),
            nodes,
            meshes: meshes.into_iter().map(|(_, entity)| entity).collect(),
            deforming,
            scrolling,
        };
        // Keeps a player that the user added, and playback across reloads.
        let player = (
            AnimationPlayer::default(),
            AbcAnimator::default(),
            DistanceLod::default(),
        );
        if let Ok(mut root) = world.get_entity_mut(root) {
            root.insert_if_new(player);
        }
        update_member::<Abc>(world, root, scene, is_crowd, &self);
        insert(world, root, (instance, any));
    }
}

struct Builder<'a> {
    world: &'a mut World,
    /// The root of the scene.
    scene: Entity,
    ray_part: RayPart,
    nodes: Vec<Entity>,
    /// Each with its node.
    meshes: Vec<(Option<usize>, Entity)>,
    /// The meshes that deform.
    deforming: Vec<Entity>,
    model: &'a AbcModel,
}

impl Builder<'_> {
    fn node(&self, index: usize) -> Entity {
        self.nodes.get(index).copied().unwrap_or(self.scene)
    }

    /// Lets rays hit the collision box of the model, whose part is the root of the scene.
    fn spawn_box(&mut self) {
        if let Some(bounds) = largest_box(self.model) {
            let bounds = Aabb::from_min_max(bounds.min.into(), bounds.max.into());
            insert(self.world, self.scene, (RayBounds(bounds), self.ray_part));
        }
    }

    fn spawn_nodes(&mut self) {
        for (index, node) in self.model.nodes.iter().enumerate() {
            let parent = node.parent.map_or(self.scene, |parent| self.node(parent));
            let components = (
                Name::new(node.name.to_string()),
                node.transform,
                Visibility::Inherited,
                AbcNode { index },
                node_target(index),
            );
            self.nodes.push(spawn_below(self.world, parent, components));
        }
    }

    fn spawn_mesh(&mut self, mesh: &AbcMeshInfo) {
        let parent = mesh.node.map_or(self.scene, |node| self.node(node));
        let skin = self.model.inverse_bindposes.as_ref();
        let skin = skin.filter(|_| mesh.node.is_none()).map(|poses| {
            let joints = self.model.joints.iter();
            SkinnedMesh {
                inverse_bindposes: poses.clone(),
                joints: joints.map(|node| self.node(*node)).collect(),
            }
        });
        // At all levels of detail, because rays hit the finest whichever is drawn.
        let own = mesh.node.and_then(|node| self.model.node_bounds.get(node));
        let bounds = own.and_then(|node| node.own).unwrap_or(mesh.bounds);
        let components = (
            Name::new("mesh"),
            Transform::IDENTITY,
            Visibility::Inherited,
            AbcMesh { node: mesh.node },
            Mesh3d(mesh.mesh.clone()),
            Aabb::from_min_max(bounds.min.into(), bounds.max.into()),
            NoAutoAabb,
            HasLayers,
            self.ray_part,
        );
        let entity = spawn_below(self.world, parent, components);
        self.meshes.push((mesh.node, entity));
        let deform = mesh.node.filter(|node| self.model.deform(*node).is_some());
        let deform = deform.and_then(|node| self.model.deform_material(0, node));
        if let Some(material) = deform {
            let components = (
                MeshMaterial3d(material.clone()),
                MeshTag(0),
                AbcPoseRow::default(),
            );
            insert(self.world, entity, components);
            self.deforming.push(entity);
        } else if let Some(material) = self.model.material(0, mesh.node) {
            insert(self.world, entity, MeshMaterial3d(material.clone()));
        }
        if let Some(skin) = skin {
            insert(self.world, entity, (skin, DynamicSkinnedMeshBounds));
        }
    }
}
