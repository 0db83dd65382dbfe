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
    &'w ResolvedClip,
    &'w mut MeasuredStride,
);

/// Measures the strides of clips that have none given. Warns if a model moves with a clip in which it does not walk.
fn measure_strides(
    models: ModelQuery,
    mut warnings: ModelWarnings,
    mut roots: Query<Followers<'static>>,
) {
    for (root, follow, resolved, mut measured) in &mut roots {
        measured.stride = None;
        let Some(play) = resolved.get() else {
            continue;
        };
        if follow.stride.or(play.stride).is_some() {
            continue;
        }
        let clip = &play.play.clip;
        measured.stride = models.stride(root, clip);
        if measured.is_moving && models.has_no_stride(root, clip) {
            let message = format!(
                "does not walk in clip {clip}, so `FollowVelocity` does not change its speed; set a stride if it does"
            );
            warnings.warn_once(root, &message);
        }
    }
}
