//! Plays clips on the bones of models, for the formats with [`Rig`]. Their clips are also Bevy `AnimationClip`s.

// For maintainers: the rules for bones that a format's clip does not animate belong to the format.

pub(crate) mod active_clips;
pub(crate) mod animator;
pub(crate) mod bone_set;
pub(crate) mod clips;
pub(crate) mod driver;
pub(crate) mod layers;
pub(crate) mod pose;
pub(crate) mod pose_source;
pub(crate) mod posed_bone;
pub(crate) mod propagate;
pub(crate) mod rig;
pub(crate) mod root_motion;
pub(crate) mod shared_clips;

use crate::load::reloads::add_loading_check;
use crate::playback::resolve::resolve_clips;
use crate::playback::skeletal::clips::{SharedClips, log_mismatches};
use crate::playback::skeletal::driver::{
    is_clip_loading, link_bones, play_clips, send_clip_events,
};
use crate::playback::skeletal::rig::Rig;
use crate::root::environment::ClassicModelsSystems;
use bevy::animation::{AnimatedBy, AnimationTargetId, advance_animations};
use bevy::app::AnimationSystems;
use bevy::prelude::*;

/// Adds the playback of a format's clips. `extensions` are those of files with one clip.
pub(crate) fn add_rig<F: Rig>(app: &mut App, extensions: &[String]) {
    if !app.is_plugin_added::<AnimationPlugin>() {
        app.add_plugins(AnimationPlugin);
    }
    add_loading_check(app, is_clip_loading::<F>);
    link_bones::<F>(app);
    app.insert_resource(SharedClips::<F>::new(extensions.to_vec()))
        // A scene may hold only what is registered.
        .register_type::<AnimatedBy>()
        .register_type::<AnimationTargetId>()
        .add_systems(
            PostUpdate,
            (
                (play_clips::<F>, log_mismatches::<F>)
                    .chain()
                    .in_set(ClassicModelsSystems::Play)
                    .after(resolve_clips)
                    .before(AnimationSystems),
                send_clip_events::<F>
                    .after(advance_animations)
                    .before(expire_completed_transitions)
                    .in_set(AnimationSystems),
            ),
        );
}
