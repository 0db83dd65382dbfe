//! Attachments of manifests: they follow edits until the game detaches them or changes their components.

use crate::manifest::spawn::{
    attachments, children, edit, get, mdl, spawn_ready, text, wait, wait_for,
};
use crate::support::abc;
use crate::support::app::TestApp;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

const GUN: &str = r#"(bone: "Arm", model: "gun.mdl", play: "run")"#;

/// A manifest with attachments.
fn manifest(damage_stage: u32, attachments: &str) -> String {
    format!("(model: \"body.abc\", damage_stage: {damage_stage}, attachments: [{attachments}])")
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
    let [(_, gun)] = attachments(app, soldier)[..] else {
        panic!("one gun");
    };
    wait_for(app, gun);
    (soldier, gun)
}

/// Edits the attachments in a soldier's manifest.
#[track_caller]
fn edit_attachments(app: &mut TestApp, soldier: Entity, damage_stage: u32, attachments: &str) {
    edit(app, "armed.model.ron", &manifest(damage_stage, attachments));
    wait(app, "the edit", |world| {
        world.get::<DamageStage>(soldier) == Some(&DamageStage(damage_stage))
    });
    app.step(0.0);
}

fn detach(app: &mut TestApp, gun: Entity) {
    app.world().entity_mut(gun).remove::<AttachedToBone>();
}

/// Attaches a gun to another soldier, whose manifest has no attachments.
fn reattach(app: &mut TestApp, gun: Entity) {
    let to = spawn_ready(app, "unarmed.model.ron", ());
    let bone = "Arm".to_owned();
    app.world()
        .entity_mut(gun)
        .insert(AttachedToBone { to, bone });
}

#[test]
fn detached_attachment_outlives_the_model() {
    let mut app = armory(GUN);
    for take in [detach, reattach] {
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
                assert_eq!(
                    children(&mut app, gun).len(),
                    1,
                    "its scene is still spawned"
                );
                assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("run")));
            }
        }
    }
}

#[test]
fn detached_attachment_is_not_updated() {
    for take in [detach, reattach] {
        let mut app = armory(GUN);
        let (soldier, gun) = armed(&mut app);
        take(&mut app, gun);
        app.step(0.0);
        let transform = get::<Transform>(&mut app, gun);
        // The manifest changes the attachment.
        let turned = r#"(bone: "Arm", model: "gun.mdl", play: "die", rotation: (0, 90, 0))"#;
        edit_attachments(&mut app, soldier, 2, turned);
        assert!(attachments(&mut app, soldier).is_empty(), "no second one");
        assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("run")));
        assert_eq!(get::<Transform>(&mut app, gun), transform);
        // The manifest removes the attachment.
        edit_attachments(&mut app, soldier, 3, "");
        assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("run")));
        // The manifest adds the attachment again.
        edit_attachments(&mut app, soldier, 4, GUN);
        let [(_, second)] = attachments(&mut app, soldier)[..] else {
            panic!("one gun");
        };
        assert_ne!(second, gun);
    }
}

#[test]
fn reattached_attachment_is_updated_again() {
    let mut app = armory(GUN);
    let (soldier, gun) = armed(&mut app);
    detach(&mut app, gun);
    app.step(0.0);
    // To another bone.
    let (to, bone) = (soldier, "Body".to_owned());
    app.world()
        .entity_mut(gun)
        .insert(AttachedToBone { to, bone });
    edit_attachments(&mut app, soldier, 2, &GUN.replace("run", "die"));
    assert_eq!(get(&mut app, gun), Some(PlayClip::from_manifest("die")));
    assert_eq!(attachments(&mut app, soldier), [("Body".to_owned(), gun)]);
    edit_attachments(&mut app, soldier, 3, "");
    assert!(app.world().get_entity(gun).is_err());
}

