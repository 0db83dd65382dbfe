//! Particle systems in a world: movement, spaces, wind, ground, culling, bounds, the budget, and reloads.

use crate::support::particle_app::stream;
use crate::support::prelude::*;
use bevy_classic_models::alamo::ParticleGround;
use classic_models_fixtures::particles::bytes;
use classic_models_fixtures::particles::emitter;

#[track_caller]
fn assert_near(found: &[Vec3], expected: &[Vec3]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found_one, expected_one) in found.iter().zip(expected) {
        assert!(
            found_one.abs_diff_eq(*expected_one, 1e-3),
            "{found:?} instead of {expected:?}"
        );
    }
}

fn moved_to(app: &mut ParticleApp, root: Entity, x: f32, seconds: f32) {
    app.get_mut::<Transform>(root).translation.x = x;
    app.run(1, seconds);
}

#[test]
fn particles_stay_behind_unless_they_are_linked() {
    let linked = emitter(Properties {
        link_to_system: true,
        ..stream(10, 9.0)
    });
    let mut app = ParticleApp::new(vec![emitter(stream(10, 9.0)), linked]);
    let root = app.spawn_test(());
    // Births at 0, 0.1 and 0.2, within the way of one frame.
    moved_to(&mut app, root, 2.5, 0.25);
    let expected = [0.0, 1.0, 2.0].map(|x| Vec3::new(x, 0.0, 0.0));
    assert_near(&app.positions(root, 0), &expected);
    assert_near(&app.positions(root, 1), &[Vec3::new(2.5, 0.0, 0.0); 3]);
    // At rest.
    moved_to(&mut app, root, 2.5, 0.1);
    assert_near(&app.positions(root, 0)[3..], &[Vec3::new(2.5, 0.0, 0.0)]);
    // After a jump, nothing is born on the way.
    moved_to(&mut app, root, 5000.0, 0.1);
    assert_near(&app.positions(root, 0)[4..], &[Vec3::new(5000.0, 0.0, 0.0)]);
}

#[test]
fn linked_particles_turn_with_the_system() {
    let mut linked = emitter(Properties {
        link_to_system: true,
        ..burst(1, 9.0)
    });
    linked.position = Shape::Exact([2.0, 0.0, 0.0]).into();
    let mut app = ParticleApp::new(vec![linked]);
    let root = app.spawn_test(());
    assert_near(&app.positions(root, 0), &[Vec3::X * 2.0]);
    app.insert(root, Transform::from_rotation(Quat::from_rotation_y(1.5)));
    app.run(1, 0.1);
    let turned = Quat::from_rotation_y(1.5) * Vec3::X * 2.0;
    assert_near(&app.positions(root, 0), &[turned]);
}

#[test]
fn particles_get_a_share_of_the_velocity_of_the_system() {
    let share = |emitter_speed, link_to_system| {
        emitter(Properties {
            uses_emitter_speed: true,
            emitter_speed,
            link_to_system,
            ..stream(10, 9.0)
        })
    };
    let mut app = ParticleApp::new(vec![share(0.5, false), share(1.0, true)]);
    let root = app.spawn_test(());
    moved_to(&mut app, root, 1.0, 0.1);
    let velocity = |app: &mut ParticleApp, emitter: usize, index: usize| {
        let living = app.living(root, emitter);
        Vec3::from(living[index].0.velocity)
    };
    // The first frame has no velocity.
    assert_eq!(velocity(&mut app, 0, 0), Vec3::ZERO);
    assert_near(&[velocity(&mut app, 0, 1)], &[Vec3::X * 5.0]);
    assert_eq!(velocity(&mut app, 1, 1), Vec3::ZERO);
}

