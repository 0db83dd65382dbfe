//! Particle systems made of plug-ins: births, lives, distributions, appearance, and spawned emitters.

use crate::prelude::*;
use classic_model_formats::particles::evaluate::LivingParticle;
use classic_model_formats::particles::plugins::{
    Anchor, DrawStyle, Plugin, PluginEmitter, PluginFile, Value, Vec4Key,
};
use classic_model_formats::particles::{Key, Parent, SpawnEvent};
use classic_models_fixtures::plugins::{burst, emitter, plugin, point, shaped, stream, system};
use std::slice::from_ref;

fn particles_of(file: &PluginFile<'_>, seconds: f64) -> Vec<Vec<LivingParticle>> {
    ParticleSystem::from_plugins(file)
        .state(7, seconds)
        .emitters
}

/// The particles of a system of one emitter.
fn particles(emitter: PluginEmitter<'_>, seconds: f64) -> Vec<LivingParticle> {
    particles_of(&system([emitter]), seconds).remove(0)
}

/// A shape that emits many particles at once, with more parameters.
fn many<'a>(more: impl IntoIterator<Item = (&'static str, Value<'a>)>) -> Plugin<'a> {
    plugin("shape", burst(2000.0).into_iter().chain(more))
}

fn length(vector: [f32; 3]) -> f32 {
    vector.iter().map(|it| it * it).sum::<f32>().sqrt()
}

/// Asserts that numbers are in a range and come near to both ends.
#[track_caller]
fn assert_fills(numbers: impl Iterator<Item = f32>, [min, max]: [f32; 2]) {
    let numbers: Vec<f32> = numbers.collect();
    let low = numbers.iter().copied().fold(f32::INFINITY, f32::min);
    let high = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let extent = (max - min).max(0.01 * max.abs());
    assert!(numbers.len() > 100);
    assert!(
        low >= min - 1e-4 * extent && low < min + 0.05 * extent,
        "{low}"
    );
    assert!(
        high <= max + 1e-4 * extent && high > max - 0.05 * extent,
        "{high}"
    );
}

#[test]
fn streams_have_a_rate_that_is_no_whole_number() {
    let creator = plugin(
        "shape",
        [
            ("particles_per_interval", Value::F32(5.0)),
            ("spawn_interval", Value::F32(2.0)),
            ("start_delay", Value::F32(0.5)),
        ],
    );
    let particles = particles(emitter("a", creator, 100.0, []), 2.0);
    let born: Vec<f64> = particles.iter().map(|it| it.born).collect();
    let expected = [0.5, 0.9, 1.3, 1.7];
    assert_eq!(born.len(), expected.len());
    for (born, expected) in born.iter().zip(expected) {
        assert!((born - expected).abs() < 1e-9, "{born}");
    }
}

#[test]
fn births_end_before_the_stop_time() {
    let creator = |bursting, stop| {
        plugin(
            "shape",
            [
                ("particles_per_interval", Value::F32(4.9)),
                ("spawn_interval", Value::F32(0.5)),
                ("bursting", Value::Bool(bursting)),
                ("stop_time", Value::F32(stop)),
            ],
        )
    };
    let count = |creator| particles(emitter("a", creator, 100.0, []), 50.0).len();
    // Bursts of 4 particles at 0, 0.5 and 1.
    assert_eq!(count(creator(true, 1.25)), 12);
    assert_eq!(count(creator(true, 1.0)), 8);
    // 9.8 particles per second.
    assert_eq!(count(creator(false, 1.0)), 10);
    let endless = system([emitter("a", creator(true, 0.0), 1.0, [])]);
    assert!(ParticleSystem::from_plugins(&endless).is_endless());
    let finite = system([emitter("a", creator(true, 1.0), 1.0, [])]);
    assert!(!ParticleSystem::from_plugins(&finite).is_endless());
}

