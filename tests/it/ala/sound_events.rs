//! The asset of sound events: several files of one list, from folders and archives.

use crate::manifest::reload::Folder;
use crate::support::archives::Games;
use crate::support::prelude::*;
use bevy_classic_models::alamo::AloSoundEvents;

const LIST: &str = "<SFXEvent_Files>\n<File>SFX\\SFXEventPresets.xml</File>\n<File>SFXEvents.XML</File>\n\
    <File>Missing.xml</File><File>SFX\\Broken.xml</File></SFXEvent_Files>";
const PRESETS: &str = "<SFXEvents><SFXEvent Name=\"Preset_GUN\"><Is_Preset>Yes</Is_Preset>\
    <Min_Volume>85</Min_Volume><Max_Volume>85</Max_Volume></SFXEvent></SFXEvents>";
const EVENTS: &str = "<SFXEvents><SFXEvent Name=\"Unit_Fire\"><Use_Preset>Preset_GUN</Use_Preset>\
    <Samples>Gun_1.wav</Samples><Priority>high</Priority></SFXEvent></SFXEvents>";
const BROKEN: &str = "<SFXEvents>\n<SFXEvent Name=\"Unit_Move\"><Samples>Motor.wav</Samples></SFXEvent>\n\
    <SFXEvent Name=\"Unit_Die\"></SFXEvents>";

/// The files of a game.
const FILES: [(&str, &str); 4] = [
    ("Data/XML/SFXEventFiles.xml", LIST),
    ("Data/XML/SFX/SfxEventPresets.xml", PRESETS),
    ("Data/XML/SFXEvents.xml", EVENTS),
    ("Data/XML/SFX/Broken.xml", BROKEN),
];

/// The names of the events, with their samples and volumes.
fn described(events: &AloSoundEvents) -> Vec<String> {
    let described = events.iter().map(|event| {
        let samples: Vec<&str> = event.samples.iter().collect();
        format!("{} {samples:?} {:?}", event.name, event.volume)
    });
    described.collect()
}

const EXPECTED: [&str; 2] = [
    "Unit_Fire [\"Gun_1.wav\"] 0.85..=0.85",
    "Unit_Move [\"Motor.wav\"] 1.0..=1.0",
];

#[test]
fn files_of_a_list_are_loaded_from_archives() {
    log::listen();
    let games = Games::new();
    games.pack("sounds.meg", &FILES);
    let mut app = App::new();
    let source = games.source(["sounds.meg"]);
    app.register_asset_source("game", source.into_builder());
    let mut app = TestApp::with_sources(app, gpuless::plugins(Path::new("unused"), false));
    let events = app.load::<AloSoundEvents>("game://data/xml/sfxeventfiles.xml");
    app.wait_loaded(&events);
    let events = app
        .world()
        .resource::<Assets<AloSoundEvents>>()
        .get(&events);
    assert_eq!(described(events.unwrap()), EXPECTED);
    assert!(events.unwrap().get("UNIT_FIRE").is_some());
    log::expect_warnings(
        "sfxeventfiles.xml: events are missing: \"Missing.xml\" was",
        1,
    );
    log::expect_warnings(
        "sfxevents.xml:1:102: \"Unit_Fire\": a value is not a number: \"high\"",
        1,
    );
    let end = "the end tag is \"SFXEvents\", expected </SFXEvent>; the events after it are missing";
    let warnings = log::expect_warnings("broken.xml:3:27: XML: list is malformed:", 1);
    assert!(warnings[0].contains(end), "{warnings:?}");
}

#[test]
fn changed_files_are_loaded_again() {
    let files = FILES.map(|(path, text)| (path, text.as_bytes().to_vec()));
    let mut app = Folder::watching(&files);
    let server = app.app.world().resource::<AssetServer>().clone();
    let handle = server.load::<AloSoundEvents>("Data/XML/SFXEventFiles.xml");
    let is = |world: &World, expected: &[&str]| {
        let events = world.resource::<Assets<AloSoundEvents>>().get(&handle);
        events.is_some_and(|events| described(events) == expected)
    };
    app.wait("the events", |world| is(world, &EXPECTED));
    let louder = PRESETS.replace("85", "90");
    app.save("Data/XML/SFX/SfxEventPresets.xml", louder);
    let expected = [&EXPECTED[0].replace("85", "9"), EXPECTED[1]];
    app.wait("other presets", |world| is(world, &expected));
    app.save(
        "Data/XML/Missing.xml",
        "<a><b Name='Zap'><Samples>Zap.wav</Samples></b></a>",
    );
    let added = [expected[0], expected[1], "Zap [\"Zap.wav\"] 1.0..=1.0"];
    app.wait("the missing file", |world| is(world, &added));
    // A malformed list keeps the events.
    app.save("Data/XML/SFXEventFiles.xml", "<a>");
    app.wait("the error", |_| {
        let state = server.load_state(&handle);
        state.is_failed()
    });
    assert!(is(app.app.world(), &added));
}
