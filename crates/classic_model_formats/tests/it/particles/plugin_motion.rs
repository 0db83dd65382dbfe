//! The motion of particles whose emitter is made of plug-ins: closed forms, and the simulation with a fixed step.

use crate::prelude::*;
use classic_model_formats::particles::Key;
use classic_model_formats::particles::evaluate::{
    Birth, LivingParticle, Motion, Simulation, Source, Space, Stage, SteppedMotion,
};
use classic_model_formats::particles::plugins::{Plugin, PluginEmitter, PluginFile, Value};
use classic_models_fixtures::plugins::{
    burst, emitter, every_plugin, plugin, point, stream, system,
};
use classic_models_fixtures::plugins_adversarial;

type Vector = [f64; 3];

fn state(emitter: PluginEmitter<'_>, seconds: f64) -> Vec<LivingParticle> {
    let file = system([emitter]);
    ParticleSystem::from_plugins(&file)
        .state(1, seconds)
        .emitters
        .remove(0)
}

/// One particle at a position with a velocity.
fn one(position: [f32; 3], velocity: [f32; 3]) -> Plugin<'static> {
    let more = [("position", point(position)), ("velocity", point(velocity))];
    plugin("shape", burst(1.0).into_iter().chain(more))
}

fn number(name: &'static str, value: f32) -> (&'static str, Value<'static>) {
    (name, Value::F32(value))
}

fn motion(
    modifiers: &[Plugin<'static>],
    position: [f32; 3],
    velocity: [f32; 3],
    age: f64,
) -> Motion {
    let creator = one(position, velocity);
    state(emitter("a", creator, 4.0, modifiers.to_vec()), age)[0].motion
}

/// The motion under an acceleration, by many steps of the method of Runge and Kutta.
fn exact(
    position: [f32; 3],
    velocity: [f32; 3],
    age: f64,
    acceleration: impl Fn(Vector, f64) -> Vector,
) -> [Vector; 2] {
    const STEPS: u32 = 4000;
    let step = age / f64::from(STEPS);
    let [mut p, mut v] = [position, velocity].map(|it| it.map(f64::from));
    let plus = |a: Vector, b: Vector, factor: f64| -> Vector {
        core::array::from_fn(|axis| a[axis] + factor * b[axis])
    };
    for index in 0..STEPS {
        let at = f64::from(index) * step;
        let a1 = acceleration(p, at);
        let (p2, v2) = (plus(p, v, step / 2.0), plus(v, a1, step / 2.0));
        let a2 = acceleration(p2, at + step / 2.0);
        let (p3, v3) = (plus(p, v2, step / 2.0), plus(v, a2, step / 2.0));
        let a3 = acceleration(p3, at + step / 2.0);
        let (p4, v4) = (plus(p, v3, step), plus(v, a3, step));
        let a4 = acceleration(p4, at + step);
        for axis in 0..3 {
            p[axis] += step / 6.0 * (v[axis] + 2.0 * v2[axis] + 2.0 * v3[axis] + v4[axis]);
            v[axis] += step / 6.0 * (a1[axis] + 2.0 * a2[axis] + 2.0 * a3[axis] + a4[axis]);
        }
    }
    [p, v]
}

#[track_caller]
fn assert_near(found: [f32; 3], expected: Vector, tolerance: f64) {
    for (found, expected) in found.iter().zip(expected) {
        let difference = (f64::from(*found) - expected).abs();
        assert!(difference < tolerance, "{found} instead of {expected}");
    }
}

#[track_caller]
fn assert_matches(modifiers: &[Plugin<'static>], acceleration: impl Fn(Vector, f64) -> Vector) {
    let (position, velocity) = ([3.0, 1.0, 2.0], [0.5, -1.0, 1.5]);
    let [begin, _] = exact(position, velocity, 3.5, |_, _| [0.0; 3]);
    for age in [0.0, 0.01, 0.4, 1.7, 3.5] {
        let found = motion(modifiers, position, velocity, age);
        let [p, v] = exact(position, velocity, age, &acceleration);
        assert_near(found.position, p, 5e-3);
        assert_near(found.velocity, v, 5e-3);
        if age == 3.5 {
            let moved = p
                .iter()
                .zip(begin)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max);
            assert!(moved > 0.1, "the force has little effect");
        }
    }
}

fn scaled(vector: Vector, factor: f64) -> Vector {
    vector.map(|it| it * factor)
}

fn norm(vector: Vector) -> f64 {
    vector.iter().map(|it| it * it).sum::<f64>().sqrt()
}

fn constant(acceleration: [f32; 3]) -> Plugin<'static> {
    plugin(
        "acceleration",
        [("acceleration", Value::Vec3(acceleration))],
    )
}

