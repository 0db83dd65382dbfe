//! Members of crowds come and go, and are reloaded, without leaking rows, textures, meshes, materials or entities.

use crate::crowd::poses::swinging_files;
use crate::crowd::subjects::{SUBJECTS, Subject};
use crate::support::crowd::{member, pose};
use crate::support::prelude::*;
use crate::support::random::Random;

/// Counts of everything that crowds allocate: rows, images, meshes, materials, entities.
fn counts(app: &mut TestApp) -> [usize; 5] {
    let world = app.world();
    let entities = world.query::<()>().iter(world).count();
    [
        world.resource::<AloPoseTable>().len() + world.resource::<AbcCrowdPoseTable>().len(),
        world.resource::<Assets<Image>>().len(),
        world.resource::<Assets<Mesh>>().len(),
        world.resource::<Assets<AloCrowdMaterial>>().len()
            + world.resource::<Assets<AbcCrowdMaterial>>().len(),
        entities,
    ]
}

fn settled_counts(app: &mut TestApp) -> [usize; 5] {
    app.steps(5, 0.0);
    counts(app)
}

/// An app with a subject that stays loaded.
fn app(subject: &Subject) -> TestApp {
    let mut app = TestApp::new(&(subject.files)());
    app.keep_loaded(subject.path);
    app
}

fn spawn(app: &mut TestApp, subject: &Subject, random: &mut Random) -> Entity {
    let root = app.spawn_model(subject.path, Crowd);
    change(app, root, subject, random);
    root
}

/// Changes a component of a member at random.
fn change(app: &mut TestApp, root: Entity, subject: &Subject, random: &mut Random) {
    let clip = subject.clips[random.below(2)];
    let kind = random.below(9);
    let number = random.below(3);
    let mut root = app.world().entity_mut(root);
    match kind {
        0 => root.insert(PlayClip::looping(clip).with_fade(0.2)),
        1 => root.insert(PlayClip::once(clip)),
        2 => root.remove::<PlayClip>(),
        3 => root.insert(ModelLod(number as u32)),
        4 => root.insert(PartVisibility::hidden([subject.part])),
        5 => root.remove::<PartVisibility>(),
        6 => root.insert(TeamColor(Color::srgb(0.1 * number as f32, 0.5, 0.9))),
        7 => root.insert(ModelSkin::Index(number)),
        _ => root.insert(DamageStage(number as u32)),
    };
}

