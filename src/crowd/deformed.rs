//! Vertices with a baked position and normal of their own, because they follow no joint.
//!
//! Such a vertex has one texel per pose: its position in the model's space, and its normal as a number. The normal is
//! projected to an octahedron, whose two coordinates have 12 bits each. A float stores 24 bits exactly as a number.

use crate::spawn::format::merged;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;

/// The largest coordinate of an encoded normal.
const MAX_COORDINATE: f32 = 4095.0;

/// The factor of the first coordinate of an encoded normal.
const FIRST_FACTOR: f32 = 4096.0;

/// The position and the normal of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PosedVertex {
    pub(crate) position: Vec3,
    /// A unit vector.
    pub(crate) normal: Vec3,
}

/// A vertex that follows no joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeformedVertex {
    /// The bone whose space it is in.
    pub(crate) bone: usize,
    /// The vertex in the rest pose, in the space of its bone.
    pub(crate) rest: PosedVertex,
}

/// Writes the texels of deformed vertices. `posed` has the vertices in the spaces of their bones, and `bones` the
/// transforms of bones to the model's space.
pub(crate) fn write_deformed(
    vertices: &[DeformedVertex],
    posed: &[PosedVertex],
    bones: &[Affine3A],
    texels: &mut [[f32; 4]],
) {
    let vertices = vertices.iter().zip(posed).zip(texels);
    // The vertices of a bone are mostly successive.
    let mut last = None;
    for ((vertex, posed), texel) in vertices {
        let (bone, cofactors) = match last {
            Some((index, bone, cofactors)) if index == vertex.bone => (bone, cofactors),
            _ => {
                let bone = bones.get(vertex.bone).copied().unwrap_or_default();
                (bone, cofactors(bone.matrix3))
            }
        };
        last = Some((vertex.bone, bone, cofactors));
        let position = bone.transform_point3(posed.position);
        let normal = cofactors * posed.normal;
        *texel = position.extend(encode_normal(normal)).to_array();
    }
}

/// The inverse transpose of a matrix up to a positive factor. It transforms normals, also under unequal scales.
fn cofactors(matrix: Mat3A) -> Mat3A {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let cofactors = Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(cofactors.x_axis) < 0.0 {
        -cofactors
    } else {
        cofactors
    }
}

/// A normal as a whole number below 2²⁴. A vector without direction has the normal (0, 0, 1).
fn encode_normal(normal: Vec3) -> f32 {
    let length = normal.abs().element_sum();
    let scaled = normal / length;
    if !scaled.is_finite() {
        return encode_normal(Vec3::Z);
    }
    let mut point = scaled.truncate();
    if scaled.z < 0.0 {
        let folded = Vec2::ONE - Vec2::new(point.y, point.x).abs();
        point = folded.copysign(point);
    }
    let coordinates = ((point * 0.5 + 0.5) * MAX_COORDINATE).round();
    let [x, y] = coordinates
        .clamp(Vec2::ZERO, Vec2::splat(MAX_COORDINATE))
        .to_array();
    x * FIRST_FACTOR + y
}

/// The box around deformed vertices. Positions that are not finite are ignored.
pub(crate) fn deformed_bounds(texels: &[[f32; 4]]) -> Option<Aabb3d> {
    let points = texels.iter().map(position);
    let boxes = points
        .filter(|point| point.is_finite())
        .map(|point| Aabb3d {
            min: point,
            max: point,
        });
    boxes.map(Some).fold(None, merged)
}

/// The longest distance of any deformed vertex between a pose and the middle of two others, along an axis. Distances that
/// are not finite are ignored.
pub(crate) fn deformed_distance(pose: &[[f32; 4]], [from, to]: [&[[f32; 4]]; 2]) -> f32 {
    let middles = from.iter().zip(to);
    let middles = middles.map(|(from, to)| position(from) * 0.5 + position(to) * 0.5);
    let distances = pose.iter().zip(middles);
    let distances = distances.map(|(texel, middle)| (position(texel) - middle).abs().max_element());
    let distances = distances.filter(|distance| distance.is_finite());
    distances.fold(0.0, f32::max)
}

