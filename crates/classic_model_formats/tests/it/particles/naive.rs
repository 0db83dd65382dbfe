//! A slow simulation that is independent of the evaluator: it advances a list of particles in small steps, as
//! alo-viewer does. Emitters must not be random.

use crate::prelude::*;

/// A living particle of the slow simulation.
struct Particle {
    id: usize,
    emitter: usize,
    age: f64,
    life: f64,
    position: [f64; 3],
    velocity: [f64; 3],
    acceleration: [f64; 3],
    is_stopped: bool,
}

/// An instance of an emitter.
struct Instance {
    emitter: usize,
    clock: f64,
    rounds: u32,
    round_limit: u32,
    next_round: f64,
    /// Id of the particle that carries the instance.
    carrier: Option<usize>,
    is_stopped: bool,
    position: [f64; 3],
    velocity: [f64; 3],
    particles: Vec<Particle>,
}

struct Simulation<'f> {
    file: &'f ParticleFile<'f>,
    instances: Vec<Instance>,
    next_id: usize,
}

fn vector(values: [f32; 3]) -> [f64; 3] {
    values.map(f64::from)
}

fn exact(shape: Shape) -> [f64; 3] {
    match shape {
        Shape::Exact(value) => vector(value),
        _ => panic!("the slow simulation has no random numbers"),
    }
}

fn sum(a: [f64; 3], b: [f64; 3], factor: f64) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] + factor * b[axis])
}

impl<'f> Simulation<'f> {
    fn new(file: &'f ParticleFile<'f>) -> Self {
        let mut simulation = Self {
            file,
            instances: Vec::new(),
            next_id: 0,
        };
        for (index, emitter) in file.emitters.iter().enumerate() {
            if emitter.parent.is_none() {
                simulation.create(index, 0.0, [[0.0; 3]; 2], None, u32::MAX);
            }
        }
        simulation
    }

    /// Creates an instance, with the particles of the skipped time at the ages that they would have, but at most this
    /// count of rounds. `since` is the time that has passed since its creation within the step.
    fn create(
        &mut self,
        emitter: usize,
        since: f64,
        [position, velocity]: [[f64; 3]; 2],
        carrier: Option<usize>,
        round_limit: u32,
    ) {
        let properties = &self.file.emitters[emitter].properties;
        let skip = f64::from(properties.skip_time);
        let mut instance = Instance {
            emitter,
            clock: skip + since,
            rounds: 0,
            round_limit,
            next_round: properties.initial_delay.into(),
            carrier,
            is_stopped: false,
            position,
            velocity,
            particles: Vec::new(),
        };
        self.emit(&mut instance);
        // The death of a particle emits the rounds that are due at that time, and no later ones.
        instance.is_stopped = round_limit < u32::MAX;
        self.instances.push(instance);
    }

    /// Emits all rounds up to the instance's clock.
    fn emit(&mut self, instance: &mut Instance) {
        let emitter = &self.file.emitters[instance.emitter];
        let properties = &emitter.properties;
        let delay = if properties.in_bursts {
            f64::from(properties.burst_delay).max(0.01)
        } else {
            1.0 / f64::from(properties.particles_per_second)
        };
        let limit = if properties.in_bursts && properties.bursts > 0 {
            instance.round_limit.min(properties.bursts as u32)
        } else {
            instance.round_limit
        };
        while instance.next_round <= instance.clock + 1e-9
            && instance.rounds < limit
            && !instance.is_stopped
        {
            let age = instance.clock - instance.next_round;
            let count = if properties.in_bursts {
                properties.particles_per_burst
            } else {
                1
            };
            for _ in 0..count {
                self.born(instance, emitter, age);
            }
            instance.rounds += 1;
            instance.next_round =
                f64::from(properties.initial_delay) + f64::from(instance.rounds) * delay;
        }
    }

