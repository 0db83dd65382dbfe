//! Whose the models are that manifests hang on others: the manifest's, until the game takes them.

use crate::manifest::spawn::{children, edit, get, hung, mdl, spawn_ready, text, wait, wait_for};
use crate::support::abc;
use crate::support::app::TestApp;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

const GUN: &str = r#"(bone: "Arm", model: "gun.mdl", play: "run")"#;

/// A manifest that hangs something, and another one that hangs nothing.
fn manifest(alt: u32, attachments: &str) -> String {
    format!("(model: \"body.abc\", alt: {alt}, attachments: [{attachments}])")
}

fn armory(attachments: &str) -> TestApp {
    TestApp::new(&[
        ("body.abc", abc::bytes(&abc::figure())),
        ("gun.mdl", mdl()),
        ("armed.model.ron", text(&manifest(1, attachments))),
        ("unarmed.model.ron", text(&manifest(1, ""))),
    ])
}

/// Spawns a soldier with one gun.
fn armed(app: &mut TestApp) -> (Entity, Entity) {
    let soldier = spawn_ready(app, "armed.model.ron", ());
    let [(_, gun)] = hung(app, soldier)[..] else {
        panic!("one gun");
    };
    wait_for(app, gun);
    (soldier, gun)
}

/// Has a soldier's manifest state other attachments.
#[track_caller]
fn restate(app: &mut TestApp, soldier: Entity, alt: u32, attachments: &str) {
    edit(app, "armed.model.ron", &manifest(alt, attachments));
    wait(app, "the edit", |world| {
        world.get::<DamageStage>(soldier) == Some(&DamageStage(alt))
    });
    app.step(0.0);
}

fn drop_it(app: &mut TestApp, gun: Entity) {
    app.world().entity_mut(gun).remove::<AttachedToBone>();
}

/// Hangs a gun on a soldier of its own, who has none.
fn loot_it(app: &mut TestApp, gun: Entity) {
    let to = spawn_ready(app, "unarmed.model.ron", ());
    let bone = "Arm".to_owned();
    app.world()
        .entity_mut(gun)
        .insert(AttachedToBone { to, bone });
}

#[test]
fn what_the_game_has_taken_outlives_the_model() {
    let mut app = armory(GUN);
    for take in [drop_it, loot_it] {
        for is_despawned in [true, false] {
            for frames in [0, 3] {
                let (soldier, gun) = armed(&mut app);
                take(&mut app, gun);
                for _ in 0..frames {
                    app.step(0.0);
                }
                let mut entity = app.world().entity_mut(soldier);
                match is_despawned {
                    true => entity.despawn(),
                    false => _ = entity.remove::<ClassicModel>(),
                }
                app.step(0.0);
                app.step(0.0);
                assert_eq!(children(&mut app, gun).len(), 1, "its scene is there");
                assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("run")));
            }
        }
    }
}

#[test]
fn what_the_game_has_taken_is_not_the_manifests() {
    for take in [drop_it, loot_it] {
        let mut app = armory(GUN);
        let (soldier, gun) = armed(&mut app);
        take(&mut app, gun);
        app.step(0.0);
        let place = get::<Transform>(&mut app, gun);
        // It is stated otherwise.
        let turned = r#"(bone: "Arm", model: "gun.mdl", play: "die", rotation: (0, 90, 0))"#;
        restate(&mut app, soldier, 2, turned);
        assert!(hung(&mut app, soldier).is_empty(), "no second one");
        assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("run")));
        assert_eq!(get::<Transform>(&mut app, gun), place);
        // It is stated no more.
        restate(&mut app, soldier, 3, "");
        assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("run")));
        // It is stated anew.
        restate(&mut app, soldier, 4, GUN);
        let [(_, second)] = hung(&mut app, soldier)[..] else {
            panic!("one gun");
        };
        assert_ne!(second, gun);
    }
}

#[test]
fn what_the_game_has_given_back_is_the_manifests() {
    let mut app = armory(GUN);
    let (soldier, gun) = armed(&mut app);
    drop_it(&mut app, gun);
    app.step(0.0);
    // On another bone, for that matter.
    let (to, bone) = (soldier, "Body".to_owned());
    app.world()
        .entity_mut(gun)
        .insert(AttachedToBone { to, bone });
    restate(&mut app, soldier, 2, &GUN.replace("run", "die"));
    assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("die")));
    assert_eq!(hung(&mut app, soldier), [("Body".to_owned(), gun)]);
    restate(&mut app, soldier, 3, "");
    assert!(app.world().get_entity(gun).is_err());
}

