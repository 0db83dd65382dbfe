//! Spawns a model: one entity per bone, with the parts as children.

use crate::appearance::parts::{BoneVisibility, connected_visibility, visibility};
use crate::crowd::members::update_member;
use crate::formats::alamo::animation::binding::bone_target;
use crate::formats::alamo::animation::rig::AloAnimator;
use crate::formats::alamo::appearance::ShownStage;
use crate::formats::alamo::asset::{Alo, AloMesh, AloModel, AloSubmesh};
use crate::formats::alamo::components::{
    AloBone, AloInstance, AloPart, AloPartKind, AloProxy, AloShared, AloSubmeshIndex, DazzleGroup,
    TeamColored,
};
use crate::formats::alamo::convert::file::transform;
use crate::formats::alamo::materials::tags::{AloTags, begins_with_fc};
use crate::formats::alamo::particles::asset::AloParticleSystem;
use crate::formats::alamo::parts::billboard::{AloBillboard, AloSceneRoot, Billboard};
use crate::formats::alamo::parts::lights::insert_light;
use crate::formats::alamo::parts::proxies::{SpawnedProxy, load_proxies};
use crate::formats::alamo::raycast::collider::AloCollider;
use crate::geometry::axes::z_up_forward_minus_y;
use crate::spawn::instance::{ModelFormat, ModelInstance, RayBounds, RayPart};
use crate::spawn::render_layers::HasLayers;
use crate::spawn::scene::{SceneModel, SceneRoot, Spawnable, insert, spawn_below};
use bevy::asset::LoadContext;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{DynamicSkinnedMeshBounds, NoAutoAabb, NoFrustumCulling};
use bevy::light::NotShadowCaster;
use bevy::math::Affine3A;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;
use std::sync::Arc;

/// The scene of a model or a particle system.
pub(crate) fn scene(shared: &Arc<AloShared>, load_context: &LoadContext<'_>) -> SceneModel {
    let settings = &shared.settings;
    let axes = settings.convert_axes.then(z_up_forward_minus_y);
    SceneModel::new::<Alo>(
        shared.clone(),
        &shared.any,
        load_context,
        axes,
        settings.scale,
    )
}

impl Spawnable for AloShared {
    fn has_crowd(&self) -> bool {
        self.particles.is_none()
    }

    fn spawn(self: Arc<Self>, world: &mut World, root: Entity, scene: SceneRoot) {
        let SceneRoot {
            mut bundle,
            is_crowd,
        } = scene;
        let is_of_proxy = world.get::<AloProxy>(root).is_some();
        if is_of_proxy {
            // The model of a proxy is already in the space of the proxy's bone.
            bundle.1 = Transform::IDENTITY;
        }
        let scene = spawn_below(world, root, bundle);
        if !is_crowd {
            insert(world, scene, AloSceneRoot);
        }
        if let Some(particles) = &self.particles {
            let particles = AloParticleSystem(particles.clone());
            insert(world, scene, (particles, HasLayers));
        }
        let ray_part = RayPart {
            format: ModelFormat::Alamo,
            root,
        };
        let mut builder = Builder::new(world, scene, &self, ray_part);
        if !is_crowd {
            builder.spawn_all();
        }
        let Builder {
            bones,
            parts,
            colored,
            proxies,
            ..
        } = builder;
        let named = bones.iter().copied().enumerate().chain(parts.clone());
        let any = ModelInstance::new(ModelFormat::Alamo, self.any.clone(), scene, named)
            .of_proxy(is_of_proxy)
            .in_crowd(is_crowd);
        let instance = AloInstance {
            model: self.model.clone(),
            bones,
            parts: parts.into_iter().map(|(_, part)| part).collect(),
            colored,
        };
        // Keep a player that the user has inserted. What it plays and the damage stage survive a reload.
        let player = (
            AnimationPlayer::default(),
            AloAnimator::default(),
            ShownStage::default(),
        );
        if let Ok(mut root) = world.get_entity_mut(root) {
            root.insert_if_new(player);
        }
        update_member::<Alo>(world, root, scene, is_crowd, &self.model);
        insert(world, root, (instance, any));
        if !proxies.is_empty() {
            let settings = self.settings.clone();
            let input = (root, proxies, settings);
            if let Err(error) = world.run_system_cached_with(load_proxies, input) {
                error!("the files of proxies cannot be loaded: {error}");
            }
        }
    }
}

struct Builder<'a> {
    world: &'a mut World,
    /// The root of the scene.
    scene: Entity,
    ray_part: RayPart,
    shared: &'a AloShared,
    model: &'a AloModel,
    bones: Vec<Entity>,
    /// Each with its index in [`AloShared::any`].
    parts: Vec<(usize, Entity)>,
    /// The entities with a [`TeamColored`].
    colored: Vec<Entity>,
    /// The proxies that name a file.
    proxies: Vec<SpawnedProxy>,
}

impl<'a> Builder<'a> {
    fn new(world: &'a mut World, scene: Entity, shared: &'a AloShared, ray_part: RayPart) -> Self {
        Self {
            world,
            scene,
            ray_part,
            shared,
            model: &shared.model,
            bones: Vec::new(),
            parts: Vec::new(),
            colored: Vec::new(),
            proxies: Vec::new(),
        }
    }

    fn spawn_all(&mut self) {
        self.spawn_bones();
        for (index, mesh) in self.model.meshes.iter().enumerate() {
            self.spawn_mesh(index, mesh);
        }
        if self.shared.settings.load_lights {
            self.spawn_lights(self.shared.settings.scale);
        }
        self.spawn_proxies();
        for (index, group) in self.shared.dazzles.iter().enumerate() {
            self.spawn_dazzles(index, group);
        }
    }

