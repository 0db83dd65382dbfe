//! Simulation in steps: the same births as in one step, stages that move, meshes, and the end of a system.

use crate::prelude::*;
use classic_model_formats::particles::evaluate::{
    Birth, EmissionMesh, MeshPoint, Motion, Simulation, Space, Stage,
};
use classic_model_formats::particles::parse;

/// A birth as a stage keeps it.
#[derive(Clone, Copy, Debug)]
struct Kept {
    index: usize,
    born: f64,
    death: f64,
    frozen_age: f64,
    record: BirthRecord,
    ground: Ground,
}

/// A stage that keeps all births.
#[derive(Default)]
struct Keeper {
    births: Vec<Kept>,
    mesh: Option<EmissionMesh>,
    /// The velocity of the system in the world.
    velocity: [f32; 3],
    limit: Option<usize>,
}

impl Keeper {
    fn moved(&self, time: f64) -> [f32; 3] {
        self.velocity.map(|speed| (f64::from(speed) * time) as f32)
    }
}

fn sum(a: [f32; 3], b: [f32; 3], factor: f32) -> [f32; 3] {
    [0, 1, 2].map(|axis| a[axis] + factor * b[axis])
}

impl Stage for Keeper {
    fn pose(&self, space: Space, time: f64) -> EmitterPose {
        match space {
            Space::System | Space::Weather => EmitterPose::default(),
            Space::World => EmitterPose {
                position: self.moved(time),
                velocity: self.velocity,
                ..EmitterPose::default()
            },
        }
    }

    fn mesh(&self) -> Option<&EmissionMesh> {
        self.mesh.as_ref()
    }

    fn mesh_pose(&self, space: Space, time: f64) -> EmitterPose {
        let pose = self.pose(space, time);
        EmitterPose {
            position: sum(pose.position, [0.0, 0.0, 100.0], 1.0),
            ..pose
        }
    }

    fn transfer(&self, motion: Motion, from: Space, _: Space, time: f64) -> Motion {
        let sign = match from {
            Space::System | Space::Weather => 1.0,
            Space::World => -1.0,
        };
        Motion {
            position: sum(motion.position, self.moved(time), sign),
            velocity: sum(motion.velocity, self.velocity, sign),
        }
    }

    fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.births.len() >= limit)
    }

    fn born(&mut self, birth: &Birth<'_>) {
        assert!(birth.death > birth.born && birth.age >= 0.0);
        self.births.push(Kept {
            index: birth.index,
            born: birth.born,
            death: birth.death,
            frozen_age: birth.frozen_age,
            record: birth.record,
            ground: birth.ground,
        });
    }
}

/// A particle as it is compared: its emitter, and then birth, age, position, velocity, size and angle.
fn compared(
    index: usize,
    emitter: &PreparedEmitter,
    record: &BirthRecord,
    ground: &Ground,
    [born, age]: [f64; 2],
) -> (usize, Vec<f64>) {
    let motion = emitter.motion(record, ground, age as f32);
    let look = emitter.appearance(record, age as f32);
    let values = motion.position.into_iter().chain(motion.velocity);
    let values = values.chain([look.size, look.turns]).chain(look.color);
    let all = [born, age].into_iter().chain(values.map(f64::from));
    (index, all.collect())
}

fn of_keeper(system: &ParticleSystem, keeper: &Keeper, now: f64) -> Vec<(usize, Vec<f64>)> {
    let emitters: Vec<_> = system.emitters().collect();
    let living = keeper.births.iter().filter(|birth| now < birth.death);
    let living = living.map(|birth| {
        let age = (now - birth.born).min(birth.frozen_age);
        let emitter = emitters[birth.index];
        compared(
            birth.index,
            emitter,
            &birth.record,
            &birth.ground,
            [birth.born, age],
        )
    });
    sorted(living.collect())
}

fn of_state(state: &SystemState) -> Vec<(usize, Vec<f64>)> {
    let mut all = Vec::new();
    for (index, particles) in state.emitters.iter().enumerate() {
        all.extend(particles.iter().map(|it| {
            let values = it.motion.position.into_iter().chain(it.motion.velocity);
            let values = values.chain([it.appearance.size, it.appearance.turns]);
            let values = values.chain(it.appearance.color).map(f64::from);
            (
                index,
                [it.born, it.age.into()].into_iter().chain(values).collect(),
            )
        }));
    }
    sorted(all)
}