    fn born(&mut self, instance: &mut Instance, emitter: &Emitter<'_>, age: f64) {
        let properties = &emitter.properties;
        let life = f64::from(properties.lifetime);
        if age >= life - 1e-9 {
            return;
        }
        let local = exact(emitter.position.shape());
        let length = local.iter().map(|it| it * it).sum::<f64>().sqrt();
        let outward = if length > 0.0 {
            local.map(|it| it / length)
        } else {
            [0.0; 3]
        };
        let mut velocity = sum(
            exact(emitter.velocity.shape()),
            outward,
            properties.outward_speed.into(),
        );
        if properties.uses_emitter_speed {
            velocity = sum(velocity, instance.velocity, properties.emitter_speed.into());
        }
        let gravity = [0.0, 0.0, -f64::from(properties.gravity)];
        let acceleration = sum(vector(properties.acceleration), gravity, 1.0);
        let acceleration = sum(
            acceleration,
            outward,
            properties.outward_acceleration.into(),
        );
        let mut particle = Particle {
            id: self.next_id,
            emitter: instance.emitter,
            age: 0.0,
            life,
            // The emitter is where it is now: for exact times of birth, the steps must be small.
            position: sum(instance.position, local, 1.0),
            velocity,
            acceleration,
            is_stopped: false,
        };
        self.next_id += 1;
        step(&mut particle, age, properties);
        if let Some(child) = emitter.spawn_during_life {
            let carried = [particle.position, particle.velocity];
            self.create(child as usize, age, carried, Some(particle.id), u32::MAX);
        }
        instance.particles.push(particle);
    }

    /// Advances everything by a short time.
    fn advance(&mut self, dt: f64) {
        let mut instances = core::mem::take(&mut self.instances);
        for instance in &mut instances {
            let emitter = &self.file.emitters[instance.emitter];
            let properties = &emitter.properties;
            let freeze = f64::from(properties.freeze_time);
            let is_freezing = freeze > 0.0 && freeze >= f64::from(properties.skip_time);
            let limit = if is_freezing { freeze } else { f64::INFINITY };
            let clock = (instance.clock + dt).min(limit);
            let dt = clock - instance.clock;
            instance.clock = clock;
            for particle in &mut instance.particles {
                step(particle, dt, properties);
            }
            let is_dead = |particle: &Particle| {
                let is_below = properties.ground == 1 && particle.position[2] < 0.0;
                particle.age >= particle.life - 1e-9 || is_below
            };
            for particle in instance
                .particles
                .iter()
                .filter(|particle| is_dead(particle))
            {
                if let Some(child) = emitter.spawn_on_death {
                    let carried = [particle.position, particle.velocity];
                    self.create(child as usize, 0.0, carried, None, 1);
                }
            }
            instance.particles.retain(|particle| !is_dead(particle));
        }
        instances.append(&mut self.instances);
        // Carried instances follow their particles, and stop with them.
        for index in 0..instances.len() {
            let Some(carrier) = instances[index].carrier else {
                continue;
            };
            let mut all = instances.iter().flat_map(|instance| &instance.particles);
            let found = all.find(|particle| particle.id == carrier);
            match found.map(|particle| (particle.position, particle.velocity)) {
                Some((position, velocity)) => {
                    instances[index].position = position;
                    instances[index].velocity = velocity;
                }
                None => instances[index].is_stopped = true,
            }
        }
        for mut instance in instances {
            self.emit(&mut instance);
            let is_over = instance.is_stopped && instance.particles.is_empty();
            if !is_over {
                self.instances.push(instance);
            }
        }
    }

    /// The positions of all particles of an emitter, sorted by age and position.
    fn positions(&self, emitter: usize) -> Vec<[f64; 4]> {
        let particles = self
            .instances
            .iter()
            .flat_map(|instance| &instance.particles);
        let particles = particles.filter(|particle| particle.emitter == emitter);
        let positions = particles.map(|particle| {
            let [x, y, z] = particle.position;
            [particle.age, x, y, z]
        });
        sorted(positions.collect())
    }
}

