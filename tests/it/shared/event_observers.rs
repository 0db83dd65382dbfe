//! Observers of `ModelReady` and `ModelEvent` that despawn models, insert components and spawn other models.

use super::model_events::{Received, every_frame, kinds, names, steps};
use crate::ala::play::{ala, moves};
use crate::clips::named::{Kind, app as app_of_clips, named, spawn};
use crate::gpuless;
use crate::particles::proxies::{proxy, ship};
use crate::support::app::TestApp;
use crate::support::lgw::BICYCLE;
use crate::support::particle_app::{ParticleApp, stream};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloParticleSystem;
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::{ModelFormat, PlayerColors, Repeat};
use classic_models_fixtures::particles::{bytes as particles, emitter};
use std::path::Path;

/// A model of each format. The last has no clips.
const MODELS: [&str; 4] = ["tetra.mdl", "art/Unit.alo", "model.abc", "bike.lgw"];

/// What the observers do when they receive an event of this root, once.
#[derive(Component, Clone, Debug)]
enum Action {
    Despawn(Vec<Entity>),
    /// Another root needs a clip that is not loaded yet.
    RequestClip(Entity, &'static str),
    InsertComponents,
    SpawnAnother,
    ReplaceModel,
    RemoveModel,
}

/// On models that an observer has spawned.
#[derive(Component)]
struct SpawnedByObserver;

/// The roots that received [`ModelReady`], in this order, and whether it was a respawn.
#[derive(Resource, Default)]
struct ReadyRoots(Vec<(Entity, bool)>);

impl ReadyRoots {
    fn take(app: &mut TestApp) -> Vec<(Entity, bool)> {
        core::mem::take(&mut app.world().resource_mut::<Self>().0)
    }
}

/// Loaded models.
#[derive(Resource)]
struct Loaded {
    models: Vec<Handle<ModelManifest>>,
    server: AssetServer,
}

/// Executes the action of a root.
fn act(root: Entity, actions: &Query<&Action>, loaded: &Loaded, commands: &mut Commands) {
    let Ok(action) = actions.get(root) else {
        return;
    };
    match action {
        Action::Despawn(targets) => {
            targets
                .iter()
                .for_each(|target| commands.entity(*target).despawn());
            return;
        }
        Action::RequestClip(target, path) => {
            let clip = loaded.server.load(*path);
            let clips = [named("late", clip, 1.0, Repeat::Loop)];
            commands.entity(*target).insert(ModelClips::new(clips));
        }
        Action::InsertComponents => insert_components(commands, root),
        Action::SpawnAnother => {
            let to = AttachedToBone {
                to: root,
                bone: String::new(),
            };
            for model in &loaded.models {
                let model = ClassicModel(model.clone());
                commands.spawn((model.clone(), SpawnedByObserver));
                commands.spawn((model, SpawnedByObserver, to.clone()));
            }
        }
        Action::ReplaceModel => {
            commands
                .entity(root)
                .insert(ClassicModel(loaded.models[0].clone()));
        }
        Action::RemoveModel => {
            commands.entity(root).remove::<ClassicModel>();
        }
    }
    commands.entity(root).remove::<Action>();
}

/// Inserts components of all kinds.
fn insert_components(commands: &mut Commands, root: Entity) {
    commands.entity(root).insert((
        PlayClip::looping(0),
        ClipLayers::new([ClipLayer::looping(0)]),
        ModelSkin::from(0),
        TeamColor(Color::WHITE),
        PlayerColors { shirt: 1, pants: 2 },
        DamageStage(1),
        ModelLod(1),
        PartVisibility::hidden(["Arm", "Turret"]),
        BevySpace::default(),
        FollowVelocity::default(),
        ModelMasks::default(),
    ));
}

fn app() -> TestApp {
    let mut app = app_of_clips();
    let bike = BICYCLE.as_bytes().to_vec();
    app.files.insert_asset(Path::new("bike.lgw"), bike);
    let models = MODELS.map(|path| app.load::<ModelManifest>(path));
    for model in &models {
        app.wait_loaded(model);
    }
    let server = app.world().resource::<AssetServer>().clone();
    let models = models.into();
    app.world().insert_resource(Loaded { models, server });
    app.world().init_resource::<ReadyRoots>();
    app
}

/// An app that records [`ModelReady`] and executes the actions of the roots that receive it.
fn app_of_ready() -> TestApp {
    let mut app = app();
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

/// An app that executes the actions of the roots that receive the event `frame 1`.
fn app_of_events() -> (TestApp, Received) {
    let mut app = app();
    let received = Received::record(&mut app);
    app.app.add_observer(
        |event: On<ModelEvent>,
         actions: Query<&Action>,
         loaded: Res<Loaded>,
         mut commands: Commands| {
            if event.name == "frame 1" {
                act(event.entity, &actions, &loaded, &mut commands);
            }
        },
    );
    (app, received)
}

/// Spawns three loaded models, which become ready in the next frame, in this order.
fn spawn_three(app: &mut TestApp, model: usize) -> [Entity; 3] {
    let model = app.world().resource::<Loaded>().models[model].clone();
    let mut roots = [(); 3].map(|()| app.world().spawn(ClassicModel(model.clone())).id());
    roots.sort_by_key(|root| root.index_u32());
    roots
}

fn entity_count(app: &mut TestApp) -> usize {
    let world = app.world();
    world.query::<()>().iter(world).count()
}

fn despawn(app: &mut TestApp, roots: &[Entity]) {
    for root in roots {
        app.world().try_despawn(*root).ok();
    }
    app.step(0.1);
}

#[test]
fn ready_observer_may_despawn_any_roots() {
    let mut app = app_of_ready();
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
            let action = Action::Despawn(targets);
            app.world().entity_mut(roots[actor]).insert(action);
            steps(&mut app, 3, 0.1);
            let context = format!("{path}: {actor} despawns {despawned:?}");
            let expected: Vec<_> = receivers.iter().map(|root| (roots[*root], false)).collect();
            assert_eq!(ReadyRoots::take(&mut app), expected, "{context}");
            for (index, root) in roots.iter().enumerate() {
                let exists = app.world().get_entity(*root).is_ok();
                assert_eq!(exists, !despawned.contains(&index), "{context}");
            }
            despawn(&mut app, &roots);
            assert_eq!(entity_count(&mut app), before, "{context}: orphans");
        }
    }
}

