//! Models that tests of crowds spawn, one of each format.

use crate::crowd::poses::{swinging_files, swinging_model};
use crate::support::abc::bytes;
use crate::support::prelude::*;

/// A model with two clips and a part.
pub struct Subject {
    pub path: &'static str,
    pub scene: &'static str,
    pub clips: [&'static str; 2],
    /// The name of a part that can be hidden.
    pub part: &'static str,
    /// The name of a bone.
    pub bone: &'static str,
    /// The scale with which it fills a rendered view.
    pub view_scale: f32,
    pub files: fn() -> Vec<(&'static str, Vec<u8>)>,
    /// The file with other vertices.
    pub edited: fn() -> Vec<u8>,
}

pub const SUBJECTS: [Subject; 2] = [
    Subject {
        path: "subject.alo",
        scene: "subject.alo#Scene",
        clips: ["SWING_00", "BEND_00"],
        part: "Box",
        bone: "Bone2",
        view_scale: 4.0,
        files: swinging_files,
        edited: || swinging_model([4.0, 3.0, 2.0]),
    },
    Subject {
        path: "subject.abc",
        scene: "subject.abc#Scene",
        clips: ["Wave", "Furl"],
        part: "Flag",
        bone: "Flag",
        view_scale: 1.2,
        files: || vec![("subject.abc", moving_banner(8.0))],
        edited: || moving_banner(3.0),
    },
];

/// A flag whose vertices deform, below a body that moves and turns. The flag is this far from the body.
pub fn moving_banner(distance: f32) -> Vec<u8> {
    let mut document = banner();
    document.nodes[0].children = 1;
    document.nodes[1].children = 1;
    for (index, animation) in document.animations.iter_mut().enumerate() {
        for key in 0..3_u16 {
            let angle = 0.4 * f32::from(key) + 0.2 * index as f32;
            let rotation = [0.0, angle.sin(), 0.0, angle.cos()];
            let body = &mut animation.tracks[1].keys[usize::from(key)];
            body.rotation = rotation.map(Into::into);
            body.translation = [f32::from(key), -distance, 2.0 * f32::from(key)].map(Into::into);
        }
    }
    bytes(&document)
}
