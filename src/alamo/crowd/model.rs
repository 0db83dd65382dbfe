//! The data that the members of a crowd of one model share.

use crate::alamo::asset::{AloModel, AloSubmesh};
use crate::alamo::components::{AloPart, AloPartKind};
use crate::alamo::crowd::clips::{CrowdClips, Target};
use crate::alamo::crowd::looks::Looks;
use crate::alamo::crowd::material::AloCrowdMaterial;
use crate::alamo::material::AloMaterial;
use crate::crowd::{
    AttributeSet, CrowdSkeleton, CrowdSkinning, Joint, PoseTexture, SkeletonBone, VertexJoints,
};
use crate::scene::PoseMaterial;
use bevy::asset::{AssetId, Assets, Handle};
use bevy::ecs::resource::Resource;
use bevy::image::Image;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::Mesh;
use bevy::platform::collections::HashMap;
use std::sync::Arc;

/// The height limit of textures if there is no renderer: that of WebGPU.
const DEFAULT_TEXTURE_SIZE: u32 = 8192;

/// The models that have crowds.
#[derive(Resource, Debug)]
pub(super) struct CrowdModels {
    slots: Vec<Option<CrowdModel>>,
    /// The adapter's maximum size of textures.
    pub(super) max_texture_size: u32,
}

impl Default for CrowdModels {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            max_texture_size: DEFAULT_TEXTURE_SIZE,
        }
    }
}

impl CrowdModels {
    /// Adds a member to the crowd of a model. Returns the slot of the crowd.
    pub(super) fn join(
        &mut self,
        model: &Arc<AloModel>,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
    ) -> usize {
        let slots = || self.slots.iter().enumerate();
        let is_same = |crowd: &CrowdModel| Arc::ptr_eq(&crowd.model, model);
        let own = slots().find(|(_, slot)| slot.as_ref().is_some_and(is_same));
        let free = slots().find(|(_, slot)| slot.is_none());
        let index = own.or(free).map_or(self.slots.len(), |(index, _)| index);
        if index == self.slots.len() {
            self.slots.push(None);
        }
        let size = self.max_texture_size;
        let crowd = self.slots[index]
            .get_or_insert_with(|| CrowdModel::new(model.clone(), meshes, images, size));
        crowd.members += 1;
        index
    }

