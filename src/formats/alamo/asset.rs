//! The [`Alo`] asset: a loaded model and its data.

use crate::formats::alamo::animation::asset::AloAnimation;
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::materials::material::AloMaterial;
use crate::formats::alamo::materials::tags::AloTags;
use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::raycast::collider::ColliderSkin;
use crate::load::labels::SCENE;
use crate::load::names::{Names, named, same_name};
use crate::playback::skeletal::shared_clips::ClipBones;
use bevy::asset::AssetPath;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::prelude::*;
use classic_model_formats::alo::{Dazzle, Light, Parameter, ParameterValue, Proxy};
use classic_model_formats::read::Warning;
use core::fmt;
use core::ops::Deref;
use std::borrow::Cow;
use std::sync::Arc;

/// A loaded Alamo model, or a particle system, which has the same extension.
///
/// Dereferences to [`AloModel`], which every spawned instance shares. That of a particle system is empty.
#[derive(Asset, TypePath, Clone, Debug)]
#[non_exhaustive]
pub struct Alo {
    /// The model as a scene, for `WorldAssetRoot`: label [`AloAssetLabel::Scene`].
    #[dependency]
    pub scene: Handle<WorldAsset>,
    /// The model's data, without the scene.
    pub model: Arc<AloModel>,
    /// The particle system, if the file is one: label [`AloAssetLabel::Particles`].
    #[dependency]
    pub particles: Option<Handle<AloParticles>>,
}

impl Deref for Alo {
    type Target = AloModel;

    fn deref(&self) -> &AloModel {
        &self.model
    }
}

/// The data of an Alamo model: skeleton, meshes, lights, proxies and dazzles. All instances share it.
///
/// Everything is in the file's space and units: Z up, the front towards −Y.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AloModel {
    /// The format version: 2 if there are dazzles, otherwise 1. 0 for a particle system.
    pub version: u8,
    /// The bones, in file order: parents before their children.
    pub bones: Vec<AloBoneInfo>,
    /// Indices of the bones by name, in lower case. Several bones can have the same name, as in half of all models.
    pub named_bones: Names,
    pub(crate) clip_bones: Option<ClipBones>,
    /// The meshes, in file order.
    pub meshes: Vec<AloMesh>,
    /// Indices of the meshes by name, in lower case.
    pub named_meshes: Names,
    /// The lights, in file order.
    pub lights: Vec<Light<'static>>,
    /// The proxies, in file order.
    pub proxies: Vec<AloProxyInfo>,
    /// The dazzles, in file order.
    pub dazzles: Vec<Dazzle<'static>>,
    /// The animations that were found for the model, sorted by name.
    pub animations: Vec<AloAnimation>,
    /// The numbers of the levels of detail, the finest (the highest) first. Empty if no part has a LOD tag.
    pub lods: Vec<u32>,
    /// The highest damage stage in any tag; 0 if no part has a damage tag.
    pub max_damage_stage: u32,
    /// The setting
    /// [`AloLoaderSettings::hidden_bones_hide_children`](crate::alamo::AloLoaderSettings::hidden_bones_hide_children).
    pub hidden_bones_hide_children: bool,
    /// Problems in the file that did not prevent loading.
    pub warnings: Vec<Warning>,
}

/// A bone of an [`AloModel`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloBoneInfo {
    /// The bone's name. Several bones can have the same name.
    pub name: Box<str>,
    /// Index of its parent.
    pub parent: Option<usize>,
    /// Whether what is connected to it is shown when no clip shows or hides it.
    pub visible: bool,
    /// The number of its billboard mode; 0 is none.
    pub billboard: u32,
    /// Transforms its space to its parent's.
    pub transform: Transform,
    /// Transforms its space to the model's space, in the rest pose.
    pub bind_pose: Affine3A,
}

/// A mesh of an [`AloModel`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AloMesh {
    /// Its name.
    pub name: Box<str>,
    /// The tags in it.
    pub tags: AloTags,
    /// Index of its parent bone.
    pub bone: usize,
    /// Whether the file hides it.
    pub hidden: bool,
    /// Whether the file marks it as collidable.
    pub collidable: bool,
    /// The bounding box of its vertices, as stored in the file.
    pub bounds: Aabb3d,
    /// Its parts, each of one material.
    pub submeshes: Vec<AloSubmesh>,
}

/// A part of an [`AloMesh`] that has one material.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AloSubmesh {
    /// File name of its shader.
    pub shader: Box<str>,
    /// The shader's parameters, in file order.
    pub parameters: Vec<Parameter<'static>>,
    /// Name of the vertex format that the shader needs.
    pub vertex_format: Box<str>,
    /// Its vertices and triangles, in the bone's space, or in the model's space if skinned. `None` if it has no
    /// triangles.
    pub mesh: Option<Handle<Mesh>>,
    /// The bounding box of its vertices.
    pub bounds: Aabb3d,
    /// The material that draws it. `None` if it is not drawn, such as collision meshes and shadow volumes.
    pub material: Option<Handle<AloMaterial>>,
    /// Whether it shows the team's color.
    pub is_team_colored: bool,
    /// Whether it is blended additively.
    pub is_additive: bool,
    /// Whether it is grass, which turns to the camera and bends in the wind.
    pub is_grass: bool,
    /// Whether it casts shadows: see [`AloLoaderSettings::blended_shadows`](crate::alamo::AloLoaderSettings::blended_shadows).
    pub casts_shadows: bool,
    /// Indices of the bones that its vertices are skinned to; empty if it is not skinned.
    pub palette: Vec<u32>,
    /// The inverse bind poses of those bones.
    pub inverse_bindposes: Option<Handle<SkinnedMeshInverseBindposes>>,
    /// Its collision tree, in the bone's space, or in the model's space at rest if skinned.
    pub tree: Option<Arc<CollisionTree>>,
    /// The skinning of the tree's vertices.
    pub(crate) skin: Option<Arc<ColliderSkin>>,
}

