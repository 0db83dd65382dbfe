//! Rendered LithTech models, each compared with a control mesh whose vertices the CPU computed.

use crate::support::abc::bytes;
use crate::support::abc_stage::{Axes, MIRRORED, ball, control, dtx};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::abc::parse;

const FILE: &str = "model.abc";
const SKIN: &str = "model.dtx";

const NOT_FLIPPED: Option<TransformInfo> = Some(TransformInfo {
    flip_geometry: false,
    flip_animation: false,
});

/// Spawns a model that uses a skin of these texels.
fn spawn_with_skin(
    stage: &mut Stage,
    document: &AbcDocument,
    texels: &[[u8; 4]],
    settings: AbcLoaderSettings,
) -> Entity {
    let file = stage.add_files(&[(FILE, bytes(document)), (SKIN, dtx(texels))]);
    stage.spawn_abc(file, settings, ())
}

fn show(stage: &mut Stage, root: Entity, seconds: f32) {
    let play = PlayClip::once(0_usize).starting_at(seconds).paused();
    stage.insert(root, play);
}

/// Renders the control mesh of a document with a material, in place of the model.
fn capture_control(
    stage: &mut Stage,
    root: Entity,
    (document, shown): (&AbcDocument, Shown),
    material: StandardMaterial,
) -> Picture {
    let bytes = bytes(document);
    let mesh = control(&parse(&bytes).unwrap(), shown);
    let material = stage.add_material(material);
    stage.capture_controls(root, vec![(mesh, material)])
}

fn colored(stage: &mut Stage, texels: &[[u8; 4]]) -> StandardMaterial {
    matte(Some(stage.add_levels(texels)))
}

#[test]
fn skins_have_the_same_orientation_with_all_flips_and_meshes() {
    let mut stage = Stage::new(&[]);
    let texels = colors([255; 4]);
    let plain = tower(NOT_FLIPPED);
    let flips = [(false, false), (false, true), (true, false), (true, true)];
    let flips = flips.map(|(flip_geometry, flip_animation)| {
        Some(TransformInfo {
            flip_geometry,
            flip_animation,
        })
    });
    // All flips encode the same model.
    for transform_info in flips.into_iter().chain([None]) {
        for separate_node_meshes in [false, true] {
            let settings = AbcLoaderSettings {
                separate_node_meshes,
                ..AbcLoaderSettings::default()
            };
            let root = spawn_with_skin(&mut stage, &tower(transform_info), &texels, settings);
            let mut before: Option<Picture> = None;
            for seconds in [0.0, 0.07, 0.28] {
                show(&mut stage, root, seconds);
                for view in VIEWS {
                    stage.move_camera(view);
                    let shown = stage.capture();
                    let material = colored(&mut stage, &texels);
                    let subject = (&plain, Shown::new(0, seconds));
                    let control = capture_control(&mut stage, root, subject, material);
                    let context = format!(
                        "{transform_info:?}, separate_node_meshes: {separate_node_meshes}, \
                         {seconds} s from {view}"
                    );
                    shown.assert_matches(&control, &context);
                    if let Some(before) = &before {
                        shown.assert_differs(before, &context);
                    }
                    before = Some(shown);
                }
            }
            stage.despawn(root);
        }
    }
}

#[test]
fn model_without_axis_conversion_is_mirrored() {
    let mut stage = Stage::new(&[]);
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
        let root = spawn_with_skin(&mut stage, &document, &texels, settings);
        show(&mut stage, root, 0.28);
        for view in VIEWS {
            stage.move_camera(view);
            let shown = stage.capture();
            let material = colored(&mut stage, &texels);
            let moment = Shown {
                axes,
                ..Shown::new(0, 0.28)
            };
            let control = capture_control(&mut stage, root, (&document, moment), material);
            shown.assert_matches(
                &control,
                &format!("as stored, flip_geometry: {flip_geometry}, from {view}"),
            );
            let material = colored(&mut stage, &texels);
            let moment = Shown {
                axes: MIRRORED,
                ..moment
            };
            let control = capture_control(&mut stage, root, (&document, moment), material);
            shown.assert_differs(&control, "the control with converted axes");
        }
        stage.despawn(root);
    }
}

