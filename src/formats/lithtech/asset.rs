//! The [`Abc`] asset and its parts.

use crate::formats::lithtech::animation::tracks::AbcCurves;
use crate::formats::lithtech::materials::material::{
    AbcDeformMaterial, AbcDeformUniform, surface_flags,
};
use crate::load::labels::SCENE;
use crate::load::names::{Names, named};
use crate::playback::frames::Frames;
use crate::playback::skeletal::shared_clips::ClipBones;
use crate::root::events::StoredEvent;
use crate::root::play::ClipRef;
use crate::spawn::instance::SharedModel;
use bevy::asset::AssetPath;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::prelude::*;
use classic_model_formats::abc::TransformInfo;
use classic_model_formats::read::Warning;
use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

/// A loaded LithTech model.
///
/// Dereferences to [`AbcModel`], which every spawned instance shares.
#[derive(Asset, TypePath, Clone, Debug)]
#[non_exhaustive]
pub struct Abc {
    /// The model as a scene, for `WorldAssetRoot`: label [`AbcAssetLabel::Scene`].
    #[dependency]
    pub scene: Handle<WorldAsset>,
    /// The model's data, shared with its instances.
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
/// Values are in the file's units unless noted. They are in Bevy's space unless
/// [`convert_axes`](crate::lithtech::AbcLoaderSettings::convert_axes) is off.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbcModel {
    /// Commands that the game's tools wrote for the engine, such as
    /// `DrawIndexedDist 2048;NormalRef NODE_Normals AmbA`.
    pub command_string: Box<str>,
    /// Whether the file stores reversed triangles and inverse rotations.
    pub transform: TransformInfo,
    /// The nodes, in file order: parents before their children, and the first is the root.
    pub nodes: Vec<AbcNodeInfo>,
    /// Indices of the nodes of each name, in lower case.
    pub named_nodes: Names,
    pub(crate) clip_bones: Option<ClipBones>,
    pub(crate) shared: Arc<SharedModel>,
    /// The animations, in file order. If nothing plays, the model shows the first keyframe of the first animation.
    pub animations: Vec<AbcAnimation>,
    /// Indices of the animations of each name, in lower case. Some models use a name several times.
    pub named_animations: Names,
    /// Levels of detail, the full model first. [`ModelLod`](crate::root::ModelLod) chooses from
    /// them.
    pub levels: Vec<AbcLevel>,
    /// Bounding box of the full model in the bind pose, in model space.
    pub bounds: Aabb3d,
    /// Indices of the nodes that are joints of the skinned mesh. Empty if every node has its own mesh.
    pub joints: Vec<usize>,
    /// The inverse bind poses of `joints`. `None` if there are no joints.
    pub inverse_bindposes: Option<Handle<SkinnedMeshInverseBindposes>>,
    /// The nodes with vertex animation.
    pub deforms: Vec<AbcDeformInfo>,
    /// The skins that were found. [`ModelSkin`](crate::root::ModelSkin) selects one.
    pub skins: Vec<AbcSkin>,
    /// The materials of a model without skins. `None` if it has skins.
    pub plain: Option<AbcMaterials>,
    /// The distinct [`surface_flags`] of the nodes. The first is 0, which most nodes have.
    pub surfaces: Vec<u8>,
    /// The distance at which each level after the full model begins, in Bevy's units for an instance of scale 1. Levels
    /// beyond the end of the list are drawn only if [`ModelLod`](crate::root::ModelLod) selects them.
    pub lod_distances: Vec<f32>,
    /// Scroll speed of the textures of nodes with `SCROLL_U` or `SCROLL_V`, along U and V, in texture widths per
    /// second.
    pub scroll_speed: [f32; 2],
    /// Problems of the file that did not prevent loading.
    pub warnings: Vec<Warning>,
    /// One for each node.
    pub(crate) node_bounds: Vec<NodeBounds>,
}