#[test]
fn early_creators_emit_bursts_from_the_threshold_on() {
    let creator = |rate, threshold| {
        let parameters = [
            ("particles_per_second", Value::F32(rate)),
            ("burst_threshold", Value::F32(threshold)),
        ];
        plugin("point", parameters)
    };
    let count = |creator| particles(emitter("a", creator, 100.0, []), 1.99).len();
    assert_eq!(count(creator(4.0, 0.0)), 8);
    assert_eq!(count(creator(4.0, 1.0)), 8);
    // Every half second.
    assert_eq!(count(creator(4.0, 2.0)), 4);
    // Every second, 16 at once.
    assert_eq!(count(creator(4.0, 4.0)), 32);
    assert_eq!(count(creator(0.0, 0.0)), 1);
}

#[test]
fn early_creators_emit_from_their_center() {
    let speed = [
        ("particles_per_second", Value::F32(1000.0)),
        ("speed", Value::F32(3.0)),
        ("speed_variation", Value::F32(50.0)),
    ];
    let of = |name: &str, more: &[(&'static str, f32)]| {
        let more = more.iter().map(|(name, value)| (*name, Value::F32(*value)));
        let creator = plugin(name, speed.clone().into_iter().chain(more));
        particles(emitter("a", creator, 100.0, []), 2.0)
    };
    let assert_outward = |particles: &[LivingParticle]| {
        assert_fills(
            particles.iter().map(|it| length(it.motion.velocity)),
            [1.5, 4.5],
        );
        for LivingParticle { age, motion, .. } in particles {
            let born: [f32; 3] =
                core::array::from_fn(|axis| motion.position[axis] - age * motion.velocity[axis]);
            let product: f32 = born.iter().zip(motion.velocity).map(|(a, b)| a * b).sum();
            let expected = length(born) * length(motion.velocity);
            assert!((product - expected).abs() < 1e-2 * expected.max(0.1));
        }
    };
    let born = |particles: &[LivingParticle]| -> Vec<[f32; 3]> {
        let born = |it: &LivingParticle| {
            core::array::from_fn(|axis| {
                it.motion.position[axis] - it.age * it.motion.velocity[axis]
            })
        };
        particles.iter().map(born).collect()
    };
    let sphere = of("sphere", &[("radius", 2.0)]);
    assert_outward(&sphere);
    assert!(
        born(&sphere)
            .iter()
            .all(|it| (length(*it) - 2.0).abs() < 1e-3)
    );
    let around = of("box", &[("length", 2.0), ("width", 4.0), ("height", 6.0)]);
    assert_outward(&around);
    for (axis, half) in [1.0, 2.0, 3.0].into_iter().enumerate() {
        assert_fills(born(&around).iter().map(|it| it[axis]), [-half, half]);
    }
    let torus = of("torus", &[("torus_radius", 5.0), ("tube_radius", 1.0)]);
    assert_outward(&torus);
    let point = of("point", &[]);
    assert_fills(
        point.iter().map(|it| length(it.motion.velocity)),
        [1.5, 4.5],
    );
    assert!(born(&point).iter().all(|it| length(*it) < 1e-3));
}

#[test]
fn groups_are_filled_and_hollow_ones_only_on_their_surface() {
    let born = |group: Value<'static>, hollow| {
        let creator = many([
            ("position", group),
            ("hollow_position", Value::Bool(hollow)),
        ]);
        let particles = particles(emitter("a", creator, 1.0, []), 0.0);
        particles.into_iter().map(|it| it.motion.position)
    };
    let flat = |[x, y, _]: [f32; 3]| length([x, y, 0.0]);
    let direction = |it: &mut classic_model_formats::particles::plugins::PropertyGroup| {
        (it.direction, it.magnitude) = ([0.0, 0.0, 2.0], [1.0, 3.0]);
    };
    assert_fills(
        born(shaped(1, direction), false).map(|it| it[2]),
        [1.0, 3.0],
    );
    assert!(born(shaped(1, direction), true).all(|it| it[2] == 1.0 || it[2] == 3.0));

    let sphere = |radius| shaped(2, |it| it.radius = radius);
    assert_fills(born(sphere([1.0, 2.0]), false).map(length), [1.0, 2.0]);
    assert_fills(born(sphere([1.0, 2.0]), true).map(length), [2.0, 2.0]);

    let cuboid = shaped(3, |it| {
        (it.min, it.max) = ([-1.0, 2.0, 3.0], [1.0, 4.0, 5.0])
    });
    assert_fills(born(cuboid, false).map(|it| it[1]), [2.0, 4.0]);

    // From a quarter of a turn around +Z to 10 degrees below the equator.
    let range = || {
        shaped(4, |it| {
            (it.sphere_angle, it.sphere_radius) = ([0.5, 1.0], [2.0, 3.0]);
        })
    };
    let polar = |it: [f32; 3]| (it[2] / length(it)).acos().to_degrees();
    assert_fills(born(range(), false).map(length), [2.0, 3.0]);
    assert_fills(born(range(), false).map(polar), [45.0, 90.0]);
    let on_surface = |it: [f32; 3]| {
        let near = |a: f32, b: f32| (a - b).abs() < 1e-2;
        let (radius, angle) = (length(it), polar(it));
        [
            near(radius, 2.0),
            near(radius, 3.0),
            near(angle, 45.0),
            near(angle, 90.0),
        ]
    };
    let surfaces: Vec<_> = born(range(), true).map(on_surface).collect();
    assert!(surfaces.iter().all(|it| it.contains(&true)));
    for surface in 0..4 {
        let count = surfaces.iter().filter(|it| it[surface]).count();
        assert!((400..700).contains(&count), "{count}");
    }

    let cylinder = || {
        shaped(5, |it| {
            (it.cylinder_radius, it.cylinder_height) = (2.0, [-1.0, 3.0])
        })
    };
    assert_fills(born(cylinder(), false).map(flat), [0.0, 2.0]);
    assert_fills(born(cylinder(), false).map(|it| it[2]), [-1.0, 3.0]);
    assert_fills(born(cylinder(), true).map(flat), [2.0, 2.0]);

    let torus = || shaped(6, |it| (it.torus_radius, it.tube_radius) = (5.0, 1.0));
    let from_ring = |it: [f32; 3]| length([flat(it) - 5.0, it[2], 0.0]);
    assert_fills(born(torus(), false).map(from_ring), [0.0, 1.0]);
    assert_fills(born(torus(), true).map(from_ring), [1.0, 1.0]);
    assert_fills(born(torus(), false).map(flat), [4.0, 6.0]);
}