fn position([x, y, z, _]: &[f32; 4]) -> Vec3A {
    Vec3A::new(*x, *y, *z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::math::Quat;

    /// Decodes a normal as the shader does.
    fn decode_normal(encoded: f32) -> Vec3 {
        let number = encoded as u32;
        let [x, y] = [number >> 12, number & 4095]
            .map(|coordinate| coordinate as f32 / MAX_COORDINATE * 2.0 - 1.0);
        let z = 1.0 - x.abs() - y.abs();
        let fold = (-z).max(0.0);
        let sign = |value: f32| if value >= 0.0 { 1.0 } else { -1.0 };
        Vec3::new(x - sign(x) * fold, y - sign(y) * fold, z).normalize()
    }

    #[test]
    fn normals_are_encoded_within_a_thousandth() {
        for step in 0..500_u16 {
            let angle = f32::from(step);
            let normal =
                Quat::from_euler(bevy::math::EulerRot::XYZ, angle, 1.7 * angle, 0.3 * angle)
                    * Vec3::X;
            let encoded = encode_normal(normal);
            assert_eq!(encoded.fract(), 0.0);
            assert!((0.0..16_777_216.0).contains(&encoded));
            let found = decode_normal(encoded);
            assert!(found.distance(normal) < 1e-3, "{normal}: {found}");
        }
        for axis in [
            Vec3::X,
            Vec3::NEG_X,
            Vec3::Y,
            Vec3::NEG_Y,
            Vec3::Z,
            Vec3::NEG_Z,
        ] {
            assert!(decode_normal(encode_normal(axis)).distance(axis) < 1e-3);
        }
        for invalid in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY] {
            assert!(decode_normal(encode_normal(invalid)).distance(Vec3::Z) < 1e-3);
        }
    }

    #[test]
    fn bounds_and_distances_are_those_of_the_vertices() {
        let pose = [
            [1.0, 2.0, 3.0, 0.0],
            [f32::NAN, 0.0, 0.0, 0.0],
            [-1.0, 2.0, 7.0, 0.0],
        ];
        let bounds = deformed_bounds(&pose).unwrap();
        assert_eq!(
            (bounds.min, bounds.max),
            (Vec3A::new(-1.0, 2.0, 3.0), Vec3A::new(1.0, 2.0, 7.0))
        );
        assert!(deformed_bounds(&[]).is_none());
        let mut other = pose;
        other[2][1] = 4.0;
        assert_eq!(deformed_distance(&pose, [&pose, &other]), 1.0);
    }

    #[test]
    fn vertices_follow_their_bones() {
        let vertex = |bone| DeformedVertex {
            bone,
            rest: PosedVertex {
                position: Vec3::X,
                normal: Vec3::Y,
            },
        };
        let vertices = [vertex(0), vertex(1)];
        let turned = Affine3A::from_rotation_translation(
            Quat::from_rotation_z(core::f32::consts::FRAC_PI_2),
            Vec3::new(10.0, 0.0, 0.0),
        );
        let mut texels = [[0.0; 4]; 2];
        let posed = vertices.map(|vertex| vertex.rest);
        write_deformed(
            &vertices,
            &posed,
            &[Affine3A::IDENTITY, turned],
            &mut texels,
        );
        assert_eq!(position(&texels[0]), Vec3A::X);
        assert!(position(&texels[1]).distance(Vec3A::new(10.0, 1.0, 0.0)) < 1e-5);
        let normal = decode_normal(texels[1][3]);
        assert!(normal.distance(Vec3::NEG_X) < 1e-3, "{normal}");
    }

    #[test]
    fn normals_stay_perpendicular_under_unequal_scales() {
        // A plane with these directions, and its normal.
        let (along, across) = (Vec3::new(1.0, 1.0, 0.0), Vec3::Z);
        let normal = along.cross(across).normalize();
        let vertices = [DeformedVertex {
            bone: 0,
            rest: PosedVertex {
                position: Vec3::ZERO,
                normal,
            },
        }];
        for (scale, side) in [
            (Vec3::new(4.0, 1.0, 0.5), 1.0),
            (Vec3::new(-4.0, 1.0, 0.5), -1.0),
            (Vec3::splat(1e-6), 1.0),
        ] {
            let rotation = Quat::from_rotation_y(0.7);
            let bone = Affine3A::from_scale_rotation_translation(scale, rotation, Vec3::X);
            let mut texels = [[0.0; 4]];
            write_deformed(&vertices, &[vertices[0].rest], &[bone], &mut texels);
            let [along, across] = [along, across].map(|side| bone.transform_vector3(side));
            // A mirrored plane faces the other side of the product.
            let expected = (along.cross(across) * side).normalize();
            let found = decode_normal(texels[0][3]);
            assert!(found.distance(expected) < 1e-3, "{scale}: {found}");
        }
    }
}
