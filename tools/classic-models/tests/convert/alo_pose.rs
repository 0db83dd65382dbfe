//! Poses of Alamo models by the parsers' reference implementation, to compare them with converted ones.

use crate::reader::{Model, assert_equal};
use bevy::math::{Affine3A, Mat3A, Quat, Vec3, Vec3A};
use classic_model_formats::ala::AlaFile;
use classic_model_formats::alo::{self, AloFile, Mesh, Submesh, Vertices};
use zerocopy::little_endian::F32;

fn affine(matrix: &[[f32; 4]; 3]) -> Affine3A {
    let column = |index: usize| Vec3A::from_array(matrix.map(|row| row[index]));
    Affine3A {
        matrix3: Mat3A::from_cols(column(0), column(1), column(2)),
        translation: column(3),
    }
}

/// The bones in the model's space.
struct Pose {
    matrices: Vec<Affine3A>,
    visible: Vec<bool>,
}

/// The bones at rest, or at a time of an animation.
fn pose(file: &AloFile<'_>, clip: Option<&AlaFile<'_>>, seconds: f32) -> Pose {
    let mut pose = Pose {
        matrices: Vec::new(),
        visible: Vec::new(),
    };
    for (index, bone) in file.bones.iter().enumerate() {
        let mut local = affine(&bone.matrix);
        let mut visible = bone.visible;
        let track = clip.and_then(|clip| {
            let mut bones = clip.bones.iter();
            Some((clip, bones.find(|it| it.index as usize == index)?))
        });
        if let Some((clip, track)) = track {
            let sample = clip.sample(track, seconds * clip.fps);
            let (scale, rotation, _) = local.to_scale_rotation_translation();
            // A scale of 1 means that of the model.
            let scale = if sample.scale == [1.0; 3] {
                scale
            } else {
                sample.scale.into()
            };
            let rotation = sample.rotation.map_or(rotation, Quat::from_array);
            let translation = sample.translation.into();
            local = Affine3A::from_scale_rotation_translation(scale, rotation, translation);
            // A record without a track shows the bone.
            visible = sample.visible.unwrap_or(true);
        }
        let parent = bone.parent.map(|parent| parent as usize);
        let above = parent.map_or(Affine3A::IDENTITY, |parent| pose.matrices[parent]);
        pose.visible.push(visible);
        pose.matrices.push(above * local);
    }
    pose
}

/// Positions, bone indices and weights of vertices.
fn records(vertices: &Vertices<'_>) -> Vec<(Vec3, [usize; 4], [f32; 4])> {
    fn record<T: alo::VertexRecord>(vertex: &T) -> (Vec3, [usize; 4], [f32; 4]) {
        let tail = vertex.tail();
        (
            Vec3::from_array(vertex.head().position.map(F32::get)),
            tail.bone_indices.map(|index| index.get() as usize),
            tail.bone_weights.map(F32::get),
        )
    }
    match vertices {
        Vertices::V1(vertices) => vertices.iter().map(record).collect(),
        Vertices::V2(vertices) => vertices.iter().map(record).collect(),
    }
}

/// Collision meshes and shadow volumes are hidden.
fn is_drawn(submesh: &Submesh<'_>) -> bool {
    let shader = submesh.shader.to_lowercase();
    !shader.contains("collision") && !shader.contains("shadow")
}

/// The positions of the vertices of a mesh in glTF's axes, rigid ones first.
fn expected(file: &AloFile<'_>, mesh: &Mesh<'_>, pose: &Pose) -> [Vec<Vec3>; 2] {
    let rest = self::pose(file, None, 0.0);
    let mut positions = [Vec::new(), Vec::new()];
    for submesh in &mesh.submeshes {
        if submesh.indices.is_empty() {
            continue;
        }
        let palette: Vec<usize> = submesh
            .palette
            .iter()
            .map(|bone| bone.get() as usize)
            .collect();
        let is_rigid = palette.is_empty();
        for (position, indices, weights) in records(&submesh.vertices) {
            let moved = if is_rigid {
                pose.matrices[mesh.bone.unwrap_or(0) as usize].transform_point3(position)
            } else {
                let count = if submesh.is_weighted() { 4 } else { 1 };
                let weights = if submesh.is_weighted() {
                    weights
                } else {
                    [1.0, 0.0, 0.0, 0.0]
                };
                let sum: f32 = weights.iter().sum();
                let influences = indices.iter().zip(weights).take(count);
                let moved =
                    influences
                        .filter(|(_, weight)| *weight > 0.0)
                        .map(|(index, weight)| {
                            let bone = palette[*index];
                            let matrix = pose.matrices[bone] * rest.matrices[bone].inverse();
                            matrix.transform_point3(position) * (weight / sum)
                        });
                moved.sum()
            };
            positions[usize::from(!is_rigid)].push(Vec3::new(moved.x, moved.z, -moved.y));
        }
    }
    positions
}

/// Compares all meshes that are drawn at a time.
#[track_caller]
pub fn check(file: &AloFile<'_>, model: &Model, clip: Option<(&str, &AlaFile<'_>)>, seconds: f32) {
    let found = model.positions(clip.map(|(name, _)| name), seconds);
    let pose = pose(file, clip.map(|(_, clip)| clip), seconds);
    let mut drawn = 0;
    for mesh in &file.meshes {
        let what = format!(
            "{} of {:?} at {seconds}",
            mesh.name,
            clip.map(|(name, _)| name)
        );
        let nodes = model.nodes_of(&mesh.name).into_iter();
        let mut nodes = nodes.filter_map(|node| model.json["nodes"][node]["name"].as_str());
        let Some(found) = nodes.find_map(|name| found.get(name)) else {
            continue;
        };
        let [rigid, skinned] = expected(file, mesh, &pose);
        let is_shown = pose.visible[mesh.bone.unwrap_or(0) as usize]
            && !mesh.hidden
            && !mesh.name.contains("_ALT1")
            && mesh.submeshes.iter().any(is_drawn);
        if !rigid.is_empty() && !is_shown {
            // Its scale is 0.
            assert!(found.iter().all(|position| *position == found[0]), "{what}");
        } else if rigid.is_empty() {
            assert_equal(found, &skinned, 1e-3, &what);
        } else {
            assert_equal(found, &rigid, 1e-3, &what);
        }
        drawn += 1;
    }
    assert!(drawn > 0);
}