/// A node of an [`AbcModel`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AbcNodeInfo {
    /// Its name.
    pub name: Box<str>,
    /// Index of its parent; `None` for the root.
    pub parent: Option<usize>,
    /// Its [`node_flags`](super::abc::node_flags).
    pub flags: u8,
    /// Count of its vertices that vertex animation moves.
    pub deform_vertices: usize,
    /// From its space to its parent's, in the bind pose.
    pub transform: Transform,
    /// From its space to the model's, in the bind pose.
    pub bind_pose: Isometry3d,
}

/// An animation of an [`AbcModel`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbcAnimation {
    /// Its name, which need not be unique.
    pub name: Arc<str>,
    /// The clip that Bevy plays: label [`AbcAssetLabel::Animation`].
    pub clip: Handle<AnimationClip>,
    /// Duration in seconds, from the file. The clip of a single keyframe takes longer, since Bevy's clips can't have
    /// length 0.
    pub seconds: f32,
    /// Times of its keyframes, in seconds.
    pub keyframes: Box<[f32]>,
    /// Index of its first keyframe among the keyframes of all animations.
    pub first_pose: usize,
    /// Its keyframe strings, in order of time.
    pub events: Vec<AbcEvent>,
    /// Half extents of the game's collision box.
    pub dims: Option<Vec3>,
    /// Its name, or its index if an earlier animation has the same name.
    pub(crate) reference: ClipRef,
    /// The curves of the nodes, which share their data with the clip.
    pub(crate) curves: AbcCurves,
}

impl AbcAnimation {
    /// The times of its keyframes, and its end.
    pub(crate) fn frames(&self) -> Frames<'_> {
        let last = self.keyframes.last().copied().unwrap_or_default();
        Frames::Times {
            times: &self.keyframes,
            end: self.seconds.max(last),
        }
    }
}

/// A keyframe string of an [`AbcAnimation`].
pub type AbcEvent = StoredEvent;

/// A level of detail of an [`AbcModel`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbcLevel {
    /// Its number in the file; 0 is the full model.
    pub number: u32,
    /// Count of its triangles.
    pub triangles: usize,
    /// Its meshes: the skinned mesh, if there is one, then the meshes of nodes that have their own.
    pub meshes: Vec<AbcMeshInfo>,
}

impl AbcLevel {
    /// The mesh of a node, or the skinned mesh for `None`.
    pub fn mesh(&self, node: Option<usize>) -> Option<&AbcMeshInfo> {
        self.meshes.iter().find(|mesh| mesh.node == node)
    }
}

/// A mesh of an [`AbcLevel`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbcMeshInfo {
    /// Index of the node whose space the vertices are in. `None` for the skinned mesh, which is in model space.
    pub node: Option<usize>,
    /// Vertices and triangles.
    pub mesh: Handle<Mesh>,
    /// Bounding box of the vertices in the bind pose, in the same space.
    pub bounds: Aabb3d,
}

/// A skin of an [`AbcModel`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbcSkin {
    /// The texture.
    pub image: Handle<Image>,
    /// Its emissive part, if the file has one.
    pub glow: Option<Handle<Image>>,
    /// Its materials.
    pub materials: AbcMaterials,
}

/// The materials of a skin, or of a model without skins.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbcMaterials {
    /// One for each of [`AbcModel::surfaces`].
    pub surfaces: Vec<Handle<StandardMaterial>>,
    /// One for each of [`AbcModel::deforms`].
    pub deforming: Vec<Handle<AbcDeformMaterial>>,
}

/// A node of an [`AbcModel`] with vertex animation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AbcDeformInfo {
    /// Index of the node.
    pub node: usize,
    /// The positions of its vertices in each keyframe, as a data texture for [`AbcDeformMaterial`].
    pub poses: Handle<Image>,
    /// The triangles at each of these vertices, as a data texture for [`AbcDeformMaterial`].
    pub vertex_adjacency: Handle<Image>,
    /// Bounding box of all these positions, in the node's space.
    pub bounds: Aabb3d,
    /// How to decode `poses`.
    pub uniform: AbcDeformUniform,
}

