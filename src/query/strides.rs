//! Measures the strides of clips that follow the velocity of their models.

use crate::load::warnings::ModelWarnings;
use crate::playback::resolve::follow_velocity;
use crate::query::models::ModelQuery;
use crate::root::play::{FollowVelocity, MeasuredStride, ResolvedClip};
use bevy::prelude::*;

/// Measures the strides that [`FollowVelocity`] needs.
pub(crate) struct StridePlugin;

impl Plugin for StridePlugin {
    fn build(&self, app: &mut App) {
        let measure = measure_strides.before(follow_velocity);
        app.add_systems(
            PostUpdate,
            measure.run_if(any_with_component::<FollowVelocity>),
        );
    }
}

/// The roots whose clip follows their velocity.
type Followers<'w> = (
    Entity,
    &'w FollowVelocity,
    Ref<'w, ResolvedClip>,
    &'w mut MeasuredStride,
);

/// Finds the strides of clips that have none given. Warns if a model moves with a clip in which it does not walk.
fn measure_strides(
    models: ModelQuery,
    mut warnings: ModelWarnings,
    mut roots: Query<Followers<'static>>,
) {
    for (root, follow, resolved, mut measured) in &mut roots {
        let measured = measured.bypass_change_detection();
        measured.stride = None;
        let play = resolved.get();
        let Some(play) = play.filter(|play| follow.stride.or(play.stride).is_none()) else {
            continue;
        };
        let clip = &play.play.clip;
        let known = models.known_stride(root, clip);
        measured.stride = known.flatten();
        measured.is_warned &= !resolved.is_changed();
        if known == Some(None) && measured.is_moving && !measured.is_warned {
            measured.is_warned = true;
            let message = format!(
                "does not walk in clip {clip}, so `FollowVelocity` does not change its speed; set a stride if it does"
            );
            warnings.warn_once(root, &message);
        }
    }
}