#[test]
fn scaled_systems_have_larger_particles_and_faster_ones() {
    let mut up = emitter(Properties {
        gravity: 2.0,
        ..burst(1, 9.0)
    });
    up.velocity = Shape::Exact([0.0, 0.0, 3.0]).into();
    up.position = Shape::Exact([1.0, 0.0, 0.0]).into();
    let mut app = ParticleApp::new(vec![up]);
    let root = app.spawn_test(Transform::from_xyz(0.0, 10.0, 0.0).with_scale(Vec3::splat(2.0)));
    app.run(10, 0.1);
    // Up is Y in the world: 3 t − t² in units of the file.
    assert_near(&app.positions(root, 0), &[Vec3::new(2.0, 10.0 + 4.0, 0.0)]);
    let records = &app.records(root).emitters[0];
    let size = records.records().next().unwrap().size;
    assert!((size - 2.0).abs() < 1e-5 && (records.scale() - 2.0).abs() < 1e-5);
}

#[test]
fn gravity_is_that_of_the_world() {
    for link_to_system in [false, true] {
        let falling = emitter(Properties {
            gravity: 2.0,
            link_to_system,
            ..burst(1, 9.0)
        });
        let mut app = ParticleApp::new(vec![falling]);
        let turned = Transform::from_rotation(Quat::from_rotation_z(1.0));
        let root = app.spawn_test(turned);
        app.run(10, 0.1);
        assert_near(&app.positions(root, 0), &[Vec3::NEG_Y]);
    }
}

#[test]
fn wind_is_added_at_birth() {
    let drifting = |link_to_system| {
        emitter(Properties {
            affected_by_wind: true,
            link_to_system,
            ..burst(1, 9.0)
        })
    };
    let mut app = ParticleApp::new(vec![
        drifting(false),
        drifting(true),
        emitter(burst(1, 9.0)),
    ]);
    let turned = Transform::from_rotation(Quat::from_rotation_y(2.0));
    let root = app.spawn_test((turned, ParticleEmission::Paused));
    app.insert_resource(Wind {
        direction: Vec3::new(0.0, 0.0, -7.0),
        speed: 3.0,
    });
    app.insert(root, ParticleEmission::Playing);
    app.run(1, 0.0);
    app.insert_resource(Wind::default());
    app.run(10, 0.1);
    for emitter in [0, 1] {
        assert_near(&app.positions(root, emitter), &[Vec3::NEG_Z * 3.0]);
    }
    assert_near(&app.positions(root, 2), &[Vec3::ZERO]);
}

fn falling(ground: u32) -> Vec<bevy_classic_models::alamo::particles::Emitter<'static>> {
    let mut falling = emitter(Properties {
        ground,
        bounciness: 0.5,
        ..burst(1, 9.0)
    });
    falling.velocity = Shape::Exact([0.0, 0.0, -1.0]).into();
    vec![falling]
}

#[test]
fn the_ground_is_at_a_height_of_the_world() {
    for (ground, expected) in [(0, Some(4.0)), (1, None), (2, Some(5.5)), (3, Some(5.0))] {
        for scale in [1.0, 2.0] {
            let mut app = ParticleApp::new(falling(ground));
            app.insert_resource(ParticleGround::Height(5.0));
            let transform = Transform::from_xyz(0.0, 5.0 + scale, 0.0);
            let root = app.spawn_test(transform.with_scale(Vec3::splat(scale)));
            app.run(20, 0.1);
            let expected = expected.map(|y| Vec3::new(0.0, 5.0 + (y - 5.0) * scale, 0.0));
            assert_near(&app.positions(root, 0), expected.as_slice());
        }
    }
}

#[test]
fn terrain_has_its_height_at_the_position_of_the_system() {
    let mut app = ParticleApp::new(falling(3));
    let slope = ParticleGround::terrain(|position| position.x);
    app.insert_resource(slope);
    for x in [1.0, -2.0] {
        let root = app.spawn_test(Transform::from_xyz(x, x + 0.5, 0.0));
        app.run(20, 0.1);
        assert_near(&app.positions(root, 0), &[Vec3::new(x, x, 0.0)]);
    }
    let nowhere = ParticleGround::terrain(|_| f32::NAN);
    assert_eq!(nowhere.height(Vec3::ONE), 0.0);
}

