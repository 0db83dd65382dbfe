//! Tests of the panels without a window: input is given to egui directly, and texts are found among what it draws.

mod driver;

use crate::log_buffer::{LogLine, Severity};
use crate::view::actions::action::{Action, Overlay, Panel, SearchField};
use crate::view::camera::framing::Framing;
use crate::view::draw::lighting::LightSet;
use crate::view::open::browser::{Browser, Place};
use crate::view::panels::data::{
    ClipRow, Damage, Details, Lods, ModelRow, OverlayChoices, PanelData, PartRow, PlaceRow,
    Playing, Preview, Problem, SkinRow, TextureRow,
};
use bevy::prelude::*;
use bevy_classic_models::prelude::ModelSkin;
use bevy_egui::egui::{Key, Pos2, Rect, TextureId, pos2, vec2};
use driver::Driver;
use std::path::PathBuf;

const SIZE: [f32; 2] = [1280.0, 720.0];

fn entity(index: u32) -> Entity {
    Entity::from_raw_u32(index).unwrap()
}

fn clip(index: usize, name: &str, plays: bool) -> ClipRow {
    ClipRow {
        name: name.to_owned(),
        length: "1.60 s".to_owned(),
        from_manifest: false,
        plays,
        action: Some(Action::Clip(index)),
        facts: "48 frames".to_owned(),
    }
}

fn part(name: &str, shows: bool) -> PartRow {
    PartRow {
        name: name.to_owned(),
        kind: "mesh",
        detail: "mesh".to_owned(),
        shows,
        shows_in_file: true,
        is_data: false,
        entity: Some(entity(7)),
    }
}

fn problem(model: &str, text: &str) -> Problem {
    Problem {
        model: model.to_owned(),
        text: text.to_owned(),
        is_error: false,
    }
}

/// Two models; the first is selected, and plays a clip.
fn data() -> PanelData {
    let model = |name: &str| ModelRow {
        name: name.to_owned(),
        is_broken: false,
    };
    PanelData {
        models: vec![model("walker.alo"), model("crate.alo")],
        clips: vec![
            clip(0, "ATTACK_00", false),
            clip(1, "DIE_00", false),
            clip(2, "MOVE_00", true),
        ],
        is_at_rest: Some(false),
        playback: Some(Playing {
            loops: true,
            speed: 1.0,
            can_reverse: true,
            time: 0.4,
            length: 1.6,
            status: "frame 12 of 48".to_owned(),
            ..Playing::default()
        }),
        details: Details {
            facts: vec!["Alamo model".to_owned()],
            lods: Some(Lods {
                labels: vec!["LOD 1".to_owned(), "LOD 0".to_owned()],
                shown: 0,
            }),
            damage: Some(Damage { shown: 0, last: 2 }),
            team: Some(None),
            parts: vec![part("Hull", true), part("Turret", false)],
            bones: vec![PlaceRow {
                name: "Root".to_owned(),
                depth: 1,
                is_hidden: false,
                entity: Some(entity(9)),
                ..PlaceRow::default()
            }],
            textures: vec![TextureRow {
                name: "walker.tga".to_owned(),
                detail: "not found".to_owned(),
                preview: None,
                is_missing: true,
            }],
            ..Details::default()
        },
        ..PanelData::default()
    }
}

fn files() -> Browser {
    let models = ["walker.alo", "walker_gun.alo", "tower.alo"];
    let models = models.map(|name| format!("models/{name}")).to_vec();
    Browser::of_models(Place::Archive, PathBuf::from("base.meg"), models)
}

fn driver() -> Driver {
    Driver::new(SIZE, data(), files())
}

#[test]
fn clicks_are_actions() {
    let mut driver = driver();
    for (text, expected) in [
        ("DIE_00", Action::Clip(1)),
        ("rest pose", Action::Rest),
        ("crate.alo", Action::Select(1)),
        ("✖", Action::Close(0)),
        ("Edges", Action::Overlay(Overlay::Wireframe)),
        ("Floor", Action::Overlay(Overlay::Floor)),
        ("Backward", Action::Reverse),
    ] {
        assert_eq!(driver.click(text), [expected], "{text}");
    }
    assert_eq!(driver.click("Light"), []);
    let lights = Action::Light(LightSet::Game);
    assert_eq!(driver.click("Game  (Y)"), [lights]);
}