#[test]
fn ready_observer_may_request_files_for_other_roots() {
    let mut app = app_of_ready();
    for file in ["late_1.ala", "late_2.ala"] {
        app.files.insert_asset(Path::new(file), ala(&moves(1.0)));
    }
    // The formats that play clips of files.
    for (index, clip) in [(1, "late_1.ala#Clip"), (2, "late_2.ala#Clip")] {
        let path = MODELS[index];
        let [a, b, c] = spawn_three(&mut app, index);
        app.world()
            .entity_mut(a)
            .insert(Action::RequestClip(b, clip));
        app.step(0.0);
        let expected = [(a, false), (c, false)];
        assert_eq!(ReadyRoots::take(&mut app), expected, "{path}");
        let is_ready = gpuless::wait_until(&mut app.app, |world| {
            let roots = world.resource::<ReadyRoots>();
            roots.0 == [(b, false)]
        });
        assert!(is_ready, "{path}");
        ReadyRoots::take(&mut app);
        despawn(&mut app, &[a, b, c]);
    }
}

#[test]
fn ready_observer_may_insert_components() {
    let mut app = app_of_ready();
    for (index, path) in MODELS.iter().enumerate() {
        let roots = spawn_three(&mut app, index);
        app.world()
            .entity_mut(roots[1])
            .insert(Action::InsertComponents);
        app.step(0.0);
        app.wait_until_idle();
        let expected = roots.map(|root| (root, false));
        assert_eq!(ReadyRoots::take(&mut app), expected, "{path}");
        app.step(0.05);
        if *path != "bike.lgw" {
            let playback = app.world().get::<Playback>(roots[1]).unwrap();
            assert!((playback.time - 0.05).abs() < 1e-4, "{path}: {playback:?}");
        }
        steps(&mut app, 3, 0.1);
        assert_eq!(ReadyRoots::take(&mut app), [], "{path}");
        despawn(&mut app, &roots);
    }
}

