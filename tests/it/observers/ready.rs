//! Observers of `ModelReady` that despawn models, change their components and spawn other models.

use super::actions::{
    Action, Loaded, MODELS, SpawnedByObserver, act, app as app_of_actions, despawn,
};
use crate::ala::play::{ala, moves};
use crate::particles::proxies::{proxy, ship};
use crate::support::particle_app::stream;
use crate::support::prelude::*;
use classic_models_fixtures::particles::bytes as particles;
use classic_models_fixtures::particles::emitter;

/// The roots that received [`ModelReady`], in this order, and whether it was a respawn.
#[derive(Resource, Default)]
struct ReadyRoots(Vec<(Entity, bool)>);

impl ReadyRoots {
    fn take(app: &mut TestApp) -> Vec<(Entity, bool)> {
        core::mem::take(&mut app.world().resource_mut::<Self>().0)
    }
}

/// An app that records [`ModelReady`] and executes the actions of the roots that receive it.
fn app() -> TestApp {
    let mut app = app_of_actions();
    app.world().init_resource::<ReadyRoots>();
    app.app.add_observer(
        |ready: On<ModelReady>,
         actions: Query<&Action>,
         loaded: Res<Loaded>,
         mut roots: ResMut<ReadyRoots>,
         mut commands: Commands| {
            roots.0.push((ready.entity, ready.is_respawn));
            act(ready.entity, &actions, &loaded, &mut commands);
        },
    );
    app
}

/// Spawns three loaded models, which become ready in the next frame, in this order.
fn spawn_three(app: &mut TestApp, model: usize) -> [Entity; 3] {
    let model = app.world().resource::<Loaded>().models[model].clone();
    let mut roots = [(); 3].map(|()| app.spawn_entity(ClassicModel::new(model.clone())));
    roots.sort_by_key(|root| root.index_u32());
    roots
}

fn entity_count(app: &mut TestApp) -> usize {
    let world = app.world();
    world.query::<()>().iter(world).count()
}

#[test]
fn ready_observer_may_despawn_any_roots() {
    let mut app = app();
    for (index, path) in MODELS.iter().enumerate() {
        let before = entity_count(&mut app);
        // Who despawns whom when it is ready, and who receives the event.
        let cases: [(usize, &[usize], &[usize]); 5] = [
            (0, &[0], &[0, 1, 2]),
            (0, &[1], &[0, 2]),
            (0, &[2, 0], &[0, 1]),
            (0, &[0, 1, 2], &[0]),
            (2, &[0, 1], &[0, 1, 2]),
        ];
        for (actor, despawned, receivers) in cases {
            let roots = spawn_three(&mut app, index);
            let targets = despawned.iter().map(|target| roots[*target]).collect();
            app.insert(roots[actor], Action::Despawn(targets));
            app.steps(3, 0.1);
            let context = format!("{path}: {actor} despawns {despawned:?}");
            let expected: Vec<_> = receivers.iter().map(|root| (roots[*root], false)).collect();
            assert_eq!(ReadyRoots::take(&mut app), expected, "{context}");
            for (index, root) in roots.iter().enumerate() {
                let exists = app.exists(*root);
                assert_eq!(exists, !despawned.contains(&index), "{context}");
            }
            despawn(&mut app, &roots);
            assert_eq!(entity_count(&mut app), before, "{context}: orphans");
        }
    }
}

#[test]
fn ready_observer_may_request_files_for_other_roots() {
    let mut app = app();
    for file in ["late_1.ala", "late_2.ala"] {
        app.save(file, ala(&moves(1.0)));
    }
    // The formats that play clips of files.
    for (index, clip) in [(1, "late_1.ala#Clip"), (2, "late_2.ala#Clip")] {
        let path = MODELS[index];
        let [a, b, c] = spawn_three(&mut app, index);
        app.apply(a, Action::RequestClip(b, clip));
        let expected = [(a, false), (c, false)];
        assert_eq!(ReadyRoots::take(&mut app), expected, "{path}");
        app.wait(path, |world| {
            let roots = world.resource::<ReadyRoots>();
            roots.0 == [(b, false)]
        });
        ReadyRoots::take(&mut app);
        despawn(&mut app, &[a, b, c]);
    }
}

#[test]
fn ready_observer_may_insert_components() {
    let mut app = app();
    for (index, path) in MODELS.iter().enumerate() {
        let roots = spawn_three(&mut app, index);
        app.apply(roots[1], Action::InsertComponents);
        app.wait_until_idle();
        let expected = roots.map(|root| (root, false));
        assert_eq!(ReadyRoots::take(&mut app), expected, "{path}");
        app.step(0.05);
        if *path != "bike.lgw" {
            let playback = app.get::<Playback>(roots[1]);
            assert!((playback.time - 0.05).abs() < 1e-4, "{path}: {playback:?}");
        }
        app.steps(3, 0.1);
        assert_eq!(ReadyRoots::take(&mut app), [], "{path}");
        despawn(&mut app, &roots);
    }
}