#[test]
fn constant_accelerations_have_a_closed_form() {
    let modifiers = [constant([9.0; 3]), constant([0.5, 0.0, -2.0])];
    // The later acceleration replaces the earlier one.
    assert_matches(&modifiers, |_, _| [0.5, 0.0, -2.0]);
    let system = |modifiers: Vec<Plugin<'static>>| {
        ParticleSystem::from_plugins(&system([emitter(
            "a",
            one([0.0; 3], [1.0; 3]),
            1.0,
            modifiers,
        )]))
    };
    let is_stepped = |modifiers| system(modifiers).emitter(0).unwrap().is_stepped();
    assert!(!is_stepped(modifiers.into()));
    assert!(!is_stepped(vec![
        plugin("wind_acceleration", []),
        plugin("random_uv", [])
    ]));
    assert!(is_stepped(vec![plugin("vortex", [])]));
}

#[test]
fn forces_without_a_closed_form_match_a_simulation_with_short_steps() {
    let attract = plugin("attract_acceleration", [number("attract", -2.0)]);
    assert_matches(&[attract], |p, _| scaled(p, -2.0 / norm(p)));
    let factors = [
        number("constant", 0.5),
        number("linear", -0.75),
        number("inverse_linear", 1.5),
    ];
    let range = [number("min_distance", 0.1), number("max_distance", 100.0)];
    let attractor = plugin("attractor", factors.into_iter().chain(range));
    assert_matches(&[attractor], |p, _| {
        scaled(p, (0.5 - 0.75 * norm(p) + 1.5 / norm(p)) / norm(p))
    });
    let axis = ("axis", Value::Vec3([0.0, 0.0, 1.0]));
    let vortex = plugin("vortex", [axis, number("speed", 0.75)]);
    assert_matches(&[vortex], |[x, y, _], _| [-0.75 * y, 0.75 * x, 0.0]);
    let keys = [(0.0, 0.0), (0.5, 4.0), (1.0, -4.0)].map(|(time, value)| Key { time, value });
    let parameters = [
        ("direction", Value::Vec3([0.0, 1.0, 0.5])),
        ("magnitude", Value::Keys(keys.into())),
    ];
    let keyed = plugin("keyed_acceleration", parameters);
    assert_matches(&[keyed], |_, age| {
        let time = age / 4.0;
        let size = if time < 0.5 {
            8.0 * time
        } else {
            12.0 - 16.0 * time
        };
        [0.0, size, 0.5 * size]
    });
}

#[test]
fn later_forces_replace_earlier_ones() {
    let attract = plugin("attract_acceleration", [number("attract", -2.0)]);
    let last = [attract, constant([1.0, 2.0, 3.0])];
    assert_matches(&last, |_, _| [1.0, 2.0, 3.0]);
}

#[test]
fn attractors_act_at_their_distances() {
    let parameters = [
        number("constant", 5.0),
        number("min_distance", 4.0),
        number("max_distance", 6.0),
    ];
    let attractor = [plugin("attractor", parameters)];
    let velocity = |x| motion(&attractor, [x, 0.0, 0.0], [0.0; 3], 0.1).velocity[0];
    assert_eq!((velocity(3.0), velocity(7.0)), (0.0, 0.0));
    assert!((velocity(5.0) - 0.5).abs() < 1e-4);
}

#[test]
fn speeds_are_limited_or_set_by_time() {
    let limit = plugin(
        "speed_limit",
        [number("min_speed", 2.0), number("max_speed", 3.0)],
    );
    let speed =
        |velocity, age| motion(std::slice::from_ref(&limit), [0.0; 3], velocity, age).velocity;
    assert_near(speed([0.0, 6.0, 8.0], 0.5), [0.0, 1.8, 2.4], 1e-4);
    assert_near(speed([1.0, 0.0, 0.0], 0.5), [2.0, 0.0, 0.0], 1e-4);
    assert_near(speed([0.0, 2.5, 0.0], 0.5), [0.0, 2.5, 0.0], 1e-4);
    let ends = [
        number("start_speed", 1.0),
        number("end_speed", 9.0),
        number("end_time", 1.0),
    ];
    let linear = [plugin("linear_speed", ends)];
    // The speed is 1 + 2 · age along the direction at birth.
    let found = motion(&linear, [0.0; 3], [3.0, 4.0, 0.0], 2.0);
    assert_near(found.velocity, [3.0, 4.0, 0.0], 1e-4);
    assert_near(found.position, [0.6 * 6.0, 0.8 * 6.0, 0.0], 1e-3);
}

