//! Converts a parsed model to the data of Bevy assets. This is pure code, and takes most of the time of a load.

use crate::formats::alamo::asset::AloBoneInfo;
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::convert::trees::collision_tree;
use crate::formats::alamo::convert::vertices::Attributes;
use crate::formats::alamo::limits;
use crate::formats::alamo::materials::shading::Shading;
use crate::formats::alamo::raycast::skin::ColliderSkin;
use bevy::asset::RenderAssetUsages;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use classic_model_formats::alo;
use classic_model_formats::alo::{AloFile, Submesh};
use classic_model_formats::read::{ErrorKind, Format, ParseError, Warning};
use zerocopy::little_endian::U32;

/// A parsed file and its meshes as Bevy meshes, which are not yet assets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedAlo<'a> {
    /// The parsed file.
    pub file: AloFile<'a>,
    /// The bones, with their transforms at rest.
    pub bones: Vec<AloBoneInfo>,
    /// The sub-meshes of every mesh, in file order.
    pub meshes: Vec<Vec<ConvertedSubmesh>>,
    /// Problems in the file that did not prevent loading.
    pub warnings: Vec<Warning>,
}

/// A sub-mesh of [`ConvertedAlo`].
#[derive(Clone, Debug)]
pub struct ConvertedSubmesh {
    /// How it is drawn.
    pub shading: Shading,
    /// The mesh. `None` if there are no triangles.
    pub mesh: Option<Mesh>,
    /// The bounding box of its vertices.
    pub bounds: Aabb3d,
    /// The inverse bind poses of its palette; empty if it is not skinned.
    pub inverse_bindposes: Vec<Mat4>,
    /// Its collision tree.
    pub tree: Option<CollisionTree>,
    /// The skinning of the tree's vertices.
    pub(crate) skin: Option<ColliderSkin>,
}

impl ConvertedSubmesh {
    /// Whether it has a collision tree.
    pub(crate) fn has_tree(&self) -> bool {
        self.tree.is_some()
    }
}

impl<'a> ConvertedAlo<'a> {
    /// Converts the bytes of a file. `usage` is the asset usage of meshes that are drawn. Meshes that are not drawn
    /// stay in the main world.
    ///
    /// # Errors
    /// A [`ParseError`] if the bytes are not a model, if a bone's bind pose is not finite, or if the count of bones,
    /// meshes or other items exceeds the limit for the file's size.
    pub fn load(bytes: &'a [u8], usage: RenderAssetUsages) -> Result<Self, ParseError> {
        let mut file = alo::parse_without_vertex_warnings(bytes)?;
        limits::check_limits(&file, bytes.len())?;
        let mut warnings = core::mem::take(&mut file.warnings);
        let mut all_finite = true;
        let mut dropped = Vec::new();
        let bones = bones(&file.bones)?;
        let meshes = file.meshes.iter().map(|mesh| {
            let submeshes = mesh.submeshes.iter();
            submeshes
                .map(|submesh| {
                    let attributes = Attributes::read(submesh);
                    all_finite &= attributes.all_finite();
                    let inverse_bindposes = inverse_bindposes(submesh, &bones);
                    let tree = collision_tree(mesh, submesh, attributes.positions(), &mut dropped);
                    let shading = Shading::new(&submesh.shader, &submesh.parameters, &mesh.name);
                    let usage = if shading.is_drawn() {
                        usage
                    } else {
                        RenderAssetUsages::MAIN_WORLD
                    };
                    ConvertedSubmesh {
                        shading,
                        bounds: attributes.bounds(),
                        skin: tree
                            .as_ref()
                            .and_then(|_| attributes.skin(&inverse_bindposes)),
                        tree,
                        mesh: attributes.mesh(submesh, usage),
                        inverse_bindposes,
                    }
                })
                .collect()
        });
        let meshes = meshes.collect();
        if !all_finite {
            // Parse again to find the offsets. Files with such values are rare, so the first pass does not record them.
            warnings = alo::parse(bytes)?.warnings;
        }
        warnings.extend(dropped);
        Ok(Self {
            file,
            bones,
            meshes,
            warnings,
        })
    }

    /// The sub-meshes of all meshes: each sub-mesh of the file with its converted one.
    pub(crate) fn submeshes(&self) -> impl Iterator<Item = (&Submesh<'a>, &ConvertedSubmesh)> {
        let meshes = self.file.meshes.iter().zip(&self.meshes);
        meshes.flat_map(|(mesh, converted)| mesh.submeshes.iter().zip(converted))
    }
}

/// Converts a matrix of three rows and four columns, which transforms column vectors.
fn affine(matrix: &[[f32; 4]; 3]) -> Affine3A {
    let column = |index: usize| Vec3A::from_array(matrix.map(|row| row[index]));
    Affine3A {
        matrix3: Mat3A::from_cols(column(0), column(1), column(2)),
        translation: column(3),
    }
}

/// Converts the bones. Parents come before their children.
fn bones(file: &[alo::Bone<'_>]) -> Result<Vec<AloBoneInfo>, ParseError> {
    let mut bones: Vec<AloBoneInfo> = Vec::with_capacity(file.len());
    for (index, bone) in file.iter().enumerate() {
        let local = affine(&bone.matrix);
        let parent = bone.parent.map(|parent| parent as usize);
        let parent_pose = parent
            .and_then(|parent| bones.get(parent))
            .map(|bone| bone.bind_pose);
        let bind_pose = parent_pose.map_or(local, |parent| parent * local);
        if !bind_pose.is_finite() {
            // Each matrix is finite, but their product is beyond the range of `f32`.
            return Err(ParseError {
                format: Format::Alo,
                offset: 0,
                position: None,
                context: format!("bind pose of bone {index}"),
                kind: ErrorKind::NotFinite,
            });
        }
        bones.push(AloBoneInfo {
            name: (*bone.name).into(),
            parent,
            visible: bone.visible,
            billboard: bone.billboard,
            transform: transform(&local),
            bind_pose,
        });
    }
    Ok(bones)
}

/// Converts an affine transform to a `Transform`. Shear is lost. If an axis is scaled to 0, the rotation is lost too.
pub(crate) fn transform(affine: &Affine3A) -> Transform {
    let (scale, rotation, translation) = affine.to_scale_rotation_translation();
    if rotation.is_finite() && rotation.is_normalized() && scale.is_finite() {
        return Transform {
            translation,
            rotation,
            scale,
        };
    }
    Transform {
        translation,
        rotation: Quat::IDENTITY,
        scale: Vec3::new(
            affine.matrix3.x_axis.length(),
            affine.matrix3.y_axis.length(),
            affine.matrix3.z_axis.length(),
        ),
    }
}

/// The inverse bind poses of a sub-mesh's palette. Skinned vertices are in the model's space.
fn inverse_bindposes(submesh: &Submesh<'_>, bones: &[AloBoneInfo]) -> Vec<Mat4> {
    let inverse = |bone: &U32| {
        let pose = bones.get(bone.get() as usize)?.bind_pose;
        let inverse = pose.inverse();
        Some(if inverse.is_finite() {
            inverse.into()
        } else {
            Mat4::IDENTITY
        })
    };
    submesh.palette.iter().filter_map(inverse).collect()
}
