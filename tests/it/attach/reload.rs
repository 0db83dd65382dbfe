//! Attachments to models whose files change: the entities stay, and are attached to the new bones in every frame.

use crate::ala::play as ala_play;
use crate::attach::scene::{
    UserData, all_formats, app, assert_attached, bone_of, local, spawn_model, spawn_ready,
    wait_for_model,
};
use crate::support::abc::{ARM, bytes, figure};
use crate::support::prelude::*;
use crate::support::random::Random;

/// A model that plays a clip, and an attachment on a bone.
fn spawn_with_attachment(app: &mut TestApp, path: &'static str, bone: &str) -> (Entity, Entity) {
    app.keep_loaded(path);
    let transform = Transform::from_xyz(3.0, 4.0, 5.0);
    let root = spawn_model(app, path, (transform, PlayClip::looping(0)));
    wait_for_model(app, root);
    let attachment = (
        on(root, bone),
        local(),
        UserData(7),
        Name::new("attachment"),
    );
    let attachment = app.spawn_entity(attachment);
    app.step(0.0);
    (root, attachment)
}

/// Replaces a file without waiting for the reload.
fn replace(app: &mut TestApp, path: &'static str, bytes: Vec<u8>) {
    app.edit(path, bytes);
}

/// The files of all formats, edited so that all models differ.
fn edited() -> Vec<Vec<u8>> {
    let mut abc = figure();
    abc.animations[0] = walk("Walk", 25.0);
    let mut mdl = tetrahedron();
    mdl.header.origin = [1.0, 2.0, 3.0];
    let lgw = BICYCLE.replace("1 0 0 1 0 0 0 1", "9 0 0 1 0 0 0 1");
    vec![
        ala_play::model_at(9.0),
        bytes(&abc),
        lgw.into(),
        mdl.to_bytes(),
    ]
}

/// The entity of the scene below a root.
fn scene(app: &mut TestApp, (root, attachment): (Entity, Entity)) -> Option<Entity> {
    let children = app.find::<Children>(root)?;
    children.iter().find(|child| *child != attachment)
}

/// The model of an MDL entity. A reload replaces it without respawning the entity.
fn mdl_model(app: &mut TestApp, (root, _): (Entity, Entity)) -> Option<Arc<MdlModel>> {
    let animator = app.find::<MdlInstance>(root)?;
    Some(animator.model().clone())
}

#[test]
fn attachment_stays_on_its_bone_in_every_frame_of_a_reload() {
    for ((path, before, bone), after) in all_formats().into_iter().zip(edited()) {
        let mut app = app();
        let pair = spawn_with_attachment(&mut app, path, bone);
        let attachment = pair.1;
        for (round, bytes) in [&after, &before, &after].into_iter().enumerate() {
            let old = scene(&mut app, pair);
            let old_model = mdl_model(&mut app, pair);
            replace(&mut app, path, bytes.clone());
            let mut patience = gpuless::Patience::new(5000);
            let mut after_it = 0;
            while after_it < 5 {
                app.step(0.011);
                assert_attached(app.world(), attachment, local());
                let visible = app.get::<InheritedVisibility>(attachment);
                assert!(visible.get(), "{path}, round {round}");
                assert_eq!(app.find::<UserData>(attachment), Some(&UserData(7)));
                let is_new = match (&old_model, mdl_model(&mut app, pair)) {
                    (Some(old), Some(new)) => !Arc::ptr_eq(old, &new),
                    _ => scene(&mut app, pair) != old,
                };
                after_it += usize::from(is_new);
                assert!(!patience.is_exhausted(), "{path} was not respawned");
                patience.wait();
            }
        }
    }
}

#[test]
fn attachment_on_a_hidden_bone_stays_hidden_during_a_reload() {
    let mut app = app();
    let (root, attachment) = spawn_with_attachment(&mut app, "attached/unit.alo", "flash");
    let old = bone_of(app.world(), root, "flash").0.unwrap();
    replace(&mut app, "attached/unit.alo", ala_play::model_at(9.0));
    let mut patience = gpuless::Patience::new(5000);
    while bone_of(app.world(), root, "flash").0 == Some(old) {
        assert!(!patience.is_exhausted(), "it was not respawned");
        app.step(0.011);
        assert!(!app.get::<InheritedVisibility>(attachment).get());
        patience.wait();
    }
}

