//! Clips of manifests: warnings about clips that a model does not have, and sharing between entities.

use crate::ala::play as ala_play;
use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;
use async_lock::Mutex;
use bevy::reflect::TypePath;
use bevy_classic_models::alamo::AlaTracks;

/// Asserts that each warning about a model contains one of the expected texts, and that there are no others.
#[track_caller]
fn assert_warnings(path: &str, expected: &[&str]) {
    let mut warnings = log::warnings_with(path);
    warnings.sort();
    for expected in expected {
        let index = warnings
            .iter()
            .position(|warning| warning.contains(expected));
        let index = index.unwrap_or_else(|| panic!("{expected} is not among {warnings:#?}"));
        warnings.remove(index);
    }
    assert!(warnings.is_empty(), "{warnings:#?}");
}

/// Runs frames while a load is blocked.
fn run_frames(app: &mut TestApp) {
    app.steps(5, 0.1);
}

fn settle(app: &mut TestApp) {
    app.run_until_idle(0.1, |_| {});
}

#[test]
fn missing_clips_of_a_quake_model_are_reported_with_available_clips() {
    log::listen();
    let manifest = r#"(model: "lacks_clips.mdl", clips: [
        (name: "good", clip: "run"),
        (name: "typo", clip: "rum"),
        (name: "beyond", frames: (400, 500)),
        (name: "late", clip: "run", frames: (400, 500)),
    ], play: "good")"#;
    let mut app = TestApp::new(&[("a.model.ron", text(manifest)), ("lacks_clips.mdl", mdl())]);
    for _ in 0..2 {
        app.spawn_model_ready("a.model.ron", ());
        settle(&mut app);
        assert_warnings(
            "lacks_clips.mdl",
            &[
                r#"has no clip "rum" (alias "typo"); available clips: run"#,
                r#"has no clip of frames 400 to 500 (alias "beyond")"#,
                r#"has no valid frame in clip "run", frames 400 to 500 (alias "late"); its frames are 0 to"#,
            ],
        );
    }
}

#[test]
fn missing_clips_of_a_lithtech_model_are_reported() {
    log::listen();
    let manifest = r#"(model: "lacks_clips.abc", clips: [
        (name: "good", clip: 0),
        (name: "typo", clip: "wlak"),
        (name: "late", clip: 0, frames: (400, 500)),
        (name: "none", clip: 99),
    ])"#;
    let mut app = TestApp::new(&[
        ("a.model.ron", text(manifest)),
        ("lacks_clips.abc", abc::bytes(&abc::figure())),
    ]);
    app.spawn_model_ready("a.model.ron", ());
    settle(&mut app);
    assert_warnings(
        "lacks_clips.abc",
        &[
            r#"has no clip "wlak" (alias "typo")"#,
            r#"has no valid frame in clip at index 0, frames 400 to 500 (alias "late")"#,
            r#"has no clip at index 99 (alias "none")"#,
        ],
    );
}

#[test]
fn missing_clips_of_an_alamo_model_are_reported_even_if_not_played() {
    log::listen();
    let manifest = r#"(model: "art/Unit.alo", clips: [
        (name: "typo", clip: "MOVE_77"),
        (name: "other", clip: "MOVE_78"),
    ], play: "typo")"#;
    let mut files = ala_play::files();
    files.push(("lacks_clips.model.ron", text(manifest)));
    let mut app = TestApp::new(&files);
    app.spawn_model_ready("lacks_clips.model.ron", ());
    settle(&mut app);
    for (clip, name) in [("MOVE_77", "typo"), ("MOVE_78", "other")] {
        let warnings = log::warnings_with(clip);
        let [warning] = &warnings[..] else {
            panic!("{warnings:?}");
        };
        let expected = format!("has no clip \"{clip}\" (alias \"{name}\"); available clips: ");
        assert!(warning.contains(&expected), "{warning}");
    }
}

/// Loads any file as an animation of five frames. Does not finish while the lock is held.
#[derive(TypePath)]
struct LockedAlaLoader(Arc<Mutex<()>>);

impl AssetLoader for LockedAlaLoader {
    type Asset = Ala;
    type Settings = ();
    type Error = std::io::Error;

