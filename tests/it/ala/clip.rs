//! Alamo animations as Bevy clips, compared at many times with the tests' own decoder.

use crate::support::ala::clean;
use crate::support::prelude::*;
use bevy::animation::animation_curves::{AnimatedField, EvaluatorId};
use bevy_classic_models::alamo::ala::parse;
use bevy_classic_models::alamo::{VisibilityCurve, clip};

/// Tolerance: relative for values above 1, otherwise absolute.
const TOLERANCE: f64 = 1e-5;

#[track_caller]
fn assert_close(found: &[f32], expected: &[f32], context: &str) {
    for (found, expected) in found.iter().zip(expected) {
        let [a, b] = [found, expected].map(|value| f64::from(*value));
        let error = (a - b).abs() / b.abs().max(1.0);
        assert!(error <= TOLERANCE, "{context}: {a}, expected {b}");
    }
}

/// Compares all tracks of a clip with the decoder, at frames, between them and after the last.
fn assert_matches_decoder(bytes: &[u8], name: &str) {
    let file = parse(bytes).unwrap();
    let clip = clip(&file);
    let decoder = Decoder::new(bytes);
    let last = file.frames - 1;
    let frames = (0..=last).filter(|frame| last < 100 || frame % 17 == 0 || *frame + 2 > last);
    for frame in frames {
        for offset in [0.0, 0.25, 0.5, 0.999] {
            let time = (frame as f32 + offset) / file.fps;
            let exact_frame = if offset == 0.0 {
                f64::from(frame)
            } else {
                f64::from(time) * f64::from(file.fps)
            };
            for (index, bone) in file.bones.iter().enumerate() {
                let expected = decoder.sample(index, exact_frame);
                let context = format!("{name}: {} at frame {frame} + {offset}", bone.name);
                let target = bone_target(bone.index as usize);
                let translation =
                    clip.sample_clamped(animated_field!(Transform::translation), target, time);
                assert_close(
                    &translation.unwrap().to_array(),
                    &expected.translation,
                    &context,
                );
                let scale = clip.sample_clamped(animated_field!(Transform::scale), target, time);
                let scale = scale.unwrap_or(Vec3::ONE);
                assert_close(&scale.to_array(), &expected.scale, &context);
                let rotation =
                    clip.sample_clamped(animated_field!(Transform::rotation), target, time);
                assert_eq!(rotation.is_some(), expected.rotation.is_some(), "{context}");
                if let (Some(found), Some(expected)) = (rotation, expected.rotation) {
                    let expected = Quat::from_array(expected);
                    // A quaternion and its opposite are the same rotation.
                    let expected = expected * found.dot(expected).signum();
                    assert_close(&found.to_array(), &expected.to_array(), &context);
                }
                assert_eq!(visible(&clip, target, time), expected.visible, "{context}");
            }
        }
    }
}

/// The value of a clip's visibility curve, if it has one.
fn visible(
    clip: &AnimationClip,
    target: bevy::animation::AnimationTargetId,
    time: f32,
) -> Option<bool> {
    let mut curves = clip.curves_for_target(target)?.iter();
    curves.find_map(|curve| {
        let value = curve.0.sample_clamped(time).downcast::<bool>().ok()?;
        Some(*value)
    })
}

#[test]
fn clips_match_the_reference_decoder() {
    for version in [1, 2] {
        for frames in [1, 2, 3, 11, 64] {
            assert_matches_decoder(
                &every_track(version, frames),
                &format!("{frames} frames, format {version}"),
            );
        }
    }
}

#[test]
fn real_clips_match_the_reference_decoder() {
    let Some(folder) = corpus("real_clips_match_the_reference_decoder") else {
        return;
    };
    let files = files_of(&folder, "ala");
    if files.is_empty() {
        println!("real_clips_match_the_reference_decoder: skipped, the corpus has no animations");
    }
    for (name, bytes) in files {
        assert_matches_decoder(&bytes, &name);
    }
}

#[test]
fn times_outside_the_clip_clamp_to_its_ends() {
    let bytes = clean(2);
    let file = parse(&bytes).unwrap();
    let clip = clip(&file);
    for bone in &file.bones {
        let at = |time| {
            let target = bone_target(bone.index as usize);
            let field = animated_field!(Transform::translation);
            clip.sample_clamped(field, target, time).unwrap()
        };
        assert_eq!(at(-3.0), at(0.0));
        assert_eq!(at(f32::NAN), at(0.0));
        assert_eq!(at(1e30), at(file.seconds()));
    }
}