#[test]
fn lives_are_extended_by_the_variation() {
    let mut emitter = emitter("a", many([]), 2.0, []);
    emitter.killer.set("lifetime_variation", Value::F32(50.0));
    assert_fills(particles(emitter, 0.0).iter().map(|it| it.life), [2.0, 3.0]);
}

#[test]
fn sizes_are_half_of_an_edge() {
    let sizes = |modifiers: &[Plugin<'static>], seconds| {
        let particles = particles(emitter("a", many([]), 2.0, modifiers.to_vec()), seconds);
        particles.into_iter().map(|it| it.appearance.size)
    };
    let variation = ("size_variation", Value::F32(0.25));
    let constant = plugin(
        "constant_size",
        [("size", Value::F32(3.0)), variation.clone()],
    );
    assert_fills(sizes(from_ref(&constant), 1.0), [4.5, 7.5]);
    let ends = [
        ("start_size", Value::F32(1.0)),
        ("end_size", Value::F32(5.0)),
    ];
    let span = [
        ("start_time", Value::F32(0.25)),
        ("end_time", Value::F32(0.75)),
    ];
    let linear = plugin("linear_size", ends.into_iter().chain(span));
    let at = |seconds| sizes(from_ref(&linear), seconds).next().unwrap();
    assert_eq!([0.25, 0.75, 1.0, 1.75].map(at), [2.0, 4.0, 6.0, 10.0]);
    let keys = [(0.0, 1.0), (0.5, 2.0)].map(|(time, value)| Key { time, value });
    let keyed = plugin("keyed_size", [("sizes", Value::Keys(keys.into()))]);
    assert_eq!(sizes(from_ref(&keyed), 0.5).next(), Some(3.0));
    assert_eq!(sizes(from_ref(&keyed), 1.5).next(), Some(4.0));
    assert_eq!(sizes(&[], 0.5).next(), Some(2.0));
    // The last one counts, unless it writes only at birth.
    assert_eq!(
        sizes(&[constant.clone(), keyed.clone()], 0.5).next(),
        Some(3.0)
    );
    assert_fills(sizes(&[keyed.clone(), constant.clone()], 1.0), [4.5, 7.5]);
    let mut once = constant;
    once.set("write_once", Value::Bool(true));
    assert_eq!(sizes(&[keyed, once.clone()], 0.5).next(), Some(3.0));
    assert_fills(sizes(&[once], 1.0), [4.5, 7.5]);
}

