//! The [`Abc`] asset: what a model is to the rest of a game.

use crate::lithtech::abc::TransformInfo;
use crate::lithtech::material::{AbcDeformMaterial, surface_flags};
use crate::read::Warning;
use crate::scene::{FrameTimes, Names, named};
use bevy::animation::AnimationClip;
use bevy::asset::{Asset, AssetPath, Handle};
use bevy::image::Image;
use bevy::math::bounding::Aabb3d;
use bevy::math::{Isometry3d, Vec3};
use bevy::mesh::Mesh;
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::pbr::StandardMaterial;
use bevy::reflect::TypePath;
use bevy::transform::components::Transform;
use bevy::world_serialization::WorldAsset;
use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

/// A loaded LithTech model.
///
/// Dereferences to [`AbcModel`], which every spawned instance shares.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct Abc {
    /// The model as a scene, for `WorldAssetRoot`: label [`AbcAssetLabel::Scene`].
    #[dependency]
    pub scene: Handle<WorldAsset>,
    /// Everything else.
    pub model: Arc<AbcModel>,
}

impl Deref for Abc {
    type Target = AbcModel;

    fn deref(&self) -> &AbcModel {
        &self.model
    }
}

/// The skeleton, meshes, animations and skins of a LithTech model, shared by all its instances.
///
/// Everything is in Bevy's space unless the loader was told otherwise, and in the game's units.
#[derive(Clone, Debug)]
pub struct AbcModel {
    /// What the game's tools say to the engine, such as
    /// `DrawIndexedDist 2048;NormalRef NODE_Normals AmbA`.
    pub command_string: Box<str>,
    /// Which way round the file is.
    pub transform: TransformInfo,
    /// The nodes, in file order: parents before their children, and the first is the root.
    pub nodes: Vec<AbcNodeInfo>,
    /// Indices of the nodes of each name, in lower case.
    pub named_nodes: Names,
    /// The animations, in file order. The model stands as in the first keyframe of the first where
    /// nothing plays.
    pub animations: Vec<AbcAnimation>,
    /// Indices of the animations of each name, in lower case: some models have names twice.
    pub named_animations: Names,
    /// Levels of detail, the full model first. [`ModelLod`](crate::scene::ModelLod) chooses from
    /// them.
    pub levels: Vec<AbcLevel>,
    /// The box around the full model as it was built.
    pub bounds: Aabb3d,
    /// Indices of the nodes that the meshes' joints are; empty if each node has meshes of its own.
    pub joints: Vec<usize>,
    /// The inverse bind poses of those nodes.
    pub inverse_bindposes: Option<Handle<SkinnedMeshInverseBindposes>>,
    /// The nodes that move vertices one by one.
    pub deforms: Vec<AbcDeformInfo>,
    /// Skins that were found. [`ModelSkin`](crate::scene::ModelSkin) chooses from them.
    pub skins: Vec<AbcSkin>,
    /// What draws a model without skins.
    pub plain: Option<AbcMaterials>,
    /// The ways in which nodes are drawn, each as the [`surface_flags`] of a node's flags and once. The
    /// first is 0, that of most nodes.
    pub surfaces: Vec<u8>,
    /// From how far away each level after the full one is drawn where no
    /// [`ModelLod`](crate::scene::ModelLod) says otherwise, in Bevy's units for an instance of scale 1.
    /// Levels beyond the end are never drawn for that.
    pub lod_distances: Vec<f32>,
    /// How fast pictures of nodes move that do, along U and V, in widths a second.
    pub scroll_speed: [f32; 2],
    /// Flaws of the file that do no harm.
    pub warnings: Vec<Warning>,
}

/// A node of an [`AbcModel`].
#[derive(Clone, Debug, PartialEq)]
pub struct AbcNodeInfo {
    /// Its name.
    pub name: Box<str>,
    /// Index of its parent; none for the root.
    pub parent: Option<usize>,
    /// What it is for: see [`node_flags`](super::abc::node_flags).
    pub flags: u8,
    /// How many vertices it moves one by one.
    pub deform_vertices: usize,
    /// From its space to its parent's, as the model was built.
    pub transform: Transform,
    /// From its space to the model's, as the model was built.
    pub bind_pose: Isometry3d,
}

