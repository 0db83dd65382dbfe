//! The walker's animations: `MOVE`, `ATTACK` and `DIE`.
//!
//! A clip is a function from a frame to a [`Pose`] (`gait`, `attack`, `die`). Here poses become the
//! tracks of a file, which lists every bone but the root, as those of the games do.

mod attack;
mod die;
mod gait;
mod pose;

use super::skeleton::Rig;
use crate::alamo::{self, SampleFile};
use crate::maths::quaternion;
use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors};
use pose::{BonePose, Pose};
use std::error::Error;

/// Frames per second of all clips.
const FPS: f32 = 30.0;

/// An animation in the making.
struct Clip {
    path: &'static str,
    /// The format that it is written in.
    version: u8,
    /// Number of the last frame, which loops have in common with the first.
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
        let places: Vec<[f32; 3]> = frames.iter().map(|bone| bone.place.at.into()).collect();
        let mut rotation = Rotations::from_frames(&turns(frames));
        // The first format has one value or a track, not both.
        if self.version == 1 && rotation.track.is_some() {
            rotation.default = None;
        }
        let has_say = frames.iter().any(|bone| bone.visible.is_some());
        let visible = frames.iter().map(|bone| bone.visible != Some(false));
        let holds = frames.iter().map(|bone| bone.holds);
        BoneTracks {
            translation: Vectors::from_frames(&places),
            rotation,
            visibility: has_say.then(|| visible.collect()),
            steps: holds.clone().any(|holds| holds).then(|| holds.collect()),
            ..BoneTracks::new(name, index as u32, [0.0; 3])
        }
    }
}

/// Quaternions of all frames. Of the two that say the same, each is the one nearer to that before, for
/// those who mix them number by number.
fn turns(frames: &[BonePose]) -> Vec<[f32; 4]> {
    let mut turns: Vec<[f32; 4]> = Vec::new();
    for bone in frames {
        let turn = quaternion(bone.place.turn);
        let before = turns.last().copied().unwrap_or(turn);
        let nearness: f32 = turn.iter().zip(before).map(|(a, b)| a * b).sum();
        turns.push(if nearness < 0.0 {
            turn.map(|number| -number)
        } else {
            turn
        });
    }
    turns
}
