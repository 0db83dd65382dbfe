//! Texture units of LGW models, drawn and compared pixel by pixel with the formulas of OpenGL's
//! specification.

use crate::support::alo_stage::{matte, texels, tga};
use crate::support::lgw_stage::{
    BEFORE, Quad, Reference, Sheet, control_mesh, dds, material, model, texgen, texture,
};
use crate::support::stage::Stage;
use bevy::prelude::*;
use bevy_classic_models::lgw::LgwLoaderSettings;
use bevy_classic_models::lgw::text::{AlphaMode, Material, TexGenKind, Texture, TextureMode};
use std::collections::HashMap;

const FILE: &str = "wall.lgw";

const MODES: [TextureMode; 6] = [
    TextureMode::Replace,
    TextureMode::Modulate,
    TextureMode::Decal,
    TextureMode::Blend,
    TextureMode::Add,
    TextureMode::Dot3Bump,
];

/// Each mode without and with the texels' alpha.
fn ways() -> impl Iterator<Item = (TextureMode, AlphaMode)> {
    let alphas = [AlphaMode::Opaque, AlphaMode::Blend];
    MODES
        .into_iter()
        .flat_map(move |mode| alphas.map(|alpha| (mode, alpha)))
}

/// What is below: each channel another slope.
fn lower() -> Vec<[u8; 4]> {
    texels(16, |x, y| {
        [250 - 12 * x, 40 + 13 * y, 60 + 6 * (x + y), 255 - 10 * y].map(|it| it as u8)
    })
}

/// What is above.
fn upper() -> Vec<[u8; 4]> {
    texels(16, |x, y| {
        [30 + 14 * y, 230 - 9 * x, 20 + 14 * x, 15 + 15 * x].map(|it| it as u8)
    })
}

fn sheets() -> HashMap<&'static str, Sheet> {
    HashMap::from([
        ("lower.tga", Sheet::Flat(lower())),
        ("upper.tga", Sheet::Flat(upper())),
    ])
}

