//! Rendered dazzles: position, size, texture, brightness over time, and additive blending.

use crate::support::prelude::*;
use bevy_classic_models::alamo::{dazzle_intensity, dazzle_mesh};
use std::f32::consts::{FRAC_PI_8, PI};

const WIDTH: usize = 320;
const HEIGHT: usize = 240;

fn dazzle(position: [f32; 3]) -> Dazzle<'static> {
    Dazzle {
        color: [1.0, 1.0, 1.0],
        position,
        radius: 1.0,
        slot_x: 0,
        slot_y: 0,
        num_slots: 1,
        texture: "white.tga".into(),
        frequency: 0.0,
        phase: 0.0,
        night_only: false,
        bone: 0,
        name: "light".into(),
        is_hidden: false,
        bias: None,
    }
}

/// A square image of these texels.
fn image(texels: &[[u8; 4]]) -> Image {
    let mut image = alo_stage::image(texels, true);
    image.sampler = ImageSampler::nearest();
    image
}

const WHITE: [[u8; 4]; 1] = [[255, 255, 255, 255]];

struct NightStage {
    stage: Stage,
    camera: Transform,
}

impl NightStage {
    /// A black stage. The camera is at Z 20 and looks along −Z.
    fn new() -> Self {
        let mut night = Self {
            stage: Stage::dark(&[]),
            camera: Transform::default(),
        };
        night.set_camera(Vec3::new(0.0, 0.0, 20.0), Vec3::ZERO);
        night.background(Color::BLACK);
        night
    }

    fn background(&mut self, color: Color) {
        self.stage.insert_resource(ClearColor(color));
    }

    fn set_camera(&mut self, from: Vec3, to: Vec3) {
        self.camera = Transform::from_translation(from).looking_at(to, Vec3::Y);
        let camera = self.camera;
        self.stage.camera().insert(camera);
    }

    fn spawn(&mut self, dazzles: &[Dazzle], texels: &[[u8; 4]], transform: Transform) -> Entity {
        let texture = self.stage.add_asset(image(texels));
        let material = self.stage.add_asset(DazzleMaterial { texture });
        let mesh = self.stage.add_asset(dazzle_mesh(dazzles));
        let entity = (Mesh3d(mesh), MeshMaterial3d(material), transform);
        self.stage.spawn_entity(entity)
    }

    /// Spawns one dazzle.
    fn spawn_one(&mut self, dazzle: Dazzle) -> Entity {
        self.spawn(&[dazzle], &WHITE, Transform::default())
    }

    fn capture(&mut self) -> Picture {
        self.stage.capture()
    }

    /// The pixel of a world position, from the left and upper edge.
    fn project(&self, position: Vec3) -> Vec2 {
        let in_view = self.camera.rotation.inverse() * (position - self.camera.translation);
        let pixels = self.pixels_per_unit(position);
        Vec2::new(
            WIDTH as f32 / 2.0 + in_view.x * pixels,
            HEIGHT as f32 / 2.0 - in_view.y * pixels,
        )
    }

    /// The pixels per world unit at a position. Bevy's default vertical field of view is 45°.
    fn pixels_per_unit(&self, position: Vec3) -> f32 {
        let in_view = self.camera.rotation.inverse() * (position - self.camera.translation);
        HEIGHT as f32 / 2.0 / (-in_view.z * FRAC_PI_8.tan())
    }

    fn color_at(&self, image: &Picture, position: Vec3) -> [u8; 3] {
        let Vec2 { x, y } = self.project(position);
        pixel(image, x, y)
    }

    fn seconds(&mut self) -> f32 {
        self.stage.world().resource::<Time>().elapsed_secs_wrapped()
    }
}

fn pixel(image: &Picture, x: f32, y: f32) -> [u8; 3] {
    let [r, g, b, _] = image.0[y as usize * WIDTH + x as usize];
    [r, g, b]
}

