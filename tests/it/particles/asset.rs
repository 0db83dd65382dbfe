//! Particle systems as assets: labels, values, textures, scenes, malformed files, reloads.

use super::stage::add_births;
use crate::malformed::suite::loader_error;
use crate::support::prelude::*;
use bevy_classic_models::alamo::particles::evaluate::MAX_ALIVE;
use classic_models_fixtures::malformed::Case;
use classic_models_fixtures::particles::bytes;
use classic_models_fixtures::particles::emitter;
use classic_models_fixtures::{particles_malformed, plugins_malformed};

/// One red texel.
fn tga() -> Vec<u8> {
    let mut file = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 32, 0x28];
    file.extend([0, 0, 255, 255]);
    file
}

fn particles<'w>(app: &'w mut TestApp, alo: &Handle<Alo>) -> &'w AloParticles {
    let assets = app.assets::<Alo>();
    let handle = assets.get(alo).unwrap().particles.clone().unwrap();
    let assets = app.assets::<AloParticles>();
    assets.get(&handle).unwrap()
}

/// The asset of these emitters.
fn loaded(emitters: Vec<Emitter<'static>>) -> AloParticles {
    let mut app = TestApp::new(&[("p.alo", bytes(emitters))]);
    let alo = app.load::<Alo>("p.alo");
    app.wait_loaded(&alo);
    particles(&mut app, &alo).clone()
}

#[test]
fn a_particle_system_is_an_asset_with_a_scene() {
    log::listen();
    let files = [
        ("Art/P_Full.ALO", full()),
        ("Art/P_PARTICLE_MASTER.TGA", tga()),
    ];
    let mut app = TestApp::new(&files);
    let alo = app.load::<Alo>("Art/P_Full.ALO");
    app.wait_loaded(&alo);
    let labeled = app.load::<AloParticles>("Art/P_Full.ALO#Particles");
    app.wait_loaded(&labeled);
    let asset = app.asset(&alo);
    assert_eq!(asset.particles.as_ref(), Some(&labeled));
    assert!(asset.bones.is_empty() && asset.meshes.is_empty());
    let particles = particles(&mut app, &alo);
    assert_eq!(particles.name, "p_full");
    assert!(!particles.leave_particles);
    let names: Vec<_> = particles
        .emitters
        .iter()
        .map(|it| &*it.emitter.name)
        .collect();
    assert_eq!(names, ["Fire", "Trail", "Flash", "Stars"]);
    let has_texture: Vec<bool> = particles
        .emitters
        .iter()
        .map(|it| it.texture.is_some())
        .collect();
    // The fire's texture has a path of another machine. The others have a name without a file, or none.
    assert!(has_texture[0], "{has_texture:?}");
    // Stars are endless. The children of the fire are drawn before it.
    assert!(particles.is_endless());
    assert_eq!(particles.draw_order(), [1, 2, 0, 3]);
    let state = particles.evaluate(3, 1.0);
    assert_eq!(state.emitters.len(), 4);
    assert!(!state.emitters[0].is_empty());
    let up = particles.world_rotation * Vec3::Z;
    assert!(up.abs_diff_eq(Vec3::Y, 1e-6), "{up}");

    let root = app.spawn("Art/P_Full.ALO#Scene", Transform::default());
    app.wait_for(&[root]);
    let world = app.world();
    let mut systems = world.query::<(&AloParticleSystem, &Transform)>();
    let (system, transform) = systems.single(world).unwrap();
    assert_eq!(system.0, labeled);
    assert!((transform.rotation * Vec3::Z).abs_diff_eq(Vec3::Y, 1e-6));
    assert_eq!(
        world.get::<ModelInstance>(root).unwrap().format(),
        ModelFormat::Alamo
    );
}