#[test]
fn a_search_by_keyboard_plays_the_first_clip_that_matches() {
    let mut driver = driver();
    driver.act(&Action::Search(SearchField::Clips));
    assert!(driver.is_typing());
    driver.write("att");
    assert!(driver.has("ATTACK_00") && !driver.has("MOVE_00"));
    assert_eq!(driver.key(Key::Enter), [Action::Clip(0)]);
    assert!(!driver.is_typing(), "keys have their other meanings again");
}

#[test]
fn files_are_searched_and_opened() {
    let mut driver = driver();
    let path = |name: &str| PathBuf::from("base.meg/models").join(name);
    assert_eq!(driver.click("tower.alo"), [Action::Open(path("tower.alo"))]);
    driver.act(&Action::Search(SearchField::Files));
    driver.write("gun walk");
    assert!(driver.has("1 of 3"), "{:?}", driver.texts());
    let opened = [Action::Open(path("walker_gun.alo"))];
    assert_eq!(driver.key(Key::Enter), opened);
    // The search does not apply to another folder.
    driver.browser = files();
    driver.settle();
    assert!(driver.has("tower.alo") && driver.has("search files   ( / )"));
}

#[test]
fn the_list_scrolls_to_the_file_that_is_opened() {
    let models = (0..200).map(|index| format!("m/{index:03}.mdl")).collect();
    let browser = Browser::of_models(Place::Archive, PathBuf::from("pak0.pak"), models);
    let mut driver = Driver::new(SIZE, data(), browser);
    assert!(driver.has("000.mdl") && !driver.has("150.mdl"));
    let opened = PathBuf::from("pak0.pak/m/150.mdl");
    driver.browser.set_opened(&opened);
    driver.settle();
    assert!(driver.has("150.mdl") && !driver.has("000.mdl"));
}

#[test]
fn the_slider_of_the_time_seeks() {
    let mut driver = driver();
    let y = driver.place("0.40 / 1.60 s   ").center().y;
    let actions = driver.click_at(pos2(600.0, y));
    let [Action::Seek(time), ..] = actions[..] else {
        panic!("{actions:?}");
    };
    assert!((0.3..1.4).contains(&time), "{time}");
    let later = driver.drag(pos2(600.0, y), pos2(900.0, y));
    let Some(Action::Seek(end)) = later.last() else {
        panic!("{later:?}");
    };
    assert!(*end > time, "{time} {end}");
}

#[test]
fn parts_are_hidden_and_framed() {
    let mut driver = driver();
    let hull = driver.place("Hull");
    let frame = Action::Frame(Framing::Part(entity(7)));
    assert_eq!(driver.click("Hull"), [frame]);
    // The check box is left of the name.
    let left = vec2(22.0, 0.0);
    let hidden = driver.click_at(hull.left_center() - left);
    assert_eq!(hidden, [Action::Part("Hull".to_owned(), Some(false))]);
    let turret = driver.place("Turret").left_center();
    let shown = driver.click_at(turret - left);
    assert_eq!(shown, [Action::Part("Turret".to_owned(), None)]);
    let reset = driver.click("Show all as in the file");
    assert_eq!(reset, [Action::ResetParts]);
}

#[test]
fn a_search_opens_closed_lists() {
    let mut driver = driver();
    assert!(!driver.has("Root"), "the list of bones is closed");
    driver.act(&Action::Search(SearchField::Details));
    driver.write("roo");
    assert!(driver.has("Root") && !driver.has("Hull"));
    let frame = Action::Frame(Framing::Part(entity(9)));
    assert_eq!(driver.click("Root"), [frame]);
}

