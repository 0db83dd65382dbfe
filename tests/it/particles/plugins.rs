//! Particle systems made of plug-ins: what is drawn against the evaluator, running systems, bounds, reloads, proxies, and
//! malformed files.

use super::emission::{FRAME, assert_as_evaluated};
use super::proxies::{proxy, ship};
use super::shader::atlas;
use super::stage::*;
use crate::support::prelude::*;
use bevy_classic_models::alamo::particles::evaluate::Motion;
use bevy_classic_models::alamo::particles::plugins::write::write;
use bevy_classic_models::alamo::particles::plugins::{
    Anchor, DrawStyle, Plugin, PluginEmitter, Value, Vec4Key,
};
use bevy_classic_models::alamo::{ParticleSpeed, ParticleTint};
use classic_models_fixtures::particles::bytes;
use classic_models_fixtures::plugins::{
    burst, emitter as plugin_emitter, plugin, point, shaped, stream, system,
};
use std::f32::consts::{FRAC_PI_2, PI};

fn number(name: &'static str, value: f32) -> (&'static str, Value<'static>) {
    (name, Value::F32(value))
}

/// The file of these emitters.
fn file<'a>(emitters: impl IntoIterator<Item = PluginEmitter<'a>>) -> Vec<u8> {
    write(&system(emitters)).unwrap()
}

/// A cloud around the emitter, 16 particles per second that live for 3 seconds, with sizes and colors over the life.
fn cloud(modifiers: impl IntoIterator<Item = Plugin<'static>>) -> PluginEmitter<'static> {
    let sphere = |radius: f32| shaped(2, |group| group.radius = [0.0, radius]);
    let shape = [
        ("position", sphere(6.0)),
        ("velocity", sphere(7.0)),
        ("local_velocity", Value::Bool(true)),
    ];
    let color = |time, value| Vec4Key { time, value };
    let colors = vec![
        color(0.0, [1.0, 0.9, 0.4, 1.0]),
        color(0.4, [0.9, 0.4, 0.3, 0.9]),
        color(1.0, [0.3, 0.5, 0.9, 0.4]),
    ];
    let size = [
        number("start_size", 2.0),
        number("end_size", 6.0),
        number("size_variation", 0.3),
        number("end_time", 1.0),
    ];
    let common = [
        plugin("keyed_color", [("colors", Value::ColorKeys(colors))]),
        plugin("linear_size", size),
    ];
    let creator = plugin("shape", stream(16.0).into_iter().chain(shape));
    let mut emitter = plugin_emitter("Cloud", creator, 3.0, common.into_iter().chain(modifiers));
    emitter.killer.set("lifetime_variation", Value::F32(50.0));
    emitter.renderer = renderer("billboard", []);
    emitter
}

/// A renderer with alpha blending.
fn renderer(
    name: &str,
    more: impl IntoIterator<Item = (&'static str, Value<'static>)>,
) -> Plugin<'static> {
    let common = [
        ("texture", Value::Text("atlas.tga".into())),
        ("shader", Value::Text("PrimAlpha.fx".into())),
    ];
    plugin(name, common.into_iter().chain(more))
}

fn acceleration() -> Plugin<'static> {
    plugin(
        "acceleration",
        [("acceleration", Value::Vec3([2.0, 0.0, -3.0]))],
    )
}

/// A motion without a closed form.
fn vortex() -> Plugin<'static> {
    let axis = [
        ("axis", Value::Vec3([0.0, 0.0, 1.0])),
        number("speed", 1.5),
        ("local_space", Value::Bool(true)),
    ];
    plugin("vortex", axis)
}

/// A random angle at birth that changes by time.
fn spin() -> Plugin<'static> {
    let spin = [
        number("start_rotation", 0.1),
        number("end_rotation", 1.2),
        number("end_time", 1.0),
        number("rotation_variation", 0.5),
        ("randomize", Value::Bool(true)),
        ("reverse", Value::Bool(true)),
    ];
    plugin("linear_rotation", spin)
}

