//! The [`Lgw`] asset: what a model is to the rest of a game.

use crate::lgw::material::LgwTexEnvMaterial;
use crate::lgw::text::Material;
use crate::read::Warning;
use crate::scene::{Names, named};
use bevy::asset::{Asset, AssetPath, Handle};
use bevy::ecs::entity::Entity;
use bevy::ecs::world::EntityWorldMut;
use bevy::image::Image;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::Mesh;
use bevy::pbr::{MeshMaterial3d, StandardMaterial};
use bevy::platform::collections::HashMap;
use bevy::reflect::TypePath;
use bevy::world_serialization::WorldAsset;
use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

/// A loaded model of UFO: Aftermath.
///
/// Dereferences to [`LgwModel`], which every spawned instance shares.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct Lgw {
    /// The model as a scene, for `WorldAssetRoot`: label [`LgwAssetLabel::Scene`].
    #[dependency]
    pub scene: Handle<WorldAsset>,
    /// Everything else.
    pub model: Arc<LgwModel>,
}

impl Deref for Lgw {
    type Target = LgwModel;

    fn deref(&self) -> &LgwModel {
        &self.model
    }
}

/// The meshes and materials of a model, shared by all its instances.
#[derive(Clone, Debug)]
pub struct LgwModel {
    /// Its name.
    pub name: Box<str>,
    /// `EXPORT_VERSION`: 4 in the games' files; none if the file does not say.
    pub version: Option<i64>,
    /// What it was exported from, if the file says.
    pub source: Option<Box<str>>,
    /// Materials in file order.
    pub materials: Vec<LgwMaterialInfo>,
    /// Indices of the materials of each number; of several, that of the first.
    pub material_ids: HashMap<i64, usize>,
    /// Indices of the materials of each name, in lower case.
    pub named_materials: Names,
    /// What draws meshes whose material is not there; none if there are no such meshes.
    pub default_material: Option<Handle<StandardMaterial>>,
    /// Meshes in file order.
    pub meshes: Vec<LgwMeshInfo>,
    /// Indices of the meshes of each name, in lower case.
    pub named_meshes: Names,
    /// The box around all meshes, in the file's units and axes; none if there are no vertices.
    pub bounds: Option<Aabb3d>,
    /// Flaws of the file that do no harm.
    pub warnings: Vec<Warning>,
}

/// A material of an [`LgwModel`].
#[derive(Clone, Debug)]
pub struct LgwMaterialInfo {
    /// Its number, by which meshes know it.
    pub id: i64,
    /// Its name.
    pub name: Box<str>,
    /// All that the file says of it: label [`LgwAssetLabel::Material`].
    pub material: Handle<LgwMaterial>,
    /// What draws it.
    pub drawn: LgwMaterialHandle,
}

/// All that a file says of a material, and what became of it.
///
/// This is what the file says; what is drawn changes with [`drawn`](Self::drawn).
#[derive(Asset, TypePath, Clone, Debug)]
pub struct LgwMaterial {
    /// What the file says.
    pub source: Material<'static>,
    /// The pictures of its textures, by unit; placeholders where they were not found.
    pub pictures: [Option<Handle<Image>>; 2],
    /// What draws it.
    pub drawn: LgwMaterialHandle,
}

/// What draws a material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LgwMaterialHandle {
    /// A single picture that light falls on: label [`LgwAssetLabel::StandardMaterial`].
    Standard(Handle<StandardMaterial>),
    /// Anything else: label [`LgwAssetLabel::TexEnvMaterial`].
    TexEnv(Handle<LgwTexEnvMaterial>),
}

impl LgwMaterialHandle {
    /// Has an entity be drawn with it.
    pub(super) fn insert(&self, mut entity: EntityWorldMut<'_>) -> Entity {
        match self {
            Self::Standard(material) => entity.insert(MeshMaterial3d(material.clone())),
            Self::TexEnv(material) => entity.insert(MeshMaterial3d(material.clone())),
        };
        entity.id()
    }
}

/// A mesh of an [`LgwModel`].
#[derive(Clone, Debug)]
pub struct LgwMeshInfo {
    /// Its name, which others may have as well.
    pub name: Box<str>,
    /// `MATERIAL_REF`: the number of its material as the file has it.
    pub material_ref: Option<i64>,
    /// Index of that material, if it is there.
    pub material: Option<usize>,
    /// How many vertices the file has of it.
    pub vertices: usize,
    /// How many triangles are drawn.
    pub triangles: usize,
    /// How many groups the file has them in.
    pub groups: usize,
    /// Vertices and triangles: label [`LgwAssetLabel::Mesh`]. None if there are no triangles.
    pub mesh: Option<Handle<Mesh>>,
    /// The box around its vertices, in the file's units and axes; none if there are none.
    pub bounds: Option<Aabb3d>,
}

impl LgwModel {
    /// The material of a number.
    pub fn material(&self, id: i64) -> Option<&LgwMaterialInfo> {
        self.materials.get(*self.material_ids.get(&id)?)
    }

    /// Indices of the materials of a name, in any case.
    pub fn materials_named(&self, name: &str) -> &[usize] {
        named(&self.named_materials, name)
    }

    /// Indices of the meshes of a name, in any case.
    pub fn meshes_named(&self, name: &str) -> &[usize] {
        named(&self.named_meshes, name)
    }

    /// What draws a mesh.
    pub fn drawn(&self, mesh: &LgwMeshInfo) -> Option<LgwMaterialHandle> {
        let material = mesh.material.and_then(|index| self.materials.get(index));
        let default = self
            .default_material
            .clone()
            .map(LgwMaterialHandle::Standard);
        material.map(|material| material.drawn.clone()).or(default)
    }
}

/// Labels of the assets inside an `.lgw` file: `van.lgw#Scene`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LgwAssetLabel {
    /// `Scene`: the model as a [`WorldAsset`].
    Scene,
    /// `Mesh0`: a [`Mesh`].
    Mesh(
        /// Index of the mesh.
        usize,
    ),
    /// `Material0`: an [`LgwMaterial`].
    Material(
        /// Index of the material, which is not its number.
        usize,
    ),
    /// `Material0/Standard`: the [`StandardMaterial`] of a material that is a single picture.
    StandardMaterial(
        /// Index of the material.
        usize,
    ),
    /// `Material0/TexEnv`: the [`LgwTexEnvMaterial`] of any other material.
    TexEnvMaterial(
        /// Index of the material.
        usize,
    ),
    /// `DefaultMaterial`: the [`StandardMaterial`] of meshes whose material is not there.
    DefaultMaterial,
}

impl fmt::Display for LgwAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str("Scene"),
            Self::Mesh(index) => write!(f, "Mesh{index}"),
            Self::Material(index) => write!(f, "Material{index}"),
            Self::StandardMaterial(index) => write!(f, "Material{index}/Standard"),
            Self::TexEnvMaterial(index) => write!(f, "Material{index}/TexEnv"),
            Self::DefaultMaterial => f.write_str("DefaultMaterial"),
        }
    }
}

impl LgwAssetLabel {
    /// The path of this asset inside the given file.
    pub fn from_asset(&self, path: impl Into<AssetPath<'static>>) -> AssetPath<'static> {
        path.into().with_label(self.to_string())
    }
}