#[test]
fn colors_are_interpolated_and_varied() {
    let color = |modifiers: &[Plugin<'static>], seconds| {
        let particles = particles(emitter("a", many([]), 2.0, modifiers.to_vec()), seconds);
        particles.into_iter().map(|it| it.appearance.color)
    };
    let key = |time, value| Vec4Key { time, value };
    let colors = vec![
        key(0.0, [0.0, 0.5, 1.0, 1.0]),
        key(0.5, [1.0, 0.5, 0.0, 0.5]),
    ];
    let keyed = plugin("keyed_color", [("colors", Value::ColorKeys(colors))]);
    assert_eq!(
        color(from_ref(&keyed), 0.5).next(),
        Some([0.5, 0.5, 0.5, 0.75])
    );
    let range = [
        ("min_red", Value::F32(-0.25)),
        ("max_red", Value::F32(0.25)),
    ];
    let variance = plugin("color_variance", range);
    let varied = [keyed.clone(), variance.clone()];
    assert_fills(color(&varied, 0.5).map(|it| it[0]), [0.25, 0.75]);
    assert!(color(&varied, 0.5).all(|it| it[1] == 0.5));
    // A color that is written in each frame replaces the variance before it.
    let before = [variance.clone(), keyed.clone()];
    assert!(color(&before, 0.5).all(|it| it[0] == 0.5));
    let mut gray = variance;
    gray.set("grayscale", Value::Bool(true));
    let gray: Vec<_> = color(&[keyed, gray], 0.5).collect();
    assert_fills(gray.iter().map(|it| it[1]), [0.25, 0.75]);
    assert!(gray.iter().all(|it| (it[3] - it[1] - 0.25).abs() < 1e-3));
    assert_eq!(color(&[], 0.5).next(), Some([1.0; 4]));
}

#[test]
fn rotations_are_angles_or_rates() {
    let turns = |modifiers: Vec<Plugin<'static>>, seconds| {
        let particles = particles(emitter("a", many([]), 2.0, modifiers), seconds);
        particles.into_iter().map(|it| it.appearance.turns)
    };
    let number = |name, value| (name, Value::F32(value));
    let flag = |name| (name, Value::Bool(true));
    let ends = [
        number("start_rotation", 0.5),
        number("end_rotation", 1.5),
        number("end_time", 1.0),
    ];
    let linear = plugin("linear_rotation", ends.clone());
    assert_eq!(turns(vec![linear], 1.0).next(), Some(1.0));
    let more = [
        flag("randomize"),
        number("rotation_variation", 0.25),
        flag("reverse"),
    ];
    let random = plugin("linear_rotation", ends.into_iter().chain(more));
    let random: Vec<f32> = turns(vec![random], 1.0).collect();
    assert_fills(random.iter().copied().filter(|it| *it > 0.0), [0.75, 1.25]);
    assert_fills(
        random.iter().copied().filter(|it| *it < 0.0),
        [-1.25, -0.75],
    );
    let rates = [
        number("start_rate", 1.0),
        number("end_rate", 3.0),
        number("end_time", 1.0),
    ];
    let rate = plugin("linear_rotation_rate", rates);
    // The integral of 1 + age.
    assert_eq!(turns(vec![rate.clone()], 1.0).next(), Some(1.5));
    let constant = |more: &[(&'static str, Value<'static>)]| {
        let parameters = [number("rotation", 0.5)]
            .into_iter()
            .chain(more.iter().cloned());
        plugin("constant_rotation", parameters)
    };
    let variation = number("rotation_variation", 0.5);
    assert_fills(turns(vec![constant(&[variation])], 1.0), [0.25, 0.75]);
    // An angle at birth, from which the rate goes on.
    let once = constant(&[flag("write_once")]);
    assert_eq!(turns(vec![once, rate.clone()], 1.0).next(), Some(2.0));
    assert_eq!(turns(vec![rate, constant(&[])], 1.0).next(), Some(0.5));
}