/// Advances a particle by a time, which is divided into short steps.
fn step(particle: &mut Particle, time: f64, properties: &Properties) {
    const LONGEST: f64 = 1e-3;
    let steps = (time / LONGEST).ceil().max(1.0);
    let dt = time / steps;
    for _ in 0..steps as u32 {
        particle.age += dt;
        if particle.is_stopped {
            continue;
        }
        // The midpoint rule.
        let half = sum(particle.velocity, particle.acceleration, 0.5 * dt);
        particle.position = sum(particle.position, half, dt);
        particle.velocity = sum(particle.velocity, particle.acceleration, dt);
        if particle.position[2] < 0.0 && particle.velocity[2] < 0.0 {
            match properties.ground {
                2 => {
                    particle.position[2] = 0.0;
                    particle.velocity[2] *= -f64::from(properties.bounciness);
                }
                3 => {
                    particle.position[2] = 0.0;
                    particle.is_stopped = true;
                }
                _ => {}
            }
        }
    }
}

fn sorted(mut positions: Vec<[f64; 4]>) -> Vec<[f64; 4]> {
    // Ages of equal particles differ by rounding.
    positions.sort_by(|a, b| {
        let key = |value: &f64| (value * 1e5).round();
        a.iter().map(key).partial_cmp(b.iter().map(key)).unwrap()
    });
    positions
}

/// Compares all particles with the slow simulation at these times. `tolerance` is the greatest distance.
fn assert_same(emitters: Vec<Emitter<'static>>, times: &[f64], tolerance: f64) {
    parsed(emitters, |file| {
        assert_eq!(file.warnings, []);
        let system = ParticleSystem::new(file);
        let mut simulation = Simulation::new(file);
        let mut now = 0.0;
        for time in times {
            // Off all rounds, so that rounding does not decide about a birth.
            let steps = ((time - now) / 1e-3_f64).ceil() as u32;
            for _ in 0..steps {
                simulation.advance((time - now) / f64::from(steps));
            }
            now = *time;
            let state = system.state(0, now);
            assert_eq!(state.emitters.len(), file.emitters.len());
            for (index, particles) in state.emitters.iter().enumerate() {
                let found = particles.iter().map(|particle| {
                    let [x, y, z] = vector(particle.motion.position);
                    [particle.age.into(), x, y, z]
                });
                let found = sorted(found.collect());
                let expected = simulation.positions(index);
                assert_eq!(found.len(), expected.len(), "emitter {index} at {time}");
                for (found, expected) in found.iter().zip(&expected) {
                    let distances = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
                    let distance = distances.fold(0.0, f64::max);
                    assert!(
                        distance <= tolerance,
                        "emitter {index} at {time}: {found:?} instead of {expected:?}"
                    );
                }
            }
        }
    });
}

const TIMES: [f64; 9] = [
    0.0004, 0.0504, 0.2504, 0.4996, 0.7304, 1.0004, 1.4996, 2.2504, 4.0004,
];

fn moving(properties: Properties) -> Emitter<'static> {
    let mut moving = emitter(properties);
    moving.position = Shape::Exact([3.0, 0.0, 4.0]).into();
    moving.velocity = Shape::Exact([1.0, -2.0, 3.0]).into();
    moving
}

#[test]
fn streams_and_bursts_match() {
    let bursts = |bursts, delay| Properties {
        in_bursts: true,
        bursts,
        burst_delay: delay,
        particles_per_burst: 3,
        lifetime: 0.6,
        ..Properties::default()
    };
    for properties in [
        stream(10, 0.75),
        stream(3, 0.1),
        stream(250, 0.33),
        bursts(0, 0.25),
        bursts(-1, 0.0),
        bursts(1, 0.25),
        bursts(4, 0.31),
    ] {
        for (initial_delay, skip_time, freeze_time) in [
            (0.0, 0.0, 0.0),
            (0.4, 0.0, 0.0),
            (0.0, 0.5, 0.0),
            (0.3, 1.1, 0.0),
            (0.0, 0.0, 0.7),
            (0.25, 0.5, 0.5),
            (0.0, 1.0, 0.5),
        ] {
            let timed = Properties {
                initial_delay,
                skip_time,
                freeze_time,
                ..properties.clone()
            };
            assert_same(vec![moving(timed)], &TIMES, 1e-4);
        }
    }
}