#[test]
fn texels_below_alpha_cutoff_are_holes() {
    let mut stage = Stage::new(&[]);
    let texels = colors([0, 255, 85, 255]);
    let document = tower(NOT_FLIPPED);
    let mut captures = Vec::new();
    for cutoff in [None, Some(0.2), Some(0.6)] {
        let settings = AbcLoaderSettings {
            alpha_cutoff: cutoff,
            double_sided: true,
            ..AbcLoaderSettings::default()
        };
        let root = spawn_with_skin(&mut stage, &document, &texels, settings);
        for view in VIEWS {
            stage.move_camera(view);
            let shown = stage.capture();
            let material = StandardMaterial {
                alpha_mode: cutoff.map_or(AlphaMode::Opaque, AlphaMode::Mask),
                double_sided: true,
                cull_mode: None,
                ..colored(&mut stage, &texels)
            };
            let subject = (&document, Shown::new(0, 0.0));
            let control = capture_control(&mut stage, root, subject, material);
            shown.assert_matches(&control, &format!("holes below {cutoff:?} from {view}"));
            captures.push(shown);
        }
        stage.despawn(root);
    }
    let views = VIEWS.len();
    for (fewer, more) in captures.iter().zip(captures.iter().skip(views)) {
        fewer.assert_differs(more, "more holes");
    }
}

#[test]
fn back_faces_are_drawn_only_with_double_sided() {
    let mut stage = Stage::new(&[]);
    // Half of the tower's sides are removed, so that its inside is visible.
    let mut document = tower(NOT_FLIPPED);
    document.geometry.triangles = document.geometry.triangles.split_off(12);
    document.geometry.triangles.truncate(6);
    let texels = colors([255; 4]);
    let mut captures = Vec::new();
    for double_sided in [false, true] {
        let settings = AbcLoaderSettings {
            double_sided,
            ..AbcLoaderSettings::default()
        };
        let root = spawn_with_skin(&mut stage, &document, &texels, settings);
        for view in VIEWS {
            stage.move_camera(view);
            let shown = stage.capture();
            let mut material = colored(&mut stage, &texels);
            if double_sided {
                (material.double_sided, material.cull_mode) = (true, None);
            }
            let subject = (&document, Shown::new(0, 0.0));
            let control = capture_control(&mut stage, root, subject, material);
            assert!(shown.different(&control) * 50 < control.covered().max(2000));
            captures.push(shown.covered());
        }
        stage.despawn(root);
    }
    let sums = [captures[0] + captures[1], captures[2] + captures[3]];
    assert!(sums[1] > sums[0] + 1000, "{sums:?}");
}

#[test]
fn every_lod_matches_its_control() {
    let mut stage = Stage::new(&[]);
    let texels = colors([255; 4]);
    let document = ball();
    for separate_node_meshes in [false, true] {
        let settings = AbcLoaderSettings {
            separate_node_meshes,
            lod_shares: vec![0.8, 0.6, 0.45],
            double_sided: true,
            ..AbcLoaderSettings::default()
        };
        let root = spawn_with_skin(&mut stage, &document, &texels, settings);
        let instance = stage.get::<AbcInstance>(root);
        let levels = instance.model().levels.clone();
        assert_eq!(levels.len(), 4);
        let mut before: Option<Picture> = None;
        for (steps, level) in levels.iter().enumerate() {
            stage.insert(root, ModelLod(steps as u32));
            for view in VIEWS {
                stage.move_camera(view);
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
                let control = capture_control(&mut stage, root, (&document, moment), material);
                shown.assert_matches(&control, &format!("level {} from {view}", level.number));
                if let Some(before) = &before {
                    shown.assert_differs(before, "the previous level or view");
                }
                before = Some(shown);
            }
        }
        stage.despawn(root);
    }
}