#[test]
fn texture_coordinates_are_parts_of_the_texture() {
    let parts = |modifiers: Vec<Plugin<'static>>, seconds| {
        let particles = particles(emitter("a", many([]), 2.0, modifiers), seconds);
        particles
            .into_iter()
            .map(|it| it.texture_part)
            .collect::<Vec<_>>()
    };
    assert_eq!(parts(vec![], 0.5)[0], [0.0, 0.0, 1.0, 1.0]);
    let part = [0.25, 0.5, 0.25, 0.25];
    let constant = plugin("constant_uv", [("texture_coordinates", Value::Vec4(part))]);
    assert_eq!(parts(vec![constant.clone()], 0.5)[0], part);
    let moved = parts(vec![constant, plugin("random_uv", [])], 0.5);
    assert_fills(moved.iter().map(|it| it[0]), [0.25, 1.25]);
    assert_fills(moved.iter().map(|it| it[1]), [0.5, 1.5]);
    assert!(moved.iter().all(|it| it[2..] == part[2..]));
    let key = |time, left| Vec4Key {
        time,
        value: [left, 0.0, 0.25, 0.25],
    };
    let keys = Value::Vec4Keys(vec![key(0.0, 0.0), key(0.5, 0.5), key(1.0, 0.75)]);
    let mut keyed = plugin("keyed_uv", [("texture_coordinates", keys)]);
    assert_eq!(parts(vec![keyed.clone()], 0.5)[0], [0.25, 0.0, 0.25, 0.25]);
    keyed.set("random_start_key", Value::Bool(true));
    let lefts: Vec<f32> = parts(vec![keyed], 0.5).iter().map(|it| it[0]).collect();
    let count = |left| lefts.iter().filter(|it| **it == left).count();
    assert_eq!(count(0.25) + count(0.5), 2000);
    assert!((900..1100).contains(&count(0.25)), "{}", count(0.25));
    let slots = vec![
        [0.0, 0.0, 0.5, 0.5],
        [0.5, 0.0, 0.5, 0.5],
        [0.0, 0.5, 0.5, 0.5],
    ];
    let slotted = plugin(
        "slotted_random_uv",
        [("slots", Value::Vec4List(slots.clone()))],
    );
    let found = parts(vec![slotted], 0.5);
    for slot in slots {
        let count = found.iter().filter(|it| **it == slot).count();
        assert!((550..780).contains(&count), "{count}");
    }
}

#[test]
fn particles_spawn_any_count_of_emitters() {
    let still = |name, parent: &'static str, event: &str| {
        let parent = ("parent_name", Value::Text(parent.into()));
        let parameters = match event {
            "death" => vec![("particles_per_interval", Value::F32(3.0)), parent],
            _ => stream(10.0).into_iter().chain([parent]).collect(),
        };
        emitter(name, plugin(event, parameters), 10.0, [])
    };
    let up = point([0.0, 0.0, 2.0]);
    let creator = plugin("shape", burst(2.0).into_iter().chain([("velocity", up)]));
    let mut trail = emitter(
        "by index",
        plugin("trail", [("parent", Value::I32(0))]),
        10.0,
        [],
    );
    trail.creator.set("particles_per_second", Value::F32(4.0));
    let mut file = system([
        emitter("root", creator, 1.0, []),
        still("smoke", "root", "enhanced_trail"),
        still("sparks", "root", "death"),
        still("dust", "root", "death"),
        trail,
        still("debris", "dust", "death"),
    ]);
    let counts = |file: &PluginFile<'_>, seconds| {
        let particles = particles_of(file, seconds);
        particles.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(counts(&file, 0.55), [2, 2 * 6, 0, 0, 2 * 3, 0]);
    assert_eq!(counts(&file, 5.0), [0, 2 * 10, 2 * 3, 2 * 3, 2 * 4, 0]);
    assert_eq!(counts(&file, 11.5), [0, 0, 0, 0, 0, 2 * 3 * 3]);
    let particles = particles_of(&file, 5.0);
    // Where the parent was: at its death, or at the birth.
    assert!(
        particles[2]
            .iter()
            .all(|it| it.motion.position == [0.0, 0.0, 2.0])
    );
    for particle in &particles[1] {
        assert!((particle.motion.position[2] - 2.0 * particle.born as f32).abs() < 1e-5);
    }
    // The children of one particle have different random numbers.
    let parents: Vec<_> = file.to_emitters().iter().map(|it| it.parent).collect();
    let parent = |emitter, event| Some(Parent { emitter, event });
    assert_eq!(
        parents[..3],
        [
            None,
            parent(0, SpawnEvent::Life),
            parent(0, SpawnEvent::Death)
        ]
    );
    file.emitters[0]
        .killer
        .set("spawn_on_age", Value::Bool(false));
    assert_eq!(counts(&file, 5.0), [0, 2 * 10, 0, 0, 2 * 4, 0]);
}