fn sorted(mut all: Vec<(usize, Vec<f64>)>) -> Vec<(usize, Vec<f64>)> {
    all.sort_by(|a, b| {
        let born = a.1[0].total_cmp(&b.1[0]);
        a.0.cmp(&b.0).then(born).then_with(|| {
            let key = |it: &Vec<f64>| it[2..5].iter().map(|it| it.to_bits()).collect::<Vec<_>>();
            key(&a.1).cmp(&key(&b.1))
        })
    });
    all
}

/// Compares simulation in steps of these lengths with one evaluation, every few steps.
fn assert_steps_match(name: &str, system: &ParticleSystem, steps: &[f64], until: f64) {
    let mut simulation = Simulation::new(system, 5);
    let mut keeper = Keeper::default();
    let (mut now, mut count) = (0.0, 0_usize);
    while now < until {
        simulation.advance(system, now, &mut keeper);
        if count % 7 == 0 {
            let found = of_keeper(system, &keeper, now);
            let expected = of_state(&system.state(5, now));
            assert_eq!(found.len(), expected.len(), "{name} at {now}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.0, expected.0, "{name} at {now}");
                for (a, b) in found.1.iter().zip(&expected.1) {
                    // Ages are rounded differently.
                    let tolerance = 1e-4 * (1.0 + b.abs());
                    assert!(
                        (a - b).abs() <= tolerance,
                        "{name} at {now}: {found:?} instead of {expected:?}"
                    );
                }
            }
        }
        keeper.births.retain(|birth| now < birth.death);
        now += steps[count % steps.len()];
        count += 1;
    }
    assert!(!simulation.is_limited(), "{name}");
}

/// Steps that are no multiples of any usual interval.
const FRAMES: [f64; 3] = [0.016_671_3, 0.016_702_9, 0.033_391_7];
const SLOW: [f64; 4] = [0.371_3, 0.000_917, 1.731_1, 0.100_37];

/// A system with links, delays, freezes and a ground at every level.
fn fireworks() -> Vec<Emitter<'static>> {
    let mut rockets = emitter(Properties {
        gravity: 4.0,
        ground: 1,
        random_lifetime: 0.5,
        skip_time: 0.7,
        ..stream(3, 2.0)
    });
    rockets.velocity = Shape::Box([-2.0, -2.0, -3.0], [2.0, 2.0, 9.0]).into();
    rockets.spawn_during_life = Some(1);
    rockets.spawn_on_death = Some(2);
    let mut trail = emitter(Properties {
        uses_emitter_speed: true,
        emitter_speed: 0.5,
        initial_delay: 0.1,
        ..stream(17, 0.4)
    });
    trail.spawn_on_death = Some(3);
    let mut flash = emitter(Properties {
        skip_time: 0.2,
        ..burst(4, 1.5)
    });
    flash.velocity = Shape::Sphere {
        radius: 3.0,
        surface: true,
    }
    .into();
    flash.spawn_during_life = Some(4);
    let spark = emitter(Properties {
        freeze_time: 0.25,
        ..burst(1, 0.2)
    });
    let smoke = emitter(stream(9, 0.6));
    vec![rockets, trail, flash, spark, smoke]
}

fn frozen() -> Emitter<'static> {
    emitter(Properties {
        freeze_time: 0.9,
        random_lifetime: 0.9,
        ..stream(10, 1.0)
    })
}

fn weather() -> Emitter<'static> {
    let mut weather = emitter(Properties {
        weather: true,
        particles_per_second: 40,
        weather_cube_size: 20.0,
        lifetime: 1.3,
        random_lifetime: 0.7,
        ..Properties::default()
    });
    weather.velocity = Shape::Cube { side: 30.0 }.into();
    weather
}

