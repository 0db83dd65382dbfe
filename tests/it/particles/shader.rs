//! The shader draws what the evaluator computes: positions, sizes, colors, tiles and angles.

use super::stage::*;
use crate::support::prelude::*;
use bevy_classic_models::alamo::particles::Interpolation;
use classic_models_fixtures::particles::bytes;

/// Four by four tiles. Each has its own color, a dark border, and a bright mark at its upper left.
pub fn atlas() -> Vec<[u8; 4]> {
    texels(64, |x, y| {
        let (column, row) = (x / 16, y / 16);
        let (x, y) = (x % 16, y % 16);
        let is_border = x == 0 || y == 0 || x == 15 || y == 15;
        let is_mark = x < 8 && y < 8;
        let alpha = 255 - 8 * (x.abs_diff(8).max(y.abs_diff(8))) as u8;
        match (is_border, is_mark) {
            (true, _) => [0, 0, 0, 0],
            (_, true) => [255, 240, 220, alpha],
            _ => [80 + 50 * column as u8, 80 + 50 * row as u8, 120, alpha],
        }
    })
}

fn varied() -> Emitter<'static> {
    let mut emitter = emitter(Properties {
        particles_per_second: 16,
        lifetime: 3.0,
        random_lifetime: 0.5,
        random_scale: 0.5,
        outward_speed: 4.0,
        outward_acceleration: -1.0,
        acceleration: [2.0, 0.0, 0.0],
        gravity: 3.0,
        random_color: [0.25, 0.125, -0.5, 0.0],
        random_rotation_direction: true,
        ..Properties::default()
    });
    emitter.position = Shape::Sphere {
        radius: 6.0,
        surface: false,
    }
    .into();
    emitter.velocity = Shape::Box([-6.0, -6.0, 2.0], [6.0, 6.0, 12.0]).into();
    emitter.tracks.red = Track::linear(&[[0.0, 255.0], [0.25, 128.0], [0.25, 64.0], [1.0, 200.0]]);
    emitter.tracks.green =
        Track::linear(&[[0.0, 0.0], [0.5, 255.0], [1.0, 40.0]]).with(Interpolation::Smooth);
    emitter.tracks.blue =
        Track::linear(&[[0.0, 250.0], [0.5, 100.0], [1.0, 0.0]]).with(Interpolation::Step);
    emitter.tracks.alpha = Track::linear(&[[0.0, 255.0], [1.0, 80.0]]);
    emitter.tracks.scale = Track::linear(&[[0.0, 4.0], [0.2, 14.0], [1.0, 9.0]]);
    let index = Track::linear(&[
        [0.0, 2.0],
        [0.3, 7.75],
        [0.6, 16.0],
        [0.8, -1.0],
        [1.0, 0.0],
    ]);
    emitter.tracks.index = index.with(Interpolation::Step);
    emitter.tracks.rotation_speed =
        Track::linear(&[[0.0, 0.5], [0.4, -0.25], [1.0, 1.0]]).with(Interpolation::Smooth);
    emitter
}

/// A system of one emitter that is compared with its control.
struct Case<'a> {
    name: &'a str,
    emitter: Emitter<'static>,
    transform: Transform,
    times: &'a [f64],
    /// Positions of the camera.
    views: [Vec3; 2],
    alpha_mode: AlphaMode,
}

impl<'a> Case<'a> {
    /// A system at the origin.
    fn new(name: &'a str, emitter: Emitter<'static>, times: &'a [f64]) -> Self {
        Self {
            name,
            emitter,
            transform: upright(),
            times,
            views: VIEWS.map(|view| view * 0.5),
            alpha_mode: AlphaMode::Blend,
        }
    }

    fn compare(self) {
        let files = [
            ("p.alo", bytes(vec![self.emitter])),
            ("atlas.tga", tga(&atlas())),
        ];
        let mut stage = Stage::dark(&files);
        let system = stage.spawn_particles("p.alo", self.transform);
        let texture = stage.add_image(&atlas());
        let material = stage.add_material(control_material(texture, self.alpha_mode));
        for view in self.views {
            stage.move_camera(view);
            let camera = stage.camera().get::<Transform>().unwrap().rotation;
            for (index, time) in self.times.iter().enumerate() {
                stage.simulate(system, SEED, *time);
                let drawn = stage.capture();
                let (emitters, particles) = stage.evaluated(system, SEED, *time);
                let quads: Vec<Quad> = particles[0]
                    .iter()
                    .map(|particle| quad_in(self.transform, &emitters[0], particle, camera))
                    .collect();
                let is_add = self.alpha_mode == AlphaMode::Add;
                let mesh = control_mesh(&quads, |alpha| if is_add { 1.0 } else { alpha });
                let control = stage.capture_controls(system, vec![(mesh, material.clone())]);
                let what = format!("{} {index} {}", self.name, view.x);
                keep(&drawn, &control, &what);
                drawn.assert_matches(&control, &what);
            }
        }
    }
}

