//! Rendering of the texture units of LGW models, compared pixel by pixel with the formulas of the OpenGL specification.

use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::{Reference, control_mesh, model, texgen, texture};
use crate::support::prelude::*;
use bevy_classic_models::lgw::lgw::{AlphaMode, Material, Texture};

const FILE: &str = "wall.lgw";

const MODES: [TextureMode; 6] = [
    TextureMode::Replace,
    TextureMode::Modulate,
    TextureMode::Decal,
    TextureMode::Blend,
    TextureMode::Add,
    TextureMode::Dot3Bump,
];

/// Each mode without and with the alpha of the texels.
fn modes_and_alphas() -> impl Iterator<Item = (TextureMode, AlphaMode)> {
    let alphas = [AlphaMode::Opaque, AlphaMode::Blend];
    MODES
        .into_iter()
        .flat_map(move |mode| alphas.map(|alpha| (mode, alpha)))
}

/// The texture of the first unit: each channel is another gradient.
fn lower() -> Vec<[u8; 4]> {
    texels(16, |x, y| {
        [250 - 12 * x, 40 + 13 * y, 60 + 6 * (x + y), 255 - 10 * y].map(|it| it as u8)
    })
}

/// The texture of the second unit.
fn upper() -> Vec<[u8; 4]> {
    texels(16, |x, y| {
        [30 + 14 * y, 230 - 9 * x, 20 + 14 * x, 15 + 15 * x].map(|it| it as u8)
    })
}

/// The expected image of materials, which may have any of the textures.
fn expected(materials: Vec<Material<'static>>, scale: f64) -> Reference {
    let images = [
        ("lower.tga", Texels::Flat(lower())),
        ("upper.tga", Texels::Flat(upper())),
        ("cube.dds", Texels::Cube(cube())),
    ];
    Reference {
        materials,
        images: images.into(),
        scale,
    }
}

fn files(model: Vec<u8>) -> [(&'static str, Vec<u8>); 3] {
    [
        (FILE, model),
        ("lower.tga", tga(&lower())),
        ("upper.tga", tga(&upper())),
    ]
}

pub fn unlit() -> LgwLoaderSettings {
    LgwLoaderSettings {
        unlit: true,
        ..LgwLoaderSettings::default()
    }
}

fn wall(count: usize) -> Vec<Quad> {
    (0..count).map(|index| Quad::in_grid(index, 4)).collect()
}

pub fn materials(
    textures: impl IntoIterator<Item = Vec<Texture<'static>>>,
) -> Vec<Material<'static>> {
    let textures = textures.into_iter().enumerate();
    textures
        .map(|(id, textures)| material(id, textures))
        .collect()
}

/// Draws unlit materials, and compares all pixels.
#[track_caller]
fn assert_unlit_matches(materials: Vec<Material<'static>>, what: &str) {
    let quads = wall(materials.len());
    let mut stage = Stage::dark(&files(model(&materials, &quads)));
    stage.spawn_lgw(FILE, unlit());
    stage.view_from(FRONT_VIEW);
    let picture = stage.capture();
    let fragments = stage.fragments(&quads);
    let reference = expected(materials, 1.0);
    reference.assert_matches(&picture, &fragments, None, what);
}