/// A tile of the atlas by time.
fn tiles() -> Plugin<'static> {
    let keys = [(0.0, 0.25), (0.5, 0.25), (0.5, 0.75), (1.0, 0.75)];
    let keys = keys.map(|(time, left)| Vec4Key {
        time,
        value: [left, 0.5, 0.25, 0.25],
    });
    plugin(
        "keyed_uv",
        [("texture_coordinates", Value::Vec4Keys(keys.into()))],
    )
}

/// A random tile of the atlas, one of which is mirrored.
fn slots() -> Plugin<'static> {
    let slots = vec![
        [0.25, 0.0, 0.25, 0.25],
        [0.5, 0.75, 0.25, 0.25],
        [1.0, 0.25, -0.25, 0.25],
    ];
    plugin("slotted_random_uv", [("slots", Value::Vec4List(slots))])
}

/// The quad of a particle of a system with this transform, as alo-viewer computes it in the file's space.
fn plugin_quad(
    system: Transform,
    style: DrawStyle,
    particle: &LivingParticle,
    camera: &Transform,
) -> Quad {
    let up = upright().rotation;
    let center = system.transform_point(particle.motion.position.into());
    let to_file = up.inverse();
    let velocity = to_file * system.rotation * Vec3::from(particle.motion.velocity);
    let to_camera = to_file * (camera.translation - center);
    let size = 0.5 * particle.appearance.size * system.scale.x;
    let around = |axis: Vec3, angle: f32| Quat::from_axis_angle(axis, angle);
    let quarters = |turns: i32| around(Vec3::NEG_Z, turns as f32 * FRAC_PI_2);
    let turned = around(Vec3::Z, particle.appearance.turns * 2.0 * PI);
    // From a quad in the plane of X and Y, +Y of which is along the velocity, to the file's space.
    let along = || {
        let z_angle = velocity.y.atan2(velocity.x);
        let tilt = velocity.z.atan2(velocity.x.hypot(velocity.y));
        let from_velocity = around(Vec3::Z, z_angle - FRAC_PI_2) * around(Vec3::X, tilt);
        let seen = from_velocity.inverse() * to_camera;
        from_velocity * around(Vec3::NEG_Y, seen.z.atan2(seen.x) - FRAC_PI_2)
    };
    let mut size_of_first = size;
    let mut others = size;
    let mut shift = 0.0;
    let rotation = match style {
        DrawStyle::Billboard | DrawStyle::HeatSaturation { .. } => camera.rotation * turned,
        DrawStyle::XyAligned { local_space: true } => system.rotation * turned,
        DrawStyle::XyAligned { local_space: false } => up * turned,
        DrawStyle::VelocityAligned { anchor, .. } => {
            shift = match anchor {
                Anchor::Center => 0.0,
                Anchor::Bottom => size,
                Anchor::Top => -size,
            };
            up * along()
        }
        DrawStyle::Kite {
            quarter_turns,
            tail_size,
            ..
        } => {
            size_of_first = 0.5 * (size + tail_size * system.scale.x);
            others = 0.5 * size;
            up * along() * quarters(quarter_turns) * around(Vec3::Z, 0.75 * PI)
        }
    };
    let inner = match style {
        DrawStyle::VelocityAligned { quarter_turns, .. } => quarters(quarter_turns),
        _ => Quat::IDENTITY,
    };
    let [left, top, width, height] = particle.texture_part;
    let corner = |x: f32, y: f32| {
        let is_first = x < 0.0 && y > 0.0;
        let size = if is_first { size_of_first } else { others };
        let corner = inner * (size * Vec3::new(x * particle.aspect, y, 0.0)) + shift * Vec3::Y;
        center + rotation * corner
    };
    Quad {
        corners: [
            corner(-1.0, 1.0),
            corner(-1.0, -1.0),
            corner(1.0, -1.0),
            corner(1.0, 1.0),
        ],
        uvs: [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)]
            .map(|(x, y)| [left + x * width, top + y * height]),
        color: particle.appearance.color,
    }
}

