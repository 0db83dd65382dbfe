//! The animation targets of bones.

use crate::formats::alamo::animation::asset::{Ala, AlaBoneInfo};
use crate::formats::alamo::animation::visibility::{VisibilityCurve, visibility_evaluator};
use crate::formats::alamo::asset::AloModel;
use crate::playback::properties::has_curve_for;
use crate::playback::skeletal::shared_clips::Binding;
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

/// A bone of an animation that animates none of a model: see [`Ala::mismatches`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoneMismatch {
    /// Its index in the animation.
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
    /// The bones that animate none of a model. Names are compared case-insensitively.
    ///
    /// An animation of the model itself animates the bones at its indices, if they have its names. An animation of another model
    /// animates the bones with its names, at any index.
    pub fn mismatches(&self, model: &AloModel) -> Vec<BoneMismatch> {
        let is_shared = self.is_shared(model);
        let unbound = self.bind(model, is_shared).unbound.into_iter();
        let bones = unbound.filter_map(|track| self.bones.get(track));
        let mismatches = bones.map(|AlaBoneInfo { name, index, .. }| {
            let in_model = model.bones.get(*index).filter(|_| !is_shared);
            BoneMismatch {
                index: *index,
                name: name.clone(),
                in_model: in_model.map(|bone| bone.name.clone()),
            }
        });
        mismatches.collect()
    }

    /// Whether it is an animation of another model.
    fn is_shared(&self, model: &AloModel) -> bool {
        let mut own = model.animations.iter();
        !own.any(|own| own.clip == self.clip)
    }

    /// Which of its bones animate the bones of a model.
    pub(crate) fn binding(&self, model: &AloModel) -> Binding {
        self.bind(model, self.is_shared(model))
    }

    fn bind(&self, model: &AloModel, is_shared: bool) -> Binding {
        let tracks = self.bones.iter().map(|bone| (bone.index, &*bone.name));
        if let Some(bones) = model.clip_bones.as_ref().filter(|_| is_shared) {
            return bones.bind(tracks);
        }
        let names = model.bones.iter().map(|bone| &*bone.name);
        Binding::new(names, &model.named_bones, tracks, is_shared)
    }

    /// Adapts a clip of this animation to a model: removes the tracks that do not match, binds those of another model's animation to
    /// the bones with their names, and shows the bones that the model hides and that the animation has without a visibility
    /// track.
    ///
    /// [`PlayClip`](crate::root::PlayClip) does this automatically. Call it for your own graph. A copy shares its data
    /// with the original.
    pub fn bound<'c>(&self, clip: &'c AnimationClip, model: &AloModel) -> Cow<'c, AnimationClip> {
        let mut bound = Cow::Borrowed(clip);
        let binding = self.binding(model);
        let target_of = |track: usize| Some(bone_target(self.bones.get(track)?.index));
        let bones = binding.tracks.iter().enumerate();
        let bound_tracks =
            bones.filter_map(|(bone, track)| Some((bone_target(bone), target_of((*track)?)?)));
        let is_other = bound_tracks.clone().any(|(bone, track)| bone != track);
        if is_other || !binding.unbound.is_empty() {
            let curves = bound.to_mut().curves_mut();
            let all = core::mem::take(curves);
            let moved =
                bound_tracks.filter_map(|(bone, track)| Some((bone, all.get(&track)?.clone())));
            curves.extend(moved);
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