fn with_alpha(alpha_mode: AlphaMode, texture: Texture<'static>) -> Texture<'static> {
    Texture {
        alpha_mode,
        ..texture
    }
}

#[test]
fn the_first_unit_supports_six_modes_with_and_without_alpha() {
    let textures =
        modes_and_alphas().map(|(mode, alpha)| vec![with_alpha(alpha, texture("upper.tga", mode))]);
    assert_unlit_matches(materials(textures), "modes of the first unit");
}

#[test]
fn the_second_unit_supports_six_modes_with_and_without_alpha() {
    for first_alpha in [AlphaMode::Opaque, AlphaMode::Blend] {
        let textures = modes_and_alphas().map(|(mode, alpha)| {
            let lower = texture("lower.tga", TextureMode::Modulate);
            let upper = texture("upper.tga", mode);
            vec![with_alpha(first_alpha, lower), with_alpha(alpha, upper)]
        });
        assert_unlit_matches(
            materials(textures),
            &format!("modes of the second unit {first_alpha:?}"),
        );
    }
}

#[test]
fn masks_use_the_alpha_of_both_units() {
    let textures = modes_and_alphas().map(|(mode, alpha)| {
        let lower = texture("lower.tga", TextureMode::Modulate);
        let upper = texture("upper.tga", mode);
        vec![with_alpha(AlphaMode::Mask, lower), with_alpha(alpha, upper)]
    });
    assert_unlit_matches(materials(textures), "masks of both units");
}

/// Rotated quads with varying normals, on which the light varies.
fn curved_quads(count: usize) -> Vec<Quad> {
    let quads = wall(count).into_iter();
    quads
        .map(|quad| quad.curved(Quat::from_rotation_y(0.3), 0.7))
        .collect()
}

fn add_sun(stage: &mut Stage, illuminance: f32, color: Color) -> Entity {
    let sun = DirectionalLight {
        illuminance,
        color,
        ..default()
    };
    let transform = Transform::from_xyz(50.0, 70.0, 60.0).looking_at(Vec3::ZERO, Vec3::Y);
    stage.spawn_entity((sun, transform))
}

#[test]
fn texture_units_preserve_light_above_1() {
    let textures = modes_and_alphas().map(|(mode, alpha)| {
        let upper = with_alpha(alpha, texture("upper.tga", mode));
        match alpha {
            AlphaMode::Opaque => vec![texture("lower.tga", TextureMode::Modulate), upper],
            _ => vec![upper, texture("lower.tga", TextureMode::Modulate)],
        }
    });
    let materials = materials(textures);
    let quads = curved_quads(materials.len());
    let mut stage = Stage::dark(&files(model(&materials, &quads)));
    // Images clip light above 1, so the untextured surfaces are captured under a fraction of it.
    const FRACTION: f32 = 1.0 / 4.0;
    const LUX: f32 = 8_000.0;
    let sun = add_sun(
        &mut stage,
        LUX * FRACTION,
        Color::linear_rgb(1.0, 0.7, 0.45),
    );
    let root = stage.spawn_lgw(FILE, LgwLoaderSettings::default());
    stage.view_from(FRONT_VIEW);
    let fragments = stage.fragments(&quads);
    let white = stage.add_material(matte(None));
    let controls = quads.iter().map(|quad| (control_mesh(quad), white.clone()));
    let dim = stage.capture_controls(root, controls.collect());
    let light = |index: usize| {
        dim.linear_color(index)
            .map(|channel| channel / f64::from(FRACTION))
    };
    let brightest = (0..dim.0.len())
        .map(|index| light(index)[0])
        .fold(0.0, f64::max);
    assert!((2.0..3.9).contains(&brightest), "{brightest}");
    stage.get_mut::<DirectionalLight>(sun).illuminance = LUX;
    let picture = stage.capture();
    let reference = expected(materials, 1.0);
    // The rounding errors of the dim image are multiplied by the light.
    reference.assert_matches_in_light(&picture, &fragments, light, 2, "bright modes");
}

#[test]
fn two_textures_match_the_brightness_of_one_in_daylight() {
    let brown = [[150, 110, 70, 255]; 16];
    let base = || texture("brown.tga", TextureMode::Modulate);
    let white = texture("white.tga", TextureMode::Modulate);
    let both = [vec![base()], vec![base(), white]];
    let quads = curved_quads(8);
    let pictures = both.map(|textures| {
        let materials = materials((0..8).map(|_| textures.clone()));
        let files = [
            (FILE, model(&materials, &quads)),
            ("brown.tga", tga(&brown)),
            ("white.tga", tga(&[[255; 4]])),
        ];
        let mut stage = Stage::dark(&files);
        add_sun(
            &mut stage,
            light_consts::lux::AMBIENT_DAYLIGHT,
            Color::WHITE,
        );
        stage.spawn_lgw(FILE, LgwLoaderSettings::default());
        stage.view_from(FRONT_VIEW);
        stage.capture()
    });
    let [plain, units] = pictures;
    let brightest = plain.0.iter().map(|[red, ..]| *red).max();
    assert!(
        brightest > Some(180),
        "{brightest:?}: too dark for light above 1"
    );
    units.assert_matches(&plain, "two textures under the default sun");
}

#[test]
fn texture_units_modulate_a_lit_white_surface() {
    let textures = modes_and_alphas().map(|(mode, alpha)| match alpha {
        AlphaMode::Opaque => vec![
            texture("lower.tga", TextureMode::Modulate),
            texture("upper.tga", mode),
        ],
        _ => vec![
            texture("upper.tga", mode),
            texture("lower.tga", TextureMode::Modulate),
        ],
    });
    let materials = materials(textures);
    let quads = curved_quads(12);
    let mut stage = Stage::dark(&files(model(&materials, &quads)));
    // No light above 1, because the image of the white wall would clip it.
    add_sun(&mut stage, 2_500.0, Color::WHITE);
    let root = stage.spawn_lgw(FILE, LgwLoaderSettings::default());
    stage.view_from(FRONT_VIEW);
    let picture = stage.capture();
    let fragments = stage.fragments(&quads);
    let white = stage.add_material(matte(None));
    let controls = quads.iter().map(|quad| (control_mesh(quad), white.clone()));
    let lit = stage.capture_controls(root, controls.collect());
    lit.assert_differs(&picture, "a lit white wall");
    let reference = expected(materials, 1.0);
    reference.assert_matches(&picture, &fragments, Some(&lit), "lit modes");
}

#[test]
fn the_reference_distinguishes_all_modes() {
    let quads = wall(1);
    let mut stage = Stage::dark(&[]);
    stage.view_from(FRONT_VIEW);
    let fragments = stage.fragments(&quads);
    let references: Vec<Reference> = MODES
        .into_iter()
        .map(|mode| {
            let lower = texture("lower.tga", TextureMode::Modulate);
            let upper = with_alpha(AlphaMode::Blend, texture("upper.tga", mode));
            expected(vec![material(0, vec![lower, upper])], 1.0)
        })
        .collect();
    for (index, one) in references.iter().enumerate() {
        for other in &references[..index] {
            let (differing, all) = one.differing(other, &fragments, 0);
            assert!(all > 2000 && 2 * differing > all, "{differing} of {all}");
        }
    }
}

/// Six faces, of which none is a rotation or reflection of another.
fn cube() -> Vec<Vec<[u8; 4]>> {
    let face = |face: u32| {
        texels(16, move |x, y| {
            let gradients = [8 * x + 40, 9 * y + 60, 220 - 5 * (x + y)];
            let rotated = [0, 1, 2].map(|channel| gradients[((channel + face) % 3) as usize]);
            let [r, g, b] = rotated.map(|it| if face < 3 { it } else { 255 - it });
            [r as u8, g as u8, b as u8, 255]
        })
    };
    (0..6).map(face).collect()
}

fn generated(file: &'static str, kinds: [Option<TexGenKind>; 3], wrap: bool) -> Texture<'static> {
    Texture {
        wrap: [wrap; 2],
        cube_map: file.ends_with("dds"),
        texgen: texgen(kinds, [0.05, -0.08, 0.03]),
        ..texture(file, TextureMode::Replace)
    }
}

fn generated_materials() -> Vec<Material<'static>> {
    use TexGenKind::{EyeLinear, NormalMap, ReflectionMap, SphereMap};
    let all = |kind| [Some(kind); 3];
    let flat = |kind| [Some(kind), Some(kind), None];
    let modulated = Texture {
        mode: TextureMode::Add,
        ..generated("cube.dds", all(ReflectionMap), false)
    };
    let single = [
        generated("lower.tga", flat(EyeLinear), true),
        generated("lower.tga", flat(SphereMap), false),
        generated("cube.dds", all(ReflectionMap), false),
        generated("cube.dds", all(NormalMap), false),
        generated("lower.tga", flat(ReflectionMap), true),
        generated("lower.tga", flat(NormalMap), true),
        generated("lower.tga", [Some(EyeLinear), None, None], true),
        generated("lower.tga", [None, Some(EyeLinear), None], true),
        generated("cube.dds", all(EyeLinear), false),
        generated("cube.dds", [None, None, Some(NormalMap)], false),
        generated("cube.dds", flat(SphereMap), false),
    ];
    let single = single.into_iter().map(|texture| vec![texture]);
    let both = vec![texture("upper.tga", TextureMode::Modulate), modulated];
    materials(single.chain([both]))
}

const SCALE: f32 = 2.5;

fn curved_wall(materials: &[Material]) -> Vec<Quad> {
    let rotation = |index: usize| {
        let angle = 0.25 * (index % 3) as f32 - 0.2;
        Quat::from_rotation_y(angle) * Quat::from_rotation_x(0.3 - angle)
    };
    let quads = wall(materials.len()).into_iter().enumerate();
    quads
        .map(|(index, quad)| quad.curved(rotation(index), 0.8))
        .collect()
}

fn shrunk(quads: &[Quad]) -> Vec<Quad> {
    let quads = quads.iter().cloned();
    quads
        .map(|quad| Quad {
            corners: quad.corners.map(|corner| corner / SCALE),
            ..quad
        })
        .collect()
}

#[test]
fn generated_coordinates_match_opengl() {
    let materials = generated_materials();
    let quads = curved_wall(&materials);
    let [plus_x, ..] = &cube()[..] else {
        unreachable!()
    };
    assert_ne!(*plus_x, lower());
    let faces: Vec<_> = cube().into_iter().map(|face| vec![face]).collect();
    let mut files = files(model(&materials, &shrunk(&quads))).to_vec();
    files.push(("cube.dds", dds(&faces)));
    let mut stage = Stage::dark(&files);
    let settings = LgwLoaderSettings {
        scale: SCALE,
        ..unlit()
    };
    stage.spawn_lgw(FILE, settings);
    let reference = expected(materials.clone(), SCALE.into());
    for (view, position) in [FRONT_VIEW, Vec3::new(-38.0, 26.0, 42.0)]
        .into_iter()
        .enumerate()
    {
        stage.view_from(position);
        let picture = stage.capture();
        let fragments = stage.fragments(&quads);
        reference.assert_matches(
            &picture,
            &fragments,
            None,
            &format!("coordinates from {view}"),
        );
        // Small mistakes would be detected.
        let wrong_scale = expected(materials.clone(), 1.0);
        assert_differs(
            reference.differing(&wrong_scale, &fragments, 0),
            "another scale",
        );
        let mut swapped = materials.clone();
        swapped.swap(2, 3);
        swapped.swap(1, 4);
        let swapped = expected(swapped, SCALE.into());
        for quad in 1..5 {
            assert_differs(
                reference.differing(&swapped, &fragments, quad),
                "another kind",
            );
        }
    }
}

#[track_caller]
fn assert_differs((differing, all): (usize, usize), what: &str) {
    assert!(
        all > 500 && 2 * differing > all,
        "{what}: {differing} of {all}"
    );
}