/// The bounds in pixels of everything that is not black.
fn lit_bounds(image: &Picture) -> Rect {
    let texels = image.0.iter().enumerate();
    let lit = texels.filter(|(_, texel)| texel[..3] != [0, 0, 0]);
    let mut bounds = Rect::EMPTY;
    for (index, _) in lit {
        let corner = Vec2::new((index % WIDTH) as f32, (index / WIDTH) as f32);
        bounds = bounds.union(Rect::from_corners(corner, corner + 1.0));
    }
    bounds
}

#[track_caller]
fn assert_near(found: [u8; 3], expected: [f32; 3], context: &str) {
    let is_near = |(found, expected): (u8, f32)| (f32::from(found) - 255.0 * expected).abs() <= 2.5;
    let is_near = found.into_iter().zip(expected).all(is_near);
    assert!(
        is_near,
        "{context}: {found:?}, expected {:?}",
        expected.map(|channel| 255.0 * channel)
    );
}

#[track_caller]
fn assert_square(image: &Picture, center: Vec2, half: f32, context: &str) {
    let found = lit_bounds(image);
    let expected = Rect::from_center_half_size(center, Vec2::splat(half));
    let error = (found.min - expected.min)
        .abs()
        .max((found.max - expected.max).abs());
    assert!(
        error.max_element() <= 1.0,
        "{context}: {found:?}, expected {expected:?}"
    );
    let lit = image
        .0
        .iter()
        .filter(|texel| texel[..3] != [0, 0, 0])
        .count() as f32;
    assert!(
        (lit / found.size().element_product() - 1.0).abs() < 0.01,
        "{context}: the square has holes"
    );
}

#[test]
fn dazzle_is_a_square_that_faces_the_camera() {
    let mut night = NightStage::new();
    let mut light = dazzle([1.0, 2.0, -1.0]);
    light.radius = 1.5;
    let transform = Transform::from_xyz(0.5, -1.0, 2.0)
        .with_rotation(Quat::from_euler(EulerRot::YXZ, 0.8, -1.1, 0.3))
        .with_scale(Vec3::splat(1.4));
    night.spawn(&[light], &WHITE, transform);
    let center = transform.transform_point(Vec3::new(1.0, 2.0, -1.0));
    for from in [
        Vec3::new(0.0, 3.0, 20.0),
        Vec3::new(-18.0, 9.0, -6.0),
        Vec3::new(2.0, -16.0, 0.5),
    ] {
        night.set_camera(from, Vec3::new(0.5, 0.0, 1.0));
        let captured = night.capture();
        let half = 1.4 * 1.5 * night.pixels_per_unit(center);
        assert!(half > 25.0);
        assert_square(
            &captured,
            night.project(center),
            half,
            &format!("from {from}"),
        );
    }
}

#[test]
fn mirrored_or_uneven_scale_keeps_the_square() {
    let mut night = NightStage::new();
    let mut light = dazzle([0.0; 3]);
    light.radius = 2.0;
    let scale = Vec3::new(-3.0, 1.25, 2.0);
    night.spawn(&[light], &WHITE, Transform::from_scale(scale));
    let captured = night.capture();
    // The smallest scale determines the size.
    let half = 2.5 * night.pixels_per_unit(Vec3::ZERO);
    assert_square(&captured, night.project(Vec3::ZERO), half, "mirrored");
}

/// A square that reaches into the image is not culled, with any scale.
#[test]
fn uneven_scale_culls_no_visible_dazzle() {
    let mut night = NightStage::new();
    // The image ends at about X 10.8.
    for scale in [
        Vec3::new(0.25, 1.0, 1.0),
        Vec3::new(0.25, 4.0, 4.0),
        Vec3::new(1.0, 0.25, 4.0),
    ] {
        let mut light = dazzle([0.0; 3]);
        light.radius = 4.0;
        let transform = Transform::from_xyz(11.2, 0.0, 0.0).with_scale(scale);
        let entity = night.spawn(&[light], &WHITE, transform);
        let captured = night.capture();
        night.stage.despawn(entity);
        let half = 4.0 * scale.min_element();
        let left = night.project(Vec3::new(11.2 - half, 0.0, 0.0)).x;
        assert!(left < WIDTH as f32 - 4.0, "{scale}: {left}");
        let found = lit_bounds(&captured);
        assert!(
            (found.min.x - left).abs() <= 1.0,
            "{scale}: {found:?}, expected left edge {left}"
        );
    }
}