#[test]
fn clip_duration_ends_at_the_last_frame_and_is_never_zero() {
    for (frames, seconds) in [(1, 1.0 / 30.0), (2, 1.0 / 30.0), (11, 10.0 / 30.0)] {
        for version in [1, 2] {
            let bytes = every_track(version, frames);
            let found = clip(&parse(&bytes).unwrap()).duration();
            assert!((found - seconds).abs() < 1e-6, "{frames}: {found}");
        }
    }
}

/// Equal evaluator IDs let these curves blend with curves from other code.
#[test]
fn curves_use_bevys_evaluators() {
    fn id<C, A, F>(field: &AnimatedField<C, A, F>) -> EvaluatorId<'_>
    where
        AnimatedField<C, A, F>: bevy::animation::animation_curves::AnimatableProperty,
        F: Fn(&mut C) -> &mut A,
    {
        use bevy::animation::animation_curves::AnimatableProperty;
        field.evaluator_id()
    }
    let bytes = clean(2);
    let clip = clip(&parse(&bytes).unwrap());
    let translation = animated_field!(Transform::translation);
    let rotation = animated_field!(Transform::rotation);
    let scale = animated_field!(Transform::scale);
    let bevy_ids = [id(&translation), id(&rotation), id(&scale)];
    let curves = clip.curves().values().flatten();
    let (transforms, other): (Vec<_>, Vec<_>) =
        curves.partition(|curve| bevy_ids.contains(&curve.0.evaluator_id()));
    assert!(transforms.len() >= 32 * 3);
    assert_eq!(other.len(), 16, "visibility");
}

#[test]
fn visibility_curve_can_be_built_from_frames() {
    let curve = VisibilityCurve::new([true, false, true], 10.0);
    let values = [0.0, 0.05, 0.1, 0.19, 0.2, 9.0].map(|time| curve.sample(time));
    assert_eq!(values, [true, true, false, false, true, true]);
}

#[test]
fn animation_loads_as_an_asset() {
    let bytes = clean(2);
    let file = parse(&bytes).unwrap();
    let mut app = TestApp::new(&[("Some.ALA", bytes.clone())]);
    let ala = app.load::<Ala>("Some.ALA");
    assert!(matches!(app.finish_load(&ala), LoadState::Loaded));
    let clip: Handle<AnimationClip> = app.load(AlaAssetLabel::Clip.from_asset("Some.ALA"));
    app.wait_loaded(&clip);
    let world = app.world();
    let ala = world.resource::<Assets<Ala>>().get(&ala).unwrap().clone();
    assert_eq!(ala.clip, clip);
    assert_eq!(
        (ala.version, ala.frames, ala.fps, ala.seconds()),
        (2, file.frames, file.fps, file.seconds())
    );
    assert_eq!(ala.bones.len(), file.bones.len());
    for (found, bone) in ala.bones.iter().zip(&file.bones) {
        assert_eq!(
            (&*found.name, found.index),
            (&*bone.name, bone.index as usize)
        );
        assert_eq!(found.translation, bone.translation.is_some());
        assert_eq!(found.rotation, bone.rotation.is_some());
        assert_eq!(found.scale, bone.scale.is_some());
        assert_eq!(found.visibility, bone.visibility.is_some());
        assert_eq!(found.steps, bone.steps.is_some());
    }
}

#[test]
fn broken_animation_error_states_the_offset() {
    let mut bytes = clean(2);
    bytes.truncate(60);
    let mut app = TestApp::new(&[("broken.ala", bytes)]);
    let ala = app.load::<Ala>("broken.ala");
    let LoadState::Failed(error) = app.finish_load(&ala) else {
        panic!("loaded without an error");
    };
    let error = error.to_string();
    let expected = parse(&clean(2)[..60]).unwrap_err().to_string();
    assert!(expected.contains("at offset "), "{expected}");
    assert!(
        error.contains("broken.ala") && error.contains(&expected),
        "{error}"
    );
}
