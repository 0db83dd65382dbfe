//! Poses the bones of a model at a time of a clip, without entities.

use crate::alamo::animation::{Ala, AlaSource, AlaTracks, VisibilityCurve, bone_target};
use crate::alamo::asset::AloModel;
use crate::crowd::{ClipFrames, PoseSource};
use crate::scene::{ClipSource, Rotation, Scale, Translation};
use bevy::animation::AnimationClip;
use bevy::animation::animation_curves::{AnimationCurve, EvaluatorId};
use bevy::asset::Assets;
use bevy::math::{Affine3A, Quat, Vec3};
use bevy::transform::components::Transform;
use core::any::Any;

/// Samples per second of a clip that is not from an Alamo file.
const CURVE_RATE: f32 = 60.0;

/// Poses the bones of a model. It shares its data with the clip.
#[derive(Debug)]
pub(super) enum ClipSampler {
    Tracks {
        tracks: AlaTracks,
        /// The entry of each bone in the tracks.
        entries: Vec<Option<usize>>,
    },
    Curves(Vec<BoneCurves>),
}

/// The curves of one bone in a clip that is not from an Alamo file.
#[derive(Debug, Default)]
pub(super) struct BoneCurves {
    translation: Option<Box<dyn AnimationCurve>>,
    rotation: Option<Box<dyn AnimationCurve>>,
    scale: Option<Box<dyn AnimationCurve>>,
    visibility: Option<Box<dyn AnimationCurve>>,
}

impl ClipSampler {
    /// The sampler and the frames of a clip. `None` if the clip is not loaded.
    pub(super) fn new(
        source: &AlaSource,
        model: &AloModel,
        alas: &Assets<Ala>,
        clips: &Assets<AnimationClip>,
    ) -> Option<(Self, ClipFrames)> {
        if let Some(ala) = source.ala().and_then(|ala| alas.get(ala)) {
            let frames = ClipFrames {
                count: ala.frames,
                fps: ala.fps,
                holds: ala.bones.iter().any(|bone| bone.steps),
            };
            return Some((Self::of_ala(ala, model), frames));
        }
        let clip = clips.get(source.clip())?;
        let curves = (0..model.bones.len()).map(|bone| BoneCurves::new(clip, bone));
        // Casting saturates.
        let last = (clip.duration() * CURVE_RATE).ceil() as u32;
        let frames = ClipFrames {
            count: last.saturating_add(1),
            fps: CURVE_RATE,
            holds: false,
        };
        Some((Self::Curves(curves.collect()), frames))
    }

    fn of_ala(ala: &Ala, model: &AloModel) -> Self {
        let mut entries = vec![None; model.bones.len()];
        for (entry, bone) in ala.tracks.bones().enumerate() {
            // If two entries have the same bone, the first is used.
            if let Some(known @ None) = entries.get_mut(bone) {
                *known = Some(entry);
            }
        }
        for mismatch in ala.mismatches(model) {
            if let Some(entry) = entries.get_mut(mismatch.index) {
                *entry = None;
            }
        }
        Self::Tracks {
            tracks: ala.tracks.clone(),
            entries,
        }
    }

    /// The transform of a bone relative to its parent, and its own visibility. `rest` has those of the rest pose.
    fn bone(&self, bone: usize, seconds: f32, rest: (Transform, bool)) -> (Transform, bool) {
        match self {
            Self::Tracks { tracks, entries } => match entries.get(bone).copied().flatten() {
                Some(entry) => (
                    tracks.transform(entry, seconds, &rest.0),
                    tracks.is_visible(entry, seconds).unwrap_or(rest.1),
                ),
                None => rest,
            },
            Self::Curves(curves) => match curves.get(bone) {
                Some(curves) => curves.sample(seconds, rest),
                None => rest,
            },
        }
    }
}

impl PoseSource for ClipSampler {
    fn pose(&self, seconds: f32, local: &mut [Transform], visible: &mut [bool]) {
        let bones = local.iter_mut().zip(visible);
        match self {
            Self::Tracks { tracks, entries } => {
                for (entry, (local, visible)) in entries.iter().zip(bones) {
                    let Some(entry) = *entry else {
                        continue;
                    };
                    *local = tracks.transform(entry, seconds, local);
                    *visible = tracks.is_visible(entry, seconds).unwrap_or(*visible);
                }
            }
            Self::Curves(curves) => {
                for (curves, (local, visible)) in curves.iter().zip(bones) {
                    (*local, *visible) = curves.sample(seconds, (*local, *visible));
                }
            }
        }
    }
}

/// The evaluator of curves that show and hide bones.
fn visibility_id() -> EvaluatorId<'static> {
    static CURVE: std::sync::LazyLock<VisibilityCurve> =
        std::sync::LazyLock::new(|| VisibilityCurve::new([true], 1.0));
    CURVE.evaluator_id()
}

impl BoneCurves {
    fn new(clip: &AnimationClip, bone: usize) -> Self {
        let mut curves = Self::default();
        for curve in clip
            .curves_for_target(bone_target(bone))
            .into_iter()
            .flatten()
        {
            let field = curve.0.evaluator_id();
            let target = if field == Translation::id() {
                &mut curves.translation
            } else if field == Rotation::id() {
                &mut curves.rotation
            } else if field == Scale::id() {
                &mut curves.scale
            } else if field == visibility_id() {
                &mut curves.visibility
            } else {
                continue;
            };
            *target = Some(curve.0.clone_value());
        }
        curves
    }

    fn sample(&self, seconds: f32, (rest, is_visible): (Transform, bool)) -> (Transform, bool) {
        let translation = value::<Vec3>(self.translation.as_deref(), seconds);
        let rotation = value::<Quat>(self.rotation.as_deref(), seconds);
        let scale = value::<Vec3>(self.scale.as_deref(), seconds);
        let transform = Transform {
            translation: translation.unwrap_or(rest.translation),
            rotation: rotation.unwrap_or(rest.rotation),
            scale: scale.unwrap_or(rest.scale),
        };
        let visible = value::<bool>(self.visibility.as_deref(), seconds);
        (transform, visible.unwrap_or(is_visible))
    }
}

/// The value of a curve, if it has the expected type.
fn value<T: Any>(curve: Option<&dyn AnimationCurve>, seconds: f32) -> Option<T> {
    let value = curve?.sample_clamped(seconds).downcast::<T>().ok()?;
    Some(*value)
}

/// The transform of a bone to the model's space, and whether it is visible. `clip` is a sampler and a time in seconds;
/// `None` is the rest pose.
pub(super) fn bone_pose(
    model: &AloModel,
    bone: usize,
    clip: Option<(&ClipSampler, f32)>,
) -> (Affine3A, bool) {
    let mut pose = (Affine3A::IDENTITY, true);
    let mut next = Some(bone);
    while let Some((index, info)) = next.and_then(|index| Some((index, model.bones.get(index)?))) {
        let rest = (info.transform, info.visible);
        let (local, is_visible) = match clip {
            Some((sampler, seconds)) => sampler.bone(index, seconds, rest),
            None => rest,
        };
        pose = (local.compute_affine() * pose.0, pose.1 && is_visible);
        next = info.parent;
    }
    pose
}