/// Compares a system of one emitter with its control from two cameras.
#[track_caller]
fn compare(name: &str, emitter: PluginEmitter<'static>, transform: Transform) {
    let style = emitter.drawing().unwrap().style;
    let files = [("p.alo", file([emitter])), ("atlas.tga", tga(&atlas()))];
    let mut stage = Stage::dark(&files);
    let system = stage.spawn_particles("p.alo", transform);
    let texture = stage.add_image(&atlas());
    let material = stage.add_material(control_material(texture, AlphaMode::Blend));
    for view in VIEWS.map(|view| view * 0.5 * transform.scale.x) {
        stage.move_camera(view);
        let camera = *stage.camera().get::<Transform>().unwrap();
        stage.simulate(system, SEED, 2.5);
        let drawn = stage.capture();
        let (_, particles) = stage.evaluated(system, SEED, 2.5);
        assert!(particles[0].len() > 20);
        let quads = particles[0].iter();
        let quads = quads.map(|particle| plugin_quad(transform, style, particle, &camera));
        let mesh = control_mesh(&quads.collect::<Vec<_>>(), |alpha| alpha);
        let control = stage.capture_controls(system, vec![(mesh, material.clone())]);
        let what = format!("plug-ins {name} {}", view.x);
        keep(&drawn, &control, &what);
        drawn.assert_matches(&control, &what);
    }
}

/// An emitter with another renderer.
fn drawn_by(renderer: Plugin<'static>, modifiers: Vec<Plugin<'static>>) -> PluginEmitter<'static> {
    let mut emitter = cloud(modifiers);
    emitter.renderer = renderer;
    emitter
}

#[test]
fn billboards_match_the_evaluator() {
    let rate = [number("start_rate", 0.5), number("end_rate", -0.25)];
    let rate = plugin("linear_rotation_rate", rate);
    compare("closed", cloud([acceleration(), rate]), upright());
    compare("spinning", cloud([acceleration(), spin()]), upright());
    compare("tiles", cloud([acceleration(), tiles()]), upright());
    compare("slots", cloud([acceleration(), slots()]), upright());
    compare("stepped", cloud([vortex(), spin(), slots()]), upright());
}

#[test]
fn horizontal_quads_match_the_evaluator() {
    for local_space in [false, true] {
        let plane = || renderer("xy_aligned", [("local_space", Value::Bool(local_space))]);
        let name = format!("horizontal {local_space}");
        let transform = Transform::from_rotation(Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -2.0));
        let closed = drawn_by(plane(), vec![]);
        compare(&name, closed, transform);
        compare(
            &format!("{name} given"),
            drawn_by(plane(), vec![spin()]),
            transform,
        );
    }
}

/// A renderer of quads along the velocity.
fn along(anchor: i32, rotation: i32, aspect: [f32; 2]) -> Plugin<'static> {
    let values = [
        ("anchor", Value::I32(anchor)),
        ("rotation", Value::I32(rotation)),
        number("min_aspect", aspect[0]),
        number("max_aspect", aspect[1]),
    ];
    renderer("velocity_aligned", values)
}

#[test]
fn quads_along_the_velocity_match_the_evaluator() {
    for (anchor, rotation) in [(0, 0), (1, 1), (2, -1), (0, 6)] {
        let name = format!("along {anchor} {rotation}");
        let closed = drawn_by(along(anchor, rotation, [1.0; 2]), vec![acceleration()]);
        compare(&name, closed, upright());
        let given = drawn_by(along(anchor, rotation, [0.25, 0.75]), vec![vortex()]);
        compare(&format!("{name} given"), given, upright());
    }
}

#[test]
fn kites_match_the_evaluator() {
    for rotation in [0, 1] {
        let kites = || {
            let values = [("rotation", Value::I32(rotation)), number("tail_size", 9.0)];
            renderer("kites", values)
        };
        let name = format!("kites {rotation}");
        compare(&name, drawn_by(kites(), vec![acceleration()]), upright());
        let given = drawn_by(kites(), vec![vortex(), slots()]);
        compare(&format!("{name} given"), given, upright());
    }
}