/// An animation of an [`AbcModel`].
#[derive(Clone, Debug)]
pub struct AbcAnimation {
    /// Its name, which others may have as well.
    pub name: Arc<str>,
    /// What Bevy plays: label [`AbcAssetLabel::Animation`].
    pub clip: Handle<AnimationClip>,
    /// How long it takes, as the file says; the clip of a single keyframe is not as short as that.
    pub seconds: f32,
    /// When its keyframes are, in seconds.
    pub keyframes: Box<[f32]>,
    /// Number of its first keyframe among those of all animations.
    pub first_pose: usize,
    /// What the game is told as it comes by, in order.
    pub events: Vec<AbcEvent>,
    /// Half the size of the box that the game collides with, along each axis.
    pub dims: Option<Vec3>,
}

impl AbcAnimation {
    /// When its keyframes are, and when it ends.
    pub(super) fn frames(&self) -> FrameTimes<'_> {
        let last = self.keyframes.last().copied().unwrap_or_default();
        FrameTimes {
            times: &self.keyframes,
            end: self.seconds.max(last),
        }
    }
}

/// What a game is told at a moment of an animation.
#[derive(Clone, Debug, PartialEq)]
pub struct AbcEvent {
    /// Seconds from the start of the animation.
    pub seconds: f32,
    /// What the file says, such as `FOOTSTEP_KEY`.
    pub string: Arc<str>,
}

/// A level of detail of an [`AbcModel`].
#[derive(Clone, Debug)]
pub struct AbcLevel {
    /// Its number in the file; 0 is the full model.
    pub number: u32,
    /// How many triangles it has.
    pub triangles: usize,
    /// Its meshes: one, or one for each node that has triangles.
    pub meshes: Vec<AbcMeshInfo>,
}

impl AbcLevel {
    /// The mesh of a node, or the only one if that is asked for as `None`.
    pub fn mesh(&self, node: Option<usize>) -> Option<&AbcMeshInfo> {
        self.meshes.iter().find(|mesh| mesh.node == node)
    }
}

/// A mesh of an [`AbcLevel`].
#[derive(Clone, Debug)]
pub struct AbcMeshInfo {
    /// Index of the node in whose space it is; `None` if it is skinned, and in the model's.
    pub node: Option<usize>,
    /// Vertices and triangles.
    pub mesh: Handle<Mesh>,
    /// The box around its vertices as the model was built.
    pub bounds: Aabb3d,
}

/// A skin of an [`AbcModel`].
#[derive(Clone, Debug)]
pub struct AbcSkin {
    /// The picture.
    pub image: Handle<Image>,
    /// What of it is unlit.
    pub glow: Option<Handle<Image>>,
    /// What draws it.
    pub materials: AbcMaterials,
}

/// What draws a skin of an [`AbcModel`], or a model without one.
#[derive(Clone, Debug)]
pub struct AbcMaterials {
    /// For each of the model's `surfaces`.
    pub surfaces: Vec<Handle<StandardMaterial>>,
    /// For each of the model's `deforms`.
    pub deforming: Vec<Handle<AbcDeformMaterial>>,
}

/// A node of an [`AbcModel`] that moves vertices one by one.
#[derive(Clone, Debug)]
pub struct AbcDeformInfo {
    /// Index of the node.
    pub node: usize,
    /// The places of its vertices in each keyframe, as a picture that only the model's shader
    /// understands.
    pub poses: Handle<Image>,
    /// The box around all of them, in the node's space.
    pub bounds: Aabb3d,
}

impl AbcModel {
    /// Indices of the nodes of a name, in any case.
    pub fn nodes_named(&self, name: &str) -> &[usize] {
        named(&self.named_nodes, name)
    }

    /// Indices of the animations of a name, in any case.
    pub fn animations_named(&self, name: &str) -> &[usize] {
        named(&self.named_animations, name)
    }

    /// The first animation of a name, in any case.
    pub fn animation(&self, name: &str) -> Option<&AbcAnimation> {
        let index = self.animations_named(name).first()?;
        self.animations.get(*index)
    }

    /// A level of detail, `steps` coarser than the full model; beyond the coarsest the coarsest.
    pub fn level(&self, steps: u32) -> Option<&AbcLevel> {
        let level = self.levels.get(steps as usize);
        level.or(self.levels.last())
    }

