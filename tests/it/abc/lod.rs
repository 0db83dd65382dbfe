//! Levels of detail of LithTech models: selection by `lod_shares`, triangle counts, texture coordinates and memory.

use crate::support::abc::bytes;
use crate::support::abc_app::{drawn, model, spawned};
use crate::support::abc_reference::Reference;
use crate::support::prelude::*;
use crate::support::random::Random;
use bevy_classic_models::lithtech::abc::parse;

/// The levels that `lod_shares` selects, by the rule in its docs: level 0, and for each share the finest level with at
/// most that share of the triangles, otherwise the coarsest. Empty and duplicate levels are skipped.
/// Returns each level's index and triangle count.
fn selected(counts: &[usize], shares: &[f32]) -> Vec<(u32, usize)> {
    let full = counts[0] as f64;
    let finest = |share: &f32| {
        let fits = |count: &usize| *count as f64 <= (full * f64::from(*share)).floor();
        counts.iter().position(fits).unwrap_or(counts.len() - 1)
    };
    let mut levels: Vec<usize> = shares.iter().map(finest).chain([0]).collect();
    levels.sort_unstable();
    levels.dedup();
    levels.retain(|level| *level == 0 || counts[*level] > 0);
    let levels = levels.into_iter();
    levels.map(|level| (level as u32, counts[level])).collect()
}

fn counts(document: &AbcDocument) -> Vec<usize> {
    let reference = Reference::new(document);
    let levels = 0..document.geometry.lod_starts.len();
    levels.map(|level| reference.corners(level).len()).collect()
}

#[test]
fn lod_shares_select_levels() {
    let random = &mut Random(0x1234_5678_9abc_def1);
    for seed in 1..40 {
        let size = Size {
            nodes: 1 + random.below(5),
            vertices: 4 + random.below(12),
            triangles: 1 + random.below(80),
            levels: random.below(60),
            animations: 1,
            deforms: seed % 2 == 0,
        };
        let document = abc_random::model(seed, &size);
        let shares = (0..random.below(6)).map(|_| random.below(1001) as f32 / 1000.0);
        let settings = AbcLoaderSettings {
            lod_shares: shares.collect(),
            separate_node_meshes: random.below(2) == 0,
            ..AbcLoaderSettings::default()
        };
        let expected = selected(&counts(&document), &settings.lod_shares);
        let (mut app, root) = spawned(bytes(&document), settings.clone());
        let levels = model(&mut app, root).levels.clone();
        let found: Vec<_> = levels
            .iter()
            .map(|level| (level.number, level.triangles))
            .collect();
        assert_eq!(found, expected, "seed {seed}, {:?}", settings.lod_shares);
        // The drawn triangles match the count in any order of changes.
        let order = (0..found.len()).rev().chain(0..found.len() + 2);
        for steps in order {
            app.apply(root, ModelLod(steps as u32));
            let (_, triangles) = found[steps.min(found.len() - 1)];
            assert_eq!(drawn(&mut app, root).len(), triangles, "seed {seed}");
        }
        app.apply(root, ModelLod(u32::MAX));
        app.remove::<ModelLod>(root);
        app.step(0.0);
        assert_eq!(drawn(&mut app, root).len(), found[0].1, "seed {seed}");
    }
}

#[test]
fn corners_keep_texture_coordinates_at_every_level() {
    let size = Size {
        nodes: 3,
        vertices: 10,
        triangles: 70,
        levels: 24,
        animations: 1,
        deforms: false,
    };
    let document = abc_random::model(77, &size);
    let bytes = bytes(&document);
    let settings = AbcLoaderSettings {
        lod_shares: (0..20).map(|share| share as f32 / 20.0).collect(),
        ..AbcLoaderSettings::default()
    };
    let converted = ConvertedAbc::load(&bytes, &settings).unwrap();
    assert!(converted.levels.len() > 5);
    let reference = Reference::new(&document);
    for level in &converted.levels {
        let [skinned] = &level.meshes[..] else {
            panic!("expected one mesh");
        };
        let uvs = skinned.mesh.attribute(Mesh::ATTRIBUTE_UV_0).unwrap();
        let bevy::mesh::VertexAttributeValues::Float32x2(uvs) = uvs else {
            panic!("UV_0 is not Float32x2");
        };
        let indices: Vec<usize> = skinned.mesh.indices().unwrap().iter().collect();
        let expected = reference.drawn(level.number as usize, false, true);
        let expected = expected.as_flattened();
        assert_eq!(indices.len(), expected.len());
        for (index, expected) in indices.into_iter().zip(expected) {
            let uv = document.geometry.triangles[expected.triangle].uvs[expected.corner];
            assert_eq!(uvs[index], uv.map(|it| it.get()), "{expected:?}");
        }
        // Each pair of vertex and coordinates is stored once.
        let distinct: std::collections::HashSet<_> = expected
            .iter()
            .map(|corner| {
                let uv = document.geometry.triangles[corner.triangle].uvs[corner.corner];
                (corner.vertex, uv.map(|it| it.get().to_bits()))
            })
            .collect();
        assert_eq!(uvs.len(), distinct.len());
    }
}

/// Sizes in bytes: vertices of level 0, vertices of coarser levels, indices of level 0, indices of coarser levels.
fn sizes(converted: &ConvertedAbc<'_>) -> [usize; 4] {
    let mut sizes = [0; 4];
    for (index, level) in converted.levels.iter().enumerate() {
        let coarser = usize::from(index > 0);
        for mesh in &level.meshes {
            sizes[coarser] += mesh.mesh.get_vertex_buffer_size();
            sizes[2 + coarser] += mesh.mesh.get_index_buffer_bytes().unwrap().len();
        }
    }
    sizes
}

#[test]
fn lod_shares_select_levels_of_real_models() {
    let Some(folder) = corpus("lod_shares_select_levels_of_real_models") else {
        return;
    };
    let settings = AbcLoaderSettings::default();
    let (mut with_levels, mut total) = (0, [0; 4]);
    for (name, bytes) in files_of(&folder, "abc") {
        let Ok(file) = parse(&bytes) else { continue };
        let document = AbcDocument::from(&file);
        let converted = ConvertedAbc::load(&bytes, &settings).unwrap();
        let levels = converted.levels.iter();
        let found: Vec<_> = levels
            .map(|level| (level.number, level.triangles))
            .collect();
        if document.geometry.lod_starts.len() > 1 {
            let expected = selected(&counts(&document), &settings.lod_shares);
            assert_eq!(found, expected, "{name}");
            with_levels += 1;
            for (sum, size) in total.iter_mut().zip(sizes(&converted)) {
                *sum += size;
            }
        } else {
            assert_eq!(found.len(), 1, "{name}");
        }
    }
    let [vertices, coarse_vertices, indices, coarse_indices] = total;
    println!(
        "{with_levels} models with coarser levels: {vertices} vertex bytes and {indices} index bytes, \
         in coarser levels {coarse_vertices} and {coarse_indices}"
    );
}
