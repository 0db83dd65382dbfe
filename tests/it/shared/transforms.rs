//! Entities of models are where their transforms are, also if they reuse the indices of entities that were despawned in the
//! same frame.

use crate::attach::scene::{all_formats, app};
use crate::support::app::load_model;
use crate::support::prelude::*;
use crate::support::rays::by_global_transform;

/// The count of models. Bevy confuses reused indices only if more than 1,024 entities are despawned.
const COUNT: u16 = 1500;

/// Asserts that the global transforms of all entities below a root are the products of their transforms.
#[track_caller]
fn assert_propagated(app: &TestApp, root: Entity, what: &str) {
    let mut open = vec![root];
    while let Some(entity) = open.pop() {
        let found = by_global_transform(app.app.world(), entity);
        let expected = by_transforms(app.app.world(), entity);
        let is_equal = found.abs_diff_eq(expected, 1e-3);
        assert!(
            is_equal,
            "{what}: {entity} is at {found:?}, not {expected:?}"
        );
        let children = app.find::<Children>(entity);
        open.extend(children.into_iter().flatten().copied());
    }
}

#[test]
fn models_are_at_their_places_from_the_first_frame_and_after_reloads() {
    let mut app = app();
    for (path, bytes, _) in all_formats() {
        let scene = app.load(format!("{path}#Scene"));
        let place = |index: u16| Transform::from_xyz(3.0 * f32::from(index), 2.0, -1.0);
        let roots: Vec<Entity> = (0..COUNT)
            .map(|index| app.spawn_entity((WorldAssetRoot(scene.clone()), place(index))))
            .collect();
        app.wait_for(&roots);
        for root in &roots {
            assert_propagated(&app, *root, path);
        }
        let _model = load_model(&app.server(), path);
        app.wait_until_idle();
        app.replace(path, bytes);
        for root in &roots {
            assert_propagated(&app, *root, &format!("{path} after a reload"));
        }
        for root in roots {
            app.despawn(root);
        }
    }
}

#[test]
fn entities_of_the_game_are_at_their_places() {
    let mut app = app();
    let at = |x: f32| (Transform::from_xyz(x, 0.0, 0.0), Visibility::default());
    let parents: Vec<Entity> = (0..COUNT)
        .map(|index| app.spawn_entity(at(index.into())))
        .collect();
    let spawn = |app: &mut TestApp| -> Vec<Entity> {
        let parents = parents.iter();
        let children = parents.map(|parent| app.spawn_entity((at(1.0), ChildOf(*parent))));
        children.collect()
    };
    let mut children = spawn(&mut app);
    for round in 0..4 {
        app.steps(3, 0.0);
        for child in children {
            app.app.world_mut().despawn(child);
        }
        children = spawn(&mut app);
        app.step(0.0);
        for parent in &parents {
            assert_propagated(&app, *parent, &format!("round {round}"));
        }
    }
}
