//! Real LithTech models and pictures: all of them are read, written, loaded and played, and keep the
//! facts that the parser and the loader rely on.

use crate::support::abc_plain::nodes;
use crate::support::app::TestApp;
use crate::support::matrix::{Rows, transformed};
use crate::support::{corpus, log, paths_of};
use bevy::asset::LoadState;
use bevy::mesh::{MeshVertexAttribute, VertexAttributeValues};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::write::{AbcDocument, write};
use bevy_classic_models::lithtech::abc::{AbcFile, Geometry, LodTriangle, parse};
use bevy_classic_models::lithtech::dtx::write::{DtxDocument, write_unchecked};
use bevy_classic_models::lithtech::{AbcContents, AbcModel, dtx};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::PoseBlend;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What is wrong with some real models.
const KNOWN_FLAW: &str = "texture coordinates";

/// In the names of models that mark places and are not drawn: most of their triangles face inwards.
const INSIDE_OUT: &str = "PUNISHER_NODES";

/// The corpus, and what it has of an extension. `None` if it has none.
fn files(test: &str, extension: &str) -> Option<(PathBuf, Vec<PathBuf>)> {
    let folder = corpus(test)?;
    let files = paths_of(&folder, extension);
    if files.is_empty() {
        println!("{test}: skipped, the corpus has no .{extension}");
        return None;
    }
    Some((folder, files))
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn every_real_model_is_read_and_written_back_as_it_was() {
    let Some((_, files)) = files("every_real_model_is_read_and_written_back_as_it_was", "abc")
    else {
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
            "{what} is written otherwise than it was read"
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
        "{} models, {animations} animations, {deforming} nodes that deform, {flawed} with flaws",
        files.len()
    );
}

/// What is left of the triangles at a level, as the format's page says it: each corner goes on to the
/// vertex that replaces it as long as that comes no later.
fn left(geometry: &Geometry<'_>, level: u32) -> Vec<LodTriangle> {
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
    let left = triangles.map(|(triangle, full)| LodTriangle {
        triangle,
        vertices: full.vertices.map(|vertex| follow(vertex.get().into())),
    });
    left.filter(|left| {
        let [a, b, c] = left.vertices;
        a != b && b != c && c != a
    })
    .collect()
}

/// Each vertex that a level adds is in the middle of the two that it replaces, and of their node.
fn assert_extras(file: &AbcFile<'_>, what: &str) -> usize {
    let geometry = &file.geometry;
    let vertices = geometry.vertices;
    let extras = &vertices[geometry.base_vertices as usize..];
    assert_eq!(extras.len(), geometry.lods as usize, "{what}");
    for extra in extras {
        let [a, b] = extra
            .replacements
            .map(|index| &vertices[usize::from(index.get())]);
        assert_eq!([a.node, b.node], [extra.node; 2], "{what}");
        let [a, b, middle] = [a, b, extra].map(|vertex| Vec3::from(vertex.clean_position()));
        let close = 1e-5 * a.abs().max(b.abs()).max_element().max(1.0);
        assert!(
            middle.abs_diff_eq((a + b) / 2.0, close),
            "{what}: {a} {b} {middle}"
        );
    }
    extras.len()
}

#[test]
fn levels_of_detail_of_real_models_follow_the_rule() {
    let Some((_, files)) = files("levels_of_detail_of_real_models_follow_the_rule", "abc") else {
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
            assert!(a == b && b == c, "{what}: a triangle of several nodes");
        }
        extras += assert_extras(&file, &what);
        with_levels += usize::from(geometry.lods > 0);
        let all = geometry.lods;
        for level in [0, 1.min(all), all / 3, all * 2 / 3, all] {
            let found = geometry.lod(level).triangles;
            assert_eq!(found, left(geometry, level), "{what}: level {level}");
            assert_eq!(found.len(), geometry.triangles_at(level), "{what}");
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
        "{with_levels} models with levels, {extras} extra vertices, {compared} triangles compared"
    );
}

#[test]
fn every_real_model_becomes_meshes_and_clips() {
    let Some((_, files)) = files("every_real_model_becomes_meshes_and_clips", "abc") else {
        return;
    };
    let settings = AbcLoaderSettings::default();
    for path in &files {
        let what = path.display();
        let bytes = read(path);
        let contents = AbcContents::load(&bytes, &settings).unwrap();
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
            let left = file.geometry.triangles_at(level.number);
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

/// Where the command string of a picture with one is. Tools left bytes behind its NUL.
const COMMAND_STRING: core::ops::Range<usize> = 36..164;

#[test]
fn every_real_picture_is_read_and_written_back() {
    let test = "every_real_picture_is_read_and_written_back";
    let Some((_, files)) = files(test, "dtx") else {
        return;
    };
    let (mut with_alpha, mut with_glow, mut texels) = (0, 0, 0);
    for path in &files {
        let what = path.display();
        let bytes = read(path);
        let file = dtx::parse(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        for warning in &file.warnings {
            assert!(
                warning.message.contains("command string"),
                "{what}: {warning}"
            );
        }
        let mut written = write_unchecked(&DtxDocument::from(&file));
        if file.version != -2 {
            written[COMMAND_STRING].copy_from_slice(&bytes[COMMAND_STRING]);
        }
        assert!(
            written == bytes,
            "{what} is written otherwise than it was read"
        );
        for (number, level) in file.levels.iter().enumerate() {
            let [width, height] = [file.width, file.height].map(|side| side >> number);
            assert_eq!((level.width, level.height), (width, height), "{what}");
            let count = width as usize * height as usize;
            // Blocks are not decoded here.
            let rgba = file.rgba(number);
            assert_eq!(
                rgba.is_some(),
                file.palette.is_some() || !is_blocks(&file),
                "{what}"
            );
            assert!(rgba.is_none_or(|rgba| rgba.len() == count * 4), "{what}");
            texels += count;
        }
        with_alpha += usize::from(!file.alpha_levels.is_empty());
        with_glow += usize::from(file.is_full_bright());
    }
    println!(
        "{} pictures, {texels} texels; {with_alpha} with alpha, {with_glow} with unlit texels",
        files.len()
    );
}

fn is_blocks(file: &dtx::DtxFile<'_>) -> bool {
    use dtx::DtxTexels::{Bc1, Bc2, Bc3};
    matches!(file.texels, Bc1 | Bc2 | Bc3)
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
        let contents = AbcContents::load(&bytes, &settings).unwrap();
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
        let without = AbcContents::load(&without, &settings).unwrap();
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
