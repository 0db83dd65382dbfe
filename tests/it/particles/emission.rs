//! Running particle systems: records against the evaluator, and the components that control them.

use crate::support::particle_app::{Finished, stream};
use crate::support::prelude::*;
use bevy::camera::visibility::VisibilityClass;
use bevy_classic_models::alamo::{DespawnWhenFinished, ParticleSpeed, ParticleTint};
use classic_models_fixtures::particles::emitter;
use classic_models_fixtures::particles::{bytes, corpus_particles, edited};

fn expected(particles: &[LivingParticle], rotation: Quat) -> Vec<[f64; 8]> {
    let values = particles.iter().map(|particle| {
        let position = rotation * Vec3::from(particle.motion.position);
        let velocity = rotation * Vec3::from(particle.motion.velocity);
        values(position, velocity, particle.appearance.size, particle.age)
    });
    values.collect()
}

/// The values of a particle that are compared.
fn values(position: Vec3, velocity: Vec3, size: f32, age: f32) -> [f64; 8] {
    let [x, y, z] = position.to_array();
    let [u, v, w] = velocity.to_array();
    [x, y, z, u, v, w, size, age].map(f64::from)
}

/// Compares the records of a system at rest with the evaluator, every few frames.
#[track_caller]
pub fn assert_as_evaluated(name: &str, bytes: Vec<u8>, frames: u32, seconds: f32) {
    let mut app = ParticleApp::with_files(&[("p_test.alo", bytes)]);
    let root = app.spawn_test(ParticleSeed(9));
    let particles = app.particles(root);
    let rotation = particles.world_rotation;
    for frame in 1..=frames {
        app.run(1, seconds);
        if frame % 5 != 0 {
            continue;
        }
        let time = f64::from(frame) * f64::from(seconds);
        let state = particles.evaluate(9, time);
        for (index, (prepared, living)) in particles.prepared().zip(&state.emitters).enumerate() {
            let turn = if prepared.is_linked {
                Quat::IDENTITY
            } else {
                rotation
            };
            let records = app.records(root).emitters.iter();
            let records = records.filter(|records| records.emitter() == index);
            let drawn = records.flat_map(|records| records.drawn(prepared));
            let drawn = drawn.map(|particle| {
                let motion = particle.motion;
                let (position, velocity) = (motion.position.into(), motion.velocity.into());
                values(position, velocity, particle.appearance.size, particle.age)
            });
            let (found, expected): (Vec<_>, _) = (drawn.collect(), expected(living, turn));
            let counts = (found.len(), expected.len());
            assert_eq!(counts.0, counts.1, "{name}, emitter {index} at {time}");
            // Both are in the order of birth, in which particles of the same time are not.
            for expected in &expected {
                let is_same = |found: &[f64; 8]| {
                    let mut pairs = found.iter().zip(expected);
                    pairs.all(|(a, b)| (a - b).abs() < 2e-3 * (1.0 + b.abs()))
                };
                assert!(
                    found.iter().any(is_same),
                    "{name}, emitter {index} at {time}: {expected:?} is missing"
                );
            }
        }
    }
}

/// Seconds of a frame that are no multiple of any interval between births.
pub const FRAME: f32 = 0.016_711_3;

fn fountain() -> Emitter<'static> {
    let mut fountain = emitter(Properties {
        gravity: 9.0,
        random_lifetime: 0.5,
        random_scale: 0.5,
        ..stream(90, 1.2)
    });
    fountain.velocity = Shape::Cube { side: 9.0 }.into();
    fountain
}

#[test]
fn records_are_those_of_the_evaluator() {
    assert_as_evaluated("fountain", bytes(vec![fountain()]), 150, FRAME);
    assert_as_evaluated("slow frames", bytes(vec![fountain()]), 25, 0.213_7);
    assert_as_evaluated("full", full(), 100, FRAME);
    // Without a mesh.
    let mut glow = fountain();
    glow.properties.emit_mode = 2;
    glow.position = Shape::Exact([50.0, 0.0, 0.0]).into();
    assert_as_evaluated("glow", bytes(vec![glow]), 25, FRAME);
}