#[test]
fn particles_die_where_their_region_ends() {
    let alive = |name: &str,
                 parameters: &[(&'static str, Value<'static>)],
                 modifiers: &[Plugin<'static>],
                 x,
                 speed,
                 age| {
        let mut emitter = emitter(
            "a",
            one([x, 0.0, 1.0], [speed, 0.0, 0.0]),
            8.0,
            modifiers.to_vec(),
        );
        let life = number("lifetime", 8.0);
        emitter.killer = plugin(name, [life].into_iter().chain(parameters.iter().cloned()));
        !state(emitter, age).is_empty()
    };
    // The particle is at x² + 1 < 26 up to x = 5.
    let radius = [number("radius", 26.0_f32.sqrt())];
    let outward = |age| alive("radius", &radius, &[], 1.0, 2.0, age);
    assert_eq!([0.0, 1.98, 2.02].map(outward), [true, true, false]);
    assert!(!alive("radius", &radius, &[], 6.0, 0.0, 0.0));
    let target = |age| {
        alive(
            "target",
            &[number("radius", 2.0_f32.sqrt())],
            &[],
            5.0,
            -2.0,
            age,
        )
    };
    assert_eq!([0.0, 1.98, 2.02].map(target), [true, true, false]);
    // It falls from a height of 1 with 2 units per second².
    let fall = [constant([0.0, 0.0, -2.0])];
    let terrain = |age| alive("terrain_killer", &[], &fall, 1.0, 0.0, age);
    assert_eq!([0.98, 1.02].map(terrain), [true, false]);
    let limit = plugin("speed_limit", [number("max_speed", 100.0)]);
    let stepped = [&fall[..], &[limit]].concat();
    let terrain = |age| alive("terrain_killer", &[], &stepped, 1.0, 0.0, age);
    assert_eq!([0.98, 1.02].map(terrain), [true, false]);
    assert!(alive("age", &[], &fall, 1.0, 0.0, 7.9));
}

#[test]
fn children_of_a_region_are_born_at_its_end() {
    let mut root = emitter("root", one([0.0; 3], [2.0, 0.0, 0.0]), 8.0, []);
    root.killer = plugin(
        "radius",
        [
            number("lifetime", 8.0),
            number("radius", 5.0),
            ("spawn_on_age", Value::Bool(true)),
        ],
    );
    let death = [
        ("parent_name", Value::Text("root".into())),
        number("particles_per_interval", 1.0),
    ];
    let file = system([root, emitter("a", plugin("death", death), 8.0, [])]);
    let state = ParticleSystem::from_plugins(&file).state(0, 3.0);
    assert_near(state.emitters[1][0].motion.position, [5.0, 0.0, 0.0], 1e-3);
    assert!((state.emitters[1][0].born - 2.5).abs() < 1e-3);
}

#[test]
fn bounces_are_the_same_with_and_without_steps() {
    let bounce = plugin("terrain_bounce", [number("elasticity", 0.5)]);
    let fall = constant([0.0, 0.0, -4.0]);
    let limit = plugin("speed_limit", [number("max_speed", 1000.0)]);
    let closed = [fall.clone(), bounce.clone()];
    let stepped = [fall, bounce, limit];
    for age in [0.5, 0.9, 1.1, 1.4, 1.9] {
        let at = |modifiers| motion(modifiers, [0.0, 0.0, 2.0], [1.0, 0.0, 0.0], age);
        let expected = at(&closed).position;
        assert_near(at(&stepped).position, expected.map(f64::from), 0.05);
        assert!(expected[2] >= 0.0);
    }
}

/// A system that moves in the world at a constant velocity.
struct Moving {
    velocity: [f32; 3],
    born: Vec<(usize, f64, [f32; 3])>,
}

impl Stage for Moving {
    fn pose(&self, space: Space, time: f64) -> EmitterPose {
        match space {
            Space::System | Space::Weather => EmitterPose::default(),
            Space::World => EmitterPose {
                position: self.velocity.map(|it| it * time as f32),
                velocity: self.velocity,
                wind: [0.0, 0.0, 3.0],
                ..EmitterPose::default()
            },
        }
    }

    fn transfer(&self, motion: Motion, _: Space, _: Space, _: f64) -> Motion {
        motion
    }

    fn is_full(&self) -> bool {
        false
    }

    fn born(&mut self, birth: &Birth<'_>) {
        self.born
            .push((birth.index, birth.born, birth.record.position));
    }
}

#[test]
fn short_and_long_steps_have_the_same_births() {
    let vortex = plugin(
        "vortex",
        [("axis", Value::Vec3([0.0, 0.0, 1.0])), number("speed", 2.0)],
    );
    let velocity = ("velocity", point([3.0, 0.0, 1.0]));
    let root = plugin(
        "shape",
        stream(20.0)
            .into_iter()
            .chain([velocity, ("position", point([1.0, 0.0, 0.0]))]),
    );
    let parent = ("parent_name", Value::Text("root".into()));
    let trail = plugin("enhanced_trail", stream(50.0).into_iter().chain([parent]));
    let file = system([
        emitter("root", root, 1.0, [vortex]),
        emitter("trail", trail, 100.0, []),
    ]);
    let run = |steps: u32| {
        let prepared = ParticleSystem::from_plugins(&file);
        let mut stage = Moving {
            velocity: [5.0, 0.0, 0.0],
            born: Vec::new(),
        };
        let mut simulation = Simulation::new(&prepared, 3);
        for step in 1..=steps {
            simulation.advance(
                &prepared,
                2.0 * f64::from(step) / f64::from(steps),
                &mut stage,
            );
        }
        stage.born.retain(|(index, ..)| *index == 1);
        stage
            .born
            .sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2[0].total_cmp(&b.2[0])));
        stage.born
    };
    let [long, short] = [1, 30].map(run);
    assert!(long.len() > 500);
    assert_eq!(long.len(), short.len());
    for (a, b) in long.iter().zip(&short) {
        assert!((a.1 - b.1).abs() < 1e-9);
        assert_near(a.2, b.2.map(f64::from), 1e-4);
    }
}

