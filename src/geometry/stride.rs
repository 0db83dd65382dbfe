//! The stride of a clip, measured from the vertices that stand on the ground.

use bevy::prelude::*;

/// A model at a time of a clip.
pub(crate) struct ClipPose {
    /// Later than in the pose before.
    pub(crate) seconds: f32,
    /// Positions, the same vertices in each pose of a clip. Those of hidden parts are NaN.
    pub(crate) vertices: Vec<Vec3A>,
}

/// The count of steps between poses of a clip of bones, to measure it.
pub(crate) const CLIP_STEPS: u32 = 32;

/// Vertices within this fraction of the height above the lowest one of all poses stand on the ground.
const GROUND: f32 = 0.03;
/// A model that walks has vertices on the ground that move together for at least this fraction of the clip.
const MIN_STANDING: f32 = 1.0 / 3.0;
/// The middle half of velocities that agree differs by at most this fraction of their median.
const MAX_SPREAD: f32 = 1.0 / 3.0;
/// The least stride, as a fraction of the height.
const MIN_STRIDE: f32 = 0.05;
/// A model that walks in place moves in the clip by at most this fraction of the stride.
const MAX_DRIFT: f32 = 0.25;

/// The distance of one pass through a clip, in the units of its poses: that of the vertices on the ground, which move back, if
/// they always stood there. `None` if the model does not walk in place.
pub(crate) fn stride(poses: &[ClipPose], up: Vec3A) -> Option<f32> {
    let vertices = poses.iter().flat_map(|pose| &pose.vertices);
    let heights = vertices.map(|vertex| vertex.dot(up));
    let (bottom, top) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(min, max), height| {
        (min.min(height), max.max(height))
    });
    let ground = bottom + GROUND * (top - bottom);
    let whole = poses.last()?.seconds - poses.first()?.seconds;
    // How long each step takes, and the velocities of the vertices that stand on the ground in both of its poses.
    let mut steps: Vec<(f32, Vec<Vec3A>)> = Vec::new();
    for pair in poses.windows(2) {
        let [from, to] = pair else { continue };
        let seconds = to.seconds - from.seconds;
        let vertices = from.vertices.iter().zip(&to.vertices);
        let standing = vertices.filter(|(a, b)| a.dot(up) <= ground && b.dot(up) <= ground);
        let velocity = |(a, b): (&Vec3A, &Vec3A)| (*b - *a).reject_from_normalized(up) / seconds;
        let velocities: Vec<Vec3A> = standing.map(velocity).collect();
        if seconds > 0.0 && !velocities.is_empty() {
            steps.push((seconds, velocities));
        }
    }
    let mean = |(seconds, velocities): &(f32, Vec<Vec3A>)| {
        velocities.iter().sum::<Vec3A>() * (seconds / velocities.len() as f32)
    };
    let back = steps.iter().map(mean).sum::<Vec3A>().try_normalize()?;
    // Feet that turn or slide do not agree.
    let agreed = steps.iter().filter_map(|(seconds, velocities)| {
        let speeds = velocities.iter().map(|velocity| (velocity.dot(back), 1.0));
        Some((agreed_median(speeds.collect())?, *seconds))
    });
    let agreed: Vec<(f32, f32)> = agreed.collect();
    let standing: f32 = agreed.iter().map(|(_, seconds)| seconds).sum();
    let stride = agreed_median(agreed)? * whole;
    let ends = poses.first()?.vertices.iter().zip(&poses.last()?.vertices);
    let drifts = ends.map(|(from, to)| *to - *from);
    let drifts = drifts.filter(|drift| drift.is_finite());
    let (drift, count) = drifts.fold((Vec3A::ZERO, 0.0), |(sum, count), drift| {
        (sum + drift, count + 1.0)
    });
    let walks = standing >= MIN_STANDING * whole
        && stride >= MIN_STRIDE * (top - bottom)
        && drift.length() <= MAX_DRIFT * stride * count;
    walks.then_some(stride)
}

/// The median of values with weights. `None` if the middle half does not agree.
fn agreed_median(mut values: Vec<(f32, f32)>) -> Option<f32> {
    values.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let sum: f32 = values.iter().map(|(_, weight)| weight).sum();
    let quantile = |fraction: f32| {
        let mut passed = 0.0;
        let found = values.iter().find(|(_, weight)| {
            passed += weight;
            passed >= fraction * sum
        });
        found.map(|(value, _)| *value)
    };
    let (low, median, high) = (quantile(0.25)?, quantile(0.5)?, quantile(0.75)?);
    (high - low <= MAX_SPREAD * median.abs()).then_some(median)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two feet below a hull. Each stands for `stance` of the clip of 2 s while it moves back by `back`.
    fn walk(stance: f32, back: f32, lift: f32) -> Option<f32> {
        let pose = |sample: u32| {
            let time = sample as f32 / 40.0;
            let foot = |phase: f32| {
                let phase = (time + phase).fract();
                let swing = ((phase - stance) / (1.0 - stance)).max(0.0);
                let stood = (phase / stance).min(1.0);
                let height = lift * (swing * core::f32::consts::PI).sin();
                Vec3A::new(0.0, height, back * (stood - swing))
            };
            let (left, right) = (foot(0.0), foot(0.5));
            ClipPose {
                seconds: 2.0 * time,
                // Hidden vertices do not count.
                vertices: vec![left, left + Vec3A::X, right, Vec3A::Y * 4.0, Vec3A::NAN],
            }
        };
        let poses: Vec<ClipPose> = (0..=40).map(pose).collect();
        stride(&poses, Vec3A::Y)
    }

    #[test]
    fn feet_on_the_ground_determine_the_stride() {
        for (stance, back) in [(0.6, 1.2), (0.5, 2.0), (0.4, 1.0)] {
            let (found, expected) = (walk(stance, back, 1.0).unwrap(), back / stance);
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{found}, expected {expected}"
            );
        }
    }

    #[test]
    fn models_that_stand_slide_or_jump_have_no_stride() {
        assert_eq!(walk(0.5, 0.0, 1.0), None);
        // The feet move forward again without being lifted.
        assert_eq!(walk(0.5, 1.0, 0.0), None);
        assert_eq!(walk(0.1, 1.0, 1.0), None);
        // The clip moves the model.
        let pose = |seconds| ClipPose {
            seconds,
            vertices: vec![Vec3A::Z * seconds, Vec3A::new(0.0, 0.5, seconds)],
        };
        assert_eq!(stride(&[0.0, 1.0, 2.0].map(pose), Vec3A::Y), None);
        assert_eq!(stride(&[], Vec3A::Y), None);
    }
}
