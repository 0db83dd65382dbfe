//! A parsed model as the data of Bevy's assets: pure, and the part of a load that costs time.

use crate::lithtech::abc::{self, AbcFile};
use crate::lithtech::asset::{AbcEvent, AbcNodeInfo};
use crate::lithtech::clip::{clip, events};
use crate::lithtech::deform::{ConvertedDeform, Deforms};
use crate::lithtech::handedness::Handedness;
use crate::lithtech::limits;
use crate::lithtech::meshes::{Builder, ConvertedMesh, Joints, own_meshes};
use crate::lithtech::settings::AbcLoaderSettings;
use crate::lithtech::split_vertices::Shape;
use crate::lithtech::vertices::Vertices;
use crate::read::{ErrorKind, Format, ParseError, Warning, WarningCollector};
use bevy::animation::AnimationClip;
use bevy::math::{Affine3A, Isometry3d, Mat4, Quat, Vec3};
use bevy::transform::components::Transform;
use std::sync::Arc;

/// A model's file and all of its meshes and clips as Bevy's, but not yet as assets.
#[derive(Clone, Debug)]
pub struct ConvertedAbc<'a> {
    /// The parsed file.
    pub file: AbcFile<'a>,
    /// The nodes, with their places at rest.
    pub nodes: Vec<AbcNodeInfo>,
    /// Levels of detail, the full model first.
    pub levels: Vec<ConvertedLod>,
    /// Indices of the nodes that the joints of skinned meshes are.
    pub joints: Vec<usize>,
    /// The inverse bind poses of those nodes.
    pub inverse_bindposes: Vec<Mat4>,
    /// What moves vertices one by one, for each node that does.
    pub deforms: Vec<ConvertedDeform>,
    /// The animations, in file order.
    pub clips: Vec<ConvertedClip>,
    /// Flaws of the file that do no harm.
    pub warnings: Vec<Warning>,
}

/// A level of detail of [`ConvertedAbc`].
#[derive(Clone, Debug)]
pub struct ConvertedLod {
    /// Its number in the file; 0 is the full model.
    pub number: u32,
    /// How many triangles it has.
    pub triangles: usize,
    /// Its meshes: one, or one for each node that has triangles.
    pub meshes: Vec<ConvertedMesh>,
}

/// An animation of [`ConvertedAbc`].
#[derive(Clone, Debug)]
pub struct ConvertedClip {
    /// Its name, which others may have as well.
    pub name: Arc<str>,
    /// What Bevy plays.
    pub clip: AnimationClip,
    /// What the game is told as it comes by, in order.
    pub events: Vec<AbcEvent>,
}

impl<'a> ConvertedAbc<'a> {
    /// Converts the bytes of a file.
    ///
    /// # Errors
    /// A [`ParseError`] if the bytes are not a model, or one that says far more things than real ones
    /// do in so many bytes.
    pub fn load(bytes: &'a [u8], settings: &AbcLoaderSettings) -> Result<Self, ParseError> {
        let mut file = abc::parse(bytes)?;
        limits::check(&file, bytes.len())?;
        let mut warnings = core::mem::take(&mut file.warnings);
        let space = Handedness::new(file.transform(), settings.convert_axes);
        let nodes = nodes(&file, space)?;
        let poses: Vec<Isometry3d> = nodes.iter().map(|node| node.bind_pose).collect();
        let mut shape = Shape::new(&file.geometry, space, &settings.lod_shares);
        let vertices = Vertices::new(&file, space, &poses);
        warnings.extend(inside_out(&shape, &vertices));
        let joints = Joints::of(file.geometry.vertices);
        let mut flaws = WarningCollector::default();
        let deforms = Deforms::new(&file, space, bytes.len(), &mut flaws);
        let meshes = match settings.separate_node_meshes {
            true => joints.nodes.len(),
            false => {
                1 + own_meshes(&file, &deforms)
                    .iter()
                    .filter(|own| **own)
                    .count()
            }
        };
        leave_out(&mut shape, limits::levels(meshes, bytes.len()), &mut flaws);
        warnings.extend(flaws.into_warnings());
        let mut builder = Builder::new(&file, &shape, &vertices, &deforms, settings.asset_usage);
        let levels = shape.levels.iter().map(|level| ConvertedLod {
            number: level.number,
            triangles: level.triangles.len(),
            meshes: builder.meshes(
                level,
                (!settings.separate_node_meshes).then_some(&joints),
                &poses,
            ),
        });
        let levels = levels.collect();
        let clips = clips(&file, space);
        let joints = if settings.separate_node_meshes {
            Vec::new()
        } else {
            joints.nodes
        };
        let pose = |node: &usize| poses.get(*node).copied().unwrap_or_default();
        let inverse = |node| Mat4::from(Affine3A::from(pose(node).inverse()));
        Ok(Self {
            inverse_bindposes: joints.iter().map(inverse).collect(),
            file,
            nodes,
            levels,
            joints,
            deforms: deforms.nodes,
            clips,
            warnings,
        })
    }
}

