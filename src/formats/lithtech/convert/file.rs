//! Converts a parsed model to Bevy's types without assets or I/O. Most of a load's time is spent here.

use crate::formats::lithtech::animation::tracks::{AbcCurves, clip};
use crate::formats::lithtech::asset::{AbcEvent, AbcNodeInfo, NodeBounds};
use crate::formats::lithtech::convert::handedness::Handedness;
use crate::formats::lithtech::convert::lods::SplitVertices;
use crate::formats::lithtech::convert::meshes::{
    Builder, ConvertedMesh, Joints, nodes_with_own_mesh,
};
use crate::formats::lithtech::convert::vertices::Vertices;
use crate::formats::lithtech::deform::{ConvertedDeform, Deforms};
use crate::formats::lithtech::limits;
use crate::formats::lithtech::settings::AbcLoaderSettings;
use crate::load::names::folded;
use crate::root::play::ClipRef;
use bevy::math::Affine3A;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use classic_model_formats::abc;
use classic_model_formats::abc::AbcFile;
use classic_model_formats::read::{ErrorKind, Format, ParseError, Warning, WarningCollector};
use std::collections::HashSet;
use std::sync::Arc;

/// A parsed model with its meshes and clips as Bevy types, before they are added as assets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedAbc<'a> {
    /// The parsed file.
    pub file: AbcFile<'a>,
    /// The nodes, with their bind poses.
    pub nodes: Vec<AbcNodeInfo>,
    /// Levels of detail, the full model first.
    pub levels: Vec<ConvertedLod>,
    /// Indices of the nodes that are joints of the skinned meshes.
    pub joints: Vec<usize>,
    /// The inverse bind poses of `joints`.
    pub inverse_bindposes: Vec<Mat4>,
    /// The vertex animation of each node that has it.
    pub deforms: Vec<ConvertedDeform>,
    /// The animations, in file order.
    pub clips: Vec<ConvertedClip>,
    /// Problems of the file that did not prevent loading.
    pub warnings: Vec<Warning>,
}

/// A level of detail of [`ConvertedAbc`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedLod {
    /// Its number in the file; 0 is the full model.
    pub number: u32,
    /// Count of its triangles.
    pub triangles: usize,
    /// Its meshes: the skinned mesh, if there is one, then the meshes of nodes that have their own.
    pub meshes: Vec<ConvertedMesh>,
}

/// An animation of [`ConvertedAbc`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedClip {
    /// Its name, which need not be unique.
    pub name: Arc<str>,
    /// The clip that Bevy plays.
    pub clip: AnimationClip,
    /// Its keyframe strings, in order of time.
    pub events: Vec<AbcEvent>,
    /// Its name, or its index if an earlier animation has the same name.
    pub(crate) reference: ClipRef,
    /// The curves of its nodes, which share their data with the clip.
    pub(crate) curves: AbcCurves,
}

