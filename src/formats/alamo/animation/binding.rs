//! The animation targets of bones.

use crate::formats::alamo::animation::asset::Ala;
use crate::formats::alamo::animation::visibility::{VisibilityCurve, visibility_evaluator};
use crate::formats::alamo::asset::AloModel;
use crate::load::names::same_name;
use crate::playback::properties::has_curve_for;
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use core::fmt;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The count of precomputed targets. Hashing takes longer than the rest of the work on a curve.
const PRECOMPUTED: usize = 512;

static TARGETS: LazyLock<Vec<AnimationTargetId>> =
    LazyLock::new(|| (0..PRECOMPUTED).map(hashed).collect());

/// The animation target of the bone at an index: the hash of `["alamo", index]`.
pub fn bone_target(index: usize) -> AnimationTargetId {
    let target = TARGETS.get(index).copied();
    target.unwrap_or_else(|| hashed(index))
}

fn hashed(index: usize) -> AnimationTargetId {
    AnimationTargetId::from_iter(["alamo", &index.to_string()])
}

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

    /// Adapts a clip of this animation to a model: removes the tracks that do not match, and shows the bones that the model
    /// hides and that the animation has without a visibility track.
    ///
    /// [`PlayClip`](crate::root::PlayClip) does this automatically. Call it for your own graph. A copy shares its data
    /// with the original.
    pub fn bound<'c>(&self, clip: &'c AnimationClip, model: &AloModel) -> Cow<'c, AnimationClip> {
        let mut bound = Cow::Borrowed(clip);
        for mismatch in self.mismatches(model) {
            let target = bone_target(mismatch.index);
            bound.to_mut().curves_mut().remove(&target);
        }
        for (index, _) in model
            .bones
            .iter()
            .enumerate()
            .filter(|(_, bone)| !bone.visible)
        {
            let target = bone_target(index);
            let is_animated = bound.curves_for_target(target).is_some();
            if is_animated && !has_curve_for(&bound, target, &visibility_evaluator()) {
                let curve = VariableCurve::new(VisibilityCurve::VISIBLE);
                bound.to_mut().add_variable_curve_to_target(target, curve);
            }
        }
        bound
    }
}
