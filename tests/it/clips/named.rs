//! Named clips (`ModelClips`) on all formats with clips.

use crate::ala::play as ala_play;
use crate::mdl::play::close;
use crate::support::abc::{bytes, figure};
use crate::support::entities::pose_blend as at;
use crate::support::prelude::*;

/// A model, one of its clips with its duration, and another clip.
pub struct Kind {
    pub scene: &'static str,
    pub clip: &'static str,
    pub seconds: f32,
    pub other: &'static str,
}

pub const KINDS: [Kind; 3] = [
    Kind {
        scene: "tetra.mdl#Scene",
        clip: "run",
        seconds: 0.3,
        other: "die",
    },
    Kind {
        scene: ala_play::SCENE,
        clip: "MOVE_00",
        seconds: 0.4,
        other: "MOVE_01",
    },
    Kind {
        scene: "model.abc#Scene",
        clip: "Walk",
        seconds: 0.3,
        other: "Stand",
    },
];

pub fn app() -> TestApp {
    log::listen();
    let mut files = ala_play::files();
    files.push(("tetra.mdl", tetrahedron().to_bytes()));
    files.push(("model.abc", bytes(&figure())));
    let mut app = TestApp::new(&files);
    app.keep_loaded("art/Unit.alo");
    app
}

pub fn named(name: &str, clip: impl Into<ClipRef>, speed: f32, repeat: Repeat) -> NamedClip {
    NamedClip {
        name: name.to_owned(),
        clip: clip.into(),
        speed,
        repeat,
        stride: None,
    }
}

fn table(clips: impl Into<Vec<NamedClip>>) -> ModelClips {
    ModelClips::new(clips.into())
}

#[test]
fn named_clip_applies_speed_and_repeat_and_finishes_by_its_name() {
    let mut app = app();
    for kind in &KINDS {
        let clips = table([named("Patrol", kind.clip, 0.5, Repeat::Once)]);
        let root = app.spawn_shown(kind.scene, (clips, PlayClip::from_manifest("PATROL")));
        app.assert_time(root, 0.0);
        app.step(0.1);
        app.assert_time(root, 0.05);
        app.finished_clips();
        let mut all = Vec::new();
        for _ in 0..10 {
            app.step(0.1);
            all.extend(app.finished_clips());
        }
        app.assert_time(root, kind.seconds);
        let clip = "PATROL".into();
        assert_eq!(all, [ClipFinished { entity: root, clip }], "{}", kind.scene);
        app.despawn(root);
    }
}

#[test]
fn named_clip_may_shadow_the_clip_of_the_same_name() {
    let mut app = app();
    for kind in &KINDS {
        let lower = kind.clip.to_lowercase();
        let clips = table([named(&lower, &*lower, 2.0, Repeat::FromManifest)]);
        let play = PlayClip::from_manifest(kind.clip).with_speed(0.5);
        let root = app.spawn_shown(kind.scene, (clips, play));
        app.step(0.1);
        app.assert_time(root, 0.1);
        app.steps(2, 0.2);
        let round = kind.seconds;
        app.assert_time(root, 0.5 - round);
    }
}

#[test]
fn changes_of_a_named_clip_apply_during_playback() {
    let mut app = app();
    for kind in &KINDS {
        let clips = table([named("go", kind.clip, 1.0, Repeat::Loop)]);
        let root = app.spawn_shown(kind.scene, (clips, PlayClip::from_manifest("go")));
        app.step(0.1);
        app.apply(root, table([named("go", kind.clip, 0.25, Repeat::Loop)]));
        app.assert_time(root, 0.1);
        app.step(0.2);
        app.assert_time(root, 0.15);
        // After one or two loops, the clip becomes one that plays once.
        app.steps(8, 0.25);
        let time = app.get::<Playback>(root).time;
        app.apply(root, table([named("go", kind.clip, 0.25, Repeat::Once)]));
        app.assert_time(root, time);
        app.step(0.04);
        app.assert_time(root, time + 0.01);
        app.finished_clips();
        let mut count = 0;
        for _ in 0..10 {
            app.step(0.25);
            count += app.finished_clips().len();
        }
        app.assert_time(root, kind.seconds);
        assert_eq!(count, 1, "{}", kind.scene);
        // Without the table, the name is unknown.
        app.remove::<ModelClips>(root);
        app.step(0.0);
        app.step(0.1);
        app.despawn(root);
    }
}

#[test]
fn another_clip_under_the_same_name_starts() {
    let mut app = app();
    for kind in &KINDS {
        let clips = table([named("go", kind.clip, 1.0, Repeat::Loop)]);
        let play = PlayClip::from_manifest("go").with_fade(0.4);
        let root = app.spawn_shown(kind.scene, (clips, play));
        app.step(0.1);
        assert_eq!(app.clip_weight(root), 1.0, "nothing to fade from");
        app.apply(root, table([named("go", kind.other, 0.1, Repeat::Loop)]));
        app.assert_time(root, 0.0);
        app.step(0.1);
        app.assert_time(root, 0.01);
        let weight = app.clip_weight(root);
        assert!((weight - 0.25).abs() < 1e-4, "{weight} of {}", kind.scene);
        // Changes of other named clips have no effect.
        let more = named("come", kind.clip, 9.0, Repeat::Once);
        let clips = [more, named("GO", kind.other, 0.1, Repeat::Loop)];
        app.apply(root, table(clips));
        app.assert_time(root, 0.01);
    }
}