    fn bone(&self, index: usize) -> Entity {
        self.bones.get(index).copied().unwrap_or(self.scene)
    }

    fn spawn_bones(&mut self) {
        let hides_children = self.model.hidden_bones_hide_children;
        self.bones.reserve(self.model.bones.len());
        for (index, bone) in self.model.bones.iter().enumerate() {
            let parent = bone.parent.map_or(self.scene, |parent| self.bone(parent));
            let components = (
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
            );
            let entity = spawn_below(self.world, parent, components);
            let mode = Billboard::from_raw(bone.billboard).unwrap_or_default();
            if mode != Billboard::None {
                insert(self.world, entity, AloBillboard::new(mode));
            }
            self.bones.push(entity);
        }
    }

    fn spawn_part(&mut self, bone: usize, mut part: AloPart, components: impl Bundle) -> Entity {
        let parent = self.bone(bone);
        part.choose_initial(self.model);
        let visible = connected_visibility(self.world.get(parent), part.shown);
        let name = Name::new(part.name.clone());
        let index = self.shared.part_index(&part);
        let part = (name, Transform::IDENTITY, visible, part);
        let part = spawn_below(self.world, parent, (part, components));
        self.parts.push((index, part));
        part
    }

    fn spawn_mesh(&mut self, index: usize, mesh: &AloMesh) {
        let mut part = AloPart::new(AloPartKind::Mesh, index, &mesh.name, &mesh.tags);
        part.hidden = mesh.hidden;
        let entity = self.spawn_part(mesh.bone, part, ());
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
        let joints = submesh.palette.iter();
        let joints = joints.map(|bone| self.bone(*bone as usize)).collect();
        let transform = match submesh.inverse_bindposes {
            Some(_) => self.inverse_bind_pose(bone),
            None => Transform::IDENTITY,
        };
        let bounds = Aabb::from_min_max(submesh.bounds.min.into(), submesh.bounds.max.into());
        let drawn = submesh.mesh.clone().zip(submesh.material.clone());
        let drawn = drawn
            .map(|(mesh, material)| (Mesh3d(mesh), MeshMaterial3d(material), bounds, HasLayers));
        let placed = (index, transform, Visibility::Inherited);
        let tree = submesh.tree.clone();
        let collider = tree.map(|tree| {
            let collider = AloCollider::new(tree, submesh.skin.clone(), bone);
            (collider, self.ray_part)
        });
        // Each insertion into an entity moves all of its components.
        let world = &mut *self.world;
        let entity = match (drawn, collider) {
            (Some(drawn), Some(collider)) => spawn_below(world, parent, (placed, drawn, collider)),
            (Some(drawn), None) => spawn_below(world, parent, (placed, drawn)),
            (None, Some(collider)) => {
                let mut bounds = bounds;
                if submesh.skin.is_some() {
                    // Bevy updates the boxes only of meshes that are drawn.
                    bounds.half_extents = Vec3A::INFINITY;
                }
                spawn_below(world, parent, (placed, collider, RayBounds(bounds)))
            }
            (None, None) => return,
        };
        if submesh.is_team_colored {
            insert(world, entity, TeamColored);
            self.colored.push(entity);
        }
        if !submesh.casts_shadows {
            insert(world, entity, NotShadowCaster);
        }
        if submesh.is_grass {
            // It bends out of its bounds.
            insert(world, entity, NoFrustumCulling);
        }
        if let Some(inverse_bindposes) = submesh.inverse_bindposes.clone() {
            let skin = SkinnedMesh {
                inverse_bindposes,
                joints,
            };
            insert(world, entity, (skin, DynamicSkinnedMeshBounds));
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
            let entity = self.spawn_part(bone, part, HasLayers);
            insert_light(self.world, entity, index, light, scale);
        }
    }

    fn spawn_proxies(&mut self) {
        for (index, info) in self.model.proxies.iter().enumerate() {
            let proxy = &info.proxy;
            let mut part = AloPart::new(AloPartKind::Proxy, index, &proxy.name, &info.tags);
            part.hidden = proxy.hidden.unwrap_or(false);
            part.alt_decrease_stay_hidden = proxy.alt_decrease_stay_hidden.unwrap_or(false);
            let proxy = AloProxy {
                name: info.tags.stem.clone(),
                index,
                model: info.model.as_ref().map(ToString::to_string),
                particles: info.particles.as_ref().map(ToString::to_string),
            };
            let (model, particles) = (proxy.model.clone(), proxy.particles.clone());
            let bone = info.proxy.bone as usize;
            let entity = self.spawn_part(bone, part, proxy);
            if model.is_some() || particles.is_some() {
                self.proxies.push(SpawnedProxy {
                    entity,
                    model,
                    particles,
                });
            }
        }
    }

    fn spawn_dazzles(&mut self, index: usize, group: &DazzleGroup) {
        let tags = AloTags::of(&group.name);
        let mut part = AloPart::new(AloPartKind::Dazzles, index, &group.name, &tags);
        part.hidden = group.hidden;
        part.night_only = group.night_only;
        let drawn = (
            Mesh3d(group.mesh.clone()),
            MeshMaterial3d(group.material.clone()),
            group.bounds,
            NoAutoAabb,
            NotShadowCaster,
            HasLayers,
        );
        let entity = self.spawn_part(group.bone, part, drawn);
        if begins_with_fc(&group.name) {
            insert(self.world, entity, TeamColored);
            self.colored.push(entity);
        }
    }
}