/// Turns the camera away from everything, or back.
fn look_away(app: &mut ParticleApp, away: bool) {
    let camera = app.camera;
    let angle = if away { core::f32::consts::PI } else { 0.0 };
    app.get_mut::<Transform>(camera).rotation = Quat::from_rotation_y(angle);
}

#[test]
fn culled_systems_have_no_births_and_catch_up() {
    let mut app = ParticleApp::new(vec![emitter(stream(10, 2.0))]);
    let root = app.spawn_test(ParticleSeed(3));
    app.run(5, 0.1);
    look_away(&mut app, true);
    app.run(30, 0.1);
    let born = |app: &mut ParticleApp| {
        let records = &app.records(root).emitters[0];
        records
            .records()
            .map(|record| record.birth)
            .fold(0.0, f32::max)
    };
    assert!(born(&mut app) < 0.7);
    look_away(&mut app, false);
    app.run(1, 0.1);
    let living = app.living(root, 0);
    assert_eq!(living.len(), 20);
    let ages: Vec<f64> = living.iter().map(|(_, age)| *age).collect();
    assert!(ages.is_sorted_by(|a, b| a > b) && ages[0] > 1.85 && ages[19] < 0.1);
}

#[test]
fn finite_systems_end_although_they_are_culled() {
    let mut app = ParticleApp::new(vec![emitter(burst(3, 0.5))]);
    look_away(&mut app, true);
    let root = app.spawn_test(());
    app.run(6, 0.1);
    assert_eq!((app.count(root), app.finished(root)), (0, 1));
    // As do endless ones that are stopped.
    let mut app = ParticleApp::new(vec![emitter(stream(3, 0.5))]);
    let root = app.spawn_test(());
    app.run(3, 0.1);
    look_away(&mut app, true);
    app.insert(root, ParticleEmission::Finishing);
    app.run(10, 0.1);
    assert_eq!((app.count(root), app.finished(root)), (0, 1));
}

#[test]
fn bounds_contain_particles_that_stayed_behind() {
    let mut app = ParticleApp::new(vec![emitter(stream(10, 2.0))]);
    let root = app.spawn_test(());
    for frame in 1..=10 {
        moved_to(&mut app, root, frame as f32 * 3.0, 0.1);
    }
    app.run(1, 0.0);
    let system = app.system(root);
    let aabb = *app.get::<Aabb>(system);
    let transform = *app.get::<GlobalTransform>(system);
    let positions = app.positions(root, 0);
    assert!(positions.len() >= 10);
    for position in positions {
        let local = transform
            .affine()
            .inverse()
            .transform_point3a(position.into());
        let distance = (local - aabb.center).abs() - aabb.half_extents;
        assert!(distance.max_element() <= 1e-3, "{position} is outside");
    }
    // Much later, only the present surroundings.
    app.run(30, 0.2);
    let aabb = *app.get::<Aabb>(system);
    assert!(aabb.half_extents.max_element() < 30.0, "{aabb:?}");
}

#[test]
fn births_beyond_the_budget_of_a_system_are_dropped() {
    log::listen();
    let mut app = ParticleApp::new(vec![emitter(stream(100, 9.0))]);
    app.insert_resource(ParticleBudget {
        per_system: 30,
        ..ParticleBudget::default()
    });
    let root = app.spawn_test(());
    app.run(20, 0.1);
    assert_eq!(app.count(root), 30);
    let message = "has more than 30 particles, which is `ParticleBudget::per_system`";
    log::expect_warnings(message, 1);
}