#[test]
fn children_are_aligned_to_the_velocity_that_they_inherit() {
    let velocity = ("velocity", point([3.0, 0.0, 4.0]));
    let root = plugin("shape", burst(1.0).into_iter().chain([velocity]));
    let child = |more: &[(&'static str, Value<'static>)]| {
        let parameters = [
            ("parent_name", Value::Text("root".into())),
            ("particles_per_interval", Value::F32(1.0)),
            ("velocity", point([0.0, 0.0, 10.0])),
            ("position", point([0.0, 0.0, 5.0])),
        ];
        plugin("death", parameters.into_iter().chain(more.iter().cloned()))
    };
    let born = |child| {
        let file = system([
            emitter("root", root.clone(), 1.0, []),
            emitter("a", child, 9.0, []),
        ]);
        let [_, particles] = &particles_of(&file, 1.0)[..] else {
            unreachable!();
        };
        particles[0].motion
    };
    let integer = |name, value| (name, Value::I32(value));
    let near = |found: [f32; 3], expected: [f32; 3]| {
        let difference = core::array::from_fn(|axis| found[axis] - expected[axis]);
        assert!(
            length(difference) < 1e-4,
            "{found:?} instead of {expected:?}"
        );
    };
    near(born(child(&[])).velocity, [0.0, 0.0, 10.0]);
    near(
        born(child(&[integer("velocity_alignment", 1)])).velocity,
        [6.0, 0.0, 8.0],
    );
    let reverse = born(child(&[
        integer("velocity_alignment", 2),
        integer("position_alignment", 2),
    ]));
    near(reverse.velocity, [-6.0, 0.0, -8.0]);
    near(reverse.position, [3.0 - 3.0, 0.0, 4.0 - 4.0]);
    let inherit = ("inherit_velocity", Value::Bool(true));
    let scale = ("inherited_velocity_scale", Value::F32(0.5));
    let max = |value| ("max_inherited_velocity", Value::F32(value));
    near(
        born(child(&[inherit.clone(), scale.clone(), max(9.0)])).velocity,
        [1.5, 0.0, 12.0],
    );
    near(
        born(child(&[inherit, scale, max(1.0)])).velocity,
        [0.6, 0.0, 10.8],
    );
}