#[test]
fn detached_attachments_do_not_count_for_the_limit() {
    const MAX: usize = 1024;
    let mut app = armory("");
    let full = vec![r#"(model: "gun.mdl")"#; MAX].join(",");
    edit(&mut app, "armed.model.ron", &manifest(1, &full));
    let soldier = spawn_ready(&mut app, "armed.model.ron", ());
    wait(&mut app, "all", |world| {
        world.query::<&AttachedToBone>().iter(world).count() == MAX
    });
    let (_, gun) = attachments(&mut app, soldier)[0];
    detach(&mut app, gun);
    edit_attachments(&mut app, soldier, 2, "");
    edit_attachments(&mut app, soldier, 3, &full);
    assert_eq!(attachments(&mut app, soldier).len(), MAX);
}

#[test]
fn attachments_match_in_any_case() {
    let mut app = armory(GUN);
    let (soldier, gun) = armed(&mut app);
    let other = r#"(bone: "ARM", model: "Gun.MDL", play: "run")"#;
    edit_attachments(&mut app, soldier, 2, other);
    assert_eq!(attachments(&mut app, soldier), [("Arm".to_owned(), gun)]);
}

#[test]
fn equal_attachments_are_matched_by_transform() {
    let at = |x: i32| format!("(bone: \"Arm\", model: \"gun.mdl\", translation: ({x}, 0, 0)),");
    let mut app = armory(&(at(1) + &at(2) + &at(3)));
    let soldier = spawn_ready(&mut app, "armed.model.ron", ());
    let guns = |app: &mut TestApp| {
        let guns = attachments(app, soldier).into_iter();
        let with_x = |(_, gun)| {
            (
                get::<Transform>(app, gun).unwrap().translation.x as i32,
                gun,
            )
        };
        let mut guns: Vec<_> = guns.map(with_x).collect();
        guns.sort();
        guns
    };
    let [(1, _), second @ (2, moved), third @ (3, _)] = guns(&mut app)[..] else {
        panic!("three guns");
    };
    edit_attachments(&mut app, soldier, 2, &(at(2) + &at(3)));
    assert_eq!(guns(&mut app), [second, third]);
    // In another order, and with one moved.
    edit_attachments(&mut app, soldier, 3, &(at(3) + &at(4)));
    assert_eq!(guns(&mut app), [third, (4, moved)]);
    edit_attachments(&mut app, soldier, 4, &(at(5) + &at(4) + &at(3)));
    let [is_third, is_moved, (5, _)] = guns(&mut app)[..] else {
        panic!("three guns");
    };
    assert_eq!([is_third, is_moved], [third, (4, moved)]);
}

/// A soldier whose gun has its own manifest.
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
fn attachment_fields_override_its_own_manifest_in_edits_too() {
    let plain = r#"(bone: "Arm", model: "gun.model.ron")"#;
    let played = r#"(bone: "Arm", model: "gun.model.ron", play: "die", skin: "blue")"#;
    let mut app = with_manifest(OWN, plain);
    let (soldier, gun) = armed(&mut app);
    let components = |app: &mut TestApp| (get::<PlayClip>(app, gun), get::<ModelSkin>(app, gun));
    let expected = |clip: &str, skin: &str| {
        let skin = ModelSkin::Name(skin.to_owned());
        (Some(PlayClip::from_manifest(clip)), Some(skin))
    };
    assert_eq!(components(&mut app), expected("run", "red"));
    edit_attachments(&mut app, soldier, 2, played);
    assert_eq!(components(&mut app), expected("die", "blue"));
    // Edits of overridden fields have no effect.
    edit(
        &mut app,
        "gun.model.ron",
        &OWN.replace("\"run\"", "\"die\"")
            .replace("skin: \"red\"", "skin: \"blue\", damage_stage: 1"),
    );
    wait(&mut app, "the edit", |world| {
        world.get(gun) == Some(&DamageStage(1))
    });
    assert_eq!(components(&mut app), expected("die", "blue"));
    edit(&mut app, "gun.model.ron", OWN);
    wait(&mut app, "the edit", |world| {
        world.get::<DamageStage>(gun).is_none()
    });
    assert_eq!(components(&mut app), expected("die", "blue"));
    // Without overrides, its own manifest applies again.
    edit_attachments(&mut app, soldier, 3, plain);
    assert_eq!(components(&mut app), expected("run", "red"));
    edit_attachments(&mut app, soldier, 4, played);
    assert_eq!(components(&mut app), expected("die", "blue"));
}

#[test]
fn user_components_of_an_attachment_override_both_manifests() {
    let plain = r#"(bone: "Arm", model: "gun.model.ron")"#;
    let played = r#"(bone: "Arm", model: "gun.model.ron", play: "die")"#;
    let mut app = with_manifest(OWN, plain);
    let (soldier, gun) = armed(&mut app);
    let chosen = PlayClip::once("run").with_speed(2.0);
    app.world().entity_mut(gun).insert(chosen.clone());
    edit_attachments(&mut app, soldier, 2, played);
    assert_eq!(get(&mut app, gun), Some(chosen.clone()));
    edit_attachments(&mut app, soldier, 3, plain);
    assert_eq!(get(&mut app, gun), Some(chosen));
    // A removed component is an override too.
    app.world().entity_mut(gun).remove::<ModelSkin>();
    edit_attachments(
        &mut app,
        soldier,
        4,
        r#"(bone: "Arm", model: "gun.model.ron", skin: "blue")"#,
    );
    assert_eq!(get::<ModelSkin>(&mut app, gun), None);
}

#[test]
fn observer_may_despawn_an_attachment_while_components_are_applied() {
    let attachment = r#"(bone: "Arm", model: "gun.model.ron", play: "die", skin: "blue")"#;
    let mut app = with_manifest(OWN, attachment);
    app.world()
        .add_observer(|insert: On<Insert, PlayClip>, mut commands: Commands| {
            commands.entity(insert.entity).try_despawn();
        });
    let soldier = spawn_ready(&mut app, "armed.model.ron", ());
    app.wait_until_idle();
    assert!(attachments(&mut app, soldier).is_empty());
}