    async fn load(
        &self,
        _: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<Ala, std::io::Error> {
        drop(self.0.lock().await);
        let label = AlaAssetLabel::Clip.to_string();
        Ok(Ala {
            clip: load_context.add_labeled_asset(label, AnimationClip::default()),
            version: 1,
            frames: 5,
            fps: 10.0,
            bones: Vec::new(),
            warnings: Vec::new(),
            tracks: AlaTracks::default(),
        })
    }

    fn extensions(&self) -> &[&str] {
        &["ala"]
    }
}

/// The warnings about parts of a model's clips without frames.
fn empty_parts(model: &str) -> Vec<String> {
    log::warnings_with(&format!("{model} has no valid frame in clip"))
}

#[track_caller]
fn assert_one_empty_part(app: &mut TestApp, model: &str, expected: &str) {
    app.wait("the warning", |_| !empty_parts(model).is_empty());
    settle(app);
    let warnings = empty_parts(model);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains(expected), "{warnings:?}");
}

#[test]
fn frames_beyond_an_alamo_clip_are_reported_once_its_file_is_loaded() {
    log::listen();
    let manifest = r#"(model: "late_frames.alo", clips: [
        (name: "good", clip: "MOVE_00", frames: (3, 4)),
        (name: "beyond", clip: "MOVE_00", frames: (5, 9)),
    ])"#;
    let mut app = TestApp::new(&[
        ("late_frames.model.ron", text(manifest)),
        ("late_frames.alo", alo::clean()),
        ("late_frames_MOVE_00.ala", ala::small(1)),
    ]);
    let lock = Arc::new(Mutex::new(()));
    let locked = lock.try_lock_arc().unwrap();
    let server = app.server();
    server.register_loader(LockedAlaLoader(lock));
    let first = app.spawn_model_ready("late_frames.model.ron", ());
    run_frames(&mut app);
    assert_eq!(empty_parts("late_frames.alo"), [""; 0]);
    // Another instance with the same clips and model keeps the check pending.
    app.spawn_model_ready("late_frames.model.ron", ());
    run_frames(&mut app);
    app.despawn(first);
    drop(locked);
    let expected = r#""MOVE_00", frames 5 to 9 (alias "beyond"); its frames are 0 to 4"#;
    assert_one_empty_part(&mut app, "late_frames.alo", expected);
}

#[test]
fn frames_beyond_a_clip_that_is_a_file_are_reported() {
    log::listen();
    let manifest = r#"(model: "file_frames.alo", clips: [
        (name: "good", file: "far/walk.ala", frames: (1, 2)),
        (name: "long", file: "far/walk.ala", frames: (1, 9)),
        (name: "beyond", file: "far/walk.ala", frames: (3, 9)),
    ])"#;
    let mut app = TestApp::new(&[
        ("file_frames.model.ron", text(manifest)),
        ("file_frames.alo", alo::clean()),
        ("far/walk.ala", ala::small(1)),
    ]);
    app.spawn_model_ready("file_frames.model.ron", ());
    let expected = r#"far/walk.ala#Clip, frames 3 to 9 (alias "beyond"); its frames are 0 to 2"#;
    assert_one_empty_part(&mut app, "file_frames.alo", expected);
    let long = r#"has no frames 3 to 9 in clip far/walk.ala#Clip, frames 1 to 9 (alias "long"); its frames are 0 to 2"#;
    log::expect_warning(long, "file_frames.alo");
    // Only the clip stays loaded.
    app.wait("the animation is released", |world| {
        world.resource::<Assets<Ala>>().is_empty()
    });
}

