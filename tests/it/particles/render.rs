//! What particles are drawn over and under, cameras, textures that are missing or change, and ring buffers that wrap.

use super::stage::*;
use crate::support::archives::Games;
use crate::support::prelude::*;
use bevy::render::RenderApp;
use bevy_classic_models::alamo::ParticleStatistics;
use classic_models_fixtures::particles::bytes;

const RED: [u8; 3] = [250, 20, 20];
const GREEN: [u8; 3] = [20, 250, 20];
const BACKGROUND: [u8; 3] = [0, 0, 51];

/// One opaque particle of a color and size in the middle.
fn square(color: [u8; 3], size: f32) -> Emitter<'static> {
    let mut emitter = emitter(Properties {
        in_bursts: true,
        bursts: 1,
        blend_mode: 2,
        lifetime: 100.0,
        ..Properties::default()
    });
    let [red, green, blue] = color.map(|value| Track::constant(value.into()));
    emitter.tracks.red = red;
    emitter.tracks.green = green;
    emitter.tracks.blue = blue;
    emitter.tracks.scale = Track::constant(size);
    emitter
}

fn white() -> Vec<u8> {
    tga(&texels(4, |_, _| [255; 4]))
}

/// The color at fractions of the image from the upper left.
fn at(picture: &Picture, x: f32, y: f32) -> [u8; 3] {
    let (x, y) = ((320.0 * x) as usize, (240.0 * y) as usize);
    let [r, g, b, _] = picture.0[y * 320 + x];
    [r, g, b]
}

#[track_caller]
fn assert_color(found: [u8; 3], expected: [u8; 3], what: &str) {
    let is_near = found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 2);
    assert!(is_near, "{what}: {found:?} instead of {expected:?}");
}

/// A stage with a system of these emitters at one second. The camera looks at the origin along −Z.
fn stage_of(emitters: Vec<Emitter<'static>>) -> (Stage, Entity) {
    let mut stage = Stage::dark(&[("p.alo", bytes(emitters)), ("atlas.tga", white())]);
    let system = stage.spawn_particles("p.alo", upright());
    stage.simulate(system, SEED, 1.0);
    look(&mut stage);
    (stage, system)
}

fn look(stage: &mut Stage) {
    stage
        .camera()
        .insert(Transform::from_xyz(0.0, 0.0, 40.0).looking_at(Vec3::ZERO, Vec3::Y));
}

#[test]
fn emitters_are_drawn_over_those_that_their_particles_spawn() {
    let mut parent = square(RED, 20.0);
    parent.spawn_during_life = Some(1);
    // The evaluator of roots does not run children, so the test adds the child's particle.
    let (mut stage, system) = stage_of(vec![parent, square(GREEN, 30.0)]);
    let add = |world: &mut World, system: Entity| {
        let mut records = world.get_mut::<ParticleRecords>(system).unwrap();
        let record = *records.emitters[0].records().next().unwrap();
        records.emitters[1].clear();
        records.emitters[1].push(record, Draws::default());
        records.emitters[1].time = records.emitters[0].time;
    };
    add(stage.world(), system);
    let picture = stage.capture();
    assert_color(at(&picture, 0.5, 0.5), RED, "the parent is in front");
    assert_color(at(&picture, 0.5, 0.13), GREEN, "the child is larger");

    // Roots are drawn in file order.
    let (mut stage, _) = stage_of(vec![square(RED, 30.0), square(GREEN, 20.0)]);
    let picture = stage.capture();
    assert_color(at(&picture, 0.5, 0.5), GREEN, "the second root is in front");
    assert_color(at(&picture, 0.5, 0.13), RED, "the first root is larger");
}

#[test]
fn systems_are_drawn_back_to_front() {
    let files = [
        ("red.alo", bytes(vec![square(RED, 15.0)])),
        ("green.alo", bytes(vec![square(GREEN, 15.0)])),
        ("atlas.tga", white()),
    ];
    for (red, green, expected) in [(5.0, -5.0, RED), (-5.0, 5.0, GREEN)] {
        let mut stage = Stage::dark(&files);
        for (file, z) in [("red.alo", red), ("green.alo", green)] {
            let transform = upright().with_translation(Vec3::Z * z);
            let system = stage.spawn_particles(file, transform);
            stage.simulate(system, SEED, 1.0);
        }
        look(&mut stage);
        assert_color(at(&stage.capture(), 0.5, 0.5), expected, "the nearer one");
    }
}

