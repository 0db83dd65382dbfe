//! Whether an animation is for a model, and which of it is.
//!
//! The index of a bone says which it is; the name is there to be checked.

use crate::alamo::animation::asset::Ala;
use crate::alamo::animation::targets::bone_target;
use crate::alamo::asset::AloModel;
use crate::scene::same_name;
use bevy::animation::AnimationClip;
use core::fmt;

/// A bone of an animation that a model does not have, or has under another name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoneMismatch {
    /// Its index, in the animation and in the model.
    pub index: usize,
    /// Its name in the animation.
    pub name: Box<str>,
    /// Its name in the model; `None` if there is no bone of this index.
    pub in_model: Option<Box<str>>,
}

impl fmt::Display for BoneMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, name, .. } = self;
        match &self.in_model {
            Some(in_model) => write!(
                f,
                "bone {index} is \"{name}\", but \"{in_model}\" in the model"
            ),
            None => write!(f, "bone {index}, \"{name}\", is not in the model"),
        }
    }
}

impl Ala {
    /// The bones that a model does not have, or has under another name. Case does not count.
    pub fn mismatches(&self, model: &AloModel) -> Vec<BoneMismatch> {
        let mismatch = |index: usize, name: &str| {
            let in_model = model.bones.get(index).map(|bone| bone.name.clone());
            let fits = in_model
                .as_ref()
                .is_some_and(|in_model| same_name(in_model, name));
            (!fits).then(|| BoneMismatch {
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

    /// A clip of this animation without what is not for a model.
    ///
    /// [`PlayClip`](crate::scene::PlayClip) does this by itself. In a graph of your own, use it where
    /// [`mismatches`](Self::mismatches) tells of some; where it does not, use the clip as it is.
    pub fn bound(&self, clip: &AnimationClip, model: &AloModel) -> AnimationClip {
        without(clip, &self.mismatches(model))
    }
}

/// A clip that leaves some bones alone. It shares its data with the other.
pub(super) fn without(clip: &AnimationClip, mismatches: &[BoneMismatch]) -> AnimationClip {
    let mut clip = clip.clone();
    for mismatch in mismatches {
        clip.curves_mut().remove(&bone_target(mismatch.index));
    }
    clip
}