/// Compares a system of one emitter with its control from two cameras at these times.
fn compare(name: &str, emitter: Emitter<'static>, times: &[f64], alpha_mode: AlphaMode) {
    let case = Case::new(name, emitter, times);
    Case { alpha_mode, ..case }.compare();
}

#[test]
fn all_tracks_match_the_evaluator() {
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    compare("blended", emitter, &[1.2, 2.7, 9.3], AlphaMode::Blend);
}

#[test]
fn fixed_angles_match_the_evaluator() {
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    emitter.properties.fixed_rotation = true;
    emitter.properties.rotation_variance = 0.75;
    emitter.properties.random_color = [0.5, 0.0, 0.0, 0.0];
    emitter.properties.random_color_is_gray = true;
    compare("fixed", emitter, &[2.5], AlphaMode::Blend);
}

#[test]
fn flat_particles_match_the_evaluator() {
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    emitter.properties.flat = true;
    let case = Case::new("flat", emitter, &[2.5]);
    let [view, other] = case.views;
    let views = [view, Vec3::new(other.x, -other.y, other.z)];
    Case { views, ..case }.compare();
}

/// A system that is moved, turned and twice as large as its file. The evaluator has one at the origin, so the emitter
/// has no acceleration that is the world's.
#[test]
fn moved_turned_and_scaled_systems_match_the_evaluator() {
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    emitter.properties.gravity = 0.0;
    emitter.properties.acceleration = [0.0; 3];
    emitter.properties.has_tail = true;
    emitter.properties.emitter_speed = 1.0;
    emitter.properties.tail_size = 500.0;
    let transform = Transform {
        translation: Vec3::new(9.0, -3.0, 5.0),
        rotation: Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, -2.0),
        scale: Vec3::splat(2.0),
    };
    for (name, link_to_system) in [("linked", true), ("free", false)] {
        emitter.properties.link_to_system = link_to_system;
        let case = Case::new(name, emitter.clone(), &[2.5]);
        let case = Case {
            transform,
            views: VIEWS,
            ..case
        };
        case.compare();
    }
}

#[test]
fn tails_match_the_evaluator() {
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    emitter.properties.has_tail = true;
    emitter.properties.tail_size = 5.0;
    compare("tails", emitter.clone(), &[1.5, 2.5], AlphaMode::Blend);
    emitter.properties.flat = true;
    compare("flat tails", emitter.clone(), &[2.5], AlphaMode::Blend);
    emitter.properties.flat = false;
    emitter.properties.emitter_speed = 1.0;
    emitter.properties.tail_size = 500.0;
    compare("speed tails", emitter, &[2.5], AlphaMode::Blend);
}

#[test]
fn ground_effects_match_the_evaluator() {
    for (effect, name) in [(1, "die"), (2, "bounce"), (3, "stop")] {
        let mut emitter = varied();
        emitter.properties.blend_mode = 2;
        emitter.properties.ground = effect;
        emitter.properties.bounciness = 0.6;
        emitter.properties.gravity = 12.0;
        compare(name, emitter, &[1.5, 4.0], AlphaMode::Blend);
    }
}

#[test]
fn a_running_scene_matches_the_evaluator() {
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    compare_running("running", emitter, 20);
}

#[test]
fn weather_is_in_a_cube_before_each_camera() {
    const EDGE: f32 = 24.0;
    const DISTANCE: f32 = 20.0;
    const SCALE: f32 = 2.0;
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    emitter.properties.weather = true;
    emitter.properties.weather_cube_size = EDGE;
    emitter.properties.weather_cube_distance = DISTANCE;
    emitter.properties.particles_per_second = 40;
    // Particles cross the cube several times in their life.
    emitter.properties.lifetime = 8.0;
    let files = [
        ("p.alo", bytes(vec![emitter])),
        ("atlas.tga", tga(&atlas())),
    ];
    let mut stage = Stage::dark(&files);
    // The position has no effect.
    let transform = Transform::from_xyz(500.0, -90.0, 0.0).with_scale(Vec3::splat(SCALE));
    let root = stage.spawn("p.alo#Scene", (ParticleSeed(SEED), transform));
    let handle = stage.particles("p.alo");
    let texture = stage.add_image(&atlas());
    let material = stage.add_material(control_material(texture, AlphaMode::Blend));
    for _ in 0..41 {
        stage.headless.step(0.125);
    }
    let assets = stage.assets::<AloParticles>();
    let system = assets.get(&handle).unwrap();
    let properties = system.emitters[0].emitter.clone();
    let particles = system.evaluate(SEED, 41.0 * 0.125).emitters.remove(0);
    assert_eq!(particles.len(), 40);
    let file = upright().with_scale(Vec3::splat(SCALE));
    // The second camera is more than a cube away from the first.
    for view in VIEWS {
        stage.move_camera(view);
        let camera = *stage.camera().get::<Transform>().unwrap();
        let center = camera.translation + SCALE * DISTANCE * camera.forward();
        let center = upright().rotation.inverse() * center / SCALE;
        let quads: Vec<Quad> = particles
            .iter()
            .map(|particle| {
                let mut particle = *particle;
                let position = Vec3::from(particle.motion.position);
                let cubes = ((position - center) / EDGE).round();
                particle.motion.position = (position - EDGE * cubes).into();
                quad_in(file, &properties, &particle, camera.rotation)
            })
            .collect();
        let drawn = stage.capture();
        let mesh = control_mesh(&quads, |alpha| alpha);
        let control = stage.capture_controls(root, vec![(mesh, material.clone())]);
        let what = format!("weather {}", view.x);
        keep(&drawn, &control, &what);
        drawn.assert_matches(&control, &what);
    }
}