/// The boxes around the vertices that a node moves, in all levels of detail and keyframes, in the node's space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NodeBounds {
    /// Those of the skinned mesh.
    pub(crate) skinned: Option<Aabb3d>,
    /// Those of the node's own mesh.
    pub(crate) own: Option<Aabb3d>,
}

impl AbcModel {
    /// Indices of the nodes with a name, ignoring case.
    pub fn nodes_named(&self, name: &str) -> &[usize] {
        named(&self.named_nodes, name)
    }

    /// Indices of the animations with a name, ignoring case.
    pub fn animations_named(&self, name: &str) -> &[usize] {
        named(&self.named_animations, name)
    }

    /// The first animation with a name, ignoring case.
    pub fn animation(&self, name: &str) -> Option<&AbcAnimation> {
        let index = self.animations_named(name).first()?;
        self.animations.get(*index)
    }

    /// The level of detail that is `steps` coarser than the full model, or the coarsest one if there are fewer.
    pub fn level(&self, steps: u32) -> Option<&AbcLevel> {
        let level = self.levels.get(steps as usize);
        level.or(self.levels.last())
    }

    /// The materials of a skin. An index beyond the last skin means the last one. For a model without skins, its plain
    /// materials.
    pub fn materials(&self, skin: usize) -> Option<&AbcMaterials> {
        let skin = self.skins.get(skin).or(self.skins.last());
        skin.map(|skin| &skin.materials).or(self.plain.as_ref())
    }

    /// The material of a skin on the mesh of a node. `None` means the skinned mesh, whose nodes have no
    /// [`surface_flags`].
    pub fn material(&self, skin: usize, node: Option<usize>) -> Option<&Handle<StandardMaterial>> {
        let flags = node.and_then(|node| self.nodes.get(node));
        let flags = flags.map_or(0, |node| surface_flags(node.flags));
        let surface = self.surfaces.iter().position(|surface| *surface == flags)?;
        self.materials(skin)?.surfaces.get(surface)
    }

    /// The vertex animation of a node, if it has any.
    pub fn deform(&self, node: usize) -> Option<&AbcDeformInfo> {
        self.deforms.iter().find(|deform| deform.node == node)
    }

    /// The material of a skin on a node that deforms.
    pub fn deform_material(&self, skin: usize, node: usize) -> Option<&Handle<AbcDeformMaterial>> {
        let index = self.deforms.iter().position(|deform| deform.node == node)?;
        self.materials(skin)?.deforming.get(index)
    }
}

/// Labels of the assets inside an `.abc` file: `hero.abc#Scene`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AbcAssetLabel {
    /// `Scene`: the model as a [`WorldAsset`].
    Scene,
    /// `Lod0/Mesh`: the skinned [`Mesh`] of a level of detail.
    Mesh {
        /// Index into [`AbcModel::levels`].
        level: usize,
    },
    /// `Lod0/Node0`: the [`Mesh`] of a node that has its own.
    NodeMesh {
        /// Index into [`AbcModel::levels`].
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
    /// `Material0/Surface96`: the [`StandardMaterial`] of a skin on nodes with [`surface_flags`].
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
    /// `Node0/Poses`: the positions of a node's deformed vertices, as an [`Image`] for [`AbcDeformMaterial`].
    Poses {
        /// Index of the node.
        node: usize,
    },
    /// `Node0/VertexAdjacency`: the triangles at each of these vertices, as an [`Image`] for [`AbcDeformMaterial`].
    VertexAdjacency {
        /// Index of the node.
        node: usize,
    },
}

impl fmt::Display for AbcAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str(SCENE),
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
            Self::VertexAdjacency { node } => write!(f, "Node{node}/VertexAdjacency"),
        }
    }
}

impl AbcAssetLabel {
    /// The path of this asset inside the given file.
    pub fn from_asset(&self, path: impl Into<AssetPath<'static>>) -> AssetPath<'static> {
        path.into().with_label(self.to_string())
    }
}
