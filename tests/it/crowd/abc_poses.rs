//! The vertices of LithTech models in crowds, compared with those of the same models as scenes.

use crate::crowd::poses::{AT_FRAMES, BETWEEN, assets, compare_real_models};
use crate::crowd::subjects::moving_banner;
use crate::support::abc::{bytes, figure};
use crate::support::abc_adversarial::adversarial_files;
use crate::support::abc_app::{load, model, shown};
use crate::support::crowd::{assert_within, deformed_normals, member, pose, size, world_normal};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::abc::write::write;

/// Some of the keyframes of a clip, and times between keyframes, in seconds.
fn times(keyframes: &[f32], most: usize) -> (Vec<f32>, Vec<f32>) {
    let step = keyframes.len().div_ceil(most).max(1);
    let at_frames = keyframes.iter().step_by(step).chain(keyframes.last());
    let pairs = keyframes.windows(2).step_by(step);
    let between = pairs.flat_map(|pair| {
        let [from, to] = [pair[0], pair[1]];
        [0.13, 0.5, 0.77].map(|part| from + (to - from) * part)
    });
    (at_frames.copied().collect(), between.collect())
}

/// Compares a pair at some keyframes of all its clips and between them. Tolerances are fractions of the model's size at
/// rest, as those of baking. Returns the count of compared vertices.
fn compare_clips(
    app: &mut TestApp,
    pair: Pair,
    path: &str,
    (most, between_keyframes): (usize, f32),
) -> usize {
    pair.wait(app);
    let mut compared = pair.assert_equal(app, AT_FRAMES, &format!("{path} at rest"));
    let at_rest = size(&scene_vertices(app.world(), pair.scene));
    let animations = model(app, pair.scene).animations.clone();
    for (clip, animation) in animations.iter().enumerate() {
        let (at_frames, between) = times(&animation.keyframes, most);
        for (times, tolerance) in [(at_frames, AT_FRAMES), (between, between_keyframes)] {
            for seconds in times {
                pair.show(app, clip, seconds);
                let what = format!("{path}, {} at {seconds}", animation.name);
                let [scene, crowd] = pair.vertices(app);
                compared += assert_within(&crowd, &scene, tolerance * at_rest, &what);
            }
        }
    }
    compared
}

#[test]
fn sample_is_posed_as_its_scene() {
    let mut app = assets();
    app.keep_loaded("models/warden.abc");
    let pair = Pair::spawn(&mut app, "models/warden.abc", ());
    let levels = model(&mut app, pair.scene).levels.len() as u32;
    assert!(levels > 1);
    assert!(compare_clips(&mut app, pair, "warden.abc", (3, BETWEEN)) > 1000);
    for level in 0..=levels {
        pair.insert(&mut app, ModelLod(level));
        app.step(0.0);
        assert!(pair.assert_equal(&mut app, BETWEEN, &format!("level {level}")) > 20);
    }
}

#[test]
fn fixtures_are_posed_as_their_scenes() {
    let mut files = vec![
        ("figure.abc", bytes(&figure())),
        ("banner.abc", bytes(&banner())),
        ("moving.abc", moving_banner(8.0)),
    ];
    files.extend((1..4).map(|seed| (&*format!("random-{seed}.abc").leak(), random_model(seed))));
    for (separate_node_meshes, convert_axes, scale) in [(false, true, 1.0), (true, false, 0.5)] {
        let mut app = TestApp::new(&files);
        for (path, _) in &files {
            let settings = AbcLoaderSettings {
                separate_node_meshes,
                convert_axes,
                scale,
                ..AbcLoaderSettings::default()
            };
            let _abc = load(&mut app, path, settings).unwrap();
            let pair = Pair::spawn(&mut app, path, ());
            // Chains of random nodes turn by more than half a turn between two keyframes. The count of samples is estimated
            // from the middle of the way, which is then too near, so it is too small.
            let tolerance = match path.starts_with("random") {
                true => 2.0 * BETWEEN,
                false => BETWEEN,
            };
            let compared = compare_clips(&mut app, pair, path, (4, tolerance));
            assert!(compared > 100, "{path}");
            pair.despawn(&mut app);
        }
    }
}

/// A random model whose vertices deform.
fn random_model(seed: u64) -> Vec<u8> {
    let size = Size {
        nodes: 7,
        vertices: 9,
        triangles: 40,
        levels: 12,
        animations: 2,
        deforms: true,
    };
    bytes(&abc_random::model(seed, &size))
}