/// A proxy of an [`AloModel`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloProxyInfo {
    /// The proxy as stored in the file.
    pub proxy: Proxy<'static>,
    /// The tags in its name.
    pub tags: AloTags,
    /// The path of the model that it names, if
    /// [`AloLoaderSettings::load_proxies`](crate::alamo::AloLoaderSettings::load_proxies) is set and the file was found.
    pub model: Option<AssetPath<'static>>,
    /// The path of the particle system that it names, if
    /// [`AloLoaderSettings::load_particles`](crate::alamo::AloLoaderSettings::load_particles) is set and the file was found.
    pub particles: Option<AssetPath<'static>>,
}

impl AloModel {
    /// Indices of the bones of a name (case-insensitive).
    pub fn bones_named(&self, name: &str) -> &[usize] {
        named(&self.named_bones, name)
    }

    /// Indices of the meshes of a name (case-insensitive).
    pub fn meshes_named(&self, name: &str) -> &[usize] {
        named(&self.named_meshes, name)
    }

    /// The animation of a name (case-insensitive), such as `MOVE_00`.
    pub fn animation(&self, name: &str) -> Option<&AloAnimation> {
        let mut animations = self.animations.iter();
        animations.find(|animation| same_name(&animation.name, name))
    }

    /// Whether what is connected to a bone is shown in the rest pose.
    pub fn is_bone_visible(&self, bone: usize) -> bool {
        self.shows_connected(bone, |bone| {
            self.bones.get(bone).is_none_or(|bone| bone.visible)
        })
    }

    /// Whether what is connected to a bone is shown. `is_visible` is the own visibility of bones.
    pub(crate) fn shows_connected(&self, bone: usize, is_visible: impl Fn(usize) -> bool) -> bool {
        let parent = |bone: &usize| {
            if self.hidden_bones_hide_children {
                self.bones.get(*bone)?.parent
            } else {
                None
            }
        };
        let mut bones = core::iter::successors(Some(bone), parent);
        bones.all(is_visible)
    }

    /// The tag number of the level of detail that is `steps` coarser than the finest, at most the coarsest; `None` if
    /// no part has a LOD tag.
    pub fn lod(&self, steps: u32) -> Option<u32> {
        let last = self.lods.len().checked_sub(1)?;
        self.lods.get(last.min(steps as usize)).copied()
    }
}

/// Copies a parameter so that it does not borrow from the file.
pub(crate) fn owned_parameter(parameter: &Parameter<'_>) -> Parameter<'static> {
    let owned = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
    Parameter {
        name: owned(&parameter.name),
        value: match &parameter.value {
            ParameterValue::Int(value) => ParameterValue::Int(*value),
            ParameterValue::Float(value) => ParameterValue::Float(*value),
            ParameterValue::Float3(value) => ParameterValue::Float3(*value),
            ParameterValue::Texture(value) => ParameterValue::Texture(owned(value)),
            ParameterValue::Float4(value) => ParameterValue::Float4(*value),
        },
    }
}

/// Labels of the assets inside an `.alo` file: `walker.alo#Scene`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AloAssetLabel {
    /// `Scene`: the model as a [`WorldAsset`].
    Scene,
    /// `Mesh0/Submesh0`: the [`Mesh`] of a sub-mesh, whether it is drawn or not.
    Submesh {
        /// Index of the mesh in the file.
        mesh: usize,
        /// Index of the sub-mesh within the mesh.
        submesh: usize,
    },
    /// `Mesh0/Submesh0/InverseBindposes`: the [`SkinnedMeshInverseBindposes`] of a skinned sub-mesh.
    InverseBindposes {
        /// Index of the mesh in the file.
        mesh: usize,
        /// Index of the sub-mesh within the mesh.
        submesh: usize,
    },
    /// `Material0`: an [`AloMaterial`]. Sub-meshes with the same shading share one.
    Material(
        /// Index of the material.
        usize,
    ),
    /// `Dazzles0`: the [`Mesh`] of a group of dazzles.
    Dazzles(
        /// Index of the group: dazzles with the same bone, texture, name and visibility.
        usize,
    ),
    /// `DazzleMaterial0`: the material of dazzles. Groups with the same texture share one.
    DazzleMaterial(
        /// Index of the material.
        usize,
    ),
    /// `Particles`: the [`AloParticles`] of a particle system.
    Particles,
}

impl fmt::Display for AloAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str(SCENE),
            Self::Submesh { mesh, submesh } => write!(f, "Mesh{mesh}/Submesh{submesh}"),
            Self::InverseBindposes { mesh, submesh } => {
                write!(f, "Mesh{mesh}/Submesh{submesh}/InverseBindposes")
            }
            Self::Material(index) => write!(f, "Material{index}"),
            Self::Dazzles(index) => write!(f, "Dazzles{index}"),
            Self::DazzleMaterial(index) => write!(f, "DazzleMaterial{index}"),
            Self::Particles => f.write_str("Particles"),
        }
    }
}

impl AloAssetLabel {
    /// The path of this asset inside the given file.
    pub fn from_asset(&self, path: impl Into<AssetPath<'static>>) -> AssetPath<'static> {
        path.into().with_label(self.to_string())
    }
}
