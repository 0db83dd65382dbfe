//! Rendered LithTech models whose vertices deform, with the prepasses and shadows that depend on them.

use crate::support::abc::bytes;
use crate::support::abc_stage::{control, control_of};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::abc::{Triangle, parse};

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
    stage.insert(root, play);
}

/// Compares the rendered model with a control mesh, from all views.
#[track_caller]
fn compare(stage: &mut Stage, root: Entity, control: &Mesh, context: &str) {
    for view in VIEWS {
        stage.move_camera(view);
        let shown = stage.capture();
        let material = material(stage);
        let control = stage.capture_controls(root, vec![(control.clone(), material)]);
        shown.assert_matches(&control, &format!("{context} from {view}"));
    }
}

#[test]
fn vertices_deform_in_sync_with_the_skeleton() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let moments = [(0, 0.0), (0, 0.06), (0, 0.1), (0, 0.4), (1, 0.1), (1, 0.3)];
    let mut stage = Stage::new(&[]);
    for separate_node_meshes in [false, true] {
        let settings = AbcLoaderSettings {
            separate_node_meshes,
            ..settings()
        };
        let file_name = stage.add_files(&[(FILE, bytes.clone())]);
        let root = stage.spawn_abc(file_name, settings, ());
        for (clip, seconds) in moments {
            show(&mut stage, root, clip, seconds);
            let control = control(&file, Shown::new(clip, seconds));
            let context = format!(
                "animation {clip} at {seconds}, separate_node_meshes: {separate_node_meshes}"
            );
            compare(&mut stage, root, &control, &context);
        }
        stage.despawn(root);
    }
}

#[test]
fn back_to_back_triangles_use_stored_normals() {
    let mut document = banner();
    let flag = document.nodes[2].deform_vertices.clone();
    for index in &flag {
        document.geometry.vertices[usize::from(*index)].normal = [30, 110, -50];
    }
    let is_in_flag = |of: &&Triangle| flag.contains(&of.vertices[0].get());
    let triangles = document.geometry.triangles.iter().filter(is_in_flag);
    let backs: Vec<Triangle> = triangles
        .map(|front| {
            let [a, b, c] = front.vertices;
            // The back starts at a different corner, so its rounding differs.
            let vertices = [b, a, c];
            Triangle { vertices, ..*front }
        })
        .collect();
    document.geometry.triangles.extend(backs);
    let bytes = bytes(&document);
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    // Only front faces are drawn.
    let root = stage.spawn_abc(FILE, AbcLoaderSettings::default(), ());
    for (clip, seconds) in [(0, 0.06), (1, 0.3)] {
        show(&mut stage, root, clip, seconds);
        let control = control(&file, Shown::new(clip, seconds));
        for view in VIEWS {
            stage.move_camera(view);
            let shown = stage.capture();
            let material = stage.add_material(StandardMaterial {
                base_color: Color::srgb(0.7, 0.7, 0.7),
                ..matte(None)
            });
            let control = stage.capture_controls(root, vec![(control.clone(), material)]);
            shown.assert_matches(
                &control,
                &format!("animation {clip} at {seconds} from {view}"),
            );
        }
    }
}

#[test]
fn instances_of_a_model_deform_independently() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    let first = stage.spawn_abc(FILE, settings(), ());
    let aside = Transform::from_xyz(0.0, 22.0, 0.0);
    let second = stage.spawn_abc(FILE, settings(), aside);
    show(&mut stage, first, 0, 0.06);
    show(&mut stage, second, 1, 0.4);
    // A common parent, to hide both.
    let parent = (Transform::default(), Visibility::default());
    let parent = stage.spawn_entity(parent);
    stage
        .world()
        .entity_mut(parent)
        .add_children(&[first, second]);
    let moments = [Shown::new(0, 0.06), Shown::new(1, 0.4)];
    let [one, other] = moments.map(|shown| control(&file, shown));
    let other = other.transformed_by(aside);
    for view in VIEWS {
        stage.move_camera(view);
        let shown = stage.capture();
        let controls = [one.clone(), other.clone()].map(|mesh| (mesh, material(&mut stage)));
        let control = stage.capture_controls(parent, controls.into());
        shown.assert_matches(&control, &format!("two banners from {view}"));
    }
}

