//! Finds the tracks of an animation that do not match the bones of a model.
//!
//! A track animates the bone of its index. Its name is only compared with that of the bone.

use crate::alamo::animation::asset::Ala;
use crate::alamo::animation::targets::bone_target;
use crate::alamo::asset::AloModel;
use crate::scene::same_name;
use bevy::animation::AnimationClip;
use core::fmt;

/// A bone of an animation that a model does not have, or has under another name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoneMismatch {
    /// Its index, in the animation and in the model.
    pub index: usize,
    /// Its name in the animation.
    pub name: Box<str>,
    /// The name of the model's bone at this index; `None` if there is no such bone.
    pub in_model: Option<Box<str>>,
}

impl fmt::Display for BoneMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, name, .. } = self;
        match &self.in_model {
            Some(in_model) => write!(
                f,
                "bone {index} is \"{name}\" in the animation, but \"{in_model}\" in the model"
            ),
            None => write!(f, "bone {index}, \"{name}\", is missing from the model"),
        }
    }
}

impl Ala {
    /// The bones that a model does not have, or has under another name. Names are compared case-insensitively.
    pub fn mismatches(&self, model: &AloModel) -> Vec<BoneMismatch> {
        let mismatch = |index: usize, name: &str| {
            let in_model = model.bones.get(index).map(|bone| bone.name.clone());
            let matches = in_model
                .as_ref()
                .is_some_and(|in_model| same_name(in_model, name));
            (!matches).then(|| BoneMismatch {
                index,
                name: name.into(),
                in_model,
            })
        };
        let bones = self.bones.iter();
        bones
            .filter_map(|bone| mismatch(bone.index, &bone.name))
            .collect()
    }

    /// Copies a clip of this animation without the tracks that do not match a model.
    ///
    /// [`PlayClip`](crate::scene::PlayClip) does this automatically. For your own graph, call it if
    /// [`mismatches`](Self::mismatches) returns any; otherwise use the clip unchanged.
    pub fn bound(&self, clip: &AnimationClip, model: &AloModel) -> AnimationClip {
        without_tracks(clip, &self.mismatches(model))
    }
}

/// Copies a clip without the tracks of some bones. The copy shares its data with the original.
pub(super) fn without_tracks(clip: &AnimationClip, mismatches: &[BoneMismatch]) -> AnimationClip {
    let mut clip = clip.clone();
    for mismatch in mismatches {
        clip.curves_mut().remove(&bone_target(mismatch.index));
    }
    clip
}