#[test]
fn team_colors_are_chosen() {
    let mut driver = driver();
    let [Action::Team(Some(color))] = driver.click("red")[..] else {
        panic!("no team color");
    };
    assert_eq!(color, crate::view::models::file_data::TEAMS[0].1);
    driver.data.details.team = Some(Some(Color::BLACK));
    driver.settle();
    assert_eq!(driver.click("none"), [Action::Team(None)]);
}

#[test]
fn a_missing_skin_offers_files() {
    let mut driver = driver();
    let file = PathBuf::from("game/Skins/hero.dtx");
    driver.data.details.skin_candidates = vec![file.clone()];
    driver.settle();
    assert_eq!(driver.click("hero.dtx"), [Action::SkinFile(file)]);
    let skin = |index: usize, is_active| SkinRow {
        label: format!("skin {index}"),
        skin: ModelSkin::Index(index),
        is_active,
    };
    driver.data.details.skins = vec![skin(0, true), skin(1, false)];
    driver.settle();
    assert_eq!(driver.click("skin 1"), [Action::Skin(ModelSkin::Index(1))]);
}

#[test]
fn the_log_has_each_problem_once() {
    let mut driver = driver();
    driver.data.problems = vec![
        problem("walker.alo", "the bone is missing"),
        problem("crate.alo", "no texture"),
    ];
    driver.log = vec![LogLine {
        severity: Severity::Warning,
        text: "a.alo: no texture".to_owned(),
    }];
    driver.settle();
    let toggle = [Action::Toggle(Panel::Log)];
    assert_eq!(driver.click("Log: 3 warnings"), toggle);
    // The third is the missing texture, which the loader logs.
    assert!(driver.has("a.alo: no texture"));
    assert!(driver.has("walker.alo: the bone is missing"));
    assert!(!driver.has("crate.alo: no texture"), "it is in the log");
}

#[test]
fn the_keys_are_shown_and_escape_closes_them() {
    let mut driver = driver();
    driver.act(&Action::Toggle(Panel::Keys));
    assert!(driver.has("orbits the models"));
    driver.key(Key::Escape);
    assert!(!driver.has("orbits the models"));
}

#[test]
fn recent_files_are_in_the_menu() {
    let mut driver = driver();
    let file = PathBuf::from("/models/a.mdl");
    driver.recent = vec![file.clone()];
    driver.click("Open");
    assert_eq!(driver.click("/models/a.mdl"), [Action::Open(file)]);
}

#[test]
fn tab_reaches_the_widgets() {
    let mut driver = driver();
    assert!(!driver.has_focus());
    driver.key(Key::Tab);
    assert!(driver.has_focus());
    // The first widget is the menu.
    driver.key(Key::Enter);
    assert!(driver.has("Opened last:"), "{:?}", driver.texts());
}

#[test]
fn panels_leave_most_of_the_window_free() {
    for (size, width, height) in [
        ([1280.0, 720.0], 660.0, 590.0),
        ([1920.0, 1080.0], 1300.0, 950.0),
    ] {
        let mut driver = Driver::new(size, data(), files());
        let free = driver.free;
        assert!(free.width() >= width, "{free:?}");
        assert!(free.height() >= height, "{free:?}");
        assert!(free.contains(driver.middle()));
        for panel in [Panel::Left, Panel::Right] {
            driver.act(&Action::Toggle(panel));
        }
        assert_eq!(driver.free.width(), size[0]);
    }
}