#[test]
fn dazzle_with_center_out_of_view_is_drawn() {
    let mut night = NightStage::new();
    let mut light = dazzle([13.0, 0.0, 0.0]);
    light.radius = 4.0;
    night.spawn_one(light);
    let captured = night.capture();
    let found = lit_bounds(&captured);
    let left = night.project(Vec3::new(9.0, 0.0, 0.0)).x;
    assert!(
        (found.min.x - left).abs() <= 1.0 && found.max.x == WIDTH as f32,
        "{found:?}"
    );
}

#[test]
fn texture_is_upright_and_unmirrored() {
    let mut night = NightStage::new();
    let mut light = dazzle([0.0; 3]);
    light.radius = 4.0;
    let texels = [
        [255, 0, 0, 255],
        [0, 255, 0, 255],
        [0, 0, 255, 255],
        [255, 255, 0, 255],
    ];
    let transform = Transform::from_rotation(Quat::from_euler(EulerRot::YXZ, 2.0, 1.0, 2.5));
    night.spawn(&[light], &texels, transform);
    let captured = night.capture();
    for (x, y, texel) in [
        (-2.0, 2.0, 0),
        (2.0, 2.0, 1),
        (-2.0, -2.0, 2),
        (2.0, -2.0, 3),
    ] {
        let [r, g, b, _] = texels[texel];
        assert_eq!(night.color_at(&captured, Vec3::new(x, y, 0.0)), [r, g, b]);
    }
}

#[test]
fn slot_selects_the_part_of_the_texture() {
    let mut night = NightStage::new();
    let texels = [
        [255, 0, 0, 255],
        [0, 255, 0, 255],
        [0, 0, 255, 255],
        [255, 255, 0, 255],
    ];
    let cell = |slot_x, slot_y| Dazzle {
        slot_x,
        slot_y,
        num_slots: 2,
        ..dazzle([4.0 * slot_x as f32 - 6.0, 4.0 * slot_y as f32 - 2.0, 0.0])
    };
    let cells = [cell(0, 0), cell(1, 0), cell(0, 1), cell(1, 1)];
    night.spawn(&cells, &texels, Transform::default());
    let captured = night.capture();
    for (cell, [r, g, b, _]) in cells.iter().zip(texels) {
        let center = Vec3::from_array(cell.position);
        // The whole square has one color.
        for offset in [
            Vec3::ZERO,
            Vec3::new(0.8, 0.8, 0.0),
            Vec3::new(-0.8, 0.8, 0.0),
            Vec3::new(0.8, -0.8, 0.0),
        ] {
            assert_eq!(
                night.color_at(&captured, center + offset),
                [r, g, b],
                "{cell:?}"
            );
        }
    }
}

/// A reference implementation of blinking, from the description of the format.
fn expected_intensity(frequency: f32, phase: f32, bias: Option<f32>, time: f32) -> f32 {
    let t = match bias {
        _ if frequency == 0.0 => 0.5,
        None => 0.5,
        Some(1.0) => 0.5,
        Some(bias) => (time * frequency + phase).rem_euclid(1.0) / bias,
    };
    if t <= 1.0 { (t * PI).sin() } else { 0.0 }
}