/// An opaque mesh of one color.
fn blue_mesh(
    stage: &mut Stage,
    mesh: impl Into<Mesh>,
) -> (Mesh3d, MeshMaterial3d<StandardMaterial>) {
    let mesh = stage.add_asset(mesh.into());
    let material = stage.add_material(StandardMaterial {
        base_color: Color::srgb(0.0, 0.0, 1.0),
        unlit: true,
        ..default()
    });
    (Mesh3d(mesh), material)
}

#[test]
fn opaque_surfaces_hide_particles_with_a_depth_test() {
    for (no_depth_test, expected) in [(false, [0, 0, 255]), (true, RED)] {
        let mut emitter = square(RED, 10.0);
        emitter.properties.no_depth_test = no_depth_test;
        let (mut stage, _) = stage_of(vec![emitter]);
        let mesh = blue_mesh(&mut stage, Cuboid::new(20.0, 20.0, 1.0));
        let box_in_front = (mesh, Transform::from_xyz(0.0, 0.0, 10.0));
        stage.world().spawn(box_in_front);
        assert_color(at(&stage.capture(), 0.5, 0.5), expected, "behind the box");
    }
}

/// Emitters that show the background moved.
mod heat {
    use super::*;
    use bevy::camera::Viewport;
    use bevy::pbr::ScreenSpaceTransmission;
    use bevy_classic_models::alamo::particles::plugins::{Value, write::write};
    use classic_models_fixtures::plugins::{self, plugin};

    const WIDTH: usize = 320;
    const HEIGHT: usize = 240;

    /// Colored boxes behind the origin, and an emitter of one particle that covers the middle of the picture.
    fn stage(emitter: Emitter<'static>, texel: [u8; 4]) -> (Stage, Entity) {
        stage_of_file(bytes(vec![emitter]), texel)
    }

    fn stage_of_file(file: Vec<u8>, texel: [u8; 4]) -> (Stage, Entity) {
        let texture = tga(&texels(4, |_, _| texel));
        let files = [("p.alo", file), ("atlas.tga", texture)];
        let mut stage = Stage::dark(&files);
        let system = stage.spawn_particles("p.alo", upright());
        stage.simulate(system, SEED, 1.0);
        look(&mut stage);
        for index in 0..49_u8 {
            let [x, y] = [index % 7, index / 7].map(|it| 6.0 * (f32::from(it) - 3.0));
            let mesh = stage.add_asset(Cuboid::new(4.0, 3.0, 1.0).into());
            let color = Color::srgb_u8(5 * index, 250 - 4 * index, 40 * (index % 7));
            let material = stage.add_material(StandardMaterial {
                base_color: color,
                unlit: true,
                ..default()
            });
            let at = Transform::from_xyz(x, y, -5.0);
            stage.world().spawn((Mesh3d(mesh), material, at));
        }
        (stage, system)
    }