#[test]
fn moving_systems_are_the_center_of_their_forces_and_give_wind() {
    let wind = plugin("wind_acceleration", [number("wind_response", 2.0)]);
    let creator = one([1.0, 0.0, 0.0], [0.0; 3]);
    let mut emitter = emitter("a", creator, 4.0, [wind]);
    emitter.killer.set("lifetime", Value::F32(4.0));
    let prepared = ParticleSystem::from_plugins(&system([emitter]));
    let prepared = prepared.emitter(0).unwrap();
    let pose = EmitterPose {
        position: [10.0, 0.0, 0.0],
        wind: [0.0, 0.0, 3.0],
        ..EmitterPose::default()
    };
    let draws = Draws::new(
        InstanceKey::of_root(0, 0),
        ParticleNumber { round: 0, index: 0 },
    );
    let record = prepared.birth(draws, &pose, Source::Group, 0.0);
    assert_eq!(
        (record.position, record.acceleration),
        ([11.0, 0.0, 0.0], [0.0, 0.0, 6.0])
    );
    assert_near(
        prepared.motion_in(&pose, &record, 1.0).position,
        [11.0, 0.0, 3.0],
        1e-5,
    );
}

/// Modifiers whose motion has no closed form, in files with lengths that are `unit` times as long.
fn stepped_modifiers(unit: f32) -> Vec<Plugin<'static>> {
    let axis = |vector| ("axis", Value::Vec3(vector));
    let keys = [(0.0, 0.5), (0.5, 4.0), (1.0, -3.0)];
    let keys = keys.map(|(time, value)| Key {
        time,
        value: unit * value,
    });
    vec![
        plugin("vortex", [axis([0.0, 0.0, 1.0]), number("speed", 0.75)]),
        plugin("attract_acceleration", [number("attract", -3.0 * unit)]),
        plugin(
            "attractor",
            [
                number("constant", unit),
                number("linear", -2.0),
                number("inverse_linear", 0.5 * unit * unit),
                number("min_distance", 0.25 * unit),
                number("max_distance", 50.0 * unit),
            ],
        ),
        plugin(
            "keyed_acceleration",
            [
                ("direction", Value::Vec3([0.0, 1.0, 0.5])),
                ("magnitude", Value::Keys(keys.into())),
            ],
        ),
        plugin(
            "speed_limit",
            [number("min_speed", unit), number("max_speed", 2.0 * unit)],
        ),
        plugin(
            "linear_speed",
            [
                number("start_speed", 4.0 * unit),
                number("end_speed", unit),
                number("end_time", 1.0),
            ],
        ),
    ]
}