#[test]
fn moved_turned_and_scaled_systems_match_the_evaluator() {
    let transform = Transform {
        translation: Vec3::new(3.0, -1.0, 2.0),
        rotation: Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -2.0),
        scale: Vec3::splat(2.0),
    };
    let limit = || plugin("speed_limit", [number("max_speed", 3.0)]);
    for translator in ["emitter", "world"] {
        let modifiers: [Vec<Plugin<'static>>; 3] =
            [vec![], vec![vortex(), spin()], vec![limit(), slots()]];
        for (index, modifiers) in modifiers.into_iter().enumerate() {
            let kites = renderer("kites", [number("tail_size", 6.0)]);
            let mut emitter = drawn_by(kites, modifiers);
            emitter.translator = plugin(translator, []);
            compare(&format!("moved {translator} {index}"), emitter, transform);
        }
    }
}

#[test]
fn textures_repeat() {
    let emitter = cloud([plugin("random_uv", [])]);
    let files = [
        ("p.alo", file([emitter])),
        ("atlas.tga", tga(&texels(4, |_, _| [255; 4]))),
    ];
    let mut stage = Stage::dark(&files);
    let system = stage.spawn_particles("p.alo", upright());
    let texture = stage.add_image(&texels(4, |_, _| [255; 4]));
    let material = stage.add_material(control_material(texture, AlphaMode::Blend));
    stage.move_camera(VIEWS[0] * 0.5);
    let camera = *stage.camera().get::<Transform>().unwrap();
    stage.simulate(system, SEED, 2.5);
    let drawn = stage.capture();
    let (_, particles) = stage.evaluated(system, SEED, 2.5);
    assert!(particles[0].iter().any(|it| it.texture_part[0] > 0.5));
    let quads = particles[0].iter();
    let quads = quads.map(|it| plugin_quad(upright(), DrawStyle::Billboard, it, &camera));
    let mesh = control_mesh(&quads.collect::<Vec<_>>(), |alpha| alpha);
    let control = stage.capture_controls(system, vec![(mesh, material)]);
    keep(&drawn, &control, "plug-ins repeated");
    drawn.assert_matches(&control, "repeated textures");
}

#[test]
fn missing_textures_are_outlines_in_all_parts() {
    let emitter = drawn_by(renderer("billboard", []), vec![slots()]);
    let mut stage = Stage::dark(&[("p.alo", file([emitter]))]);
    let system = stage.spawn_particles("p.alo", upright());
    stage.move_camera(VIEWS[0] * 0.5);
    stage.simulate(system, SEED, 2.5);
    let picture = stage.capture();
    let is_magenta = |[r, g, b, _]: &&[u8; 4]| *r > 100 && *b > 100 && *g < 40;
    let outlines = picture.0.iter().filter(is_magenta).count();
    assert!(outlines > 100, "{outlines} pixels");
}

#[test]
fn a_running_scene_draws_what_the_evaluator_computes() {
    let files = [
        ("p.alo", file([cloud([vortex(), spin(), slots()])])),
        ("atlas.tga", tga(&atlas())),
    ];
    let mut stage = Stage::dark(&files);
    let root = stage.spawn("p.alo#Scene", ParticleSeed(SEED));
    let particles = stage.particles("p.alo");
    let texture = stage.add_image(&atlas());
    let material = stage.add_material(control_material(texture, AlphaMode::Blend));
    stage.move_camera(VIEWS[1] * 0.5);
    let camera = *stage.camera().get::<Transform>().unwrap();
    for _ in 0..30 {
        stage.headless.step(0.125);
    }
    let drawn = stage.capture();
    let assets = stage.assets::<AloParticles>();
    let living = assets.get(&particles).unwrap().evaluate(SEED, 30.0 * 0.125);
    let quads = living.emitters[0].iter();
    let quads = quads.map(|it| plugin_quad(upright(), DrawStyle::Billboard, it, &camera));
    let quads: Vec<Quad> = quads.collect();
    assert!(quads.len() > 15);
    let mesh = control_mesh(&quads, |alpha| alpha);
    let control = stage.capture_controls(root, vec![(mesh, material)]);
    keep(&drawn, &control, "plug-ins running");
    drawn.assert_matches(&control, "running plug-ins");
}

