//! Pictures of LithTech models whose vertices deform, and of what follows from where those are.

use crate::support::abc::{banner, bytes};
use crate::support::abc_stage::{Shown, control, control_of};
use crate::support::alo_stage::matte;
use crate::support::stage::{Stage, VIEWS};
use bevy::core_pipeline::prepass::{DepthPrepass, MotionVectorPrepass, NormalPrepass};
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcLoaderSettings;
use bevy_classic_models::lithtech::abc::{AbcFile, Triangle, parse};
use bevy_classic_models::prelude::*;

const FILE: &str = "model.abc";

fn settings() -> AbcLoaderSettings {
    AbcLoaderSettings {
        double_sided: true,
        ..AbcLoaderSettings::default()
    }
}

fn material(stage: &mut Stage) -> MeshMaterial3d<StandardMaterial> {
    stage.add_material(StandardMaterial {
        base_color: Color::srgb(0.7, 0.7, 0.7),
        double_sided: true,
        cull_mode: None,
        ..matte(None)
    })
}

fn show(stage: &mut Stage, root: Entity, clip: usize, seconds: f32) {
    let play = PlayClip::once(clip).starting_at(seconds).paused();
    stage.world().entity_mut(root).insert(play);
}

/// Compares what shows with a control, from all sides.
#[track_caller]
fn compare(stage: &mut Stage, root: Entity, control: &Mesh, what: &str) {
    for view in VIEWS {
        stage.look_from(view);
        let shown = stage.capture();
        let material = material(stage);
        let control = stage.capture_instead(root, vec![(control.clone(), material)]);
        shown.assert_is(&control, &format!("{what} from {view}"));
    }
}

#[test]
fn vertices_deform_in_step_with_the_skeleton() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let moments = [(0, 0.0), (0, 0.06), (0, 0.1), (0, 0.4), (1, 0.1), (1, 0.3)];
    for separate_node_meshes in [false, true] {
        let mut stage = Stage::new(&[(FILE, bytes.clone())]);
        let settings = AbcLoaderSettings {
            separate_node_meshes,
            ..settings()
        };
        let root = stage.spawn_abc(FILE, settings, ());
        for (clip, seconds) in moments {
            show(&mut stage, root, clip, seconds);
            let control = control(&file, Shown::new(clip, seconds));
            let what = format!("animation {clip} at {seconds}, {separate_node_meshes}");
            compare(&mut stage, root, &control, &what);
        }
    }
}

#[test]
fn triangles_back_to_back_have_the_normals_of_the_file() {
    let mut document = banner();
    let flag = document.nodes[2].deform_vertices.clone();
    for index in &flag {
        document.geometry.vertices[usize::from(*index)].normal = [30, 110, -50];
    }
    let is_of_flag = |of: &&Triangle| flag.contains(&of.vertices[0].get());
    let triangles = document.geometry.triangles.iter().filter(is_of_flag);
    let backs: Vec<Triangle> = triangles
        .map(|front| {
            let [a, b, c] = front.vertices;
            // Each begins at another corner, so that rounding differs.
            let vertices = [b, a, c];
            Triangle { vertices, ..*front }
        })
        .collect();
    document.geometry.triangles.extend(backs);
    let bytes = bytes(&document);
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    // Of both only the front is drawn.
    let root = stage.spawn_abc(FILE, AbcLoaderSettings::default(), ());
    for (clip, seconds) in [(0, 0.06), (1, 0.3)] {
        show(&mut stage, root, clip, seconds);
        let control = control(&file, Shown::new(clip, seconds));
        for view in VIEWS {
            stage.look_from(view);
            let shown = stage.capture();
            let material = stage.add_material(StandardMaterial {
                base_color: Color::srgb(0.7, 0.7, 0.7),
                ..matte(None)
            });
            let control = stage.capture_instead(root, vec![(control.clone(), material)]);
            shown.assert_is(&control, &format!("{clip} at {seconds} from {view}"));
        }
    }
}

#[test]
fn two_instances_of_a_model_deform_apart() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    let first = stage.spawn_abc(FILE, settings(), ());
    let aside = Transform::from_xyz(0.0, 22.0, 0.0);
    let second = stage.spawn_abc(FILE, settings(), aside);
    show(&mut stage, first, 0, 0.06);
    show(&mut stage, second, 1, 0.4);
    // Both are hidden together.
    let both = (Transform::default(), Visibility::default());
    let both = stage.world().spawn(both).id();
    stage
        .world()
        .entity_mut(both)
        .add_children(&[first, second]);
    let moments = [Shown::new(0, 0.06), Shown::new(1, 0.4)];
    let [one, other] = moments.map(|shown| control(&file, shown));
    let other = other.transformed_by(aside);
    for view in VIEWS {
        stage.look_from(view);
        let shown = stage.capture();
        let controls = [one.clone(), other.clone()].map(|mesh| (mesh, material(&mut stage)));
        let control = stage.capture_instead(both, controls.into());
        shown.assert_is(&control, &format!("two banners from {view}"));
    }
}

/// Places of vertices in their nodes, on the way from one moment to another.
fn between(file: &AbcFile<'_>, moments: [(usize, f32); 2], way: f32) -> Vec<[f32; 3]> {
    let [from, to] = moments.map(|(clip, seconds)| file.vertex_positions(Some(clip), seconds));
    let places = from.into_iter().zip(to);
    let places = places.map(|(from, to)| Vec3::from(from).lerp(to.into(), way).to_array());
    places.collect()
}

