//! `attack`: draws the glaive back over the right shoulder, steps in, and cuts down to the left.

use super::clip::Clip;
use crate::warden::pose::{Part, Stance, through};

pub const CLIP: Clip = Clip {
    name: "attack",
    last: 30,
    step: 50,
    loops: false,
    speed: 0.7,
    stance,
    events: &[
        (9, "SOUND_KEY Sounds\\Warden\\Swing.wav"),
        (12, "FOOTSTEP_KEY"),
        (13, "FIRE_KEY"),
    ],
    dims: [22.0, 36.0, 24.0],
};

fn stance(time: f32) -> Stance {
    use Part::{
        Blade, ChestRotation, Edge, Glaive, Grips, HeadRotation, HipRotation, Hips, LeftFist,
        LeftFoot, LeftFootRotation,
    };
    let guard = Stance::guard();
    // Lifts the shaft and grips it with both hands.
    let taken = guard
        .with(Hips, 0.06, 0.02, -0.16)
        .with(HipRotation, 2.0, 0.0, 0.0)
        .with(ChestRotation, 2.0, 0.0, -6.0)
        .with(Glaive, -1.1, -0.95, 4.0)
        .with(Blade, -0.25, 0.1, 1.0)
        .with(LeftFist, 0.4, -1.0, 3.4)
        .with(Grips, 0.45, -0.6, 0.75);
    let drawn = guard
        .with(Hips, -0.16, 0.2, -0.24)
        .with(HipRotation, -4.0, -3.0, -20.0)
        .with(ChestRotation, -8.0, -6.0, -34.0)
        .with(HeadRotation, 8.0, 0.0, 44.0)
        .with(LeftFoot, 0.5, -0.36, 0.05)
        .with(LeftFootRotation, 12.0, 0.0, 10.0)
        .with(Glaive, -0.95, -0.35, 5.15)
        .with(Blade, -0.55, 0.75, 0.75)
        .with(Edge, 0.1, 0.4, 0.9)
        .with(LeftFist, 0.0, -0.9, 4.6)
        .with(Grips, 0.35, -0.75, 1.0);
    // Anticipation: a little further back before the strike.
    let held = drawn
        .with(Hips, -0.18, 0.24, -0.28)
        .with(ChestRotation, -10.0, -7.0, -38.0)
        .with(LeftFoot, 0.5, -0.62, 0.22)
        .with(LeftFootRotation, -8.0, 0.0, 10.0)
        .with(Glaive, -0.98, -0.28, 5.2)
        .with(Blade, -0.5, 0.9, 0.55);
    let cut = guard
        .with(Hips, 0.06, -0.3, -0.42)
        .with(HipRotation, 8.0, 2.0, 6.0)
        .with(ChestRotation, 12.0, 0.0, 8.0)
        .with(HeadRotation, -8.0, 0.0, 0.0)
        .with(LeftFoot, 0.52, -1.3, 0.0)
        .with(LeftFootRotation, -4.0, 0.0, 8.0)
        .with(Glaive, -0.35, -1.35, 4.3)
        .with(Blade, -0.25, -1.0, 0.35)
        .with(Edge, 0.55, -0.4, -0.8)
        .with(LeftFist, 0.3, -0.9, 4.2)
        .with(Grips, 0.3, -0.7, 1.0);
    let follow_through = guard
        .with(Hips, 0.16, -0.48, -0.56)
        .with(HipRotation, 12.0, 5.0, 22.0)
        .with(ChestRotation, 20.0, 6.0, 30.0)
        .with(HeadRotation, -18.0, 0.0, -26.0)
        .with(LeftFoot, 0.52, -1.3, 0.0)
        .with(LeftFootRotation, 0.0, 0.0, 8.0)
        .with(Glaive, 0.45, -1.35, 3.45)
        .with(Blade, 0.75, -0.6, -0.42)
        .with(Edge, 0.5, 0.55, -0.5)
        .with(LeftFist, 0.5, -0.6, 3.8)
        .with(Grips, 0.25, -0.65, 1.0);
    let spent = follow_through
        .with(Hips, 0.18, -0.5, -0.62)
        .with(ChestRotation, 23.0, 7.0, 38.0)
        .with(HeadRotation, -20.0, 0.0, -32.0)
        .with(Glaive, 0.62, -1.2, 3.3)
        .with(Blade, 0.95, -0.15, -0.4)
        .with(Edge, 0.2, 0.85, -0.3);
    let back = guard
        .with(Hips, 0.04, -0.14, -0.26)
        .with(HipRotation, 4.0, 0.0, 8.0)
        .with(ChestRotation, 4.0, 0.0, 4.0)
        .with(LeftFoot, 0.55, -0.75, 0.16)
        .with(LeftFootRotation, 10.0, 0.0, 12.0)
        .with(Glaive, -0.7, -1.25, 3.7)
        .with(Blade, 0.15, -0.6, 0.85)
        .with(Edge, 0.1, -0.8, -0.6)
        .with(LeftFist, 0.8, -0.9, 3.1)
        .with(Grips, 0.4, -0.6, 0.6);
    let keys = [
        (0.0, guard),
        (0.18, taken),
        (0.4, drawn),
        (0.5, held),
        (0.62, cut),
        (0.72, follow_through),
        (0.9, spent),
        (1.2, back),
        (1.5, guard),
    ];
    through(&keys, time)
}
