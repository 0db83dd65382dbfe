//! The walker's animations: `MOVE`, `ATTACK` and `DIE`.
//!
//! A clip is a function from a frame to a [`Pose`] (`gait`, `attack`, `die`). This module converts
//! poses to the tracks of a file, which lists every bone except the root, like the files of the
//! games.

mod attack;
mod die;
mod gait;
mod pose;

use super::skeleton::Rig;
use crate::alamo::{self, SampleFile};
use crate::math::quaternion;
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors};
use pose::{BonePose, FPS, Pose};
use std::error::Error;

/// A clip definition.
struct Clip {
    path: &'static str,
    /// Version of its file format.
    version: u8,
    /// Index of the last frame, which in loops equals the first.
    last: u16,
    pose: fn(&Rig, f32) -> Pose<'_>,
}

const CLIPS: [Clip; 3] = [
    Clip {
        path: "models/walker_MOVE_00.ala",
        version: 2,
        last: gait::LAST,
        pose: gait::pose,
    },
    Clip {
        path: "models/walker_ATTACK_00.ala",
        version: 2,
        last: attack::LAST,
        pose: attack::pose,
    },
    // The games have files of both formats.
    Clip {
        path: "models/walker_DIE_00.ala",
        version: 1,
        last: die::LAST,
        pose: die::pose,
    },
];

/// All clips.
pub fn files(rig: &Rig) -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let file = |clip: &Clip| alamo::animation(clip.path, &clip.document(rig));
    CLIPS.iter().map(file).collect()
}

impl Clip {
    fn document(&self, rig: &Rig) -> AlaDocument {
        let frames = 0..=self.last;
        let poses: Vec<_> = frames
            .map(|frame| (self.pose)(rig, f32::from(frame)))
            .collect();
        let tracks = |(index, name): (usize, &str)| {
            let bone: Vec<_> = poses.iter().map(|pose| pose.bones()[index]).collect();
            self.tracks(name, index, &bone)
        };
        AlaDocument {
            version: self.version,
            frames: u32::from(self.last) + 1,
            fps: FPS,
            bones: rig.names().enumerate().skip(1).map(tracks).collect(),
        }
    }

    fn tracks(&self, name: &str, index: usize, frames: &[BonePose]) -> BoneTracks {
        let translations: Vec<[f32; 3]> = frames
            .iter()
            .map(|bone| bone.transform.translation.into())
            .collect();
        let mut rotation = Rotations::from_frames(&quaternions(frames));
        // The first format stores either a value or a track, not both.
        if self.version == 1 && rotation.track.is_some() {
            rotation.default = None;
        }
        let visible: Vec<bool> = frames.iter().map(|bone| bone.visible).collect();
        let holds = frames.iter().map(|bone| bone.holds);
        BoneTracks {
            translation: Vectors::from_frames(&translations),
            rotation,
            // A bone without a track is visible in all frames.
            visibility: visible.contains(&false).then_some(visible),
            steps: holds.clone().any(|holds| holds).then(|| holds.collect()),
            ..BoneTracks::new(name, index as u32, [0.0; 3])
        }
    }
}

/// Rotations of all frames. A quaternion and its negative are the same rotation: each frame uses
/// the one nearer to the previous frame, so that linear interpolation takes the short way.
fn quaternions(frames: &[BonePose]) -> Vec<[f32; 4]> {
    let mut quaternions: Vec<[f32; 4]> = Vec::new();
    for bone in frames {
        let rotation = quaternion(bone.transform.rotation);
        let before = quaternions.last().copied().unwrap_or(rotation);
        let nearness: f32 = rotation.iter().zip(before).map(|(a, b)| a * b).sum();
        quaternions.push(if nearness < 0.0 {
            rotation.map(|number| -number)
        } else {
            rotation
        });
    }
    quaternions
}