impl<'a> ConvertedAbc<'a> {
    /// Converts the bytes of a file.
    ///
    /// # Errors
    /// A [`ParseError`] if the bytes are not a valid model, or if the model has too many nodes, animations or keyframe
    /// strings for its size.
    pub fn load(bytes: &'a [u8], settings: &AbcLoaderSettings) -> Result<Self, ParseError> {
        let mut file = abc::parse(bytes)?;
        limits::check_limits(&file, bytes.len())?;
        let mut warnings = core::mem::take(&mut file.warnings);
        let handedness = Handedness::new(file.transform(), settings.convert_axes);
        let nodes = nodes(&file, handedness)?;
        let poses: Vec<Isometry3d> = nodes.iter().map(|node| node.bind_pose).collect();
        let mut split = SplitVertices::new(&file.geometry, handedness, &settings.lod_shares);
        let vertices = Vertices::new(&file, handedness, &poses);
        warnings.extend(check_winding(&split, &vertices));
        let joints = Joints::new(file.geometry.vertices);
        let mut collector = WarningCollector::default();
        let deforms = Deforms::new(&file, handedness, bytes.len(), &mut collector);
        let meshes_per_level = if settings.separate_node_meshes {
            joints.nodes.len()
        } else {
            1 + nodes_with_own_mesh(&file, &deforms)
                .iter()
                .filter(|needs_own| **needs_own)
                .count()
        };
        truncate_levels(
            &mut split,
            limits::max_levels(meshes_per_level, bytes.len()),
            &mut collector,
        );
        warnings.extend(collector.into_warnings());
        let mut builder = Builder::new(&file, &split, &vertices, &deforms, settings.asset_usage);
        let levels = split.levels.iter().map(|level| ConvertedLod {
            number: level.number,
            triangles: level.triangles.len(),
            meshes: builder.meshes(
                level,
                (!settings.separate_node_meshes).then_some(&joints),
                &poses,
            ),
        });
        let levels = levels.collect();
        let clips = clips(&file, handedness);
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

/// Warns if fewer than 30% of the triangles face the direction of their vertices' normals. Among real models, only
/// invisible ones do.
fn check_winding(split: &SplitVertices, vertices: &Vertices) -> Option<Warning> {
    const MIN_SHARE: f32 = 0.3;
    let (mut agree, mut faces) = (0, 0);
    for triangle in &split.levels.first()?.triangles {
        let corner_values = |values: &[Vec3]| {
            let corners = triangle.map(|corner| split.corners.get(corner as usize));
            corners.map(|corner| {
                let value = corner.and_then(|corner| values.get(corner.vertex as usize));
                value.copied().unwrap_or_default()
            })
        };
        let [a, b, c] = corner_values(&vertices.positions);
        let facing = (b - a)
            .cross(c - a)
            .dot(corner_values(&vertices.normals).into_iter().sum());
        faces += usize::from(facing != 0.0);
        agree += usize::from(facing > 0.0);
    }
    ((agree as f32) < MIN_SHARE * faces as f32).then(|| Warning {
        offset: 0,
        position: None,
        message: format!(
            "only {agree} of {faces} triangles face as their normals do; the model may be invisible \
             from outside"
        ),
    })
}

/// Removes the coarsest levels beyond `max`, with a warning.
fn truncate_levels(split: &mut SplitVertices, max: usize, collector: &mut WarningCollector) {
    if split.levels.len() > max {
        collector.warn("levels", 0, || {
            let found = split.levels.len();
            format!("only {max} of {found} levels of detail are used: they have too many meshes")
        });
        split.levels.truncate(max);
    }
}

/// Converts the nodes. Their bind pose is the first keyframe of the first animation.
fn nodes(file: &AbcFile<'_>, handedness: Handedness) -> Result<Vec<AbcNodeInfo>, ParseError> {
    let in_parents = file.node_poses(None, 0.0);
    let mut nodes: Vec<AbcNodeInfo> = Vec::with_capacity(file.nodes.len());
    for (index, (node, pose)) in file.nodes.iter().zip(in_parents).enumerate() {
        let local = Isometry3d::new(
            handedness.vector(pose.translation),
            handedness.rotation(pose.rotation),
        );
        let parent = node.parent.map(|parent| parent as usize);
        let parent_node = parent.and_then(|parent| nodes.get(parent));
        let bind_pose = parent_node.map_or(local, |parent| child_pose(parent.bind_pose, local));
        if !bind_pose.translation.is_finite() {
            // The local translations are finite, but their sum overflows.
            return Err(ParseError {
                format: Format::Abc,
                offset: 0,
                position: None,
                context: format!("position of node {index} in the model"),
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

/// The pose of a child in model space. `child` is in the parent's space.
fn child_pose(parent: Isometry3d, child: Isometry3d) -> Isometry3d {
    let pose = parent * child;
    // In deep skeletons, rounding errors would accumulate.
    let rotation = Quat::normalize(pose.rotation);
    Isometry3d::new(Vec3::from(pose.translation), rotation)
}

fn clips(file: &AbcFile<'_>, handedness: Handedness) -> Vec<ConvertedClip> {
    let mut names = HashSet::new();
    let animations = file.animations.iter().enumerate();
    let clips = animations.map(|(index, animation)| {
        let name: Arc<str> = (*animation.name).into();
        let events = events(animation);
        let reference = match names.insert(folded(&name)) {
            true => ClipRef::from(&*name),
            // The name selects an earlier animation.
            false => ClipRef::from(index),
        };
        let curves = AbcCurves::new(animation, handedness);
        ConvertedClip {
            clip: clip(&curves),
            name,
            events,
            reference,
            curves,
        }
    });
    clips.collect()
}

/// The keyframe strings of an animation, in order of time.
fn events(animation: &abc::Animation<'_>) -> Vec<AbcEvent> {
    let keyframes = animation.keyframes.iter().zip(0..);
    let with_string = keyframes.filter(|(keyframe, _)| !keyframe.event.is_empty());
    with_string
        .map(|(keyframe, frame)| AbcEvent {
            frame,
            seconds: (f64::from(keyframe.time) / 1000.0) as f32,
            string: (*keyframe.event).into(),
            bone: None,
        })
        .collect()
}

/// The boxes of all nodes, over all levels of detail. `joints` are the nodes of the skinned meshes.
pub(crate) fn node_bounds(
    levels: &[ConvertedLod],
    joints: &[usize],
    nodes: &[AbcNodeInfo],
    deforms: &[ConvertedDeform],
) -> Vec<NodeBounds> {
    let mut all = vec![NodeBounds::default(); nodes.len()];
    for mesh in levels.iter().flat_map(|level| &level.meshes) {
        match mesh.node {
            Some(node) => {
                if let Some(bounds) = all.get_mut(node) {
                    add(&mut bounds.own, mesh.bounds);
                }
            }
            None => add_skinned(&mut all, mesh, joints, nodes),
        }
    }
    for deform in deforms {
        if let Some(NodeBounds { own: Some(own), .. }) = all.get_mut(deform.node) {
            let [min, max] = deform.bounds.map(Vec3A::from);
            *own = own.merge(&Aabb3d { min, max });
        }
    }
    all
}

fn add(bounds: &mut Option<Aabb3d>, other: Aabb3d) {
    *bounds = Some(bounds.map_or(other, |bounds| bounds.merge(&other)));
}

/// Adds the vertices of a skinned mesh, each to the box of its only joint.
fn add_skinned(
    all: &mut [NodeBounds],
    mesh: &ConvertedMesh,
    joints: &[usize],
    nodes: &[AbcNodeInfo],
) {
    let to_nodes: Vec<Affine3A> = nodes
        .iter()
        .map(|node| Affine3A::from(node.bind_pose.inverse()))
        .collect();
    let positions = mesh.mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok();
    let Some(positions) = positions.and_then(VertexAttributeValues::as_float3) else {
        return;
    };
    let Some(vertex_joints) = vertex_joints(&mesh.mesh) else {
        return;
    };
    for (position, [joint, ..]) in positions.iter().zip(vertex_joints) {
        let Some(node) = joints.get(usize::from(*joint)) else {
            continue;
        };
        if let (Some(bounds), Some(to_node)) = (all.get_mut(*node), to_nodes.get(*node)) {
            let position = to_node.transform_point3a(Vec3A::from(*position));
            let point = Aabb3d {
                min: position,
                max: position,
            };
            add(&mut bounds.skinned, point);
        }
    }
}

/// The joints of a skinned mesh's vertices. The first of the four has all the weight. `None` if they are not in the main
/// world.
pub(crate) fn vertex_joints(mesh: &Mesh) -> Option<&[[u16; 4]]> {
    match mesh.try_attribute(Mesh::ATTRIBUTE_JOINT_INDEX).ok()? {
        VertexAttributeValues::Uint16x4(joints) => Some(joints),
        _ => None,
    }
}