#[test]
fn a_fade_blends_both_clips_between_their_keyframes() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    let root = stage.spawn_abc(FILE, settings(), ());
    let play = |clip: usize, seconds| PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
    stage.world().entity_mut(root).insert(play(0, 0.08));
    stage.headless.step(0.0);
    stage
        .world()
        .entity_mut(root)
        .insert(play(1, 0.35).with_fade(1.0));
    // 0.08 s is between the first two keyframes, 0.35 s between the last two.
    let moments = [(0, 0.08), (1, 0.35)];
    for (step, way) in [(0.0, 0.0), (0.25, 0.25), (0.25, 0.5), (0.3, 0.8)] {
        stage.headless.step(step);
        let places = between(&file, moments, way);
        let control = control_of(stage.world(), root, &file, &places);
        compare(&mut stage, root, &control, &format!("{way} of a fade"));
    }
    stage.headless.step(0.3);
    let end = control(&file, Shown::new(1, 0.35));
    compare(&mut stage, root, &end, "after the fade");
}

#[test]
fn the_cloth_of_the_warden_fades_from_clip_to_clip() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models/warden.abc");
    let bytes = std::fs::read(path).unwrap();
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    let settings = AbcLoaderSettings {
        scale: 0.6,
        load_textures: false,
        ..settings()
    };
    let root = stage.spawn_abc(FILE, settings, ModelLod(0));
    let clips = ["walk", "attack"];
    let [from, to] = clips.map(|name| {
        let mut names = file.animations.iter().map(|animation| &*animation.name);
        let index = names.position(|found| found.eq_ignore_ascii_case(name));
        index.unwrap_or_else(|| panic!("no clip {name}"))
    });
    let play = PlayClip::looping(from).starting_at(0.23);
    stage.world().entity_mut(root).insert(play);
    stage.headless.step(0.0);
    stage.headless.step(0.1);
    let play = PlayClip::once(to).starting_at(0.3).with_fade(0.4);
    stage.world().entity_mut(root).insert(play);
    stage.headless.step(0.0);
    // Both go on while they fade.
    for step in [0.05, 0.11, 0.13, 0.09] {
        stage.headless.step(step);
        let player = stage.world().get::<AnimationPlayer>(root).unwrap();
        let mut lanes: Vec<_> = player.playing_animations().collect();
        lanes.sort_by_key(|(node, _)| **node);
        let [(_, out), (_, into)] = lanes[..] else {
            panic!("two clips fade");
        };
        let (moments, way) = (
            [(from, out.seek_time()), (to, into.seek_time())],
            into.weight(),
        );
        assert!(way > 0.1 && way < 0.99, "{way}");
        let places = between(&file, moments, way);
        let control = control_of(stage.world(), root, &file, &places);
        compare(&mut stage, root, &control, &format!("the warden at {way}"));
    }
}

#[test]
fn the_depth_prepass_deforms_as_the_picture_does() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    stage
        .camera()
        .insert((DepthPrepass, NormalPrepass, MotionVectorPrepass));
    let root = stage.spawn_abc(FILE, settings(), ());
    for (clip, seconds) in [(0, 0.06), (1, 0.3)] {
        show(&mut stage, root, clip, seconds);
        // What the prepass has elsewhere would hide the picture.
        let control = control(&file, Shown::new(clip, seconds));
        compare(
            &mut stage,
            root,
            &control,
            &format!("prepass of {clip} at {seconds}"),
        );
    }
}

#[test]
fn shadows_deform_as_what_casts_them() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    let sun = Transform::from_xyz(30.0, 25.0, 10.0).looking_at(Vec3::ZERO, Vec3::Y);
    let sun = (
        DirectionalLight {
            illuminance: 12_000.0,
            shadow_maps_enabled: true,
            ..default()
        },
        sun,
    );
    stage.world().spawn(sun);
    let wall = Mesh::from(Cuboid::new(4.0, 90.0, 90.0));
    let wall = stage.world().resource_mut::<Assets<Mesh>>().add(wall);
    let grey = stage.add_material(matte(None));
    let place = Transform::from_xyz(-26.0, 0.0, 0.0);
    stage.world().spawn((Mesh3d(wall), grey, place));
    let root = stage.spawn_abc(FILE, settings(), ());
    // From where one sees the wall's lit side.
    let view = Vec3::new(60.0, 40.0, -45.0);
    let mut before = None;
    for (clip, seconds) in [(0, 0.06), (1, 0.4)] {
        show(&mut stage, root, clip, seconds);
        stage.look_from(view);
        let shown = stage.capture();
        let material = material(&mut stage);
        let control = control(&file, Shown::new(clip, seconds));
        let control = stage.capture_instead(root, vec![(control, material)]);
        shown.assert_is(&control, &format!("shadow of {clip} at {seconds}"));
        if let Some(before) = &before {
            shown.assert_is_not(before, "the shadow of another pose");
        }
        before = Some(shown);
    }
    let nothing = stage.capture_instead(root, Vec::new());
    // The model alone covers less than it and its shadow.
    let with = before.unwrap();
    assert!(
        with.different(&nothing) > 3000,
        "{}",
        with.different(&nothing)
    );
}