#[test]
fn decals_and_unknown_renderers_are_not_drawn() {
    log::listen();
    let mut decal = cloud([]);
    decal
        .renderer
        .set("shader", Value::Text("PrimDecalBumpAlpha.fx".into()));
    decal.name = "Crater".into();
    let mut line = cloud([]);
    line.renderer = plugin("line", [("texture", Value::Text("atlas.tga".into()))]);
    line.name = "Laser".into();
    let files = [
        ("p_undrawn.alo", file([decal, line])),
        ("atlas.tga", tga(&atlas())),
    ];
    let mut stage = Stage::dark(&files);
    let system = stage.spawn_particles("p_undrawn.alo", upright());
    stage.move_camera(VIEWS[0] * 0.5);
    let empty = stage.capture();
    stage.simulate(system, SEED, 2.5);
    let (_, particles) = stage.evaluated(system, SEED, 2.5);
    assert!(particles.iter().all(|particles| particles.len() > 20));
    assert_eq!(stage.capture().0, empty.0);
    let hidden = log::expect_warnings("p_undrawn.alo: emitters with shadow", 1);
    assert!(
        hidden[0].contains("Crater") && !hidden[0].contains("Laser"),
        "{hidden:?}"
    );
    let unknown = log::warnings_with("p_undrawn.alo: ");
    let is_named = |warning: &String| warning.contains("line") && warning.contains("not drawn");
    assert!(unknown.iter().any(is_named), "{unknown:?}");
}

/// Emitters that particles without a closed form spawn along their way and at their death.
fn chain() -> Vec<u8> {
    let mut parent = cloud([vortex()]);
    parent.name = "Sparks".into();
    parent.creator = plugin(
        "outward_velocity_shape",
        burst(6.0).into_iter().chain([
            ("position", point([3.0, 0.0, 1.0])),
            number("outward_speed", 2.0),
        ]),
    );
    let name = || ("parent_name", Value::Text("Sparks".into()));
    let mut trail = cloud([spin()]);
    trail.creator = plugin("enhanced_trail", stream(20.0).into_iter().chain([name()]));
    trail.killer.set("lifetime", Value::F32(0.5));
    let mut death = cloud([tiles()]);
    let radius = shaped(2, |group| group.radius = [1.0, 4.0]);
    let values = [
        name(),
        number("particles_per_interval", 5.0),
        ("velocity", radius),
    ];
    death.creator = plugin("death", values);
    death.translator = plugin("emitter", []);
    let early = plugin(
        "sphere",
        [
            number("particles_per_second", 9.0),
            number("radius", 2.0),
            number("speed", 3.0),
        ],
    );
    let mut bubbles = cloud([plugin("attract_acceleration", [number("attract", -4.0)])]);
    bubbles.creator = early;
    file([parent, trail, death, bubbles])
}

#[test]
fn running_systems_are_those_of_the_evaluator() {
    assert_as_evaluated("cloud", file([cloud([acceleration()])]), 100, FRAME);
    assert_as_evaluated("vortex", file([cloud([vortex(), spin()])]), 150, FRAME);
    assert_as_evaluated("chain", chain(), 150, FRAME);
    assert_as_evaluated("slow frames", chain(), 25, 0.213_7);
}

#[test]
fn the_asset_has_the_file_and_similar_emitters() {
    let mut app = ParticleApp::with_files(&[("p_test.alo", chain())]);
    let root = app.spawn_test(());
    let particles = app.particles(root);
    let file = particles.plugins.as_ref().unwrap();
    assert_eq!((&*particles.name, &*file.name), ("p_test", "p_test"));
    assert_eq!(file.emitters[0].modifiers.last().unwrap().name(), "vortex");
    assert_eq!(particles.emitters[1].emitter.color_texture, "atlas.tga");
    // The children of the sparks are drawn before them.
    assert_eq!(particles.draw_order(), [1, 2, 0, 3]);
    assert!(particles.leave_particles && particles.is_endless());
    assert_eq!(particles.emitters[0].max_alive, 6);
}