/// A warning where hardly a triangle faces as the normals of its vertices do. Of real models only those
/// are so that are not meant to be seen.
fn inside_out(shape: &Shape, vertices: &Vertices) -> Option<Warning> {
    const LEAST: f32 = 0.3;
    let (mut agree, mut faces) = (0, 0);
    for triangle in &shape.levels.first()?.triangles {
        let of = |all: &[Vec3]| {
            let corners = triangle.map(|corner| shape.corners.get(corner as usize));
            corners.map(|corner| {
                let value = corner.and_then(|corner| all.get(corner.vertex as usize));
                value.copied().unwrap_or_default()
            })
        };
        let [a, b, c] = of(&vertices.positions);
        let towards = (b - a)
            .cross(c - a)
            .dot(of(&vertices.normals).into_iter().sum());
        faces += usize::from(towards != 0.0);
        agree += usize::from(towards > 0.0);
    }
    ((agree as f32) < LEAST * faces as f32).then(|| Warning {
        offset: 0,
        position: None,
        message: format!(
            "of {faces} triangles only {agree} face as their normals do: from outside the model may \
             not be seen"
        ),
    })
}

/// Leaves out the coarsest levels beyond so many.
fn leave_out(shape: &mut Shape, most: usize, flaws: &mut WarningCollector) {
    if shape.levels.len() > most {
        flaws.warn("levels", 0, || {
            let found = shape.levels.len();
            format!("of {found} levels of detail {most} are made: their meshes are too many")
        });
        shape.levels.truncate(most);
    }
}

/// The nodes, with the places that they have in the first keyframe of the first animation.
fn nodes(file: &AbcFile<'_>, space: Handedness) -> Result<Vec<AbcNodeInfo>, ParseError> {
    let in_parents = file.node_poses(None, 0.0);
    let mut nodes: Vec<AbcNodeInfo> = Vec::with_capacity(file.nodes.len());
    for (index, (node, pose)) in file.nodes.iter().zip(in_parents).enumerate() {
        let local = Isometry3d::new(
            space.vector(pose.translation),
            space.rotation(pose.rotation),
        );
        let parent = node.parent.map(|parent| parent as usize);
        let above = parent.and_then(|parent| nodes.get(parent));
        let bind_pose = above.map_or(local, |above| child_pose(above.bind_pose, local));
        if !bind_pose.translation.is_finite() {
            // Each place is; their sum is beyond what the numbers of the file can say.
            return Err(ParseError {
                format: Format::Abc,
                offset: 0,
                position: None,
                context: format!("place of node {index} in the model"),
                kind: ErrorKind::NotFinite,
            });
        }
        nodes.push(AbcNodeInfo {
            name: (*node.name).into(),
            parent,
            flags: node.flags,
            deform_vertices: node.deform_vertices.len(),
            transform: Transform::from_isometry(local),
            bind_pose,
        });
    }
    Ok(nodes)
}

/// The pose of a child in the model.
fn child_pose(parent: Isometry3d, child: Isometry3d) -> Isometry3d {
    let pose = parent * child;
    // Deep skeletons would drift from length 1.
    let rotation = Quat::normalize(pose.rotation);
    Isometry3d::new(Vec3::from(pose.translation), rotation)
}

fn clips(file: &AbcFile<'_>, space: Handedness) -> Vec<ConvertedClip> {
    let animations = file.animations.iter().enumerate();
    let clips = animations.map(|(index, animation)| {
        let name: Arc<str> = (*animation.name).into();
        let events = events(animation);
        ConvertedClip {
            clip: clip(animation, (index, &name), &events, space),
            name,
            events,
        }
    });
    clips.collect()
}