#[test]
fn settings_apply_to_particle_systems() {
    let mut fire = emitter(Properties::default());
    fire.color_texture = "red.tga".into();
    let files = [("p.alo", bytes(vec![fire])), ("red.tga", tga())];
    let mut app = TestApp::new(&files);
    let server = app.server();
    let settings = |settings: &mut AloLoaderSettings| {
        settings.convert_axes = false;
        settings.load_textures = false;
        settings.scale = 0.5;
    };
    let alo: Handle<Alo> = server.load_builder().with_settings(settings).load("p.alo");
    app.wait_loaded(&alo);
    let particles = particles(&mut app, &alo);
    assert_eq!(particles.world_rotation, Quat::IDENTITY);
    assert_eq!(particles.emitters[0].texture, None);
    let root = app.spawn("p.alo#Scene", Transform::default());
    app.wait_for(&[root]);
    let world = app.world();
    let mut systems = world.query_filtered::<&Transform, With<AloParticleSystem>>();
    let transform = systems.single(world).unwrap();
    assert_eq!(*transform, Transform::from_scale(Vec3::splat(0.5)));
}

#[test]
fn missing_textures_and_hidden_emitters_are_warnings() {
    log::listen();
    let mut smoke = emitter(Properties::default());
    smoke.color_texture = "c:\\art\\p_nowhere.tga".into();
    let mut decal = emitter(Properties {
        blend_mode: 12,
        ..Properties::default()
    });
    decal.name = "Crater".into();
    decal.color_texture = "".into();
    let files = [("p_hidden.alo", bytes(vec![smoke.clone(), smoke, decal]))];
    let mut app = TestApp::new(&files);
    let alo = app.load::<Alo>("p_hidden.alo");
    app.wait_loaded(&alo);
    log::expect_warnings("p_nowhere.tga", 1);
    let hidden = log::expect_warnings("p_hidden.alo: emitters with shadow", 1);
    assert!(hidden[0].contains("Crater"), "{hidden:?}");
}

#[test]
fn malformed_particle_systems_are_errors_or_warnings() {
    log::listen();
    // Files with another first chunk are models or unknown, which other tests have.
    let of = |cases: Vec<Case>, magic: u32| {
        let is_system = move |case: &Case| case.bytes.starts_with(&magic.to_le_bytes());
        cases.into_iter().filter(is_system).collect::<Vec<_>>()
    };
    let cases = [
        of(particles_malformed::cases(), 0x900),
        of(plugins_malformed::cases(), 0x1500),
    ];
    assert!(cases.iter().all(|cases| cases.len() > 200));
    let cases = cases.concat();
    assert!(cases.len() > 400, "{} cases", cases.len());
    let paths: Vec<String> = (0..cases.len())
        .map(|n| format!("bad-particles/{n}.alo"))
        .collect();
    let files: Vec<(&str, Vec<u8>)> = paths
        .iter()
        .zip(&cases)
        .map(|(path, case)| (&**path, case.bytes.clone()))
        .collect();
    let mut app = TestApp::new(&files);
    for (path, case) in paths.iter().zip(&cases) {
        let alo = app.load::<Alo>(path.clone());
        let state = app.finish_load(&alo);
        match case.expect {
            Reject(is_expected, offset) => {
                let Some(ModelLoadError::Parse { source, .. }) = loader_error(&state) else {
                    panic!("{}: {state:?}", case.name);
                };
                assert!(is_expected(&source.kind), "{}: {source}", case.name);
                assert_eq!(source.offset, offset, "{}: {source}", case.name);
            }
            expect => {
                let is_loaded = matches!(state, LoadState::Loaded);
                assert!(is_loaded, "{}: {state:?}", case.name);
                if let Warn(text, _) = expect {
                    let warnings = log::warnings_with(&format!("{path}: "));
                    let found = warnings.iter().any(|warning| warning.contains(text));
                    assert!(found, "{}: {warnings:?}", case.name);
                }
            }
        }
    }
}

#[test]
fn max_alive_includes_spawned_emitters() {
    let stream = |rate, lifetime| {
        emitter(Properties {
            particles_per_second: rate,
            lifetime,
            ..Properties::default()
        })
    };
    let mut parent = stream(2, 4.0);
    parent.spawn_during_life = Some(1);
    let system = loaded(vec![parent.clone(), stream(10, 1.0)]);
    assert_eq!(system.emitters[0].max_alive, 9);
    // Of 9 living parents, and of those that died in the last second.
    let children = system.emitters[1].max_alive;
    assert!((99..=150).contains(&children), "{children}");
    assert_eq!(system.max_alive(), 9 + children);
    parent.properties.particles_per_second = 100_000;
    let system = loaded(vec![parent, stream(10, 1.0)]);
    assert_eq!(system.max_alive(), MAX_ALIVE);
}

