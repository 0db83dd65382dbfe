//! Sets the speeds of clips by [`FollowVelocity`].

use crate::root::play::{FollowVelocity, LastPosition, PlayClip, Playback, ResolvedClip};
use bevy::prelude::*;

/// The components of a root whose clip follows its velocity.
type Followers<'w> = (
    Entity,
    &'w FollowVelocity,
    &'w mut LastPosition,
    &'w mut PlayClip,
    &'w Playback,
    &'w ResolvedClip,
);

/// Sets the speeds of clips. Runs before clips are resolved, so that the speeds apply in the same frame.
pub(crate) fn follow_velocity(
    time: Res<Time>,
    transforms: TransformHelper,
    mut roots: Query<Followers<'static>>,
) {
    let seconds = time.delta_secs();
    for (root, follow, mut last, mut play, playback, resolved) in &mut roots {
        let Ok(transform) = transforms.compute_global_transform(root) else {
            continue;
        };
        let position = transform.translation();
        let before = last.0.replace(position);
        let measured = before.map(|before| (position - before) / seconds);
        let Some(velocity) = follow.velocity.or(measured) else {
            continue;
        };
        // Until the clip is resolved, its stride is not known.
        let Some(resolved) = resolved.get().filter(|of| of.requested == play.clip) else {
            continue;
        };
        let (stride, named_speed) = resolved.stride_and_speed();
        let stride = follow.stride.or(stride);
        let Some(stride) = stride.filter(|stride| *stride > 0.0 && stride.is_finite()) else {
            continue;
        };
        let passes_per_second = speed_forward(velocity, &transform) / stride;
        if follow.velocity.is_none() && (passes_per_second * seconds).abs() > 1.0 {
            continue;
        }
        let speed = passes_per_second * playback.duration / named_speed;
        // A frame without time has no velocity, and a clip that is not loaded no duration.
        if speed.is_finite() && playback.duration > 0.0 && play.speed != speed {
            play.speed = speed;
        }
    }
}

/// The speed across the root's Y axis, in units of the root per second. It is negative if the root moves backward.
fn speed_forward(velocity: Vec3, transform: &GlobalTransform) -> f32 {
    let axes = transform.affine().matrix3;
    let forward = Vec3::from(-axes.z_axis);
    let up = Vec3::from(axes.y_axis).normalize_or_zero();
    let along = velocity - up * velocity.dot(up);
    let speed = along.length() / forward.length();
    if along.dot(forward) < 0.0 {
        -speed
    } else {
        speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::transform::components::Transform;

    #[test]
    fn speed_is_in_units_of_the_root_along_its_plane() {
        let root = Transform::from_xyz(5.0, 0.0, 0.0).with_scale(Vec3::splat(2.0));
        let root = GlobalTransform::from(root);
        let speed = |x, y, z| speed_forward(Vec3::new(x, y, z), &root);
        assert!((speed(0.0, 0.0, -3.0) - 1.5).abs() < 1e-6);
        assert!((speed(0.0, 7.0, -3.0) - 1.5).abs() < 1e-6, "a jump");
        assert!((speed(0.0, 0.0, 3.0) + 1.5).abs() < 1e-6, "backward");
        assert!((speed(4.0, 0.0, 0.0) - 2.0).abs() < 1e-6, "sideways");
        assert_eq!(speed(0.0, -9.0, 0.0), 0.0);
        let flat = GlobalTransform::from(Transform::from_scale(Vec3::ZERO));
        assert!(!speed_forward(Vec3::X, &flat).is_finite());
    }
}
