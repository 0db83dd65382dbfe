//! Pictures of LithTech models: each beside a control that Bevy draws from what the CPU computed.

use crate::support::abc::bytes;
use crate::support::abc_stage::{Axes, MIRRORED, Shown, ball, colors, control, dtx, tower};
use crate::support::alo_stage::matte;
use crate::support::stage::{Picture, Stage, VIEWS};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::write::AbcDocument;
use bevy_classic_models::lithtech::abc::{TransformInfo, parse};
use bevy_classic_models::lithtech::{AbcInstance, AbcLoaderSettings};
use bevy_classic_models::prelude::*;

const FILE: &str = "model.abc";
const SKIN: &str = "model.dtx";

const NOT_FLIPPED: Option<TransformInfo> = Some(TransformInfo {
    flip_geometry: false,
    flip_animation: false,
});

/// A stage with a model that wears four colours.
fn dressed(
    document: &AbcDocument,
    texels: &[[u8; 4]],
    settings: AbcLoaderSettings,
) -> (Stage, Entity) {
    let mut stage = Stage::new(&[(FILE, bytes(document)), (SKIN, dtx(texels))]);
    let root = stage.spawn_abc(FILE, settings, ());
    (stage, root)
}

fn show(stage: &mut Stage, root: Entity, seconds: f32) {
    let play = PlayClip::once(0_usize).starting_at(seconds).paused();
    stage.world().entity_mut(root).insert(play);
}

/// The model as Bevy draws it with those texels, or without any.
fn expected(
    stage: &mut Stage,
    root: Entity,
    (document, shown): (&AbcDocument, Shown),
    material: StandardMaterial,
) -> Picture {
    let bytes = bytes(document);
    let mesh = control(&parse(&bytes).unwrap(), shown);
    let material = stage.add_material(material);
    stage.capture_instead(root, vec![(mesh, material)])
}

fn colored(stage: &mut Stage, texels: &[[u8; 4]]) -> StandardMaterial {
    matte(Some(stage.add_levels(texels)))
}

#[test]
fn skins_are_neither_turned_nor_mirrored_whatever_the_flips_and_meshes() {
    let texels = colors([255; 4]);
    let plain = tower(NOT_FLIPPED);
    let flips = [(false, false), (false, true), (true, false), (true, true)];
    let flips = flips.map(|(flip_geometry, flip_animation)| {
        Some(TransformInfo {
            flip_geometry,
            flip_animation,
        })
    });
    // The model is the same however the file tells of it.
    for transform_info in flips.into_iter().chain([None]) {
        for separate_node_meshes in [false, true] {
            let settings = AbcLoaderSettings {
                separate_node_meshes,
                ..AbcLoaderSettings::default()
            };
            let (mut stage, root) = dressed(&tower(transform_info), &texels, settings);
            let mut before: Option<Picture> = None;
            for seconds in [0.0, 0.07, 0.28] {
                show(&mut stage, root, seconds);
                for view in VIEWS {
                    stage.look_from(view);
                    let shown = stage.capture();
                    let material = colored(&mut stage, &texels);
                    let what = (&plain, Shown::new(0, seconds));
                    let control = expected(&mut stage, root, what, material);
                    let what = format!(
                        "{transform_info:?}, {separate_node_meshes}, {seconds} from {view}"
                    );
                    shown.assert_is(&control, &what);
                    if let Some(before) = &before {
                        shown.assert_is_not(before, &what);
                    }
                    before = Some(shown);
                }
            }
        }
    }
}

#[test]
fn without_conversion_a_model_is_its_mirror_image() {
    let texels = colors([255; 4]);
    let axes = Axes { mirrors: false };
    for flip_geometry in [false, true] {
        let document = tower(Some(TransformInfo {
            flip_geometry,
            flip_animation: false,
        }));
        let settings = AbcLoaderSettings {
            convert_axes: false,
            ..AbcLoaderSettings::default()
        };
        let (mut stage, root) = dressed(&document, &texels, settings);
        show(&mut stage, root, 0.28);
        for view in VIEWS {
            stage.look_from(view);
            let shown = stage.capture();
            let material = colored(&mut stage, &texels);
            let moment = Shown {
                axes,
                ..Shown::new(0, 0.28)
            };
            let control = expected(&mut stage, root, (&document, moment), material);
            shown.assert_is(&control, &format!("as stored, {flip_geometry} from {view}"));
            let material = colored(&mut stage, &texels);
            let moment = Shown {
                axes: MIRRORED,
                ..moment
            };
            let control = expected(&mut stage, root, (&document, moment), material);
            shown.assert_is_not(&control, "as converted");
        }
    }
}

