//! Playback of clips, by the components of a spawned model.

use crate::support::entities::pose_blend as at;
use crate::support::mdl::figure;
use crate::support::prelude::*;

fn app() -> TestApp {
    TestApp::new(&[("tetra.mdl", tetrahedron().to_bytes())])
}

#[track_caller]
fn assert_shows(app: &mut TestApp, root: Entity, expected: PoseBlend) {
    let shown = app.animator(root).shown();
    let close = |a: f32, b: f32| (a - b).abs() < 1e-4;
    let is_same = (shown.to.a, shown.to.b) == (expected.to.a, expected.to.b)
        && close(shown.to.towards_b, expected.to.towards_b)
        && close(shown.from_weight, expected.from_weight)
        && (expected.from_weight == 0.0
            || ((shown.from.a, shown.from.b) == (expected.from.a, expected.from.b)
                && close(shown.from.towards_b, expected.from.towards_b)));
    assert!(is_same, "{shown:?}, expected {expected:?}");
}

#[test]
fn a_loop_steps_through_its_poses_and_back_to_the_first() {
    let mut app = app();
    let root = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping("run"));
    assert_shows(&mut app, root, at(0, 1, 0.0));
    app.step(0.05);
    assert_shows(&mut app, root, at(0, 1, 0.5));
    app.step(0.1);
    assert_shows(&mut app, root, at(1, 2, 0.5));
    app.step(0.1);
    assert_shows(&mut app, root, at(2, 0, 0.5));
    app.step(0.1);
    assert_shows(&mut app, root, at(0, 1, 0.5));
}

#[test]
fn once_ends_in_its_last_pose_with_one_message() {
    let mut app = app();
    let root = app.spawn_ready("tetra.mdl#Scene", PlayClip::once("die"));
    assert_shows(&mut app, root, at(5, 6, 0.0));
    app.step(0.15);
    assert_shows(&mut app, root, at(6, 6, 0.5));
    assert!(app.finished_clips().is_empty());
    app.step(0.1);
    assert_shows(&mut app, root, at(6, 6, 1.0));
    assert_eq!(
        app.finished_clips(),
        [ClipFinished {
            entity: root,
            clip: "die".into()
        }]
    );
    app.step(0.1);
    assert!(app.finished_clips().is_empty());
    assert!(app.get::<Playback>(root).finished);
}

#[test]
fn a_corpse_stays_down() {
    let bytes = include_bytes!("../../regressions/mdl/death");
    let mut app = TestApp::new(&[("monster.mdl", bytes.to_vec())]);
    let root = app.spawn_ready("monster.mdl#Scene", PlayClip::once("death"));
    // The greatest distance of a vertex from the last pose.
    let distance = |app: &mut TestApp| {
        let animator = app.animator(root);
        let poses = &animator.model().poses;
        let shown = poses.blend(animator.shown());
        let last = poses.pose(poses.pose_count() - 1);
        let distances = shown
            .zip(last)
            .map(|(shown, last)| shown.0.distance(last.0));
        distances.reduce(f32::max).unwrap()
    };
    let mut distances = vec![distance(&mut app)];
    for _ in 0..20 {
        app.step(0.03);
        distances.push(distance(&mut app));
    }
    assert!(distances[0] > 1.0, "{distances:?}");
    assert!(distances.is_sorted_by(|a, b| a >= b), "{distances:?}");
    assert!(distances[11..].iter().all(|it| *it < 1e-3), "{distances:?}");
}

#[test]
fn speed_start_pause_and_interpolation_are_per_instance() {
    let mut app = app();
    let fast = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping("run").with_speed(2.0));
    let back = app.spawn_ready(
        "tetra.mdl#Scene",
        PlayClip::looping("run").with_speed(-1.0).starting_at(0.25),
    );
    let still = app.spawn_ready(
        "tetra.mdl#Scene",
        PlayClip::looping("run").starting_at(0.15).paused(),
    );
    let hard = app.spawn_ready(
        "tetra.mdl#Scene",
        PlayClip::looping("run").without_interpolation(),
    );
    app.step(0.07);
    assert_shows(&mut app, fast, at(1, 2, 0.4));
    assert_shows(&mut app, back, at(1, 2, 0.8));
    assert_shows(&mut app, still, at(1, 2, 0.5));
    assert_shows(&mut app, hard, at(0, 1, 0.0));
    app.step(0.07);
    assert_shows(&mut app, hard, at(1, 2, 0.0));
}

#[test]
fn a_new_speed_continues_the_clip_and_a_new_clip_restarts() {
    let mut app = app();
    let root = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping("run"));
    app.step(0.15);
    app.get_mut::<PlayClip>(root).speed = 0.5;
    app.step(0.1);
    assert_shows(&mut app, root, at(2, 0, 0.0));
    app.insert(root, PlayClip::looping("die"));
    app.step(0.1);
    assert_shows(&mut app, root, at(5, 6, 0.0));
    app.get_mut::<Playback>(root).time = 0.1;
    app.step(0.05);
    assert_shows(&mut app, root, at(6, 5, 0.5));
    app.remove::<PlayClip>(root);
    app.step(0.1);
    assert_shows(&mut app, root, at(0, 0, 0.0));
}

