//! Which parts of spawned Alamo models are visible: levels of detail, damage stages, night, and parts that users hide.

use crate::alo::scene::{FILE, SCENE, app, instance};
use crate::support::alo::{clean, edited};
use crate::support::prelude::*;
use bevy_classic_models::root::NightTime;

/// The names of parts that nothing but their bones can hide.
fn shown_parts(app: &mut TestApp, root: Entity) -> Vec<String> {
    app.step(0.0);
    let parts = instance(app, root).parts().to_vec();
    let world = app.app.world();
    let mut names = Vec::new();
    for entity in parts {
        let part = world.get::<AloPart>(entity).unwrap();
        let bone = world.get::<ChildOf>(entity).unwrap().parent();
        let bone = world.get::<BoneVisibility>(bone).unwrap();
        let is_hidden = *world.get::<Visibility>(entity).unwrap() == Visibility::Hidden;
        assert_eq!(is_hidden, !part.shown || !bone.is_visible(), "{part:?}");
        names.extend(part.shown.then(|| part.name.clone()));
    }
    names.sort();
    names
}

#[test]
fn removed_components_apply_to_all_models_in_the_frame() {
    let mut app = TestApp::new(&[(FILE, clean())]);
    let components = || (ModelLod(1), PartVisibility::hidden(["Lamp"]));
    let roots = [(); 5].map(|()| app.spawn_ready(SCENE, components()));
    let before = roots.map(|root| shown_parts(&mut app, root));
    for root in roots {
        app.remove::<(ModelLod, PartVisibility)>(root);
    }
    let after = roots.map(|root| shown_parts(&mut app, root));
    assert!(
        before
            .iter()
            .all(|names| !names.contains(&"Lamp".to_owned()))
    );
    assert!(after.iter().all(|names| names.contains(&"Lamp".to_owned())));
    assert!(after.iter().all(|names| *names == after[0]));
}

#[test]
fn lod_damage_stage_and_part_visibility_combine() {
    // The file hides Wreck_ALT1, Collision, p_fire_ALT1 and Blink. By day both dazzles are hidden.
    let (mut app, root) = app(clean());
    let assert_shown = |app: &mut TestApp, context: &str, names: &[&str]| {
        let mut names: Vec<_> = names.iter().map(ToString::to_string).collect();
        names.sort();
        assert_eq!(shown_parts(app, root), names, "{context}");
    };
    let always = ["Crew", "Omni", "Sun", "Lamp", "pe_engine", "lensflare0"];
    let with = |more: &[&'static str]| [&always[..], more].concat();
    assert_shown(&mut app, "initially", &with(&["Hull_LOD1"]));
    app.insert(root, ModelLod(1));
    assert_shown(&mut app, "coarser", &with(&["p_smoke_LOD0"]));
    app.insert(root, ModelLod(99));
    assert_shown(&mut app, "beyond the coarsest", &with(&["p_smoke_LOD0"]));
    app.remove::<ModelLod>(root);
    assert_shown(&mut app, "the finest again", &with(&["Hull_LOD1"]));
    // A damage stage alone does not show what the file hides.
    app.insert(root, DamageStage(1));
    assert_shown(&mut app, "damaged", &with(&["Hull_LOD1"]));
    let mut parts = PartVisibility::hidden(["crew", "SUN"]);
    parts
        .show("wreck_alt1")
        .show("Collision")
        .show("P_FIRE_ALT1");
    app.insert(root, parts);
    let expected: Vec<_> = with(&["Hull_LOD1", "Wreck_ALT1", "Collision", "p_fire_ALT1"]);
    let expected: Vec<_> = expected
        .into_iter()
        .filter(|name| *name != "Crew" && *name != "Sun")
        .collect();
    assert_shown(&mut app, "some shown, some hidden", &expected);
    // Parts shown by the user stay hidden in another damage stage.
    app.insert(root, DamageStage(0));
    let undamaged: Vec<_> = expected
        .iter()
        .copied()
        .filter(|name| !name.ends_with("ALT1"))
        .collect();
    assert_shown(&mut app, "undamaged again", &undamaged);
    app.get_mut::<PartVisibility>(root).reset("Crew");
    assert_shown(
        &mut app,
        "one part reset to the file's default",
        &[&undamaged[..], &["Crew"]].concat(),
    );
    app.remove::<(PartVisibility, DamageStage)>(root);
    assert_shown(&mut app, "as initially", &with(&["Hull_LOD1"]));
    app.world().resource_mut::<NightTime>().0 = true;
    assert_shown(&mut app, "at night", &with(&["Hull_LOD1", "FC_Glow"]));
    app.insert(root, PartVisibility::hidden(["fc_glow"]));
    assert_shown(&mut app, "a hidden dazzle", &with(&["Hull_LOD1"]));
}

#[test]
fn part_visibility_applies_in_the_spawn_frame() {
    let mut app = TestApp::new(&[(FILE, clean())]);
    let mut visibility = PartVisibility::default();
    visibility.show("Wreck_ALT1");
    let root = app.spawn_ready(SCENE, (DamageStage(1), visibility));
    assert!(shown_parts(&mut app, root).contains(&"Wreck_ALT1".to_owned()));
}

#[test]
fn effects_with_the_flag_stay_hidden_until_damage_increases() {
    // The file keeps p_fire_ALT1 hidden when the stage decreases to 1. Show it, and add a stage 2.
    let bytes = edited(&clean(), |file| {
        file.proxies[0].hidden = None;
        file.proxies[3].name = "p_smoke_ALT2".into();
        // Another proxy of the same name, without the flag.
        file.proxies[1].name = "p_fire_ALT1".into();
    });
    let (mut app, root) = app(bytes);
    let fire_count = |app: &mut TestApp, stage: u32| {
        app.insert(root, DamageStage(stage));
        let shown = shown_parts(app, root);
        shown.iter().filter(|name| *name == "p_fire_ALT1").count()
    };
    assert_eq!(fire_count(&mut app, 0), 0);
    assert_eq!(fire_count(&mut app, 1), 2, "damage increases");
    assert_eq!(fire_count(&mut app, 2), 0);
    assert_eq!(
        fire_count(&mut app, 1),
        1,
        "damage decreases: one stays hidden"
    );
    assert_eq!(fire_count(&mut app, 0), 0);
    assert_eq!(fire_count(&mut app, 1), 2, "damage increases again");
}
