//! `die`: the knees give way, the glaive falls, and the warden collapses over it.

use super::clip::Clip;
use crate::warden::pose::{Part, Stance, through};

pub const CLIP: Clip = Clip {
    name: "die",
    last: 36,
    step: 50,
    loops: false,
    speed: 0.7,
    stance,
    events: &[
        (2, "SOUND_KEY Sounds\\Warden\\Die.wav"),
        (12, "SOUND_KEY Sounds\\Warden\\Knees.wav"),
        (24, "SOUND_KEY Sounds\\Warden\\Fall.wav"),
    ],
    dims: [20.0, 12.0, 36.0],
};

fn stance(time: f32) -> Stance {
    use Part::{
        Blade, ChestRotation, Edge, Glaive, Grips, HeadRotation, HipRotation, Hips, LeftFist,
        LeftFoot, LeftFootRotation, RightFoot, RightFootRotation,
    };
    let guard = Stance::guard();
    let hit = guard
        .with(Hips, 0.05, 0.22, -0.2)
        .with(HipRotation, -6.0, 0.0, 12.0)
        .with(ChestRotation, -16.0, 4.0, 14.0)
        .with(HeadRotation, -14.0, 0.0, -10.0)
        .with(LeftFist, 1.5, -0.7, 3.7);
    let kneeling = guard
        .with(Hips, 0.0, 0.3, -2.02)
        .with(HipRotation, 2.0, 0.0, 0.0)
        .with(ChestRotation, 18.0, 0.0, -6.0)
        .with(HeadRotation, 24.0, 0.0, 0.0)
        .with(LeftFoot, 0.6, 1.36, 0.24)
        .with(LeftFootRotation, 62.0, 0.0, 4.0)
        .with(RightFoot, -0.6, 1.42, 0.24)
        .with(RightFootRotation, 62.0, 0.0, -4.0)
        .with(Glaive, -1.5, -0.9, 2.9)
        .with(Blade, -0.3, -0.5, 1.0)
        .with(LeftFist, 0.5, -0.9, 2.7)
        .with(Grips, 0.3, -1.0, 0.0);
    let swaying = kneeling
        .with(Hips, 0.0, 0.2, -2.06)
        .with(ChestRotation, 8.0, -4.0, -8.0)
        .with(HeadRotation, 10.0, 0.0, 6.0)
        .with(Blade, -0.5, -0.6, 0.7)
        .with(Glaive, -1.45, -1.0, 2.3);
    let falling = kneeling
        .with(Hips, 0.0, -0.1, -2.3)
        .with(HipRotation, 42.0, 0.0, 0.0)
        .with(ChestRotation, 22.0, 4.0, -4.0)
        .with(HeadRotation, -10.0, 0.0, 14.0)
        .with(LeftFoot, 0.62, 2.8, 0.28)
        .with(LeftFootRotation, 90.0, 0.0, 8.0)
        .with(RightFoot, -0.64, 2.8, 0.28)
        .with(RightFootRotation, 90.0, 0.0, -10.0)
        .with(Glaive, -1.5, -1.6, 0.9)
        .with(Blade, -0.6, -0.8, 0.25)
        .with(Edge, -0.7, 0.4, 0.1)
        .with(LeftFist, 1.2, -2.0, 1.2);
    let down = falling
        .with(Hips, 0.0, -0.3, -3.05)
        .with(HipRotation, 86.0, 0.0, 0.0)
        .with(ChestRotation, 3.0, 0.0, -4.0)
        .with(HeadRotation, -12.0, 0.0, 38.0)
        .with(LeftFoot, 0.7, 4.05, 0.3)
        .with(LeftFootRotation, 114.0, 0.0, 18.0)
        .with(RightFoot, -0.75, 3.9, 0.3)
        .with(RightFootRotation, 114.0, 0.0, -24.0)
        .with(Glaive, -1.7, -2.5, 0.2)
        .with(Blade, -0.35, -1.0, 0.0)
        .with(Edge, -1.0, 0.35, 0.0)
        .with(LeftFist, 1.7, -2.6, 0.25)
        .with(Grips, 0.2, -1.0, 0.0);
    let bounced = down
        .with(Hips, 0.0, -0.3, -2.98)
        .with(HipRotation, 84.0, 1.0, 0.0);
    let keys = [
        (0.0, guard),
        (0.18, hit),
        (0.6, kneeling),
        (0.82, swaying),
        (1.05, falling),
        (1.25, down),
        (1.36, bounced),
        (1.5, down),
        (1.8, down),
    ];
    through(&keys, time)
}