#[test]
fn clips_are_selected_by_name_index_and_frames() {
    let mut app = app();
    let by_index = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping(2));
    let by_frames = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping(1..3));
    let group = app.spawn_ready("tetra.mdl#Scene", PlayClip::once(3..4));
    let unknown = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping("swim"));
    app.step(0.1);
    assert_shows(&mut app, by_index, at(6, 5, 0.0));
    assert_shows(&mut app, by_frames, at(2, 1, 0.0));
    // The times of the group: its first pose ends at 0.1 s, its second at 0.3 s.
    assert_shows(&mut app, group, at(4, 4, 0.0));
    assert_shows(&mut app, unknown, at(0, 0, 0.0));
    app.step(0.1);
    assert_shows(&mut app, group, at(4, 4, 0.5));
}

#[test]
fn a_fade_starts_from_the_current_pose() {
    let mut app = app();
    let root = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping("run"));
    app.step(0.15);
    app.insert(root, PlayClip::looping("die").with_fade(0.4));
    app.step(0.1);
    let fade = |to: PoseBlend, from_weight: f32| PoseBlend {
        from: at(1, 2, 0.5).to,
        from_weight,
        ..to
    };
    assert_shows(&mut app, root, fade(at(5, 6, 0.0), 1.0));
    app.step(0.1);
    assert_shows(&mut app, root, fade(at(6, 5, 0.0), 0.75));
    app.step(0.2);
    app.step(0.13);
    assert_shows(&mut app, root, at(5, 6, 0.3));
}

#[test]
fn frame_groups_play_without_a_clip_in_game_time() {
    let mut document = figure(Precision::Bits8);
    document.frames.rotate_right(1);
    for (name, sync_type) in [("phase.mdl", 0), ("random.mdl", 1)] {
        document.header.sync_type = sync_type;
        let scene = format!("{name}#Scene").leak();
        let mut app = TestApp::new(&[(name, document.to_bytes())]);
        let early = app.spawn_ready(scene, ());
        // Bevy's virtual time advances at most a quarter of a second in each frame.
        app.step(0.25);
        let late = app.spawn_ready(scene, ());
        let played = app.spawn_ready(scene, PlayClip::looping("spin"));
        app.step(0.25);
        let early = app.animator(early).shown();
        let late = app.animator(late).shown();
        let played = app.animator(played).shown();
        if sync_type == 0 {
            // One loop takes 0.5 s; the second pose begins at 0.1 s.
            assert!(early.to.a == 0 && early.to.towards_b < 0.01, "{early:?}");
            assert!(
                close(early, late) && close(early, played),
                "{early:?} {late:?} {played:?}"
            );
        } else {
            assert!(!close(early, late), "{early:?} {late:?}");
        }
    }
}

pub fn close(a: PoseBlend, b: PoseBlend) -> bool {
    (a.to.a, a.to.b) == (b.to.a, b.to.b) && (a.to.towards_b - b.to.towards_b).abs() < 1e-3
}

#[test]
fn the_pose_table_has_current_poses_and_frees_rows() {
    use bevy_classic_models::quake::MdlPoseTable;
    let mut app = app();
    let first = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping("run"));
    let second = app.spawn_ready("tetra.mdl#Scene", PlayClip::looping("die"));
    app.step(0.05);
    let mesh = app.animator(second).mesh();
    let tag = app.get::<bevy::mesh::MeshTag>(mesh).0;
    let shown = app.animator(second).shown();
    assert_eq!(app.world().resource::<MdlPoseTable>().get(tag), shown);
    assert_eq!(app.world().resource::<MdlPoseTable>().len(), 2);
    app.despawn(first);
    app.step(0.05);
    assert_eq!(app.world().resource::<MdlPoseTable>().len(), 1);
}

/// The figure with its frames in another order, so that every clip has other poses and `run` is longer.
fn edited() -> MdlDocument {
    let mut document = figure(Precision::Bits8);
    document.frames.rotate_left(4);
    document.frames.push(document.frames[4].clone());
    if let Some(FrameDocument::Single(pose)) = document.frames.last_mut() {
        pose.name[3] = b'5';
    }
    document
}

#[test]
fn an_edit_changes_the_poses_and_a_broken_file_changes_nothing() {
    let mut app = TestApp::new(&[("figure.mdl", figure(Precision::Bits8).to_bytes())]);
    app.keep_loaded("figure.mdl");
    let root = app.spawn_ready("figure.mdl#Scene", PlayClip::looping("run"));
    let other = app.spawn_ready("figure.mdl#Scene", PlayClip::looping("die"));
    app.steps(5, 0.07);
    assert_shows(&mut app, root, at(3, 0, 0.5));
    app.replace("figure.mdl", edited().to_bytes());
    app.assert_time(root, 0.35);
    assert_shows(&mut app, root, at(8, 9, 0.5));
    app.step(0.1);
    app.assert_time(root, 0.45);
    let model = |app: &mut TestApp, root| app.animator(root).model().clone();
    let edit = model(&mut app, root);
    assert_eq!(edit.poses.pose_count(), 10);
    app.replace("figure.mdl", edited().to_bytes()[..2000].to_vec());
    // Models spawned now have the last valid version too.
    let late = app.spawn_ready("figure.mdl#Scene", ());
    for root in [root, other, late] {
        assert!(Arc::ptr_eq(&edit, &model(&mut app, root)));
    }
    app.step(0.02);
    app.assert_time(root, 0.47);
}