#[test]
fn small_and_old_systems_lose_their_births_first() {
    log::listen();
    let mut app = ParticleApp::new(vec![emitter(burst(40, 2.0))]);
    app.insert_resource(ParticleBudget {
        total: 100,
        ..ParticleBudget::default()
    });
    let positions = [Vec3::ZERO, Vec3::Z * 80.0, Vec3::X, Vec3::Y];
    let roots = positions.map(|position| {
        let transform = Transform::from_translation(position);
        app.spawn_test((transform, ParticleEmission::Paused))
    });
    for root in roots {
        app.insert(root, ParticleEmission::Playing);
    }
    app.run(1, 0.0);
    // The near one, then the newer ones of the others.
    let counts = roots.map(|root| app.count(root));
    assert_eq!(counts, [0, 40, 20, 40]);
    let message = "`ParticleBudget::total` allows 100 particles of all systems together";
    log::expect_warnings(message, 1);
    // There is room again when they are dead.
    app.run(12, 0.2);
    app.insert(roots[0], ParticleEmission::Restarting);
    app.run(1, 0.0);
    assert_eq!(app.count(roots[0]), 40);
}

#[test]
fn systems_that_restart_beside_finishing_particles_keep_the_budget() {
    let mut app = ParticleApp::new(vec![emitter(burst(40, 9.0))]);
    app.insert_resource(ParticleBudget {
        total: 60,
        ..ParticleBudget::default()
    });
    let root = app.spawn_test(());
    app.run(1, 0.1);
    app.insert(root, ParticleEmission::Finishing);
    app.run(1, 0.1);
    assert_eq!(app.count(root), 40);
    app.insert(root, ParticleEmission::Playing);
    app.run(1, 0.1);
    assert_eq!(app.count(root), 60);
}

#[test]
fn reloaded_files_restart_their_systems() {
    let mut app = ParticleApp::new(vec![emitter(stream(10, 9.0))]);
    app.app.keep_loaded("p_test.alo");
    let scene = app.spawn_test(());
    let handle: Handle<AloParticles> = app.app.load("p_test.alo#Particles");
    let alone = app.spawn_entity(AloParticleSystem(handle));
    app.wait_for_system(alone);
    let stopped = app.spawn_test(());
    app.run(10, 0.1);
    app.insert(stopped, ParticleEmission::Finishing);
    app.run(1, 0.1);
    for root in [scene, alone, stopped] {
        assert!(app.count(root) >= 10);
    }
    let changed = bytes(vec![emitter(burst(3, 9.0)), emitter(burst(4, 9.0))]);
    app.app.replace("p_test.alo", changed);
    app.run(2, 0.0);
    assert_eq!(app.particles(scene).max_alive(), 7);
    assert_eq!(
        [scene, alone, stopped].map(|root| app.count(root)),
        [7, 7, 0]
    );
    let emission = app.find::<ParticleEmission>(stopped);
    assert_eq!(emission, Some(&ParticleEmission::Finishing));
    // Its particles are gone, so it is over.
    assert_eq!(app.finished(stopped), 1);
}

#[test]
fn malformed_files_spawn_nothing_and_do_not_panic() {
    log::listen();
    let good = bytes(vec![emitter(stream(10, 1.0))]);
    let mut app = ParticleApp::with_files(&[
        ("short.alo", good[..good.len() / 2].to_vec()),
        ("empty.alo", bytes(vec![])),
    ]);
    let handle: Handle<bevy_classic_models::alamo::Alo> = app.app.load("short.alo");
    let state = app.app.finish_load(&handle);
    assert!(state.is_failed(), "{state:?}");
    // A system without emitters is over at once.
    let root = app.spawn("empty.alo#Scene", ());
    app.run(1, 0.1);
    assert_eq!((app.count(root), app.finished(root)), (0, 1));
}

#[test]
fn collapsed_systems_have_no_broken_records() {
    for scale in [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::NAN] {
        let linked = emitter(Properties {
            link_to_system: true,
            gravity: 1.0,
            ground: 2,
            ..stream(10, 1.0)
        });
        let mut app = ParticleApp::new(vec![emitter(stream(10, 1.0)), linked]);
        let root = app.spawn_test(Transform::from_scale(scale));
        app.run(5, 0.1);
        app.insert(root, Transform::IDENTITY);
        app.run(5, 0.1);
        for emitter in [0, 1] {
            let positions = app.positions(root, emitter);
            assert!(
                positions.iter().all(|position| position.is_finite()),
                "{positions:?}"
            );
        }
    }
}