#[test]
fn ready_observer_may_spawn_other_models() {
    let mut app = app_of_ready();
    for (index, path) in MODELS.iter().enumerate() {
        let roots = spawn_three(&mut app, index);
        app.world()
            .entity_mut(roots[1])
            .insert(Action::SpawnAnother);
        app.step(0.0);
        steps(&mut app, 3, 0.1);
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
    let mut app = app_of_ready();
    for (index, path) in MODELS.iter().enumerate() {
        let roots = spawn_three(&mut app, index);
        let other = match index {
            // The model is the same.
            0 => vec![],
            _ => vec![(roots[0], true)],
        };
        for (root, action) in [(0, Action::ReplaceModel), (1, Action::RemoveModel)] {
            app.world().entity_mut(roots[root]).insert(action);
        }
        app.step(0.0);
        let first = roots.map(|root| (root, false));
        assert_eq!(ReadyRoots::take(&mut app), first, "{path}");
        steps(&mut app, 3, 0.1);
        app.wait_until_idle();
        assert_eq!(ReadyRoots::take(&mut app), other, "{path}");
        let format = |app: &mut TestApp, root: Entity| {
            let instance = app.world().get::<ModelInstance>(root);
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
    let kept: [Handle<ModelManifest>; 2] = files.each_ref().map(|(path, _)| app.app.load(*path));
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
        let ship = (ClassicModel(kept[0].clone()), Ship);
        app.world().spawn(ship).id()
    });
    app.app.wait_until_idle();
    app.run(3, 0.1);
    let left: Vec<Entity> = ships
        .into_iter()
        .filter(|ship| app.app.app.world().get_entity(*ship).is_ok())
        .collect();
    assert_eq!(left.len(), 1);
    let count = |app: &mut ParticleApp| {
        let world = app.world();
        world.query::<&AloParticleSystem>().iter(world).count()
    };
    assert_eq!(count(&mut app), 1);
    app.world().entity_mut(first).despawn();
    app.world().entity_mut(left[0]).despawn();
    app.run(1, 0.1);

    // A ship that is despawned when it is ready.
    app.world()
        .add_observer(|ready: On<ModelReady>, mut commands: Commands| {
            commands.entity(ready.entity).despawn();
        });
    let before = entity_count(&mut app.app);
    let root = app.world().spawn(ClassicModel(kept[0].clone())).id();
    let is_despawned =
        gpuless::wait_until(&mut app.app.app, |world| world.get_entity(root).is_err());
    assert!(is_despawned, "the model is not ready");
    app.run(3, 0.1);
    assert_eq!(count(&mut app), 0);
    assert_eq!(entity_count(&mut app.app), before, "orphans");
}

/// Spawns three models, which send `count` events in the next frame.
fn spawn_playing(app: &mut TestApp, kind: &Kind, count: usize) -> [Entity; 3] {
    [(); 3].map(|()| {
        let play = PlayClip::once(kind.clip).with_speed(50.0);
        spawn(app, kind.scene, (play, every_frame(kind.clip, count)))
    })
}

/// The names of a root's events.
fn names_of(events: &[ModelEvent], root: Entity) -> Vec<String> {
    let own = events.iter().filter(|event| event.entity == root);
    let own = own.filter(|event| event.name.starts_with("frame"));
    own.map(|event| event.name.clone()).collect()
}

#[test]
fn event_observer_may_despawn_any_roots() {
    let (mut app, received) = app_of_events();
    for (kind, times) in kinds() {
        let all: Vec<usize> = (0..times.len()).collect();
        for (actor, despawned) in [(0, vec![0]), (1, vec![0, 1, 2]), (0, vec![2]), (2, vec![1])] {
            let roots = spawn_playing(&mut app, kind, times.len());
            let targets = despawned.iter().map(|target| roots[*target]).collect();
            let action = Action::Despawn(targets);
            app.world().entity_mut(roots[actor]).insert(action);
            received.take_all();
            app.step(0.1);
            let events = received.take_all();
            let context = format!("{}: {actor} despawns {despawned:?}", kind.scene);
            for (index, root) in roots.into_iter().enumerate() {
                let found = names_of(&events, root);
                if index == actor && despawned.contains(&index) {
                    assert_eq!(found, names(&[0, 1]), "{context}");
                } else if despawned.contains(&index) {
                    // It has sent its events before, or sends none.
                    assert!(found.is_empty() || found == names(&all), "{context}");
                } else {
                    assert_eq!(found, names(&all), "{context}");
                }
            }
            app.step(0.1);
            assert_eq!(received.take_all(), [], "{context}");
            despawn(&mut app, &roots);
        }
    }
}

#[test]
fn event_observer_may_change_clip_and_components() {
    let (mut app, received) = app_of_events();
    for (kind, times) in kinds() {
        let roots = [(); 2].map(|()| {
            let play = PlayClip::looping(kind.clip);
            spawn(
                &mut app,
                kind.scene,
                (play, every_frame(kind.clip, times.len())),
            )
        });
        app.world()
            .entity_mut(roots[0])
            .insert(Action::InsertComponents);
        received.take_all();
        // Frame 1 is at 0.1 s.
        app.step(0.06);
        app.step(0.06);
        let events = received.take_all();
        for root in roots {
            assert_eq!(names_of(&events, root), names(&[0, 1]), "{}", kind.scene);
        }
        // The observer has started the first clip of the file, with a layer.
        app.step(0.0);
        app.step(0.05);
        let playback = app.world().get::<Playback>(roots[0]).unwrap();
        assert!((playback.time - 0.05).abs() < 1e-4, "{playback:?}");
        let events = names_of(&received.take_all(), roots[0]);
        assert!(!events.contains(&"frame 1".to_owned()), "{events:?}");
        despawn(&mut app, &roots);
    }
}

#[test]
fn event_observer_may_spawn_and_remove_models() {
    let (mut app, received) = app_of_events();
    for (kind, times) in kinds() {
        let all: Vec<usize> = (0..times.len()).collect();
        for action in [
            Action::SpawnAnother,
            Action::ReplaceModel,
            Action::RemoveModel,
        ] {
            let roots = spawn_playing(&mut app, kind, times.len());
            let context = format!("{}: {action:?}", kind.scene);
            app.world().entity_mut(roots[1]).insert(action);
            received.take_all();
            app.step(0.1);
            let events = received.take_all();
            for root in roots {
                assert_eq!(names_of(&events, root), names(&all), "{context}");
            }
            app.wait_until_idle();
            app.step(0.1);
            let events = received.take_all();
            let again = roots.iter().map(|root| names_of(&events, *root).len());
            assert_eq!(again.sum::<usize>(), 0, "{context}");
            let world = app.world();
            let mut spawned = world.query_filtered::<Entity, With<SpawnedByObserver>>();
            let spawned: Vec<Entity> = spawned.iter(world).collect();
            despawn(&mut app, &spawned);
            despawn(&mut app, &roots);
        }
    }
}
