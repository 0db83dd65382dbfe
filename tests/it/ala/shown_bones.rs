//! Visibility tracks of clips, in one clip, in fades, and beside other reasons to hide a part.

use super::play::{FLASH, FPS, HULL, SCENE, TURRET, ala, app, blinks, bone, files, moves};
use crate::alo::raycast::set_visible;
use crate::support::prelude::*;

/// The `Visibility` of a bone's entity is the user's, and hides everything below the bone.
#[test]
fn playback_keeps_the_visibility_component_of_bones() {
    let (mut app, root) = app(&files(), PlayClip::looping("ATTACK_00"));
    let turret = bone(&mut app, root, TURRET);
    *app.get_mut::<Visibility>(turret) = Visibility::Hidden;
    app.apply(root, PlayClip::looping("MOVE_01").with_fade(0.2));
    for _ in 0..6 {
        app.step(0.05);
        let visibility = app.find::<Visibility>(turret);
        assert_eq!(visibility, Some(&Visibility::Hidden));
        assert_eq!(app.visible_parts(), ["HullMesh"]);
    }
}

#[test]
fn visibility_follows_each_frame_of_a_loop() {
    let (mut app, root) = app(&files(), PlayClip::looping("ATTACK_00"));
    let mut shown = Vec::new();
    // Two and a half loops of four frames, by a quarter of a frame per step.
    for _ in 0..40 {
        let turret = app.is_shown(root, TURRET);
        assert_eq!(turret, !app.is_shown(root, FLASH));
        shown.push(turret);
        app.step(0.025);
    }
    for (step, shown) in shown.iter().enumerate() {
        let frame = step / 4 % 4;
        assert_eq!(*shown, !(1..3).contains(&frame), "step {step}");
    }
}

#[test]
fn clip_with_greater_weight_decides_visibility() {
    let hides = blinks([true; 5]);
    let reveals = blinks([false; 5]);
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&hides)));
    files.push(("art/Unit_SHOW_00.ala", ala(&reveals)));
    for (from, to, first) in [("HIDE_00", "SHOW_00", false), ("SHOW_00", "HIDE_00", true)] {
        let (mut app, root) = app(&files, PlayClip::looping(from));
        assert_eq!(app.is_shown(root, TURRET), first);
        app.apply(root, PlayClip::looping(to).with_fade(1.0));
        for step in 0..10 {
            let weight = step as f32 / 10.0;
            // If both weights are equal, the clip that shows the bone decides.
            let expected = match weight {
                0.5 => true,
                _ if weight < 0.5 => first,
                _ => !first,
            };
            assert_eq!(
                app.is_shown(root, TURRET),
                expected,
                "{from} to {to} at {weight}"
            );
            assert_eq!(app.is_shown(root, FLASH), !expected || weight == 0.5);
            app.step(0.1);
        }
    }
}

#[test]
fn clip_without_a_visibility_track_shows_the_bone() {
    let mut hides = blinks([true; 5]);
    hides.bones[2].visibility = Some([false; 5].into());
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&hides)));
    assert_fades(
        &files,
        ["HIDE_00", "MOVE_00"],
        [[false, false], [true, true]],
    );
}

#[test]
fn clip_without_the_bone_restores_the_default_flag() {
    let mut hull_alone = moves(1.0);
    hull_alone.bones.truncate(1);
    let mut files = files();
    files.push(("art/Unit_HIDE_00.ala", ala(&blinks([true; 5]))));
    files.push(("art/Unit_HULL_00.ala", ala(&hull_alone)));
    assert_fades(
        &files,
        ["HIDE_00", "HULL_00"],
        [[false, true], [true, false]],
    );
    // One clip shows the flash, without a track.
    assert_fades(
        &files,
        ["MOVE_00", "HULL_00"],
        [[true, true], [true, false]],
    );
}

/// Tracks of a bone with another name are not played.
#[test]
fn clip_with_another_name_for_the_bone_keeps_the_flag() {
    let mut renamed = moves(1.0);
    renamed.bones[2].name = "Other".into();
    let mut files = files();
    files.push(("art/Unit_NAME_00.ala", ala(&renamed)));
    assert_fades(
        &files,
        ["MOVE_00", "NAME_00"],
        [[true, true], [true, false]],
    );
}

