//! `die`: the knees give way, the glaive falls, and the warden goes down over it.

use super::Clip;
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
        Blade, ChestTurn, Edge, Glaive, Grips, HeadTurn, HipTurn, Hips, LeftFist, LeftFoot,
        LeftFootTurn, RightFoot, RightFootTurn,
    };
    let guard = Stance::guard();
    let hit = guard
        .with(Hips, 0.05, 0.22, -0.2)
        .with(HipTurn, -6.0, 0.0, 12.0)
        .with(ChestTurn, -16.0, 4.0, 14.0)
        .with(HeadTurn, -14.0, 0.0, -10.0)
        .with(LeftFist, 1.5, -0.7, 3.7);
    let kneeling = guard
        .with(Hips, 0.0, 0.3, -2.02)
        .with(HipTurn, 2.0, 0.0, 0.0)
        .with(ChestTurn, 18.0, 0.0, -6.0)
        .with(HeadTurn, 24.0, 0.0, 0.0)
        .with(LeftFoot, 0.6, 1.36, 0.24)
        .with(LeftFootTurn, 62.0, 0.0, 4.0)
        .with(RightFoot, -0.6, 1.42, 0.24)
        .with(RightFootTurn, 62.0, 0.0, -4.0)
        .with(Glaive, -1.5, -0.9, 2.9)
        .with(Blade, -0.3, -0.5, 1.0)
        .with(LeftFist, 0.5, -0.9, 2.7)
        .with(Grips, 0.3, -1.0, 0.0);
    let swaying = kneeling
        .with(Hips, 0.0, 0.2, -2.06)
        .with(ChestTurn, 8.0, -4.0, -8.0)
        .with(HeadTurn, 10.0, 0.0, 6.0)
        .with(Blade, -0.5, -0.6, 0.7)
        .with(Glaive, -1.45, -1.0, 2.3);
    let falling = kneeling
        .with(Hips, 0.0, -0.1, -2.3)
        .with(HipTurn, 42.0, 0.0, 0.0)
        .with(ChestTurn, 22.0, 4.0, -4.0)
        .with(HeadTurn, -10.0, 0.0, 14.0)
        .with(LeftFoot, 0.62, 2.8, 0.28)
        .with(LeftFootTurn, 90.0, 0.0, 8.0)
        .with(RightFoot, -0.64, 2.8, 0.28)
        .with(RightFootTurn, 90.0, 0.0, -10.0)
        .with(Glaive, -1.5, -1.6, 0.9)
        .with(Blade, -0.6, -0.8, 0.25)
        .with(Edge, -0.7, 0.4, 0.1)
        .with(LeftFist, 1.2, -2.0, 1.2);
    let down = falling
        .with(Hips, 0.0, -0.3, -3.05)
        .with(HipTurn, 86.0, 0.0, 0.0)
        .with(ChestTurn, 3.0, 0.0, -4.0)
        .with(HeadTurn, -12.0, 0.0, 38.0)
        .with(LeftFoot, 0.7, 4.05, 0.3)
        .with(LeftFootTurn, 114.0, 0.0, 18.0)
        .with(RightFoot, -0.75, 3.9, 0.3)
        .with(RightFootTurn, 114.0, 0.0, -24.0)
        .with(Glaive, -1.7, -2.5, 0.2)
        .with(Blade, -0.35, -1.0, 0.0)
        .with(Edge, -1.0, 0.35, 0.0)
        .with(LeftFist, 1.7, -2.6, 0.25)
        .with(Grips, 0.2, -1.0, 0.0);
    let bounced = down
        .with(Hips, 0.0, -0.3, -2.98)
        .with(HipTurn, 84.0, 1.0, 0.0);
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