#[test]
fn invalid_file_keeps_attachments() {
    for (path, before, bone) in all_formats() {
        let mut app = app();
        let pair = spawn_with_attachment(&mut app, path, bone);
        let old = scene(&mut app, pair);
        app.begin_replace(path, before[..before.len() / 2].to_vec());
        app.run_until_idle(0.011, |world| assert_attached(world, pair.1, local()));
        let server = app.server();
        let handles = server.get_handles_untyped(path);
        let has_failed = |model: &UntypedHandle| server.load_state(model).is_failed();
        assert!(handles.iter().any(has_failed), "{path} did not fail");
        assert_eq!(scene(&mut app, pair), old, "{path}");
    }
}

#[test]
fn renamed_bone_detaches_to_the_root_and_reattaches() {
    let path = "attached/unit.abc";
    let mut app = app();
    let (root, attachment) = spawn_with_attachment(&mut app, path, "aRm");
    let mut renamed = figure();
    renamed.nodes[ARM].name = "Wing".to_owned();
    for round in 0..3 {
        replace(&mut app, path, bytes(&renamed));
        let is_gone = |world: &mut World| bone_of(world, root, "arm").0.is_none();
        app.wait_until(is_gone);
        assert_attached(app.world(), attachment, local());
        let parent = app.get::<ChildOf>(attachment).parent();
        assert_eq!(parent, root, "round {round}");
        replace(&mut app, path, bytes(&figure()));
        let is_back = |world: &mut World| bone_of(world, root, "arm").0.is_some();
        app.wait_until(is_back);
        assert_attached(app.world(), attachment, local());
        let parent = app.get::<ChildOf>(attachment).parent();
        assert_ne!(parent, root, "round {round}");
    }
    // One warning each time the bone is renamed.
    log::expect_warnings("has no bone \"aRm\"", 3);
}

/// Asserts that all attachments are on their targets, except those that would close a cycle.
fn check(app: &mut TestApp) {
    // Rejected attachments are tried again in the next frame.
    for _ in 0..12 {
        if !has_rejected_without_cycle(app) {
            break;
        }
        app.step(0.0);
    }
    assert!(
        !has_rejected_without_cycle(app),
        "an attachment without a cycle was rejected"
    );
    let mut attached = app
        .world()
        .query::<(Entity, &AttachedToBone, Option<&ChildOf>)>();
    let all: Vec<_> = attached
        .iter(app.app.world())
        .map(|(entity, attached, of)| (entity, attached.clone(), of.map(ChildOf::parent)))
        .collect();
    for (attachment, attached, parent) in all {
        let world = app.world();
        assert!(
            world.get_entity(attached.to).is_ok(),
            "the root is despawned"
        );
        let Some(parent) = parent else {
            continue;
        };
        let (_, is_spawned) = bone_of(world, attached.to, "");
        if is_spawned {
            assert_attached(world, attachment, local());
        } else {
            let root = world.get::<ChildOf>(parent).unwrap().parent();
            assert_eq!(root, attached.to, "the parent is pending");
        }
    }
}

/// Whether an attachment has no parent although it closes no cycle.
fn has_rejected_without_cycle(app: &mut TestApp) -> bool {
    let world = app.world();
    let mut rejected = world.query_filtered::<(Entity, &AttachedToBone), Without<ChildOf>>();
    rejected.iter(world).any(|(attachment, attached)| {
        let ancestors = core::iter::successors(Some(attached.to), |entity| {
            world.get::<ChildOf>(*entity).map(ChildOf::parent)
        });
        ancestors.into_iter().all(|ancestor| ancestor != attachment)
    })
}

/// A random element of a slice.
fn any<T: Clone>(random: &mut Random, all: &[T]) -> Option<T> {
    let index = random.below(all.len().max(1));
    all.get(index).cloned()
}

