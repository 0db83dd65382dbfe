//! LODs, normals and poses, compared with values computed by hand.

use super::*;
use crate::prelude::*;
use classic_model_formats::abc::KeyBlend;

/// The sine and cosine of 45°. A quaternion with these components rotates by 90°.
const SQRT_HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

fn assert_near<const N: usize>(found: [f32; N], expected: [f32; N]) {
    let near = found
        .iter()
        .zip(expected)
        .all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near, "{found:?} is not {expected:?}");
}

#[test]
fn lods_replace_vertices_and_remove_triangles() {
    let bytes = write_unchecked(&sample_model());
    let geometry = &parse(&bytes).unwrap().geometry;
    let level = |level| {
        let lod = geometry.lod(level);
        let triangles = lod.triangles.iter();
        let triangles: Vec<_> = triangles.map(|it| (it.triangle, it.vertices)).collect();
        (lod.vertices(), triangles)
    };
    // The full model.
    let (vertices, triangles) = level(0);
    assert_eq!(vertices, [0, 1, 2, 3, 4, 5, 6, 7]);
    let full = [[0, 1, 2], [1, 2, 3], [5, 6, 7], [2, 3, 4]];
    assert_eq!(triangles, (0..).zip(full).collect::<Vec<_>>());
    // LOD 1 replaces vertices 0 and 1 by 8.
    let (vertices, triangles) = level(1);
    assert_eq!(vertices, [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(triangles, [(1, [8, 2, 3]), (2, [5, 6, 7]), (3, [2, 3, 4])]);
    // LOD 2 also replaces 2 and 8 by 9.
    let (vertices, triangles) = level(2);
    assert_eq!(vertices, [3, 4, 5, 6, 7, 9]);
    assert_eq!(triangles, [(2, [5, 6, 7]), (3, [9, 3, 4])]);
    // LOD 3 also replaces 5 and 6 by 10.
    let (vertices, triangles) = level(3);
    assert_eq!(vertices, [3, 4, 9]);
    assert_eq!(triangles, [(3, [9, 3, 4])]);
    assert_eq!(
        geometry.lod(3).vertex_map,
        [9, 9, 9, 3, 4, 10, 10, 7, 9, 9, 10]
    );
    assert_eq!(geometry.lod(u32::MAX), geometry.lod(3));
    // `lod_starts` is the first used vertex.
    for (number, start) in (0..).zip(geometry.lod_starts) {
        let first = level(number).0[0];
        assert_eq!(first, u32::from(start.get()));
    }
}

#[test]
fn degenerate_triangles_are_removed_from_the_full_model() {
    let bytes = edited(|model| model.geometry.triangles[1].vertices = [3, 2, 3].map(Into::into));
    let file = parse(&bytes).unwrap();
    let left = file.geometry.lod(0).triangles;
    assert_eq!(left.len(), 3);
    let second = LodTriangle {
        triangle: 2,
        vertices: [5, 6, 7],
    };
    assert_eq!(left[1], second);
}

#[test]
fn invalid_lod_is_dropped_with_all_after_it() {
    let bytes = edited(|model| model.geometry.vertices[9].replacements = [2.into(), 9.into()]);
    let file = parse(&bytes).unwrap();
    assert_eq!(file.geometry.lods, 1);
    assert_eq!(file.geometry.lod(3), file.geometry.lod(1));
    assert_eq!(file.geometry.lod(1).vertices(), [2, 3, 4, 5, 6, 7, 8]);
    // The valid replacement of the pair is dropped as well.
    assert_eq!(file.geometry.lod(2).vertex_map[2], 2);
}

#[test]
fn lod_vertices_without_normal_get_the_average() {
    let bytes = edited(|model| {
        model.geometry.vertices[2].normal = [0; 3];
        model.geometry.vertices[9].normal = [0; 3];
    });
    let normals = parse(&bytes).unwrap().geometry.normals();
    assert_eq!(normals[0], Some([1.0, 0.0, 0.0]));
    assert_eq!(normals[2], None);
    assert_near(normals[8].unwrap(), [SQRT_HALF, SQRT_HALF, 0.0]);
    // One of the two replaced vertices has no normal.
    assert_near(normals[9].unwrap(), [SQRT_HALF, SQRT_HALF, 0.0]);
    assert_eq!(normals[10], Some([0.0, 1.0, 0.0]));
}

#[test]
fn blend_at_finds_the_keyframes_around_a_time() {
    let bytes = write_unchecked(&sample_model());
    let file = parse(&bytes).unwrap();
    let [walk, stand] = &file.animations[..] else {
        panic!("the sample has two animations");
    };
    let blend = |key, next, t| Some(KeyBlend { key, next, t });
    let first = blend(0, 0, 0.0);
    let last = blend(2, 2, 0.0);
    assert_eq!(walk.blend_at(0.0), blend(0, 1, 0.0));
    assert_eq!(walk.blend_at(0.05), blend(0, 1, 0.5));
    assert_eq!(walk.blend_at(0.2), blend(1, 2, 0.5));
    for before in [-1.0, f32::NEG_INFINITY, f32::NAN] {
        assert_eq!(walk.blend_at(before), first);
    }
    for after in [0.301, 7.0, f32::INFINITY] {
        assert_eq!(walk.blend_at(after), last);
    }
    assert_eq!(stand.blend_at(0.5), first);
}

#[test]
fn node_poses_are_interpolated() {
    let bytes = write_unchecked(&sample_model());
    let file = parse(&bytes).unwrap();
    let body = |seconds| file.node_poses(Some(0), seconds)[1];
    assert_near(body(0.05).translation, [5.0, 0.0, 0.0]);
    // Half of a rotation by 90°.
    let eighth = core::f32::consts::FRAC_PI_8;
    assert_near(body(0.05).rotation, [0.0, eighth.sin(), 0.0, eighth.cos()]);
    // From 90° to 180°. The quaternion of 180° is stored negated.
    assert_near(body(0.2).translation, [10.0, 10.0, 0.0]);
    let three = 3.0 * eighth;
    assert_near(body(0.2).rotation, [0.0, three.sin(), 0.0, three.cos()]);
    assert_near(body(9.0).rotation, [0.0, -1.0, 0.0, 0.0]);
}

#[test]
fn flip_animation_inverts_rotations() {
    let stored = write_unchecked(&sample_model());
    let flipped = edited(|model| model.transform_info = None);
    let position = |bytes: &[u8]| {
        let file = parse(bytes).unwrap();
        file.vertex_positions_in_model(Some(0), 0.0)[0]
    };
    // (1, 2, 3), rotated about Z by 90° or −90°, then moved by 1 along Y.
    assert_near(position(&stored), [-2.0, 2.0, 3.0]);
    assert_near(position(&flipped), [2.0, 0.0, 3.0]);
}

#[test]
fn poses_in_model_include_the_parents() {
    let bytes = write_unchecked(&sample_model());
    let file = parse(&bytes).unwrap();
    // At 100 ms, the body is at (10, 0, 0) and rotated by 90° about Y, which maps Z to X. The flag is at Z = 100 in the
    // body's space. The root maps X to Y and is at Y = 1.
    let [root, body, flag, _] = file.node_poses_in_model(Some(0), 0.1)[..] else {
        panic!("the sample has four nodes");
    };
    assert_near(root.translation, [0.0, 1.0, 0.0]);
    assert_near(body.translation, [0.0, 11.0, 0.0]);
    assert_near(flag.translation, [0.0, 111.0, 0.0]);
    assert_near(flag.rotation, [-0.5, 0.5, 0.5, 0.5]);
    // The vertex (0, 0, 4) of the body.
    assert_near(
        file.vertex_positions_in_model(Some(0), 0.1)[2],
        [0.0, 15.0, 0.0],
    );
}

#[test]
fn deforming_vertices_are_interpolated_in_node_space() {
    let bytes = write_unchecked(&sample_model());
    let file = parse(&bytes).unwrap();
    let at = |seconds| {
        let positions = file.vertex_positions(Some(0), seconds);
        [positions[5], positions[6], positions[7]]
    };
    let [a, b, c] = at(0.0);
    assert_eq!(a, [-1.0, 0.0, 1.0]);
    assert_eq!(b, [0.0, 4.0, 13.0]);
    assert_eq!(c, [126.5, 255.0, 511.0]);
    let [a, b, c] = at(0.05);
    assert_eq!(a, [1.5, 0.0, 1.0]);
    assert_eq!(b, [0.0, 4.0, 15.0]);
    assert_eq!(c, [62.75, 127.5, 256.0]);
    let [a, b, c] = at(5.0);
    assert_eq!([a, b, c], [[-0.5, 1.0, 3.0]; 3]);
    // A LOD vertex is in the middle of the two vertices that it replaces, not at its stored position.
    assert_eq!(file.vertex_positions(Some(0), 0.05)[10], [0.75, 2.0, 8.0]);
    // Vertices of other nodes keep their positions.
    assert_eq!(file.vertex_positions(Some(0), 0.05)[0], [1.0, 2.0, 3.0]);
    assert_eq!(file.vertex_positions(Some(0), 0.05)[9], [1.0, 1.0, 3.5]);
    // `Stand` has its own `deform_scale`: 1.
    assert_eq!(file.vertex_positions(Some(1), 0.0)[5], [1.0, 2.0, 3.0]);
}

#[test]
fn rest_pose_is_used_without_animation_or_keyframes() {
    let bytes = edited(|model| {
        let empty = AnimationDocument {
            tracks: vec![TrackDocument::default(); 4],
            dims: Some([0.0; 3]),
            ..AnimationDocument::default()
        };
        model.animations.push(empty);
    });
    let file = parse(&bytes).unwrap();
    let rest = file.vertex_positions_in_model(Some(0), 0.0);
    for animation in [None, Some(2), Some(3), Some(usize::MAX)] {
        assert_eq!(file.vertex_positions_in_model(animation, 1.0), rest);
    }
    let bytes = edited(|model| model.animations.clear());
    let file = parse(&bytes).unwrap();
    let positions = file.vertex_positions_in_model(Some(0), 1.0);
    assert_eq!(positions[0], [1.0, 2.0, 3.0]);
    assert_eq!(positions[5], [10.0, 20.0, 30.0]);
}

#[test]
fn extreme_keys_give_finite_poses() {
    let bytes = edited(|model| {
        let keys = &mut model.animations[0].tracks[1].keys;
        keys[0].rotation = [0.0; 4].map(F32::new);
        keys[1] = NodeKey::new([f32::MAX; 3], [f32::MAX, 0.0, 0.0, f32::MAX]);
        keys[2] = NodeKey::new([-f32::MAX; 3], [0.0, 0.0, 1e-44, 1e-44]);
    });
    let file = parse(&bytes).unwrap();
    let poses = |seconds| file.node_poses(Some(0), seconds)[1];
    assert_eq!(poses(0.0).rotation, IDENTITY_ROTATION);
    assert_near(poses(0.1).rotation, [SQRT_HALF, 0.0, 0.0, SQRT_HALF]);
    assert_near(poses(0.3).rotation, [0.0, 0.0, SQRT_HALF, SQRT_HALF]);
    assert_eq!(poses(0.2).translation, [0.0; 3]);
}