    fn heat() -> Emitter<'static> {
        let mut emitter = square([255; 3], 12.0);
        emitter.properties.heat = true;
        emitter
    }

    /// Whether a color is between those of the pixels around a point: the background is filtered.
    fn is_near(picture: &Picture, [x, y]: [i32; 2], found: [u8; 4]) -> bool {
        let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
        let colors = around.map(|(x, y)| picture.0[y as usize * WIDTH + x as usize]);
        let colors: Vec<[u8; 4]> = colors.collect();
        (0..3).all(|channel| {
            let values = colors.iter().map(|color| i32::from(color[channel]));
            let (min, max) = (values.clone().min().unwrap(), values.max().unwrap());
            (min - 2..=max + 2).contains(&i32::from(found[channel]))
        })
    }

    /// Asserts that pixels near the middle are those of a picture without heat, moved by this many pixels.
    #[track_caller]
    fn assert_moved(without: &Picture, with: &Picture, [x, y]: [i32; 2], what: &str) {
        let mut different = 0;
        for row in HEIGHT / 2 - 20..HEIGHT / 2 + 20 {
            for column in WIDTH / 2 - 20..WIDTH / 2 + 20 {
                let found = with.0[row * WIDTH + column];
                different += usize::from(found != without.0[row * WIDTH + column]);
                let moved = [column as i32 + x, row as i32 + y];
                assert!(
                    is_near(without, moved, found),
                    "{what}: {found:?} at {column}, {row}"
                );
            }
        }
        assert_eq!(
            different > 200,
            x != 0 || y != 0,
            "{what}: {different} pixels"
        );
    }

    #[test]
    fn heat_moves_what_is_behind_it_on_the_screen() {
        // The texel's direction, its alpha, the blend mode by which the emitter has heat, and the movement in pixels.
        for (texel, blend_mode, moved) in [
            ([255, 128, 0, 51], None, [16, 0]),
            ([0, 128, 0, 51], None, [-16, 0]),
            ([128, 255, 0, 51], None, [0, 12]),
            ([255, 255, 0, 102], None, [32, 24]),
            ([255, 128, 0, 0], None, [0, 0]),
            ([255, 128, 0, 239], Some(10), [3, 0]),
        ] {
            let mut emitter = heat();
            if let Some(blend_mode) = blend_mode {
                emitter.properties.heat = false;
                emitter.properties.blend_mode = blend_mode;
            }
            let (mut stage, system) = stage(emitter, texel);
            let what = format!("{texel:?}, {blend_mode:?}");
            for msaa in [Msaa::Off, Msaa::Sample4] {
                stage.camera().insert(msaa);
                let with = stage.capture();
                stage.insert(system, Visibility::Hidden);
                let without = stage.capture();
                stage.insert(system, Visibility::Inherited);
                assert_moved(&without, &with, moved, &what);
            }
        }
    }

    #[test]
    fn heat_of_plugins_is_scaled_by_their_distortion() {
        for (distortion, moved) in [(1.0, [16, 0]), (2.0, [32, 0]), (0.0, [0, 0])] {
            let size = plugin("constant_size", [("size", Value::F32(6.0))]);
            let creator = plugin("shape", plugins::burst(1.0));
            let mut emitter = plugins::emitter("Shimmer", creator, 100.0, [size]);
            let renderer = [
                ("texture", Value::Text("atlas.tga".into())),
                ("distortion", Value::F32(distortion)),
            ];
            emitter.renderer = plugin("heat_saturation", renderer);
            let file = write(&plugins::system([emitter])).unwrap();
            let (mut stage, system) = stage_of_file(file, [255, 128, 0, 51]);
            let with = stage.capture();
            stage.insert(system, Visibility::Hidden);
            let without = stage.capture();
            assert_moved(&without, &with, moved, &format!("distortion {distortion}"));
        }
    }

    #[test]
    fn tint_and_the_track_scale_heat_and_surfaces_in_front_hide_it() {
        let mut emitter = heat();
        emitter.tracks.alpha = Track::constant(128.0);
        let (mut stage, system) = stage(emitter, [255, 128, 0, 102]);
        let with = stage.capture();
        stage.insert(system, Visibility::Hidden);
        let without = stage.capture();
        stage.insert(system, Visibility::Inherited);
        assert_moved(&without, &with, [16, 0], "half of the track's alpha");
        let mut records = stage.get_mut::<ParticleRecords>(system);
        records.tint.alpha = 0.5;
        let with = stage.capture();
        assert_moved(&without, &with, [8, 0], "half of the tint's alpha");
        stage.insert(system, upright().with_translation(Vec3::NEG_Z * 12.0));
        stage.simulate(system, SEED, 1.0);
        let behind = stage.capture();
        let middle = |picture: &Picture| at(picture, 0.5, 0.5);
        assert_eq!(middle(&behind), middle(&without), "behind a box");
    }

    #[test]
    fn cameras_without_transmission_and_missing_textures_show_no_heat() {
        let (mut stage, system) = stage(heat(), [255, 128, 0, 102]);
        let with = stage.capture();
        let steps = |steps| ScreenSpaceTransmission { steps, ..default() };
        stage.camera().insert(steps(0));
        let without = stage.capture();
        assert!(with.different(&without) > 200);
        stage.camera().insert(steps(3));
        assert_eq!(stage.capture().different(&with), 0, "several steps");
        stage.insert(system, Visibility::Hidden);
        assert_eq!(stage.capture().different(&without), 0, "hidden");

        let files = [("p.alo", bytes(vec![heat()]))];
        let mut stage = Stage::dark(&files);
        let system = stage.spawn_particles("p.alo", upright());
        stage.simulate(system, SEED, 1.0);
        look(&mut stage);
        assert_color(at(&stage.capture(), 0.5, 0.5), BACKGROUND, "no texture");
    }

    #[test]
    fn heat_stays_in_the_viewport_of_its_camera() {
        let (mut stage, system) = stage(heat(), [255, 128, 0, 51]);
        let size = UVec2::new(WIDTH as u32 / 2, HEIGHT as u32);
        let viewport = Viewport {
            physical_position: UVec2::new(WIDTH as u32 / 2, 0),
            physical_size: size,
            ..default()
        };
        stage.camera().get_mut::<Camera>().unwrap().viewport = Some(viewport);
        let with = stage.capture();
        stage.insert(system, Visibility::Hidden);
        let without = stage.capture();
        for column in 230..250 {
            let found = with.0[HEIGHT / 2 * WIDTH + column];
            let moved = [column as i32 + 8, HEIGHT as i32 / 2];
            assert!(is_near(&without, moved, found), "{found:?} at {column}");
        }
    }
}

