//! Pictures of LithTech models whose vertices deform, and of what follows from where those are.

use crate::support::abc::{banner, bytes};
use crate::support::abc_stage::{Shown, control, control_between};
use crate::support::alo_stage::matte;
use crate::support::stage::{Stage, VIEWS};
use bevy::core_pipeline::prepass::{DepthPrepass, NormalPrepass};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::parse;
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
    for rigid in [false, true] {
        let mut stage = Stage::new(&[(FILE, bytes.clone())]);
        let settings = AbcLoaderSettings {
            rigid,
            ..settings()
        };
        let root = stage.spawn_abc(FILE, settings, ());
        for (clip, seconds) in moments {
            show(&mut stage, root, clip, seconds);
            let control = control(&file, Shown::new(clip, seconds));
            let what = format!("animation {clip} at {seconds}, {rigid}");
            compare(&mut stage, root, &control, &what);
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

#[test]
fn a_fade_goes_from_the_nearest_keyframe_of_one_to_that_of_the_other() {
    let mut document = banner();
    // Only the vertices differ.
    document.animations[1].tracks[2].keys = document.animations[0].tracks[2].keys.clone();
    let bytes = bytes(&document);
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
    stage.headless.step(0.0);
    // 0.08 s is nearer to the second keyframe, 0.35 s to the third.
    let moments = [(0, 1), (1, 2)];
    for (step, way) in [(0.25, 0.25), (0.25, 0.5), (0.3, 0.8)] {
        stage.headless.step(step);
        let control = control_between(&file, moments, way);
        compare(&mut stage, root, &control, &format!("{way} of a fade"));
    }
    stage.headless.step(0.3);
    let end = control(&file, Shown::new(1, 0.35));
    compare(&mut stage, root, &end, "after the fade");
}

#[test]
fn the_depth_prepass_deforms_as_the_picture_does() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    stage.camera().insert((DepthPrepass, NormalPrepass));
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
