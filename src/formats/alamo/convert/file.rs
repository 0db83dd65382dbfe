//! Converts a parsed model to the data of Bevy assets. This is pure code, and takes most of the time of a load.

use crate::formats::alamo::asset::{AloBoneInfo, AloMesh, AloModel};
use crate::formats::alamo::collision::tree::{CollisionTree, TreeError, TreeLink};
use crate::formats::alamo::convert::vertices::Attributes;
use crate::formats::alamo::materials::shading::AloShader;
use crate::formats::alamo::raycast::collider::ColliderSkin;
use crate::load::error::{check_counts, limit};
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::math::{Affine3A, Vec3A};
use bevy::prelude::*;
use classic_model_formats::alo;
use classic_model_formats::alo::{AloFile, Submesh, Tree};
use classic_model_formats::read::{ErrorKind, Format, ParseError, Warning};
use zerocopy::little_endian::{U16, U32};

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
    pub shading: AloShader,
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
        check_limits(&file, bytes.len())?;
        let mut warnings = core::mem::take(&mut file.warnings);
        let mut all_finite = true;
        let mut dropped = Vec::new();
        let bones = bones(&file.bones)?;
        let meshes = file.meshes.iter().map(|mesh| {
            let submeshes = mesh.submeshes.iter();
            submeshes
                .map(|submesh| {
                    let mut attributes = Attributes::read(submesh);
                    all_finite &= attributes.all_finite();
                    let inverse_bindposes = inverse_bindposes(submesh, &bones);
                    let tree = collision_tree(mesh, submesh, attributes.positions(), &mut dropped);
                    let shading = AloShader::new(&submesh.shader, &submesh.parameters, &mesh.name);
                    if shading.grass.is_some() {
                        attributes.add_clumps(submesh.indices);
                    }
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

/// Converts the tree of a sub-mesh. An invalid tree is dropped with a warning.
pub(crate) fn collision_tree(
    mesh: &alo::Mesh<'_>,
    submesh: &Submesh<'_>,
    positions: &[[f32; 3]],
    warnings: &mut Vec<Warning>,
) -> Option<CollisionTree> {
    match query_tree(submesh.tree.as_ref()?, positions, submesh.indices) {
        Ok(tree) => Some(tree),
        Err(error) => {
            let name = &mesh.name;
            warnings.push(Warning {
                offset: 0,
                position: None,
                message: format!("a collision tree of mesh {name:?} is dropped: {error}"),
            });
            None
        }
    }
}

fn query_tree(
    tree: &Tree<'_>,
    positions: &[[f32; 3]],
    indices: &[U16],
) -> Result<CollisionTree, TreeError> {
    let links = tree.nodes.iter().map(|node| TreeLink {
        triangle_count: node.triangle_count.get(),
        link: node.link.get(),
    });
    let map: Vec<u16> = tree.triangles.iter().map(|index| index.get()).collect();
    let indices: Vec<u16> = indices.iter().map(|index| index.get()).collect();
    CollisionTree::new(links, &map, positions, &indices)
}

impl AloModel {
    /// The box around the parts that are drawn in the rest pose, undamaged and at the finest level of detail, in the
    /// model's space. `None` if nothing is drawn.
    pub fn bounds(&self) -> Option<Aabb3d> {
        let meshes = self.meshes.iter().filter(|mesh| self.is_drawn(mesh));
        let boxes = meshes.flat_map(|mesh| {
            let submeshes = mesh.submeshes.iter();
            let drawn =
                submeshes.filter(|submesh| submesh.mesh.is_some() && submesh.material.is_some());
            drawn.map(|submesh| {
                if submesh.palette.is_empty() {
                    self.posed(submesh.bounds, mesh.bone)
                } else {
                    submesh.bounds
                }
            })
        });
        boxes.reduce(|one, other| one.merge(&other))
    }

    /// Whether a mesh is drawn undamaged and at the finest level of detail.
    fn is_drawn(&self, mesh: &AloMesh) -> bool {
        let is_level = mesh.tags.lod.is_none() || mesh.tags.lod == self.lod(0);
        let is_undamaged = mesh.tags.alt.unwrap_or_default() == 0;
        !mesh.hidden && is_level && is_undamaged && self.is_bone_visible(mesh.bone)
    }

    /// A box in the space of a bone, as the box around it in the model's space.
    fn posed(&self, of_bone: Aabb3d, bone: usize) -> Aabb3d {
        let Some(bone) = self.bones.get(bone) else {
            return of_bone;
        };
        let (min, max) = (of_bone.min, of_bone.max);
        let corner = |corner: u32| {
            let side =
                |axis: u32, min: f32, max: f32| if corner >> axis & 1 == 0 { min } else { max };
            let corner = Vec3A::new(
                side(0, min.x, max.x),
                side(1, min.y, max.y),
                side(2, min.z, max.z),
            );
            bone.bind_pose.transform_point3a(corner)
        };
        let first = corner(0);
        let corners = (1..8).map(corner);
        let (min, max) = corners.fold((first, first), |(min, max), corner| {
            (min.min(corner), max.max(corner))
        });
        Aabb3d { min, max }
    }
}

/// Returns an error if a count exceeds its limit. `length` is the file's, in bytes.
pub(crate) fn check_limits(file: &AloFile<'_>, length: usize) -> Result<(), ParseError> {
    let submeshes = file.meshes.iter().map(|mesh| mesh.submeshes.len()).sum();
    let limits = [
        limit!(file.bones.len(), "bones", 4096, per 1024, "KiB"),
        limit!(file.meshes.len(), "meshes", 1024, per 1024, "KiB"),
        limit!(submeshes, "sub-meshes", 128, per 1024, "KiB"),
        limit!(file.lights.len(), "lights", 64, per 1024, "KiB"),
        limit!(file.proxies.len(), "proxies", 512, per 1024, "KiB"),
        limit!(file.dazzles.len(), "dazzles", 32, per 1024, "KiB"),
    ];
    check_counts(Format::Alo, None, length, &limits)
}
