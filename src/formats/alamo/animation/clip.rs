//! Converts a file to a Bevy `AnimationClip`.

use crate::formats::alamo::animation::binding::bone_target;
use crate::formats::alamo::animation::curves::{AlaCurves, BoneCurves};
use crate::formats::alamo::animation::packed::{FixedRotation, FixedVector};
use crate::formats::alamo::animation::timing::Timing;
use crate::formats::alamo::animation::tracks::{AlaTracks, BoneTracks, Track};
use crate::formats::alamo::animation::visibility::VisibilityCurve;
use crate::playback::graph::rest_poses::{Rotation, Scale, Translation};
use bevy::prelude::*;
use classic_model_formats::ala::{AlaBone, AlaFile};

/// A scale that differs from 1 by less than this counts as 1. Exporters rounded the values that they wrote.
const SCALE_TOLERANCE: f32 = 5e-6;

/// Converts a file to a clip. Any `AnimationPlayer` can play it on the bones of any model with a matching skeleton. The
/// tracks stay packed as in the file.
///
/// Targets are [`bone_target`]s. Translation and rotation without a track are constant, and so is the scale if it is
/// not 1. Bones that are not in the file are not animated. The duration in seconds is (frames − 1) / fps, or 1 / fps
/// for a single frame. [`Ala::bound`](crate::alamo::Ala::bound) adapts it to a model.
pub fn clip(file: &AlaFile<'_>) -> AnimationClip {
    clip_of(file, &AlaCurves::new(file))
}

/// The same with the curves of the file.
pub(crate) fn clip_of(file: &AlaFile<'_>, all: &AlaCurves) -> AnimationClip {
    let mut clip = AnimationClip::default();
    clip.set_duration(Timing::new(file.frames, file.fps).duration());
    let all_curves = clip.curves_mut();
    all_curves.reserve(file.bones.len());
    for (bone, tracks) in all.bones(file) {
        // If two entries have the same bone index, the first is used.
        all_curves
            .entry(bone_target(bone.index as usize))
            .or_insert_with(|| curves(bone, tracks));
    }
    clip
}

/// The tracks of a file, for poses without Bevy's animation. `curves` are those of the file.
pub(crate) fn tracks(file: &AlaFile<'_>, curves: &AlaCurves) -> AlaTracks {
    let tracks = |(bone, curves): (&AlaBone<'_>, BoneCurves)| BoneTracks {
        bone: bone.index as usize,
        translation: match curves.translation {
            Some(packed) => Track::Packed(packed),
            None => Track::Fixed(FixedVector(bone.translation_offset)),
        },
        rotation: match (curves.rotation, bone.default_rotation) {
            (Some(packed), _) => Some(Track::Packed(packed)),
            (None, Some(fixed)) => Some(Track::Fixed(FixedRotation(fixed))),
            (None, None) => None,
        },
        scale: match curves.scale {
            Some(packed) => Track::Packed(packed),
            None => Track::Fixed(FixedVector(bone.scale_offset)),
        },
        visibility: curves.visibility.unwrap_or(VisibilityCurve::VISIBLE),
    };
    AlaTracks::new(curves.bones(file).map(tracks).collect())
}

fn curves(bone: &AlaBone<'_>, tracks: BoneCurves) -> Vec<VariableCurve> {
    let rotates = tracks.rotation.is_some() || bone.default_rotation.is_some();
    let scales = tracks.scale.is_some() || !is_one(bone.scale_offset);
    let count =
        1 + usize::from(rotates) + usize::from(scales) + usize::from(tracks.visibility.is_some());
    let mut curves = Vec::with_capacity(count);
    curves.push(match tracks.translation {
        Some(track) => VariableCurve::new(AnimatableCurve::new(Translation, track)),
        None => {
            let constant = FixedVector(bone.translation_offset);
            VariableCurve::new(AnimatableCurve::new(Translation, constant))
        }
    });
    match (tracks.rotation, bone.default_rotation) {
        (Some(track), _) => {
            curves.push(VariableCurve::new(AnimatableCurve::new(Rotation, track)));
        }
        (None, Some(rotation)) => {
            let constant = FixedRotation(rotation);
            curves.push(VariableCurve::new(AnimatableCurve::new(Rotation, constant)));
        }
        (None, None) => {}
    }
    match tracks.scale {
        Some(track) => curves.push(VariableCurve::new(AnimatableCurve::new(Scale, track))),
        None if scales => {
            let constant = FixedVector(bone.scale_offset);
            curves.push(VariableCurve::new(AnimatableCurve::new(Scale, constant)));
        }
        None => {}
    }
    curves.extend(tracks.visibility.map(VariableCurve::new));
    curves
}

fn is_one(scale: [f32; 3]) -> bool {
    scale
        .iter()
        .all(|scale| (scale - 1.0).abs() < SCALE_TOLERANCE)
}