/// The only emitter of a file, and its first birth.
fn first_birth(emitter: PluginEmitter<'_>, pose: &EmitterPose) -> (PreparedEmitter, BirthRecord) {
    let system = ParticleSystem::from_plugins(&system([emitter]));
    let prepared = system.emitter(0).unwrap().clone();
    let number = ParticleNumber { round: 0, index: 0 };
    let draws = Draws::new(InstanceKey::of_root(0, 0), number);
    let record = prepared.birth(draws, pose, Source::Group, 0.0);
    (prepared, record)
}

#[test]
fn continued_motions_are_those_from_the_birth() {
    for modifier in stepped_modifiers(1.0) {
        let creator = one([2.0, 0.0, 0.0], [0.0, 1.0, 3.0]);
        let pose = EmitterPose::default();
        let (prepared, record) = first_birth(emitter("a", creator, 4.0, [modifier]), &pose);
        let mut state = SteppedMotion::new(&record);
        for frame in 0..100 {
            let age = 0.037 * frame as f32;
            let continued = prepared.continued_motion(&mut state, &pose, &record, age);
            assert_eq!(continued, prepared.motion_in(&pose, &record, age), "{age}");
        }
    }
}

#[test]
fn records_in_other_units_have_the_same_motion() {
    const UNIT: f32 = 4.0;
    let columns = [[UNIT, 0.0, 0.0], [0.0, UNIT, 0.0], [0.0, 0.0, UNIT]];
    let scaled = EmitterPose {
        orientation: columns,
        world: columns,
        ..EmitterPose::default()
    };
    let creators = |unit: f32| {
        let shape = plugin(
            "outward_velocity_shape",
            burst(1.0).into_iter().chain([
                ("position", point([2.0 * unit, 0.0, unit])),
                ("velocity", point([0.0, unit, 3.0 * unit])),
                number("outward_speed", 1.5 * unit),
            ]),
        );
        let sphere = plugin("sphere", [number("speed", unit), number("radius", unit)]);
        [shape, sphere]
    };
    let region = [
        plugin("age", []),
        plugin("radius", [number("radius", 3.0)]),
        plugin("target", [number("radius", 0.5)]),
    ];
    let files = |unit: f32| {
        let creators = creators(unit);
        let modifiers = stepped_modifiers(unit);
        let mut emitters = Vec::new();
        for (creator, modifier) in creators
            .iter()
            .flat_map(|it| modifiers.iter().map(move |m| (it, m)))
        {
            for killer in &region {
                let mut emitter = emitter("a", creator.clone(), 4.0, [modifier.clone()]);
                let mut killer = killer.clone();
                killer.set("lifetime", Value::F32(4.0));
                if let Some(Value::F32(radius)) = killer.get("radius").cloned() {
                    killer.set("radius", Value::F32(radius * unit));
                }
                emitter.killer = killer;
                emitters.push(emitter);
            }
        }
        emitters
    };
    // A file in small units whose records are in large ones, and a file in large units.
    for (small, large) in files(1.0).into_iter().zip(files(UNIT)) {
        let name = large.modifiers[0].name();
        let (small, record) = first_birth(small, &scaled);
        let (large, expected) = first_birth(large, &EmitterPose::default());
        assert_near(record.position, expected.position.map(f64::from), 1e-4);
        assert_near(record.velocity, expected.velocity.map(f64::from), 1e-4);
        let ages = [record.ground, expected.ground].map(|age| age.min(1e9));
        assert!((ages[0] - ages[1]).abs() < 1e-3, "{name}: {ages:?}");
        for age in [0.3, 1.0, 3.0] {
            let found = small.motion_in(&scaled, &record, age);
            let expected = large.motion_in(&EmitterPose::default(), &expected, age);
            let tolerance = 1e-3 * (1.0 + norm(expected.position.map(f64::from)));
            assert_near(found.position, expected.position.map(f64::from), tolerance);
        }
    }
}