/// Tiles without borders: each has one color.
fn plain_atlas() -> Vec<[u8; 4]> {
    texels(64, |x, y| match (x / 16, y / 16) {
        (1, 1) => [200, 120, 40, 255],
        _ => [0, 255, 255, 255],
    })
}

#[test]
fn tiles_do_not_show_their_neighbors() {
    let mut emitter = varied();
    emitter.properties.blend_mode = 2;
    emitter.tracks.index = Track::constant(5.0);
    for color in [&mut emitter.tracks.red, &mut emitter.tracks.green] {
        *color = Track::constant(255.0);
    }
    emitter.tracks.blue = Track::constant(0.0);
    emitter.properties.random_color = [0.0; 4];
    let files = [
        ("p.alo", bytes(vec![emitter])),
        ("atlas.tga", tga(&plain_atlas())),
    ];
    let mut stage = Stage::dark(&files);
    let system = stage.spawn_particles("p.alo", upright());
    // The control has a texture of the tile's color, so it cannot show another tile.
    let texture = stage.add_image(&texels(64, |_, _| [200, 120, 40, 255]));
    let material = stage.add_material(control_material(texture, AlphaMode::Blend));
    for msaa in [Msaa::Off, Msaa::Sample4] {
        stage.camera().insert(msaa);
        stage.move_camera(VIEWS[0] * 0.5);
        let camera = stage.camera().get::<Transform>().unwrap().rotation;
        stage.simulate(system, SEED, 2.7);
        let drawn = stage.capture();
        let (emitters, particles) = stage.evaluated(system, SEED, 2.7);
        let quads = particles[0].iter();
        let quads = quads.map(|particle| quad(&emitters[0], particle, camera));
        let mesh = control_mesh(&quads.collect::<Vec<_>>(), |alpha| alpha);
        let control = stage.capture_controls(system, vec![(mesh, material.clone())]);
        let what = format!("tiles {msaa:?}");
        keep(&drawn, &control, &what);
        drawn.assert_matches(&control, &what);
    }
}

/// Compares a scene of one emitter with its control after these frames of an eighth of a second.
fn compare_running(name: &str, emitter: Emitter<'static>, frames: u32) {
    let files = [
        ("p.alo", bytes(vec![emitter])),
        ("atlas.tga", tga(&atlas())),
    ];
    let mut stage = Stage::dark(&files);
    let root = stage.spawn("p.alo#Scene", ParticleSeed(SEED));
    let particles = stage.particles("p.alo");
    let texture = stage.add_image(&atlas());
    let material = stage.add_material(control_material(texture, AlphaMode::Blend));
    stage.move_camera(VIEWS[1] * 0.5);
    let camera = stage.camera().get::<Transform>().unwrap().rotation;
    let mut time = 0.0;
    for _ in 0..frames {
        stage.headless.step(0.125);
        time += 0.125;
    }
    let drawn = stage.capture();
    let assets = stage.assets::<AloParticles>();
    let system = assets.get(&particles).unwrap();
    let state = system.evaluate(SEED, time);
    assert!(state.emitters[0].len() > 15);
    let quads: Vec<Quad> = state.emitters[0]
        .iter()
        .map(|particle| quad(&system.emitters[0].emitter, particle, camera))
        .collect();
    let mesh = control_mesh(&quads, |alpha| alpha);
    let control = stage.capture_controls(root, vec![(mesh, material)]);
    let what = format!("{name} {frames}");
    keep(&drawn, &control, &what);
    drawn.assert_matches(&control, &what);
}