#[test]
fn blinking_follows_frequency_phase_and_bias() {
    let mut night = NightStage::new();
    let parameters = [
        (0.0, 0.0, None),
        (0.0, 0.4, Some(0.3)),
        (2.0, 0.1, None),
        (2.0, 0.1, Some(1.0)),
        (1.0, 0.0, Some(0.5)),
        (1.0, 0.6, Some(0.5)),
        (0.35, 0.25, Some(0.8)),
        (3.0, -0.3, Some(0.2)),
        (0.5, 0.0, Some(2.0)),
        (1.5, 2.7, Some(0.99)),
    ];
    let color = [1.0, 0.6, 0.2];
    let position = |index: usize| {
        [
            2.4 * (index % 5) as f32 - 4.8,
            3.0 * (index / 5) as f32 - 1.5,
            0.0,
        ]
    };
    let dazzles: Vec<_> = parameters
        .iter()
        .enumerate()
        .map(|(index, (frequency, phase, bias))| Dazzle {
            color,
            frequency: *frequency,
            phase: *phase,
            bias: *bias,
            ..dazzle(position(index))
        })
        .collect();
    night.spawn(&dazzles, &WHITE, Transform::default());
    let (mut dark, mut dim) = (0, 0);
    for _ in 0..16 {
        night.stage.headless.step(0.137);
        let captured = night.capture();
        let time = night.seconds();
        for (index, (frequency, phase, bias)) in parameters.into_iter().enumerate() {
            let expected = expected_intensity(frequency, phase, bias, time);
            let computed = dazzle_intensity(frequency, phase, bias.unwrap_or(1.0), time);
            assert!((expected - computed).abs() < 1e-4);
            let found = night.color_at(&captured, Vec3::from_array(position(index)));
            let context = format!("{frequency}, {phase}, {bias:?} at {time}");
            assert_near(found, color.map(|channel| channel * expected), &context);
            dark += usize::from(expected == 0.0);
            dim += usize::from((0.05..0.95).contains(&expected));
        }
    }
    assert!(dark > 20 && dim > 40, "{dark} dark, {dim} dim");
}

#[test]
fn nonpositive_bias_is_always_off() {
    let mut night = NightStage::new();
    let off = |bias| Dazzle {
        frequency: 1.0,
        bias: Some(bias),
        ..dazzle([0.0; 3])
    };
    night.spawn(&[off(0.0), off(-1.0)], &WHITE, Transform::default());
    for _ in 0..4 {
        night.stage.headless.step(0.2);
        assert_eq!(lit_bounds(&night.capture()), Rect::EMPTY);
    }
}

fn to_light(level: f32) -> f32 {
    Srgba::gamma_function(level)
}

fn to_level(light: f32) -> f32 {
    Srgba::gamma_function_inverse(light.min(1.0))
}

#[test]
fn light_is_added_independent_of_alpha() {
    let mut night = NightStage::new();
    night.background(Color::srgb(0.3, 0.3, 0.3));
    let colored = |x, color| Dazzle {
        color,
        ..dazzle([x, 0.0, 0.0])
    };
    let color = [0.5, 0.25, 0.0];
    let half = [[128, 128, 128, 0]];
    night.spawn(&[colored(-3.0, color)], &half, Transform::default());
    night.spawn(&[colored(0.0, color)], &WHITE, Transform::default());
    night.spawn(
        &[colored(0.0, color), colored(3.0, [1.0; 3])],
        &WHITE,
        Transform::default(),
    );
    let captured = night.capture();
    let behind = to_light(0.3);
    let at = |x| night.color_at(&captured, Vec3::new(x, 0.0, 0.0));
    let texel = to_light(128.0 / 255.0);
    assert_near(
        at(-3.0),
        color.map(|c| to_level(behind + texel * to_light(c))),
        "a texel without alpha",
    );
    assert_near(
        at(0.0),
        color.map(|c| to_level(behind + 2.0 * to_light(c))),
        "two at one position",
    );
    assert_near(at(3.0), [1.0; 3], "more than white");
    assert_near(at(5.0), [0.3; 3], "background");
}

