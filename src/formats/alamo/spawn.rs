//! Makes the scene of a model: one entity per bone, with the parts as children.

use crate::appearance::parts::{BoneVisibility, connected_visibility, visibility};
use crate::crowd::members::CrowdScene;
use crate::formats::alamo::animation::binding::bone_target;
use crate::formats::alamo::asset::{AloAssetLabel, AloMesh, AloModel, AloSubmesh};
use crate::formats::alamo::components::{
    AloBone, AloPart, AloPartKind, AloProxy, AloScene, AloShared, AloSubmeshIndex, TeamColored,
};
use crate::formats::alamo::convert::file::transform;
use crate::formats::alamo::materials::tags::{AloTags, begins_with_fc};
use crate::formats::alamo::particles::asset::{AloParticleSystem, AloParticles};
use crate::formats::alamo::parts::billboard::{AloBillboard, AloSceneRoot, Billboard};
use crate::formats::alamo::parts::dazzle::DazzleMaterial;
use crate::formats::alamo::parts::lights::insert_light;
use crate::formats::alamo::raycast::collider::AloCollider;
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::geometry::axes::{scene_root, z_up_forward_minus_y};
use bevy::asset::LoadContext;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, NoAutoAabb};
use bevy::light::NotShadowCaster;
use bevy::math::Affine3A;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;
use std::sync::Arc;

/// Dazzles that are drawn as one mesh.
pub(crate) struct DazzleGroup {
    pub(crate) bone: usize,
    pub(crate) name: String,
    pub(crate) hidden: bool,
    pub(crate) night_only: bool,
    pub(crate) bounds: Aabb,
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) material: Handle<DazzleMaterial>,
}

/// Makes the scene of a model or a particle system, as a labeled asset.
pub(crate) fn scene(
    shared: &Arc<AloShared>,
    dazzles: Vec<DazzleGroup>,
    particles: Option<Handle<AloParticles>>,
    settings: &AloLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Handle<WorldAsset> {
    let mut world = World::new();
    let model = &shared.model;
    let mut root = world.spawn((root_components(shared, load_context), AloSceneRoot));
    if let Some(particles) = particles {
        root.insert(AloParticleSystem(particles));
    }
    let root = root.id();
    let mut builder = Builder {
        bones: Vec::with_capacity(model.bones.len()),
        root,
        world,
        model,
    };
    builder.spawn_bones();
    for (index, mesh) in model.meshes.iter().enumerate() {
        builder.spawn_mesh(index, mesh);
    }
    if settings.load_lights {
        builder.spawn_lights(settings.scale);
    }
    builder.spawn_proxies();
    for (index, group) in dazzles.into_iter().enumerate() {
        builder.spawn_dazzles(index, group);
    }
    let scene = WorldAsset::new(builder.world);
    load_context.add_labeled_asset(AloAssetLabel::Scene.to_string(), scene)
}

/// Makes the scene of a crowd's member, as a labeled asset: one entity, without bones and parts.
pub(crate) fn crowd_scene(
    shared: &Arc<AloShared>,
    load_context: &mut LoadContext<'_>,
) -> Handle<WorldAsset> {
    let mut world = World::new();
    world.spawn((root_components(shared, load_context), CrowdScene));
    load_context.add_labeled_asset(AloAssetLabel::Crowd.to_string(), WorldAsset::new(world))
}

/// The components that the root entity of every scene has.
fn root_components(shared: &Arc<AloShared>, load_context: &LoadContext<'_>) -> impl Bundle + use<> {
    let settings = &shared.settings;
    let axes = settings.convert_axes.then(z_up_forward_minus_y);
    let root = scene_root(load_context, axes, settings.scale);
    (root, AloScene(shared.clone()))
}

struct Builder<'a> {
    world: World,
    root: Entity,
    bones: Vec<Entity>,
    model: &'a AloModel,
}