/// Where blended particles meet surfaces, with a depth prepass.
mod soft {
    use super::*;
    use bevy::core_pipeline::prepass::DepthPrepass;

    /// The edge of the particles; half of it is twice the distance from which they fade.
    const SIZE: f32 = 20.0;
    const FADE_DISTANCE: f32 = 5.0;
    const BLUE: [u8; 3] = [0, 0, 255];

    /// A particle of a blend mode in front of a wall at a distance.
    fn stage_before_wall(properties: Properties, distance: f32) -> (Stage, Entity) {
        let mut emitter = square(RED, SIZE);
        emitter.properties = Properties {
            blend_mode: properties.blend_mode,
            no_depth_test: properties.no_depth_test,
            ..emitter.properties
        };
        let (mut stage, system) = stage_of(vec![emitter]);
        let mesh = blue_mesh(&mut stage, Cuboid::new(60.0, 60.0, 1.0));
        let wall = (mesh, Transform::from_xyz(0.0, 0.0, -0.5 - distance));
        stage.world().spawn(wall);
        stage.camera().insert(DepthPrepass);
        (stage, system)
    }

    /// The blend of a share of [`RED`] with [`BLUE`].
    fn expected(blend_mode: u32, share: f32) -> [u8; 3] {
        let linear = |[r, g, b]: [u8; 3]| Color::srgb_u8(r, g, b).to_linear().to_vec3();
        let (front, behind) = (linear(RED), linear(BLUE));
        let blended = match blend_mode {
            1 | 4 => behind + front * share,
            _ => behind.lerp(front, share),
        };
        let blended = LinearRgba::from_vec3(blended.min(Vec3::ONE));
        Srgba::from(blended).to_u8_array_no_alpha()
    }

    #[test]
    fn particles_fade_in_front_of_surfaces() {
        for blend_mode in [1, 2, 4, 5] {
            for share in [0.0, 0.2, 0.5, 0.8, 1.0, 3.0] {
                let properties = Properties {
                    blend_mode,
                    ..Properties::default()
                };
                let (mut stage, _) = stage_before_wall(properties, share * FADE_DISTANCE + 0.001);
                let what = format!("mode {blend_mode}, {share} of the distance");
                let color = expected(blend_mode, share.min(1.0));
                assert_color(at(&stage.capture(), 0.5, 0.5), color, &what);
                let orthographic = Projection::from(OrthographicProjection {
                    scaling_mode: bevy::camera::ScalingMode::FixedVertical {
                        viewport_height: 30.0,
                    },
                    ..OrthographicProjection::default_3d()
                });
                stage.camera().insert((Msaa::Off, orthographic));
                let what = format!("{what}, orthographic");
                assert_color(at(&stage.capture(), 0.5, 0.5), color, &what);
            }
        }
    }

    #[test]
    fn a_modulating_particle_fades_to_no_change() {
        let mut emitter = square([0; 3], SIZE);
        emitter.properties.blend_mode = 3;
        let black = tga(&texels(4, |_, _| [0, 0, 0, 255]));
        let mut stage = Stage::dark(&[("p.alo", bytes(vec![emitter])), ("atlas.tga", black)]);
        let system = stage.spawn_particles("p.alo", upright());
        stage.simulate(system, SEED, 1.0);
        look(&mut stage);
        let mesh = blue_mesh(&mut stage, Cuboid::new(60.0, 60.0, 1.0));
        let wall = (
            mesh,
            Transform::from_xyz(0.0, 0.0, -0.5 - 0.5 * FADE_DISTANCE),
        );
        stage.world().spawn(wall);
        assert_color(at(&stage.capture(), 0.5, 0.5), [0; 3], "without a prepass");
        stage.camera().insert(DepthPrepass);
        assert_color(at(&stage.capture(), 0.5, 0.5), [0, 0, 188], "half faded");
    }

    #[test]
    fn only_blended_particles_with_a_depth_test_fade() {
        let properties = |blend_mode, no_depth_test| Properties {
            blend_mode,
            no_depth_test,
            ..Properties::default()
        };
        let near = 0.2 * FADE_DISTANCE;
        let (mut stage, _) = stage_before_wall(properties(2, true), near);
        assert_color(at(&stage.capture(), 0.5, 0.5), RED, "no depth test");
        let (mut stage, _) = stage_before_wall(properties(0, false), near);
        assert_color(at(&stage.capture(), 0.5, 0.5), RED, "opaque");
        let (mut stage, _) = stage_before_wall(properties(2, false), near);
        stage.camera().remove::<DepthPrepass>();
        assert_color(at(&stage.capture(), 0.5, 0.5), RED, "without a prepass");
    }