#[test]
fn nearer_meshes_hide_dazzles_and_dazzles_hide_nothing() {
    let mut night = NightStage::new();
    let mesh = night.stage.add_asset(Cuboid::from_length(2.0).into());
    let green = StandardMaterial {
        base_color: Color::srgb(0.0, 0.5, 0.0),
        unlit: true,
        ..default()
    };
    let green = night.stage.add_material(green);
    night.stage.spawn_entity((Mesh3d(mesh), green));
    let red = |position, level| Dazzle {
        color: [level, 0.0, 0.0],
        radius: 3.0,
        ..dazzle(position)
    };
    let behind = night.spawn(&[red([0.0, 0.0, -2.0], 1.0)], &WHITE, Transform::default());
    let captured = night.capture();
    assert_near(
        night.color_at(&captured, Vec3::ZERO),
        [0.0, 0.5, 0.0],
        "behind the cube",
    );
    assert_near(
        night.color_at(&captured, Vec3::new(1.8, 0.0, 0.0)),
        [1.0, 0.0, 0.0],
        "beside the cube",
    );
    night.stage.despawn(behind);

    // Neither dazzle hides the other, in any order.
    for depths in [[2.0, 4.0], [4.0, 2.0]] {
        let dazzles = depths.map(|z| red([0.0, 0.0, z], 0.4));
        let entity = night.spawn(&dazzles, &WHITE, Transform::default());
        let captured = night.capture();
        let expected = [to_level(2.0 * to_light(0.4)), 0.5, 0.0];
        assert_near(
            night.color_at(&captured, Vec3::ZERO),
            expected,
            "in front of the cube",
        );
        night.stage.despawn(entity);
    }
}

fn tag([r, g, b]: [u8; 3]) -> MeshTag {
    MeshTag(u32::from(r) | u32::from(g) << 8 | u32::from(b) << 16 | 1 << 24)
}

#[test]
fn names_with_prefix_use_the_team_hue() {
    let mut night = NightStage::new();
    let color = [0.9, 0.3, 0.1];
    let named = |x, name: &'static str| Dazzle {
        color,
        name: name.into(),
        ..dazzle([x, 0.0, 0.0])
    };
    let lights = [
        named(-3.0, "Light"),
        named(0.0, "FC_Light"),
        named(3.0, "fc_light"),
    ];
    let entity = night.spawn(&lights, &WHITE, Transform::default());
    for team in [
        None,
        Some([30, 60, 250]),
        Some([10, 200, 20]),
        Some([200, 0, 190]),
        Some([255, 200, 0]),
        Some([90, 90, 90]),
    ] {
        night.stage.remove::<MeshTag>(entity);
        if let Some(team) = team {
            night.stage.insert(entity, tag(team));
        }
        let captured = night.capture();
        let own = Hsva::from(Srgba::from_f32_array_no_alpha(color));
        let expected = match team {
            Some([r, g, b]) if r != g || g != b => {
                let hue = Hsva::from(Srgba::rgb_u8(r, g, b)).hue;
                Srgba::from(own.with_hue(hue)).to_f32_array_no_alpha()
            }
            _ => color,
        };
        let at = |x| night.color_at(&captured, Vec3::new(x, 0.0, 0.0));
        assert_near(at(-3.0), color, &format!("without the prefix, {team:?}"));
        assert_near(at(0.0), expected, &format!("with the prefix, {team:?}"));
        assert_near(at(3.0), expected, &format!("lower-case prefix, {team:?}"));
    }
}

