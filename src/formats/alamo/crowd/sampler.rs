//! Poses the bones of a model at a time of a clip, without entities.

use crate::crowd::bake::PoseSource;
use crate::crowd::clips::{ClipData, ClipOrigin};
use crate::crowd::timeline::{ClipCurves, Timeline, curve_timeline};
use crate::formats::alamo::animation::asset::Ala;
use crate::formats::alamo::animation::binding::bone_target;
use crate::formats::alamo::animation::tracks::AlaTracks;
use crate::formats::alamo::animation::visibility::visibility_evaluator;
use crate::formats::alamo::asset::AloModel;
use crate::playback::skeletal::rig::ClipSource;
use bevy::prelude::*;

/// Poses the bones of a model. It shares its data with the clip.
#[derive(Debug)]
pub enum ClipSampler {
    Tracks {
        tracks: AlaTracks,
        /// The entry of each bone in the tracks.
        entries: Vec<Option<usize>>,
    },
    /// Of a clip that is not from an Alamo file.
    Curves(ClipCurves),
}

/// What a clip is baked from. `None` if it is not loaded.
pub(crate) fn clip(
    source: &ClipSource,
    model: &AloModel,
    alas: &Assets<Ala>,
    clips: &Assets<AnimationClip>,
) -> Option<ClipData<ClipSampler>> {
    let ala = source.file_id::<Ala>();
    let origin = ala.map_or(ClipOrigin::Clip, |ala| ClipOrigin::File(ala.untyped()));
    if let Some(ala) = ala.and_then(|ala| alas.get(ala)) {
        return Some(ClipData {
            sampler: ClipSampler::of_ala(ala, model),
            timeline: Timeline::Rate {
                count: ala.frames,
                fps: ala.fps,
            },
            holds: ala.bones.iter().any(|bone| bone.steps),
            origin,
        });
    }
    let clip = clips.get(&source.clip)?;
    let visibility = visibility_evaluator();
    let curves = ClipCurves::new(clip, model.bones.len(), bone_target, Some(&visibility));
    Some(ClipData {
        sampler: ClipSampler::Curves(curves),
        timeline: curve_timeline(clip),
        holds: false,
        origin,
    })
}

impl ClipSampler {
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
                    *visible = tracks.is_visible(entry, seconds);
                }
            }
            Self::Curves(curves) => {
                for (bone, (local, visible)) in bones.enumerate() {
                    (*local, *visible) = curves.bone(bone, seconds, (*local, *visible));
                }
            }
        }
    }

    fn bone(&self, bone: usize, seconds: f32, rest: (Transform, bool)) -> (Transform, bool) {
        match self {
            Self::Tracks { tracks, entries } => match entries.get(bone).copied().flatten() {
                Some(entry) => (
                    tracks.transform(entry, seconds, &rest.0),
                    tracks.is_visible(entry, seconds),
                ),
                None => rest,
            },
            Self::Curves(curves) => curves.bone(bone, seconds, rest),
        }
    }
}