#[test]
fn steps_have_the_births_of_one_evaluation() {
    for (name, emitters) in [
        ("stream", vec![emitter(stream(31, 0.9))]),
        ("slow stream", vec![emitter(stream(1, 0.2))]),
        ("burst", vec![emitter(burst(9, 2.0))]),
        ("fireworks", fireworks()),
        ("frozen", vec![frozen(), emitter(stream(3, 0.5))]),
        ("weather", vec![weather()]),
        (
            "frozen weather",
            vec![{
                let mut weather = weather();
                weather.properties.freeze_time = 3.1;
                weather
            }],
        ),
        ("nothing", vec![]),
    ] {
        parsed(emitters, |file| {
            let system = ParticleSystem::new(file);
            for steps in [&FRAMES[..], &SLOW[..]] {
                assert_steps_match(name, &system, steps, 7.0);
            }
        });
    }
    let bytes = full();
    let system = ParticleSystem::new(&parse(&bytes).unwrap());
    assert_steps_match("full", &system, &FRAMES, 5.0);
}

#[test]
fn real_systems_have_the_same_births_in_steps() {
    for (name, bytes) in corpus_particles("real_systems_have_the_same_births_in_steps") {
        let system = ParticleSystem::new(&parse(&bytes).unwrap());
        assert_steps_match(&name, &system, &[0.047_391_7, 0.016_702_9, 0.211_3], 3.0);
    }
}

#[test]
fn particles_are_born_where_the_system_is_at_their_time() {
    parsed(vec![emitter(stream(10, 1.0))], |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        let mut keeper = Keeper {
            velocity: [2.0, 0.0, 0.0],
            ..Keeper::default()
        };
        simulation.advance(&system, 0.55, &mut keeper);
        let positions: Vec<_> = keeper.births.iter().map(|it| it.record.position).collect();
        let expected = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|x| [x, 0.0, 0.0]);
        assert_eq!(positions, expected);
    });
}

#[test]
fn children_change_the_space() {
    let mut parent = emitter(Properties {
        link_to_system: true,
        ..burst(1, 1.0)
    });
    parent.velocity = Shape::Exact([0.0, 0.0, 3.0]).into();
    parent.spawn_during_life = Some(1);
    parent.spawn_on_death = Some(2);
    let following = |rate| {
        emitter(Properties {
            uses_emitter_speed: true,
            emitter_speed: 1.0,
            ..stream(rate, 5.0)
        })
    };
    parsed(vec![parent, following(2), following(1)], |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        let mut keeper = Keeper {
            velocity: [2.0, 0.0, 0.0],
            ..Keeper::default()
        };
        for step in 0..5 {
            simulation.advance(&system, 0.3 * f64::from(step), &mut keeper);
        }
        let of = |index| {
            let births = keeper.births.iter().filter(move |it| it.index == index);
            births.map(|it| (it.record.position, it.record.velocity))
        };
        // In the world, it moves with the system.
        let moved = |time: f32| ([2.0 * time, 0.0, 3.0 * time], [2.0, 0.0, 3.0]);
        assert_eq!(of(1).collect::<Vec<_>>(), [moved(0.0), moved(0.5)]);
        assert_eq!(of(2).collect::<Vec<_>>(), [moved(1.0)]);
    });
}

/// Two triangles in the plane X = 3 whose areas are 1 and 3. Normals are along +X.
fn mesh() -> EmissionMesh {
    let corners = [
        [3.0, 0.0, 0.0],
        [3.0, 2.0, 0.0],
        [3.0, 0.0, 1.0],
        [3.0, 0.0, -3.0],
    ];
    let vertices = corners.map(|position| MeshPoint {
        position,
        normal: [2.0, 0.0, 0.0],
    });
    EmissionMesh::new(vertices, [[0, 1, 2], [0, 1, 3], [0, 1, 9]])
}

fn on_mesh(emit_mode: u32, mesh: Option<EmissionMesh>) -> Vec<BirthRecord> {
    let mut jet = emitter(Properties {
        emit_mode,
        emit_offset: 0.5,
        in_bursts: true,
        burst_delay: 1.0,
        particles_per_burst: 2000,
        bursts: 2,
        ..Properties::default()
    });
    if emit_mode == 3 {
        jet.properties.particles_per_burst = 2;
    }
    jet.position = Shape::Exact([50.0, 0.0, 0.0]).into();
    jet.velocity = Shape::Exact([0.0, 0.0, 7.0]).into();
    parsed(vec![jet], |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        let mut keeper = Keeper {
            mesh,
            ..Keeper::default()
        };
        simulation.advance(&system, 0.5, &mut keeper);
        keeper.births.iter().map(|it| it.record).collect()
    })
}

