//! Levels of detail and poses, against values found by hand.

use super::*;
use classic_model_formats::abc::{KeyBlend, LodTriangle};
use classic_models_fixtures::abc::NOT_TURNED;

/// The square root of a half: sine and cosine of an eighth of a turn.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

fn assert_near<const N: usize>(found: [f32; N], expected: [f32; N]) {
    let near = found
        .iter()
        .zip(expected)
        .all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(near, "{found:?} is not {expected:?}");
}

#[test]
fn levels_of_detail() {
    let bytes = write_unchecked(&figure());
    let geometry = &parse(&bytes).unwrap().geometry;
    let level = |level| {
        let lod = geometry.lod(level);
        let triangles = lod.triangles.iter();
        let triangles: Vec<_> = triangles.map(|it| (it.triangle, it.vertices)).collect();
        (lod.vertices(), triangles)
    };
    // Everything as the file has it.
    let (vertices, triangles) = level(0);
    assert_eq!(vertices, [0, 1, 2, 3, 4, 5, 6, 7]);
    let full = [[0, 1, 2], [1, 2, 3], [5, 6, 7], [2, 3, 4]];
    assert_eq!(triangles, (0..).zip(full).collect::<Vec<_>>());
    // 0 and 1 become 8.
    let (vertices, triangles) = level(1);
    assert_eq!(vertices, [2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(triangles, [(1, [8, 2, 3]), (2, [5, 6, 7]), (3, [2, 3, 4])]);
    // And 2 and 8 become 9.
    let (vertices, triangles) = level(2);
    assert_eq!(vertices, [3, 4, 5, 6, 7, 9]);
    assert_eq!(triangles, [(2, [5, 6, 7]), (3, [9, 3, 4])]);
    // And 5 and 6 become 10.
    let (vertices, triangles) = level(3);
    assert_eq!(vertices, [3, 4, 9]);
    assert_eq!(triangles, [(3, [9, 3, 4])]);
    assert_eq!(
        geometry.lod(3).stand_ins,
        [9, 9, 9, 3, 4, 10, 10, 7, 9, 9, 10]
    );
    assert_eq!(geometry.lod(u32::MAX), geometry.lod(3));
    // What is in use begins where the file says.
    for (number, start) in (0..).zip(geometry.lod_starts) {
        let first = level(number).0[0];
        assert_eq!(first, u32::from(start.get()));
    }
}

#[test]
fn triangles_of_two_corners_vanish_from_the_full_model_too() {
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
fn a_level_that_cannot_be_ends_them() {
    let bytes = edited(|model| model.geometry.vertices[9].replacements = [2.into(), 9.into()]);
    let file = parse(&bytes).unwrap();
    assert_eq!(file.geometry.lods, 1);
    assert_eq!(file.geometry.lod(3), file.geometry.lod(1));
    assert_eq!(file.geometry.lod(1).vertices(), [2, 3, 4, 5, 6, 7, 8]);
    // The first replacement of the pair does not count either.
    assert_eq!(file.geometry.lod(2).stand_ins[2], 2);
}

#[test]
fn normals_that_levels_add_are_in_the_middle() {
    let bytes = edited(|model| {
        model.geometry.vertices[2].normal = [0; 3];
        model.geometry.vertices[9].normal = [0; 3];
    });
    let normals = parse(&bytes).unwrap().geometry.normals();
    assert_eq!(normals[0], Some([1.0, 0.0, 0.0]));
    assert_eq!(normals[2], None);
    assert_near(normals[8].unwrap(), [HALF, HALF, 0.0]);
    // One of its two has none.
    assert_near(normals[9].unwrap(), [HALF, HALF, 0.0]);
    assert_eq!(normals[10], Some([0.0, 1.0, 0.0]));
}

#[test]
fn times_between_keyframes() {
    let bytes = write_unchecked(&figure());
    let file = parse(&bytes).unwrap();
    let [walk, stand] = &file.animations[..] else {
        panic!("two animations");
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
fn nodes_stand_between_their_keys() {
    let bytes = write_unchecked(&figure());
    let file = parse(&bytes).unwrap();
    let body = |seconds| file.node_poses(Some(0), seconds)[1];
    assert_near(body(0.05).translation, [5.0, 0.0, 0.0]);
    // Half of a quarter turn.
    let eighth = core::f32::consts::FRAC_PI_8;
    assert_near(body(0.05).rotation, [0.0, eighth.sin(), 0.0, eighth.cos()]);
    // From a quarter to a half turn, though that is stored as its opposite.
    assert_near(body(0.2).translation, [10.0, 10.0, 0.0]);
    let three = 3.0 * eighth;
    assert_near(body(0.2).rotation, [0.0, three.sin(), 0.0, three.cos()]);
    assert_near(body(9.0).rotation, [0.0, -1.0, 0.0, 0.0]);
}

#[test]
fn the_flip_turns_nodes_the_other_way() {
    let stored = write_unchecked(&figure());
    let flipped = edited(|model| model.transform_info = None);
    let place = |bytes: &[u8]| {
        let file = parse(bytes).unwrap();
        file.vertex_positions_in_model(Some(0), 0.0)[0]
    };
    // (1, 2, 3) a quarter turn about Z, and up by 1.
    assert_near(place(&stored), [-2.0, 2.0, 3.0]);
    assert_near(place(&flipped), [2.0, 0.0, 3.0]);
}

#[test]
fn children_follow_their_parents() {
    let bytes = write_unchecked(&figure());
    let file = parse(&bytes).unwrap();
    // 100 ms: the body is a quarter turn about Y at (10, 0, 0), which takes Z to X; the flag is 100
    // ahead of it; the root turns X to Y and is 1 up.
    let [root, body, flag, _] = file.node_poses_in_model(Some(0), 0.1)[..] else {
        panic!("four nodes");
    };
    assert_near(root.translation, [0.0, 1.0, 0.0]);
    assert_near(body.translation, [0.0, 11.0, 0.0]);
    assert_near(flag.translation, [0.0, 111.0, 0.0]);
    assert_near(flag.rotation, [-0.5, 0.5, 0.5, 0.5]);
    // (0, 0, 4) of the body.
    assert_near(
        file.vertex_positions_in_model(Some(0), 0.1)[2],
        [0.0, 15.0, 0.0],
    );
}

#[test]
fn vertices_that_deform_move_in_their_node() {
    let bytes = write_unchecked(&figure());
    let file = parse(&bytes).unwrap();
    let at = |seconds| {
        let places = file.vertex_positions(Some(0), seconds);
        [places[5], places[6], places[7]]
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
    // What the level adds is between the two that it replaces, not where the file says.
    assert_eq!(file.vertex_positions(Some(0), 0.05)[10], [0.75, 2.0, 8.0]);
    // Others stay.
    assert_eq!(file.vertex_positions(Some(0), 0.05)[0], [1.0, 2.0, 3.0]);
    assert_eq!(file.vertex_positions(Some(0), 0.05)[9], [1.0, 1.0, 3.5]);
    // This animation's own scale, which is 1, though the flag is of no size in it.
    assert_eq!(file.vertex_positions(Some(1), 0.0)[5], [1.0, 2.0, 3.0]);
}

#[test]
fn without_an_animation_models_stand_as_they_were_built() {
    let bytes = edited(|model| {
        let nothing = AnimationDocument {
            tracks: vec![TrackDocument::default(); 4],
            dims: Some([0.0; 3]),
            ..AnimationDocument::default()
        };
        model.animations.push(nothing);
    });
    let file = parse(&bytes).unwrap();
    let built = file.vertex_positions_in_model(Some(0), 0.0);
    for animation in [None, Some(2), Some(3), Some(usize::MAX)] {
        assert_eq!(file.vertex_positions_in_model(animation, 1.0), built);
    }
    let bytes = edited(|model| model.animations.clear());
    let file = parse(&bytes).unwrap();
    let places = file.vertex_positions_in_model(Some(0), 1.0);
    assert_eq!(places[0], [1.0, 2.0, 3.0]);
    assert_eq!(places[5], [10.0, 20.0, 30.0]);
}

#[test]
fn junk_keys_do_no_harm() {
    let bytes = edited(|model| {
        let keys = &mut model.animations[0].tracks[1].keys;
        keys[0].rotation = [0.0; 4].map(F32::new);
        keys[1] = NodeKey::new([f32::MAX; 3], [f32::MAX, 0.0, 0.0, f32::MAX]);
        keys[2] = NodeKey::new([-f32::MAX; 3], [0.0, 0.0, 1e-44, 1e-44]);
    });
    let file = parse(&bytes).unwrap();
    let poses = |seconds| file.node_poses(Some(0), seconds)[1];
    assert_eq!(poses(0.0).rotation, NOT_TURNED);
    assert_near(poses(0.1).rotation, [HALF, 0.0, 0.0, HALF]);
    assert_near(poses(0.3).rotation, [0.0, 0.0, HALF, HALF]);
    assert_eq!(poses(0.2).translation, [0.0; 3]);
}
