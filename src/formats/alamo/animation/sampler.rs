//! Poses the bones of Alamo models from the tracks of an animation.

use crate::crowd::bake::BakeSource;
use crate::formats::alamo::animation::asset::{Ala, AlaTracks};
use crate::formats::alamo::asset::AloModel;
use crate::playback::skeletal::pose_source::{Animated, ClipCurves, PoseSource};
use bevy::prelude::*;

/// Poses the bones of a model. It shares its data with the clip.
#[derive(Debug)]
pub enum ClipSampler {
    Tracks {
        tracks: AlaTracks,
        /// The entry of each bone in the tracks, and whether it decides about the visibility: a bone that the model shows
        /// keeps the flag of its entity if it has no such track.
        entries: Vec<Option<(usize, bool)>>,
    },
    /// Of a clip that is not from an Alamo file.
    Curves(ClipCurves),
}

impl ClipSampler {
    pub(crate) fn of_ala(ala: &Ala, model: &AloModel) -> Self {
        let tracks = ala.binding(model).tracks.into_iter();
        let entries = tracks.zip(&model.bones).map(|(track, bone)| {
            let track = track?;
            Some((track, !bone.visible || ala.tracks.has_visibility(track)))
        });
        Self::Tracks {
            tracks: ala.tracks.clone(),
            entries: entries.collect(),
        }
    }
}

impl PoseSource for ClipSampler {
    fn bone(&self, bone: usize, seconds: f32, rest: (Transform, bool)) -> (Transform, bool) {
        match self {
            Self::Tracks { tracks, entries } => match entries.get(bone).copied().flatten() {
                Some((entry, _)) => (
                    tracks.transform(entry, seconds, &rest.0),
                    tracks.is_visible(entry, seconds),
                ),
                None => rest,
            },
            Self::Curves(curves) => curves.bone(bone, seconds, rest),
        }
    }

    fn animates(&self, bone: usize) -> Animated {
        match self {
            Self::Tracks { entries, .. } => {
                let entry = entries.get(bone).copied().flatten();
                Animated {
                    transform: entry.is_some(),
                    visibility: entry.is_some_and(|(_, decides)| decides),
                }
            }
            Self::Curves(curves) => curves.animates(bone),
        }
    }
}

impl BakeSource for ClipSampler {}