#[test]
fn real_systems_run_as_evaluated() {
    for (name, bytes) in corpus_particles("real_systems_run_as_evaluated") {
        assert_as_evaluated(&name, bytes, 10, 0.097_31);
    }
}

#[test]
fn many_systems_run_as_each_would_alone() {
    // So many are advanced on several threads.
    const COUNT: u64 = 70;
    const FRAMES: u32 = 40;
    let mut app = ParticleApp::new(vec![fountain()]);
    let roots: Vec<Entity> = (0..COUNT)
        .map(|seed| app.spawn_test((ParticleSeed(seed), ParticleEmission::Playing)))
        .collect();
    app.run(FRAMES, FRAME);
    let time = f64::from(FRAMES) * f64::from(FRAME);
    let particles = app.particles(roots[0]);
    for (seed, root) in (0..).zip(&roots) {
        let state = particles.evaluate(seed, time);
        let expected = expected(&state.emitters[0], particles.world_rotation);
        let found = app.positions(*root, 0);
        assert_eq!(found.len(), expected.len(), "seed {seed}");
        for (found, [x, y, z, ..]) in found.iter().zip(expected) {
            let expected = DVec3::new(x, y, z);
            assert!(found.as_dvec3().distance(expected) < 2e-2, "seed {seed}");
        }
    }
    for root in &roots {
        app.insert(*root, ParticleEmission::Killed);
    }
    app.run(1, FRAME);
    let finished = app.world().resource::<Finished>();
    assert_eq!(finished.0, roots, "in the order of their creation");
    for root in &roots {
        app.insert(*root, ParticleEmission::Restarting);
    }
    app.run(2, FRAME);
    for root in &roots {
        let emission = app.find::<ParticleEmission>(*root);
        assert_eq!(emission, Some(&ParticleEmission::Playing));
        assert!(app.count(*root) > 0);
    }
}

#[test]
fn paused_systems_do_not_change() {
    let mut app = ParticleApp::new(vec![fountain()]);
    let root = app.spawn_test(());
    app.run(10, FRAME);
    let before = app.positions(root, 0);
    assert!(before.len() > 5);
    app.insert(root, ParticleEmission::Paused);
    app.run(10, FRAME);
    assert_eq!(app.positions(root, 0), before);
    app.insert(root, ParticleEmission::Playing);
    app.run(1, FRAME);
    let particles = app.particles(root);
    assert_ne!(app.positions(root, 0), before);
    // It goes on where it was: no birth is missing.
    app.run(30, FRAME);
    let time = 41.0 * f64::from(FRAME);
    let expected = particles.evaluate(0, time).emitters[0].len() as f64;
    let found = app.positions(root, 0).len() as f64;
    assert!(
        (found / expected - 1.0).abs() < 0.2,
        "{found}, not {expected}"
    );
}

fn leaving(leave: bool) -> ParticleApp {
    let file = edited(&bytes(vec![emitter(stream(20, 0.5))]), |file| {
        file.leave_particles = leave;
    });
    ParticleApp::with_files(&[("p_test.alo", file)])
}

