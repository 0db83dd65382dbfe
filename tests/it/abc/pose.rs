//! Vertex positions of LithTech models during playback, compared with a simple reference in `f64`.

use crate::support::abc::{bytes, figure};
use crate::support::abc_app::{drawn, load, model, show, shown, spawn, spawned};
use crate::support::abc_reference::Reference;
use crate::support::prelude::*;
use bevy_classic_models::gpu::PosePair;
use bevy_classic_models::lithtech::abc::parse;

/// Asserts that all triangles have the vertex positions of the reference.
#[track_caller]
pub fn assert_posed(
    found: &[[Vec3; 3]],
    (document, settings): (&AbcDocument, &AbcLoaderSettings),
    level: usize,
    (clip, seconds): (Option<usize>, f64),
) {
    let reference = Reference::new(document);
    let vertices = reference.vertices(clip, seconds);
    let expected = reference.drawn(level, settings.separate_node_meshes, settings.convert_axes);
    assert_eq!(found.len(), expected.len());
    let largest = vertices.iter().map(|position| position.abs().max_element());
    let largest = largest.fold(1.0, f64::max);
    for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
        let mut position = vertices[expected.vertex];
        if settings.convert_axes {
            position.z = -position.z;
        }
        position *= f64::from(settings.scale);
        let error = found.as_dvec3().distance(position);
        let vertex = &document.geometry.vertices[expected.vertex];
        let deforms = &document.nodes[usize::from(vertex.node)].deform_vertices;
        // Positions of deforming vertices are quantized.
        let tolerance = if deforms.is_empty() { 2e-4 } else { 2e-3 };
        assert!(
            error < tolerance * largest * f64::from(settings.scale).max(1.0),
            "{expected:?} in {clip:?} at {seconds}: {found}, expected {position}"
        );
    }
}

/// The document with all combinations of flips, and without a `TransformInfo`.
fn flipped(document: &AbcDocument) -> Vec<AbcDocument> {
    let flips = [(false, false), (false, true), (true, false), (true, true)];
    let flips = flips.map(|(flip_geometry, flip_animation)| {
        Some(TransformInfo {
            flip_geometry,
            flip_animation,
        })
    });
    let flips = flips.into_iter().chain([None]);
    flips
        .map(|transform_info| AbcDocument {
            transform_info,
            ..document.clone()
        })
        .collect()
}

/// Sample times in seconds: the start, three times in each interval between keyframes, and one past the end.
fn times(document: &AbcDocument, clip: usize) -> Vec<f32> {
    let keyframes = &document.animations[clip].keyframes;
    let mut times = vec![0.0];
    for pair in keyframes.windows(2) {
        let [from, to] = [0, 1].map(|index: usize| pair[index].time as f32 / 1000.0);
        times.extend([0.31, 0.72, 1.0].map(|part| from + (to - from) * part));
    }
    times.push(5.0 + times.last().unwrap());
    times
}

#[test]
fn vertex_positions_match_the_reference() {
    let random = |seed| {
        abc_random::model(
            seed,
            &Size {
                nodes: 5,
                vertices: 9,
                triangles: 40,
                levels: 12,
                animations: 3,
                deforms: true,
            },
        )
    };
    let mut documents = flipped(&figure());
    documents.extend(flipped(&banner()));
    documents.extend((1..8).map(random));
    for document in &documents {
        for (separate_node_meshes, convert_axes, scale) in
            [(false, true, 1.0), (true, true, 0.5), (false, false, 2.0)]
        {
            let settings = AbcLoaderSettings {
                separate_node_meshes,
                convert_axes,
                scale,
                ..AbcLoaderSettings::default()
            };
            let (mut app, root) = spawned(bytes(document), settings.clone());
            app.step(0.0);
            let source = (document, &settings);
            assert_posed(&drawn(&mut app, root), source, 0, (None, 0.0));
            for clip in 0..document.animations.len() {
                for seconds in times(document, clip) {
                    show(&mut app, root, clip, seconds);
                    let found = drawn(&mut app, root);
                    assert_posed(&found, source, 0, (Some(clip), seconds.into()));
                }
            }
            app.remove::<PlayClip>(root);
            app.steps(2, 0.0);
            assert_posed(&drawn(&mut app, root), source, 0, (None, 0.0));
        }
    }
}

#[test]
fn all_lods_match_the_reference() {
    let size = Size {
        nodes: 4,
        vertices: 12,
        triangles: 60,
        levels: 30,
        animations: 2,
        deforms: true,
    };
    for seed in 20..26 {
        let document = abc_random::model(seed, &size);
        let settings = AbcLoaderSettings {
            lod_shares: vec![0.7, 0.4, 0.2],
            separate_node_meshes: seed % 2 == 0,
            ..AbcLoaderSettings::default()
        };
        let (mut app, root) = spawned(bytes(&document), settings.clone());
        let levels = model(&mut app, root).levels.clone();
        for (steps, level) in levels.iter().enumerate() {
            app.insert(root, ModelLod(steps as u32));
            for seconds in [0.0, 0.04, 0.2] {
                show(&mut app, root, 1, seconds);
                let found = drawn(&mut app, root);
                let source = (&document, &settings);
                assert_posed(
                    &found,
                    source,
                    level.number as usize,
                    (Some(1), seconds.into()),
                );
            }
        }
    }
}

