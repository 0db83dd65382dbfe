//! Poses a scene: the transforms of all nodes and the vertices of meshes at a time.

use crate::animation::Animation;
use crate::scene::{Node, Primitive, Scene, Transform};
use glam::{Affine3A, Mat3A, Vec3, Vec3A};

/// The nodes of a scene at a time.
pub struct Pose {
    /// Transforms from each node to the scene.
    pub worlds: Vec<Affine3A>,
    /// The weights of the morph targets of each node.
    pub weights: Vec<Vec<f32>>,
}

/// The vertices of a primitive in the space of the scene.
pub struct Vertices {
    pub positions: Vec<Vec3>,
    /// Unit vectors.
    pub normals: Vec<Vec3>,
}

impl Scene {
    /// The pose at a time of an animation, or at rest. Hidden meshes have the scale 0.
    pub(crate) fn pose(&self, at: Option<(&Animation, f32)>) -> Pose {
        let mut transforms: Vec<Transform> = self.nodes.iter().map(|node| node.transform).collect();
        let mut weights: Vec<Vec<f32>> =
            self.nodes.iter().map(|node| node.weights.clone()).collect();
        if let Some((animation, time)) = at {
            animation.apply(time, &mut transforms, &mut weights);
        }
        self.hide_meshes(&mut transforms);
        self.pose_of(transforms, weights)
    }

    /// The pose with these transforms of the nodes.
    pub(crate) fn pose_of(&self, transforms: Vec<Transform>, weights: Vec<Vec<f32>>) -> Pose {
        let mut worlds: Vec<Affine3A> = Vec::with_capacity(transforms.len());
        for (node, transform) in self.nodes.iter().zip(&transforms) {
            let parent = node.parent.and_then(|parent| worlds.get(parent));
            let local = transform.affine();
            worlds.push(parent.map_or(local, |parent| *parent * local));
        }
        Pose { worlds, weights }
    }

    /// The vertices of a primitive of a node.
    pub(crate) fn vertices(
        &self,
        pose: &Pose,
        index: usize,
        node: &Node,
        primitive: &Primitive,
    ) -> Vertices {
        let weights = pose
            .weights
            .get(index)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut vertices = morphed(primitive, weights);
        let skin = node.skin.and_then(|skin| self.skins.get(skin));
        match skin.filter(|_| !primitive.joints.is_empty()) {
            Some(skin) => {
                let joints = skin.joints.iter().zip(&skin.inverse_bind_matrices);
                let matrices = joints.map(|(joint, inverse)| {
                    let world = pose.worlds.get(*joint).copied().unwrap_or_default();
                    world * Affine3A::from_mat4(*inverse)
                });
                vertices.skin(primitive, &matrices.collect::<Vec<_>>());
            }
            None => vertices.transform(&pose.worlds.get(index).copied().unwrap_or_default()),
        }
        vertices
    }
}

/// The vertices with the morph targets of these weights.
pub(crate) fn morphed(primitive: &Primitive, weights: &[f32]) -> Vertices {
    let vectors = |values: &[[f32; 3]]| {
        values
            .iter()
            .copied()
            .map(Vec3::from_array)
            .collect::<Vec<_>>()
    };
    let mut positions = vectors(&primitive.positions);
    let mut normals = match primitive.normals.is_empty() {
        true => smooth_normals(&positions, &primitive.triangles),
        false => vectors(&primitive.normals),
    };
    for (target, weight) in primitive.targets.iter().zip(weights) {
        if *weight == 0.0 {
            continue;
        }
        for (values, differences) in [
            (&mut positions, &target.positions),
            (&mut normals, &target.normals),
        ] {
            for (value, difference) in values.iter_mut().zip(differences) {
                *value += Vec3::from_array(*difference) * *weight;
            }
        }
    }
    Vertices { positions, normals }
}

/// The normals of a mesh that has none: of each vertex, the mean of its triangles' by their areas.
fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] =
            triangle.map(|index| positions.get(index as usize).copied().unwrap_or_default());
        let normal = (b - a).cross(c - a);
        for index in triangle {
            if let Some(sum) = normals.get_mut(*index as usize) {
                *sum += normal;
            }
        }
    }
    normals
}

impl Vertices {
    pub(crate) fn transform(&mut self, matrix: &Affine3A) {
        let turn = normal_matrix(matrix);
        for position in &mut self.positions {
            *position = matrix.transform_point3(*position);
        }
        for normal in &mut self.normals {
            *normal = unit(turn * Vec3A::from(*normal));
        }
    }

    fn skin(&mut self, primitive: &Primitive, matrices: &[Affine3A]) {
        let turns: Vec<Mat3A> = matrices.iter().map(normal_matrix).collect();
        let influences = primitive.joints.iter().zip(&primitive.weights);
        let vertices = self.positions.iter_mut().zip(&mut self.normals);
        for ((position, normal), (joints, weights)) in vertices.zip(influences) {
            let (mut moved, mut turned, mut sum) = (Vec3::ZERO, Vec3A::ZERO, 0.0);
            for (joint, weight) in joints
                .iter()
                .zip(weights)
                .filter(|(_, weight)| **weight > 0.0)
            {
                let joint = *joint as usize;
                let (Some(matrix), Some(turn)) = (matrices.get(joint), turns.get(joint)) else {
                    continue;
                };
                moved += matrix.transform_point3(*position) * *weight;
                turned += *turn * Vec3A::from(*normal) * *weight;
                sum += weight;
            }
            if sum > 0.0 {
                (*position, *normal) = (moved / sum, unit(turned));
            }
        }
    }
}

/// The matrix for normals: the inverse transpose, up to its scale.
pub(crate) fn normal_matrix(matrix: &Affine3A) -> Mat3A {
    let [x, y, z] = [
        matrix.matrix3.x_axis,
        matrix.matrix3.y_axis,
        matrix.matrix3.z_axis,
    ];
    let cofactors = Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if matrix.matrix3.determinant() < 0.0 {
        -cofactors
    } else {
        cofactors
    }
}

fn unit(normal: Vec3A) -> Vec3 {
    Vec3::from(normal.normalize_or(Vec3A::Y))
}
