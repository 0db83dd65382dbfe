//! Textures of LGW models: sampling, mip levels, cutouts, and placeholders for missing or invalid textures.

use crate::lgw::texgen::{materials, unlit};
use crate::support::alo_stage::image;
use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::{Reference, control_mesh, model, texture};
use crate::support::prelude::*;
use bevy_classic_models::lgw::lgw;
use bevy_classic_models::lgw::lgw::{Material, Texture};
use bevy_classic_models::texture::Placeholder;
use std::collections::HashMap;

const FILE: &str = "wall.lgw";

/// A texture drawn by `StandardMaterial` and by texture units.
fn twice(texture: Texture<'static>) -> [Vec<Texture<'static>>; 2] {
    [TextureMode::Modulate, TextureMode::Replace].map(|mode| {
        vec![Texture {
            mode,
            ..texture.clone()
        }]
    })
}

#[test]
fn one_texture_is_clamped_and_repeated_by_different_materials() {
    let colors = texels(8, |x, y| {
        [60 + 20 * x, 200 - 18 * y, 30 + 12 * (x + y), 255].map(|it| it as u8)
    });
    let wraps = [[false, false], [true, false], [false, true], [true, true]];
    let all: Vec<_> = wraps
        .into_iter()
        .flat_map(|wrap| {
            twice(Texture {
                wrap,
                ..texture("sheet.tga", TextureMode::Replace)
            })
        })
        .collect();
    let materials = materials(all);
    let quads: Vec<Quad> = (0..8)
        .map(|index| Quad::in_grid(index, 4).with_uvs(|uv| uv * 2.6 - 0.9))
        .collect();
    let files = [
        (FILE, model(&materials, &quads)),
        ("sheet.tga", tga(&colors)),
    ];
    let mut stage = Stage::dark(&files);
    stage.spawn_lgw(FILE, unlit());
    stage.view_from(FRONT_VIEW);
    let picture = stage.capture();
    let fragments = stage.fragments(&quads);
    let reference = Reference {
        materials,
        images: HashMap::from([("sheet.tga", Texels::Flat(colors))]),
        scale: 1.0,
    };
    reference.assert_matches(&picture, &fragments, None, "clamped and repeated");
}

/// The pixels of a quad.
fn of_quad(picture: &Picture, pixels: &[Pixel], quad: usize) -> Vec<[u8; 3]> {
    let both = pixels.iter().zip(&picture.0);
    let of_quad =
        both.filter(|(pixel, _)| matches!(pixel, Pixel::Quad(fragment) if fragment.quad == quad));
    of_quad.map(|(_, [r, g, b, _])| [*r, *g, *b]).collect()
}

/// The mean and standard deviation of the red channel.
fn mean_and_deviation(pixels: &[[u8; 3]]) -> (f32, f32) {
    let count = pixels.len() as f32;
    let reds = || pixels.iter().map(|[red, ..]| f32::from(*red));
    let mean = reds().sum::<f32>() / count;
    let squares = reds().map(|red| (red - mean).powi(2)).sum::<f32>();
    (mean, (squares / count).sqrt())
}

#[test]
fn distant_checkers_are_gray_with_mip_levels_and_alias_without() {
    let checkers = |size| {
        texels(size, |x, y| match (x + y) % 2 {
            0 => [255; 4],
            _ => [0, 0, 0, 255],
        })
    };
    let levels = |colors: [u8; 3]| -> Vec<Vec<[u8; 4]>> {
        let [r, g, b] = colors;
        let smaller = (0..6).map(|level| vec![[r, g, b, 255]; 4_usize.pow(5 - level)]);
        core::iter::once(checkers(64)).chain(smaller).collect()
    };
    let sheet = |file, mipmaps| Texture {
        mipmaps,
        wrap: [true; 2],
        ..texture(file, TextureMode::Replace)
    };
    let [plain, units] = twice(sheet("checkers.tga", true));
    let [plain_without, units_without] = twice(sheet("checkers.tga", false));
    let materials = materials([
        plain,
        units,
        plain_without,
        units_without,
        vec![sheet("levels.dds", true)],
        vec![sheet("levels.dds", false)],
    ]);
    let quads: Vec<Quad> = (0..6)
        .map(|index| Quad::in_grid(index, 4).with_uvs(|uv| uv * 39.7))
        .collect();
    let files = [
        (FILE, model(&materials, &quads)),
        ("checkers.tga", tga(&checkers(64))),
        ("levels.dds", dds(&[levels([200, 40, 90])])),
    ];
    let mut stage = Stage::dark(&files);
    stage.spawn_lgw(FILE, unlit());
    stage.view_from(FRONT_VIEW);
    let picture = stage.capture();
    let pixels = stage.fragments(&quads).pixels;
    let red = |quad| mean_and_deviation(&of_quad(&picture, &pixels, quad));
    let assert_uniform = |(mean, deviation): (f32, f32), expected: f32| {
        assert!(
            (mean - expected).abs() < 2.0 && deviation < 2.0,
            "{mean} ± {deviation}, expected {expected}"
        );
    };
    // `StandardMaterial` averages linear colors, texture units average sRGB colors.
    assert_uniform(red(0), 188.0);
    assert_uniform(red(1), 128.0);
    assert_uniform(red(4), 200.0);
    for without in [2, 3, 5] {
        assert!(red(without).1 > 25.0, "{:?}", red(without));
    }
}

