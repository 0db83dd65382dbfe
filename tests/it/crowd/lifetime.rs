//! Members of crowds come and go, and are reloaded, without leaking rows, textures, meshes, materials or entities.

use crate::crowd::poses::{swinging_files, swinging_model};
use crate::gpuless;
use crate::support::ala;
use crate::support::app::TestApp;
use crate::support::crowd::Pair;
use crate::support::random::Random;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloCrowd, AloCrowdMaterial, AloPoseTable};
use bevy_classic_models::prelude::*;

/// Counts of everything that crowds allocate: rows, images, meshes, materials, entities.
fn counts(app: &mut TestApp) -> [usize; 5] {
    let world = app.world();
    let entities = world.query::<()>().iter(world).count();
    [
        world.resource::<AloPoseTable>().len(),
        world.resource::<Assets<Image>>().len(),
        world.resource::<Assets<Mesh>>().len(),
        world.resource::<Assets<AloCrowdMaterial>>().len(),
        entities,
    ]
}

fn settled_counts(app: &mut TestApp) -> [usize; 5] {
    for _ in 0..5 {
        app.step(0.0);
    }
    counts(app)
}

fn app() -> (TestApp, Handle<Alo>) {
    let mut app = TestApp::new(&swinging_files());
    let alo = app.load::<Alo>("subject.alo");
    app.wait_loaded(&alo);
    (app, alo)
}

fn spawn(app: &mut TestApp, random: &mut Random) -> Entity {
    let model = ClassicModel(app.load("subject.alo"));
    let root = app.world().spawn((model, Crowd)).id();
    change(app, root, random);
    root
}

/// Changes a component of a member at random.
fn change(app: &mut TestApp, root: Entity, random: &mut Random) {
    let clip = ["SWING_00", "BEND_00"][random.below(2)];
    let kind = random.below(8);
    let number = random.below(3);
    let mut root = app.world().entity_mut(root);
    match kind {
        0 => root.insert(PlayClip::looping(clip).with_fade(0.2)),
        1 => root.insert(PlayClip::once(clip)),
        2 => root.remove::<PlayClip>(),
        3 => root.insert(ModelLod(number as u32)),
        4 => root.insert(PartVisibility::hidden(["Box"])),
        5 => root.remove::<PartVisibility>(),
        6 => root.insert(TeamColor(Color::srgb(0.1 * number as f32, 0.5, 0.9))),
        _ => root.insert(DamageStage(number as u32)),
    };
}

/// Spawns members, and changes, despawns and respawns them at random for a number of frames.
fn random_changes(count: usize, frames: usize) {
    let (mut app, _alo) = app();
    let mut random = Random(7);
    let before = settled_counts(&mut app);
    let mut roots: Vec<_> = (0..count).map(|_| spawn(&mut app, &mut random)).collect();
    for frame in 0..frames {
        for _ in 0..count / 10 {
            let index = random.below(count);
            match random.below(12) {
                0 => {
                    app.world().despawn(roots[index]);
                    roots[index] = spawn(&mut app, &mut random);
                }
                1 => {
                    app.world().entity_mut(roots[index]).remove::<Crowd>();
                }
                2 => {
                    app.world().entity_mut(roots[index]).insert(Crowd);
                }
                _ => change(&mut app, roots[index], &mut random),
            }
        }
        app.step(1.0 / 30.0);
        if frame == frames / 2 {
            let [_, images, meshes, materials, _] = counts(&mut app);
            // Each selection of parts in use has its meshes, and the model one texture.
            assert!(images <= before[1] + 2, "{images} images");
            assert!(meshes <= before[2] + 8, "{meshes} meshes");
            assert!(materials <= before[3] + 2, "{materials} materials");
        }
    }
    let members = app
        .world()
        .query::<&AloCrowd>()
        .iter(app.app.world())
        .count();
    assert!(members > count / 2 && members <= count, "{members}");
    assert_eq!(counts(&mut app)[0], members, "rows");
    for root in roots {
        app.world().despawn(root);
    }
    assert_eq!(settled_counts(&mut app), before);
}

#[test]
fn random_changes_leak_nothing() {
    random_changes(100, 60);
}

/// Run it with `cargo test --release --test it -- --ignored ten_thousand_members`.
#[test]
#[ignore = "takes minutes"]
fn ten_thousand_members_leak_nothing_in_a_thousand_frames() {
    random_changes(10_000, 1000);
}

#[test]
fn data_of_a_crowd_is_freed_with_its_last_member() {
    let (mut app, _alo) = app();
    let before = settled_counts(&mut app);
    let members = [(); 2].map(|()| {
        let play = PlayClip::looping("SWING_00");
        app.spawn_ready("subject.alo#Crowd", play)
    });
    app.step(0.0);
    let with_both = settled_counts(&mut app);
    assert_eq!(with_both[0], before[0] + 2, "rows");
    assert_eq!(with_both[1], before[1] + 1, "one texture for all members");
    assert_eq!(with_both[3], before[3] + 1, "materials");
    app.world().despawn(members[0]);
    let with_one = settled_counts(&mut app);
    assert_eq!(with_one[1..4], with_both[1..4]);
    // Without its model, a root shows nothing.
    app.world()
        .entity_mut(members[1])
        .remove::<WorldAssetRoot>();
    app.step(0.0);
    assert!(app.world().get::<AloCrowd>(members[1]).is_none());
    app.world().despawn(members[1]);
    assert_eq!(settled_counts(&mut app), before);
}

