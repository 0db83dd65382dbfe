//! Tests of the levels: the rules of the format, and visual quality.

use super::build_lods;
use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, GeometryDocument, KeyframeDocument, NodeDocument,
    TrackDocument, write,
};
use bevy_classic_models::lithtech::abc::{NodeKey, Triangle, Vertex, node_flags, parse};
use classic_models_fixtures::abc_full::sample_model;

const SIDE: u16 = 12;

/// A sheet of squares that is flat except for a ridge along its middle, where each position has two
/// vertices.
fn roof() -> AbcDocument {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for half in [-1.0_f32, 1.0] {
        let first = vertices.len() as u16;
        for position in 0..SIDE * SIDE {
            let (x, z) = (
                f32::from(position % SIDE) * half,
                f32::from(position / SIDE),
            );
            vertices.push(Vertex {
                position: [x, -x.abs(), z].map(Into::into),
                normal: [(90.0 * half) as i8, 90, 0],
                ..Vertex::default()
            });
        }
        for z in 0..SIDE - 1 {
            for x in 0..SIDE - 1 {
                let at = |x: u16, z: u16| first + z * SIDE + x;
                let [a, b, c, d] = [at(x, z), at(x + 1, z), at(x + 1, z + 1), at(x, z + 1)];
                for mut corners in [[a, b, c], [a, c, d]] {
                    if half < 0.0 {
                        corners.reverse();
                    }
                    triangles.push(Triangle {
                        vertices: corners.map(Into::into),
                        ..Triangle::default()
                    });
                }
            }
        }
    }
    AbcDocument {
        geometry: GeometryDocument {
            base_vertices: vertices.len() as u32,
            vertices,
            triangles,
            ..GeometryDocument::default()
        },
        nodes: vec![NodeDocument {
            name: "Root".to_owned(),
            flags: node_flags::NULL,
            ..NodeDocument::default()
        }],
        ..AbcDocument::default()
    }
}

/// Checks the rules of the format, and that only the order of the full model has changed.
fn check(before: &AbcDocument, after: &AbcDocument) {
    let bytes = write(after).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings.len(), warning_count(before));
    let geometry = &file.geometry;
    let base = geometry.base_vertices as usize;
    assert_eq!(geometry.vertices.len(), base + geometry.lods as usize);
    let mut replaced = vec![false; geometry.vertices.len()];
    for (step, extra) in geometry.vertices[base..].iter().enumerate() {
        let [a, b] = extra.replacements.map(|of| usize::from(of.get()));
        assert!(a < b && b < base + step);
        let pair = [a, b].map(|of| geometry.vertices[of]);
        for (axis, value) in extra.clean_position().into_iter().enumerate() {
            let ends = pair.map(|vertex| vertex.clean_position()[axis]);
            assert_eq!(value, (ends[0] + ends[1]) / 2.0);
        }
        assert!(pair.iter().all(|vertex| vertex.node == extra.node));
        assert!(!core::mem::replace(&mut replaced[a], true));
        assert!(!core::mem::replace(&mut replaced[b], true));
        let first = replaced.iter().position(|replaced| !replaced).unwrap();
        let start = usize::from(geometry.lod_starts[step + 1].get());
        assert_eq!(start, first.min(base));
    }
    for level in 0..=geometry.lods {
        // Triangles are removed from the front of the list.
        let left = geometry.lod(level).triangles;
        let removed = geometry.triangles.len() - left.len();
        let numbers = left.iter().map(|left| left.triangle as usize);
        assert!(numbers.eq(removed..geometry.triangles.len()));
    }
    assert_eq!(corners(before), corners(after));
}

fn warning_count(model: &AbcDocument) -> usize {
    let bytes = write(model).unwrap();
    parse(&bytes).unwrap().warnings.len()
}

/// All triangles with the positions of their corners in all keyframes, sorted.
fn corners(model: &AbcDocument) -> Vec<String> {
    let mut bare = model.clone();
    bare.geometry
        .vertices
        .truncate(model.geometry.base_vertices as usize);
    bare.geometry.lod_starts = vec![0];
    let bytes = write(&bare).unwrap();
    let file = parse(&bytes).unwrap();
    let mut samples = vec![file.vertex_positions(None, 0.0)];
    for (index, animation) in file.animations.iter().enumerate() {
        for keyframe in &animation.keyframes {
            samples.push(file.vertex_positions(Some(index), keyframe.time as f32 / 1000.0));
        }
    }
    let corner = |index: u32| {
        let positions = samples.iter().map(|sample| sample[index as usize]);
        (
            file.geometry.vertices[index as usize].normal,
            positions.collect::<Vec<_>>(),
        )
    };
    let triangles = file.geometry.triangles.iter();
    let texts = triangles.map(|triangle| {
        let corners = triangle.indices().map(corner);
        format!("{corners:?} {:?}", triangle.clean_uvs())
    });
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}

#[test]
fn levels_obey_the_format() {
    for before in [roof(), sample_model()] {
        let mut after = before.clone();
        let levels = build_lods(&mut after, 1, |_| 1.0).unwrap();
        assert_eq!(after.geometry.lod_starts.len(), levels + 1);
        check(&before, &after);
        // A second run replaces the levels.
        let mut again = after.clone();
        assert!(build_lods(&mut again, 1, |_| 1.0).unwrap() > 0);
        check(&before, &again);
    }
}

