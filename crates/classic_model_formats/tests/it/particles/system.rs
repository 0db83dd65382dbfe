//! Whole systems: what the slow simulation does not have. Random lives, weather, seeds, ends, and links.

use crate::prelude::*;
use classic_models_fixtures::particles::system;

fn state(emitters: Vec<Emitter<'static>>, seconds: f64) -> SystemState {
    parsed(emitters, |file| ParticleSystem::new(file).state(3, seconds))
}

fn alive(emitters: Vec<Emitter<'static>>, seconds: f64) -> Vec<usize> {
    let state = state(emitters, seconds);
    state.emitters.iter().map(Vec::len).collect()
}

#[test]
fn particles_are_born_at_their_round_and_dead_at_the_end_of_life() {
    let properties = Properties {
        initial_delay: 0.5,
        ..burst(3, 0.25)
    };
    for (seconds, expected) in [
        (-1.0, 0),
        (0.0, 0),
        (0.5_f64.next_down(), 0),
        (0.5, 3),
        (0.75_f64.next_down(), 3),
        (0.75, 0),
        (f64::NAN, 0),
        (f64::INFINITY, 0),
    ] {
        assert_eq!(
            alive(vec![emitter(properties.clone())], seconds),
            [expected],
            "{seconds}"
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_particles_at_all_times() {
    let mut fountain = emitter(Properties {
        particles_per_second: 100,
        random_lifetime: 0.5,
        ..Properties::default()
    });
    fountain.velocity = Shape::Cube { side: 9.0 }.into();
    parsed(vec![fountain], |file| {
        let system = ParticleSystem::new(file);
        let [early, late] = [0.8, 1.2].map(|seconds| system.state(3, seconds));
        assert_eq!(system.state(3, 0.8), early);
        assert_ne!(system.state(4, 0.8), early);
        // A particle keeps its life and velocity. Exactly those whose life is over are missing.
        let mut kept = 0;
        for particle in &early.emitters[0] {
            let mut later = late.emitters[0].iter();
            let later = later.find(|other| other.born == particle.born);
            assert_eq!(later.is_some(), particle.life > particle.age + 0.4);
            if let Some(later) = later {
                assert_eq!(
                    (later.life, later.motion.velocity),
                    (particle.life, particle.motion.velocity)
                );
                kept += 1;
            }
        }
        assert!(kept > 10, "{kept}");
    });
}

#[test]
fn random_lives_decay_at_the_expected_rate() {
    let properties = Properties {
        random_lifetime: 0.5,
        ..burst(10_000, 2.0)
    };
    // Lives are uniform from 1 to 2.
    for (seconds, expected) in [
        (0.0, 1.0),
        (0.99, 1.0),
        (1.25, 0.75),
        (1.75, 0.25),
        (2.0, 0.0),
    ] {
        let alive = alive(vec![emitter(properties.clone())], seconds)[0] as f64;
        assert!(
            (alive / 1e4 - expected).abs() < 0.025,
            "{alive} at {seconds}"
        );
    }
}

#[test]
fn particles_are_in_the_order_of_birth() {
    let mut parent = emitter(Properties {
        particles_per_second: 7,
        random_lifetime: 1.0,
        ..Properties::default()
    });
    parent.spawn_during_life = Some(1);
    parent.spawn_on_death = Some(2);
    let trail = emitter(Properties {
        particles_per_second: 20,
        ..Properties::default()
    });
    let state = state(vec![parent, trail.clone(), trail], 3.3);
    for particles in &state.emitters {
        assert!(particles.len() > 3);
        assert!(particles.is_sorted_by(|a, b| a.born <= b.born));
        for particle in particles {
            assert!((3.3 - particle.born - f64::from(particle.age)).abs() < 1e-5);
        }
    }
}

#[test]
fn particles_that_died_within_the_skipped_time_spawn_nothing() {
    let mut parent = emitter(Properties {
        skip_time: 1.0,
        ..burst(5, 0.5)
    });
    parent.spawn_on_death = Some(1);
    parent.spawn_during_life = Some(2);
    let long = emitter(burst(1, 100.0));
    assert_eq!(
        alive(vec![parent.clone(), long.clone(), long.clone()], 0.1),
        [0, 0, 0]
    );
    // Those that still live do.
    parent.properties.lifetime = 1.5;
    assert_eq!(
        alive(vec![parent.clone(), long.clone(), long.clone()], 0.1),
        [5, 0, 5]
    );
    assert_eq!(alive(vec![parent, long.clone(), long], 0.6), [0, 5, 5]);
}

#[test]
fn particles_that_die_spawn_one_round() {
    let mut parent = emitter(burst(3, 1.0));
    parent.spawn_on_death = Some(1);
    let child = |initial_delay, skip_time| Properties {
        particles_per_second: 10,
        lifetime: 5.0,
        initial_delay,
        skip_time,
        ..Properties::default()
    };
    for (initial_delay, skip_time, expected) in [
        (0.0, 0.0, 3),
        (0.0, 1.0, 3),
        (0.5, 1.0, 3),
        (0.5, 0.5, 3),
        (0.5, 0.0, 0),
        (0.5, 0.25, 0),
    ] {
        let stream = emitter(child(initial_delay, skip_time));
        let found = state(vec![parent.clone(), stream], 1.75);
        let ages: Vec<_> = found.emitters[1].iter().map(|it| it.age).collect();
        assert_eq!(ages, vec![0.75 + skip_time - initial_delay; expected]);
    }
    let bursts = Properties {
        in_bursts: true,
        bursts: 4,
        burst_delay: 0.25,
        particles_per_burst: 2,
        ..child(0.0, 1.0)
    };
    assert_eq!(alive(vec![parent, emitter(bursts)], 1.5), [0, 6]);
}

#[test]
fn particles_live_on_after_the_particle_that_spawned_them() {
    let mut parent = emitter(burst(1, 1.0));
    parent.spawn_during_life = Some(1);
    let trail = emitter(stream(10, 5.0));
    // Births at 0, 0.1, … 0.9: the parent is dead at 1.
    let emitters = vec![parent, trail];
    for (seconds, expected) in [(0.95, 10), (1.5, 10), (4.95, 10), (5.05, 9), (5.95, 0)] {
        assert_eq!(alive(emitters.clone(), seconds)[1], expected, "{seconds}");
    }
}

#[test]
fn frozen_clocks_keep_particles_and_the_emitters_they_carry() {
    let mut parent = emitter(Properties {
        freeze_time: 0.5,
        ..burst(1, 1.0)
    });
    parent.velocity = Shape::Exact([2.0, 0.0, 0.0]).into();
    parent.spawn_during_life = Some(1);
    let trail = emitter(Properties {
        particles_per_second: 10,
        lifetime: 0.35,
        emitter_speed: 1.0,
        uses_emitter_speed: true,
        ..Properties::default()
    });
    let state = state(vec![parent, trail], 1000.04);
    let [parent, trail] = &state.emitters[..] else {
        panic!("two emitters");
    };
    assert_eq!(
        (parent.len(), parent[0].age, parent[0].motion.position),
        (1, 0.5, [1.0, 0.0, 0.0])
    );
    // The trail's own clock is not frozen, but its emitter does not move.
    assert_eq!(trail.len(), 4);
    assert!(trail.iter().all(|it| it.motion.position == [1.0, 0.0, 0.0]));
}

#[test]
fn emitters_without_visible_particles_have_none() {
    for properties in [burst(5, 0.0), burst(5, -1.0), burst(0, 1.0)] {
        let file = system(vec![emitter(properties)]);
        let state = ParticleSystem::new(&file).state(0, 0.0);
        assert_eq!(state.emitters, [vec![]]);
        assert!(!state.is_limited);
    }
    // They spawn nothing.
    for mut parent in [burst(5, 0.0), burst(5, -1.0)].map(emitter) {
        parent.spawn_during_life = Some(1);
        parent.spawn_on_death = Some(2);
        let mut long = emitter(burst(1, 100.0));
        long.properties.skip_time = 0.5;
        for seconds in [0.0, 1.0] {
            let emitters = vec![parent.clone(), long.clone(), long.clone()];
            assert_eq!(alive(emitters, seconds), [0, 0, 0], "{seconds}");
        }
    }
}

fn weather(count: u32) -> Emitter<'static> {
    let mut weather = emitter(Properties {
        weather: true,
        particles_per_second: count,
        weather_cube_size: 20.0,
        lifetime: 2.0,
        random_lifetime: 0.5,
        gravity: 9.0,
        ground: 1,
        ..Properties::default()
    });
    weather.velocity = Shape::Exact([0.0, 0.0, -30.0]).into();
    weather
}

#[test]
fn weather_fills_a_cube_and_never_ends() {
    for seconds in [0.0, 0.1, 3.7, 1e6] {
        let state = state(vec![weather(5000)], seconds);
        let particles = &state.emitters[0];
        assert_eq!(particles.len(), 5000);
        let mut below = 0;
        for particle in particles {
            let inside = |it: &f32| it.abs() <= 10.0001;
            assert!(particle.motion.position.iter().all(inside), "{particle:?}");
            assert_eq!(particle.motion.velocity, [0.0, 0.0, -30.0]);
            assert!((0.0..=particle.life).contains(&particle.age));
            below += usize::from(particle.motion.position[2] < 0.0);
        }
        assert!((2300..2700).contains(&below), "{below} at {seconds}");
    }
}

#[test]
fn weather_moves_on_when_it_is_reborn() {
    let [before, after] = [3.7, 3.71].map(|seconds| state(vec![weather(500)], seconds));
    let by_position = |state: &SystemState| {
        let particles = state.emitters[0].iter();
        let mut positions: Vec<_> = particles.map(|it| it.motion.position).collect();
        positions.sort_by(|a, b| a[0].total_cmp(&b[0]));
        positions
    };
    let [before, after] = [before, after].map(|state| by_position(&state));
    assert_eq!([before.len(), after.len()], [500; 2]);
    let mut wrapped = 0;
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((before[0], before[1]), (after[0], after[1]));
        let moved = before[2] - after[2];
        wrapped += usize::from(moved < 0.0);
        assert!(
            (moved - 0.3).abs() < 1e-3 || (moved + 19.7).abs() < 1e-3,
            "{moved}"
        );
    }
    assert!(wrapped > 0);
}

#[test]
fn weather_without_a_cube_emits_nothing() {
    for weather_cube_size in [0.0, -1.0] {
        let mut emitter = weather(10);
        emitter.properties.weather_cube_size = weather_cube_size;
        let file = system(vec![emitter]);
        assert_eq!(ParticleSystem::new(&file).state(0, 1.0).emitters, [vec![]]);
    }
}

#[test]
fn emitters_on_a_mesh_use_their_groups_without_one() {
    let position = Shape::Box([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
    let of_mode = |emit_mode| {
        let mut emitter = emitter(Properties {
            emit_mode,
            outward_speed: 2.0,
            ..burst(20, 1.0)
        });
        emitter.position = position.into();
        state(vec![emitter], 0.5)
    };
    let expected = of_mode(0);
    assert!(expected.emitters[0][0].motion.velocity != [0.0; 3]);
    for mode in [1, 2, 3] {
        assert_eq!(of_mode(mode), expected, "mode {mode}");
    }
}

#[test]
fn systems_are_endless_if_a_root_is() {
    let endless = |emitters| parsed(emitters, |file| ParticleSystem::new(file).is_endless());
    let stream = emitter(Properties::default());
    let once = emitter(Properties {
        particles_per_second: 0,
        ..Properties::default()
    });
    let burst = emitter(burst(1, 1.0));
    assert!(!endless(vec![]));
    assert!(!endless(vec![burst.clone(), once]));
    assert!(endless(vec![burst.clone(), stream.clone()]));
    assert!(endless(vec![weather(1)]));
    let mut parent = burst;
    parent.spawn_during_life = Some(1);
    assert!(!endless(vec![parent, stream]));
}

#[test]
fn systems_are_endless_if_particles_live_on() {
    let frozen = |freeze_time, properties: Properties| {
        emitter(Properties {
            freeze_time,
            ..properties
        })
    };
    let late = Properties {
        initial_delay: 0.75,
        ..burst(1, 1.0)
    };
    let rain = |freeze_time| {
        let mut rain = weather(3);
        rain.properties.random_lifetime = 0.0;
        rain.properties.freeze_time = freeze_time;
        rain
    };
    let during_life = |child: Emitter<'static>| {
        let mut parent = emitter(burst(1, 1.0));
        parent.spawn_during_life = Some(1);
        vec![parent, child]
    };
    let on_death = |child: Emitter<'static>| {
        let mut parent = emitter(burst(1, 1.0));
        parent.spawn_on_death = Some(1);
        vec![parent, child]
    };
    for (name, emitters, expected) in [
        ("stream", vec![frozen(0.5, stream(10, 1.0))], true),
        ("short lives", vec![frozen(0.5, stream(1, 0.25))], false),
        ("at once", vec![frozen(0.5, stream(1 << 31, 1.0))], true),
        ("burst", vec![frozen(0.5, burst(1, 1.0))], true),
        ("endless lives", vec![emitter(burst(1, f32::MAX))], true),
        ("no endless lives", vec![emitter(burst(0, f32::MAX))], false),
        ("after burst", vec![frozen(1.5, burst(1, 1.0))], false),
        ("no particles", vec![frozen(0.5, burst(0, 1.0))], false),
        ("before burst", vec![frozen(0.5, late.clone())], false),
        ("weather", vec![rain(0.5)], true),
        ("no life", during_life(frozen(0.5, stream(9, 0.0))), false),
        ("trail", during_life(frozen(0.5, stream(10, 0.35))), true),
        (
            "old trail",
            during_life(frozen(5.0, stream(10, 0.35))),
            false,
        ),
        ("flash", on_death(frozen(0.5, burst(1, 1.0))), true),
        ("old flash", on_death(frozen(1.5, burst(1, 1.0))), false),
        ("late flash", on_death(frozen(0.8, late)), false),
        ("rain", during_life(rain(0.0)), false),
        ("frozen rain", during_life(rain(0.5)), true),
        ("old rain", during_life(rain(50.0)), false),
    ] {
        parsed(emitters, |file| {
            let system = ParticleSystem::new(file);
            assert_eq!(system.is_endless(), expected, "{name}");
            let late = system.state(3, 1e6);
            let lives = late.emitters.iter().any(|particles| !particles.is_empty());
            assert_eq!(lives, expected, "{name}");
        });
    }
    let endless_without_particles = Properties {
        bursts: 0,
        ..burst(0, 1.0)
    };
    let file = system(vec![emitter(endless_without_particles)]);
    assert!(!ParticleSystem::new(&file).is_endless());
}

#[test]
fn births_beyond_the_limit_are_dropped() {
    let huge = stream(4_000_000_000, 1e30);
    let found = state(vec![emitter(huge.clone())], 1.0);
    assert_eq!(found.emitters[0].len() as u64, MAX_ALIVE);
    // The first ones were born.
    assert!(found.emitters[0].iter().all(|it| it.born < 1e-4));
    // A skip of 10⁹ s is computed.
    let skipped = Properties {
        skip_time: 1e9,
        ..huge
    };
    let found = state(vec![emitter(skipped)], 1.0);
    assert_eq!(found.emitters[0].len() as u64, MAX_ALIVE);
    let rate = Properties {
        particles_per_second: 100_000,
        ..Properties::default()
    };
    // The first 65,536 rounds of each 100,001 have a particle.
    for (seconds, expected) in [
        (0.5, 50_001),
        (0.9, 65_536),
        (1.0, 65_535),
        (1.7, 65_536),
        // Rounds 99,930,001 to 99,966,534 and 100,001,000 to 100,030,000.
        (1000.3, 36_534 + 29_001),
    ] {
        let alive = alive(vec![emitter(rate.clone())], seconds)[0];
        assert_eq!(alive, expected, "at {seconds}");
    }
}

#[test]
fn the_limit_is_shared_by_all_emitters() {
    let half = emitter(burst(40_000, 1.0));
    let state = state(vec![half.clone(), half.clone(), half], 0.5);
    let alive: Vec<_> = state.emitters.iter().map(Vec::len).collect();
    assert_eq!(alive, [40_000, 25_536, 0]);
    assert!(state.is_limited);
}
