//! The visibility tracks of a clip: reading them, and leaving them out.

use bevy::animation::animation_curves::AnimationCurve;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, AloModel, VisibilityCurve, bone_target};

/// An animation of the walker's.
pub struct Show {
    pub name: String,
    pub frames: u32,
    pub fps: f32,
    /// The clip without its visibility tracks.
    pub stripped: Handle<AnimationClip>,
    pub tracks: Vec<Track>,
}

/// When a bone is shown.
pub struct Track {
    /// Its index in the model.
    pub bone: usize,
    /// Whether it is, frame by frame.
    pub shown: Vec<bool>,
}

impl Show {
    /// What is known of an animation that is there.
    pub fn new(
        name: &str,
        ala: &Ala,
        model: &AloModel,
        clips: &mut Assets<AnimationClip>,
    ) -> Option<Self> {
        let clip = clips.get(&ala.clip)?;
        let bones = 0..model.bones.len();
        let tracks = bones.filter_map(|bone| {
            let shown = frames_shown(clip, bone, ala)?;
            Some(Track { bone, shown })
        });
        let tracks = tracks.collect();
        let stripped = stripped(clip);
        Some(Self {
            name: name.to_owned(),
            frames: ala.frames,
            fps: ala.fps,
            stripped: clips.add(stripped),
            tracks,
        })
    }

    /// The last frame that begins something: a loop's very last is its first.
    pub fn last(&self) -> u32 {
        self.frames.saturating_sub(1).max(1)
    }
}

impl Track {
    /// Where the bone is shown: first frames, and those after the last ones.
    pub fn runs(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (frame, _) in self.shown.iter().enumerate().filter(|(_, shown)| **shown) {
            match runs.last_mut() {
                Some((_, end)) if *end == frame => *end += 1,
                _ => runs.push((frame, frame + 1)),
            }
        }
        runs
    }
}

/// Whether a curve is of this kind. All that move the same property have the same id.
fn is_visibility(curve: &dyn AnimationCurve) -> bool {
    let one = VisibilityCurve::new([true], 1.0);
    curve.evaluator_id() == one.evaluator_id()
}

/// What a clip says of a bone's visibility in each frame; `None` if it says nothing.
fn frames_shown(clip: &AnimationClip, bone: usize, ala: &Ala) -> Option<Vec<bool>> {
    let curves = clip.curves_for_target(bone_target(bone))?;
    let mut curves = curves.iter().map(|curve| &*curve.0);
    let curve = curves.find(|curve| is_visibility(*curve))?;
    let at = |frame: u32| {
        let said = curve.sample_clamped(frame as f32 / ala.fps);
        said.downcast_ref::<bool>().copied().unwrap_or(true)
    };
    Some((0..ala.frames).map(at).collect())
}

/// A clip that says nothing of visibility.
fn stripped(clip: &AnimationClip) -> AnimationClip {
    let mut clip = clip.clone();
    for curves in clip.curves_mut().values_mut() {
        curves.retain(|curve| !is_visibility(&*curve.0));
    }
    clip
}
