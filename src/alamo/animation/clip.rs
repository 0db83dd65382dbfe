//! A file as Bevy's clip.

use crate::alamo::ala::{AlaBone, AlaFile};
use crate::alamo::animation::curves::{AlaCurves, BoneCurves, FixedRotation, FixedVector};
use crate::alamo::animation::targets::bone_target;
use crate::alamo::animation::timing::Timing;
use crate::scene::{Rotation, Scale, Translation};
use bevy::animation::animation_curves::AnimatableCurve;
use bevy::animation::{AnimationClip, VariableCurve};

/// Scales closer to 1 than this are meant to be 1, and differ from it by what the tools that wrote them
/// have rounded.
const ONE: f32 = 5e-6;

/// A file as a clip, which any `AnimationPlayer` plays on the bones of any model that it fits. All
/// that it says stays packed as in the file.
///
/// Targets are [`bone_target`]s. What has no track is held: translation, rotation, and the scale if it is
/// not 1. Bones that the file does not speak of are left alone. The duration is (frames − 1) / fps, and that
/// of a single frame 1 / fps.
pub fn clip(file: &AlaFile<'_>) -> AnimationClip {
    let mut clip = AnimationClip::default();
    clip.set_duration(Timing::new(file.frames, file.fps).duration());
    let all = clip.curves_mut();
    all.reserve(file.bones.len());
    for (bone, tracks) in AlaCurves::new(file).bones(file) {
        // Of two that speak of one bone, the first is heard.
        all.entry(bone_target(bone.index as usize))
            .or_insert_with(|| curves(bone, tracks));
    }
    clip
}

fn curves(bone: &AlaBone<'_>, tracks: BoneCurves) -> Vec<VariableCurve> {
    let turns = tracks.rotation.is_some() || bone.default_rotation.is_some();
    let grows = tracks.scale.is_some() || !is_one(bone.scale_offset);
    let count =
        1 + usize::from(turns) + usize::from(grows) + usize::from(tracks.visibility.is_some());
    let mut curves = Vec::with_capacity(count);
    curves.push(match tracks.translation {
        Some(track) => VariableCurve::new(AnimatableCurve::new(Translation, track)),
        None => {
            let held = FixedVector(bone.translation_offset);
            VariableCurve::new(AnimatableCurve::new(Translation, held))
        }
    });
    match (tracks.rotation, bone.default_rotation) {
        (Some(track), _) => {
            curves.push(VariableCurve::new(AnimatableCurve::new(Rotation, track)));
        }
        (None, Some(held)) => {
            let held = FixedRotation(held);
            curves.push(VariableCurve::new(AnimatableCurve::new(Rotation, held)));
        }
        (None, None) => {}
    }
    match tracks.scale {
        Some(track) => curves.push(VariableCurve::new(AnimatableCurve::new(Scale, track))),
        None if grows => {
            let held = FixedVector(bone.scale_offset);
            curves.push(VariableCurve::new(AnimatableCurve::new(Scale, held)));
        }
        None => {}
    }
    curves.extend(tracks.visibility.map(VariableCurve::new));
    curves
}

fn is_one(scale: [f32; 3]) -> bool {
    scale.iter().all(|scale| (scale - 1.0).abs() < ONE)
}