    /// What draws a skin, beyond the last the last, or the model without one.
    pub fn materials(&self, skin: usize) -> Option<&AbcMaterials> {
        let skin = self.skins.get(skin).or(self.skins.last());
        skin.map(|skin| &skin.materials).or(self.plain.as_ref())
    }

    /// The material of a skin on the mesh of a node; `None` is the skinned mesh, whose nodes are drawn
    /// plainly.
    pub fn material(&self, skin: usize, node: Option<usize>) -> Option<&Handle<StandardMaterial>> {
        let flags = node.and_then(|node| self.nodes.get(node));
        let flags = flags.map_or(0, |node| surface_flags(node.flags));
        let surface = self.surfaces.iter().position(|surface| *surface == flags)?;
        self.materials(skin)?.surfaces.get(surface)
    }

    /// What a node deforms, if it does.
    pub fn deform(&self, node: usize) -> Option<&AbcDeformInfo> {
        self.deforms.iter().find(|deform| deform.node == node)
    }

    /// The material of a skin on a node that deforms.
    pub fn deform_material(&self, skin: usize, node: usize) -> Option<&Handle<AbcDeformMaterial>> {
        let place = self.deforms.iter().position(|deform| deform.node == node)?;
        self.materials(skin)?.deforming.get(place)
    }
}

/// Labels of the assets inside an `.abc` file: `hero.abc#Scene`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbcAssetLabel {
    /// `Scene`: the model as a [`WorldAsset`].
    Scene,
    /// `Lod0/Mesh`: the skinned [`Mesh`] of a level of detail.
    Mesh {
        /// Index of the level among those that were made.
        level: usize,
    },
    /// `Lod0/Node0`: the [`Mesh`] of a node, where each has one of its own.
    NodeMesh {
        /// Index of the level among those that were made.
        level: usize,
        /// Index of the node.
        node: usize,
    },
    /// `InverseBindposes`: the [`SkinnedMeshInverseBindposes`] of all skinned meshes.
    InverseBindposes,
    /// `Animation0`: an [`AnimationClip`].
    Animation(
        /// Index of the animation.
        usize,
    ),
    /// `Material0`: the [`StandardMaterial`] of a skin; `PlainMaterial` is that of a model without one.
    Material(
        /// Index of the skin.
        Option<usize>,
    ),
    /// `Material0/Surface96`: the same on nodes of some flags.
    SurfaceMaterial {
        /// Index of the skin.
        skin: Option<usize>,
        /// The [`surface_flags`] of the nodes.
        flags: u8,
    },
    /// `Material0/Node0`: the [`AbcDeformMaterial`] of a skin on a node that deforms.
    DeformMaterial {
        /// Index of the skin.
        skin: Option<usize>,
        /// Index of the node.
        node: usize,
    },
    /// `Node0/Poses`: the places of a node's deforming vertices as an [`Image`] that only the model's
    /// shader understands.
    Poses {
        /// Index of the node.
        node: usize,
    },
    /// `Node0/VertexAdjacency`: the triangles around those vertices, likewise.
    VertexAdjacency {
        /// Index of the node.
        node: usize,
    },
}

impl fmt::Display for AbcAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str("Scene"),
            Self::Mesh { level } => write!(f, "Lod{level}/Mesh"),
            Self::NodeMesh { level, node } => write!(f, "Lod{level}/Node{node}"),
            Self::InverseBindposes => f.write_str("InverseBindposes"),
            Self::Animation(index) => write!(f, "Animation{index}"),
            Self::Material(Some(skin)) => write!(f, "Material{skin}"),
            Self::Material(None) => f.write_str("PlainMaterial"),
            Self::SurfaceMaterial { skin, flags } => {
                write!(f, "{}/Surface{flags}", Self::Material(*skin))
            }
            Self::DeformMaterial { skin, node } => {
                write!(f, "{}/Node{node}", Self::Material(*skin))
            }
            Self::Poses { node } => write!(f, "Node{node}/Poses"),
            Self::VertexAdjacency { node } => write!(f, "Node{node}/Around"),
        }
    }
}

impl AbcAssetLabel {
    /// The path of this asset inside the given file.
    pub fn from_asset(&self, path: impl Into<AssetPath<'static>>) -> AssetPath<'static> {
        path.into().with_label(self.to_string())
    }
}