/// Two emitters, one of which is linked to the system.
fn moving() -> Vec<Emitter<'static>> {
    let mut free = emitter(Properties {
        particles_per_second: 20,
        lifetime: 2.0,
        random_scale: 0.5,
        gravity: 5.0,
        acceleration: [1.0, 2.0, 0.0],
        outward_speed: 3.0,
        outward_acceleration: -0.5,
        has_tail: true,
        tail_size: 4.0,
        ..Properties::default()
    });
    free.position = Shape::Sphere {
        radius: 3.0,
        surface: false,
    }
    .into();
    free.velocity = Shape::Box([-5.0, 1.0, 0.0], [5.0, 9.0, 12.0]).into();
    free.tracks.scale = Track::linear(&[[0.0, 1.0], [0.5, 3.0], [1.0, 0.5]]);
    let mut linked = free.clone();
    linked.properties.link_to_system = true;
    vec![free, linked]
}

#[test]
fn records_are_in_the_system_or_in_the_world() {
    let particles = loaded(moving());
    // A scaled and turned system. Its particles are those of the evaluator, transformed, without acceleration.
    let mut emitters = moving();
    for emitter in &mut emitters {
        emitter.properties.gravity = 0.0;
        emitter.properties.acceleration = [0.0; 3];
    }
    let still = loaded(emitters);
    let world_from_system = Affine3A::from_scale_rotation_translation(
        Vec3::splat(2.0),
        Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -2.0),
        Vec3::new(100.0, -20.0, 7.0),
    );
    let mut records = ParticleRecords::new(Handle::default(), &still);
    add_births(&mut records, &still, world_from_system, 5, None, 3.0);
    let state = still.evaluate(5, 3.0);
    for (index, prepared) in still.prepared().enumerate() {
        let space = RecordSpace::new(&still, prepared, world_from_system);
        let drawn: Vec<_> = records.emitters[index].drawn(prepared).collect();
        assert_eq!(drawn.len(), state.emitters[index].len());
        assert!(drawn.len() > 20);
        for (drawn, expected) in drawn.iter().zip(&state.emitters[index]) {
            let position = Vec3::from(drawn.motion.position);
            let position = space.world_from_records().transform_point3(position);
            let expected_position = Vec3::from(expected.motion.position);
            let expected_position = world_from_system.transform_point3(expected_position);
            assert!(
                position.abs_diff_eq(expected_position, 1e-3),
                "{position} instead of {expected_position}"
            );
            let size = drawn.appearance.size / space.scale();
            assert!((size - expected.appearance.size).abs() < 1e-5);
        }
    }
    // Gravity and constant acceleration are in the world, whichever way the system is turned.
    for (index, prepared) in particles.prepared().enumerate() {
        let space = RecordSpace::new(&particles, prepared, world_from_system);
        let pose = space.pose(space.origin(), Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), 2.0);
        let world = Mat3::from_cols_array_2d(&pose.world);
        let down = world * Vec3::NEG_Z;
        let down = space.world_from_records().transform_vector3(down);
        assert!(down.abs_diff_eq(Vec3::NEG_Y * 2.0, 1e-4), "{index}: {down}");
        let wind = space
            .world_from_records()
            .transform_vector3(pose.wind.into());
        assert!(wind.abs_diff_eq(Vec3::X * 4.0, 1e-4), "{index}: {wind}");
        // A point on the ground of the world is on the ground of the records.
        let point = Vec3::new(30.0, 2.0, -9.0);
        let inverse = space.world_from_records().inverse();
        let point = inverse.transform_point3(point);
        let height = point.dot(pose.ground.up.into());
        assert!((height - pose.ground.height).abs() < 1e-3, "{height}");
    }
}

