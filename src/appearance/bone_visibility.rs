//! The own visibility of bones, which the bones below them do not inherit.

use bevy::prelude::*;

/// On the entity of a bone of an ALO model: the bone's own visibility.
///
/// While it is false, what is connected to the bone is hidden: parts, and entities with an
/// [`AttachedToBone`](crate::spawn::AttachedToBone). What is connected to the bones below it is not. If no clip shows or
/// hides the bone, it is [`AloBone::visible`](crate::alamo::AloBone::visible). A clip of a file shows a bone that the
/// model hides and that the file has without a visibility track.
///
/// The `Visibility` of the bone's entity is yours: `Hidden` hides everything below the bone, whatever a clip does. Only
/// with the loader setting `hidden_bones_hide_children` this crate writes it.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct BoneVisibility {
    pub(crate) is_visible: bool,
    /// [`AloBone::visible`](crate::alamo::AloBone::visible).
    pub(crate) default: bool,
    /// What animations decided in this frame. `None` if none animates the bone.
    pub(crate) animated: Option<bool>,
    pub(crate) hides_children: bool,
}

impl BoneVisibility {
    /// Whether what is connected to the bone is shown.
    pub fn is_visible(&self) -> bool {
        self.is_visible
    }
}

/// The visibility of an entity that is connected to a bone. `is_shown` is whether nothing else hides it. If a hidden bone
/// also hides its children, its entity does that.
pub(crate) fn connected_visibility(bone: Option<&BoneVisibility>, is_shown: bool) -> Visibility {
    let is_bone_shown = bone.is_none_or(|bone| bone.is_visible || bone.hides_children);
    visibility(is_shown && is_bone_shown)
}

/// On a child of a bone: the parent of the entities that are attached to the bone. It is hidden while the bone is.
#[derive(Component, Default)]
pub(crate) struct BoneAttachments;

pub(crate) fn visibility(is_visible: bool) -> Visibility {
    if is_visible {
        Visibility::Inherited
    } else {
        Visibility::Hidden
    }
}
