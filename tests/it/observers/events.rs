//! Observers of `ModelEvent` that despawn models, change their components and spawn other models.

use super::actions::{Action, Loaded, SpawnedByObserver, act, app as app_of_actions, despawn};
use crate::clips::named::Kind;
use crate::shared::model_events::{Received, every_frame, kinds, names, names_of};
use crate::support::prelude::*;

/// An app that executes the actions of the roots that receive the event `frame 1`.
fn app() -> (TestApp, Received) {
    let mut app = app_of_actions();
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

/// Spawns three models, which send `count` events in the next frame.
fn spawn_playing(app: &mut TestApp, kind: &Kind, count: usize) -> [Entity; 3] {
    [(); 3].map(|()| {
        let play = PlayClip::once(kind.clip).with_speed(50.0);
        app.spawn_shown(kind.scene, (play, every_frame(kind.clip, count)))
    })
}

#[test]
fn event_observer_may_despawn_any_roots() {
    let (mut app, received) = app();
    for (kind, times) in kinds() {
        let all: Vec<usize> = (0..times.len()).collect();
        for (actor, despawned) in [(0, vec![0]), (1, vec![0, 1, 2]), (0, vec![2]), (2, vec![1])] {
            let roots = spawn_playing(&mut app, kind, times.len());
            let targets = despawned.iter().map(|target| roots[*target]).collect();
            app.insert(roots[actor], Action::Despawn(targets));
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
    let (mut app, received) = app();
    for (kind, times) in kinds() {
        let roots = [(); 2].map(|()| {
            let play = PlayClip::looping(kind.clip);
            app.spawn_shown(kind.scene, (play, every_frame(kind.clip, times.len())))
        });
        app.insert(roots[0], Action::InsertComponents);
        received.take_all();
        // Frame 1 is at 0.1 s.
        app.steps(2, 0.06);
        let events = received.take_all();
        for root in roots {
            assert_eq!(names_of(&events, root), names(&[0, 1]), "{}", kind.scene);
        }
        // The observer has started the first clip of the file, with a layer.
        app.step(0.0);
        app.step(0.05);
        let playback = app.get::<Playback>(roots[0]);
        assert!((playback.time - 0.05).abs() < 1e-4, "{playback:?}");
        let events = names_of(&received.take_all(), roots[0]);
        assert!(!events.contains(&"frame 1".to_owned()), "{events:?}");
        despawn(&mut app, &roots);
    }
}

#[test]
fn event_observer_may_spawn_and_remove_models() {
    let (mut app, received) = app();
    for (kind, times) in kinds() {
        let all: Vec<usize> = (0..times.len()).collect();
        for action in [
            Action::SpawnAnother,
            Action::ReplaceModel,
            Action::RemoveModel,
        ] {
            let roots = spawn_playing(&mut app, kind, times.len());
            let context = format!("{}: {action:?}", kind.scene);
            app.insert(roots[1], action);
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