impl Builder<'_> {
    fn bone(&self, index: usize) -> Entity {
        self.bones.get(index).copied().unwrap_or(self.root)
    }

    fn spawn_bones(&mut self) {
        let hides_children = self.model.hidden_bones_hide_children;
        for (index, bone) in self.model.bones.iter().enumerate() {
            let parent = bone.parent.map_or(self.root, |parent| self.bone(parent));
            let mut entity = self.world.spawn((
                Name::new(bone.name.to_string()),
                bone.transform,
                visibility(bone.visible || !hides_children),
                BoneVisibility {
                    is_visible: bone.visible,
                    default: bone.visible,
                    animated: None,
                    hides_children,
                },
                AloBone {
                    index,
                    billboard: bone.billboard,
                    visible: bone.visible,
                },
                bone_target(index),
                ChildOf(parent),
            ));
            let mode = Billboard::from_raw(bone.billboard).unwrap_or_default();
            if mode != Billboard::None {
                entity.insert(AloBillboard::new(mode));
            }
            let entity = entity.id();
            self.bones.push(entity);
        }
    }

    fn spawn_part(&mut self, bone: usize, mut part: AloPart) -> Entity {
        let parent = self.bone(bone);
        part.choose_initial(self.model);
        let visible = connected_visibility(self.world.get(parent), part.shown);
        let name = Name::new(part.name.clone());
        let part = (name, Transform::IDENTITY, visible, part, ChildOf(parent));
        self.world.spawn(part).id()
    }

    fn spawn_mesh(&mut self, index: usize, mesh: &AloMesh) {
        let mut part = AloPart::new(AloPartKind::Mesh, index, &mesh.name, &mesh.tags);
        part.hidden = mesh.hidden;
        let entity = self.spawn_part(mesh.bone, part);
        for (submesh_index, submesh) in mesh.submeshes.iter().enumerate() {
            let index = AloSubmeshIndex {
                mesh: index,
                submesh: submesh_index,
            };
            self.spawn_submesh(entity, index, mesh.bone, submesh);
        }
    }

    fn spawn_submesh(
        &mut self,
        parent: Entity,
        index: AloSubmeshIndex,
        bone: usize,
        submesh: &AloSubmesh,
    ) {
        let drawn = submesh.mesh.as_ref().zip(submesh.material.as_ref());
        if drawn.is_none() && !submesh.has_tree() {
            return;
        }
        let joints = submesh
            .palette
            .iter()
            .map(|bone| self.bone(*bone as usize))
            .collect();
        let transform = match submesh.inverse_bindposes {
            Some(_) => self.inverse_bind_pose(bone),
            None => Transform::IDENTITY,
        };
        let mut entity =
            self.world
                .spawn((index, transform, Visibility::Inherited, ChildOf(parent)));
        if let Some((mesh, material)) = drawn {
            entity.insert((
                Mesh3d(mesh.clone()),
                MeshMaterial3d(material.clone()),
                Aabb::from_min_max(submesh.bounds.min.into(), submesh.bounds.max.into()),
            ));
        }
        if let Some(tree) = &submesh.tree {
            entity.insert(AloCollider::new(tree.clone(), submesh.skin.clone(), bone));
        }
        if submesh.is_team_colored {
            entity.insert(TeamColored);
        }
        if !submesh.casts_shadows {
            entity.insert(NotShadowCaster);
        }
        if let Some(inverse_bindposes) = &submesh.inverse_bindposes {
            entity.insert((
                SkinnedMesh {
                    inverse_bindposes: inverse_bindposes.clone(),
                    joints,
                },
                DynamicSkinnedMeshBounds,
            ));
        }
    }

    /// The inverse bind pose of a bone. An entity with this transform is in the model's space at rest.
    ///
    /// Vertices of skinned sub-meshes are in the model's space. The GPU does not read the transform of their entities,
    /// but Bevy sorts blended meshes by it.
    fn inverse_bind_pose(&self, bone: usize) -> Transform {
        let pose = self.model.bones.get(bone).map(|bone| bone.bind_pose);
        let inverse = pose.map(|pose| pose.inverse()).filter(Affine3A::is_finite);
        inverse.map_or(Transform::IDENTITY, |inverse| transform(&inverse))
    }

    fn spawn_lights(&mut self, scale: f32) {
        for (index, light) in self.model.lights.iter().enumerate() {
            let tags = AloTags::of(&light.name);
            let part = AloPart::new(AloPartKind::Light, index, &light.name, &tags);
            let bone = light.bone.unwrap_or(0) as usize;
            let entity = self.spawn_part(bone, part);
            let mut entity = self.world.entity_mut(entity);
            insert_light(&mut entity, index, light, scale);
        }
    }

    fn spawn_proxies(&mut self) {
        for (index, info) in self.model.proxies.iter().enumerate() {
            let proxy = &info.proxy;
            let mut part = AloPart::new(AloPartKind::Proxy, index, &proxy.name, &info.tags);
            part.hidden = proxy.hidden.unwrap_or(false);
            part.alt_decrease_stay_hidden = proxy.alt_decrease_stay_hidden.unwrap_or(false);
            let entity = self.spawn_part(proxy.bone as usize, part);
            self.world.entity_mut(entity).insert(AloProxy {
                name: info.tags.stem.clone(),
                index,
                model: info.model.as_ref().map(ToString::to_string),
                particles: info.particles.as_ref().map(ToString::to_string),
            });
        }
    }

    fn spawn_dazzles(&mut self, index: usize, group: DazzleGroup) {
        let tags = AloTags::of(&group.name);
        let mut part = AloPart::new(AloPartKind::Dazzles, index, &group.name, &tags);
        part.hidden = group.hidden;
        part.night_only = group.night_only;
        let is_team_colored = begins_with_fc(&group.name);
        let entity = self.spawn_part(group.bone, part);
        let mut entity = self.world.entity_mut(entity);
        entity.insert((
            Mesh3d(group.mesh),
            MeshMaterial3d(group.material),
            group.bounds,
            NoAutoAabb,
            NotShadowCaster,
        ));
        if is_team_colored {
            entity.insert(TeamColored);
        }
    }
}