#[test]
fn particles_are_born_on_the_mesh() {
    let at = |[x, y, z]: [f32; 3]| [x + 0.5, y, z + 100.0];
    let corners: Vec<_> = mesh().vertices().iter().map(|it| at(it.position)).collect();
    let every = on_mesh(3, Some(mesh()));
    let positions: Vec<_> = every.iter().map(|it| it.position).collect();
    assert_eq!(positions, [corners.clone(), corners.clone()].concat());

    let random = on_mesh(1, Some(mesh()));
    for corner in &corners {
        let count = random.iter().filter(|it| it.position == *corner).count();
        assert!((430..570).contains(&count), "{count} of 2000");
    }

    let surface = on_mesh(2, Some(mesh()));
    let upper = surface.iter().filter(|it| it.position[2] > 100.0).count();
    assert!((440..560).contains(&upper), "{upper} of 2000");
    for record in &surface {
        let [x, y, z] = sum(record.position, [3.5, 0.0, 100.0], -1.0);
        assert!(x.abs() < 1e-5 && y >= 0.0, "{record:?}");
        let height = if z > 0.0 { z } else { -z / 3.0 };
        assert!(y / 2.0 + height <= 1.001, "{record:?}");
    }

    for records in [every, random, surface] {
        assert!(records.iter().all(|it| it.velocity == [7.0, 0.0, 0.0]));
    }
}

#[test]
fn without_a_mesh_particles_are_born_at_the_emitter() {
    for mode in [1, 2, 3] {
        for mesh in [None, Some(EmissionMesh::default())] {
            let records = on_mesh(mode, mesh);
            assert_eq!(records.len(), if mode == 3 { 2 } else { 2000 });
            for record in records {
                assert_eq!(record.position, [0.0; 3]);
                assert_eq!(record.velocity, [0.0, 0.0, 7.0]);
            }
        }
    }
    assert_eq!(on_mesh(0, Some(mesh()))[0].position, [50.0, 0.0, 0.0]);
}

#[test]
fn normals_in_all_directions_turn_the_velocity() {
    for normal in [
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
        [0.6, 0.0, -0.8],
        [-0.48, 0.6, 0.64],
        [0.0, 0.0, 0.0],
    ] {
        let point = MeshPoint {
            position: [0.0; 3],
            normal,
        };
        let record = on_mesh(3, Some(EmissionMesh::new([point], [])))[0];
        let expected = match normal {
            [0.0, 0.0, 0.0] => [0.0, 0.0, 7.0],
            normal => normal.map(|it: f32| it * 7.0),
        };
        let distance = sum(record.velocity, expected, -1.0).map(f32::abs);
        assert!(distance.iter().all(|it| *it < 1e-4), "{record:?}");
    }
}

/// Steps through a system, stops it at a time, and returns the time at which it is over.
fn end_of(emitters: Vec<Emitter<'static>>, stop: Option<f64>) -> Option<f64> {
    parsed(emitters, |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        let mut keeper = Keeper::default();
        (0..2000).map(|step| f64::from(step) / 64.0).find(|now| {
            if stop.is_some_and(|stop| *now > stop) {
                simulation.stop(&system, *now);
            }
            simulation.advance(&system, *now, &mut keeper);
            simulation.is_over(*now)
        })
    })
}

#[test]
fn systems_are_over_when_the_last_particle_dies() {
    let first_frame_after = |time: f64| Some((time * 64.0).ceil() / 64.0);
    assert_eq!(end_of(vec![], None), Some(0.0));
    assert_eq!(
        end_of(vec![emitter(burst(3, 1.3))], None),
        first_frame_after(1.3)
    );
    assert_eq!(end_of(vec![emitter(stream(3, 1.3))], None), None);
    assert_eq!(end_of(vec![frozen()], None), None);
    assert_eq!(end_of(vec![weather()], None), None);
    let mut parent = emitter(burst(3, 1.3));
    parent.spawn_on_death = Some(1);
    let child = emitter(burst(1, 0.6));
    assert_eq!(end_of(vec![parent, child], None), first_frame_after(1.9));
    // The last birth is at 2, the stop after it.
    let stream = vec![emitter(stream(2, 1.3))];
    assert_eq!(end_of(stream, Some(2.2)), first_frame_after(3.3));
    let end = end_of(vec![weather()], Some(2.2)).unwrap();
    assert!((2.2..3.6).contains(&end), "{end}");
    // Frozen particles go with the others.
    let frozen = vec![frozen(), emitter(burst(1, 5.0))];
    assert_eq!(end_of(frozen, Some(2.2)), first_frame_after(5.0));
}

