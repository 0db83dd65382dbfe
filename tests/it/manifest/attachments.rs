//! Attachments of manifests: they follow edits until the game detaches them or changes their components.

use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;

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
    let soldier = app.spawn_model_ready("armed.model.ron", ());
    let [(_, gun)] = app.attachments(soldier)[..] else {
        panic!("one gun");
    };
    app.wait_for_model(gun);
    (soldier, gun)
}

/// Edits the attachments in a soldier's manifest.
#[track_caller]
fn edit_attachments(app: &mut TestApp, soldier: Entity, damage_stage: u32, attachments: &str) {
    app.edit("armed.model.ron", manifest(damage_stage, attachments));
    app.wait_for_component(soldier, DamageStage(damage_stage));
    app.step(0.0);
}

fn detach(app: &mut TestApp, gun: Entity) {
    app.remove::<AttachedToBone>(gun);
}

/// Attaches a gun to another soldier, whose manifest has no attachments.
fn reattach(app: &mut TestApp, gun: Entity) {
    let to = app.spawn_model_ready("unarmed.model.ron", ());
    app.insert(gun, on(to, "Arm"));
}

#[test]
fn detached_attachment_outlives_the_model() {
    let mut app = armory(GUN);
    for take in [detach, reattach] {
        for is_despawned in [true, false] {
            for frames in [0, 3] {
                let (soldier, gun) = armed(&mut app);
                take(&mut app, gun);
                app.steps(frames, 0.0);
                let mut entity = app.world().entity_mut(soldier);
                match is_despawned {
                    true => entity.despawn(),
                    false => _ = entity.remove::<ClassicModel>(),
                }
                app.steps(2, 0.0);
                assert_eq!(app.children(gun).len(), 1, "its scene is still spawned");
                assert_eq!(app.cloned(gun), Some(PlayClip::from_manifest("run")));
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
        let transform = app.cloned::<Transform>(gun);
        // The manifest changes the attachment.
        let turned = r#"(bone: "Arm", model: "gun.mdl", play: "die", rotation: (0, 90, 0))"#;
        edit_attachments(&mut app, soldier, 2, turned);
        assert!(app.attachments(soldier).is_empty(), "no second one");
        assert_eq!(app.cloned(gun), Some(PlayClip::from_manifest("run")));
        assert_eq!(app.cloned::<Transform>(gun), transform);
        // The manifest removes the attachment.
        edit_attachments(&mut app, soldier, 3, "");
        assert_eq!(app.cloned(gun), Some(PlayClip::from_manifest("run")));
        // The manifest adds the attachment again.
        edit_attachments(&mut app, soldier, 4, GUN);
        let [(_, second)] = app.attachments(soldier)[..] else {
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
    app.insert(gun, on(soldier, "Body"));
    edit_attachments(&mut app, soldier, 2, &GUN.replace("run", "die"));
    assert_eq!(app.cloned(gun), Some(PlayClip::from_manifest("die")));
    assert_eq!(app.attachments(soldier), [("Body".to_owned(), gun)]);
    edit_attachments(&mut app, soldier, 3, "");
    assert!(!app.exists(gun));
}

#[test]
fn detached_attachments_do_not_count_for_the_limit() {
    const MAX: usize = 1024;
    let mut app = armory("");
    let full = vec![r#"(model: "gun.mdl")"#; MAX].join(",");
    app.edit("armed.model.ron", manifest(1, &full));
    let soldier = app.spawn_model_ready("armed.model.ron", ());
    app.wait("all", |world| {
        world.query::<&AttachedToBone>().iter(world).count() == MAX
    });
    let (_, gun) = app.attachments(soldier)[0];
    detach(&mut app, gun);
    edit_attachments(&mut app, soldier, 2, "");
    edit_attachments(&mut app, soldier, 3, &full);
    assert_eq!(app.attachments(soldier).len(), MAX);
}

#[test]
fn attachments_match_in_any_case() {
    let mut app = armory(GUN);
    let (soldier, gun) = armed(&mut app);
    let other = r#"(bone: "ARM", model: "Gun.MDL", play: "run")"#;
    edit_attachments(&mut app, soldier, 2, other);
    assert_eq!(app.attachments(soldier), [("Arm".to_owned(), gun)]);
}

#[test]
fn equal_attachments_are_matched_by_transform() {
    let at = |x: i32| format!("(bone: \"Arm\", model: \"gun.mdl\", translation: ({x}, 0, 0)),");
    let mut app = armory(&(at(1) + &at(2) + &at(3)));
    let soldier = app.spawn_model_ready("armed.model.ron", ());
    let guns = |app: &mut TestApp| {
        let guns = app.attachments(soldier).into_iter();
        let with_x = |(_, gun)| {
            (
                app.cloned::<Transform>(gun).unwrap().translation.x as i32,
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
    let components =
        |app: &mut TestApp| (app.cloned::<PlayClip>(gun), app.cloned::<ModelSkin>(gun));
    let expected = |clip: &str, skin: &str| {
        let skin = ModelSkin::Name(skin.to_owned());
        (Some(PlayClip::from_manifest(clip)), Some(skin))
    };
    assert_eq!(components(&mut app), expected("run", "red"));
    edit_attachments(&mut app, soldier, 2, played);
    assert_eq!(components(&mut app), expected("die", "blue"));
    // Edits of overridden fields have no effect.
    app.edit(
        "gun.model.ron",
        OWN.replace("\"run\"", "\"die\"")
            .replace("skin: \"red\"", "skin: \"blue\", damage_stage: 1"),
    );
    app.wait_for_component(gun, DamageStage(1));
    assert_eq!(components(&mut app), expected("die", "blue"));
    app.edit("gun.model.ron", OWN);
    app.wait("the edit", |world| world.get::<DamageStage>(gun).is_none());
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
    app.insert(gun, chosen.clone());
    edit_attachments(&mut app, soldier, 2, played);
    assert_eq!(app.cloned(gun), Some(chosen.clone()));
    edit_attachments(&mut app, soldier, 3, plain);
    assert_eq!(app.cloned(gun), Some(chosen));
    // A removed component is an override too.
    app.remove::<ModelSkin>(gun);
    edit_attachments(
        &mut app,
        soldier,
        4,
        r#"(bone: "Arm", model: "gun.model.ron", skin: "blue")"#,
    );
    assert_eq!(app.cloned::<ModelSkin>(gun), None);
}

#[test]
fn observer_may_despawn_an_attachment_while_components_are_applied() {
    let attachment = r#"(bone: "Arm", model: "gun.model.ron", play: "die", skin: "blue")"#;
    let mut app = with_manifest(OWN, attachment);
    app.world()
        .add_observer(|insert: On<Insert, PlayClip>, mut commands: Commands| {
            commands.entity(insert.entity).try_despawn();
        });
    let soldier = app.spawn_model_ready("armed.model.ron", ());
    app.wait_until_idle();
    assert!(app.attachments(soldier).is_empty());
}

#[test]
fn attachments_follow_manifest_edits() {
    let manifest =
        |attachments: &str| format!("(model: \"body.abc\", attachments: [{attachments}])");
    let gun = r#"(bone: "Arm", model: "gun.model.ron", translation: (1, 2, 3), play: "die")"#;
    let hat = r#"(bone: "Body", model: "hat.mdl", rotation: (0, 90, 0), scale: 2)"#;
    let mut app = TestApp::new(&[
        ("body.abc", abc::bytes(&abc::figure())),
        ("armed.model.ron", text(&manifest(&format!("{gun}, {hat}")))),
        (
            "gun.model.ron",
            text(r#"(model: "gun.mdl", play: "run", damage_stage: 1)"#),
        ),
        ("gun.mdl", mdl()),
        ("hat.mdl", mdl()),
    ]);
    let root = app.spawn_model_ready("armed.model.ron", ());
    let [(_, arm), (_, head)] = app.attachments(root)[..] else {
        panic!("a gun and a hat");
    };
    app.wait_for_model(arm);
    app.wait_for_model(head);
    assert_eq!(app.model_path(arm), "gun.mdl");
    assert_eq!(app.cloned(arm), Some(PlayClip::from_manifest("die")));
    assert_eq!(app.cloned(arm), Some(DamageStage(1)));
    assert_eq!(app.cloned(arm), Some(Transform::from_xyz(1.0, 2.0, 3.0)));
    let turned = app.cloned::<Transform>(head).unwrap();
    assert!((turned.rotation * Vec3::Z).abs_diff_eq(Vec3::X, 1e-6));
    assert_eq!(turned.scale, Vec3::splat(2.0));

    // An attachment that is still in the manifest keeps its entity.
    let moved = gun
        .replace("(1, 2, 3)", "(4, 5, 6)")
        .replace("\"die\"", "\"run\"");
    app.edit("armed.model.ron", manifest(&moved));
    app.wait("the edit", |world| world.get_entity(head).is_err());
    assert_eq!(app.attachments(root), [("Arm".to_owned(), arm)]);
    assert_eq!(app.cloned(arm), Some(PlayClip::from_manifest("run")));
    assert_eq!(app.cloned(arm), Some(Transform::from_xyz(4.0, 5.0, 6.0)));
    app.edit("armed.model.ron", manifest(&format!("{moved}, {hat}")));
    app.wait("the hat is back", |world| {
        world.query::<&AttachedToBone>().iter(world).count() == 2
    });

    app.despawn(root);
    app.step(0.0);
    assert!(app.attachments(root).is_empty());
    assert!(!app.exists(arm));
}

#[test]
fn removing_classic_model_despawns_attachments() {
    let manifest = r#"(model: "a.mdl", attachments: [(model: "a.mdl")])"#;
    let mut app = TestApp::new(&[("a.mdl", mdl()), ("with_hat.model.ron", text(manifest))]);
    let root = app.spawn_model_ready("with_hat.model.ron", ());
    assert_eq!(app.attachments(root).len(), 1);
    app.remove::<ClassicModel>(root);
    app.step(0.0);
    assert!(app.attachments(root).is_empty());
}

#[test]
fn attachment_cycles_and_deep_nesting_are_rejected() {
    log::listen();
    let with_attachment = |model: &str| {
        text(&format!(
            "(model: \"a.mdl\", attachments: [(model: {model:?})])"
        ))
    };
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("cycle_a.model.ron", with_attachment("cycle_b.model.ron")),
        ("cycle_b.model.ron", with_attachment("cycle_a.model.ron")),
        ("deep_0.model.ron", with_attachment("deep_1.model.ron")),
        ("deep_1.model.ron", with_attachment("deep_2.model.ron")),
        ("deep_2.model.ron", with_attachment("deep_3.model.ron")),
        ("deep_3.model.ron", with_attachment("deep_4.model.ron")),
        ("deep_4.model.ron", with_attachment("deep_5.model.ron")),
        ("deep_5.model.ron", with_attachment("a.mdl")),
    ]);
    for path in ["cycle_a.model.ron", "deep_0.model.ron", "cycle_a.model.ron"] {
        app.spawn_model(path, ());
    }
    app.wait("all", |world| {
        world.query::<&AttachedToBone>().iter(world).count() == 1 + 4 + 1
            && world.query::<&MdlInstance>().iter(world).count() == 2 + 5 + 2
    });
    app.wait_until_idle();
    let world = app.world();
    assert_eq!(world.query::<&AttachedToBone>().iter(world).count(), 6);
    log::expect_warnings("cycle_a.model.ron is attached to itself", 1);
    log::expect_warnings("deep_5.model.ron is attached 5 models deep", 1);
}

#[test]
fn nested_attachments_are_limited() {
    log::listen();
    let with_attachments = |model: &str, count: usize| {
        let all = format!("(model: {model:?}),").repeat(count);
        text(&format!("(model: \"a.mdl\", attachments: [{all}])"))
    };
    let mut app = TestApp::new(&[
        ("a.mdl", mdl()),
        ("many_0.model.ron", with_attachments("many_1.model.ron", 40)),
        ("many_1.model.ron", with_attachments("a.mdl", 40)),
    ]);
    let first = app.spawn_model("many_0.model.ron", ());
    let second = app.spawn_model("many_0.model.ron", ());
    let attached = |world: &mut World| world.query::<&AttachedToBone>().iter(world).count();
    app.wait("all", |world| attached(world) >= 2 * 1024);
    app.wait_until_idle();
    assert_eq!(attached(app.world()), 2 * 1024);
    log::expect_warnings("many_0.model.ron: more than 1024 models", 1);
    app.despawn(first);
    app.despawn(second);
    assert_eq!(attached(app.world()), 0);
}
