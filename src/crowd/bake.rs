//! Samples a clip at regular times, on a task pool.

use crate::crowd::deformed::PosedVertex;
use crate::crowd::skeleton::{CrowdSkeleton, Poser, Texel};
use crate::crowd::timeline::{ClipFrames, MAX_SAMPLES, SampleTimes};
use crate::playback::skeletal::pose_source::PoseSource;
use crate::spawn::format::merged;
use bevy::math::bounding::Aabb3d;
use bevy::tasks::futures::check_ready;
use bevy::tasks::{AsyncComputeTaskPool, Task};
use std::sync::Arc;

/// The accepted distance of a vertex from its exact position between two samples, as a fraction of the model's size at
/// rest.
const TOLERANCE: f32 = 4e-4;

/// The poses of a clip, with those of vertices.
pub trait BakeSource: PoseSource {
    /// Writes the deformed vertices that the clip moves, in the spaces of their bones. The others stay as they are: those
    /// of the rest pose. Each call writes the same vertices. Without `needs_normals`, normals may stay as they are.
    fn deform(&self, _position: f32, _needs_normals: bool, _vertices: &mut [PosedVertex]) {}
}

/// A clip as texels.
#[derive(Debug)]
pub(crate) struct Baked {
    pub(crate) times: SampleTimes,
    pub(crate) texels: Vec<Texel>,
    /// The box around all vertices in all samples, in the model's space.
    pub(crate) bounds: Option<Aabb3d>,
}

/// A clip that is being baked.
#[derive(Debug)]
pub(crate) struct Baking(Task<Option<Baked>>);

impl Baking {
    /// Starts to bake a clip: see [`bake`].
    pub(crate) fn start(
        skeleton: Arc<CrowdSkeleton>,
        source: Arc<impl BakeSource>,
        frames: ClipFrames,
        max_texels: usize,
    ) -> Self {
        let task = async move { bake(&skeleton, &*source, frames, max_texels) };
        Self(AsyncComputeTaskPool::get().spawn(task))
    }

    /// The result, once the task is finished: see [`bake`]. Call it only until then.
    pub(crate) fn poll(&mut self) -> Option<Option<Baked>> {
        check_ready(&mut self.0)
    }
}

/// Samples a clip so that a linear blend of two samples is within [`TOLERANCE`] between them, as far as `max_texels` and
/// [`MAX_SAMPLES`] allow. `None` if one sample per frame exceeds these limits.
pub(crate) fn bake(
    skeleton: &CrowdSkeleton,
    source: &impl BakeSource,
    frames: ClipFrames,
    max_texels: usize,
) -> Option<Baked> {
    let times = |per_frame| {
        let times = SampleTimes::new(frames.count, frames.fps, per_frame, frames.holds)?;
        let texels = skeleton.texels_of(times.count())?;
        (texels <= max_texels).then_some(times)
    };
    let mut baker = Baker {
        poser: Poser::new(skeleton),
        pose_texels: skeleton.pose_texels(),
        source,
        max_per_frame: frames.max_per_frame.max(2),
    };
    let baked = baker.bake(times(1)?, None);
    let tolerance = TOLERANCE * model_size(skeleton, baked.bounds);
    let distance = baker.distance_between_samples(&baked, tolerance);
    if distance > tolerance {
        let wanted = baker.samples_per_frame(distance, tolerance);
        if let Some(times) = (2..=wanted).rev().find_map(times) {
            return Some(baker.bake(times, Some(&baked)));
        }
    }
    Some(baked)
}

/// The size of a model: that of its rest pose, because a clip may move it far. If it has no size at rest, that of the box
/// around a clip.
fn model_size(skeleton: &CrowdSkeleton, baked: Option<Aabb3d>) -> f32 {
    let rest = size(skeleton.bounds(&skeleton.rest_pose()));
    if rest.is_finite() && rest > 0.0 {
        rest
    } else {
        size(baked)
    }
}

/// The longest side of a box.
fn size(bounds: Option<Aabb3d>) -> f32 {
    let sides = bounds.map(|bounds| bounds.max - bounds.min);
    sides.map_or(0.0, |sides| sides.max_element())
}