    #[test]
    fn flat_particles_on_the_ground_do_not_fade() {
        let mut emitter = square(RED, SIZE);
        emitter.properties.flat = true;
        let (mut stage, _) = stage_of(vec![emitter]);
        let mesh = blue_mesh(&mut stage, Cuboid::new(60.0, 1.0, 60.0));
        stage
            .world()
            .spawn((mesh, Transform::from_xyz(0.0, -0.6, 0.0)));
        let above = Transform::from_xyz(0.0, 40.0, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
        stage.camera().insert((DepthPrepass, above));
        assert_color(at(&stage.capture(), 0.5, 0.5), RED, "on the ground");
    }
}

#[test]
fn opaque_particles_write_depth() {
    let mut opaque = square(RED, 10.0);
    opaque.properties.blend_mode = 0;
    let mut behind = square(GREEN, 20.0);
    behind.position = Shape::Exact([0.0, 10.0, 0.0]).into();
    let (mut stage, _) = stage_of(vec![opaque, behind]);
    let picture = stage.capture();
    assert_color(at(&picture, 0.5, 0.5), RED, "the opaque particle");
    assert_color(at(&picture, 0.5, 0.3), GREEN, "the particle behind it");
}

#[test]
fn an_entity_may_have_a_blended_mesh_and_particles() {
    let mut square = square(RED, 5.0);
    // Beside the mesh.
    square.position = Shape::Exact([15.0, 0.0, 0.0]).into();
    let (mut stage, system) = stage_of(vec![square]);
    let mesh = Mesh::from(Rectangle::new(20.0, 20.0));
    let mesh = stage.add_asset(mesh);
    let material = stage.add_material(StandardMaterial {
        base_color: Color::srgb(0.0, 0.0, 1.0),
        unlit: true,
        alpha_mode: AlphaMode::Blend,
        cull_mode: None,
        ..default()
    });
    // The system's rotation would show the rectangle from its edge.
    stage.insert(system, (Mesh3d(mesh), material, Transform::default()));
    let picture = stage.capture();
    assert_color(at(&picture, 0.5, 0.3), [0, 0, 255], "the mesh");
    assert_color(at(&picture, 0.84, 0.5), RED, "the particle");
}

#[test]
fn fog_does_not_change_particles() {
    let (mut stage, _) = stage_of(vec![square(RED, 10.0)]);
    let mesh = blue_mesh(&mut stage, Cuboid::new(10.0, 10.0, 1.0));
    let beside = (mesh, Transform::from_xyz(15.0, 0.0, 0.0));
    stage.world().spawn(beside);
    let [green, blue] = [[0, 255, 0], [0, 0, 255]];
    assert_color(at(&stage.capture(), 0.84, 0.5), blue, "the box without fog");
    stage.camera().insert(DistanceFog {
        color: Color::srgb(0.0, 1.0, 0.0),
        falloff: FogFalloff::Linear {
            start: 1.0,
            end: 2.0,
        },
        ..default()
    });
    let picture = stage.capture();
    assert_color(at(&picture, 0.84, 0.5), green, "the box in fog");
    assert_color(at(&picture, 0.5, 0.5), RED, "the particle in fog");
}

#[test]
fn visibility_layers_and_tint_apply() {
    let (mut stage, system) = stage_of(vec![square([255; 3], 20.0)]);
    let middle = |stage: &mut Stage| at(&stage.capture(), 0.5, 0.5);
    assert_color(middle(&mut stage), [255; 3], "visible");
    stage.insert(system, Visibility::Hidden);
    assert_color(middle(&mut stage), BACKGROUND, "hidden");
    let layer = (Visibility::Inherited, RenderLayers::layer(1));
    stage.insert(system, layer);
    assert_color(middle(&mut stage), BACKGROUND, "on another layer");
    stage.camera().insert(RenderLayers::layer(1));
    assert_color(middle(&mut stage), [255; 3], "on the camera's layer");
    let mut records = stage.get_mut::<ParticleRecords>(system);
    records.tint = Color::srgb(1.0, 0.5, 0.25).to_linear();
    assert_color(middle(&mut stage), [255, 128, 64], "tinted");
    stage.remove::<ParticleRecords>(system);
    assert_color(middle(&mut stage), BACKGROUND, "removed");
}

#[test]
fn cameras_of_all_kinds_draw_the_same() {
    let (mut stage, _) = stage_of(vec![square([180, 90, 40], 20.0)]);
    let expected = [180, 90, 40];
    let check = |stage: &mut Stage, what: &str| {
        assert_color(at(&stage.capture(), 0.5, 0.5), expected, what);
    };
    check(&mut stage, "plain");
    stage.camera().insert(Msaa::Sample4);
    check(&mut stage, "multisampled");
    stage.camera().insert(Hdr);
    check(&mut stage, "HDR and multisampled");
    stage.camera().insert(Msaa::Off);
    check(&mut stage, "HDR");
    stage
        .camera()
        .insert((DepthPrepass, NormalPrepass, MotionVectorPrepass));
    check(&mut stage, "HDR with prepasses");
    stage.camera().remove::<Hdr>();
    check(&mut stage, "with prepasses");
    stage
        .camera()
        .insert(Projection::Orthographic(OrthographicProjection {
            scale: 0.1,
            ..OrthographicProjection::default_3d()
        }));
    check(&mut stage, "orthographic");
}

#[test]
fn tone_mapping_is_the_same_in_the_shader_and_after_it() {
    let mut emitter = square([180, 90, 40], 20.0);
    emitter.properties.blend_mode = 0;
    let (mut stage, _) = stage_of(vec![emitter]);
    for method in [
        Tonemapping::Reinhard,
        Tonemapping::AcesFitted,
        Tonemapping::TonyMcMapface,
    ] {
        stage.camera().insert(method).remove::<Hdr>();
        let in_shader = at(&stage.capture(), 0.5, 0.5);
        stage.camera().insert(Hdr);
        let after = at(&stage.capture(), 0.5, 0.5);
        assert_color(in_shader, after, &format!("{method:?}"));
        assert_ne!(in_shader, [180, 90, 40], "{method:?}");
    }
}

#[test]
fn two_cameras_draw_at_once() {
    let (mut stage, _) = stage_of(vec![square(RED, 10.0)]);
    let half = |x| Viewport {
        physical_position: UVec2::new(x, 0),
        physical_size: UVec2::new(160, 240),
        ..default()
    };
    stage.camera().get_mut::<Camera>().unwrap().viewport = Some(half(0));
    let target = stage.headless.render_target();
    stage.world().spawn((
        Camera3d::default(),
        Camera {
            viewport: Some(half(160)),
            order: 1,
            clear_color: ClearColorConfig::None,
            ..default()
        },
        target,
        Tonemapping::None,
        Msaa::Off,
        Transform::from_xyz(-40.0, 0.0, 20.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    let picture = stage.capture();
    assert_color(at(&picture, 0.25, 0.5), RED, "the first camera");
    assert_color(at(&picture, 0.75, 0.5), RED, "the second camera");
    assert_color(at(&picture, 0.75, 0.02), BACKGROUND, "beside the square");
}

#[test]
fn an_archive_draws_the_same_as_loose_files() {
    let texture = tga(&texels(16, |x, y| [255, 16 * x as u8, 16 * y as u8, 255]));
    let files = [
        ("p.alo", bytes(vec![square([255; 3], 20.0)])),
        ("atlas.tga", texture),
    ];
    let pictures = [false, true].map(|is_archive| {
        let games = Games::new();
        let mut stage = if is_archive {
            games.pack("particles.meg", &files);
            let source = ArchiveSource::new().archive(games.path("particles.meg"));
            Stage::with_source("meg", source.unwrap())
        } else {
            Stage::dark(&files)
        };
        let path = if is_archive { "meg://p.alo" } else { "p.alo" };
        let system = stage.spawn_particles(path, upright());
        stage.simulate(system, SEED, 1.0);
        look(&mut stage);
        stage.capture()
    });
    let [loose, archive] = &pictures;
    let [red, ..] = at(archive, 0.5, 0.5);
    assert!(red > 200, "{red}");
    assert_eq!(loose.0, archive.0);
}

#[test]
fn missing_and_broken_textures_are_outlines_in_all_blend_modes() {
    let mut stage = Stage::dark(&[]);
    look(&mut stage);
    // Opaque, additive, alpha, modulated.
    for (mode, tiles) in [(0, 1), (1, 4), (2, 1), (2, 16), (3, 1)] {
        for is_broken in [false, true] {
            let mut emitter = square([255; 3], 20.0);
            emitter.properties.blend_mode = mode;
            emitter.properties.texture_elements = tiles;
            emitter.tracks.index = Track::constant(5.0);
            emitter.color_texture = "p_missing_texture.tga".into();
            let mut files = vec![("p.alo", bytes(vec![emitter]))];
            files.extend(is_broken.then(|| ("p_missing_texture.tga", vec![0, 0, 2, 0])));
            let file = stage.add_files(&files);
            let system = stage.spawn_particles(file, upright());
            stage.simulate(system, SEED, 1.0);
            let picture = stage.capture();
            stage.despawn(system);
            let what = format!("mode {mode}, {tiles} tiles, broken: {is_broken}");
            for (x, y) in [(0.5, 0.5), (0.33, 0.27), (0.5, 0.25)] {
                assert_color(at(&picture, x, y), BACKGROUND, &what);
            }
            if mode != 3 {
                assert_color(at(&picture, 0.5, 0.43), [255, 0, 255], &what);
            }
        }
    }
    assert!(!log::warnings_with("p_missing_texture.tga").is_empty());
}

#[test]
fn an_edited_texture_is_drawn() {
    let files = [
        ("p.alo", bytes(vec![square([255; 3], 20.0)])),
        ("atlas.tga", white()),
    ];
    let mut stage = Stage::watching(&files);
    let system = stage.spawn_particles("p.alo", upright());
    stage.simulate(system, SEED, 1.0);
    look(&mut stage);
    assert_color(at(&stage.capture(), 0.5, 0.5), [255; 3], "before the edit");
    // The new image has another size, so Bevy makes another texture.
    let edited = tga(&texels(16, |_, _| [40, 200, 90, 255]));
    std::fs::write(stage.folder().join("atlas.tga"), edited).unwrap();
    let mut patience = Patience::new(200);
    loop {
        stage.wait_until_idle();
        let color = at(&stage.capture(), 0.5, 0.5);
        if color != [255; 3] {
            assert_color(color, [40, 200, 90], "after the edit");
            return;
        }
        assert!(!patience.is_exhausted(), "the edit is not drawn");
        patience.wait();
    }
}

#[test]
fn an_edited_file_is_drawn_with_the_new_tracks() {
    let files = [
        ("p.alo", bytes(vec![square(RED, 20.0)])),
        ("atlas.tga", white()),
    ];
    let mut stage = Stage::watching(&files);
    let system = stage.spawn_particles("p.alo", upright());
    stage.simulate(system, SEED, 1.0);
    look(&mut stage);
    assert_color(at(&stage.capture(), 0.5, 0.5), RED, "before the edit");
    std::fs::write(
        stage.folder().join("p.alo"),
        bytes(vec![square(GREEN, 20.0)]),
    )
    .unwrap();
    let mut patience = Patience::new(200);
    loop {
        stage.wait_until_idle();
        let color = at(&stage.capture(), 0.5, 0.5);
        if color != RED {
            assert_color(color, GREEN, "after the edit");
            return;
        }
        assert!(!patience.is_exhausted(), "the edit is not drawn");
        patience.wait();
    }
}

#[test]
fn living_records_are_one_draw_while_new_ones_replace_dead_ones() {
    let mut stream = emitter(Properties {
        particles_per_second: 10,
        blend_mode: 2,
        lifetime: 1.0,
        random_lifetime: 0.3,
        ..Properties::default()
    });
    stream.velocity = Shape::Box([-8.0, -8.0, 0.0], [8.0, 8.0, 16.0]).into();
    stream.tracks.scale = Track::constant(8.0);
    stream.tracks.red = Track::linear(&[[0.0, 255.0], [1.0, 0.0]]);
    let (mut stage, system) = stage_of(vec![stream]);
    stage.move_camera(VIEWS[0] * 0.5);
    let camera = stage.camera().get::<Transform>().unwrap().rotation;
    let texture = stage.add_image(&texels(4, |_, _| [255; 4]));
    let material = stage.add_material(control_material(texture, AlphaMode::Blend));
    let mut before = 1.0;
    // Eleven live at once, in 16 slots. The vertex buffer has 24 slots, so its end is reached several times.
    for step in 0..60 {
        let time = 1.0 + 0.11 * f64::from(step);
        stage
            .world()
            .resource_scope(|world, assets: Mut<Assets<AloParticles>>| {
                let affine = world.get::<Transform>(system).unwrap().compute_affine();
                let mut records = world.get_mut::<ParticleRecords>(system).unwrap();
                let particles = assets.get(&records.particles).unwrap();
                add_births(&mut records, particles, affine, SEED, Some(before), time);
                assert!(records.emitters[0].capacity() <= 16);
            });
        before = time;
        // While it is hidden, all its records are replaced.
        match step {
            21 => stage.insert(system, Visibility::Hidden),
            32 => stage.insert(system, Visibility::Visible),
            // All records are uploaded again, from another slot on.
            40 => {
                let mut records = stage.get_mut::<ParticleRecords>(system);
                records.emitters[0].rebase(0.0);
            }
            _ => {}
        }
        stage.headless.step(0.0);
        if ![11, 12, 13, 20, 32, 33, 40, 59].contains(&step) {
            continue;
        }
        let drawn = stage.capture();
        let (emitters, particles) = stage.evaluated(system, SEED, time);
        let quads: Vec<Quad> = particles[0]
            .iter()
            .map(|particle| quad(&emitters[0], particle, camera))
            .collect();
        let mesh = control_mesh(&quads, |alpha| alpha);
        let control = stage.capture_controls(system, vec![(mesh, material.clone())]);
        stage.headless.step(0.0);
        let statistics = stage.headless.app.sub_app(RenderApp).world();
        let statistics = *statistics.resource::<ParticleStatistics>();
        assert_eq!(statistics.systems, 1);
        assert_eq!(statistics.draws, 1);
        assert_eq!(statistics.buffer_bytes, 24 * 64);
        keep(&drawn, &control, &format!("ring {step}"));
        drawn.assert_matches(&control, &format!("ring {step}"));
    }
}

#[test]
fn particles_are_drawn_while_buffers_are_added_and_freed() {
    const RECORD: u64 = 64;
    const PAGE: u64 = 1 << 20;
    let mut burst = emitter(Properties {
        in_bursts: true,
        bursts: 1,
        particles_per_burst: 20_000,
        lifetime: 100.0,
        ..Properties::default()
    });
    burst.tracks.scale = Track::constant(0.0);
    let files = [
        ("p.alo", bytes(vec![square(RED, 20.0)])),
        ("burst.alo", bytes(vec![burst])),
        ("atlas.tga", white()),
    ];
    let mut stage = Stage::dark(&files);
    let system = stage.spawn_particles("p.alo", upright());
    stage.simulate(system, SEED, 1.0);
    look(&mut stage);
    let is_drawn = |stage: &mut Stage, what: &str| {
        assert_color(at(&stage.capture(), 0.5, 0.5), RED, what);
        let world = stage.headless.app.sub_app(RenderApp).world();
        *world.resource::<ParticleStatistics>()
    };
    // One record in 8 slots.
    let small = 12 * RECORD;
    let statistics = is_drawn(&mut stage, "alone");
    assert_eq!(statistics.buffer_bytes, small);
    assert_eq!(statistics.spare_bytes, PAGE - small);

    let large = stage.spawn_particles("burst.alo", upright());
    stage.simulate(large, SEED, 1.0);
    let statistics = is_drawn(&mut stage, "beside a burst");
    // 20,000 records in 32,768 slots, in a buffer of their own.
    assert_eq!(statistics.buffer_bytes, small + 49_152 * RECORD);
    assert_eq!(statistics.spare_bytes, PAGE - small);

    stage.despawn(large);
    let statistics = is_drawn(&mut stage, "after the burst");
    assert_eq!(statistics.buffer_bytes, small);
    assert_eq!(statistics.spare_bytes, PAGE - small);
}

#[test]
fn systems_at_many_positions_are_drawn_once_each() {
    let (mut stage, first) = stage_of(vec![square(RED, 1.0)]);
    let grid = (0..100).map(|index| Vec3::new((index % 10) as f32, (index / 10) as f32, 0.0));
    let places: Vec<_> = grid
        .map(|cell| (cell - Vec3::new(4.5, 4.5, 0.0)) * 2.0)
        .collect();
    stage.despawn(first);
    let particles = stage.particles("p.alo");
    for place in &places {
        let system = stage.spawn_system(&particles, upright().with_translation(*place));
        stage.simulate(system, SEED, 1.0);
    }
    let picture = stage.capture();
    let world = stage.headless.app.sub_app(RenderApp).world();
    let statistics = *world.resource::<ParticleStatistics>();
    assert_eq!((statistics.systems, statistics.draws), (100, 100));
    // The camera sees 33.1 units of the height at this distance.
    let pixels = 240.0 / (2.0 * 40.0 * (std::f32::consts::FRAC_PI_8).tan());
    for place in places {
        let (x, y) = (160.0 + place.x * pixels, 120.0 - place.y * pixels);
        assert_color(at(&picture, x / 320.0, y / 240.0), RED, &format!("{place}"));
    }
    assert_color(at(&picture, 0.5, 0.5), BACKGROUND, "between the systems");
}