/// Steps through a clip and compares the pose after each step. `expected_time` maps elapsed seconds to the clip's time.
fn assert_playback(
    document: &AbcDocument,
    play: PlayClip,
    clip: usize,
    expected_time: impl Fn(f64) -> f64,
) {
    let settings = AbcLoaderSettings::default();
    let (mut app, root) = spawned(bytes(document), settings.clone());
    app.insert(root, play);
    // The clip shows its start for one frame.
    app.step(0.0);
    let mut elapsed = 0.0;
    for _ in 0..23 {
        app.step(0.037);
        elapsed += f64::from(0.037_f32);
        let time = app.get::<Playback>(root).time;
        let expected = expected_time(elapsed);
        assert!(
            (f64::from(time) - expected).abs() < 1e-4,
            "time is {time}, expected {expected}"
        );
        let found = drawn(&mut app, root);
        let moment = (Some(clip), f64::from(time));
        assert_posed(&found, (document, &settings), 0, moment);
    }
}

#[test]
fn clips_loop_stop_at_their_ends_and_play_backward() {
    for document in [figure(), banner()] {
        let last = document.animations.len() - 1;
        let length = f64::from(document.animations[last].length) / 1000.0;
        let looped = |time: f64| time.rem_euclid(length);
        assert_playback(&document, PlayClip::looping(last), last, looped);
        let slow = PlayClip::looping(last).with_speed(-0.7).starting_at(0.1);
        assert_playback(&document, slow, last, |elapsed| looped(0.1 - 0.7 * elapsed));
        let once = PlayClip::once(last).with_speed(1.3);
        assert_playback(&document, once, last, |elapsed| (1.3 * elapsed).min(length));
        let backward = PlayClip::once(last).with_speed(-1.0);
        assert_playback(&document, backward, last, |elapsed| {
            (length - elapsed).max(0.0)
        });
    }
}

#[test]
fn clips_with_the_same_name_play_by_index() {
    let document = figure();
    let [first, second] = [0, 2];
    assert_eq!(
        document.animations[first].name,
        document.animations[second].name
    );
    let clamped = |elapsed: f64| elapsed.min(0.3);
    assert_playback(&document, PlayClip::once("walk"), first, clamped);
    assert_playback(&document, PlayClip::once(second), second, clamped);
    let poses = [first, second].map(|clip| Reference::new(&document).vertices(Some(clip), 0.1));
    assert_ne!(poses[0], poses[1]);
}

#[test]
fn cross_fades_blend_two_keyframe_pairs_of_deforming_meshes() {
    let document = banner();
    let (mut app, root) = spawned(bytes(&document), AbcLoaderSettings::default());
    // "Wave" is between its first two keyframes, "Furl" between its last two.
    let play = |clip: usize, time| PlayClip::once(clip).starting_at(time).with_speed(0.0);
    app.apply(root, play(0, 0.08));
    app.apply(root, play(1, 0.3).with_fade(1.0));
    let mut meshes = app.world().query::<(Entity, &AbcMesh)>();
    let mut meshes = meshes.iter(app.app.world());
    let flag = meshes.find(|(_, mesh)| mesh.node == Some(FLAG_NODE));
    let (flag, _) = flag.unwrap();
    let is_near = |found: f32, expected: f32| (found - expected).abs() < 1e-3;
    let assert_wave = |pair: PosePair| {
        assert_eq!((pair.a, pair.b), (0, 1));
        assert!(is_near(pair.towards_b, 0.8), "{pair:?}");
    };
    let assert_furl = |pair: PosePair| {
        assert_eq!((pair.a, pair.b), (4, 5));
        assert!(is_near(pair.towards_b, 2.0 / 3.0), "{pair:?}");
    };
    let mut at = |weight: f32| {
        while app.get::<AbcAnimator>(root).weight() < weight - 1e-4 {
            app.step(0.05);
        }
        shown(app.world(), flag).unwrap()
    };
    let start = at(0.0);
    assert_wave(start.to);
    assert_eq!(start.from_weight, 0.0);
    let quarter = at(0.25);
    assert_wave(quarter.to);
    assert_furl(quarter.from);
    assert!(is_near(quarter.from_weight, 0.25), "{quarter:?}");
    // The clip with the greater weight is always `to`.
    let late = at(0.75);
    assert_furl(late.to);
    assert_wave(late.from);
    assert!(is_near(late.from_weight, 0.25), "{late:?}");
    let end = at(1.0);
    assert_furl(end.to);
    assert_eq!(end.from_weight, 0.0);
}

#[test]
fn vertex_positions_of_real_models_match_the_reference() {
    let Some(folder) = corpus("vertex_positions_of_real_models_match_the_reference") else {
        return;
    };
    let files = files_of(&folder, "abc");
    let (mut compared, mut deforming) = (0, 0);
    for (name, bytes) in &files {
        // The corpus may have files of other formats.
        let Ok(file) = parse(bytes) else { continue };
        let document = AbcDocument::from(&file);
        let settings = AbcLoaderSettings {
            load_textures: false,
            ..AbcLoaderSettings::default()
        };
        let mut app = TestApp::new(&[("real.abc", bytes.clone())]);
        let handle = load(&mut app, "real.abc", settings.clone());
        let handle = handle.unwrap_or_else(|error| panic!("{name}: {error}"));
        let root = spawn(&mut app, &handle, ());
        deforming += model(&mut app, root).deforms.len();
        for (clip, animation) in document.animations.iter().enumerate() {
            if animation.keyframes.is_empty() {
                continue;
            }
            for part in [0.0, 0.37, 0.81, 1.5] {
                let seconds = animation.length as f32 / 1000.0 * part;
                show(&mut app, root, clip, seconds);
                let found = drawn(&mut app, root);
                let moment = (Some(clip), seconds.into());
                assert_posed(&found, (&document, &settings), 0, moment);
                compared += 1;
            }
        }
    }
    println!(
        "{} files, {deforming} deforming nodes, {compared} poses compared",
        files.len()
    );
}