#[test]
fn stopped_systems_finish_or_vanish_as_the_file_says() {
    for (leave, state, stays) in [
        (true, ParticleEmission::Stopped, true),
        (false, ParticleEmission::Stopped, false),
        (false, ParticleEmission::Finishing, true),
        (true, ParticleEmission::Finishing, true),
        (true, ParticleEmission::Killed, false),
    ] {
        let mut app = leaving(leave);
        let root = app.spawn_test(());
        app.run(60, FRAME);
        let before = app.count(root);
        assert!((9..=10).contains(&before), "{before}");
        app.insert(root, state);
        app.run(1, FRAME);
        let after = app.count(root);
        assert_eq!(after > 0, stays, "{state:?}, leave: {leave}");
        assert!(after <= before);
        assert_eq!(app.finished(root), usize::from(!stays));
        app.run(40, FRAME);
        assert_eq!((app.count(root), app.finished(root)), (0, 1));
        app.run(40, FRAME);
        assert_eq!(app.finished(root), 1);
        // It restarts.
        app.insert(root, ParticleEmission::Playing);
        app.run(10, FRAME);
        assert_eq!(app.count(root), 4);
        app.insert(root, ParticleEmission::Killed);
        app.run(1, FRAME);
        assert_eq!((app.count(root), app.finished(root)), (0, 2));
    }
}

#[test]
fn a_system_that_plays_again_keeps_the_particles_that_finish() {
    let mut app = leaving(true);
    let root = app.spawn_test(());
    app.run(30, FRAME);
    app.insert(root, ParticleEmission::Stopped);
    app.run(1, FRAME);
    let kept = app.count(root);
    app.insert(root, ParticleEmission::Playing);
    app.run(1, FRAME);
    // The first of the new ones is born at once.
    assert_eq!(app.count(root), kept + 1);
    assert_eq!(app.finished(root), 0);
}

#[test]
fn systems_do_not_begin_while_they_are_stopped_or_paused() {
    for state in [
        ParticleEmission::Stopped,
        ParticleEmission::Finishing,
        ParticleEmission::Killed,
        ParticleEmission::Paused,
    ] {
        let mut app = ParticleApp::new(vec![emitter(burst(5, 1.0))]);
        let root = app.spawn_test(state);
        app.run(5, FRAME);
        // A system that is stopped before it begins is over.
        let finished = usize::from(state != ParticleEmission::Paused);
        let found = (app.count(root), app.finished(root));
        assert_eq!(found, (0, finished), "{state:?}");
        app.insert(root, ParticleEmission::Playing);
        app.run(1, FRAME);
        assert_eq!(app.count(root), 5);
    }
}

#[test]
fn systems_that_are_stopped_before_they_begin_are_despawned() {
    for state in [
        ParticleEmission::Stopped,
        ParticleEmission::Finishing,
        ParticleEmission::Killed,
    ] {
        let mut app = ParticleApp::new(vec![emitter(burst(5, 1.0))]);
        let path = "p_test.alo#Scene";
        let root = app.app.spawn(path, (state, DespawnWhenFinished));
        let is_gone = |world: &mut World| world.get_entity(root).is_err();
        let is_despawned = crate::gpuless::wait_until(&mut app.app.app, is_gone);
        assert!(is_despawned, "{state:?}");
        assert_eq!(app.finished(root), 1, "{state:?}");
    }
}

#[test]
fn bursts_end_with_an_event_and_can_be_repeated() {
    let mut app = ParticleApp::new(vec![emitter(burst(5, 0.2))]);
    let root = app.spawn_test(());
    assert_eq!(app.count(root), 5);
    app.run(11, FRAME);
    assert_eq!((app.count(root), app.finished(root)), (5, 0));
    app.run(1, FRAME);
    assert_eq!((app.count(root), app.finished(root)), (0, 1));
    app.run(30, FRAME);
    assert_eq!((app.count(root), app.finished(root)), (0, 1));
    let mut emission = ParticleEmission::default();
    emission.restart();
    app.insert(root, emission);
    app.run(1, 0.0);
    assert_eq!((app.count(root), app.finished(root)), (5, 1));
    let emission = app.find::<ParticleEmission>(root);
    assert_eq!(emission, Some(&ParticleEmission::Playing));
    app.run(12, FRAME);
    assert_eq!((app.count(root), app.finished(root)), (0, 2));
}