/// Vertex positions in node space, interpolated from one moment to another by `weight`.
fn interpolated(file: &AbcFile<'_>, moments: [(usize, f32); 2], weight: f32) -> Vec<[f32; 3]> {
    let [from, to] = moments.map(|(clip, seconds)| file.vertex_positions(Some(clip), seconds));
    let positions = from.into_iter().zip(to);
    let positions = positions.map(|(from, to)| Vec3::from(from).lerp(to.into(), weight).to_array());
    positions.collect()
}

#[test]
fn cross_fade_blends_both_clips_between_their_keyframes() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    let root = stage.spawn_abc(FILE, settings(), ());
    let play = |clip: usize, seconds| PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
    stage.insert(root, play(0, 0.08));
    stage.headless.step(0.0);
    stage.insert(root, play(1, 0.35).with_fade(1.0));
    // 0.08 s is between the first two keyframes, 0.35 s between the last two.
    let moments = [(0, 0.08), (1, 0.35)];
    for (step, weight) in [(0.0, 0.0), (0.25, 0.25), (0.25, 0.5), (0.3, 0.8)] {
        stage.headless.step(step);
        let positions = interpolated(&file, moments, weight);
        let control = control_of(stage.world(), root, &file, &positions);
        compare(
            &mut stage,
            root,
            &control,
            &format!("fade at weight {weight}"),
        );
    }
    stage.headless.step(0.3);
    let end = control(&file, Shown::new(1, 0.35));
    compare(&mut stage, root, &end, "after the fade");
}

#[test]
fn cloth_of_the_bundled_warden_cross_fades_between_clips() {
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
    stage.insert(root, play);
    stage.headless.step(0.0);
    stage.headless.step(0.1);
    let play = PlayClip::once(to).starting_at(0.3).with_fade(0.4);
    stage.insert(root, play);
    stage.headless.step(0.0);
    // Both clips keep playing during the fade.
    let mut elapsed = 0.0;
    for step in [0.05, 0.11, 0.13, 0.09] {
        stage.headless.step(step);
        elapsed += step;
        let length = file.animations[from].seconds();
        let out = (0.23_f32 + 0.1 + elapsed).rem_euclid(length);
        let (moments, weight) = ([(from, out), (to, 0.3 + elapsed)], elapsed / 0.4);
        assert!(weight > 0.1 && weight < 0.99, "{weight}");
        let positions = interpolated(&file, moments, weight);
        let control = control_of(stage.world(), root, &file, &positions);
        compare(
            &mut stage,
            root,
            &control,
            &format!("warden at weight {weight}"),
        );
    }
}

#[test]
fn prepass_deforms_like_the_main_pass() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    stage
        .camera()
        .insert((DepthPrepass, NormalPrepass, MotionVectorPrepass));
    let root = stage.spawn_abc(FILE, settings(), ());
    for (clip, seconds) in [(0, 0.06), (1, 0.3)] {
        show(&mut stage, root, clip, seconds);
        // A prepass with other vertex positions would hide parts of the model.
        let control = control(&file, Shown::new(clip, seconds));
        compare(
            &mut stage,
            root,
            &control,
            &format!("prepass of animation {clip} at {seconds}"),
        );
    }
}

#[test]
fn shadows_follow_deformed_vertices() {
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
    let wall = stage.add_asset(wall);
    let gray = stage.add_material(matte(None));
    let transform = Transform::from_xyz(-26.0, 0.0, 0.0);
    stage.world().spawn((Mesh3d(wall), gray, transform));
    let root = stage.spawn_abc(FILE, settings(), ());
    // The wall's lit side is visible from here.
    let view = Vec3::new(60.0, 40.0, -45.0);
    let mut before = None;
    for (clip, seconds) in [(0, 0.06), (1, 0.4)] {
        show(&mut stage, root, clip, seconds);
        stage.move_camera(view);
        let shown = stage.capture();
        let material = material(&mut stage);
        let control = control(&file, Shown::new(clip, seconds));
        let control = stage.capture_controls(root, vec![(control, material)]);
        shown.assert_matches(
            &control,
            &format!("shadow of animation {clip} at {seconds}"),
        );
        if let Some(before) = &before {
            shown.assert_differs(before, "the shadow of another pose");
        }
        before = Some(shown);
    }
    let nothing = stage.capture_controls(root, Vec::new());
    // The model without its shadow covers fewer pixels.
    let with_model = before.unwrap();
    assert!(
        with_model.different(&nothing) > 3000,
        "{}",
        with_model.different(&nothing)
    );
}