/// White texels with a hole: alpha from 0 at the center to 1 outside.
fn hole() -> Vec<[u8; 4]> {
    texels(32, |x, y| {
        let offset = |coordinate: u32| coordinate as f32 - 15.5;
        let distance = (offset(x).powi(2) + offset(y).powi(2)).sqrt();
        [255, 255, 255, (distance * 16.0).min(255.0) as u8]
    })
}

/// The materials and quads of a floor, and of a quad with a hole above it.
fn floor_and_hole(alpha_mode: lgw::AlphaMode) -> (Vec<Material<'static>>, [Quad; 2]) {
    let hole = Texture {
        alpha_mode,
        ..texture("hole.tga", TextureMode::Modulate)
    };
    let white = texture("white.tga", TextureMode::Modulate);
    let materials = vec![material(0, vec![]), material(1, vec![hole, white])];
    let level = |height: f32, size: f32| {
        let corners = [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
        Quad {
            corners: corners.map(|(x, z)| Vec3::new(size * x, height, size * z)),
            normals: [Vec3::Y; 4],
            uvs: corners.map(|(x, z)| Vec2::new(x + 1.0, 1.0 - z) / 2.0),
        }
    };
    (materials, [level(-8.0, 60.0), level(10.0, 16.0)])
}

fn shadow_stage(alpha_mode: lgw::AlphaMode) -> (Stage, Entity, [Quad; 2]) {
    let (materials, quads) = floor_and_hole(alpha_mode);
    let files = [
        (FILE, model(&materials, &quads)),
        ("hole.tga", tga(&hole())),
        ("white.tga", tga(&[[255; 4]])),
    ];
    let mut stage = Stage::dark(&files);
    stage.world().spawn((
        DirectionalLight {
            illuminance: 9_000.0,
            shadow_maps_enabled: true,
            ..default()
        },
        Transform::from_xyz(20.0, 60.0, 15.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    let root = stage.spawn_lgw(FILE, LgwLoaderSettings::default());
    (stage, root, quads)
}

fn control(stage: &mut Stage, root: Entity, quads: &[Quad; 2], alpha_mode: AlphaMode) -> Picture {
    let hole = stage.add_asset(image(&hole(), true));
    let floor = stage.add_material(matte(None));
    let above = stage.add_material(StandardMaterial {
        alpha_mode,
        ..matte(Some(hole))
    });
    let [under, over] = quads;
    let controls = vec![(control_mesh(under), floor), (control_mesh(over), above)];
    stage.capture_controls(root, controls)
}

const VIEWS_FROM_ABOVE: [Vec3; 2] = [Vec3::new(10.0, 60.0, 70.0), Vec3::new(-60.0, 45.0, -20.0)];

#[test]
fn shadows_have_holes() {
    for (file, bevy) in [
        (lgw::AlphaMode::Opaque, AlphaMode::Opaque),
        (lgw::AlphaMode::Mask, AlphaMode::Mask(0.5)),
        (lgw::AlphaMode::Blend, AlphaMode::Blend),
    ] {
        let (mut stage, root, quads) = shadow_stage(file);
        for position in VIEWS_FROM_ABOVE {
            stage.view_from(position);
            let shown = stage.capture();
            let expected = control(&mut stage, root, &quads, bevy);
            shown.assert_matches(&expected, &format!("shadow {file:?}"));
            if file != lgw::AlphaMode::Opaque {
                let whole = control(&mut stage, root, &quads, AlphaMode::Opaque);
                assert!(shown.different(&whole) > 50, "{}", shown.different(&whole));
            }
        }
    }
}

#[test]
fn prepasses_have_holes() {
    let (mut stage, root, quads) = shadow_stage(lgw::AlphaMode::Mask);
    stage.view_from(VIEWS_FROM_ABOVE[0]);
    let without = stage.capture();
    stage
        .camera()
        .insert((DepthPrepass, NormalPrepass, MotionVectorPrepass));
    let shown = stage.capture();
    let expected = control(&mut stage, root, &quads, AlphaMode::Mask(0.5));
    shown.assert_matches(&expected, "with prepasses");
    shown.assert_matches(&without, "with prepasses and without");
    stage.camera().remove::<NormalPrepass>();
    stage.assert_shows(&without, "with depth and motion");
    // These materials are drawn forward, also in the deferred renderer: the G-buffer cannot store them.
    stage.insert_resource(DefaultOpaqueRendererMethod::deferred());
    stage.camera().insert(DeferredPrepass);
    stage.assert_shows(&without, "deferred");
}

/// Asserts that a quad shows the magenta and black checkerboard of the placeholder, added to an amount of green: both
/// colors, and no other.
fn assert_checkers(shown: &[[u8; 3]], green: u8, quad: usize) {
    assert!(shown.len() > 1000, "{quad}: {}", shown.len());
    // GPUs may round red and blue differently.
    let is_light = |[r, g, b]: &[u8; 3]| *r >= 254 && *b >= 254 && *g == green;
    let is_dark = |[r, g, b]: &[u8; 3]| *r <= 1 && *b <= 1 && *g == green;
    let light = shown.iter().filter(|it| is_light(it)).count();
    let dark = shown.iter().filter(|it| is_dark(it)).count();
    let other = shown.iter().find(|it| !is_light(it) && !is_dark(it));
    assert_eq!(other, None, "{quad}");
    let least = shown.len() / 4;
    assert!(light > least && dark > least, "{quad}: {light}, {dark}");
}

#[test]
fn missing_or_invalid_textures_are_placeholders_with_one_message() {
    let cube = |texture| Texture {
        cube_map: true,
        ..texture
    };
    let replaced = |file| texture(file, TextureMode::Replace);
    let plain = |file| texture(file, TextureMode::Modulate);
    let no_file = Texture {
        file: None,
        ..replaced("")
    };
    let materials = materials([
        vec![replaced(r"Gone\nowhere to be.tga")],
        vec![plain(r"gone\Nowhere To Be.TGA")],
        vec![replaced("half done.tga")],
        vec![plain("half done.tga")],
        vec![cube(replaced("no cube.tga"))],
        vec![replaced("six sides.dds")],
        vec![plain("six sides.dds")],
        vec![cube(replaced("not there either.dds"))],
        vec![
            replaced("valid.tga"),
            cube(texture("no cube.tga", TextureMode::Add)),
        ],
        vec![no_file],
        vec![plain("no cube.tga")],
    ]);
    let quads: Vec<Quad> = (0..11).map(|index| Quad::in_grid(index, 4)).collect();
    let green = [0, 255, 0, 255];
    let files = [
        (FILE, model(&materials, &quads)),
        ("half done.tga", tga(&[green; 16])[..40].to_vec()),
        ("no cube.tga", tga(&[green; 16])),
        ("valid.tga", tga(&[green; 16])),
        ("six sides.dds", dds(&vec![vec![vec![green; 16]]; 6])),
    ];
    let mut stage = Stage::dark(&files);
    stage.spawn_lgw(FILE, unlit());
    stage.view_from(FRONT_VIEW);
    let picture = stage.capture();
    let pixels = stage.fragments(&quads).pixels;
    let shown = |quad| of_quad(&picture, &pixels, quad);
    for quad in (0..10).filter(|quad| *quad != 8) {
        assert_checkers(&shown(quad), 0, quad);
    }
    // The placeholder is added to the valid texture.
    assert_checkers(&shown(8), 255, 8);
    let valid = shown(10);
    assert!(valid.len() > 1000 && valid.iter().all(|pixel| *pixel == [0, 255, 0]));

    let warnings = |text| log::warnings_with(text).len();
    // One warning for both spellings.
    assert_eq!(
        warnings("nowhere to be"),
        1,
        "{:?}",
        log::warnings_with("nowhere to be")
    );
    assert_eq!(warnings("not there either"), 1);
    assert_eq!(warnings("Material 9"), 1);
    let errors = log::errors_of(&["bevy_classic_models", "bevy_asset"]);
    let errors = |text: &str| errors.iter().filter(|error| error.contains(text)).count();
    assert_eq!(errors("half done.tga"), 1);
    // One error for each requested dimension and sampling.
    assert_eq!(
        errors("no cube.tga: a 2D texture in place of a cube map"),
        1
    );
    assert_eq!(
        errors("six sides.dds: a cube map in place of a 2D texture"),
        2
    );
    assert_eq!(errors("six sides.dds"), 2);
}

#[test]
fn a_broken_texture_with_a_glow_is_one_error() {
    log::listen();
    let mut broken = vec![0; 200];
    broken[4..8].copy_from_slice(&(-2_i32).to_le_bytes());
    let mut app = TestApp::new(&[("dim glow.dtx", broken)]);
    let server = app.server();
    let load = |path: &'static str| -> Handle<Image> {
        let settings = |settings: &mut ClassicImageSettings| {
            settings.placeholder = Some(Placeholder::Checkers);
        };
        server.load_builder().with_settings(settings).load(path)
    };
    let images = [load("dim glow.dtx#Glow"), load("dim glow.dtx")];
    // Bevy reloads the file for the second label, so that the first image may be loading again.
    let are_loaded = |world: &mut World| {
        let server = world.resource::<AssetServer>();
        images.iter().all(|image| server.is_loaded(image))
    };
    let done = gpuless::wait_until(&mut app.app, are_loaded);
    let states = images.each_ref().map(|image| server.load_state(image));
    assert!(done, "{states:?}");
    app.step(0.0);
    let errors = log::errors_of(&["bevy_classic_models"]);
    let of_file = errors.iter().filter(|error| error.contains("dim glow.dtx"));
    assert_eq!(of_file.count(), 1);
}