#[test]
fn limits_contain_motions_without_a_closed_form() {
    let pose = EmitterPose::default();
    for modifier in stepped_modifiers(1.0) {
        let name = modifier.name();
        for (position, velocity) in [
            ([2.0, 0.0, 0.0], [0.0, 1.0, 3.0]),
            ([0.5, 0.5, 0.0], [-3.0, 0.0, 0.0]),
        ] {
            let forces = [constant([0.0, 0.0, -2.0]), modifier.clone()];
            let emitter = emitter("a", one(position, velocity), 2.0, forces);
            let (prepared, record) = first_birth(emitter, &pose);
            let length = |vector: [f32; 3]| norm(vector.map(f64::from)) as f32;
            let birth = [record.position, record.velocity, record.acceleration].map(length);
            let [distance, speed] = prepared.limits_of_motion(birth, 1.0).unwrap();
            let mut farthest = 0_f32;
            for frame in 0..100 {
                let motion = prepared.motion_in(&pose, &record, 0.02 * frame as f32);
                farthest = farthest.max(length(motion.position));
                let fastest = length(motion.velocity);
                assert!(
                    fastest <= speed * 1.001,
                    "{name}: {fastest} is faster than {speed}"
                );
            }
            assert!(
                farthest <= distance * 1.001,
                "{name}: {farthest} is farther than {distance}"
            );
            assert!(
                distance < 100.0,
                "{name}: {distance} is much farther than {farthest}"
            );
        }
    }
    let bounce = plugin("terrain_bounce", [number("elasticity", 1.5)]);
    let limit = plugin("attract_acceleration", [number("attract", 1.0)]);
    let (prepared, _) = first_birth(
        emitter("a", one([1.0; 3], [0.0; 3]), 2.0, [limit, bounce]),
        &pose,
    );
    assert_eq!(
        prepared.limits_of_motion([1.0; 3], 1.0),
        Some([f32::INFINITY; 2])
    );
    let (closed, _) = first_birth(emitter("a", one([1.0; 3], [0.0; 3]), 2.0, []), &pose);
    assert_eq!(closed.limits_of_motion([1.0; 3], 1.0), None);
}

#[test]
fn later_speeds_and_accelerations_replace_earlier_ones() {
    let limit = |min, max| {
        plugin(
            "speed_limit",
            [number("min_speed", min), number("max_speed", max)],
        )
    };
    let constant_speed = |it| {
        plugin(
            "linear_speed",
            [number("start_speed", it), number("end_speed", it)],
        )
    };
    let speed = |modifiers: &[Plugin<'static>]| {
        let creator = one([0.0; 3], [10.0, 0.0, 0.0]);
        let particles = state(emitter("a", creator, 4.0, modifiers.to_vec()), 1.0);
        particles[0].motion.velocity[0]
    };
    assert_eq!(speed(&[limit(0.0, 5.0), limit(7.0, 9.0)]), 7.0);
    assert_eq!(speed(&[limit(7.0, 9.0), limit(0.0, 5.0)]), 5.0);
    assert_eq!(speed(&[limit(1.0, 20.0), limit(2.0, 30.0)]), 10.0);
    assert_eq!(speed(&[limit(0.0, 5.0), constant_speed(8.0)]), 8.0);
    assert_eq!(speed(&[constant_speed(8.0), limit(0.0, 5.0)]), 5.0);
    let wind = || plugin("wind_acceleration", [number("wind_response", 2.0)]);
    let outward = || plugin("attract_acceleration", [number("attract", 0.0)]);
    let gained = |modifiers: Vec<Plugin<'static>>| {
        let file = system([emitter("a", one([1.0; 3], [0.0; 3]), 4.0, modifiers)]);
        let system = ParticleSystem::from_plugins(&file);
        let prepared = system.emitter(0).unwrap();
        let pose = EmitterPose {
            wind: [0.0, 0.0, 3.0],
            ..EmitterPose::default()
        };
        let number = ParticleNumber { round: 0, index: 0 };
        let draws = Draws::new(InstanceKey::of_root(0, 0), number);
        let record = prepared.birth(draws, &pose, Source::Group, 0.0);
        // Steps are not exact.
        (prepared.motion_in(&pose, &record, 0.5).velocity[2] * 1000.0).round() / 1000.0
    };
    assert_eq!(gained(vec![wind(), outward(), wind(), wind()]), 6.0);
    assert_eq!(gained(vec![wind(), constant([0.0; 3])]), 0.0);
    assert_eq!(gained(vec![outward(), constant([0.0, 0.0, 4.0])]), 2.0);
}