impl Poser<'_> {
    /// Writes the texels of the pose at a position of a clip. Without `needs_normals`, normals of deformed vertices may stay
    /// as they are.
    pub(crate) fn pose(
        &mut self,
        source: &impl BakeSource,
        position: f32,
        needs_normals: bool,
        texels: &mut [Texel],
    ) {
        source.pose(position, &mut self.local, &mut self.visible);
        source.deform(position, needs_normals, &mut self.deformed);
        self.write(texels);
    }
}

struct Baker<'a, S> {
    poser: Poser<'a>,
    pose_texels: usize,
    source: &'a S,
    /// At least 2.
    max_per_frame: u32,
}

impl<S: BakeSource> Baker<'_, S> {
    /// `coarse` are fewer samples of the same clip. Those at the same times are copied.
    fn bake(&mut self, times: SampleTimes, coarse: Option<&Baked>) -> Baked {
        let mut texels = vec![Texel::default(); times.count() as usize * self.pose_texels];
        let mut bounds = coarse.and_then(|coarse| coarse.bounds);
        // Without texels there are no vertices.
        let poses = texels.chunks_exact_mut(self.pose_texels.max(1));
        for (sample, pose) in (0..times.count()).zip(poses) {
            let known = coarse.and_then(|coarse| {
                let same = coarse.times.same_sample(sample, &times)?;
                self.sample(coarse, same)
            });
            if let Some(known) = known {
                pose.copy_from_slice(known);
            } else {
                let position = times.time(sample).0;
                self.poser.pose(self.source, position, true, pose);
                bounds = merged(bounds, self.poser.bounds(pose));
            }
        }
        Baked {
            times,
            texels,
            bounds,
        }
    }

    /// The count of samples per frame that makes a distance smaller than the tolerance.
    fn samples_per_frame(&self, distance: f32, tolerance: f32) -> u32 {
        // The distance falls with the square of the count. Casting saturates.
        let wanted = (distance / tolerance).sqrt().ceil() as u32;
        wanted.clamp(2, self.max_per_frame)
    }

    /// The texels of a sample.
    fn sample<'b>(&self, baked: &'b Baked, index: u32) -> Option<&'b [Texel]> {
        let first = index as usize * self.pose_texels;
        baked.texels.get(first..first + self.pose_texels)
    }

    /// The longest distance of any vertex between its exact position and the blend of two samples. At most that which
    /// needs the most samples.
    fn distance_between_samples(&mut self, baked: &Baked, tolerance: f32) -> f32 {
        let mut middle = vec![Texel::default(); self.pose_texels];
        // The samples of an interval are mostly curved alike, and the end of one is the start of the next.
        let mut last = (u32::MAX, false);
        let mut longest: f32 = 0.0;
        for index in 0..baked.times.count().min(MAX_SAMPLES) {
            let (Some(position), Some(from), Some(to)) = (
                baked.times.middle(index),
                self.sample(baked, index),
                self.sample(baked, index.saturating_add(1)),
            ) else {
                continue;
            };
            let is_start_straight = if last.0 == index {
                last.1
            } else {
                self.is_straight(baked, index, tolerance)
            };
            last = (index + 1, self.is_straight(baked, index + 1, tolerance));
            // This avoids most of the exact poses.
            if is_start_straight && last.1 {
                continue;
            }
            // Only positions are compared.
            self.poser.pose(self.source, position, false, &mut middle);
            let distance = self.poser.distance_to_middle(&middle, [from, to], longest);
            longest = distance.unwrap_or(longest);
            if self.samples_per_frame(longest, tolerance) == self.max_per_frame {
                break;
            }
        }
        longest
    }

    /// Whether the distance between a blend and the exact pose beside a sample is estimated to be at most half the
    /// tolerance. `false` if the samples before and after it are missing.
    fn is_straight(&self, baked: &Baked, index: u32, tolerance: f32) -> bool {
        let stride = baked.times.stride();
        // Of a sample and those of the same kind in the frames before and after it.
        let samples = [
            index.checked_sub(stride),
            Some(index),
            index.checked_add(stride),
        ];
        let [Some(before), Some(sample), Some(after)] =
            samples.map(|index| self.sample(baked, index?))
        else {
            return false;
        };
        // The estimate is 1/8 of the second difference, which is twice the distance to the middle.
        let limit = 0.5 * tolerance * 8.0 / 2.0;
        self.poser
            .distance_to_middle(sample, [before, after], limit)
            .is_none()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::crowd::skeleton::{Joint, SkeletonBone};
    use crate::playback::skeletal::pose_source::Animated;
    use bevy::math::Vec3;
    use bevy::math::{Affine3A, Quat};
    use bevy::transform::components::Transform;

    /// One bone that turns by an angle per frame about Z, and moves by a distance per frame along X. There are ten frames per
    /// second.
    #[derive(Debug)]
    pub(crate) struct Turning(pub(crate) f32, pub(crate) f32);

    impl BakeSource for Turning {}

    impl PoseSource for Turning {
        fn pose(&self, seconds: f32, local: &mut [Transform], _: &mut [bool]) {
            local[0].rotation = Quat::from_rotation_z(self.0 * seconds * 10.0);
            local[0].translation.x = self.1 * seconds * 10.0;
        }

        fn bone(&self, _: usize, _: f32, rest: (Transform, bool)) -> (Transform, bool) {
            rest
        }

        fn animates(&self, _: usize) -> Animated {
            Animated::default()
        }
    }

    /// A model with poses of 4 texels.
    pub(crate) fn one_joint() -> CrowdSkeleton {
        CrowdSkeleton {
            bones: vec![SkeletonBone {
                parent: None,
                rest: Transform::IDENTITY,
                is_visible: true,
            }],
            joints: vec![Joint {
                bone: 0,
                inverse_bind_pose: Affine3A::IDENTITY,
                bounds: Some(Aabb3d::new(Vec3::ZERO, Vec3::ONE)),
            }],
            visibility_bones: vec![0],
            ..CrowdSkeleton::default()
        }
    }

    const FRAMES: ClipFrames = ClipFrames {
        count: 9,
        fps: 10.0,
        holds: false,
        max_per_frame: 16,
    };

    #[test]
    fn fast_rotations_have_samples_between_frames() {
        for (degrees, expected) in [(0.5, 1), (10.0, 3), (40.0, 11)] {
            // A long way needs no fewer samples.
            for speed in [0.0, 10.0] {
                let source = Turning(f32::to_radians(degrees), speed);
                let baked = bake(&one_joint(), &source, FRAMES, usize::MAX).unwrap();
                let count = baked.times.count();
                assert_eq!((count - 1) / 8, expected, "{degrees}, {speed}");
                assert_eq!(baked.texels.len(), count as usize * 4);
            }
        }
    }

    #[test]
    fn slow_rotations_with_held_values_have_one_sample_between_jumps() {
        for (degrees, expected) in [(0.5, 2), (10.0, 4)] {
            let frames = ClipFrames {
                holds: true,
                ..FRAMES
            };
            let source = Turning(f32::to_radians(degrees), 0.0);
            let baked = bake(&one_joint(), &source, frames, usize::MAX).unwrap();
            assert_eq!((baked.times.count() - 1) / 8, expected, "{degrees}");
        }
    }

    #[test]
    fn a_model_without_size_at_rest_has_that_of_its_clip() {
        let baked = Aabb3d::new(Vec3::ZERO, Vec3::ONE);
        assert_eq!(model_size(&CrowdSkeleton::default(), Some(baked)), 2.0);
        assert_eq!(model_size(&one_joint(), None), 2.0);
    }

    #[test]
    fn samples_are_limited_by_the_texture() {
        let source = Turning(f32::to_radians(40.0), 0.0);
        let baked = bake(&one_joint(), &source, FRAMES, 4 * 30).unwrap();
        assert_eq!(baked.times.count(), 8 * 3 + 1);
        assert!(bake(&one_joint(), &source, FRAMES, 4 * 8).is_none());
        let long = ClipFrames {
            count: u32::MAX,
            ..FRAMES
        };
        assert!(bake(&one_joint(), &source, long, usize::MAX).is_none());
    }
}
