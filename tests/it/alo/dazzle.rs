//! Dazzles as they are drawn: place, size, picture, brightness over time, and how they add.

use crate::support::stage::{Picture, Stage};
use bevy::asset::RenderAssetUsages;
use bevy::camera::Hdr;
use bevy::core_pipeline::prepass::{DepthPrepass, MotionVectorPrepass, NormalPrepass};
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::image::ImageSampler;
use bevy::mesh::MeshTag;
use bevy::pbr::{DistanceFog, FogFalloff};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy_classic_models::alamo::alo::Dazzle;
use bevy_classic_models::alamo::{DAZZLE_DISC, DazzleMaterial, dazzle_intensity, dazzle_mesh};
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

/// A square picture of these texels.
fn image(texels: &[[u8; 4]]) -> Image {
    let side = texels.len().isqrt() as u32;
    let size = Extent3d {
        width: side,
        height: side,
        depth_or_array_layers: 1,
    };
    let data = texels.as_flattened().to_vec();
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new(
        size,
        TextureDimension::D2,
        data,
        format,
        RenderAssetUsages::default(),
    );
    image.sampler = ImageSampler::nearest();
    image
}

const WHITE: [[u8; 4]; 1] = [[255, 255, 255, 255]];

struct Night {
    stage: Stage,
    camera: Transform,
}

impl Night {
    /// A black stage; the camera looks from the distance of 20 along −Z.
    fn new() -> Self {
        let mut night = Self {
            stage: Stage::dark(&[]),
            camera: Transform::default(),
        };
        night.look(Vec3::new(0.0, 0.0, 20.0), Vec3::ZERO);
        night.background(Color::BLACK);
        night
    }

    fn background(&mut self, color: Color) {
        self.stage.world().insert_resource(ClearColor(color));
    }

    fn look(&mut self, from: Vec3, to: Vec3) {
        self.camera = Transform::from_translation(from).looking_at(to, Vec3::Y);
        let camera = self.camera;
        self.stage.camera().insert(camera);
    }

    fn spawn(&mut self, dazzles: &[Dazzle], texels: &[[u8; 4]], transform: Transform) -> Entity {
        let world = self.stage.world();
        let texture = world.resource_mut::<Assets<Image>>().add(image(texels));
        let material = DazzleMaterial { texture };
        let material = world.resource_mut::<Assets<DazzleMaterial>>().add(material);
        let mesh = world
            .resource_mut::<Assets<Mesh>>()
            .add(dazzle_mesh(dazzles));
        let entity = (Mesh3d(mesh), MeshMaterial3d(material), transform);
        world.spawn(entity).id()
    }

    fn capture(&mut self) -> Picture {
        self.stage.capture()
    }

    /// Where a place of the world is seen, in pixels from the left and upper edge.
    fn project(&self, place: Vec3) -> Vec2 {
        let seen = self.camera.rotation.inverse() * (place - self.camera.translation);
        let pixels = self.pixels_per_unit(place);
        Vec2::new(
            WIDTH as f32 / 2.0 + seen.x * pixels,
            HEIGHT as f32 / 2.0 - seen.y * pixels,
        )
    }

    /// Bevy's cameras see 45° from below to above.
    fn pixels_per_unit(&self, place: Vec3) -> f32 {
        let seen = self.camera.rotation.inverse() * (place - self.camera.translation);
        HEIGHT as f32 / 2.0 / (-seen.z * FRAC_PI_8.tan())
    }

    fn at(&self, picture: &Picture, place: Vec3) -> [u8; 3] {
        let Vec2 { x, y } = self.project(place);
        pixel(picture, x, y)
    }

    fn seconds(&mut self) -> f32 {
        self.stage.world().resource::<Time>().elapsed_secs_wrapped()
    }
}

fn pixel(picture: &Picture, x: f32, y: f32) -> [u8; 3] {
    let [r, g, b, _] = picture.0[y as usize * WIDTH + x as usize];
    [r, g, b]
}

/// The box around all that is not black: its least and greatest corner.
fn lit_box(picture: &Picture) -> Rect {
    let texels = picture.0.iter().enumerate();
    let lit = texels.filter(|(_, texel)| texel[..3] != [0, 0, 0]);
    let mut around = Rect::EMPTY;
    for (index, _) in lit {
        let corner = Vec2::new((index % WIDTH) as f32, (index / WIDTH) as f32);
        around = around.union(Rect::from_corners(corner, corner + 1.0));
    }
    around
}

#[track_caller]
fn near(seen: [u8; 3], expected: [f32; 3], what: &str) {
    let far = |(seen, expected): (u8, f32)| (f32::from(seen) - 255.0 * expected).abs() > 2.5;
    let far = seen.into_iter().zip(expected).any(far);
    assert!(
        !far,
        "{what}: {seen:?} is not {:?}",
        expected.map(|channel| 255.0 * channel)
    );
}