#[test]
fn entities_of_a_manifest_share_its_clips_until_it_is_edited() {
    let manifest = |stage: u32| {
        format!(r#"(model: "a.mdl", clips: [(name: "x", clip: "run")], damage_stage: {stage})"#)
    };
    let mut app = TestApp::new(&[
        ("shares.model.ron", text(&manifest(1))),
        ("other.model.ron", text(&manifest(1))),
        ("a.mdl", mdl()),
    ]);
    let path = "shares.model.ron";
    let [one, two] = [(); 2].map(|()| app.spawn_model_ready(path, ()));
    let other = app.spawn_model_ready("other.model.ron", ());
    let clips = |app: &mut TestApp, root| app.cloned::<ModelClips>(root).unwrap();
    assert!(Arc::ptr_eq(
        &clips(&mut app, one).0,
        &clips(&mut app, two).0
    ));
    assert!(!Arc::ptr_eq(
        &clips(&mut app, one).0,
        &clips(&mut app, other).0
    ));
    app.edit(path, manifest(2).replace("\"run\"", "0"));
    app.wait_for_component(one, DamageStage(2));
    let edited = clips(&mut app, one);
    assert_eq!(edited.0[0].clip, ClipRef::Index(0));
    assert!(Arc::ptr_eq(&edited.0, &clips(&mut app, two).0));
    // An edit in code applies to entities that are spawned in the same frame.
    let handle: Handle<ModelManifest> = app.load(path);
    let mut manifests = app.world().resource_mut::<Assets<ModelManifest>>();
    manifests.get_mut(&handle).unwrap().damage_stage = Some(3);
    let three = app.spawn_entity(ClassicModel::new(handle));
    app.step(0.0);
    assert_eq!(app.cloned(three), Some(DamageStage(3)));
}

#[test]
fn events_of_a_manifest_are_sent_and_follow_its_edits() {
    let manifest = |events: &str| {
        format!(
            r#"(model: "sends.mdl", clips: [(name: "go", clip: "run", frames: (1, 2))],
                events: [{events}], play: "go")"#
        )
    };
    let first =
        manifest(r#"(clip: "go", frame: 1, name: "step"), (clip: 0, frame: 1, name: "early")"#);
    let mut app = TestApp::new(&[("sends.model.ron", text(&first)), ("sends.mdl", mdl())]);
    let received = app.record::<ModelEvent>();
    let take = || {
        let events = received.take().into_iter();
        let events = events.map(|event| (event.name, event.frame));
        events.collect::<Vec<_>>()
    };
    let root = app.spawn_model_ready("sends.model.ron", ());
    assert_eq!(app.cloned::<ModelEvents>(root).unwrap().0.len(), 2);
    app.step(0.05);
    assert_eq!(
        take(),
        [("early".to_owned(), 1)],
        "frame 1 of the file is the first that plays"
    );
    app.step(0.1);
    assert_eq!(take(), [("step".to_owned(), 1)]);
    // The clip is at 0.15 seconds of 0.2.
    app.edit(
        "sends.model.ron",
        manifest(r#"(clip: "go", frame: 0, name: "again")"#),
    );
    app.wait("the edit", |world| {
        world
            .get::<ModelEvents>(root)
            .is_some_and(|events| events.0.len() == 1)
    });
    app.step(0.1);
    assert_eq!(take(), [("again".to_owned(), 0)]);
    app.edit("sends.model.ron", manifest(""));
    app.wait("the edit", |world| {
        !world.entity(root).contains::<ModelEvents>()
    });
    app.step(0.2);
    assert!(take().is_empty());
    // The game's own events stay.
    let own = ModelEvents::new([ClipEvent::new("go", 0, "own")]);
    app.insert(root, own.clone());
    app.edit("sends.model.ron", &first);
    settle(&mut app);
    assert_eq!(app.cloned::<ModelEvents>(root), Some(own));
}

#[test]
fn events_at_missing_frames_and_clips_are_reported() {
    log::listen();
    let manifest = |model: &str, clip: &str| {
        format!(
            r#"(model: "{model}", clips: [(name: "part", clip: "{clip}", frames: (1, 2))], events: [
                (clip: "{clip}", frame: 0, name: "good"),
                (clip: "{clip}", frame: 9999, name: "late"),
                (clip: "part", frame: 1, name: "last"),
                (clip: "part", frame: 2, name: "beyond"),
                (clip: "unknown", frame: 0, name: "lost"),
            ])"#
        )
    };
    let mut app = TestApp::new(&[
        ("a.model.ron", text(&manifest("lacks_frames.mdl", "run"))),
        ("b.model.ron", text(&manifest("lacks_frames.abc", "Walk"))),
        ("lacks_frames.mdl", mdl()),
        ("lacks_frames.abc", abc::bytes(&abc::figure())),
    ]);
    for (file, model) in [
        ("a.model.ron", "lacks_frames.mdl"),
        ("b.model.ron", "lacks_frames.abc"),
    ] {
        for _ in 0..2 {
            app.spawn_model_ready(file, ());
            settle(&mut app);
            assert_warnings(
                model,
                &[
                    r#"has no frame 9999 in clip "#,
                    r#"has no frame 2 in clip "part" for the event "beyond"; its last frame is 1"#,
                    r#"has no clip "unknown"; available clips"#,
                ],
            );
        }
    }
}