#[test]
fn ready_observer_may_spawn_other_models() {
    let mut app = app();
    for (index, path) in MODELS.iter().enumerate() {
        let roots = spawn_three(&mut app, index);
        app.apply(roots[1], Action::SpawnAnother);
        app.steps(3, 0.1);
        app.wait_until_idle();
        let world = app.world();
        let mut spawned = world.query_filtered::<Entity, With<SpawnedByObserver>>();
        let spawned: Vec<Entity> = spawned.iter(world).collect();
        assert_eq!(spawned.len(), 2 * MODELS.len(), "{path}");
        let all = spawned.iter().chain(&roots);
        let mut expected: Vec<_> = all.map(|root| (*root, false)).collect();
        expected.sort();
        let mut found = ReadyRoots::take(&mut app);
        found.sort();
        assert_eq!(found, expected, "{path}");
        despawn(&mut app, &roots);
        despawn(&mut app, &spawned);
    }
}

#[test]
fn ready_observer_may_replace_or_remove_the_model() {
    let mut app = app();
    for (index, path) in MODELS.iter().enumerate() {
        let roots = spawn_three(&mut app, index);
        let other = match index {
            // The model is the same.
            0 => vec![],
            _ => vec![(roots[0], true)],
        };
        for (root, action) in [(0, Action::ReplaceModel), (1, Action::RemoveModel)] {
            app.insert(roots[root], action);
        }
        app.step(0.0);
        let first = roots.map(|root| (root, false));
        assert_eq!(ReadyRoots::take(&mut app), first, "{path}");
        app.steps(3, 0.1);
        app.wait_until_idle();
        assert_eq!(ReadyRoots::take(&mut app), other, "{path}");
        let format = |app: &mut TestApp, root: Entity| {
            let instance = app.find::<ModelInstance>(root);
            instance.map(ModelInstance::format)
        };
        let formats = roots.map(|root| format(&mut app, root));
        assert_eq!(formats[0], Some(ModelFormat::Quake), "{path}");
        assert!(formats[1].is_none() && formats[2].is_some(), "{path}");
        let removed = app.world().entity(roots[1]);
        assert!(!removed.contains::<Children>(), "{path}");
        despawn(&mut app, &roots);
    }
}

/// The roots of [`despawned_models_leave_no_particle_systems`].
#[derive(Component)]
struct Ship;

#[test]
fn despawned_models_leave_no_particle_systems() {
    let files = [
        ("ship.alo", ship(vec![proxy("p_smoke", 2, false)])),
        ("p_smoke.alo", particles(vec![emitter(stream(20, 0.5))])),
    ];
    let mut app = ParticleApp::with_files(&files);
    let kept: [Handle<Alo>; 2] = files.each_ref().map(|(path, _)| app.app.load(*path));
    for model in &kept {
        app.app.wait_loaded(model);
    }
    // Both ships show their systems in one frame. The first of them despawns the other ship.
    let first = app.world().add_observer(
        |added: On<Add, AloParticleSystem>,
         parents: Query<&ChildOf>,
         ships: Query<Entity, With<Ship>>,
         mut commands: Commands| {
            let own = parents.root_ancestor(added.entity);
            for other in ships.iter().filter(|ship| *ship != own) {
                commands.entity(other).despawn();
            }
        },
    );
    let first = first.id();
    let ships = [(); 2].map(|()| {
        let ship = (ClassicModel::new(kept[0].clone()), Ship);
        app.app.spawn_entity(ship)
    });
    app.app.wait_until_idle();
    app.run(3, 0.1);
    let left: Vec<Entity> = ships
        .into_iter()
        .filter(|ship| app.app.exists(*ship))
        .collect();
    assert_eq!(left.len(), 1);
    let count = |app: &mut ParticleApp| {
        let world = app.world();
        world.query::<&AloParticleSystem>().iter(world).count()
    };
    assert_eq!(count(&mut app), 1);
    app.app.despawn(first);
    app.app.despawn(left[0]);
    app.run(1, 0.1);

    // A ship that is despawned when it is ready.
    app.world()
        .add_observer(|ready: On<ModelReady>, mut commands: Commands| {
            commands.entity(ready.entity).despawn();
        });
    let before = entity_count(&mut app.app);
    let root = app.app.spawn_entity(ClassicModel::new(kept[0].clone()));
    let is_despawned =
        gpuless::wait_until(&mut app.app.app, |world| world.get_entity(root).is_err());
    assert!(is_despawned, "the model is not ready");
    app.run(3, 0.1);
    assert_eq!(count(&mut app), 0);
    assert_eq!(entity_count(&mut app.app), before, "orphans");
}