#[test]
fn restarted_systems_lose_their_particles() {
    let mut app = ParticleApp::new(vec![emitter(stream(20, 5.0))]);
    let root = app.spawn_test(());
    app.run(30, FRAME);
    assert_eq!(app.count(root), 11);
    app.insert(root, ParticleEmission::Restarting);
    app.run(1, FRAME);
    assert_eq!((app.count(root), app.finished(root)), (1, 0));
}

#[test]
fn finished_roots_are_despawned_on_request() {
    let mut app = ParticleApp::new(vec![emitter(burst(5, 0.2))]);
    let root = app.spawn_test(DespawnWhenFinished);
    app.run(11, FRAME);
    assert!(app.exists(root));
    app.run(1, FRAME);
    assert!(!app.exists(root));
    assert_eq!(app.finished(root), 1);
    let left = app
        .world()
        .query::<&ParticleRecords>()
        .iter(app.app.app.world())
        .count();
    assert_eq!(left, 0);
}

#[test]
fn seeds_decide_about_the_particles() {
    let mut fountain = fountain();
    fountain.properties.in_bursts = true;
    fountain.properties.particles_per_burst = 20;
    let mut app = ParticleApp::new(vec![fountain]);
    let seeds = [Some(1), Some(1), Some(2), None, None];
    let roots = seeds.map(|seed| {
        let root = app.spawn_test(());
        if let Some(seed) = seed {
            app.insert(root, ParticleSeed(seed));
        }
        app.insert(root, ParticleEmission::Restarting);
        root
    });
    app.run(1, 0.0);
    app.run(1, 0.3);
    let found = roots.map(|root| app.positions(root, 0));
    assert_eq!(found[0], found[1]);
    for (index, positions) in found.iter().enumerate().skip(1) {
        assert!(!found[index + 1..].contains(positions), "{index}");
    }
    // A restart is the same with a seed, and otherwise not.
    for root in roots {
        app.insert(root, ParticleEmission::Restarting);
    }
    app.run(1, 0.0);
    app.run(1, 0.3);
    let again = roots.map(|root| app.positions(root, 0));
    assert_eq!(again[..3], found[..3]);
    assert!(again[3] != found[3] && again[4] != found[4]);
}

#[test]
fn time_runs_at_the_speed_of_the_system() {
    for (speed, expected) in [(0.5, 6), (2.0, 21), (0.0, 1), (-1.0, 1), (f32::NAN, 1)] {
        let mut app = ParticleApp::new(vec![emitter(stream(20, 50.0))]);
        let root = app.spawn_test(ParticleSpeed(speed));
        app.run(20, 0.025_1);
        assert_eq!(app.count(root), expected, "{speed}");
    }
}

#[test]
fn tints_are_passed_to_the_records() {
    let mut app = ParticleApp::new(vec![fountain()]);
    let red = Color::srgb(1.0, 0.25, 0.0);
    let root = app.spawn_test(ParticleTint(red));
    assert_eq!(app.records(root).tint, red.into());
    app.remove::<ParticleTint>(root);
    app.run(1, 0.0);
    assert_eq!(app.records(root).tint, LinearRgba::WHITE);
}

#[test]
fn ages_stay_exact_for_hours() {
    let mut app = ParticleApp::new(vec![emitter(stream(7, 3.0))]);
    app.allow_long_steps();
    let root = app.spawn_test(());
    let steps = [(200, 19.997_7_f32), (2, 2.499_7)];
    for (frames, seconds) in steps {
        app.run(frames, seconds);
    }
    let clock = steps.map(|(frames, seconds)| f64::from(frames) * f64::from(seconds));
    let clock: f64 = clock.iter().sum();
    let living = app.living(root, 0);
    assert_eq!(living.len(), 21);
    for (record, age) in living {
        let born = clock - age;
        let round = (born * 7.0).round() / 7.0;
        assert!((born - round).abs() < 1e-4, "{born} instead of {round}");
        assert!(record.birth.abs() < 600.0);
    }
}