/// Particles that fall to the ground, fly upwards after it, or stop there.
fn bouncing() -> Vec<Emitter<'static>> {
    let falling = |gravity, bounciness, speed, ground| {
        let mut falling = emitter(Properties {
            particles_per_second: 5,
            lifetime: 6.0,
            gravity,
            bounciness,
            ground,
            has_tail: true,
            tail_size: 4.0,
            ..Properties::default()
        });
        falling.velocity = Shape::Exact([1.0, 0.0, speed]).into();
        falling.position = Shape::Exact([0.0, 0.0, 10.0]).into();
        falling
    };
    vec![
        falling(0.0, 1.0, -10.0, 2),
        falling(-2.0, 0.5, -10.0, 2),
        falling(8.0, 0.8, -60.0, 2),
        falling(8.0, 1.5, 4.0, 2),
        falling(8.0, 0.5, -60.0, 3),
    ]
}

/// The transform of a system of half of the file's size at a height.
fn half_size_at(height: f32) -> Affine3A {
    Affine3A::from_scale_rotation_translation(
        Vec3::splat(0.5),
        Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        Vec3::new(10.0, height, 30.0),
    )
}

/// Asserts that the bounds of a system's file and of its records contain all particles.
#[track_caller]
fn assert_in_bounds(particles: &AloParticles, height: f32) -> ParticleRecords {
    let world_from_system = half_size_at(height);
    let system_from_world = world_from_system.inverse();
    let mut records = ParticleRecords::new(Handle::default(), particles);
    for step in 1..40 {
        let time = 0.25 * f64::from(step);
        let after = (step > 1).then_some(time - 0.25);
        add_births(&mut records, particles, world_from_system, 1, after, time);
        let bounds = records.bounds(particles, &world_from_system).unwrap();
        for (index, prepared) in particles.prepared().enumerate() {
            for drawn in records.emitters[index].drawn(prepared) {
                let position = Vec3::from(drawn.motion.position);
                let (position, size) = if prepared.is_linked {
                    (position, drawn.appearance.size)
                } else {
                    let position = system_from_world.transform_point3(position);
                    (position, drawn.appearance.size / 0.5)
                };
                let reach = 0.5 * size * 4.0;
                for bounds in [bounds, particles.bounds] {
                    let min = Vec3::from(bounds.min) - 1e-3;
                    let max = Vec3::from(bounds.max) + 1e-3;
                    assert!(
                        (position - reach).cmpge(min).all() && (position + reach).cmple(max).all(),
                        "emitter {index}: {position} ± {reach} is outside of {min} to {max}"
                    );
                }
            }
        }
    }
    records
}

#[test]
fn bounds_contain_all_particles() {
    let particles = loaded(moving());
    let mut records = assert_in_bounds(&particles, 20.0);
    let world_from_system = half_size_at(20.0);
    // The bounds of the whole life are not much larger than those of the particles.
    let extent = records.bounds(&particles, &world_from_system).unwrap();
    let extent = extent.max - extent.min;
    assert!(extent.max_element() < 200.0, "{extent}");
    // They are born on the ground, above it and below.
    for emitter in bouncing() {
        let mut linked = emitter.clone();
        linked.properties.link_to_system = true;
        let particles = loaded(vec![emitter, linked]);
        for height in [-5.0, 0.0, -7.0] {
            assert_in_bounds(&particles, height);
        }
    }
}

#[test]
fn bounds_of_records_follow_the_ground() {
    let particles = loaded(vec![bouncing().swap_remove(2)]);
    let prepared = particles.prepared_emitter(0).unwrap();
    let affine = half_size_at(0.0);
    let mut records = ParticleRecords::new(Handle::default(), &particles);
    add_births(&mut records, &particles, affine, 1, None, 4.0);
    let before = records.bounds(&particles, &affine).unwrap();
    let ring = &mut records.emitters[0];
    ring.ground.height = 200.0;
    let highest = ring.drawn(prepared).map(|it| it.motion.position[1]);
    let highest = highest.fold(0.0, f32::max);
    // The file's Z is up.
    assert!(
        highest > 199.0 && 0.5 * before.max.z < highest,
        "{highest}, {before:?}"
    );
    let bounds = records.bounds(&particles, &affine).unwrap();
    assert!(0.5 * bounds.max.z > highest - 1e-3, "{bounds:?}");
}