#[test]
fn accelerations_match() {
    let properties = Properties {
        acceleration: [0.5, -1.0, 2.0],
        gravity: 4.0,
        outward_speed: 6.0,
        outward_acceleration: -3.0,
        ..stream(20, 1.2)
    };
    assert_same(vec![moving(properties)], &TIMES, 1e-4);
}

#[test]
fn emitters_spawned_during_life_match() {
    let parent = Properties {
        in_bursts: true,
        bursts: 3,
        burst_delay: 0.5,
        particles_per_burst: 2,
        gravity: 3.0,
        // Not at the time of a birth of the trail.
        lifetime: 0.79,
        ..Properties::default()
    };
    let trail = Properties {
        uses_emitter_speed: true,
        emitter_speed: 0.5,
        ..stream(40, 0.5)
    };
    for (initial_delay, skip_time) in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.2)] {
        let trail = Properties {
            initial_delay,
            skip_time,
            ..trail.clone()
        };
        let mut parent = moving(parent.clone());
        parent.spawn_during_life = Some(1);
        // Births between steps are up to a step away.
        assert_same(vec![parent, emitter(trail)], &TIMES, 0.02);
    }
}

#[test]
fn emitters_spawned_on_death_match() {
    let parent = Properties {
        gravity: 3.0,
        ..stream(4, 0.4)
    };
    let flash = Properties {
        in_bursts: true,
        particles_per_burst: 3,
        lifetime: 0.55,
        burst_delay: 0.1,
        uses_emitter_speed: true,
        emitter_speed: 1.0,
        ..Properties::default()
    };
    for (initial_delay, skip_time) in [(0.0, 0.0), (0.1, 0.0), (0.0, 0.25)] {
        let flash = Properties {
            initial_delay,
            skip_time,
            ..flash.clone()
        };
        let mut parent = moving(parent.clone());
        parent.spawn_on_death = Some(1);
        assert_same(vec![parent, moving(flash)], &TIMES, 0.02);
    }
}

#[test]
fn chains_of_emitters_match() {
    let rocket = Properties {
        in_bursts: true,
        bursts: 2,
        burst_delay: 0.7,
        lifetime: 0.9,
        gravity: 1.0,
        ..Properties::default()
    };
    let mut rocket = moving(rocket);
    rocket.spawn_during_life = Some(1);
    rocket.spawn_on_death = Some(2);
    let mut sparks = moving(stream(9, 0.31));
    sparks.spawn_on_death = Some(3);
    let mut stars = moving(Properties {
        in_bursts: true,
        particles_per_burst: 2,
        lifetime: 0.5,
        ..Properties::default()
    });
    stars.spawn_during_life = Some(4);
    let smoke = emitter(stream(1, 0.45));
    let glow = emitter(stream(12, 0.2));
    assert_same(vec![rocket, sparks, stars, smoke, glow], &TIMES, 0.02);
}

#[test]
fn ground_matches() {
    for ground in [1, 2, 3] {
        for (bounciness, gravity, speed) in [
            (0.5, 9.0, 2.0),
            (0.8, 20.0, -3.0),
            (1.0, 9.0, 1.0),
            (1.2, 9.0, 0.0),
            (0.0, 9.0, 1.0),
            (0.6, 0.0, -4.0),
            (0.6, -2.0, -5.0),
        ] {
            let mut emitter = emitter(Properties {
                ground,
                bounciness,
                gravity,
                ..stream(3, 2.1)
            });
            emitter.position = Shape::Exact([1.0, 0.0, 2.0]).into();
            emitter.velocity = Shape::Exact([1.0, 0.5, speed]).into();
            // The slow simulation finds the ground to a step.
            assert_same(vec![emitter], &TIMES, 0.12);
        }
    }
}

#[test]
fn particles_that_die_at_the_ground_spawn_there() {
    let mut rain = emitter(Properties {
        ground: 1,
        gravity: 5.0,
        ..stream(6, 9.0)
    });
    rain.position = Shape::Exact([0.0, 2.0, 1.5]).into();
    rain.spawn_on_death = Some(1);
    let splash = emitter(Properties {
        in_bursts: true,
        bursts: 1,
        lifetime: 0.3,
        ..Properties::default()
    });
    assert_same(vec![rain, splash], &TIMES, 0.02);
}
