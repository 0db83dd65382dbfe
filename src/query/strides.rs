//! Finds the strides of clips that follow the velocity of their models or move them.

use crate::load::warnings::ModelWarnings;
use crate::playback::resolve::follow_velocity;
use crate::query::models::ModelQuery;
use crate::root::motion::RootMotion;
use crate::root::play::{FollowVelocity, MeasuredStride, ResolvedClip};
use bevy::prelude::*;

/// Finds the strides that [`FollowVelocity`] and [`RootMotion`] need.
pub(crate) struct StridePlugin;

impl Plugin for StridePlugin {
    fn build(&self, app: &mut App) {
        let measure = measure_strides.before(follow_velocity);
        app.add_systems(
            PostUpdate,
            measure.run_if(any_with_component::<MeasuredStride>),
        );
    }
}

/// The roots whose clip follows their velocity or moves them.
type Walkers<'w> = (
    Entity,
    Option<&'w FollowVelocity>,
    Option<&'w RootMotion>,
    Ref<'w, ResolvedClip>,
    &'w mut MeasuredStride,
);

/// Finds the strides of clips. Warns if a model moves with a clip that should follow it, and in which it does not walk.
fn measure_strides(
    models: ModelQuery,
    mut warnings: ModelWarnings,
    mut roots: Query<Walkers<'static>>,
) {
    for (root, follow, motion, resolved, mut measured) in &mut roots {
        let measured = measured.bypass_change_detection();
        let follows = follow.is_some_and(|follow| follow.stride.is_none());
        let moves = motion.is_some_and(|motion| motion.bone.is_none());
        let play = resolved.get().filter(|_| follows || moves);
        measured.stride = play.and_then(|play| play.stride);
        let Some(play) = play.filter(|play| play.stride.is_none()) else {
            continue;
        };
        let clip = &play.play.clip;
        let known = models.known_stride(root, clip);
        measured.stride = known.flatten();
        measured.is_warned &= !resolved.is_changed();
        if follows && known == Some(None) && measured.is_moving && !measured.is_warned {
            measured.is_warned = true;
            let message = format!(
                "does not walk in clip {clip}, so `FollowVelocity` does not change its speed; set a stride if it does"
            );
            warnings.warn_once(root, &message);
        }
    }
}