#[test]
fn flat_parts_collapse_first_and_the_ridge_stays_closed() {
    let mut model = roof();
    let full = model.geometry.triangles.len();
    let levels = build_lods(&mut model, full / 8, |_| 1.0).unwrap() as u32;
    let bytes = write(&model).unwrap();
    let geometry = parse(&bytes).unwrap().geometry;
    assert!(geometry.lod_triangle_count(levels) <= full / 8);
    let end = f32::from(SIDE - 1);
    let lod = geometry.lod(levels);
    let mut at_ridge = [Vec::new(), Vec::new()];
    for index in lod.vertices() {
        let vertex = &geometry.vertices[index as usize];
        let [x, y, z] = vertex.clean_position();
        // The vertex is still on the roof, inside its original bounds.
        assert!((y + x.abs()).abs() < 1e-3, "{x} {y} {z}");
        assert!((0.0..=end).contains(&z));
        if x == 0.0 {
            at_ridge[usize::from(vertex.normal[0] > 0)].push(z);
        }
    }
    // Both halves have the same positions there.
    at_ridge
        .iter_mut()
        .for_each(|half| half.sort_by(f32::total_cmp));
    assert!(at_ridge[0].len() >= 2);
    assert_eq!(at_ridge[0], at_ridge[1]);
}

#[test]
fn build_lods_rejects_an_invalid_model() {
    let mut model = roof();
    model.geometry.triangles[0].vertices[0] = 9999.into();
    assert!(build_lods(&mut model, 1, |_| 1.0).is_err());
}

/// A roof whose node deforms only some of its vertices in some poses.
fn half_deforming(listed: impl Fn(u16) -> bool) -> AbcDocument {
    let mut model = roof();
    let vertices = 0..model.geometry.base_vertices as u16;
    let root = &mut model.nodes[0];
    root.deform_vertices = vertices.filter(|vertex| listed(*vertex)).collect();
    let count = root.deform_vertices.len();
    for (name, keyframes) in [("Wave", 2), ("Still", 1), ("Empty", 0)] {
        let keyframe = |time| KeyframeDocument {
            time,
            ..KeyframeDocument::default()
        };
        let positions = (0..keyframes * count)
            .map(|position| [(position % 13) as u8, 5, (position % 17) as u8]);
        let track = TrackDocument {
            keys: vec![NodeKey::new([0.0; 3], [0.0, 0.0, 0.0, 1.0]); keyframes],
            deform: positions.collect(),
            deform_scale: [1.0; 3],
            ..TrackDocument::default()
        };
        model.animations.push(AnimationDocument {
            name: name.to_owned(),
            keyframes: (0..keyframes as u32).map(keyframe).collect(),
            length: (keyframes as u32).saturating_sub(1),
            tracks: vec![track],
            ..AnimationDocument::default()
        });
    }
    model
}

#[test]
fn partially_deforming_nodes_get_levels() {
    for part in [1, 2, 5] {
        let before = half_deforming(|vertex| vertex % 5 < part);
        let mut after = before.clone();
        assert!(build_lods(&mut after, 1, |_| 1.0).unwrap() > 0);
        check(&before, &after);
    }
}

#[test]
fn models_with_triangles_between_nodes_get_levels() {
    let half = u32::from(SIDE * SIDE) as usize;
    for deforming in [0, 1] {
        let mut before = half_deforming(|vertex| usize::from(vertex) / half == deforming);
        // One half is another node, and triangles close the ridge.
        let mut other = before.nodes[0].clone();
        before.nodes[0].children = 1;
        (other.name, other.transformation_index) = ("Other".to_owned(), 1);
        before.nodes.push(other);
        before.nodes[1 - deforming].deform_vertices.clear();
        for animation in &mut before.animations {
            animation.tracks.push(animation.tracks[0].clone());
            animation.tracks[1 - deforming].deform.clear();
        }
        for vertex in &mut before.geometry.vertices[half..] {
            vertex.node = 1;
        }
        for corners in [[0, 1, half], [half + 1, half, 1]] {
            before.geometry.triangles.push(Triangle {
                vertices: corners.map(|corner| (corner as u16).into()),
                ..Triangle::default()
            });
        }
        let mut after = before.clone();
        assert!(build_lods(&mut after, 1, |_| 1.0).unwrap() > 0);
        check(&before, &after);
    }
}

#[test]
fn removed_lod_vertices_leave_the_deform_list() {
    let mut model = half_deforming(|_| true);
    build_lods(&mut model, 1, |_| 1.0).unwrap();
    let extra = model.geometry.base_vertices as u16;
    model.nodes[0].deform_vertices.push(extra);
    for animation in &mut model.animations {
        let track = &mut animation.tracks[0];
        let count = track.deform.len() / animation.keyframes.len().max(1);
        let keyframes = track.deform.chunks(count.max(1));
        track.deform = keyframes.flat_map(|of| [of, &[[9; 3]]].concat()).collect();
    }
    let listed = model.nodes[0].deform_vertices.len();
    assert_eq!(build_lods(&mut model, usize::MAX, |_| 1.0).unwrap(), 0);
    assert_eq!(model.nodes[0].deform_vertices.len(), listed - 1);
    write(&model).unwrap();
}
