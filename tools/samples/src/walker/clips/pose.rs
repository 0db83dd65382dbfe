//! The transforms of the walker's bones in one frame of a clip.

use crate::math::Transform;
use crate::walker::skeleton::{ANKLE, Rig};
use bevy::prelude::*;

/// Frames per second of all clips.
pub const FPS: f32 = 30.0;

/// A bone of a [`Pose`].
#[derive(Clone, Copy)]
pub struct BonePose {
    /// Its transform relative to its parent.
    pub transform: Transform,
    /// Whether what is connected to it is visible.
    pub visible: bool,
    /// Whether it keeps its transform until the next frame, without interpolation.
    pub holds: bool,
}

/// The transforms of all bones.
#[derive(Clone)]
pub struct Pose<'a> {
    rig: &'a Rig,
    bones: Vec<BonePose>,
}

/// A leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// At +X.
    Left,
    /// At −X.
    Right,
}

impl Side {
    /// Both legs.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// 1 for the left one, −1 for the right one.
    pub fn sign(self) -> f32 {
        if self == Self::Left { 1.0 } else { -1.0 }
    }

    /// Selects the bone of this side.
    pub fn of(self, [left, right]: [&'static str; 2]) -> &'static str {
        if self == Self::Left { left } else { right }
    }
}

/// The feet's bones.
pub const FEET: [&str; 2] = ["Foot_L", "Foot_R"];
/// The knee direction at rest: behind the line from hip to ankle.
pub const BACKWARD: Vec3 = Vec3::Y;

/// The height of an ankle if a tilted foot rests on the ground with its toes or its heel.
pub fn ankle(tilt: Mat3) -> f32 {
    const TOE: Vec3 = Vec3::new(0.0, -2.1, -ANKLE);
    const HEEL: Vec3 = Vec3::new(0.0, 1.2, -ANKLE);
    -(tilt * TOE).z.min((tilt * HEEL).z)
}

impl<'a> Pose<'a> {
    /// The model's rest pose.
    pub fn at_rest(rig: &'a Rig) -> Self {
        let bone = |(index, _)| BonePose {
            transform: rig.local(index),
            visible: rig.is_visible(index),
            holds: false,
        };
        Self {
            rig,
            bones: rig.names().enumerate().map(bone).collect(),
        }
    }

    /// The bones, in the order of the model.
    pub fn bones(&self) -> &[BonePose] {
        &self.bones
    }

    /// The transform of a bone at rest, in model space.
    pub fn rest(&self, bone: &str) -> Transform {
        self.rig.transform(bone)
    }

    fn bone(&mut self, name: &str) -> &mut BonePose {
        &mut self.bones[self.rig.index(name)]
    }

    /// Rotates a bone about its own origin, in the axes of its parent.
    pub fn rotate(&mut self, bone: &str, rotation: Mat3) {
        let transform = &mut self.bone(bone).transform;
        transform.rotation = rotation * transform.rotation;
    }

    /// Translates a bone, in the axes of its parent.
    pub fn translate(&mut self, bone: &str, by: Vec3) {
        self.bone(bone).transform.translation += by;
    }

    /// Translates a bone, in its own axes.
    pub fn translate_local(&mut self, bone: &str, by: Vec3) {
        let transform = &mut self.bone(bone).transform;
        transform.translation = transform.point(by);
    }

    /// Shows or hides what is connected to a bone.
    pub fn show(&mut self, bone: &str, visible: bool) {
        self.bone(bone).visible = visible;
    }

    /// Holds a bone until the next frame.
    pub fn hold(&mut self, bone: &str) {
        self.bone(bone).holds = true;
    }

    /// The transform of a bone in model space.
    pub fn transform(&self, bone: &str) -> Transform {
        self.transform_of(self.rig.index(bone))
    }

    fn transform_of(&self, bone: usize) -> Transform {
        let local = self.bones[bone].transform;
        match self.rig.parent(bone) {
            Some(parent) => self.transform_of(parent) * local,
            None => local,
        }
    }

    /// Sets the rotation of a bone in model space.
    pub fn set_rotation(&mut self, bone: &str, rotation: Mat3) {
        let index = self.rig.index(bone);
        let above = self.rig.parent(index);
        let above = above.map_or(Mat3::IDENTITY, |parent| self.transform_of(parent).rotation);
        self.bones[index].transform.rotation = above.transpose() * rotation;
    }

    /// Rotates the searchlight together with its target point.
    pub fn rotate_searchlight(&mut self, rotation: Mat3) {
        let lamp = self.bone("Searchlight").transform.translation;
        self.rotate("Searchlight", rotation);
        let target = &mut self.bone("Searchlight.Target").transform;
        target.translation = lamp + rotation * (target.translation - lamp);
    }

    /// Places a foot in model space and bends the leg to reach it. The knee is on the side of the
    /// leg that `knee` points to. Set the hips first.
    pub fn place_foot(&mut self, side: Side, foot: Transform, knee: Vec3) {
        let [thigh, shin, end] = [
            side.of(["Thigh_L", "Thigh_R"]),
            side.of(["Shin_L", "Shin_R"]),
            side.of(FEET),
        ];
        let hip = self.transform(thigh).translation;
        // Joints do not stretch: their distances are those of the rest pose.
        let thigh_length = self.bone(shin).transform.translation.length();
        let shin_length = self.bone(end).transform.translation.length();
        let line = foot.translation - hip;
        let length = line.length();
        let reach = (thigh_length - shin_length).abs()..=thigh_length + shin_length;
        assert!(
            reach.contains(&length),
            "{end}: the distance to its hip is {length}; the leg reaches {reach:?}"
        );
        let along = line / length;
        let out = (knee - along * knee.dot(along)).normalize_or(BACKWARD);
        // The law of cosines: the position of the knee along that line, and its distance from it.
        let thigh_2 = thigh_length * thigh_length;
        let knee_along = (thigh_2 + length * length - shin_length * shin_length) / (2.0 * length);
        let knee_out = (thigh_2 - knee_along * knee_along).max(0.0).sqrt();
        let knee = hip + along * knee_along + out * knee_out;

        // Knees bend about X, and −Z points to the next joint.
        let axis = along.cross(out);
        let bone = |from: Vec3, to: Vec3| {
            let up = (from - to).normalize_or(Vec3::Z);
            Mat3::from_cols(axis, up.cross(axis), up)
        };
        self.set_rotation(thigh, bone(hip, knee));
        self.set_rotation(shin, bone(knee, foot.translation));
        self.set_rotation(end, foot.rotation);
    }
}
