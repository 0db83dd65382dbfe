//! Real LithTech models and pictures: all of them are loaded and played.

use crate::support::abc_node_matrices::nodes;
use crate::support::app::TestApp;
use crate::support::log;
use crate::support::matrix::{Rows, transformed};
use bevy::asset::LoadState;
use bevy::mesh::{MeshVertexAttribute, VertexAttributeValues};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::write::{AbcDocument, write};
use bevy_classic_models::lithtech::abc::{AbcFile, parse};
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::lithtech::{AbcModel, ConvertedAbc};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::PoseBlend;
use classic_models_fixtures::corpus::{corpus_paths as files, paths_of, read};
use std::path::Path;

/// What is wrong with some real models.
const KNOWN_FLAW: &str = "texture coordinates";

/// In the names of models that mark places and are not drawn: most of their triangles face inwards.
const INSIDE_OUT: &str = "PUNISHER_NODES";

#[test]
fn every_real_model_becomes_meshes_and_clips() {
    let Some((_, files)) = files("every_real_model_becomes_meshes_and_clips", "abc") else {
        return;
    };
    let settings = AbcLoaderSettings::default();
    for path in &files {
        let what = path.display();
        let bytes = read(path);
        let contents = ConvertedAbc::load(&bytes, &settings).unwrap();
        let file = &contents.file;
        assert_eq!(contents.nodes.len(), file.nodes.len(), "{what}");
        assert_eq!(contents.clips.len(), file.animations.len(), "{what}");
        let warnings = parse(&bytes).unwrap().warnings;
        let is_inside_out = contents.warnings.len() > warnings.len();
        assert_eq!(contents.warnings[..warnings.len()], warnings, "{what}");
        let is_known = what.to_string().contains(INSIDE_OUT);
        assert_eq!(is_inside_out, is_known, "{what}: {:?}", contents.warnings);
        let full = file.geometry.triangles.len();
        assert_eq!(contents.levels[0].triangles, full, "{what}");
        for level in &contents.levels {
            let meshes = level.meshes.iter();
            let indices = meshes.map(|mesh| mesh.mesh.indices().unwrap().len());
            assert_eq!(indices.sum::<usize>(), level.triangles * 3, "{what}");
            let left = file.geometry.lod_triangle_count(level.number);
            assert_eq!(level.triangles, left, "{what}");
        }
    }
}

/// Loads a model of the corpus and spawns it.
fn spawn(app: &mut TestApp, path: &str) -> (Entity, std::sync::Arc<AbcModel>) {
    let handle: Handle<Abc> = app.load(path.to_owned());
    let state = app.finish_load(&handle);
    assert!(matches!(state, LoadState::Loaded), "{path}: {state:?}");
    let abc = app.world().resource::<Assets<Abc>>().get(&handle).unwrap();
    let (scene, model) = (abc.scene.clone(), abc.model.clone());
    let root = app.world().spawn(WorldAssetRoot(scene)).id();
    app.wait_for_abc(root);
    (root, model)
}

/// Whether nodes of a model are where they should be: some points in each of them.
fn assert_nodes(app: &mut TestApp, root: Entity, expected: &[Rows], what: &str) {
    let mirrored = |[x, y, z]: [f64; 3]| Vec3::new(x as f32, y as f32, -z as f32);
    let entities = app
        .world()
        .get::<AbcInstance>(root)
        .unwrap()
        .nodes()
        .to_vec();
    assert_eq!(entities.len(), expected.len(), "{what}");
    for (index, (entity, rows)) in entities.iter().zip(expected).enumerate() {
        let node = app
            .world()
            .get::<GlobalTransform>(*entity)
            .unwrap()
            .affine();
        for point in [
            [0.0; 3],
            [10.0, 0.0, 0.0],
            [0.0, 10.0, 0.0],
            [0.0, 0.0, 10.0],
        ] {
            let expected = mirrored(transformed(rows, point));
            let found = node.transform_point3(mirrored(point));
            let close = 1e-5 * expected.abs().max_element().max(10.0);
            assert!(
                found.abs_diff_eq(expected, close),
                "{what}: node {index} has {found} instead of {expected}"
            );
        }
    }
}

/// Plays all clips at a time of each. How many nodes were compared.
fn play(app: &mut TestApp, root: Entity, file: &AbcFile<'_>, what: &str) -> usize {
    for (clip, animation) in file.animations.iter().enumerate() {
        let seconds = animation.seconds() * 0.618;
        let play = PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
        app.world().entity_mut(root).insert(play);
        app.step(0.0);
        app.step(0.0);
        let expected = nodes(file, clip, seconds.into());
        let what = format!("{what}: animation {clip} at {seconds}");
        assert_nodes(app, root, &expected, &what);
    }
    file.animations.len() * file.nodes.len()
}

/// The folder of the games' skins that belongs to that of a model, with all in lower case.
fn conventional(model: &str) -> Option<String> {
    let (folder, rest) = model
        .to_lowercase()
        .rsplit_once("models/")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    Some(format!("{folder}skins/{}dtx", rest.strip_suffix("abc")?))
}