/// The normals of all deformed vertices of a scene in the world; `None` if the mesh has the normal.
fn scene_normals(app: &mut TestApp, root: Entity, converted: &ConvertedAbc) -> Vec<Option<Vec3>> {
    let world = app.world();
    let meshes = world.get::<AbcInstance>(root).unwrap().meshes();
    let mut normals = Vec::new();
    for deform in &converted.deforms {
        let of_node = |mesh: &&Entity| {
            let node = world.get::<AbcMesh>(**mesh).unwrap().node;
            node == Some(deform.node)
        };
        let mesh = *meshes.iter().find(of_node).unwrap();
        let shown = shown(world, mesh).unwrap();
        let to_world = world.get::<GlobalTransform>(mesh).unwrap().affine();
        normals.extend((0..deform.vertices).map(|vertex| {
            let (_, normal) = deform.vertex(shown, vertex).unwrap();
            normal.map(|normal| world_normal(to_world, normal))
        }));
    }
    normals
}

#[test]
fn normals_of_deformed_vertices_are_those_of_the_scene_at_keyframes() {
    let settings = AbcLoaderSettings {
        scale: 0.5,
        ..AbcLoaderSettings::default()
    };
    let mut files = vec![("moving.abc", moving_banner(8.0))];
    files.extend((1..4).map(|seed| (&*format!("random-{seed}.abc").leak(), random_model(seed))));
    let mut app = TestApp::new(&files);
    let mut compared = 0;
    for (path, bytes) in &files {
        let converted = ConvertedAbc::load(bytes, &settings).unwrap();
        let _abc = load(&mut app, path, settings.clone()).unwrap();
        let pair = Pair::spawn(&mut app, path, ());
        let animations = model(&mut app, pair.scene).animations.clone();
        for (clip, animation) in animations.iter().enumerate() {
            for seconds in &animation.keyframes {
                pair.show(&mut app, clip, *seconds);
                let expected = scene_normals(&mut app, pair.scene, &converted);
                let found = deformed_normals(app.world(), pair.crowd);
                // A vertex of each index is drawn.
                let first = found[0].0;
                for (offset, found) in found {
                    let Some(expected) = expected[(offset - first) as usize] else {
                        continue;
                    };
                    let distance = found.distance(expected);
                    assert!(distance < 2e-3, "{path}: {found}, expected {expected}");
                    compared += 1;
                }
            }
        }
        pair.despawn(&mut app);
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn clips_of_other_models_move_nodes_as_in_a_scene() {
    let files = [
        ("moving.abc", moving_banner(8.0)),
        ("banner.abc", bytes(&banner())),
    ];
    let mut app = TestApp::new(&files);
    app.keep_loaded("moving.abc");
    let other = app.load("moving.abc#Animation0");
    let pair = Pair::spawn(&mut app, "banner.abc", ());
    pair.show(&mut app, "Wave", 0.05);
    let own = pair.vertices(&mut app);
    pair.show(&mut app, ClipRef::Handle(other), 0.05);
    pair.assert_equal(&mut app, BETWEEN, "a clip of another model");
    assert_ne!(own, pair.vertices(&mut app));
}

/// Models with many elements of each kind, and damaged ones.
#[test]
fn adversarial_models_are_baked_or_refused() {
    log::listen();
    let files = adversarial_files().into_iter();
    let files = files.map(|(name, bytes)| (&*format!("{name}.abc").leak(), bytes));
    let mut files: Vec<(&str, Vec<u8>)> = files
        // Slow in an unoptimized build, and the same kind as others.
        .filter(|(name, _)| !name.starts_with("wrong-count") && !name.starts_with("too-many"))
        .collect();
    let mut still = banner();
    still.animations.clear();
    files.extend(write(&still).ok().map(|bytes| ("still.abc", bytes)));
    let mut equal = banner();
    for animation in &mut equal.animations {
        for keyframe in &mut animation.keyframes {
            keyframe.time = 100;
        }
    }
    files.push(("equal-times.abc", bytes(&equal)));
    let mut app = TestApp::new(&files);
    let (mut shown, mut refused) = (0, 0);
    for (path, _) in &files {
        if load(&mut app, path, AbcLoaderSettings::default()).is_err() {
            continue;
        }
        let scene: &str = format!("{path}#Scene").leak();
        let root = app.spawn_ready(scene, (Crowd, PlayClip::looping(0)));
        app.step(0.05);
        app.wait(path, |world| !is_baking(world, root));
        app.step(0.05);
        if member(app.world(), root).is_some() {
            // Pose 0 is the rest pose.
            let is_shown = pose(app.world(), root).to.a != 0;
            let refusals = ["cannot show", "has no clip"].map(log::warnings_with);
            let mut refusals = refusals.iter().flatten();
            let is_refused = refusals.any(|line| line.contains(path));
            assert!(is_shown != is_refused, "{path}: {is_shown}");
            shown += usize::from(is_shown);
            refused += usize::from(is_refused);
        }
        app.despawn(root);
    }
    assert!(shown > 10 && refused > 0, "{shown}, {refused}");
}

#[test]
fn real_models_are_posed_as_their_scenes() {
    compare_real_models(
        &["abc"],
        |app, path| load(app, path, AbcLoaderSettings::default()).is_ok(),
        |app, pair, path| compare_clips(app, pair, path, (2, BETWEEN)),
    );
}