#[test]
fn what_the_game_has_taken_makes_room() {
    const MOST: usize = 1024;
    let mut app = armory("");
    let full = vec![r#"(model: "gun.mdl")"#; MOST].join(",");
    edit(&mut app, "armed.model.ron", &manifest(1, &full));
    let soldier = spawn_ready(&mut app, "armed.model.ron", ());
    wait(&mut app, "all", |world| {
        world.query::<&AttachedToBone>().iter(world).count() == MOST
    });
    let (_, gun) = hung(&mut app, soldier)[0];
    drop_it(&mut app, gun);
    restate(&mut app, soldier, 2, "");
    restate(&mut app, soldier, 3, &full);
    assert_eq!(hung(&mut app, soldier).len(), MOST);
}

#[test]
fn attachments_stay_in_any_case() {
    let mut app = armory(GUN);
    let (soldier, gun) = armed(&mut app);
    let other = r#"(bone: "ARM", model: "Gun.MDL", play: "run")"#;
    restate(&mut app, soldier, 2, other);
    assert_eq!(hung(&mut app, soldier), [("Arm".to_owned(), gun)]);
}

#[test]
fn of_equal_attachments_those_stay_that_are_in_place() {
    let at = |x: i32| format!("(bone: \"Arm\", model: \"gun.mdl\", translation: ({x}, 0, 0)),");
    let mut app = armory(&(at(1) + &at(2) + &at(3)));
    let soldier = spawn_ready(&mut app, "armed.model.ron", ());
    let guns = |app: &mut TestApp| {
        let guns = hung(app, soldier).into_iter();
        let place = |(_, gun)| {
            (
                get::<Transform>(app, gun).unwrap().translation.x as i32,
                gun,
            )
        };
        let mut guns: Vec<_> = guns.map(place).collect();
        guns.sort();
        guns
    };
    let [(1, _), second @ (2, moved), third @ (3, _)] = guns(&mut app)[..] else {
        panic!("three guns");
    };
    restate(&mut app, soldier, 2, &(at(2) + &at(3)));
    assert_eq!(guns(&mut app), [second, third]);
    // In another order, and one of them elsewhere.
    restate(&mut app, soldier, 3, &(at(3) + &at(4)));
    assert_eq!(guns(&mut app), [third, (4, moved)]);
    restate(&mut app, soldier, 4, &(at(5) + &at(4) + &at(3)));
    let [is_third, is_moved, (5, _)] = guns(&mut app)[..] else {
        panic!("three guns");
    };
    assert_eq!([is_third, is_moved], [third, (4, moved)]);
}

/// A soldier whose gun has a manifest of its own.
fn with_manifest(gun: &str, attachment: &str) -> TestApp {
    let skin = crate::support::alo_stage::tga(&[[9, 9, 9, 255]; 64]);
    TestApp::new(&[
        ("body.abc", abc::bytes(&abc::figure())),
        ("gun.mdl", mdl()),
        ("red.tga", skin.clone()),
        ("blue.tga", skin),
        ("gun.model.ron", text(gun)),
        ("armed.model.ron", text(&manifest(1, attachment))),
    ])
}

const OWN: &str = r#"(model: "gun.mdl", play: "run", skins: {"red": "red.tga", "blue": "blue.tga"},
    skin: "red")"#;

#[test]
fn what_an_attachment_states_goes_before_its_own_manifest_in_edits_too() {
    let plain = r#"(bone: "Arm", model: "gun.model.ron")"#;
    let played = r#"(bone: "Arm", model: "gun.model.ron", play: "die", skin: "blue")"#;
    let mut app = with_manifest(OWN, plain);
    let (soldier, gun) = armed(&mut app);
    let says = |app: &mut TestApp| (get::<PlayClip>(app, gun), get::<ModelSkin>(app, gun));
    let of = |clip: &str, skin: &str| {
        let skin = ModelSkin::Name(skin.to_owned());
        (Some(PlayClip::from_manifest(clip)), Some(skin))
    };
    assert_eq!(says(&mut app), of("run", "red"));
    restate(&mut app, soldier, 2, played);
    assert_eq!(says(&mut app), of("die", "blue"));
    // Edits of what goes behind make no difference.
    edit(
        &mut app,
        "gun.model.ron",
        &OWN.replace("\"run\"", "\"die\"")
            .replace("skin: \"red\"", "skin: \"blue\", alt: 1"),
    );
    wait(&mut app, "the edit", |world| {
        world.get(gun) == Some(&DamageStage(1))
    });
    assert_eq!(says(&mut app), of("die", "blue"));
    edit(&mut app, "gun.model.ron", OWN);
    wait(&mut app, "the edit", |world| {
        world.get::<DamageStage>(gun).is_none()
    });
    assert_eq!(says(&mut app), of("die", "blue"));
    // Where the attachment states nothing any more, its own manifest does.
    restate(&mut app, soldier, 3, plain);
    assert_eq!(says(&mut app), of("run", "red"));
    restate(&mut app, soldier, 4, played);
    assert_eq!(says(&mut app), of("die", "blue"));
}

#[test]
fn what_the_game_has_chosen_stays_whichever_manifest_is_edited() {
    let plain = r#"(bone: "Arm", model: "gun.model.ron")"#;
    let played = r#"(bone: "Arm", model: "gun.model.ron", play: "die")"#;
    let mut app = with_manifest(OWN, plain);
    let (soldier, gun) = armed(&mut app);
    let chosen = PlayClip::once("run").with_speed(2.0);
    app.world().entity_mut(gun).insert(chosen.clone());
    restate(&mut app, soldier, 2, played);
    assert_eq!(get(&mut app, gun), Some(chosen.clone()));
    restate(&mut app, soldier, 3, plain);
    assert_eq!(get(&mut app, gun), Some(chosen));
    // So does that there is none.
    app.world().entity_mut(gun).remove::<ModelSkin>();
    restate(
        &mut app,
        soldier,
        4,
        r#"(bone: "Arm", model: "gun.model.ron", skin: "blue")"#,
    );
    assert_eq!(get::<ModelSkin>(&mut app, gun), None);
}

#[test]
fn an_observer_may_despawn_an_attachment_while_it_is_given_components() {
    let attachment = r#"(bone: "Arm", model: "gun.model.ron", play: "die", skin: "blue")"#;
    let mut app = with_manifest(OWN, attachment);
    app.world()
        .add_observer(|insert: On<Insert, PlayClip>, mut commands: Commands| {
            commands.entity(insert.entity).try_despawn();
        });
    let soldier = spawn_ready(&mut app, "armed.model.ron", ());
    app.wait_until_idle();
    assert!(hung(&mut app, soldier).is_empty());
}