#[test]
fn evaluation_of_any_file_is_finite_and_bounded() {
    let huge = |value: f32| {
        let numbers = ["particles_per_interval", "spawn_interval", "start_delay"];
        let numbers = numbers.map(|name| number(name, value));
        plugin(
            "shape",
            numbers
                .into_iter()
                .chain([("velocity", point([value, 1.0, 1.0]))]),
        )
    };
    let modifiers = |value: f32| {
        vec![
            plugin(
                "vortex",
                [("axis", Value::Vec3([value; 3])), number("speed", value)],
            ),
            plugin("speed_limit", [number("max_speed", value)]),
            plugin(
                "constant_size",
                [number("size", value), number("size_variation", value)],
            ),
            plugin("keyed_size", []),
            plugin("terrain_bounce", [number("elasticity", value)]),
        ]
    };
    for value in [0.0, -1.0, 1e-30, 0.001, 1e9, f32::MAX, f32::MIN] {
        for life in [0.01, 1.0, f32::MAX] {
            let mut emitter = emitter("a", huge(value), life, modifiers(value));
            if life == 1.0 {
                emitter.killer =
                    plugin("radius", [number("lifetime", 1.0), number("radius", value)]);
            }
            let file: PluginFile<'_> = system([emitter]);
            let system = ParticleSystem::from_plugins(&file);
            for seconds in [0.0, 0.5, 1e12] {
                let state = system.state(0, seconds);
                for particle in &state.emitters[0] {
                    let motion = &particle.motion;
                    let mut numbers = motion.position.iter().chain(&motion.velocity);
                    assert!(numbers.all(|it| it.is_finite()), "{value} {motion:?}");
                }
            }
        }
    }
}

#[test]
fn numbers_that_are_not_finite_do_not_panic() {
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut file = every_plugin();
        for emitter in &mut file.emitters {
            let fixed = [
                &mut emitter.creator,
                &mut emitter.killer,
                &mut emitter.renderer,
            ];
            for plugin in fixed.into_iter().chain(&mut emitter.modifiers) {
                for (_, value) in &mut plugin.parameters {
                    match value {
                        Value::F32(value) => *value = number,
                        Value::Vec3(vector) => *vector = [number; 3],
                        Value::Vec4(vector) | Value::Color(vector) => *vector = [number; 4],
                        Value::Keys(keys) => {
                            for key in keys {
                                (key.time, key.value) = (number, number);
                            }
                        }
                        Value::Group(group) => {
                            (group.point, group.max, group.radius) =
                                ([number; 3], [number; 3], [number; 2]);
                        }
                        _ => {}
                    }
                }
            }
        }
        // Most of its particles would not live otherwise.
        let mut living = file.clone();
        for emitter in &mut living.emitters {
            emitter.killer.set("lifetime", Value::F32(0.5));
            emitter.creator.set("spawn_interval", Value::F32(1.0));
            emitter
                .creator
                .set("particles_per_interval", Value::F32(10.0));
        }
        let mut particles = 0;
        for file in [file, living] {
            let system = ParticleSystem::from_plugins(&file);
            system.is_endless();
            for seconds in [0.0, 1.0, 1e30, f64::INFINITY, f64::NAN] {
                let state = system.state(0, seconds);
                particles += state.emitters.iter().map(Vec::len).sum::<usize>();
            }
        }
        assert!(particles > 50, "{particles}");
    }
}

#[test]
fn adversarial_systems_are_evaluated() {
    for (name, bytes) in plugins_adversarial::files(4) {
        let Ok(file) = classic_model_formats::particles::plugins::parse(&bytes) else {
            continue;
        };
        let state = ParticleSystem::from_plugins(&file).state(0, 1e6);
        assert_eq!(state.emitters.len(), file.emitters.len(), "{name}");
    }
}