#[test]
fn a_member_whose_next_scene_is_not_loaded_shows_nothing() {
    let mut files = swinging_files();
    files.push(("other.alo", swinging_model([1.0; 3])));
    let (mut app, held) = TestApp::with_held_files(&files);
    let root = app.spawn_ready("subject.alo#Crowd", PlayClip::looping("SWING_00"));
    app.step(0.0);
    let member = app.world().get::<AloCrowd>(root).unwrap();
    let (scene, meshes) = (member.scene(), member.meshes().len());
    assert!(meshes > 0);
    held.hold("other.alo");
    let other = app.load("other.alo#Crowd");
    app.world().entity_mut(root).insert(WorldAssetRoot(other));
    app.step(0.0);
    assert!(app.world().get_entity(scene).is_err());
    let count = |app: &mut TestApp| app.world().query::<&Mesh3d>().iter(app.app.world()).count();
    for parts in [
        PartVisibility::hidden(["Box", "Limb"]),
        PartVisibility::default(),
    ] {
        app.world().entity_mut(root).insert(parts);
        app.step(0.0);
        app.step(0.0);
        assert_eq!(count(&mut app), 0);
    }
    held.release();
    let is_spawned = gpuless::wait_until(&mut app.app, |world| {
        let member = world.get::<AloCrowd>(root);
        member.is_some_and(|member| member.scene() != scene && !member.meshes().is_empty())
    });
    assert!(is_spawned);
    assert_eq!(count(&mut app), meshes);
}

#[test]
fn members_become_scenes_and_back() {
    let (mut app, _alo) = app();
    let model = ClassicModel(app.load("subject.alo"));
    let root = app
        .world()
        .spawn((model, PlayClip::looping("BEND_00")))
        .id();
    let ready = gpuless::wait_until(&mut app.app, |world| {
        world.get::<ModelInstance>(root).is_some()
    });
    assert!(ready);
    let as_scene = settled_counts(&mut app);
    for _ in 0..3 {
        app.world().entity_mut(root).insert(Crowd);
        app.step(0.0);
        app.step(0.0);
        let instance = app.world().get::<ModelInstance>(root).unwrap();
        assert!(instance.is_in_crowd());
        assert!(app.world().get::<AloCrowd>(root).is_some());
        app.world().entity_mut(root).remove::<Crowd>();
        app.step(0.0);
        app.step(0.0);
        let instance = app.world().get::<ModelInstance>(root).unwrap();
        assert!(!instance.is_in_crowd() && instance.entities().count() > 0);
        assert!(app.world().get::<AloCrowd>(root).is_none());
        assert_eq!(settled_counts(&mut app), as_scene);
    }
}

#[test]
fn reloads_keep_the_pose_and_show_edits() {
    let (mut app, _alo) = app();
    let pair = Pair::spawn(&mut app, "subject.alo", PlayClip::looping("SWING_00"));
    pair.wait(&mut app);
    app.step(0.13);
    pair.assert_equal(&mut app, 1e-3, "before reloads");
    let before = settled_counts(&mut app);
    // An edited clip: the old one plays on until the new one is baked.
    let files = swinging_files();
    let bend = files
        .iter()
        .find(|(name, _)| *name == "subject_BEND_00.ala");
    let unedited = pair.vertices(&mut app);
    app.replace("subject_SWING_00.ala", bend.unwrap().1.clone());
    pair.wait(&mut app);
    assert!(pair.assert_equal(&mut app, 1e-3, "after an edit of the clip") > 100);
    let edited = pair.vertices(&mut app);
    assert!(edited[0] != unedited[0] && edited[1] != unedited[1]);
    // A changed model: the pose is there in the frame of the reload.
    let time = app.world().get::<Playback>(pair.crowd).unwrap().time;
    let scenes = |app: &mut TestApp| {
        // The only child of each is the root entity of the scene.
        [pair.scene, pair.crowd].map(|root| app.world().get::<Children>(root).unwrap()[0])
    };
    let old = scenes(&mut app);
    app.begin_replace("subject.alo", swinging_model([4.0, 3.0, 2.0]));
    app.run_until_idle(0.0, |world| {
        let member = world.get::<AloCrowd>(pair.crowd).unwrap();
        assert!(!member.is_baking() && !member.meshes().is_empty());
        let blend = world.resource::<AloPoseTable>().get(member.row());
        assert_ne!(blend.to.b, 0, "the rest pose");
    });
    assert_eq!(app.world().get::<Playback>(pair.crowd).unwrap().time, time);
    pair.assert_equal(&mut app, 1e-3, "after a reload of the model");
    let new = scenes(&mut app);
    assert!(new[0] != old[0] && new[1] != old[1], "both are respawned");
    let reloaded = pair.vertices(&mut app);
    assert!(reloaded[0] != edited[0] && reloaded[1] != edited[1]);
    assert_eq!(settled_counts(&mut app), before);
    // A broken clip: the last one plays on.
    app.replace("subject_SWING_00.ala", ala::small(1)[..40].to_vec());
    pair.assert_equal(&mut app, 1e-3, "after a broken clip");
}
