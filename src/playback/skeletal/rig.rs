//! [`Rig`]: what a format provides so that clips pose the bones of its models.

use crate::playback::clip_events::StoredEvents;
use crate::playback::frames::Frames;
use crate::playback::skeletal::pose_source::{ClipData, PoseSource};
use crate::spawn::format::Format;
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use core::fmt;
use core::ops::Range;
use std::sync::Arc;

/// A format whose models have bones that clips pose.
pub trait Rig: Format {
    /// The data that instances of one model share.
    type Model: fmt::Debug + Send + Sync + 'static;

    /// The component on the entity of every bone.
    type Bone: Component;

    /// The asset that describes clips.
    type ClipFile: Asset;

    /// Poses the bones of a model at a position of a clip.
    type Sampler: PoseSource;

    /// The model of an instance.
    fn model(instance: &Self::Instance) -> &Arc<Self::Model>;

    /// The entities of the bones, which have an `AnimationTargetId`. Empty for a member of a crowd.
    fn bone_entities(instance: &Self::Instance) -> &[Entity];

    /// The bones, parents before their children.
    fn bones(model: &Self::Model) -> impl ExactSizeIterator<Item = RigBone<'_>>;

    /// The animation target of a bone.
    fn target(bone: usize) -> AnimationTargetId;

    /// The clips, in file order.
    fn clips(model: &Self::Model) -> impl Iterator<Item = RigClip<'_>>;

    /// The frames and events of a whole clip of a model or of another file. `None` if they are not loaded, or the clip is
    /// not from a file of the format.
    fn clip_info<'a>(
        source: &ClipSource,
        model: Option<&'a Self::Model>,
        files: &'a Assets<Self::ClipFile>,
    ) -> Option<ClipInfo<'a>>;

    /// The file of a clip that a user has a handle to, if clips have files of their own. `extensions` are those of such
    /// files.
    fn file_of(
        _clip: &Handle<AnimationClip>,
        _server: &AssetServer,
        _extensions: &[String],
    ) -> Option<Handle<Self::ClipFile>> {
        None
    }

    /// What poses the bones of a model in a clip. `None` if it is not loaded.
    fn clip_data(
        source: &ClipSource,
        model: &Self::Model,
        files: &Assets<Self::ClipFile>,
        clips: &Assets<AnimationClip>,
    ) -> Option<ClipData<Self::Sampler>>;

    /// A warning about the tracks of a clip that do not fit a model.
    fn mismatch(
        source: &ClipSource,
        model: &Self::Model,
        files: &Assets<Self::ClipFile>,
    ) -> Option<String>;
}

/// A bone of a model.
#[derive(Clone, Copy, Debug)]
pub struct RigBone<'a> {
    pub(crate) name: &'a str,
    /// The index of its parent, which is lower than its own.
    pub(crate) parent: Option<usize>,
    /// The transform to its parent's space at rest.
    pub(crate) rest: Transform,
    /// Whether it is visible at rest.
    pub(crate) is_visible: bool,
}

/// A clip of a model.
#[derive(Clone, Debug)]
pub struct RigClip<'a> {
    pub(crate) name: &'a str,
    pub(crate) clip: &'a Handle<AnimationClip>,
    /// The asset that describes it, if it is not the model itself.
    pub(crate) file: Option<UntypedHandle>,
}

/// A clip or a part of it. It doesn't depend on the model that plays it.
#[derive(Clone, Debug)]
pub struct ClipSource {
    /// The clip as loaded, not yet adapted to a model.
    pub(crate) clip: Handle<AnimationClip>,
    /// The selected frames; `None` for the whole clip.
    pub(crate) frames: Option<Range<u32>>,
    /// The asset that describes the clip, if it is not the model itself.
    pub(crate) file: Option<UntypedHandle>,
}

impl From<RigClip<'_>> for ClipSource {
    fn from(clip: RigClip<'_>) -> Self {
        Self {
            clip: clip.clip.clone(),
            frames: None,
            file: clip.file,
        }
    }
}

impl From<&Handle<AnimationClip>> for ClipSource {
    fn from(clip: &Handle<AnimationClip>) -> Self {
        Self {
            clip: clip.clone(),
            frames: None,
            file: None,
        }
    }
}

impl ClipSource {
    /// The asset that describes the clip, if it is not the model itself.
    pub(crate) fn file_id<A: Asset>(&self) -> Option<AssetId<A>> {
        Some(self.file.as_ref()?.id().typed_debug_checked())
    }
}

/// The frames and events of a whole clip.
#[derive(Clone, Copy, Debug)]
pub struct ClipInfo<'a> {
    pub(crate) frames: Frames<'a>,
    pub(crate) events: Option<StoredEvents<'a>>,
}