#[test]
fn nothing_overlaps_in_a_small_window() {
    let mut data = data();
    data.details.overlays = OverlayChoices {
        bones: true,
        proxies: true,
        lights: true,
        dims: true,
    };
    if let Some(playing) = &mut data.playback {
        playing.has_particles = true;
    }
    data.problems = vec![problem("a", "no texture"), problem("b", "no skin")];
    for size in [[800.0, 600.0], [1024.0, 600.0], SIZE] {
        let mut driver = Driver::new(size, data.clone(), files());
        let window = Rect::from_min_size(Pos2::ZERO, size.into());
        let texts = "Open,Frame,Edges,Proxies,Night,Save,?,MOVE_00,Hull,yellow,Speed,Loop,End births,LOD,Damage";
        let texts: Vec<&str> = texts.split(',').chain(["Log: 3 warnings"]).collect();
        let places: Vec<Rect> = texts.iter().map(|text| driver.place(text)).collect();
        for (index, place) in places.iter().enumerate() {
            let text = texts[index];
            assert!(
                window.shrink(2.0).contains_rect(*place),
                "{text}: {place:?}"
            );
            for (other, name) in places[..index].iter().zip(&texts) {
                assert!(
                    !place.intersects(*other),
                    "{size:?}: {text} and {name}: {places:?}"
                );
            }
        }
        // Most of the height is free, also if the lines of buttons are broken.
        assert!(driver.free.height() > 0.75 * size[1], "{:?}", driver.free);
        driver.act(&Action::Toggle(Panel::Keys));
        driver.settle();
        for text in ["Keys and mouse", "orbits the models"] {
            let place = driver.place(text);
            assert!(window.contains_rect(place), "{text}: {place:?}");
        }
        // All keys are visible without scrolling if there is space.
        let last = "collision trees: off, each level, all levels";
        assert_eq!(driver.has(last), size[0] > 900.0, "{size:?}");
        if size[0] > 900.0 {
            let place = driver.place(last);
            // The text is not cut off.
            assert!(
                place.width() > 220.0 && window.contains_rect(place),
                "{place:?}"
            );
        }
    }
}

#[test]
fn an_empty_window_says_what_to_do() {
    let driver = Driver::new(SIZE, PanelData::default(), Browser::default());
    let hint = driver.texts().iter().any(|text| text.starts_with("Drop "));
    assert!(hint && driver.has("No model is selected."));
}

#[test]
fn the_level_of_detail_is_beside_its_slider() {
    for width in (800..1300).step_by(20) {
        let driver = Driver::new([width as f32, 600.0], data(), files());
        let [name, level] = ["LOD", "LOD 1"].map(|text| driver.place(text));
        let offset = (name.center().y - level.center().y).abs();
        assert!(offset < 4.0, "{width}: {name:?} {level:?}");
    }
}

#[test]
fn cube_maps_have_all_faces_in_a_window() {
    let mut driver = driver();
    driver.data.details.textures = vec![TextureRow {
        name: "sky.dds".to_owned(),
        detail: "64 × 64, cube map".to_owned(),
        preview: Some(Preview {
            faces: (0..6).map(TextureId::User).collect(),
            size: [64, 64],
        }),
        is_missing: false,
    }];
    driver.settle();
    assert_eq!(driver.count_textures(), 6);
    driver.click("sky.dds");
    assert_eq!(driver.count_textures(), 12, "in the list and large");
    assert!(driver.has("+X, −X, +Y; −Y, +Z, −Z"));
    let title = driver.place("+X, −X, +Y; −Y, +Z, −Z");

    assert!(
        driver.free.contains_rect(title),
        "{title:?} in {:?}",
        driver.free
    );
    driver.key(Key::Escape);
    assert_eq!(driver.count_textures(), 6, "Escape closes the window");
}

#[test]
fn a_search_counts_its_matches_and_hides_lists_without_any() {
    let mut driver = driver();
    assert!(driver.has("Parts  (2)") && driver.has("Textures  (1)"));
    driver.state.details.text = "turret".to_owned();
    driver.settle();
    assert!(driver.has("Parts  (1)"), "{:?}", driver.texts());
    assert!(!driver.has("Textures  (1)") && !driver.has("Bones  (1)"));
}

#[test]
fn a_chosen_skin_is_not_reported_as_missing() {
    let mut driver = driver();
    let hint = |driver: &Driver| {
        let mut texts = driver.texts().into_iter();
        texts.any(|text| text.starts_with("The skin was not found"))
    };
    driver.data.details.skin_candidates = vec![PathBuf::from("game/Skins/hero.dtx")];
    driver.settle();
    assert!(hint(&driver));
    driver.data.details.skins = vec![SkinRow {
        label: "hero.dtx".to_owned(),
        skin: ModelSkin::Index(0),
        is_active: true,
    }];
    driver.settle();
    assert!(!hint(&driver));
}