#[test]
fn bounds_contain_all_particles() {
    let mut grown = cloud([acceleration(), spin()]);
    grown.creator.set("position", point([5.0, 0.0, -2.0]));
    let emitters = [
        grown,
        cloud([vortex()]),
        cloud([plugin("speed_limit", [number("max_speed", 4.0)])]),
        drawn_by(along(1, 0, [0.5, 3.0]), vec![acceleration()]),
        drawn_by(renderer("kites", [number("tail_size", 12.0)]), vec![]),
    ];
    for (index, mut emitter) in emitters.into_iter().enumerate() {
        for translator in ["emitter", "world"] {
            emitter.translator = plugin(translator, []);
            let style = emitter.drawing().unwrap().style;
            assert_in_bounds(&format!("{index} {translator}"), emitter.clone(), style);
        }
    }
    let mut app = ParticleApp::with_files(&[("p_test.alo", chain())]);
    let root = app.spawn_test(());
    let extent = app.particles(root).bounds.half_size();
    assert!(extent.max_element() < 1e4, "{extent}");
}

/// Asserts that the bounds of a system's file and of its records contain the quads of all particles.
#[track_caller]
fn assert_in_bounds(name: &str, emitter: PluginEmitter<'static>, style: DrawStyle) {
    let mut app = ParticleApp::with_files(&[("p_test.alo", file([emitter]))]);
    let root = app.spawn_test(());
    let particles = app.particles(root);
    let system = Transform {
        translation: Vec3::new(10.0, 20.0, 30.0),
        rotation: Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -2.0),
        scale: Vec3::splat(0.5),
    };
    let camera = Transform::from_xyz(30.0, 60.0, 10.0).looking_at(system.translation, Vec3::Y);
    let affine = system.compute_affine();
    let mut records = ParticleRecords::new(Handle::default(), &particles);
    let prepared = particles.prepared_emitter(0).unwrap();
    for step in 1..20 {
        let time = 0.25 * f64::from(step);
        let after = (step > 1).then_some(time - 0.25);
        add_births(&mut records, &particles, affine, 1, after, time);
        let bounds = records.bounds(&particles, &affine).unwrap();
        for drawn in records.emitters[0].drawn(prepared) {
            let space = RecordSpace::new(&particles, prepared, affine);
            let from_records = affine.inverse() * space.world_from_records();
            let mut appearance = drawn.appearance;
            appearance.size /= space.scale();
            let particle = LivingParticle {
                born: 0.0,
                age: drawn.age,
                life: 1.0,
                motion: Motion {
                    position: from_records
                        .transform_point3(drawn.motion.position.into())
                        .into(),
                    velocity: from_records
                        .transform_vector3(drawn.motion.velocity.into())
                        .into(),
                },
                appearance,
                texture_part: drawn.texture_part,
                aspect: drawn.aspect,
            };
            let quad = plugin_quad(system, style, &particle, &camera);
            for corner in quad.corners {
                let corner = affine.inverse().transform_point3(corner);
                for bounds in [bounds, particles.bounds] {
                    let (min, max) = (Vec3::from(bounds.min) - 1e-3, Vec3::from(bounds.max) + 1e-3);
                    let is_inside = corner.cmpge(min).all() && corner.cmple(max).all();
                    assert!(is_inside, "{name}: {corner} is outside of {min} to {max}");
                }
            }
        }
    }
}