#[test]
fn holes_are_where_alpha_is_below_the_setting() {
    let texels = colors([0, 255, 85, 255]);
    let document = tower(NOT_FLIPPED);
    let mut pictures = Vec::new();
    for cutoff in [None, Some(0.2), Some(0.6)] {
        let settings = AbcLoaderSettings {
            alpha_cutoff: cutoff,
            double_sided: true,
            ..AbcLoaderSettings::default()
        };
        let (mut stage, root) = dressed(&document, &texels, settings);
        for view in VIEWS {
            stage.look_from(view);
            let shown = stage.capture();
            let material = StandardMaterial {
                alpha_mode: cutoff.map_or(AlphaMode::Opaque, AlphaMode::Mask),
                double_sided: true,
                cull_mode: None,
                ..colored(&mut stage, &texels)
            };
            let what = (&document, Shown::new(0, 0.0));
            let control = expected(&mut stage, root, what, material);
            shown.assert_is(&control, &format!("holes below {cutoff:?} from {view}"));
            pictures.push(shown);
        }
    }
    let views = VIEWS.len();
    for (fewer, more) in pictures.iter().zip(pictures.iter().skip(views)) {
        fewer.assert_is_not(more, "more holes");
    }
}

#[test]
fn triangles_are_seen_from_behind_only_by_setting() {
    // Half of the tower's sides are gone, and so one looks into it.
    let mut document = tower(NOT_FLIPPED);
    document.geometry.triangles = document.geometry.triangles.split_off(12);
    document.geometry.triangles.truncate(6);
    let texels = colors([255; 4]);
    let mut pictures = Vec::new();
    for double_sided in [false, true] {
        let settings = AbcLoaderSettings {
            double_sided,
            ..AbcLoaderSettings::default()
        };
        let (mut stage, root) = dressed(&document, &texels, settings);
        for view in VIEWS {
            stage.look_from(view);
            let shown = stage.capture();
            let mut material = colored(&mut stage, &texels);
            if double_sided {
                (material.double_sided, material.cull_mode) = (true, None);
            }
            let what = (&document, Shown::new(0, 0.0));
            let control = expected(&mut stage, root, what, material);
            assert!(shown.different(&control) * 50 < control.covered().max(2000));
            pictures.push(shown.covered());
        }
    }
    let sums = [pictures[0] + pictures[1], pictures[2] + pictures[3]];
    assert!(sums[1] > sums[0] + 1000, "{sums:?}");
}

#[test]
fn every_level_of_detail_looks_as_the_rule_makes_it() {
    let texels = colors([255; 4]);
    let document = ball();
    for separate_node_meshes in [false, true] {
        let settings = AbcLoaderSettings {
            separate_node_meshes,
            lod_shares: vec![0.8, 0.6, 0.45],
            double_sided: true,
            ..AbcLoaderSettings::default()
        };
        let (mut stage, root) = dressed(&document, &texels, settings);
        let instance = stage.world().get::<AbcInstance>(root).unwrap();
        let levels = instance.model().levels.clone();
        assert_eq!(levels.len(), 4);
        let mut before: Option<Picture> = None;
        for (steps, level) in levels.iter().enumerate() {
            stage
                .world()
                .entity_mut(root)
                .insert(ModelLod(steps as u32));
            for view in VIEWS {
                stage.look_from(view);
                let shown = stage.capture();
                let material = StandardMaterial {
                    double_sided: true,
                    cull_mode: None,
                    ..colored(&mut stage, &texels)
                };
                let moment = Shown {
                    level: level.number,
                    ..Shown::new(0, 0.0)
                };
                let control = expected(&mut stage, root, (&document, moment), material);
                shown.assert_is(&control, &format!("level {} from {view}", level.number));
                if let Some(before) = &before {
                    shown.assert_is_not(before, "another level or side");
                }
                before = Some(shown);
            }
        }
    }
}
