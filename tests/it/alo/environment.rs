//! The lights and the sky of maps, compared with the colors that the games' shaders compute.

use crate::alo::render::{FILE, matte_parameters, one_box};
use crate::support::lgw_stage::dds;
use crate::support::prelude::*;
use bevy_classic_models::alamo::{AlamoEnvironment, AlamoMapLight, sky_cube};
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

/// The color of the sky of [`sky`] in a direction of the games: X, Y and Z are red, green and blue.
fn sky_color(direction: Vec3) -> Vec3 {
    127.5 + 100.0 * direction.normalize()
}

/// A cube map of [`sky_color`].
fn sky() -> Vec<u8> {
    const SIDE: usize = 64;
    let faces = (0..6).map(|face| {
        let texel = |at: usize| {
            let [u, v] = [at % SIDE, at / SIDE].map(|at| (2 * at + 1) as f32 / SIDE as f32 - 1.0);
            // The faces of Direct3D.
            let direction = match face {
                0 => Vec3::new(1.0, -v, -u),
                1 => Vec3::new(-1.0, -v, u),
                2 => Vec3::new(u, 1.0, v),
                3 => Vec3::new(u, -1.0, -v),
                4 => Vec3::new(u, -v, 1.0),
                _ => Vec3::new(-u, -v, -1.0),
            };
            let [r, g, b] = sky_color(direction)
                .to_array()
                .map(|byte| byte.round() as u8);
            [r, g, b, 255]
        };
        vec![(0..SIDE * SIDE).map(texel).collect()]
    });
    dds(&faces.collect::<Vec<_>>())
}

#[test]
fn reflecting_shaders_show_the_sky_as_a_mirror() {
    let base = ("base.tga", tga(&[[0, 0, 0, 0]; 4]));
    // A normal map of a flat surface. Its alpha is the gloss.
    let normal = ("normal.tga", tga(&[[128, 128, 255, 200]; 4]));
    let mut stage = Stage::dark(&[("sky.dds", sky())]);
    stage.world().insert_resource(ClearColor(Color::BLACK));
    let server = stage.server();
    stage.camera().insert(sky_cube(&server, "sky.dds"));
    let reflecting = |specular: [f32; 4]| {
        let mut parameters = matte_parameters("base.tga");
        parameters[1] = Parameter::float4("Specular", specular);
        parameters.push(Parameter::texture("NormalTexture", "normal.tga"));
        parameters
    };
    let gloss = 200.0 / 255.0;
    for (shader, format, parameters, expected) in [
        (
            "RSkinBumpReflectColorize.fx",
            "alD3dVertNU2U3U3",
            reflecting([1.0, 0.8, 0.6, 0.0]),
            gloss * Vec3::new(1.0, 0.8, 0.6),
        ),
        (
            "MeshAdditiveReflection.fx",
            "alD3dVertNU2C",
            vec![Parameter::float4("Color", [0.6, 0.9, 1.0, 0.0])],
            Vec3::new(0.6, 0.9, 1.0),
        ),
        (
            "MeshAdditiveReflection.fx",
            "alD3dVertNU2C",
            vec![],
            Vec3::splat(0.5),
        ),
        (
            "MeshBumpColorize.fx",
            "alD3dVertNU2U3U3",
            reflecting([0.0; 4]),
            Vec3::ZERO,
        ),
    ] {
        let bytes = one_box(shader, format, parameters);
        let file = stage.add_files(&[(FILE, bytes), base.clone(), normal.clone()]);
        let root = stage.spawn_alo(file, ());
        let is_loaded =
            |_: &mut World| server.is_loaded_with_dependencies(&server.load::<Image>("sky.dds"));
        stage.wait_for("the sky is loaded", is_loaded);
        for normal in [Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
            // The box reaches 14 from (0, 4, 0). Looks at the center of a side at an angle.
            let center = Vec3::Y * 4.0 + normal * 14.0;
            let ray = (-normal + 0.5 * normal.zxy() + 0.3 * normal.yzx()).normalize();
            let eye = Transform::from_translation(center - ray * 50.0).looking_to(ray, Vec3::Y);
            stage.camera().insert(eye);
            let found = stage.capture().at(SIZE, 0.5, 0.5);
            let reflection = ray.reflect(normal);
            // To the axes of the games, in which the front, Bevy's −Z, is −Y.
            let of_games = Vec3::new(-reflection.x, reflection.z, reflection.y);
            let expected = expected * sky_color(of_games);
            // The sRGB curve is not a power, so products of dark colors differ a little.
            assert_near(
                found,
                expected.to_array(),
                7.0,
                &format!("{shader} at {normal}"),
            );
        }
        stage.despawn(root);
    }
}

/// Without an environment map, the highlight of the sun stays, and additive meshes show nothing.
#[test]
fn reflecting_shaders_without_a_sky_have_a_highlight() {
    let mut stage = Stage::new(&[]);
    let base = ("base.tga", tga(&[[255, 255, 255, 0]; 4]));
    let parameters = || vec![Parameter::texture("BaseTexture", "base.tga")];
    let bytes = one_box(
        "MeshBumpReflectColorize.fx",
        "alD3dVertNU2U3U3",
        parameters(),
    );
    let file = stage.add_files(&[(FILE, bytes), base.clone()]);
    let root = stage.spawn_alo(file, ());
    let reflecting = stage.capture();
    stage.despawn(root);
    let bytes = one_box("MeshBumpColorize.fx", "alD3dVertNU2U3U3", parameters());
    let file = stage.add_files(&[(FILE, bytes), base]);
    let root = stage.spawn_alo(file, ());
    reflecting.assert_matches(&stage.capture(), "a highlight");
    stage.despawn(root);
    let bytes = one_box("MeshAdditiveReflection.fx", "alD3dVertNU2C", vec![]);
    let file = stage.add_files(&[(FILE, bytes)]);
    stage.spawn_alo(file, ());
    assert_eq!(stage.capture().covered(), 0);
}