#[track_caller]
fn is_square(picture: &Picture, center: Vec2, half: f32, what: &str) {
    let seen = lit_box(picture);
    let expected = Rect::from_center_half_size(center, Vec2::splat(half));
    let off = (seen.min - expected.min)
        .abs()
        .max((seen.max - expected.max).abs());
    assert!(
        off.max_element() <= 1.0,
        "{what}: {seen:?} is not {expected:?}"
    );
    let lit = picture
        .0
        .iter()
        .filter(|texel| texel[..3] != [0, 0, 0])
        .count() as f32;
    assert!(
        (lit / seen.size().element_product() - 1.0).abs() < 0.01,
        "{what}: it has holes"
    );
}

#[test]
fn size_and_place_are_those_of_a_square_that_faces_the_camera() {
    let mut night = Night::new();
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
        night.look(from, Vec3::new(0.5, 0.0, 1.0));
        let picture = night.capture();
        let half = 1.4 * 1.5 * night.pixels_per_unit(center);
        assert!(half > 25.0);
        is_square(
            &picture,
            night.project(center),
            half,
            &format!("from {from}"),
        );
    }
}

#[test]
fn a_mirrored_or_uneven_scale_still_shows_a_square() {
    let mut night = Night::new();
    let mut light = dazzle([0.0; 3]);
    light.radius = 2.0;
    let scale = Vec3::new(-3.0, 1.25, 2.0);
    night.spawn(&[light], &WHITE, Transform::from_scale(scale));
    let picture = night.capture();
    // The smallest scale counts.
    let half = 2.5 * night.pixels_per_unit(Vec3::ZERO);
    is_square(&picture, night.project(Vec3::ZERO), half, "mirrored");
}

/// Whatever the scale, a square that reaches into the picture is not culled.
#[test]
fn uneven_scales_cull_no_square_that_is_in_sight() {
    // The picture ends at about 10.8 along X.
    for scale in [
        Vec3::new(0.25, 1.0, 1.0),
        Vec3::new(0.25, 4.0, 4.0),
        Vec3::new(1.0, 0.25, 4.0),
    ] {
        let mut night = Night::new();
        let mut light = dazzle([0.0; 3]);
        light.radius = 4.0;
        let place = Transform::from_xyz(11.2, 0.0, 0.0).with_scale(scale);
        night.spawn(&[light], &WHITE, place);
        let picture = night.capture();
        let half = 4.0 * scale.min_element();
        let left = night.project(Vec3::new(11.2 - half, 0.0, 0.0)).x;
        assert!(left < WIDTH as f32 - 4.0, "{scale}: {left}");
        let seen = lit_box(&picture);
        assert!(
            (seen.min.x - left).abs() <= 1.0,
            "{scale}: {seen:?}, {left}"
        );
    }
}

#[test]
fn one_whose_centre_is_out_of_sight_is_drawn() {
    let mut night = Night::new();
    let mut light = dazzle([13.0, 0.0, 0.0]);
    light.radius = 4.0;
    night.spawn(&[light], &WHITE, Transform::default());
    let picture = night.capture();
    let seen = lit_box(&picture);
    let left = night.project(Vec3::new(9.0, 0.0, 0.0)).x;
    assert!(
        (seen.min.x - left).abs() <= 1.0 && seen.max.x == WIDTH as f32,
        "{seen:?}"
    );
}

#[test]
fn a_picture_is_upright_and_unmirrored() {
    let mut night = Night::new();
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
    let picture = night.capture();
    for (x, y, texel) in [
        (-2.0, 2.0, 0),
        (2.0, 2.0, 1),
        (-2.0, -2.0, 2),
        (2.0, -2.0, 3),
    ] {
        let [r, g, b, _] = texels[texel];
        assert_eq!(night.at(&picture, Vec3::new(x, y, 0.0)), [r, g, b]);
    }
}

#[test]
fn the_slot_chooses_the_picture() {
    let mut night = Night::new();
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
    let picture = night.capture();
    for (cell, [r, g, b, _]) in cells.iter().zip(texels) {
        let center = Vec3::from_array(cell.position);
        // The whole square is of one colour.
        for place in [
            Vec3::ZERO,
            Vec3::new(0.8, 0.8, 0.0),
            Vec3::new(-0.8, 0.8, 0.0),
            Vec3::new(0.8, -0.8, 0.0),
        ] {
            assert_eq!(night.at(&picture, center + place), [r, g, b], "{cell:?}");
        }
    }
}