/// Asserts which of turret and flash are visible in two clips and in fades between them.
#[track_caller]
fn assert_fades(files: &[(&str, Vec<u8>)], clips: [&'static str; 2], expected: [[bool; 2]; 2]) {
    let [first, second] = clips;
    let (mut app, root) = app(files, PlayClip::looping(first));
    let shown = |app: &mut TestApp| [TURRET, FLASH].map(|bone| app.is_shown(root, bone));
    assert_eq!(shown(&mut app), expected[0]);
    app.apply(root, PlayClip::looping(second));
    assert_eq!(shown(&mut app), expected[1]);
    app.apply(root, PlayClip::looping(first));
    assert_eq!(shown(&mut app), expected[0]);
    // In a fade the clip with the greater weight decides, in both directions.
    for (to, before, after) in [
        (second, expected[0], expected[1]),
        (first, expected[1], expected[0]),
    ] {
        app.apply(root, PlayClip::looping(to).with_fade(1.0));
        for (seconds, expected) in [(0.4, before), (0.2, after), (0.6, after)] {
            app.steps(4, seconds / 4.0);
            assert_eq!(shown(&mut app), expected, "to {to}");
        }
    }
    app.remove::<PlayClip>(root);
    app.step(0.1);
    assert_eq!(shown(&mut app), [true, false], "as in the model");
}

#[test]
fn flags_of_an_instance_apply_unless_a_clip_decides() {
    let (mut app, root) = app(&files(), ());
    let [turret, flash] = [TURRET, FLASH].map(|index| bone(&mut app, root, index));
    set_visible(app.world(), turret, false);
    set_visible(app.world(), flash, true);
    app.step(0.0);
    assert_eq!(app.visible_parts(), ["FlashMesh", "HullMesh"]);
    // The clip shows the flash, which the model hides. It has no track of the turret.
    set_visible(app.world(), flash, false);
    app.apply(root, PlayClip::looping("MOVE_00"));
    assert!(!app.is_shown(root, TURRET) && app.is_shown(root, FLASH));
    set_visible(app.world(), turret, true);
    set_visible(app.world(), flash, false);
    app.step(0.0);
    assert!(app.is_shown(root, TURRET) && app.is_shown(root, FLASH));
    set_visible(app.world(), turret, false);
    app.remove::<PlayClip>(root);
    app.steps(2, 0.0);
    assert_eq!(app.visible_parts(), ["HullMesh"]);
}

/// The plugin does not overwrite changes that an observer makes when the scene is spawned.
#[test]
fn bone_hidden_on_spawn_stays_hidden() {
    let mut app = TestApp::new(&files());
    app.app.add_observer(
        |spawned: On<Insert, ModelInstance>,
         bones: Query<(Entity, &AloBone)>,
         mut visibilities: Query<&mut Visibility>,
         mut commands: Commands| {
            let _ = spawned;
            for (entity, bone) in &bones {
                if bone.index == TURRET {
                    *visibilities.get_mut(entity).unwrap() = Visibility::Hidden;
                }
                if bone.index == HULL {
                    commands.entity(entity).insert(AloBone {
                        visible: false,
                        ..*bone
                    });
                }
            }
        },
    );
    let root = app.spawn_ready(SCENE, ());
    for _ in 0..3 {
        app.step(0.1);
        assert!(!app.is_shown(root, HULL));
        assert_eq!(app.visible_parts(), Vec::<String>::new());
    }
}

#[test]
fn part_is_visible_only_if_nothing_hides_it() {
    let mut files = files();
    files.push((
        "art/Unit_HIDE_00.ala",
        ala(&blinks([true, false, false, true, true])),
    ));
    let (mut app, root) = app(&files, PlayClip::looping("HIDE_00").with_speed(0.0));
    let at = |app: &mut TestApp, frame: f32| {
        app.get_mut::<Playback>(root).time = frame / FPS;
        app.step(0.0);
        app.visible_parts()
    };
    assert_eq!(
        at(&mut app, 0.0),
        ["FlashMesh", "HullMesh"],
        "the flash is a child of the hidden turret"
    );
    assert_eq!(at(&mut app, 1.0), ["HullMesh", "TurretMesh_LOD1"]);
    app.insert(root, (ModelLod(1), DamageStage(1)));
    assert_eq!(at(&mut app, 0.0), ["FlashMesh", "HullMesh"]);
    assert_eq!(
        at(&mut app, 1.0),
        ["HullMesh", "TurretMesh_ALT1", "TurretMesh_LOD0"]
    );
    let hidden = PartVisibility::hidden(["TurretMesh_LOD0", "HullMesh", "FlashMesh"]);
    app.insert(root, hidden);
    assert_eq!(at(&mut app, 0.0), Vec::<String>::new());
    assert_eq!(at(&mut app, 1.0), ["TurretMesh_ALT1"]);
    let mut parts = PartVisibility::default();
    parts.show("TurretMesh_LOD1").show("TurretMesh_ALT1");
    parts.hide("FlashMesh");
    app.insert(root, parts);
    assert_eq!(at(&mut app, 0.0), ["HullMesh"], "the track hides the bone");
}
