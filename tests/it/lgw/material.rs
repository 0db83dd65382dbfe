//! How pictures of LGW models are sampled, which texels are there, and what is seen where a picture is
//! not what it should be.

use crate::gpuless;
use crate::support::alo_stage::{image, matte, texels, tga};
use crate::support::app::TestApp;
use crate::support::lgw_stage::{
    BEFORE, Pixel, Quad, Reference, Sheet, control_mesh, dds, material, model, texture,
};
use crate::support::log;
use crate::support::stage::{Picture, Stage};
use bevy::core_pipeline::prepass::{
    DeferredPrepass, DepthPrepass, MotionVectorPrepass, NormalPrepass,
};
use bevy::pbr::DefaultOpaqueRendererMethod;
use bevy::prelude::*;
use bevy_classic_models::lgw::LgwLoaderSettings;
use bevy_classic_models::lgw::text::{self, Material, Texture, TextureMode};
use bevy_classic_models::texture::{ClassicImageSettings, Placeholder};
use std::collections::HashMap;

const FILE: &str = "wall.lgw";

fn unlit() -> LgwLoaderSettings {
    LgwLoaderSettings {
        unlit: true,
        ..LgwLoaderSettings::default()
    }
}

fn materials<const N: usize>(of: [Vec<Texture<'static>>; N]) -> Vec<Material<'static>> {
    let of = of.into_iter().enumerate();
    of.map(|(id, textures)| material(id, textures)).collect()
}

/// The same picture plain and by texture units.
fn twice(texture: Texture<'static>) -> [Vec<Texture<'static>>; 2] {
    [TextureMode::Modulate, TextureMode::Replace].map(|mode| {
        vec![Texture {
            mode,
            ..texture.clone()
        }]
    })
}

#[test]
fn one_picture_is_clamped_here_and_repeats_there() {
    let colors = texels(8, |x, y| {
        [60 + 20 * x, 200 - 18 * y, 30 + 12 * (x + y), 255].map(|it| it as u8)
    });
    let ways = [[false, false], [true, false], [false, true], [true, true]];
    let all: Vec<_> = ways
        .into_iter()
        .flat_map(|wrap| {
            twice(Texture {
                wrap,
                ..texture("sheet.tga", TextureMode::Replace)
            })
        })
        .collect();
    let materials = materials::<8>(all.try_into().unwrap());
    let quads: Vec<Quad> = (0..8)
        .map(|index| Quad::in_grid(index, 4).with_uvs(|uv| uv * 2.6 - 0.9))
        .collect();
    let files = [
        (FILE, model(&materials, &quads)),
        ("sheet.tga", tga(&colors)),
    ];
    let mut stage = Stage::dark(&files);
    stage.spawn_lgw(FILE, unlit());
    stage.view_from(BEFORE);
    let picture = stage.capture();
    let seen = stage.seen(&quads);
    let reference = Reference {
        materials,
        sheets: HashMap::from([("sheet.tga", Sheet::Flat(colors))]),
        scale: 1.0,
    };
    reference.assert_shows(&picture, &seen, None, "clamped and repeated");
}

/// The pixels of a quad.
fn of_quad(picture: &Picture, pixels: &[Pixel], quad: usize) -> Vec<[u8; 3]> {
    let both = pixels.iter().zip(&picture.0);
    let own = both.filter(|(pixel, _)| matches!(pixel, Pixel::Of(of) if of.quad == quad));
    own.map(|(_, [r, g, b, _])| [*r, *g, *b]).collect()
}

/// Mean and spread of the red of pixels.
fn mean_and_spread(pixels: &[[u8; 3]]) -> (f32, f32) {
    let count = pixels.len() as f32;
    let reds = || pixels.iter().map(|[red, ..]| f32::from(*red));
    let mean = reds().sum::<f32>() / count;
    let squares = reds().map(|red| (red - mean).powi(2)).sum::<f32>();
    (mean, (squares / count).sqrt())
}

#[test]
fn what_is_far_is_grey_with_smaller_levels_and_flickers_without() {
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
    stage.view_from(BEFORE);
    let picture = stage.capture();
    let seen = stage.seen(&quads).pixels;
    let red = |quad| mean_and_spread(&of_quad(&picture, &seen, quad));
    let is = |(mean, spread): (f32, f32), expected: f32| {
        assert!(
            (mean - expected).abs() < 2.0 && spread < 2.0,
            "{mean} ± {spread}"
        );
    };
    // Half the light, and half the number.
    is(red(0), 188.0);
    is(red(1), 128.0);
    is(red(4), 200.0);
    for without in [2, 3, 5] {
        assert!(red(without).1 > 25.0, "{:?}", red(without));
    }
}

/// Alpha from 0 in the middle to 1 outside, and white.
fn hole() -> Vec<[u8; 4]> {
    texels(32, |x, y| {
        let from = |at: u32| at as f32 - 15.5;
        let away = (from(x).powi(2) + from(y).powi(2)).sqrt();
        [255, 255, 255, (away * 16.0).min(255.0) as u8]
    })
}

/// A floor, and above it what has a hole, as both are in the file.
fn above_a_floor(alpha_mode: text::AlphaMode) -> (Vec<Material<'static>>, [Quad; 2]) {
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

fn shadow_stage(alpha_mode: text::AlphaMode) -> (Stage, Entity, [Quad; 2]) {
    let (materials, quads) = above_a_floor(alpha_mode);
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
    let hole = stage
        .world()
        .resource_mut::<Assets<Image>>()
        .add(image(&hole(), true));
    let floor = stage.add_material(matte(None));
    let above = stage.add_material(StandardMaterial {
        alpha_mode,
        ..matte(Some(hole))
    });
    let [under, over] = quads;
    let controls = vec![(control_mesh(under), floor), (control_mesh(over), above)];
    stage.capture_instead(root, controls)
}

const ABOVE: [Vec3; 2] = [Vec3::new(10.0, 60.0, 70.0), Vec3::new(-60.0, 45.0, -20.0)];

#[test]
fn holes_are_there_in_shadows_too() {
    for (file, bevy) in [
        (text::AlphaMode::Opaque, AlphaMode::Opaque),
        (text::AlphaMode::Mask, AlphaMode::Mask(0.5)),
        (text::AlphaMode::Blend, AlphaMode::Blend),
    ] {
        let (mut stage, root, quads) = shadow_stage(file);
        for place in ABOVE {
            stage.view_from(place);
            let shown = stage.capture();
            let expected = control(&mut stage, root, &quads, bevy);
            shown.assert_is(&expected, &format!("shadow {file:?}"));
            if file != text::AlphaMode::Opaque {
                let whole = control(&mut stage, root, &quads, AlphaMode::Opaque);
                assert!(shown.different(&whole) > 50, "{}", shown.different(&whole));
            }
        }
    }
}

#[test]
fn holes_are_there_for_all_prepasses() {
    let (mut stage, root, quads) = shadow_stage(text::AlphaMode::Mask);
    stage.view_from(ABOVE[0]);
    let without = stage.capture();
    stage
        .camera()
        .insert((DepthPrepass, NormalPrepass, MotionVectorPrepass));
    let shown = stage.capture();
    let expected = control(&mut stage, root, &quads, AlphaMode::Mask(0.5));
    shown.assert_is(&expected, "with prepasses");
    shown.assert_is(&without, "with prepasses and without");
    stage.camera().remove::<NormalPrepass>();
    stage.capture().assert_is(&without, "with depth and motion");
    // What others store of their surfaces has no room for this one's.
    stage
        .world()
        .insert_resource(DefaultOpaqueRendererMethod::deferred());
    stage.camera().insert(DeferredPrepass);
    stage.capture().assert_is(&without, "deferred");
}

/// Asserts that a quad shows the checkerboard of magenta and black, added to an amount of green: both colors, and no
/// other. A quad that is black shows no placeholder.
fn assert_checkers(shown: &[[u8; 3]], green: u8, quad: usize) {
    assert!(shown.len() > 1000, "{quad}: {}", shown.len());
    // GPUs round red and blue apart.
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
fn what_is_missing_or_broken_or_of_another_kind_is_a_placeholder_and_told_once() {
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
            replaced("sound.tga"),
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
        ("sound.tga", tga(&[green; 16])),
        ("six sides.dds", dds(&vec![vec![vec![green; 16]]; 6])),
    ];
    let mut stage = Stage::dark(&files);
    stage.spawn_lgw(FILE, unlit());
    stage.view_from(BEFORE);
    let picture = stage.capture();
    let seen = stage.seen(&quads).pixels;
    let shown = |quad| of_quad(&picture, &seen, quad);
    for quad in (0..10).filter(|quad| *quad != 8) {
        assert_checkers(&shown(quad), 0, quad);
    }
    // The sound one is seen below the placeholder, which is added.
    assert_checkers(&shown(8), 255, 8);
    let sound = shown(10);
    assert!(sound.len() > 1000 && sound.iter().all(|of| *of == [0, 255, 0]));

    let warnings = |text| log::warnings_with(text).len();
    // In whichever case it is written.
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
    // For each way in which it is asked for.
    assert_eq!(
        errors("no cube.tga: a flat picture where a cube map is needed"),
        1
    );
    assert_eq!(
        errors("six sides.dds: a cube map where a flat picture is needed"),
        2
    );
    assert_eq!(errors("six sides.dds"), 2);
}

#[test]
fn a_broken_picture_with_a_glow_is_told_of_once() {
    log::listen();
    let mut broken = vec![0; 200];
    broken[4..8].copy_from_slice(&(-2_i32).to_le_bytes());
    let mut app = TestApp::new(&[("dim glow.dtx", broken)]);
    let server = app.world().resource::<AssetServer>().clone();
    let load = |path: &'static str| -> Handle<Image> {
        let settings = |settings: &mut ClassicImageSettings| {
            settings.placeholder = Some(Placeholder::Checkers);
        };
        server.load_builder().with_settings(settings).load(path)
    };
    let images = [load("dim glow.dtx#Glow"), load("dim glow.dtx")];
    // Bevy begins anew for the second label, so that the first image may be loading again.
    let are_loaded = |world: &mut World| {
        let server = world.resource::<AssetServer>();
        images.iter().all(|image| server.is_loaded(image))
    };
    let done = gpuless::wait_until(&mut app.app, are_loaded);
    let states = images.each_ref().map(|image| server.load_state(image));
    assert!(done, "{states:?}");
    app.step(0.0);
    let errors = log::errors_of(&["bevy_classic_models"]);
    let told = errors.iter().filter(|error| error.contains("dim glow.dtx"));
    assert_eq!(told.count(), 1);
}
