//! Loads and plays every real LithTech model of the corpus, with its textures.

use crate::support::abc_node_matrices::nodes;
use crate::support::matrix::{Rows, transformed};
use crate::support::prelude::*;
use bevy_classic_models::gpu::PoseBlend;
use bevy_classic_models::lithtech::abc::parse;
use bevy_classic_models::lithtech::abc::write::write;
use classic_models_fixtures::corpus::{corpus_paths as files, paths_of, read};

/// Part of a warning that some real models cause.
const KNOWN_WARNING: &str = "texture coordinates";

/// Part of the names of models that only mark positions and aren't drawn. Most of their triangles face inward.
const INSIDE_OUT: &str = "PUNISHER_NODES";

#[test]
fn real_models_convert_to_meshes_and_clips() {
    let Some((_, files)) = files("real_models_convert_to_meshes_and_clips", "abc") else {
        return;
    };
    let settings = AbcLoaderSettings::default();
    for path in &files {
        let context = path.display();
        let bytes = read(path);
        let converted = ConvertedAbc::load(&bytes, &settings).unwrap();
        let file = &converted.file;
        assert_eq!(converted.nodes.len(), file.nodes.len(), "{context}");
        assert_eq!(converted.clips.len(), file.animations.len(), "{context}");
        let warnings = parse(&bytes).unwrap().warnings;
        let is_inside_out = converted.warnings.len() > warnings.len();
        assert_eq!(converted.warnings[..warnings.len()], warnings, "{context}");
        let is_known = context.to_string().contains(INSIDE_OUT);
        assert_eq!(
            is_inside_out, is_known,
            "{context}: {:?}",
            converted.warnings
        );
        let full = file.geometry.triangles.len();
        assert_eq!(converted.levels[0].triangles, full, "{context}");
        for level in &converted.levels {
            let meshes = level.meshes.iter();
            let indices = meshes.map(|mesh| mesh.mesh.indices().unwrap().len());
            assert_eq!(indices.sum::<usize>(), level.triangles * 3, "{context}");
            let expected = file.geometry.lod_triangle_count(level.number);
            assert_eq!(level.triangles, expected, "{context}");
        }
    }
}

/// Loads and spawns a model of the corpus.
fn spawn(app: &mut TestApp, path: &str) -> (Entity, std::sync::Arc<AbcModel>) {
    let handle: Handle<Abc> = app.load(path.to_owned());
    let state = app.finish_load(&handle);
    assert!(matches!(state, LoadState::Loaded), "{path}: {state:?}");
    let abc = app.asset(&handle);
    let (scene, model) = (abc.scene.clone(), abc.model.clone());
    let root = app.spawn_entity(WorldAssetRoot(scene));
    app.wait_for(&[root]);
    (root, model)
}

/// Asserts that the nodes of a model have the expected global transforms, by transforming four points with each.
fn assert_nodes(app: &mut TestApp, root: Entity, expected: &[Rows], context: &str) {
    let mirrored = |[x, y, z]: [f64; 3]| Vec3::new(x as f32, y as f32, -z as f32);
    let entities = app.get::<AbcInstance>(root).nodes().to_vec();
    assert_eq!(entities.len(), expected.len(), "{context}");
    for (index, (entity, rows)) in entities.iter().zip(expected).enumerate() {
        let node = app.get::<GlobalTransform>(*entity).affine();
        for point in [
            [0.0; 3],
            [10.0, 0.0, 0.0],
            [0.0, 10.0, 0.0],
            [0.0, 0.0, 10.0],
        ] {
            let expected = mirrored(transformed(rows, point));
            let found = node.transform_point3(mirrored(point));
            let tolerance = 1e-5 * expected.abs().max_element().max(10.0);
            assert!(
                found.abs_diff_eq(expected, tolerance),
                "{context}: node {index} maps {point:?} to {found}, expected {expected}"
            );
        }
    }
}

/// Shows each clip at one time and compares all nodes. Returns the count of compared nodes.
fn play(app: &mut TestApp, root: Entity, file: &AbcFile<'_>, context: &str) -> usize {
    for (clip, animation) in file.animations.iter().enumerate() {
        let seconds = animation.seconds() * 0.618;
        let play = PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
        app.apply(root, play);
        app.step(0.0);
        let expected = nodes(file, clip, seconds.into());
        let context = format!("{context}: animation {clip} at {seconds}");
        assert_nodes(app, root, &expected, &context);
    }
    file.animations.len() * file.nodes.len()
}

/// The lower-case path at which the games keep the skin of a model: `skins/` in place of `models/`.
fn conventional_skin(model: &str) -> Option<String> {
    let (folder, rest) = model
        .to_lowercase()
        .rsplit_once("models/")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    Some(format!("{folder}skins/{}dtx", rest.strip_suffix("abc")?))
}