/// Written out once more, from the description of the format.
fn blink(frequency: f32, phase: f32, bias: Option<f32>, time: f32) -> f32 {
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
    let mut night = Night::new();
    let blinks = [
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
    let place = |index: usize| {
        [
            2.4 * (index % 5) as f32 - 4.8,
            3.0 * (index / 5) as f32 - 1.5,
            0.0,
        ]
    };
    let dazzles: Vec<_> = blinks
        .iter()
        .enumerate()
        .map(|(index, (frequency, phase, bias))| Dazzle {
            color,
            frequency: *frequency,
            phase: *phase,
            bias: *bias,
            ..dazzle(place(index))
        })
        .collect();
    night.spawn(&dazzles, &WHITE, Transform::default());
    let (mut dark, mut dim) = (0, 0);
    for _ in 0..16 {
        night.stage.headless.step(0.137);
        let picture = night.capture();
        let time = night.seconds();
        for (index, (frequency, phase, bias)) in blinks.into_iter().enumerate() {
            let expected = blink(frequency, phase, bias, time);
            let stated = dazzle_intensity(frequency, phase, bias.unwrap_or(1.0), time);
            assert!((expected - stated).abs() < 1e-4);
            let seen = night.at(&picture, Vec3::from_array(place(index)));
            let what = format!("{frequency}, {phase}, {bias:?} at {time}");
            near(seen, color.map(|channel| channel * expected), &what);
            dark += usize::from(expected == 0.0);
            dim += usize::from((0.05..0.95).contains(&expected));
        }
    }
    assert!(dark > 20 && dim > 40, "{dark} dark, {dim} dim");
}

#[test]
fn a_bias_without_length_is_always_off() {
    let mut night = Night::new();
    let off = |bias| Dazzle {
        frequency: 1.0,
        bias: Some(bias),
        ..dazzle([0.0; 3])
    };
    night.spawn(&[off(0.0), off(-1.0)], &WHITE, Transform::default());
    for _ in 0..4 {
        night.stage.headless.step(0.2);
        assert_eq!(lit_box(&night.capture()), Rect::EMPTY);
    }
}

fn light_of(level: f32) -> f32 {
    Srgba::gamma_function(level)
}

fn level_of(light: f32) -> f32 {
    Srgba::gamma_function_inverse(light.min(1.0))
}

#[test]
fn light_adds_to_what_is_behind_whatever_the_alpha() {
    let mut night = Night::new();
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
    let picture = night.capture();
    let behind = light_of(0.3);
    let at = |x| night.at(&picture, Vec3::new(x, 0.0, 0.0));
    let texel = light_of(128.0 / 255.0);
    near(
        at(-3.0),
        color.map(|c| level_of(behind + texel * light_of(c))),
        "a texel without alpha",
    );
    near(
        at(0.0),
        color.map(|c| level_of(behind + 2.0 * light_of(c))),
        "two at one place",
    );
    near(at(3.0), [1.0; 3], "more than white");
    near(at(5.0), [0.3; 3], "background");
}

#[test]
fn what_is_nearer_hides_them_and_they_hide_nothing() {
    let mut night = Night::new();
    let world = night.stage.world();
    let mesh = world
        .resource_mut::<Assets<Mesh>>()
        .add(Cuboid::from_length(2.0));
    let green = StandardMaterial {
        base_color: Color::srgb(0.0, 0.5, 0.0),
        unlit: true,
        ..default()
    };
    let green = world.resource_mut::<Assets<StandardMaterial>>().add(green);
    world.spawn((Mesh3d(mesh), MeshMaterial3d(green)));
    let red = |position, level| Dazzle {
        color: [level, 0.0, 0.0],
        radius: 3.0,
        ..dazzle(position)
    };
    let behind = night.spawn(&[red([0.0, 0.0, -2.0], 1.0)], &WHITE, Transform::default());
    let picture = night.capture();
    near(
        night.at(&picture, Vec3::ZERO),
        [0.0, 0.5, 0.0],
        "behind the cube",
    );
    near(
        night.at(&picture, Vec3::new(1.8, 0.0, 0.0)),
        [1.0, 0.0, 0.0],
        "beside the cube",
    );
    night.stage.world().despawn(behind);

    // Whichever is drawn first does not keep the other from being drawn.
    for depths in [[2.0, 4.0], [4.0, 2.0]] {
        let both = depths.map(|z| red([0.0, 0.0, z], 0.4));
        let entity = night.spawn(&both, &WHITE, Transform::default());
        let picture = night.capture();
        let expected = [level_of(2.0 * light_of(0.4)), 0.5, 0.0];
        near(night.at(&picture, Vec3::ZERO), expected, "before the cube");
        night.stage.world().despawn(entity);
    }
}

fn tag([r, g, b]: [u8; 3]) -> MeshTag {
    MeshTag(u32::from(r) | u32::from(g) << 8 | u32::from(b) << 16 | 1 << 24)
}

#[test]
fn some_take_the_hue_of_their_team() {
    let mut night = Night::new();
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
        night.stage.world().entity_mut(entity).remove::<MeshTag>();
        if let Some(team) = team {
            night.stage.world().entity_mut(entity).insert(tag(team));
        }
        let picture = night.capture();
        let own = Hsva::from(Srgba::from_f32_array_no_alpha(color));
        let expected = match team {
            Some([r, g, b]) if r != g || g != b => {
                let hue = Hsva::from(Srgba::rgb_u8(r, g, b)).hue;
                Srgba::from(own.with_hue(hue)).to_f32_array_no_alpha()
            }
            _ => color,
        };
        let at = |x| night.at(&picture, Vec3::new(x, 0.0, 0.0));
        near(at(-3.0), color, &format!("no such name, {team:?}"));
        near(at(0.0), expected, &format!("{team:?}"));
        near(at(3.0), expected, &format!("small letters, {team:?}"));
    }
}