fn files(model: Vec<u8>) -> [(&'static str, Vec<u8>); 3] {
    [
        (FILE, model),
        ("lower.tga", tga(&lower())),
        ("upper.tga", tga(&upper())),
    ]
}

fn unlit() -> LgwLoaderSettings {
    LgwLoaderSettings {
        unlit: true,
        ..LgwLoaderSettings::default()
    }
}

fn wall(count: usize) -> Vec<Quad> {
    (0..count).map(|index| Quad::in_grid(index, 4)).collect()
}

fn materials(of: impl Iterator<Item = Vec<Texture<'static>>>) -> Vec<Material<'static>> {
    of.enumerate()
        .map(|(id, textures)| material(id, textures))
        .collect()
}

/// Draws materials without light, and compares.
#[track_caller]
fn assert_unlit(materials: Vec<Material<'static>>, what: &str) {
    let quads = wall(materials.len());
    let mut stage = Stage::dark(&files(model(&materials, &quads)));
    stage.spawn_lgw(FILE, unlit());
    stage.view_from(BEFORE);
    let picture = stage.capture();
    let seen = stage.seen(&quads);
    let reference = Reference {
        materials,
        sheets: sheets(),
        scale: 1.0,
    };
    reference.assert_shows(&picture, &seen, None, what);
}

fn with_alpha(alpha_mode: AlphaMode, texture: Texture<'static>) -> Texture<'static> {
    Texture {
        alpha_mode,
        ..texture
    }
}

#[test]
fn the_first_unit_has_six_modes_with_alpha_and_without() {
    let of = ways().map(|(mode, alpha)| vec![with_alpha(alpha, texture("upper.tga", mode))]);
    assert_unlit(materials(of), "modes of the first unit");
}

#[test]
fn the_second_unit_has_six_modes_with_alpha_and_without() {
    for below in [AlphaMode::Opaque, AlphaMode::Blend] {
        let of = ways().map(|(mode, alpha)| {
            let lower = texture("lower.tga", TextureMode::Modulate);
            let upper = texture("upper.tga", mode);
            vec![with_alpha(below, lower), with_alpha(alpha, upper)]
        });
        assert_unlit(
            materials(of),
            &format!("modes of the second unit {below:?}"),
        );
    }
}

#[test]
fn a_mask_is_the_alpha_of_both_units() {
    let of = ways().map(|(mode, alpha)| {
        let lower = texture("lower.tga", TextureMode::Modulate);
        let upper = texture("upper.tga", mode);
        vec![with_alpha(AlphaMode::Mask, lower), with_alpha(alpha, upper)]
    });
    assert_unlit(materials(of), "masks of both units");
}

/// Turned and bent quads, on which light varies.
fn bent_wall(count: usize) -> Vec<Quad> {
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
    let place = Transform::from_xyz(50.0, 70.0, 60.0).looking_at(Vec3::ZERO, Vec3::Y);
    stage.world().spawn((sun, place)).id()
}

#[test]
fn light_above_one_passes_through_the_units() {
    let of = ways().map(|(mode, alpha)| {
        let upper = with_alpha(alpha, texture("upper.tga", mode));
        match alpha {
            AlphaMode::Opaque => vec![texture("lower.tga", TextureMode::Modulate), upper],
            _ => vec![upper, texture("lower.tga", TextureMode::Modulate)],
        }
    });
    let materials = materials(of);
    let quads = bent_wall(materials.len());
    let mut stage = Stage::dark(&files(model(&materials, &quads)));
    // As a picture shows no light above 1, the surfaces without textures are seen under a part of it.
    const PART: f32 = 1.0 / 4.0;
    const LUX: f32 = 8_000.0;
    let sun = add_sun(&mut stage, LUX * PART, Color::linear_rgb(1.0, 0.7, 0.45));
    let root = stage.spawn_lgw(FILE, LgwLoaderSettings::default());
    stage.view_from(BEFORE);
    let seen = stage.seen(&quads);
    let white = stage.add_material(matte(None));
    let controls = quads.iter().map(|quad| (control_mesh(quad), white.clone()));
    let dim = stage.capture_instead(root, controls.collect());
    let light = |index: usize| dim.light(index).map(|of| of / f64::from(PART));
    let brightest = (0..dim.0.len())
        .map(|index| light(index)[0])
        .fold(0.0, f64::max);
    assert!((2.0..3.9).contains(&brightest), "{brightest}");
    stage
        .world()
        .get_mut::<DirectionalLight>(sun)
        .unwrap()
        .illuminance = LUX;
    let picture = stage.capture();
    let reference = Reference {
        materials,
        sheets: sheets(),
        scale: 1.0,
    };
    // The rounding of the dim picture is multiplied with the light.
    reference.assert_shows_in(&picture, &seen, light, 2, "bright modes");
}

#[test]
fn two_textures_are_as_bright_as_one_under_the_default_sun() {
    let brown = [[150, 110, 70, 255]; 16];
    let base = || texture("brown.tga", TextureMode::Modulate);
    let white = texture("white.tga", TextureMode::Modulate);
    let both = [vec![base()], vec![base(), white]];
    let quads = bent_wall(8);
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
        stage.view_from(BEFORE);
        stage.capture()
    });
    let [plain, units] = pictures;
    let brightest = plain.0.iter().map(|[red, ..]| *red).max();
    assert!(brightest > Some(180), "{brightest:?}: no light is above 1");
    units.assert_is(&plain, "two textures under the default sun");
}

#[test]
fn units_are_laid_over_what_light_makes_of_a_white_surface() {
    let of = ways().map(|(mode, alpha)| match alpha {
        AlphaMode::Opaque => vec![
            texture("lower.tga", TextureMode::Modulate),
            texture("upper.tga", mode),
        ],
        _ => vec![
            texture("upper.tga", mode),
            texture("lower.tga", TextureMode::Modulate),
        ],
    });
    let materials = materials(of);
    let quads = bent_wall(12);
    let mut stage = Stage::dark(&files(model(&materials, &quads)));
    // No light is above 1, which the picture of the white wall could not tell.
    add_sun(&mut stage, 2_500.0, Color::WHITE);
    let root = stage.spawn_lgw(FILE, LgwLoaderSettings::default());
    stage.view_from(BEFORE);
    let picture = stage.capture();
    let seen = stage.seen(&quads);
    let white = stage.add_material(matte(None));
    let controls = quads.iter().map(|quad| (control_mesh(quad), white.clone()));
    let lit = stage.capture_instead(root, controls.collect());
    lit.assert_is_not(&picture, "a lit white wall");
    let reference = Reference {
        materials,
        sheets: sheets(),
        scale: 1.0,
    };
    reference.assert_shows(&picture, &seen, Some(&lit), "lit modes");
}

#[test]
fn one_mode_would_not_pass_for_another() {
    let quads = wall(1);
    let mut stage = Stage::dark(&[]);
    stage.view_from(BEFORE);
    let seen = stage.seen(&quads);
    let references: Vec<Reference> = MODES
        .into_iter()
        .map(|mode| Reference {
            materials: vec![material(
                0,
                vec![
                    texture("lower.tga", TextureMode::Modulate),
                    with_alpha(AlphaMode::Blend, texture("upper.tga", mode)),
                ],
            )],
            sheets: sheets(),
            scale: 1.0,
        })
        .collect();
    for (index, one) in references.iter().enumerate() {
        for other in &references[..index] {
            let (differing, all) = one.differing(other, &seen, 0);
            assert!(all > 2000 && 2 * differing > all, "{differing} of {all}");
        }
    }
}

/// Six faces that nothing maps to each other.
fn cube() -> Vec<Vec<[u8; 4]>> {
    let face = |face: u32| {
        texels(16, move |x, y| {
            let along = [8 * x + 40, 9 * y + 60, 220 - 5 * (x + y)];
            let turned = [0, 1, 2].map(|of| along[((of + face) % 3) as usize]);
            let [r, g, b] = turned.map(|it| if face < 3 { it } else { 255 - it });
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

fn generating() -> Vec<Material<'static>> {
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
    let turn = |index: usize| {
        let turn = 0.25 * (index % 3) as f32 - 0.2;
        Quat::from_rotation_y(turn) * Quat::from_rotation_x(0.3 - turn)
    };
    let quads = wall(materials.len()).into_iter().enumerate();
    quads
        .map(|(index, quad)| quad.curved(turn(index), 0.8))
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
fn coordinates_are_made_as_opengl_makes_them() {
    let materials = generating();
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
    let sheets = || {
        let mut sheets = sheets();
        sheets.insert("cube.dds", Sheet::Cube(cube()));
        sheets
    };
    let reference = Reference {
        materials: materials.clone(),
        sheets: sheets(),
        scale: SCALE.into(),
    };
    for (view, place) in [BEFORE, Vec3::new(-38.0, 26.0, 42.0)]
        .into_iter()
        .enumerate()
    {
        stage.view_from(place);
        let picture = stage.capture();
        let seen = stage.seen(&quads);
        reference.assert_shows(&picture, &seen, None, &format!("coordinates from {view}"));
        // What nearly is it would be seen.
        let wrong_scale = Reference {
            materials: materials.clone(),
            sheets: sheets(),
            scale: 1.0,
        };
        assert_differs(reference.differing(&wrong_scale, &seen, 0), "another scale");
        let mut swapped = materials.clone();
        swapped.swap(2, 3);
        swapped.swap(1, 4);
        let swapped = Reference {
            materials: swapped,
            sheets: sheets(),
            scale: SCALE.into(),
        };
        for quad in 1..5 {
            assert_differs(reference.differing(&swapped, &seen, quad), "another kind");
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