#[test]
fn real_models_use_their_skins_and_play_their_clips() {
    let test = "real_models_use_their_skins_and_play_their_clips";
    let Some((folder, files)) = files(test, "abc") else {
        return;
    };
    log::listen();
    let relative = |path: &Path| {
        let path = path.strip_prefix(&folder).unwrap();
        path.to_str().unwrap().replace('\\', "/")
    };
    let textures = paths_of(&folder, "dtx");
    let textures: Vec<String> = textures
        .iter()
        .map(|path| relative(path).to_lowercase())
        .collect();
    let mut app = TestApp::in_folder(&folder);
    let (mut by_convention, mut at_other_paths, mut compared) = (0, 0, 0);
    for path in &files {
        let bytes = read(path);
        let file = parse(&bytes).unwrap();
        let path = relative(path);
        let (root, model) = spawn(&mut app, &path);
        compared += play(&mut app, root, &file, &path);
        let skin_path = model
            .skins
            .first()
            .map(|skin| skin.image.path().unwrap().to_string());
        match conventional_skin(&path).filter(|skin| textures.contains(skin)) {
            Some(skin) => {
                let found = skin_path.map(|path| path.to_lowercase());
                assert_eq!(found, Some(skin), "{path}");
                by_convention += 1;
            }
            None => at_other_paths += usize::from(skin_path.is_some()),
        }
        app.despawn(root);
        for warning in log::warnings_with(&path) {
            let is_known = warning.contains(KNOWN_WARNING) || path.contains(INSIDE_OUT);
            assert!(is_known, "{warning}");
        }
    }
    println!(
        "{} models: {by_convention} use the skin at the games' conventional path, {at_other_paths} use \
         one from another path; {compared} nodes compared",
        files.len()
    );
}

/// The count, median and 90th percentile of angles.
fn percentiles(mut degrees: Vec<f32>) -> (usize, f32, f32) {
    degrees.sort_by(f32::total_cmp);
    let at = |percent: usize| degrees.get(degrees.len() * percent / 100).copied();
    (degrees.len(), at(50).unwrap_or(0.0), at(90).unwrap_or(0.0))
}

fn attribute(mesh: &Mesh, name: MeshVertexAttribute) -> &[[f32; 3]] {
    mesh.attribute(name).unwrap().as_float3().unwrap()
}

fn degrees(a: Vec3, b: Vec3) -> f32 {
    // The arc cosine of the dot product loses precision for nearly equal vectors.
    2.0 * ((a - b).length() / 2.0).min(1.0).asin().to_degrees()
}

/// Normals are computed in two cases: for vertices that deform, and for files without normals.
#[test]
fn computed_normals_of_real_models_match_the_exporters() {
    let test = "computed_normals_of_real_models_match_the_exporters";
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
        let converted = ConvertedAbc::load(&bytes, &settings).unwrap();
        let mut document = AbcDocument::from(&converted.file);
        let has_no_normals = document
            .geometry
            .vertices
            .iter()
            .all(|vertex| vertex.normal == [0; 3]);
        for vertex in &mut document.geometry.vertices {
            vertex.normal = [0; 3];
        }
        let without = write(&document).unwrap();
        let without = ConvertedAbc::load(&without, &settings).unwrap();
        let meshes = converted.levels[0].meshes.iter();
        for (mesh, without_normals) in meshes.zip(&without.levels[0].meshes) {
            if has_no_normals {
                continue;
            }
            let stored = attribute(&mesh.mesh, Mesh::ATTRIBUTE_NORMAL);
            let computed = attribute(&without_normals.mesh, Mesh::ATTRIBUTE_NORMAL);
            let pairs = stored.iter().zip(computed);
            repaired.extend(pairs.map(|(a, b)| degrees((*a).into(), (*b).into())));
            let mut deforms = converted.deforms.iter();
            let Some(deform) = deforms.find(|deform| Some(deform.node) == mesh.node) else {
                continue;
            };
            let slots = mesh.mesh.attribute(Mesh::ATTRIBUTE_UV_1).unwrap();
            let VertexAttributeValues::Float32x2(slots) = slots else {
                panic!("UV_1 is not Float32x2");
            };
            for (stored, [slot, _]) in stored.iter().zip(slots) {
                if *slot >= 0.0
                    && let Some((_, Some(computed))) =
                        deform.vertex(PoseBlend::default(), *slot as u32)
                {
                    deforming.push(degrees((*stored).into(), computed));
                }
            }
        }
    }
    // Deforming vertices have 8-bit positions in the file, so their normals are less accurate.
    for (case, degrees, limit) in [
        ("deforming", deforming, 9.0),
        ("without normals", repaired, 1.0),
    ] {
        let (count, median, ninetieth) = percentiles(degrees);
        println!(
            "{case}: {count} normals, median error {median:.2} degrees, 90th percentile \
             {ninetieth:.2} degrees"
        );
        assert!(count == 0 || median < limit, "{case}");
    }
}