#[test]
fn every_kind_of_camera_draws_dazzles() {
    let mut night = NightStage::new();
    let light = Dazzle {
        color: [0.5, 0.4, 0.3],
        radius: 3.0,
        ..dazzle([0.0; 3])
    };
    night.spawn(std::slice::from_ref(&light), &WHITE, Transform::default());
    let plain = night.capture();
    night
        .stage
        .camera()
        .insert((DepthPrepass, NormalPrepass, MotionVectorPrepass));
    assert_eq!(night.capture().different(&plain), 0, "with prepasses");
    night.stage.camera().insert(Hdr);
    assert_eq!(night.capture().different(&plain), 0, "with HDR");
    night.stage.camera().remove::<Hdr>();
    night.stage.camera().insert(Tonemapping::Reinhard);
    let captured = night.capture();
    let [r, g, b] = night.color_at(&captured, Vec3::ZERO);
    assert!(
        r > g && g > b && b > 20 && r < 127,
        "tone mapped: {r} {g} {b}"
    );
    night
        .stage
        .camera()
        .insert((Tonemapping::None, Msaa::Sample4));
    let captured = night.capture();
    let edge = 8.0 * 3.0 * night.pixels_per_unit(Vec3::ZERO);
    // Only pixels at the edges may differ.
    assert!(
        captured.different(&plain) as f32 <= edge + 8.0,
        "with multisampling"
    );

    // The fog absorbs half of the light, and adds no color of its own.
    let falloff = FogFalloff::Linear {
        start: 10.0,
        end: 30.0,
    };
    let fog = DistanceFog {
        color: Color::WHITE,
        falloff,
        ..default()
    };
    night.stage.camera().insert(fog);
    let captured = night.capture();
    let expected = light.color.map(|channel| to_level(0.5 * to_light(channel)));
    assert_near(night.color_at(&captured, Vec3::ZERO), expected, "in fog");
}

#[test]
fn orthographic_camera_draws_squares() {
    let mut night = NightStage::new();
    let light = Dazzle {
        radius: 3.0,
        ..dazzle([4.0, -2.0, 5.0])
    };
    night.spawn_one(light);
    let projection = OrthographicProjection {
        scale: 0.1,
        ..OrthographicProjection::default_3d()
    };
    night.stage.camera().insert(Projection::from(projection));
    let captured = night.capture();
    assert_square(
        &captured,
        Vec2::new(200.0, 140.0),
        30.0,
        "orthographic, ten pixels per unit",
    );
}

#[test]
fn copies_share_assets_and_have_their_own_transform_and_team() {
    let mut night = NightStage::new();
    let light = Dazzle {
        color: [0.0, 0.0, 1.0],
        name: "FC_light".into(),
        ..dazzle([0.0; 3])
    };
    let first = night.spawn(&[light], &WHITE, Transform::from_xyz(-4.0, 0.0, 0.0));
    let world = night.stage.world();
    let mesh = world.get::<Mesh3d>(first).unwrap().clone();
    let material = world.get::<MeshMaterial3d<DazzleMaterial>>(first);
    let material = material.unwrap().clone();
    let shared = (mesh, material);
    let second = (Transform::from_xyz(0.0, 3.0, 0.0), tag([255, 0, 0]));
    let third = (Transform::from_xyz(4.0, 0.0, -2.0), tag([0, 255, 0]));
    world.spawn((shared.clone(), second));
    world.spawn((shared, third));
    let captured = night.capture();
    let at = |x, y, z| night.color_at(&captured, Vec3::new(x, y, z));
    assert_eq!(at(-4.0, 0.0, 0.0), [0, 0, 255]);
    assert_eq!(at(0.0, 3.0, 0.0), [255, 0, 0]);
    assert_eq!(at(4.0, 0.0, -2.0), [0, 255, 0]);
}

#[test]
fn missing_texture_is_an_outline() {
    let mut night = NightStage::new();
    let light = Dazzle {
        radius: 4.0,
        ..dazzle([0.0; 3])
    };
    let entity = night.spawn_one(light);
    let material = night.stage.add_asset(DazzleMaterial::default());
    night.stage.insert(entity, MeshMaterial3d(material));
    let captured = night.capture();
    for x in [0.0, 1.0, 2.0, 3.5] {
        let color = night.color_at(&captured, Vec3::new(x, 0.0, 0.0));
        assert_eq!(color, [0; 3], "at {x}");
    }
    let edge = night.color_at(&captured, Vec3::new(3.9, 0.0, 0.0));
    assert_eq!(edge, [255, 0, 255]);
}
