//! The nodes and clips of LithTech models, for playback.

use crate::formats::lithtech::animation::clip::node_target;
use crate::formats::lithtech::asset::{Abc, AbcAnimation, AbcModel};
use crate::formats::lithtech::components::{AbcInstance, AbcNode};
use crate::playback::clip_events::StoredEvents;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::rig::{ClipInfo, ClipSource, Rig, RigBone, RigClip};
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use std::sync::Arc;

/// The playback state of a spawned LithTech model. It is on the root entity once the scene is spawned.
pub type AbcAnimator = ModelAnimator<Abc>;

/// The animation of a model that a clip was made from.
pub(crate) fn animation_of<'m>(
    clip: &Handle<AnimationClip>,
    model: &'m AbcModel,
) -> Option<&'m AbcAnimation> {
    let mut animations = model.animations.iter();
    animations.find(|animation| animation.clip == *clip)
}

impl Rig for Abc {
    type Model = AbcModel;
    type Bone = AbcNode;
    /// The file of the model, which has its clips.
    type ClipFile = Self;

    fn model(instance: &AbcInstance) -> &Arc<AbcModel> {
        instance.model()
    }

    fn bone_entities(instance: &AbcInstance) -> &[Entity] {
        instance.nodes()
    }

    fn bones(model: &AbcModel) -> impl ExactSizeIterator<Item = RigBone<'_>> {
        model.nodes.iter().map(|node| RigBone {
            name: &node.name,
            parent: node.parent,
            rest: node.transform,
            is_visible: true,
        })
    }

    fn target(bone: usize) -> AnimationTargetId {
        node_target(bone)
    }

    fn clips(model: &AbcModel) -> impl Iterator<Item = RigClip<'_>> {
        model.animations.iter().map(|animation| RigClip {
            name: &animation.name,
            clip: &animation.clip,
            file: None,
        })
    }

    fn clip_info<'a>(
        source: &ClipSource,
        model: Option<&'a AbcModel>,
        abcs: &'a Assets<Self>,
    ) -> Option<ClipInfo<'a>> {
        let own = model.and_then(|model| animation_of(&source.clip, model));
        let of_other_models = || {
            let mut others = abcs.iter();
            others.find_map(|(_, other)| animation_of(&source.clip, &other.model))
        };
        let animation = own.or_else(of_other_models)?;
        Some(ClipInfo {
            frames: animation.frames(),
            events: Some(StoredEvents {
                clip: &animation.reference,
                events: &animation.events,
            }),
        })
    }
}