#[test]
fn reloads_change_between_both_formats() {
    let first = || {
        let emitter = classic_models_fixtures::particles::emitter(Properties {
            particles_per_second: 20,
            ..Properties::default()
        });
        bytes(vec![emitter])
    };
    let mut app = ParticleApp::with_files(&[("p_test.alo", first())]);
    app.app.keep_loaded("p_test.alo");
    let root = app.spawn_test(ParticleTint(Color::srgb(0.5, 0.0, 0.0)));
    app.run(4, 0.25);
    assert!(app.particles(root).plugins.is_none());
    let versions = [file([cloud([vortex()])]), first(), file([cloud([])])];
    for (index, bytes) in versions.into_iter().enumerate() {
        app.app.replace("p_test.alo", bytes);
        app.app.wait_until_idle();
        app.run(8, 0.25);
        let is_plugins = index != 1;
        assert_eq!(app.particles(root).plugins.is_some(), is_plugins, "{index}");
        assert!(app.count(root) > 5, "{index}");
        // The control is kept.
        assert!(app.records(root).tint.red > 0.1 && app.records(root).tint.green == 0.0);
    }
    app.despawn(root);
    app.run(1, 0.25);
    let world = app.world();
    assert_eq!(world.query::<&ParticleRecords>().iter(world).count(), 0);
}

#[test]
fn controls_apply_to_systems_of_plugins() {
    let mut app = ParticleApp::with_files(&[("p_test.alo", file([cloud([vortex()])]))]);
    let root = app.spawn_test((ParticleSeed(3), ParticleSpeed(2.0)));
    app.run(8, 0.125);
    let expected = app.particles(root).evaluate(3, 2.0).emitters[0].len();
    assert_eq!(app.count(root), expected);
    app.insert(root, ParticleEmission::Stopped);
    app.run(1, 0.125);
    assert!(
        app.count(root) > 0,
        "such files do not say that particles vanish"
    );
    app.run(40, 0.125);
    assert_eq!((app.count(root), app.finished(root)), (0, 1));
    app.insert(root, ParticleEmission::Restarting);
    app.run(1, 0.0);
    app.run(8, 0.125);
    assert_eq!(app.count(root), expected);
    app.world().insert_resource(ParticleBudget {
        per_system: 4,
        ..default()
    });
    app.insert(root, ParticleEmission::Restarting);
    app.run(8, 0.125);
    assert_eq!(app.count(root), 4);
}

#[test]
fn moved_systems_are_the_center_of_their_forces() {
    let mut emitter = cloud([plugin("attract_acceleration", [number("attract", -30.0)])]);
    emitter.creator.set("velocity", point([0.0; 3]));
    let mut app = ParticleApp::with_files(&[("p_test.alo", file([emitter]))]);
    let root = app.spawn_test(());
    app.run(8, 0.125);
    let x = |app: &mut ParticleApp| -> Vec<f32> {
        let positions = app.positions(root, 0);
        positions.iter().map(|position| position.x).collect()
    };
    assert!(x(&mut app).iter().all(|x| x.abs() < 10.0));
    app.insert(root, Transform::from_xyz(40.0, 0.0, 0.0));
    app.run(4, 0.125);
    let moved = x(&mut app);
    assert!(moved.iter().any(|x| *x > 2.0 && *x < 30.0), "{moved:?}");
}

#[test]
fn proxies_and_manifests_name_systems_of_plugins() {
    let manifest =
        b"(model: \"ship.alo\", attachments: [(bone: \"Nozzle\", model: \"p_cloud.alo\")])";
    let mut app = ParticleApp::with_files(&[
        ("ship.alo", ship(vec![proxy("p_cloud_ALT0", 2, false)])),
        ("ship.model.ron", manifest.to_vec()),
        ("p_cloud.alo", file([cloud([vortex()])])),
    ]);
    let root = app.spawn_entity(ClassicModel::new("ship.model.ron"));
    app.app.wait_for(&[root]);
    app.app.wait_until_idle();
    app.run(8, 0.125);
    let world = app.world();
    let mut systems = world.query::<&ParticleRecords>();
    let counts: Vec<usize> = systems
        .iter(world)
        .map(|records| records.emitters[0].len())
        .collect();
    assert_eq!(counts.len(), 2, "of the proxy and of the attachment");
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
    app.despawn(root);
    app.run(1, 0.125);
    let world = app.world();
    assert_eq!(world.query::<&ParticleRecords>().iter(world).count(), 0);
}