/// Spawns members, and changes, despawns and respawns them at random for a number of frames.
fn random_changes(subject: &Subject, count: usize, frames: usize) {
    let mut app = app(subject);
    let mut random = Random(7);
    let before = settled_counts(&mut app);
    let mut roots: Vec<_> = (0..count)
        .map(|_| spawn(&mut app, subject, &mut random))
        .collect();
    for frame in 0..frames {
        for _ in 0..count / 10 {
            let index = random.below(count);
            match random.below(12) {
                0 => {
                    app.despawn(roots[index]);
                    roots[index] = spawn(&mut app, subject, &mut random);
                }
                1 => {
                    app.remove::<Crowd>(roots[index]);
                }
                2 => {
                    app.insert(roots[index], Crowd);
                }
                _ => change(&mut app, roots[index], subject, &mut random),
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
    let members = roots
        .iter()
        .filter(|root| member(app.app.world(), **root).is_some());
    let members = members.count();
    assert!(members > count / 2 && members <= count, "{members}");
    assert_eq!(counts(&mut app)[0], members, "rows");
    for root in roots {
        app.despawn(root);
    }
    assert_eq!(settled_counts(&mut app), before);
}

#[test]
fn random_changes_leak_nothing() {
    for subject in &SUBJECTS {
        random_changes(subject, 100, 60);
    }
}

/// Run it with `cargo test --release --test it -- --ignored ten_thousand_members`.
#[test]
#[ignore = "takes minutes"]
fn ten_thousand_members_leak_nothing_in_a_thousand_frames() {
    for subject in &SUBJECTS {
        random_changes(subject, 10_000, 1000);
    }
}

#[test]
fn data_of_a_crowd_is_freed_with_its_last_member() {
    for subject in &SUBJECTS {
        let mut app = app(subject);
        let before = settled_counts(&mut app);
        let members = [(); 2].map(|()| {
            let play = PlayClip::looping(subject.clips[0]);
            app.spawn_ready(subject.scene, (Crowd, play))
        });
        app.step(0.0);
        let with_both = settled_counts(&mut app);
        assert_eq!(with_both[0], before[0] + 2, "rows");
        assert_eq!(with_both[1], before[1] + 1, "one texture for all members");
        assert_eq!(with_both[3], before[3] + 1, "materials");
        app.despawn(members[0]);
        let with_one = settled_counts(&mut app);
        assert_eq!(with_one[1..4], with_both[1..4]);
        // Without its model, a root shows nothing.
        app.remove::<WorldAssetRoot>(members[1]);
        app.step(0.0);
        assert!(member(app.world(), members[1]).is_none());
        app.despawn(members[1]);
        assert_eq!(settled_counts(&mut app), before);
    }
}

#[test]
fn a_model_joins_and_leaves_its_crowd() {
    for subject in &SUBJECTS {
        let mut app = app(subject);
        let root = app.spawn_ready(subject.scene, PlayClip::looping(subject.clips[0]));
        let count = |app: &mut TestApp| app.count::<Name>();
        let bones = count(&mut app);
        for _ in 0..2 {
            app.insert(root, Crowd);
            app.step(0.0);
            assert!(member(app.world(), root).is_some(), "{}", subject.path);
            assert!(count(&mut app) < bones);
            app.remove::<Crowd>(root);
            app.step(0.0);
            assert!(member(app.world(), root).is_none(), "{}", subject.path);
            assert_eq!(count(&mut app), bones);
        }
    }
}

#[test]
fn models_that_need_no_crowd_stay() {
    let files = [
        ("a.mdl", mdl::tetrahedron().to_bytes()),
        ("a.lgw", BICYCLE.into()),
    ];
    let mut app = TestApp::new(&files);
    for scene in ["a.mdl#Scene", "a.lgw#Scene"] {
        let root = app.spawn_ready(scene, ());
        app.step(0.0);
        let before = app.get::<Children>(root)[0];
        app.insert(root, Crowd);
        app.step(0.0);
        app.remove::<Crowd>(root);
        app.step(0.0);
        assert_eq!(app.get::<Children>(root)[0], before, "{scene}");
    }
}

#[test]
fn a_member_shows_its_scene_until_the_next_one_is_loaded() {
    for subject in &SUBJECTS {
        let mut files = (subject.files)();
        let other_path: &str = subject.path.replace("subject", "other").leak();
        files.push((other_path, (subject.edited)()));
        let (mut app, held) = TestApp::with_held_files(&files);
        let root = app.spawn_ready(subject.scene, (Crowd, PlayClip::looping(subject.clips[0])));
        app.step(0.0);
        let shown = member(app.world(), root).unwrap();
        let (scene, meshes) = (shown.scene, shown.meshes.len());
        assert!(meshes > 0);
        held.hold(other_path);
        let other = app.load(format!("{other_path}#Scene"));
        app.apply(root, WorldAssetRoot(other));
        assert!(app.exists(scene));
        let count = |app: &mut TestApp| app.count::<Mesh3d>();
        for parts in [
            PartVisibility::hidden([subject.part]),
            PartVisibility::default(),
        ] {
            app.apply(root, parts);
            app.step(0.0);
        }
        assert_eq!(count(&mut app), meshes);
        held.release();
        app.wait_until(|world| {
            let shown = member(world, root);
            shown.is_some_and(|member| member.scene != scene && !member.meshes.is_empty())
        });
        assert_eq!(count(&mut app), meshes);
    }
}

#[test]
fn members_become_scenes_and_back() {
    for subject in &SUBJECTS {
        let mut app = app(subject);
        let model = ClassicModel::new(subject.path);
        let play = PlayClip::looping(subject.clips[1]);
        let root = app.spawn_entity((model, play));
        app.wait_until(|world| world.get::<ModelInstance>(root).is_some());
        let as_scene = settled_counts(&mut app);
        for _ in 0..3 {
            app.apply(root, Crowd);
            app.step(0.0);
            assert!(app.get::<ModelInstance>(root).is_in_crowd());
            assert!(member(app.world(), root).is_some());
            app.remove::<Crowd>(root);
            app.steps(2, 0.0);
            let instance = app.get::<ModelInstance>(root);
            assert!(!instance.is_in_crowd() && instance.entities().count() > 0);
            assert!(member(app.world(), root).is_none());
            assert_eq!(settled_counts(&mut app), as_scene);
        }
    }
}

#[test]
fn reloads_of_models_keep_the_pose() {
    for subject in &SUBJECTS {
        let mut app = app(subject);
        let play = PlayClip::looping(subject.clips[0]);
        let pair = Pair::spawn(&mut app, subject.path, play);
        pair.wait(&mut app);
        app.step(0.13);
        pair.assert_equal(&mut app, 1e-3, "before a reload");
        let before = settled_counts(&mut app);
        let old = pair.vertices(&mut app);
        let time = app.get::<Playback>(pair.crowd).time;
        app.begin_replace(subject.path, (subject.edited)());
        // The pose is there in the frame of the reload.
        app.run_until_idle(0.0, |world| {
            let shown = member(world, pair.crowd).unwrap();
            assert!(!shown.is_baking, "{}: {shown:?}", subject.path);
            assert!(!shown.meshes.is_empty(), "{}: {shown:?}", subject.path);
            assert_ne!(pose(world, pair.crowd).to.b, 0, "the rest pose");
        });
        assert_eq!(app.get::<Playback>(pair.crowd).time, time);
        pair.assert_equal(&mut app, 1e-3, "after a reload");
        let new = pair.vertices(&mut app);
        assert!(new[0] != old[0] && new[1] != old[1], "the edit is shown");
        assert_eq!(settled_counts(&mut app), before);
    }
}

#[test]
fn edited_clips_are_baked_again() {
    let mut app = app(&SUBJECTS[0]);
    let pair = Pair::spawn(&mut app, "subject.alo", PlayClip::looping("SWING_00"));
    pair.wait(&mut app);
    app.step(0.13);
    pair.assert_equal(&mut app, 1e-3, "before the edit");
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
    // A broken clip: the last one plays on.
    app.replace("subject_SWING_00.ala", ala::small(1)[..40].to_vec());
    pair.assert_equal(&mut app, 1e-3, "after a broken clip");
}

/// A clip that moves a bone by a distance in a second.
fn moving_clip(target: AnimationTargetId, distance: f32) -> AnimationClip {
    let mut clip = AnimationClip::default();
    let moved = Vec3::new(distance, 1.0, 2.0);
    let curve = EasingCurve::new(Vec3::ZERO, moved, EaseFunction::Linear);
    let property = animated_field!(Transform::translation);
    clip.add_curve_to_target(target, AnimatableCurve::new(property, curve));
    clip
}

#[test]
fn edited_clips_that_are_of_no_file_are_baked_again() {
    for subject in &SUBJECTS {
        let mut app = app(subject);
        let pair = Pair::spawn(&mut app, subject.path, ());
        let world = app.world();
        let bone = SystemState::<ModelQuery>::new(world)
            .get(world)
            .unwrap()
            .bone(pair.scene, subject.bone);
        let target = *world.get::<AnimationTargetId>(bone.unwrap()).unwrap();
        let mut clips = world.resource_mut::<Assets<AnimationClip>>();
        let clip = clips.add(moving_clip(target, 3.0));
        pair.show(&mut app, ClipRef::Handle(clip.clone()), 0.37);
        assert_ne!(pose(app.world(), pair.crowd).to.a, 0, "the rest pose");
        assert!(pair.assert_equal(&mut app, 1e-3, "before the edit") > 20);
        let unedited = pair.vertices(&mut app);
        let mut clips = app.world().resource_mut::<Assets<AnimationClip>>();
        *clips.get_mut(&clip).unwrap() = moving_clip(target, 8.0);
        pair.wait(&mut app);
        pair.assert_equal(&mut app, 1e-3, "after the edit");
        let edited = pair.vertices(&mut app);
        assert!(edited[0] != unedited[0] && edited[1] != unedited[1]);
    }
}

#[test]
fn members_can_be_despawned_while_their_clip_is_baked() {
    for subject in &SUBJECTS {
        let mut app = app(subject);
        let before = settled_counts(&mut app);
        let model = ClassicModel::new(subject.path);
        let play = PlayClip::looping(subject.clips[0]);
        let spawn = |app: &mut TestApp| {
            let root = app.spawn_entity((model.clone(), Crowd, play.clone()));
            // A clip is baked for at least one frame.
            app.wait(subject.path, |world| is_baking(world, root));
            root
        };
        // The crowd is dropped with its only member.
        let only = spawn(&mut app);
        app.despawn(only);
        assert_eq!(settled_counts(&mut app), before);
        // Another member gets the clip.
        let first = spawn(&mut app);
        let second = app.spawn_entity((model.clone(), Crowd, play.clone()));
        app.despawn(first);
        app.wait_until(|world| member(world, second).is_some() && pose(world, second).to.b != 0);
        app.despawn(second);
        assert_eq!(settled_counts(&mut app), before);
    }
}