#[test]
fn every_kind_of_camera_draws_them() {
    let mut night = Night::new();
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
    let picture = night.capture();
    let [r, g, b] = night.at(&picture, Vec3::ZERO);
    assert!(
        r > g && g > b && b > 20 && r < 127,
        "tone mapped: {r} {g} {b}"
    );
    night
        .stage
        .camera()
        .insert((Tonemapping::None, Msaa::Sample4));
    let picture = night.capture();
    let edge = 8.0 * 3.0 * night.pixels_per_unit(Vec3::ZERO);
    // Its edges lie between pixels.
    assert!(
        picture.different(&plain) as f32 <= edge + 8.0,
        "with many samples"
    );

    // Half of the light is lost in the fog, whose own light is not added once more.
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
    let picture = night.capture();
    let expected = light.color.map(|channel| level_of(0.5 * light_of(channel)));
    near(night.at(&picture, Vec3::ZERO), expected, "in fog");
}

#[test]
fn a_camera_without_perspective_sees_squares_too() {
    let mut night = Night::new();
    let light = Dazzle {
        radius: 3.0,
        ..dazzle([4.0, -2.0, 5.0])
    };
    night.spawn(&[light], &WHITE, Transform::default());
    let projection = OrthographicProjection {
        scale: 0.1,
        ..OrthographicProjection::default_3d()
    };
    night.stage.camera().insert(Projection::from(projection));
    let picture = night.capture();
    is_square(
        &picture,
        Vec2::new(200.0, 140.0),
        30.0,
        "ten pixels per unit",
    );
}

#[test]
fn copies_share_mesh_and_material_and_have_their_own_place_and_team() {
    let mut night = Night::new();
    let light = Dazzle {
        color: [0.0, 0.0, 1.0],
        name: "FC_light".into(),
        ..dazzle([0.0; 3])
    };
    let first = night.spawn(&[light], &WHITE, Transform::from_xyz(-4.0, 0.0, 0.0));
    let world = night.stage.world();
    let mesh = world.get::<Mesh3d>(first).unwrap().clone();
    let material = world
        .get::<MeshMaterial3d<DazzleMaterial>>(first)
        .unwrap()
        .clone();
    let shared = (mesh, material);
    let second = (Transform::from_xyz(0.0, 3.0, 0.0), tag([255, 0, 0]));
    let third = (Transform::from_xyz(4.0, 0.0, -2.0), tag([0, 255, 0]));
    world.spawn((shared.clone(), second));
    world.spawn((shared, third));
    let picture = night.capture();
    let at = |x, y, z| night.at(&picture, Vec3::new(x, y, z));
    assert_eq!(at(-4.0, 0.0, 0.0), [0, 0, 255]);
    assert_eq!(at(0.0, 3.0, 0.0), [255, 0, 0]);
    assert_eq!(at(4.0, 0.0, -2.0), [0, 255, 0]);
}

#[test]
fn a_missing_texture_is_a_soft_disc() {
    let mut night = Night::new();
    let light = Dazzle {
        radius: 4.0,
        ..dazzle([0.0; 3])
    };
    let entity = night.spawn(&[light], &WHITE, Transform::default());
    let world = night.stage.world();
    let material = DazzleMaterial::default();
    assert_eq!(material.texture, DAZZLE_DISC);
    let material = world.resource_mut::<Assets<DazzleMaterial>>().add(material);
    world.entity_mut(entity).insert(MeshMaterial3d(material));
    let picture = night.capture();
    let levels = [0.0, 1.0, 2.0, 3.0, 3.9].map(|x| night.at(&picture, Vec3::new(x, 0.0, 0.0))[0]);
    assert!(levels.is_sorted_by(|a, b| a > b), "{levels:?}");
    assert!(levels[0] > 240 && levels[4] < 8, "{levels:?}");
}