#[test]
fn mesh_emitters_without_a_mesh_emit_at_their_origin() {
    for emit_mode in [1, 2, 3] {
        let mut glow = emitter(Properties {
            emit_mode,
            outward_speed: 2.0,
            ..Properties::default()
        });
        glow.position = Shape::Exact([50.0, 0.0, 0.0]).into();
        let particles = loaded(vec![glow]);
        let living = &particles.evaluate(1, 0.5).emitters[0];
        assert!(!living.is_empty());
        for particle in living {
            assert_eq!(particle.motion.position, [0.0; 3]);
        }
        let bounds = particles.bounds;
        assert!(bounds.min.max_element() < 0.0 && bounds.max.min_element() > 0.0);
        assert!(bounds.max.max_element() < 20.0, "{bounds:?}");
    }
}

#[test]
fn rings_shrink_after_a_peak() {
    let particles = loaded(vec![emitter(Properties::default())]);
    let prepared = particles.prepared_emitter(0).unwrap();
    let mut ring = EmitterRecords::new(&particles, 0);
    let birth = |time: f32| BirthRecord {
        birth: time,
        life: 1.0,
        ground: f32::INFINITY,
        ..BirthRecord::default()
    };
    for _ in 0..200 {
        ring.push(birth(0.0), Draws::default());
    }
    assert_eq!(ring.capacity(), 256);
    // Each second another burst of 40, which fits into a quarter.
    for second in 2..30_u8 {
        ring.time = second.into();
        ring.remove_dead(prepared);
        for _ in 0..40 {
            ring.push(birth(ring.time), Draws::default());
        }
        assert_eq!(ring.records().count(), 40, "at {second} s");
        assert!(ring.records().all(|record| record.birth == ring.time));
    }
    assert_eq!(ring.capacity(), 128);
}

#[test]
fn rings_keep_records_in_order_while_they_wrap_and_grow() {
    let particles = loaded(vec![emitter(Properties {
        particles_per_second: 10,
        lifetime: 1.0,
        random_lifetime: 0.5,
        ..Properties::default()
    })]);
    let prepared = particles.prepared_emitter(0).unwrap();
    let mut records = ParticleRecords::new(Handle::default(), &particles);
    for step in 1..1000 {
        let time = 0.07 * f64::from(step);
        let after = (step > 1).then(|| 0.07 * f64::from(step - 1));
        add_births(&mut records, &particles, Affine3A::IDENTITY, 1, after, time);
        let ring = &records.emitters[0];
        let expected = &particles.evaluate(1, time).emitters[0];
        let drawn: Vec<_> = ring.drawn(prepared).collect();
        assert_eq!(drawn.len(), expected.len(), "at {time}");
        for (drawn, expected) in drawn.iter().zip(expected) {
            assert!((drawn.age - expected.age).abs() < 1e-4, "at {time}");
        }
        assert!(ring.len() <= 12 && ring.capacity() <= 16);
    }
    let ring = &mut records.emitters[0];
    let ages: Vec<f32> = ring.drawn(prepared).map(|it| it.age).collect();
    ring.rebase(64.0);
    let rebased: Vec<f32> = ring.drawn(prepared).map(|it| it.age).collect();
    assert_eq!(ages.len(), rebased.len());
    for (age, rebased) in ages.iter().zip(&rebased) {
        assert!((age - rebased).abs() < 1e-4);
    }
    ring.clear();
    assert!(ring.is_empty() && ring.drawn(prepared).next().is_none());
    assert!(ring.capacity() > 0);
    ring.free();
    assert_eq!((ring.len(), ring.capacity()), (0, 0));
    let mut empty = EmitterRecords::new(&particles, 0);
    empty.remove_dead(prepared);
    assert_eq!((empty.len(), empty.capacity()), (0, 0));
}
