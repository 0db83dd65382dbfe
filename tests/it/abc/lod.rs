//! Levels of detail of LithTech models: which are made, how many triangles they have, and what they cost.

use crate::support::abc::bytes;
use crate::support::abc_app::{drawn, model, spawned};
use crate::support::abc_random::{self, Size};
use crate::support::abc_reference::Reference;
use crate::support::random::Random;
use crate::support::{corpus, files_of};
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcLoaderSettings;
use bevy_classic_models::lithtech::ConvertedAbc;
use bevy_classic_models::lithtech::abc::parse;
use bevy_classic_models::lithtech::abc::write::AbcDocument;
use bevy_classic_models::prelude::*;

/// The levels to make, by the rule that the setting tells: the full model, and for each share the finest that has no
/// more than that share of its triangles, or else the coarsest. What is empty or the same is left out.
fn chosen(counts: &[usize], shares: &[f32]) -> Vec<(u32, usize)> {
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
fn levels_are_those_that_the_shares_ask_for() {
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
        let expected = chosen(&counts(&document), &settings.lod_shares);
        let (mut app, root) = spawned(bytes(&document), settings.clone());
        let levels = model(&mut app, root).levels.clone();
        let found: Vec<_> = levels.iter().map(|it| (it.number, it.triangles)).collect();
        assert_eq!(found, expected, "seed {seed}, {:?}", settings.lod_shares);
        // What shows is what was counted, whatever was shown before.
        let order = (0..found.len()).rev().chain(0..found.len() + 2);
        for steps in order {
            app.world().entity_mut(root).insert(ModelLod(steps as u32));
            app.step(0.0);
            let (_, triangles) = found[steps.min(found.len() - 1)];
            assert_eq!(drawn(&mut app, root).len(), triangles, "seed {seed}");
        }
    }
}

#[test]
fn corners_keep_their_texture_coordinates_at_every_level() {
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
    let contents = ConvertedAbc::load(&bytes, &settings).unwrap();
    assert!(contents.levels.len() > 5);
    let reference = Reference::new(&document);
    for level in &contents.levels {
        let [skinned] = &level.meshes[..] else {
            panic!("one mesh");
        };
        let uvs = skinned.mesh.attribute(Mesh::ATTRIBUTE_UV_0).unwrap();
        let bevy::mesh::VertexAttributeValues::Float32x2(uvs) = uvs else {
            panic!("two floats");
        };
        let indices: Vec<usize> = skinned.mesh.indices().unwrap().iter().collect();
        let expected = reference.drawn(level.number as usize, false, true);
        let expected = expected.as_flattened();
        assert_eq!(indices.len(), expected.len());
        for (index, expected) in indices.into_iter().zip(expected) {
            let uv = document.geometry.triangles[expected.triangle].uvs[expected.corner];
            assert_eq!(uvs[index], uv.map(|it| it.get()), "{expected:?}");
        }
        // A vertex and its coordinates are there once.
        let all: std::collections::HashSet<_> = expected
            .iter()
            .map(|it| {
                let uv = document.geometry.triangles[it.triangle].uvs[it.corner];
                (it.vertex, uv.map(|it| it.get().to_bits()))
            })
            .collect();
        assert_eq!(uvs.len(), all.len());
    }
}

/// Bytes of vertices and of indices, of the full model and of its levels.
fn sizes(contents: &ConvertedAbc<'_>) -> [usize; 4] {
    let mut sizes = [0; 4];
    for (index, level) in contents.levels.iter().enumerate() {
        let coarser = usize::from(index > 0);
        for contents in &level.meshes {
            sizes[coarser] += contents.mesh.get_vertex_buffer_size();
            sizes[2 + coarser] += contents.mesh.get_index_buffer_bytes().unwrap().len();
        }
    }
    sizes
}

#[test]
fn levels_of_real_models_follow_the_rule() {
    let Some(folder) = corpus("levels_of_real_models_follow_the_rule") else {
        return;
    };
    let settings = AbcLoaderSettings::default();
    let (mut with_levels, mut total) = (0, [0; 4]);
    for (name, bytes) in files_of(&folder, "abc") {
        let Ok(file) = parse(&bytes) else { continue };
        let document = AbcDocument::from(&file);
        let contents = ConvertedAbc::load(&bytes, &settings).unwrap();
        let levels = contents.levels.iter();
        let found: Vec<_> = levels.map(|it| (it.number, it.triangles)).collect();
        if document.geometry.lod_starts.len() > 1 {
            let expected = chosen(&counts(&document), &settings.lod_shares);
            assert_eq!(found, expected, "{name}");
            with_levels += 1;
            for (sum, size) in total.iter_mut().zip(sizes(&contents)) {
                *sum += size;
            }
        } else {
            assert_eq!(found.len(), 1, "{name}");
        }
    }
    let [vertices, coarse_vertices, indices, coarse_indices] = total;
    println!(
        "{with_levels} models with levels: {vertices} bytes of vertices and {indices} of indices, \
         in coarser levels {coarse_vertices} and {coarse_indices}"
    );
}