    /// Removes a member. Drops the data of the crowd with the last one.
    pub(super) fn leave(&mut self, slot: usize) {
        let Some(crowd) = self.slots.get_mut(slot) else {
            return;
        };
        if let Some(model) = crowd {
            model.members = model.members.saturating_sub(1);
            if model.members == 0 {
                *crowd = None;
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, slot: usize) -> Option<&CrowdModel> {
        self.slots.get(slot)?.as_ref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, slot: usize) -> Option<&mut CrowdModel> {
        self.slots.get_mut(slot)?.as_mut()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut CrowdModel> {
        self.slots.iter_mut().flatten()
    }
}

/// A sub-mesh that is drawn.
#[derive(Debug)]
pub(super) struct CrowdSubmesh {
    /// The index of its mesh in the file.
    pub(super) part: usize,
    pub(super) mesh: Handle<Mesh>,
    pub(super) material: Handle<AloMaterial>,
    pub(super) casts_shadows: bool,
    pub(super) attributes: AttributeSet,
    pub(super) joints: VertexJoints,
    /// The index of its visibility bit.
    pub(super) visibility: u32,
}

/// The crowd of a model.
#[derive(Debug)]
pub(super) struct CrowdModel {
    pub(super) model: Arc<AloModel>,
    /// The meshes of the file as parts, for the criteria that select them.
    pub(super) parts: Vec<AloPart>,
    pub(super) submeshes: Vec<CrowdSubmesh>,
    /// Whether sub-meshes are missing because their meshes are not in the main world.
    pub(super) lacks_meshes: bool,
    pub(super) looks: Looks,
    pub(super) materials: HashMap<AssetId<AloMaterial>, Handle<AloCrowdMaterial>>,
    pub(super) clips: CrowdClips,
    pub(super) texture: PoseTexture,
    skeleton: Arc<CrowdSkeleton>,
    /// The box around the rest pose and all baked clips.
    pub(super) bounds: Option<Aabb3d>,
    members: usize,
}

impl CrowdModel {
    fn new(
        model: Arc<AloModel>,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
        max_texture_size: u32,
    ) -> Self {
        let mut builder = Builder::new(&model, meshes);
        builder.add_submeshes();
        let Builder {
            skeleton,
            submeshes,
            lacks_meshes,
            ..
        } = builder;
        let mut texture = PoseTexture::new(images, max_texture_size);
        let rest = skeleton.rest_pose();
        let bounds = skeleton.bounds(&rest);
        // The rest pose is the first one. It always fits if there are sub-meshes: the offsets of joints have 16 bits, and
        // the smallest texture of an adapter has 2048 lines of as many texels.
        let is_shown = texture.insert(rest).is_ok();
        let parts = model.meshes.iter().enumerate().map(|(index, mesh)| {
            let mut part = AloPart::new(AloPartKind::Mesh, index, &mesh.name, &mesh.tags);
            part.hidden = mesh.hidden;
            part
        });
        Self {
            parts: parts.collect(),
            submeshes: if is_shown { submeshes } else { Vec::new() },
            lacks_meshes,
            looks: Looks::default(),
            materials: HashMap::default(),
            clips: CrowdClips::default(),
            texture,
            skeleton: Arc::new(skeleton),
            bounds,
            members: 0,
            model,
        }
    }

    /// The clips, and what they are baked for.
    pub(super) fn clips(&mut self) -> (&mut CrowdClips, Target<'_>) {
        let target = Target {
            model: &self.model,
            skeleton: &self.skeleton,
            texture: &mut self.texture,
            bounds: &mut self.bounds,
        };
        (&mut self.clips, target)
    }

    /// The material that draws an [`AloMaterial`] on members. `None` if it is not loaded.
    pub(super) fn material(
        &mut self,
        material: &Handle<AloMaterial>,
        loaded: &Assets<AloMaterial>,
        own: &mut Assets<AloCrowdMaterial>,
    ) -> Option<Handle<AloCrowdMaterial>> {
        if let Some(known) = self.materials.get(&material.id()) {
            return Some(known.clone());
        }
        let made = own.add(AloCrowdMaterial {
            base: loaded.get(material)?.clone(),
            extension: CrowdSkinning {
                poses: self.texture.image.clone(),
                instances: AloCrowdMaterial::TABLE,
            },
        });
        self.materials.insert(material.id(), made.clone());
        Some(made)
    }
}

/// Collects the sub-meshes of a model and the joints that they follow.
struct Builder<'a> {
    model: &'a AloModel,
    meshes: &'a Assets<Mesh>,
    skeleton: CrowdSkeleton,
    /// The joint of each bone: of rigid vertices, and of skinned ones.
    joints: HashMap<(usize, bool), usize>,
    submeshes: Vec<CrowdSubmesh>,
    lacks_meshes: bool,
}

impl<'a> Builder<'a> {
    fn new(model: &'a AloModel, meshes: &'a Assets<Mesh>) -> Self {
        let bones = model.bones.iter().map(|bone| SkeletonBone {
            parent: bone.parent,
            rest: bone.transform,
            is_visible: bone.visible,
        });
        // The bits come first in a pose, so all must be known before the offsets of joints.
        let drawn = model
            .meshes
            .iter()
            .filter(|mesh| mesh.submeshes.iter().any(is_drawn));
        let mut visibility_bones: Vec<usize> = drawn.map(|mesh| mesh.bone).collect();
        visibility_bones.sort_unstable();
        visibility_bones.dedup();
        Self {
            model,
            meshes,
            skeleton: CrowdSkeleton {
                bones: bones.collect(),
                joints: Vec::new(),
                visibility_bones,
            },
            joints: HashMap::default(),
            submeshes: Vec::new(),
            lacks_meshes: false,
        }
    }

    fn add_submeshes(&mut self) {
        let model = self.model;
        for (part, mesh) in model.meshes.iter().enumerate() {
            let bones = &self.skeleton.visibility_bones;
            let Ok(visibility) = bones.binary_search(&mesh.bone) else {
                continue;
            };
            for submesh in mesh.submeshes.iter().filter(|submesh| is_drawn(submesh)) {
                match self.submesh(part, mesh.bone, visibility as u32, submesh) {
                    Some(submesh) => self.submeshes.push(submesh),
                    None => self.lacks_meshes = true,
                }
            }
        }
    }

    fn submesh(
        &mut self,
        part: usize,
        bone: usize,
        visibility: u32,
        submesh: &AloSubmesh,
    ) -> Option<CrowdSubmesh> {
        let handle = submesh.mesh.as_ref()?;
        let mesh = self.meshes.get(handle)?;
        let attributes = AttributeSet::of(mesh)?;
        let joints = match submesh.palette.is_empty() {
            true => VertexJoints::One(self.joint(bone, false, Some(submesh.bounds))?),
            false => VertexJoints::Palette(self.palette(submesh, mesh)?),
        };
        Some(CrowdSubmesh {
            part,
            mesh: handle.clone(),
            material: submesh.material.clone()?,
            casts_shadows: submesh.casts_shadows,
            attributes,
            joints,
            visibility,
        })
    }

    /// The offsets of the joints of a skinned sub-mesh.
    fn palette(&mut self, submesh: &AloSubmesh, mesh: &Mesh) -> Option<Vec<u16>> {
        let mut boxes = vec![None; submesh.palette.len()];
        if let Some(bounds) = mesh.skinned_mesh_bounds() {
            let joints = bounds.aabbs.iter().zip(&bounds.aabb_index_to_joint_index);
            for (aabb, joint) in joints {
                if let Some(bounds) = boxes.get_mut(usize::from(joint.0)) {
                    *bounds = Some(Aabb3d::new(aabb.center, aabb.half_size));
                }
            }
        }
        let bones = submesh.palette.iter().zip(boxes);
        bones
            .map(|(bone, bounds)| self.joint(*bone as usize, true, bounds))
            .collect()
    }

    /// The offset of the joint of a bone. `bounds` is the box around its vertices.
    fn joint(&mut self, bone: usize, is_skinned: bool, bounds: Option<Aabb3d>) -> Option<u16> {
        let joints = &mut self.skeleton.joints;
        let model = self.model;
        let index = *self.joints.entry((bone, is_skinned)).or_insert_with(|| {
            let pose = model.bones.get(bone).map(|bone| bone.bind_pose.inverse());
            // Skinned vertices are in the model's space at rest, others in the bone's space.
            let inverse = pose.filter(|pose| is_skinned && pose.is_finite());
            joints.push(Joint {
                bone,
                inverse_bind_pose: inverse.unwrap_or(Affine3A::IDENTITY),
                bounds: None,
            });
            joints.len() - 1
        });
        if let Some(joint) = joints.get_mut(index) {
            joint.bounds = crate::scene::merged(joint.bounds, bounds);
        }
        self.skeleton.joint_offset(index)
    }
}

fn is_drawn(submesh: &AloSubmesh) -> bool {
    submesh.mesh.is_some() && submesh.material.is_some()
}
