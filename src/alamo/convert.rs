//! A parsed model as the data of Bevy's assets: pure, and the part of a load that costs time.

use crate::alamo::alo::{self, AloFile, Submesh};
use crate::alamo::asset::AloBoneInfo;
use crate::alamo::collision::{CollisionTree, TreeError, TreeLink};
use crate::alamo::limits;
use crate::alamo::raycast::ColliderSkin;
use crate::alamo::vertices::Attributes;
use crate::read::{ErrorKind, Format, ParseError, Warning};
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::Aabb3d;
use bevy::math::{Affine3A, Mat3A, Mat4, Quat, Vec3, Vec3A};
use bevy::mesh::Mesh;
use bevy::transform::components::Transform;
use zerocopy::little_endian::{U16, U32};

/// A model's file and all of its meshes as Bevy's, but not yet as assets.
#[derive(Clone, Debug)]
pub struct AloContents<'a> {
    /// The parsed file.
    pub file: AloFile<'a>,
    /// The bones, with their places at rest.
    pub bones: Vec<AloBoneInfo>,
    /// The sub-meshes of every mesh, in file order.
    pub meshes: Vec<Vec<SubmeshContents>>,
    /// Flaws of the file that do no harm.
    pub warnings: Vec<Warning>,
}

/// A sub-mesh of [`AloContents`].
#[derive(Clone, Debug)]
pub struct SubmeshContents {
    /// The mesh. `None` if there are no triangles.
    pub mesh: Option<Mesh>,
    /// The box around its vertices.
    pub bounds: Aabb3d,
    /// The inverse bind poses of its palette; empty if it is not skinned.
    pub inverse_bindposes: Vec<Mat4>,
    /// Its collision tree.
    pub tree: Option<CollisionTree>,
    /// How the tree's vertices follow the palette.
    pub(super) skin: Option<ColliderSkin>,
}

impl<'a> AloContents<'a> {
    /// Converts the bytes of a file. `usage` decides where a sub-mesh's mesh is kept.
    ///
    /// # Errors
    /// A [`ParseError`] if the bytes are not a model, or one that says far more things than real ones
    /// do in so many bytes.
    pub fn load(
        bytes: &'a [u8],
        usage: impl Fn(&alo::Mesh<'_>, &Submesh<'_>) -> RenderAssetUsages,
    ) -> Result<Self, ParseError> {
        let mut file = alo::parse_without_numbers(bytes)?;
        limits::check(&file, bytes.len())?;
        let mut warnings = core::mem::take(&mut file.warnings);
        let mut all_finite = true;
        let mut dropped = Vec::new();
        let bones = bones(&file.bones)?;
        let meshes = file.meshes.iter().map(|mesh| {
            let submeshes = mesh.submeshes.iter();
            submeshes
                .map(|submesh| {
                    let attributes = Attributes::take(submesh);
                    all_finite &= attributes.all_finite();
                    let inverse_bindposes = inverse_bindposes(submesh, &bones);
                    let tree = submesh.tree.as_ref().and_then(|tree| {
                        let tree = query_tree(tree, attributes.positions(), submesh.indices);
                        tree.map_err(|error| dropped.push((&mesh.name, error))).ok()
                    });
                    let usage = usage(mesh, submesh);
                    SubmeshContents {
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
            // It is seldom worth the time to tell where.
            warnings = alo::parse(bytes)?.warnings;
        }
        warnings.extend(dropped.into_iter().map(|(mesh, error)| Warning {
            offset: 0,
            position: None,
            message: format!("a collision tree of mesh {mesh:?} is dropped: {error}"),
        }));
        Ok(Self {
            file,
            bones,
            meshes,
            warnings,
        })
    }
}

/// Three rows of four as a transform of column vectors.
fn affine(matrix: &[[f32; 4]; 3]) -> Affine3A {
    let column = |index: usize| Vec3A::from_array(matrix.map(|row| row[index]));
    Affine3A {
        matrix3: Mat3A::from_cols(column(0), column(1), column(2)),
        translation: column(3),
    }
}

/// The bones, parents before children, with their places in the model.
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
            // Each matrix is; their product is beyond what the numbers of the file can say.
            return Err(ParseError {
                format: Format::Alo,
                offset: 0,
                position: None,
                context: format!("place of bone {index} in the model"),
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

/// A transform as Bevy's, which knows no shear. A flattened one keeps its place alone.
pub(super) fn transform(affine: &Affine3A) -> Transform {
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

/// Skinned vertices are in the model's space, so a joint's matrix undoes its place at rest.
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

/// The tree for queries of a file's.
fn query_tree(
    tree: &alo::Tree<'_>,
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
