//! Real LithTech models: round trips, and the facts about the format that the parser relies on.

use crate::prelude::*;
use classic_model_formats::abc::write::write;
use classic_model_formats::abc::{Geometry, parse};
use classic_models_fixtures::corpus::{corpus_paths as files, read};

/// The only warning that some real models cause.
const KNOWN_FLAW: &str = "texture coordinates";

#[test]
fn real_models_round_trip() {
    let Some((_, files)) = files("real_models_round_trip", "abc") else {
        return;
    };
    let (mut animations, mut deforming, mut flawed) = (0, 0, 0);
    for path in &files {
        let what = path.display();
        let bytes = read(path);
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        for warning in &file.warnings {
            assert!(warning.message.contains(KNOWN_FLAW), "{what}: {warning}");
        }
        let written = write(&AbcDocument::from(&file)).unwrap();
        assert!(
            written == bytes,
            "{what}: the written bytes differ from the file"
        );
        for (index, node) in file.nodes.iter().enumerate() {
            assert_eq!(usize::from(node.transformation_index), index, "{what}");
        }
        for animation in &file.animations {
            let times = animation.keyframes.iter().map(|keyframe| keyframe.time);
            assert!(times.is_sorted(), "{what}");
            let last = animation.keyframes.last().map(|keyframe| keyframe.time);
            assert_eq!(last, Some(animation.length), "{what}");
        }
        animations += file.animations.len();
        let deform = file.nodes.iter();
        deforming += deform
            .filter(|node| !node.deform_vertices.is_empty())
            .count();
        flawed += usize::from(!file.warnings.is_empty());
    }
    println!(
        "{} models, {animations} animations, {deforming} nodes with deforming vertices, {flawed} models with warnings",
        files.len()
    );
}

/// The triangles at a level, computed as in the description of the format: each corner follows the chain of replacements
/// up to this level.
fn expected_triangles(geometry: &Geometry<'_>, level: u32) -> Vec<LodTriangle> {
    let mut replaced = HashMap::new();
    let extras = geometry
        .vertices
        .iter()
        .skip(geometry.base_vertices as usize);
    for (step, (index, extra)) in (geometry.base_vertices..).zip(extras).enumerate() {
        for old in extra.replacements {
            replaced.insert(u32::from(old.get()), (step as u32 + 1, index));
        }
    }
    let follow = |mut vertex: u32| {
        while let Some((step, by)) = replaced.get(&vertex)
            && *step <= level
        {
            vertex = *by;
        }
        vertex
    };
    let triangles = (0..).zip(geometry.triangles);
    let replaced = triangles.map(|(triangle, full)| LodTriangle {
        triangle,
        vertices: full.vertices.map(|vertex| follow(vertex.get().into())),
    });
    replaced
        .filter(|triangle| {
            let [a, b, c] = triangle.vertices;
            a != b && b != c && c != a
        })
        .collect()
}

/// Asserts that each vertex that a LOD adds is in the middle of the two vertices that it replaces, and belongs to the same
/// node. Returns the count of these vertices.
fn assert_lod_vertices(file: &AbcFile<'_>, what: &str) -> usize {
    let geometry = &file.geometry;
    let vertices = geometry.vertices;
    let extras = &vertices[geometry.base_vertices as usize..];
    assert_eq!(extras.len(), geometry.lods as usize, "{what}");
    for extra in extras {
        let [a, b] = extra
            .replacements
            .map(|index| &vertices[usize::from(index.get())]);
        assert_eq!([a.node, b.node], [extra.node; 2], "{what}");
        let [a, b, middle] = [a, b, extra].map(|vertex| vertex.clean_position());
        let largest = a
            .iter()
            .chain(&b)
            .fold(1.0, |most: f32, it| most.max(it.abs()));
        let is_between = |axis: usize| {
            let half = (a[axis] + b[axis]) / 2.0;
            (middle[axis] - half).abs() <= 1e-5 * largest
        };
        assert!((0..3).all(is_between), "{what}: {a:?} {b:?} {middle:?}");
    }
    extras.len()
}

#[test]
fn lods_of_real_models_have_the_expected_triangles() {
    let Some((_, files)) = files("lods_of_real_models_have_the_expected_triangles", "abc") else {
        return;
    };
    let (mut with_levels, mut extras, mut compared) = (0, 0, 0);
    for path in &files {
        let what = path.display().to_string();
        let bytes = read(path);
        let file = parse(&bytes).unwrap();
        let geometry = &file.geometry;
        for triangle in geometry.triangles {
            let corners = triangle
                .indices()
                .map(|vertex| geometry.vertices[vertex as usize]);
            let [a, b, c] = corners.map(|vertex| vertex.node);
            assert!(
                a == b && b == c,
                "{what}: the corners of a triangle belong to different nodes"
            );
        }
        extras += assert_lod_vertices(&file, &what);
        with_levels += usize::from(geometry.lods > 0);
        let all = geometry.lods;
        for level in [0, 1.min(all), all / 3, all * 2 / 3, all] {
            let found = geometry.lod(level).triangles;
            assert_eq!(
                found,
                expected_triangles(geometry, level),
                "{what}: level {level}"
            );
            assert_eq!(found.len(), geometry.lod_triangle_count(level), "{what}");
            let start = geometry.lod_starts[level as usize].get();
            let live = u32::from(start)..geometry.base_vertices + level;
            let corners = || found.iter().flat_map(|triangle| triangle.vertices);
            assert!(
                corners().all(|vertex| live.contains(&vertex)),
                "{what}: level {level}"
            );
            compared += found.len();
        }
    }
    println!(
        "{with_levels} models with LODs, {extras} LOD vertices, {compared} triangles compared"
    );
}