#[test]
fn random_steps_leave_no_entities_behind() {
    const PATHS: [&str; 3] = [
        "attached/unit.alo",
        "attached/unit.abc",
        "attached/unit.mdl",
    ];
    const BONES: [&str; 6] = ["hull", "TURRET", "body", "Arm", "nothing", ""];
    let mut app = app();
    let handles: (Handle<Alo>, Handle<Abc>, Handle<Mdl>) =
        (app.load(PATHS[0]), app.load(PATHS[1]), app.load(PATHS[2]));
    // Spawns each format once, so that entities that stay for the whole run exist before the count.
    for (path, _, _) in all_formats() {
        let root = spawn_ready(&mut app, path, ());
        app.despawn(root);
    }
    let settle = |app: &mut TestApp| {
        app.run_until_idle(0.01, |_| {});
        app.world().entities().count_spawned()
    };
    let before = settle(&mut app);
    let random = &mut Random(0x1357_9bdf_2468_ace0);
    let mut roots = Vec::new();
    let mut attachments = Vec::new();
    let mut seen = HashSet::new();
    for step in 0..4000 {
        let is_alive = |entity: &Entity| app.exists(*entity);
        roots.retain(is_alive);
        attachments.retain(is_alive);
        let all: Vec<Entity> = roots.iter().chain(&attachments).copied().collect();
        let action = random.below(12);
        match action {
            0 | 1 if roots.len() < 8 => {
                let path = any(random, &PATHS).unwrap();
                roots.push(spawn_model(&mut app, path, local()));
            }
            2 | 3 if attachments.len() < 12 => attachments.push(app.spawn_entity(local())),
            4..=6 => {
                if let (Some(to), Some(attachment)) = (any(random, &roots), any(random, &all)) {
                    let bone = any(random, &BONES).unwrap();
                    app.insert(attachment, on(to, bone));
                }
            }
            7 => {
                if let Some(attachment) = any(random, &all) {
                    let mut attachment = app.world().entity_mut(attachment);
                    attachment.remove::<AttachedToBone>().insert(local());
                }
            }
            8 | 9 => {
                // Respawns the scene, as a change of the file does.
                if let Some(root) = any(random, &roots) {
                    app.respawn(root);
                }
            }
            10 if step % 40 == 0 => {
                let path = any(random, &PATHS).unwrap();
                app.reload(path);
            }
            11 if step % 3 == 0 => {
                if let Some(entity) = any(random, &all) {
                    app.despawn(entity);
                }
            }
            _ => continue,
        }
        seen.insert(action);
        app.step(0.01);
        check(&mut app);
    }
    assert_eq!(seen.len(), 12, "not all actions were tested");
    for entity in roots.into_iter().chain(attachments) {
        app.world().try_despawn(entity).ok();
    }
    assert_eq!(settle(&mut app), before);
    drop(handles);
}

#[test]
fn nested_attachments_survive_reloads_of_both_models() {
    let mut app = app();
    let (unit, _) = spawn_with_attachment(&mut app, "attached/unit.alo", "turret");
    let (guard, light) = spawn_with_attachment(&mut app, "attached/unit.abc", "arm");
    app.insert(guard, (on(unit, "turret"), local()));
    app.step(0.01);
    for round in 0..2 {
        let height = 9.0 + round as f32;
        replace(&mut app, "attached/unit.alo", ala_play::model_at(height));
        let mut other = figure();
        other.animations[0] = walk("Walk", height);
        replace(&mut app, "attached/unit.abc", bytes(&other));
        let bones = |app: &mut TestApp| {
            let bones = [(unit, "turret"), (guard, "arm")];
            bones.map(|(root, bone)| bone_of(app.world(), root, bone).0.unwrap())
        };
        let old = bones(&mut app);
        let mut patience = gpuless::Patience::new(5000);
        let are_new = |app: &mut TestApp| {
            let new = bones(app);
            new[0] != old[0] && new[1] != old[1]
        };
        while !are_new(&mut app) {
            assert!(!patience.is_exhausted());
            app.step(0.01);
            assert_attached(app.world(), guard, local());
            assert_attached(app.world(), light, local());
            patience.wait();
        }
    }
}