#[test]
fn stopped_systems_finish_with_what_their_particles_spawn() {
    let mut parent = emitter(stream(2, 1.0));
    parent.spawn_during_life = Some(1);
    let trail = emitter(stream(10, 0.5));
    parsed(vec![parent, trail], |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        let mut keeper = Keeper::default();
        simulation.advance(&system, 1.1, &mut keeper);
        simulation.stop(&system, 1.1);
        simulation.advance(&system, 9.0, &mut keeper);
        let latest = |index| {
            let births = keeper.births.iter().filter(|it| it.index == index);
            births.map(|it| it.born).fold(0.0, f64::max)
        };
        assert_eq!(latest(0), 1.0);
        // What died within the step is not passed on.
        assert!(latest(1) < 1.11, "{}", latest(1));
        assert!(simulation.is_over(9.0) && simulation.next_event() == f64::INFINITY);
    });
    parsed(vec![emitter(burst(5, 1.0))], |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        simulation.stop(&system, 0.0);
        let mut keeper = Keeper::default();
        simulation.advance(&system, 0.5, &mut keeper);
        assert!(keeper.births.is_empty() && simulation.is_over(0.5));
    });
}

#[test]
fn a_stop_ends_the_births_of_emitters_that_frozen_particles_carry() {
    let mut parent = emitter(Properties {
        freeze_time: 0.5,
        ..burst(2, 1.0)
    });
    parent.spawn_during_life = Some(1);
    let trail = emitter(stream(10, 0.5));
    let latest = |keeper: &Keeper| {
        let births = keeper.births.iter().filter(|it| it.index == 1);
        births.map(|it| it.born).fold(0.0, f64::max)
    };
    // The stop comes after the child's instances were created, or before.
    for (first_step, expected) in [(2.05, 2.05), (0.0, 0.45)] {
        parsed(vec![parent.clone(), trail.clone()], |file| {
            let system = ParticleSystem::new(file);
            let mut simulation = Simulation::new(&system, 0);
            let mut keeper = Keeper::default();
            simulation.advance(&system, first_step, &mut keeper);
            assert!(!simulation.is_over(first_step));
            simulation.stop(&system, expected);
            for step in 0..60 {
                simulation.advance(&system, expected + f64::from(step) / 10.0, &mut keeper);
            }
            let latest = latest(&keeper);
            assert!(latest > expected - 0.11 && latest <= expected, "{latest}");
            assert!(simulation.is_over(expected + 0.6));
        });
    }
}

#[test]
fn births_are_dropped_while_the_stage_is_full() {
    parsed(vec![emitter(stream(100, 100.0))], |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        let mut keeper = Keeper {
            limit: Some(20),
            ..Keeper::default()
        };
        simulation.advance(&system, 0.105, &mut keeper);
        assert!(!simulation.is_limited());
        simulation.advance(&system, 0.505, &mut keeper);
        assert!(simulation.is_limited() && keeper.births.len() == 20);
        keeper.limit = None;
        simulation.advance(&system, 0.555, &mut keeper);
        let times: Vec<_> = keeper.births[20..].iter().map(|it| it.born).collect();
        assert_eq!(times, [0.51, 0.52, 0.53, 0.54, 0.55]);
    });
}

#[test]
fn an_idle_system_is_only_advanced_at_its_next_event() {
    parsed(vec![emitter(stream(2, 1.0))], |file| {
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(&system, 0);
        let mut keeper = Keeper::default();
        assert_eq!(simulation.next_event(), 0.0);
        simulation.advance(&system, 0.2, &mut keeper);
        assert!((0.499_999..=0.5).contains(&simulation.next_event()));
        simulation.advance(&system, f64::NAN, &mut keeper);
        simulation.advance(&system, 0.1, &mut keeper);
        assert_eq!(keeper.births.len(), 1);
    });
}
