//! The walker's bones at one moment of a clip.

use crate::maths::Place;
use crate::walker::skeleton::{ANKLE, Rig};
use bevy::math::{Mat3, Vec3};

/// A bone of a [`Pose`].
#[derive(Clone, Copy)]
pub struct BonePose {
    /// Where it is in the space of its parent.
    pub place: Place,
    /// Whether it shows what hangs on it, if the clip has a say in that.
    pub visible: Option<bool>,
    /// Whether it stays as it is until the next frame, instead of going there.
    pub holds: bool,
}

/// All bones.
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

    /// One of a pair of bones.
    pub fn of(self, [left, right]: [&'static str; 2]) -> &'static str {
        if self == Self::Left { left } else { right }
    }
}

/// The feet's bones.
pub const FEET: [&str; 2] = ["Foot_L", "Foot_R"];
/// Where knees are at rest: behind the line from hip to ankle.
pub const BACKWARDS: Vec3 = Vec3::Y;

/// How high an ankle is over the ground on which a tilted foot stands: on its toes, or on its heel.
pub fn ankle(tilt: Mat3) -> f32 {
    const TOE: Vec3 = Vec3::new(0.0, -2.1, -ANKLE);
    const HEEL: Vec3 = Vec3::new(0.0, 1.2, -ANKLE);
    -(tilt * TOE).z.min((tilt * HEEL).z)
}

impl<'a> Pose<'a> {
    /// As the model has it.
    pub fn at_rest(rig: &'a Rig) -> Self {
        let bone = |(index, _)| BonePose {
            place: rig.local(index),
            visible: None,
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

    /// Where a bone is at rest, on the model.
    pub fn rest(&self, bone: &str) -> Place {
        self.rig.place(bone)
    }

    fn bone(&mut self, name: &str) -> &mut BonePose {
        &mut self.bones[self.rig.index(name)]
    }

    /// Turns a bone about its own origin, along the axes of its parent.
    pub fn turn(&mut self, bone: &str, turn: Mat3) {
        let place = &mut self.bone(bone).place;
        place.turn = turn * place.turn;
    }

    /// Moves a bone, along the axes of its parent.
    pub fn shift(&mut self, bone: &str, by: Vec3) {
        self.bone(bone).place.at += by;
    }

    /// Moves a bone, along its own axes.
    pub fn slide(&mut self, bone: &str, by: Vec3) {
        let place = &mut self.bone(bone).place;
        place.at = place.point(by);
    }

    /// Shows or hides what hangs on a bone.
    pub fn show(&mut self, bone: &str, visible: bool) {
        self.bone(bone).visible = Some(visible);
    }

    /// Keeps a bone until the next frame.
    pub fn hold(&mut self, bone: &str) {
        self.bone(bone).holds = true;
    }

    /// Where a bone is on the model.
    pub fn place(&self, bone: &str) -> Place {
        self.place_of(self.rig.index(bone))
    }

    fn place_of(&self, bone: usize) -> Place {
        let local = self.bones[bone].place;
        match self.rig.parent(bone) {
            Some(parent) => self.place_of(parent) * local,
            None => local,
        }
    }

    /// Turns a bone to how it is to be on the model, however its parent is turned.
    pub fn face(&mut self, bone: &str, turn: Mat3) {
        let index = self.rig.index(bone);
        let above = self.rig.parent(index);
        let above = above.map_or(Mat3::IDENTITY, |parent| self.place_of(parent).turn);
        self.bones[index].place.turn = above.transpose() * turn;
    }

    /// Turns the searchlight, and takes the point along with it that it looks at.
    pub fn aim_searchlight(&mut self, turn: Mat3) {
        let lamp = self.bone("Searchlight").place.at;
        self.turn("Searchlight", turn);
        let target = &mut self.bone("Searchlight.Target").place;
        target.at = lamp + turn * (target.at - lamp);
    }

    /// Puts a foot to a place on the model, and bends the leg so that it gets there; the knee is on the
    /// side of the leg that `knee` points to. Say where the hips are before this.
    pub fn stand(&mut self, side: Side, foot: Place, knee: Vec3) {
        let [thigh, shin, end] = [
            side.of(["Thigh_L", "Thigh_R"]),
            side.of(["Shin_L", "Shin_R"]),
            side.of(FEET),
        ];
        let hip = self.place(thigh).at;
        // Joints do not stretch: their distances are those of the model.
        let thigh_length = self.bone(shin).place.at.length();
        let shin_length = self.bone(end).place.at.length();
        let line = foot.at - hip;
        let length = line.length();
        let reach = (thigh_length - shin_length).abs()..=thigh_length + shin_length;
        assert!(
            reach.contains(&length),
            "a leg cannot be {length} long: {reach:?}"
        );
        let along = line / length;
        let out = (knee - along * knee.dot(along)).normalize_or(BACKWARDS);
        // The law of cosines: how far along that line the knee is, and how far beside it.
        let thigh_2 = thigh_length * thigh_length;
        let knee_along = (thigh_2 + length * length - shin_length * shin_length) / (2.0 * length);
        let knee_out = (thigh_2 - knee_along * knee_along).max(0.0).sqrt();
        let knee = hip + along * knee_along + out * knee_out;

        // Knees bend about X, and −Z leads to the next joint.
        let axis = along.cross(out);
        let bone = |from: Vec3, to: Vec3| {
            let up = (from - to).normalize_or(Vec3::Z);
            Mat3::from_cols(axis, up.cross(axis), up)
        };
        self.face(thigh, bone(hip, knee));
        self.face(shin, bone(knee, foot.at));
        self.face(end, foot.turn);
    }
}