#[test]
fn renderers_have_a_style_and_an_emitter_of_the_first_format() {
    let with = |name: &str, more: &[(&'static str, Value<'static>)]| {
        let mut emitter = emitter("a", many([]), 1.0, []);
        let common = [
            ("texture", Value::Text("p_fire.tga".into())),
            ("shader", Value::Text("Particle/PrimAdditive.fx".into())),
            ("disable_depth_test", Value::Bool(true)),
        ];
        emitter.renderer = plugin(name, common.into_iter().chain(more.iter().cloned()));
        emitter
    };
    let first =
        |emitter: &PluginEmitter<'static>| system([emitter.clone()]).to_emitters().remove(0);
    let billboard = with("billboard", &[]);
    let drawing = billboard.drawing().unwrap();
    assert_eq!(
        (drawing.texture, drawing.blend_mode),
        ("p_fire.tga", Some(1))
    );
    assert!(drawing.disable_depth_test && !drawing.sort);
    let properties = first(&billboard).properties;
    assert!(properties.no_depth_test && properties.blend_mode == 1 && !properties.flat);
    assert!(first(&with("xy_aligned", &[])).properties.flat);
    assert!(first(&with("heat_saturation", &[])).properties.heat);
    let kite = first(&with("kites", &[("tail_size", Value::F32(3.0))])).properties;
    assert_eq!((kite.has_tail, kite.tail_size), (true, 3.0));
    let aspect = [
        ("min_aspect", Value::F32(0.5)),
        ("max_aspect", Value::F32(2.0)),
    ];
    let aligned = with(
        "velocity_aligned",
        &[&aspect[..], &[("anchor", Value::I32(2))]].concat(),
    );
    let style = DrawStyle::VelocityAligned {
        anchor: Anchor::Top,
        quarter_turns: 0,
        aspect: [0.5, 2.0],
    };
    assert_eq!(aligned.drawing().unwrap().style, style);
    assert_fills(
        particles(aligned, 0.5).iter().map(|it| it.aspect),
        [0.5, 2.0],
    );
    let mut chain = billboard;
    chain.renderer = plugin("chain", []);
    assert_eq!(chain.drawing(), None);
}

#[test]
fn similar_emitters_have_the_rounds_and_the_shapes_of_the_file() {
    let first = |creator| {
        system([emitter("a", creator, 1.0, [])])
            .to_emitters()
            .remove(0)
    };
    let torus = shaped(6, |it| (it.torus_radius, it.tube_radius) = (5.0, 1.0));
    let around = first(many([("position", torus)]));
    assert_eq!(
        around.position.shape(),
        Shape::Box([-6.0, -6.0, -1.0], [6.0, 6.0, 1.0])
    );
    let properties = around.properties;
    assert!(properties.in_bursts);
    assert_eq!(
        (properties.particles_per_burst, properties.bursts),
        (2000, 1)
    );
    assert_eq!(
        first(plugin("shape", stream(2.6)))
            .properties
            .particles_per_second,
        3
    );
    let sphere = [
        ("speed", Value::F32(2.0)),
        ("speed_variation", Value::F32(50.0)),
    ];
    assert_eq!(
        first(plugin("sphere", sphere.clone()))
            .properties
            .outward_speed,
        3.0
    );
    let radius = [("radius", Value::F32(4.0))];
    assert_eq!(
        first(plugin("sphere", sphere.into_iter().chain(radius)))
            .position
            .shape(),
        Shape::Sphere {
            radius: 4.0,
            surface: true
        }
    );
}

#[test]
fn appearances_that_need_random_numbers_are_not_plain() {
    let is_plain = |modifier| {
        let file = system([emitter("a", many([]), 1.0, [modifier])]);
        let system = ParticleSystem::from_plugins(&file);
        system.emitter(0).unwrap().has_plain_appearance()
    };
    assert!(is_plain(plugin("constant_size", [])));
    assert!(is_plain(plugin("linear_rotation_rate", [])));
    assert!(!is_plain(plugin("linear_rotation", [])));
    assert!(!is_plain(plugin("random_uv", [])));
}

#[test]
fn unknown_creators_emit_nothing() {
    for id in [6, 60, 999] {
        assert_eq!(particles(emitter("a", Plugin::new(id), 1.0, []), 0.5), []);
    }
}

#[test]
fn systems_are_skipped_to_the_time_before_their_creation() {
    let before = [("pre_simulate_seconds", Value::F32(0.75))];
    let creator = plugin("shape", stream(4.0).into_iter().chain(before));
    let particles = particles(emitter("a", creator, 0.6, []), 0.0);
    let born: Vec<f64> = particles.iter().map(|it| it.born).collect();
    assert_eq!(born, [-0.5, -0.25, 0.0]);
}
