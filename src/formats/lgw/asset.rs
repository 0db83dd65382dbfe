//! The [`Lgw`] asset.

use crate::formats::lgw::material::LgwTexEnvMaterial;
use crate::load::labels::SCENE;
use crate::load::names::{Names, named};
use crate::spawn::instance::SharedModel;
use bevy::asset::AssetPath;
use bevy::math::bounding::Aabb3d;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use classic_model_formats::lgw::Material;
use classic_model_formats::read::Warning;
use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

/// A loaded model of UFO: Aftermath.
///
/// Dereferences to [`LgwModel`], which every spawned instance shares.
#[derive(Asset, TypePath, Clone, Debug)]
#[non_exhaustive]
pub struct Lgw {
    /// The model as a scene, for `WorldAssetRoot`: label [`LgwAssetLabel::Scene`].
    #[dependency]
    pub scene: Handle<WorldAsset>,
    /// The data of the model: meshes, materials and names.
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
#[non_exhaustive]
pub struct LgwModel {
    /// Name of the model.
    pub name: Box<str>,
    /// `EXPORT_VERSION`: 4 in the games' files; `None` if the file has none.
    pub version: Option<i64>,
    /// The file that the model was exported from; `None` if the file has none.
    pub source: Option<Box<str>>,
    /// Materials in file order.
    pub materials: Vec<LgwMaterialInfo>,
    /// Indices of materials by id. If several materials have the same id, the first one.
    pub material_ids: HashMap<i64, usize>,
    /// Indices of materials by lower-case name.
    pub named_materials: Names,
    /// The material of meshes whose material is missing; `None` if there are no such meshes.
    pub default_material: Option<Handle<StandardMaterial>>,
    /// Meshes in file order.
    pub meshes: Vec<LgwMeshInfo>,
    /// Indices of meshes by lower-case name.
    pub named_meshes: Names,
    pub(crate) shared: Arc<SharedModel>,
    /// The box around all meshes, in the file's units and axes; `None` if there are no vertices.
    pub bounds: Option<Aabb3d>,
    /// The warnings of the parser and of the conversion.
    pub warnings: Vec<Warning>,
}

/// A material of an [`LgwModel`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LgwMaterialInfo {
    /// The id by which meshes refer to the material.
    pub id: i64,
    /// Name of the material.
    pub name: Box<str>,
    /// The material as in the file: label [`LgwAssetLabel::Material`].
    pub material: Handle<LgwMaterial>,
    /// The material that Bevy renders with.
    pub render_material: LgwMaterialHandle,
}

/// A material as in the file, with its textures and the material that Bevy renders with.
///
/// To change how meshes are drawn, change the asset of [`render_material`](Self::render_material): this
/// asset is only a description.
#[derive(Asset, TypePath, Clone, Debug)]
#[non_exhaustive]
pub struct LgwMaterial {
    /// The material as parsed.
    pub source: Material<'static>,
    /// The textures by texture unit. A texture that was not found is a placeholder.
    pub textures: [Option<Handle<Image>>; 2],
    /// The material that Bevy renders with.
    pub render_material: LgwMaterialHandle,
}

/// A handle of the material that Bevy renders with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LgwMaterialHandle {
    /// A lit material with at most one texture: label [`LgwAssetLabel::StandardMaterial`].
    Standard(Handle<StandardMaterial>),
    /// Any other material: label [`LgwAssetLabel::TexEnvMaterial`].
    TexEnv(Handle<LgwTexEnvMaterial>),
}

/// A mesh of an [`LgwModel`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LgwMeshInfo {
    /// Name of the mesh. Several meshes may have the same name.
    pub name: Box<str>,
    /// `MATERIAL_REF`: the id of its material, as in the file.
    pub material_ref: Option<i64>,
    /// Index of that material; `None` if it is missing.
    pub material: Option<usize>,
    /// The count of vertices in the file.
    pub vertices: usize,
    /// The count of drawn triangles.
    pub triangles: usize,
    /// The count of triangle groups in the file.
    pub groups: usize,
    /// The mesh asset: label [`LgwAssetLabel::Mesh`]. `None` if there are no triangles.
    pub mesh: Option<Handle<Mesh>>,
    /// The box around its vertices, in the file's units and axes; `None` if there are no vertices.
    pub bounds: Option<Aabb3d>,
}

impl LgwModel {
    /// The material with an id.
    pub fn material(&self, id: i64) -> Option<&LgwMaterialInfo> {
        self.materials.get(*self.material_ids.get(&id)?)
    }

    /// Indices of the materials with a name, ignoring case.
    pub fn materials_named(&self, name: &str) -> &[usize] {
        named(&self.named_materials, name)
    }

    /// Indices of the meshes with a name, ignoring case.
    pub fn meshes_named(&self, name: &str) -> &[usize] {
        named(&self.named_meshes, name)
    }

    /// The material that Bevy renders a mesh with.
    pub fn render_material(&self, mesh: &LgwMeshInfo) -> Option<LgwMaterialHandle> {
        let material = mesh.material.and_then(|index| self.materials.get(index));
        let default = self
            .default_material
            .clone()
            .map(LgwMaterialHandle::Standard);
        material
            .map(|material| material.render_material.clone())
            .or(default)
    }
}

/// Labels of the assets inside an `.lgw` file: `van.lgw#Scene`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
        /// Index of the material in file order, not its id.
        usize,
    ),
    /// `Material0/Standard`: the [`StandardMaterial`] of a material with at most one texture.
    StandardMaterial(
        /// Index of the material.
        usize,
    ),
    /// `Material0/TexEnv`: the [`LgwTexEnvMaterial`] of any other material.
    TexEnvMaterial(
        /// Index of the material.
        usize,
    ),
    /// `DefaultMaterial`: the [`StandardMaterial`] of meshes whose material is missing.
    DefaultMaterial,
}

impl fmt::Display for LgwAssetLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene => f.write_str(SCENE),
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
