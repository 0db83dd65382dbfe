//! The setting `sound_table`: sounds and surface effects of animations are sent as events.

use super::play::{ala, model, moves};
use crate::manifest::reload::Folder;
use crate::support::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::alamo::AlamoPlugin;

const MODEL: &str = "Data/Art/Models/Unit.alo";
const TABLE: &str = "Data/XML/AnimationSFXMaps.txt";

/// The clip has five frames at 10 frames per second.
const ENTRIES: &str = "SOUND\tunit_move_00\t750\tMotor\n\
    SURFACE\tUNIT_MOVE_00\t0\tFootprint\tB_Foot\n\
    SOUND\tunit_move_00\t1200\tStep\n\
    SOUND\tunit_move_00\t1500\tAfter the end\n\
    SOUND\tother_move_00\t300\tOther\n";

fn app(table: Option<&str>) -> TestApp {
    log::listen();
    let mut files = vec![
        (MODEL, model()),
        ("Data/Art/Models/unit_MOVE_00.ala", ala(&moves(1.0))),
        ("Data/Art/Models/unit_DIE_00.ala", ala(&moves(2.0))),
    ];
    files.extend(table.map(|table| (TABLE, table.as_bytes().to_vec())));
    let plugin = AlamoPlugin {
        defaults: AloLoaderSettings {
            sound_table: Some("data/xml/animationsfxmaps.txt".to_owned()),
            ..default()
        },
        ..default()
    };
    TestApp::with_plugin(&files, ClassicModelsPlugins.set(plugin))
}

/// What a root has received: names, bones, and frames.
fn take(events: &Recorded<ModelEvent>, root: Entity) -> Vec<(String, Option<String>, u32)> {
    let events = events.take().into_iter();
    let own = events.filter(|event| event.entity == root);
    let own = own.inspect(|event| assert!(event.clip == "MOVE_00", "{event:?}"));
    own.map(|event| (event.name, event.bone, event.frame))
        .collect()
}

fn event(name: &str, bone: Option<&str>, frame: u32) -> (String, Option<String>, u32) {
    (name.to_owned(), bone.map(str::to_owned), frame)
}

#[test]
fn entries_of_the_table_are_sent_at_their_times() {
    let mut app = app(Some(ENTRIES));
    let events = app.record();
    let clips = ModelClips::new([NamedClip {
        name: "walk".into(),
        clip: "MOVE_00".into(),
        ..default()
    }]);
    for is_crowd in [false, true] {
        let root = app.spawn_model_ready(MODEL, (clips.clone(), PlayClip::looping("walk")));
        if is_crowd {
            app.insert(root, Crowd);
        }
        app.wait_for_clip(root);
        app.get_mut::<Playback>(root).time = 0.0;
        events.take();
        app.step(0.2);
        assert_eq!(take(&events, root), [event("Footprint", Some("B_Foot"), 0)]);
        app.step(0.06);
        assert_eq!(take(&events, root), [event("Motor", None, 3)]);
        // The last frame belongs to the step that reaches it.
        app.step(0.15);
        let expected = [
            event("Step", None, 4),
            event("Footprint", Some("B_Foot"), 0),
        ];
        assert_eq!(take(&events, root), expected);
        // In a part of the clip, beside an event of the root.
        let own = ClipEvent::new("MOVE_00", 3, "own");
        app.insert(root, ModelEvents::new([own]));
        app.apply(root, PlayClip::once(ClipRef::part("MOVE_00", 2..4)));
        events.take();
        app.step(0.25);
        let expected = [event("Motor", None, 3), event("own", None, 3)];
        assert_eq!(take(&events, root), expected);
        app.despawn(root);
    }
}

#[test]
fn changed_table_applies_to_spawned_models() {
    log::listen();
    let meta = r#"(meta_format_version: "1.0", asset: Load(
        loader: "bevy_classic_models::alamo::loader::AloLoader",
        settings: (sound_table: Some("Sounds.txt")),
    ))"#;
    let mut app = Folder::watching(&[
        ("Unit.alo", model()),
        ("Unit.alo.meta", meta.as_bytes().to_vec()),
        ("unit_MOVE_00.ala", ala(&moves(1.0))),
        ("sounds.txt", ENTRIES.as_bytes().to_vec()),
    ]);
    let root = app.spawn("Unit.alo");
    app.wait_for(root);
    let names = |world: &World| {
        let instance = world.get::<AloInstance>(root).unwrap();
        let events = &instance.model().animation("MOVE_00").unwrap().events;
        let names = events.iter().map(|event| event.string.to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        names(app.app.world()),
        ["Footprint", "Motor", "Step", "After"]
    );
    app.save("sounds.txt", "SOUND unit_move_00 900 New\n<xml/>\n");
    app.wait("the other table", |world| names(world) == ["New"]);
    log::expect_warnings("sounds.txt:2:1: a line begins neither", 1);
}

#[test]
fn missing_table_is_a_warning() {
    let mut app = app(None);
    let root = app.spawn_model_ready(MODEL, PlayClip::looping("MOVE_00"));
    app.wait_for_clip(root);
    app.step(0.1);
    log::expect_warnings("Unit.alo: animations have no sounds:", 1);
}