#[test]
fn frozen_particles_stay_exact_for_hours() {
    let mut frozen = emitter(Properties {
        freeze_time: 1.0,
        ..stream(10, 3.0)
    });
    frozen.velocity = Shape::Exact([100.0, 0.0, 0.0]).into();
    let mut app = ParticleApp::new(vec![frozen, emitter(stream(1, 0.1))]);
    app.allow_long_steps();
    let root = app.spawn_test(());
    app.run(50, 0.021);
    let before = app.positions(root, 0);
    assert_eq!(before.len(), 11);
    app.run(100, 19.92);
    assert_eq!(app.positions(root, 0), before);
    app.insert(root, ParticleEmission::Finishing);
    app.run(10, 0.1);
    assert_eq!((app.count(root), app.finished(root)), (0, 1));
}

#[test]
fn systems_without_a_scene_are_controlled_on_their_own_entity() {
    let mut app = ParticleApp::new(vec![emitter(burst(5, 0.2))]);
    let handle: Handle<AloParticles> = app.app.load("p_test.alo#Particles");
    let system = AloParticleSystem(handle);
    let entity = app.spawn_entity((system, ParticleEmission::Paused));
    app.wait_for_system(entity);
    app.run(1, 0.1);
    assert_eq!(app.count(entity), 0);
    app.insert(entity, ParticleEmission::Playing);
    app.run(1, 0.0);
    assert_eq!(app.count(entity), 5);
    app.run(2, 0.11);
    assert_eq!(app.finished(entity), 1);
    app.insert(entity, ParticleEmission::Restarting);
    app.run(1, 0.0);
    app.remove::<AloParticleSystem>(entity);
    app.run(1, 0.0);
    assert!(app.find::<ParticleRecords>(entity).is_none());
}

#[test]
fn a_changed_handle_replaces_the_system() {
    let files = ["p_a.alo", "p_b.alo"].map(|name| (name, bytes(vec![emitter(burst(5, 9.0))])));
    let mut app = ParticleApp::with_files(&files);
    let [a, b]: [Handle<AloParticles>; 2] =
        ["p_a.alo#Particles", "p_b.alo#Particles"].map(|path| app.app.load(path));
    app.app.wait_loaded(&b);
    let entity = app.spawn_entity(AloParticleSystem(a));
    app.wait_for_system(entity);
    let classes = |app: &mut ParticleApp| {
        let class = app.find::<VisibilityClass>(entity);
        class.map(|class| class.len())
    };
    assert_eq!(classes(&mut app), Some(1));
    app.insert(entity, AloParticleSystem(b.clone()));
    app.run(1, 0.1);
    assert_eq!(app.records(entity).particles, b);
    assert_eq!((app.count(entity), classes(&mut app)), (5, Some(1)));
}

#[test]
fn idle_systems_do_not_leak() {
    let mut app = ParticleApp::new(vec![emitter(stream(1, 0.5))]);
    let handle: Handle<AloParticles> = app.app.load("p_test.alo#Particles");
    app.app.wait_loaded(&handle);
    let spawn = |app: &mut ParticleApp| {
        let systems = (0..10_000).map(|_| AloParticleSystem(handle.clone()));
        app.world().spawn_batch(systems).collect::<Vec<_>>()
    };
    let first = spawn(&mut app);
    app.run(300, 0.05);
    let capacity = |app: &mut ParticleApp, entity: Entity| {
        let records = app.get::<ParticleRecords>(entity);
        (records.emitters[0].capacity(), records.emitters.len())
    };
    for entity in &first {
        assert_eq!(capacity(&mut app, *entity), (8, 1));
    }
    for entity in first {
        app.despawn(entity);
    }
    app.run(1, 0.05);
    let left = app
        .world()
        .query::<&ParticleRecords>()
        .iter(app.app.app.world())
        .count();
    assert_eq!(left, 0);
}
