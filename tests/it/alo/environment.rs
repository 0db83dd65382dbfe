//! The lights of maps, compared with the colors that the games' shaders compute.

use crate::alo::render::{FILE, matte_parameters, one_box};
use crate::support::prelude::*;
use bevy_classic_models::alamo::{AlamoEnvironment, AlamoMapLight};
use core::f32::consts::FRAC_PI_2;

const SIZE: UVec2 = UVec2::new(320, 240);

/// A stage with a matte box of a gray around (0, 4, 0).
fn stage(gray: u8) -> Stage {
    let bytes = one_box("MeshGloss.fx", "alD3dVertNU2", matte_parameters("base.tga"));
    let mut stage = Stage::dark(&[
        (FILE, bytes),
        ("base.tga", tga(&[[gray, gray, gray, 0]; 4])),
    ]);
    stage.spawn_alo(FILE, ());
    stage
}

fn set_environment(stage: &mut Stage, environment: &AlamoEnvironment) {
    let world = stage.world();
    let lights = world.query_filtered::<Entity, With<DirectionalLight>>();
    for light in { lights }.iter(world).collect::<Vec<_>>() {
        world.entity_mut(light).despawn();
    }
    world.spawn_batch(environment.lights());
    world.insert_resource(environment.ambient_light());
}

/// No light.
fn dark() -> AlamoEnvironment {
    let off = AlamoMapLight {
        color: Color::WHITE,
        intensity: 0.0,
        heading: 0.0,
        elevation: 0.0,
    };
    AlamoEnvironment {
        sun: off,
        fills: [off; 2],
        ambient: Color::BLACK,
    }
}

/// The color of the side of the box with a normal.
fn side(stage: &mut Stage, normal: Vec3) -> [f32; 3] {
    stage.move_camera(Vec3::Y * 4.0 + normal * 60.0);
    stage.capture().at(SIZE, 0.5, 0.5)
}

/// The screen color of a gray in light, as the games' shaders compute it.
fn lit(gray: u8, light: Vec3) -> [f32; 3] {
    let color = 2.0 * light * f32::from(gray);
    color.min(Vec3::splat(255.0)).to_array()
}

fn rgb(color: Color) -> Vec3 {
    Srgba::from(color).to_vec3()
}

#[track_caller]
fn assert_near(found: [f32; 3], expected: [f32; 3], tolerance: f32, context: &str) {
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= tolerance;
    assert!(
        found.iter().zip(&expected).all(is_near),
        "{context}: {found:?}, expected {expected:?}"
    );
}

#[test]
fn side_that_faces_a_light_of_a_map_has_the_games_color() {
    let mut stage = stage(255);
    let color = Color::srgb(0.9, 0.4, 0.6);
    for (heading, elevation, normal) in [
        (0.0, 0.0, Vec3::NEG_Z),
        (FRAC_PI_2, 0.0, Vec3::NEG_X),
        (-FRAC_PI_2, 0.0, Vec3::X),
        (1.0, FRAC_PI_2, Vec3::Y),
    ] {
        for ambient in [0.0, 0.15] {
            let light = AlamoMapLight {
                color,
                intensity: 0.35,
                heading,
                elevation,
            };
            let base = AlamoEnvironment {
                ambient: Color::srgb(ambient, ambient, 0.5 * ambient),
                ..dark()
            };
            let sun = AlamoEnvironment { sun: light, ..base };
            let mut fill = base;
            fill.fills[1] = light;
            for (name, environment) in [("the sun", sun), ("a fill light", fill)] {
                set_environment(&mut stage, &environment);
                let context = format!("{name} from {normal}, ambient {ambient}");
                let ambient = rgb(environment.ambient);
                let front = lit(255, ambient + 0.35 * rgb(color));
                assert_near(side(&mut stage, normal), front, 1.5, &context);
                let back = lit(255, ambient);
                assert_near(side(&mut stage, -normal), back, 1.5, &context);
            }
        }
    }
}

#[test]
fn default_environment_is_near_the_games_colors_on_all_sides() {
    let gray = 150;
    let mut stage = stage(gray);
    set_environment(&mut stage, &AlamoEnvironment::default());
    // Headings, elevations and products of color and intensity in the viewer.
    let lights = [
        (0.0_f32, 45.0_f32, Vec3::splat(0.5)),
        (210.0, -10.0, Vec3::new(0.125, 0.125, 0.25)),
        (120.0, -10.0, Vec3::new(0.125, 0.125, 0.25)),
    ];
    for normal in [
        Vec3::Y,
        Vec3::NEG_Y,
        Vec3::NEG_Z,
        Vec3::Z,
        Vec3::NEG_X,
        Vec3::X,
    ] {
        let light = lights.iter().map(|(heading, elevation, color)| {
            let (sin, cos) = heading.to_radians().sin_cos();
            let to_light = Vec3::new(-sin, elevation.to_radians().tan(), -cos).normalize();
            normal.dot(to_light).max(0.0) * color
        });
        let expected = lit(gray, light.sum::<Vec3>() + Vec3::splat(0.1));
        let found = side(&mut stage, normal);
        assert_near(found, expected, 25.0, &format!("side {normal}"));
    }
}