#[test]
fn every_real_model_wears_its_skin_and_plays_its_clips() {
    let test = "every_real_model_wears_its_skin_and_plays_its_clips";
    let Some((folder, files)) = files(test, "abc") else {
        return;
    };
    log::listen();
    let relative = |path: &Path| {
        let path = path.strip_prefix(&folder).unwrap();
        path.to_str().unwrap().replace('\\', "/")
    };
    let pictures = paths_of(&folder, "dtx");
    let pictures: Vec<String> = pictures
        .iter()
        .map(|path| relative(path).to_lowercase())
        .collect();
    let mut app = TestApp::in_folder(&folder);
    let (mut by_convention, mut otherwise, mut compared) = (0, 0, 0);
    for path in &files {
        let bytes = read(path);
        let file = parse(&bytes).unwrap();
        let path = relative(path);
        let (root, model) = spawn(&mut app, &path);
        compared += play(&mut app, root, &file, &path);
        let worn = model
            .skins
            .first()
            .map(|skin| skin.image.path().unwrap().to_string());
        match conventional(&path).filter(|skin| pictures.contains(skin)) {
            Some(skin) => {
                assert_eq!(worn.map(|worn| worn.to_lowercase()), Some(skin), "{path}");
                by_convention += 1;
            }
            None => otherwise += usize::from(worn.is_some()),
        }
        app.world().entity_mut(root).despawn();
        for warning in log::warnings_with(&path) {
            let is_known = warning.contains(KNOWN_FLAW) || path.contains(INSIDE_OUT);
            assert!(is_known, "{warning}");
        }
    }
    println!(
        "{} models: {by_convention} wear the skin that the games' folders suggest, {otherwise} one \
         found elsewhere; {compared} nodes compared",
        files.len()
    );
}

/// Degrees between directions: their number, median and 90th percentile.
fn percentiles(mut degrees: Vec<f32>) -> (usize, f32, f32) {
    degrees.sort_by(f32::total_cmp);
    let at = |share: usize| degrees.get(degrees.len() * share / 100).copied();
    (degrees.len(), at(50).unwrap_or(0.0), at(90).unwrap_or(0.0))
}

fn attribute(mesh: &Mesh, name: MeshVertexAttribute) -> &[[f32; 3]] {
    mesh.attribute(name).unwrap().as_float3().unwrap()
}

fn degrees(one: Vec3, other: Vec3) -> f32 {
    // Angles of vectors that are nearly the same are lost in the cosine.
    2.0 * ((one - other).length() / 2.0).min(1.0).asin().to_degrees()
}

/// Both where normals are made: for vertices that deform, and for files without them.
#[test]
fn made_normals_of_real_models_are_close_to_those_of_their_exporter() {
    let test = "made_normals_of_real_models_are_close_to_those_of_their_exporter";
    let Some((_, files)) = files(test, "abc") else {
        return;
    };
    let settings = AbcLoaderSettings {
        lod_shares: Vec::new(),
        ..AbcLoaderSettings::default()
    };
    let (mut deforming, mut repaired) = (Vec::new(), Vec::new());
    for path in &files {
        let bytes = read(path);
        let contents = ConvertedAbc::load(&bytes, &settings).unwrap();
        let mut document = AbcDocument::from(&contents.file);
        let had_none = document
            .geometry
            .vertices
            .iter()
            .all(|of| of.normal == [0; 3]);
        for vertex in &mut document.geometry.vertices {
            vertex.normal = [0; 3];
        }
        let without = write(&document).unwrap();
        let without = ConvertedAbc::load(&without, &settings).unwrap();
        let meshes = contents.levels[0].meshes.iter();
        for (mesh, bare) in meshes.zip(&without.levels[0].meshes) {
            if had_none {
                continue;
            }
            let stored = attribute(&mesh.mesh, Mesh::ATTRIBUTE_NORMAL);
            let made = attribute(&bare.mesh, Mesh::ATTRIBUTE_NORMAL);
            let pairs = stored.iter().zip(made);
            repaired.extend(pairs.map(|(a, b)| degrees((*a).into(), (*b).into())));
            let mut deforms = contents.deforms.iter();
            let Some(deform) = deforms.find(|deform| Some(deform.node) == mesh.node) else {
                continue;
            };
            let slots = mesh.mesh.attribute(Mesh::ATTRIBUTE_UV_1).unwrap();
            let VertexAttributeValues::Float32x2(slots) = slots else {
                panic!("places are pairs");
            };
            for (stored, [slot, _]) in stored.iter().zip(slots) {
                if *slot >= 0.0
                    && let Some((_, Some(made))) = deform.vertex(PoseBlend::default(), *slot as u32)
                {
                    deforming.push(degrees((*stored).into(), made));
                }
            }
        }
    }
    // Places of vertices that deform have 8 bits in the file, so that these are farther off.
    for (what, degrees, most) in [
        ("deforming", deforming, 9.0),
        ("without normals", repaired, 1.0),
    ] {
        let (count, median, ninetieth) = percentiles(degrees);
        println!(
            "{what}: {count} normals, {median:.2} degrees off in the median, {ninetieth:.2} in the \
             90th percentile"
        );
        assert!(count == 0 || median < most, "{what}");
    }
}