#[test]
fn removing_the_table_restores_the_names_of_the_file() {
    let mut app = app();
    for kind in &KINDS {
        let clips = table([named(kind.clip, kind.other, 1.0, Repeat::Once)]);
        let play = PlayClip::from_manifest(kind.clip);
        let root = app.spawn_shown(kind.scene, (clips, play));
        app.step(0.25);
        app.remove::<ModelClips>(root);
        app.step(0.0);
        app.assert_time(root, 0.0);
        app.step(0.2);
        app.step(kind.seconds / 2.0);
        app.step(kind.seconds / 2.0 - 0.1);
        app.assert_time(root, 0.1);
    }
}

#[test]
fn missing_clip_is_reported_with_all_names() {
    let mut app = app();
    for (number, kind) in KINDS.iter().enumerate() {
        let missing = format!("unknown_{number}");
        let clips = table([
            named("jump", &*missing, 1.0, Repeat::Loop),
            named("crouch", kind.clip, 1.0, Repeat::Loop),
        ]);
        app.spawn_shown(kind.scene, (clips, PlayClip::from_manifest("Jump")));
        app.step(0.1);
        let warnings = log::expect_warnings(&missing, 1);
        let warning = &warnings[0];
        let named = format!("no clip \"{missing}\" (alias \"Jump\")");
        let names = "names in `ModelClips`: jump, crouch";
        for text in [&*named, names, kind.clip, kind.other] {
            assert!(warning.contains(text), "{warning}");
        }
    }
}

#[test]
fn scenes_may_contain_play_clip_and_model_clips() {
    let mut app = app();
    let mut world = World::new();
    let clips = table([named("go", "run", 0.5, Repeat::Loop)]);
    world.spawn((clips, PlayClip::from_manifest("go")));
    let scene = WorldAsset::new(world);
    let scene = app.add_asset(scene);
    app.world().spawn(WorldAssetRoot(scene));
    app.steps(5, 0.0);
    let mut playing = app.app.world_mut().query::<&PlayClip>();
    let playing: Vec<_> = playing.iter(app.app.world()).cloned().collect();
    assert_eq!(playing, [PlayClip::from_manifest("go")]);
}

#[test]
fn parts_of_mdl_clips_show_their_poses() {
    let mut app = app();
    let shown = |app: &mut TestApp, root| app.animator(root).shown();
    let [part, of_part, of_group, beyond, alone, of_frames] = [
        PlayClip::looping(ClipRef::part("run", 1..3)),
        PlayClip::once(ClipRef::part(ClipRef::part("RUN", 1..9), 1..5)),
        PlayClip::looping(ClipRef::part("burn", 1..2)),
        PlayClip::looping(ClipRef::part(0, 1..u32::MAX)),
        PlayClip::looping(ClipRef::part("run", 0..1)),
        PlayClip::once(ClipRef::part(0..3, 0..2)),
    ]
    .map(|play| app.spawn_shown("tetra.mdl#Scene", play));
    let steps = [
        (
            part,
            [at(1, 2, 0.0), at(1, 2, 0.5), at(2, 1, 0.5), at(1, 2, 0.5)],
        ),
        (
            of_part,
            [at(2, 2, 0.0), at(2, 2, 0.5), at(2, 2, 1.0), at(2, 2, 1.0)],
        ),
        // The pose at 0.1 to 0.3 s of its group.
        (
            of_group,
            [
                at(4, 4, 0.0),
                at(4, 4, 0.25),
                at(4, 4, 0.75),
                at(4, 4, 0.25),
            ],
        ),
        (
            beyond,
            [at(1, 2, 0.0), at(1, 2, 0.5), at(2, 1, 0.5), at(1, 2, 0.5)],
        ),
        (
            alone,
            [at(0, 0, 0.0), at(0, 0, 0.5), at(0, 0, 0.5), at(0, 0, 0.5)],
        ),
        (
            of_frames,
            [at(0, 1, 0.0), at(0, 1, 0.5), at(1, 1, 0.5), at(1, 1, 1.0)],
        ),
    ];
    // Spawning takes frames, but no time passes in them.
    for step in 0..4 {
        for (number, (root, expected)) in steps.iter().enumerate() {
            let found = shown(&mut app, *root);
            let expected = expected[step];
            assert!(close(found, expected), "{number} in {step}: {found:?}");
        }
        app.step(if step == 0 { 0.05 } else { 0.1 });
    }
    let ends = app.finished_clips();
    let are_once = |end: &ClipFinished| [of_part, of_frames].contains(&end.entity);
    assert!(ends.iter().all(are_once));
    assert_eq!(app.animator(of_group).sequence().pose_count, 1);
    // Backward, from the end.
    let backward = PlayClip::once(ClipRef::part("run", 1..3)).with_speed(-1.0);
    app.apply(part, backward);
    app.assert_time(part, 0.2);
    app.step(0.15);
    let found = shown(&mut app, part);
    assert!(close(found, at(1, 2, 0.5)), "{found:?}");
}

#[test]
fn missing_poses_of_an_mdl_clip_are_reported() {
    let mut app = app();
    for (clip, text) in [
        (
            ClipRef::part("run", 3..7),
            "\"run\", frames 3 to 6; its frames are 0 to 2",
        ),
        (
            ClipRef::part("burn", 1..1),
            "\"burn\", frames 1..1; its frames are 0 to 1",
        ),
        (
            ClipRef::part("sprint", 0..2),
            "no clip \"sprint\", frames 0 to 1; available clips: run",
        ),
    ] {
        let root = app.spawn_shown("tetra.mdl#Scene", PlayClip::looping(clip));
        app.step(0.1);
        log::expect_warnings(text, 1);
        assert_eq!(app.animator(root).shown().to.a, 0);
    }
}
