//! The walker's bones.
//!
//! Legs bend about the X axes of their bones, whose −Z points to the next joint. The turret rotates
//! about its Z, and guns pitch about their X. As in the games, shots leave along +X of the muzzles,
//! and light along −Z of the lamps.

use crate::math::{Transform, roll, yaw};
use bevy::prelude::*;
use bevy_classic_models::alamo::alo;

/// Length of a thigh.
pub const THIGH_LENGTH: f32 = 2.6;
/// Length of a shin.
pub const SHIN_LENGTH: f32 = 3.5;
/// Height of the ankles.
pub const ANKLE: f32 = 1.15;
/// Distance from a gun's bone forward to its muzzle.
pub const MUZZLE: f32 = 4.25;

/// A bone, with its transform in model space.
struct Bone {
    name: &'static str,
    parent: Option<usize>,
    transform: Transform,
    billboard: u32,
    visible: bool,
}

/// All bones.
pub struct Rig(Vec<Bone>);

impl Rig {
    /// The bones at rest.
    pub fn new() -> Self {
        let mut rig = Self(vec![Bone {
            name: "Root",
            parent: None,
            transform: Transform::from_xyz(0.0, 0.0, 0.0),
            billboard: 0,
            visible: true,
        }]);
        rig.add("Hips", "Root", [0.0, 0.3, 6.05], Mat3::IDENTITY);
        rig.add("Body", "Hips", [0.0, 0.2, 6.7], Mat3::IDENTITY);
        rig.add("Turret", "Body", [0.0, -0.2, 8.0], Mat3::IDENTITY);
        for (name, muzzle, x) in [("Gun_L", "MuzzleA_00", 2.4), ("Gun_R", "MuzzleA_01", -2.4)] {
            rig.add(name, "Turret", [x, -0.1, 9.1], Mat3::IDENTITY);
            rig.add(muzzle, name, [x, -0.1 - MUZZLE, 9.1], yaw(-90.0));
        }
        rig.leg(["Thigh_L", "Shin_L", "Foot_L"], 1.75);
        rig.leg(["Thigh_R", "Shin_R", "Foot_R"], -1.75);
        rig.add("Antenna", "Turret", [1.0, 1.25, 10.7], roll(-8.0));
        rig.add("Searchlight", "Turret", [-1.05, -3.2, 8.45], roll(-70.0));
        let along = roll(-70.0) * Vec3::NEG_Z;
        let target = Vec3::new(-1.05, -3.2, 8.45) + along * 12.0;
        rig.add(
            "Searchlight.Target",
            "Turret",
            target.into(),
            Mat3::IDENTITY,
        );
        rig.add("Cockpit_Lamp", "Turret", [0.0, -2.1, 10.5], Mat3::IDENTITY);
        rig.add("HP_TURRET", "Turret", [0.0, -0.2, 9.4], yaw(-90.0));
        rig.add("HP_HULL", "Body", [0.0, 0.5, 7.2], yaw(-90.0));
        rig.add("FP_HULL", "Body", [0.0, -1.6, 7.2], yaw(-90.0));
        for (glow, exhaust, x) in [
            ("Glow_L", "Exhaust_L", 0.75),
            ("Glow_R", "Exhaust_R", -0.75),
        ] {
            rig.add(exhaust, "Body", [x, 3.3, 8.5], roll(-40.0));
            rig.billboard(glow, exhaust, [x, 3.36, 8.57]);
        }
        rig.add("Smoke_00", "Turret", [0.9, -2.6, 9.4], Mat3::IDENTITY);
        rig.add("Smoke_01", "Body", [-1.5, 0.8, 7.4], Mat3::IDENTITY);
        rig.add("Cargo", "Body", [0.0, 3.1, 6.62], Mat3::IDENTITY);
        rig.add("Nav_L", "Turret", [1.5, 1.5, 10.25], Mat3::IDENTITY);
        rig.add("Nav_R", "Turret", [-1.5, 1.5, 10.25], Mat3::IDENTITY);
        rig.add("Headlamps", "Turret", [0.0, -3.6, 8.8], Mat3::IDENTITY);
        for (flash, gun, x) in [("Flash_L", "Gun_L", 2.4), ("Flash_R", "Gun_R", -2.4)] {
            rig.hidden(flash, gun, [x, -0.1 - MUZZLE, 9.1]);
        }
        // +Z of effects of engines points to the rear, as in the games.
        rig.add("Vents", "Body", [0.0, 2.72, 7.2], roll(-90.0));
        rig.add("Vents_Glow", "Vents", [0.0, 2.72, 7.2], roll(-90.0));
        rig.hidden("Blast", "Body", [0.0, 0.2, 7.4]);
        rig
    }

    fn add(&mut self, name: &'static str, parent: &str, at: [f32; 3], rotation: Mat3) {
        let parent = Some(self.index(parent));
        let transform = Transform {
            rotation,
            translation: at.into(),
        };
        self.0.push(Bone {
            name,
            parent,
            transform,
            billboard: 0,
            visible: true,
        });
    }

    /// A bone whose parts are hidden until an animation shows them.
    fn hidden(&mut self, name: &'static str, parent: &str, at: [f32; 3]) {
        self.add(name, parent, at, Mat3::IDENTITY);
        if let Some(bone) = self.0.last_mut() {
            bone.visible = false;
        }
    }

    /// A billboard bone, which faces the camera.
    fn billboard(&mut self, name: &'static str, parent: &str, at: [f32; 3]) {
        const PARALLEL: u32 = 1;
        self.add(name, parent, at, Mat3::IDENTITY);
        if let Some(bone) = self.0.last_mut() {
            bone.billboard = PARALLEL;
        }
    }

    /// A leg: backward down to the knee, and forward down to the ankle.
    fn leg(&mut self, [thigh, shin, foot]: [&'static str; 3], x: f32) {
        let hip = Vec3::new(x, 0.3, 5.9);
        let knee = hip + roll(40.0) * Vec3::NEG_Z * THIGH_LENGTH;
        let ankle = knee + roll(-38.0) * Vec3::NEG_Z * SHIN_LENGTH;
        self.add(thigh, "Hips", hip.into(), roll(40.0));
        self.add(shin, thigh, knee.into(), roll(-38.0));
        self.add(foot, shin, [x, ankle.y, ANKLE], Mat3::IDENTITY);
    }

    /// The index of a bone. Panics if there is no bone of this name.
    pub fn index(&self, name: &str) -> usize {
        let found = self.0.iter().position(|bone| bone.name == name);
        found.unwrap_or_else(|| panic!("bone \"{name}\" not found"))
    }

    /// The transform of a bone in model space.
    pub fn transform(&self, name: &str) -> Transform {
        self.0[self.index(name)].transform
    }

    /// The counterpart of a bone on the other side of the model.
    pub fn other_side(&self, bone: usize) -> usize {
        let name = self.0[bone].name;
        name.strip_suffix("_L")
            .map_or(bone, |stem| self.index(&format!("{stem}_R")))
    }

    /// Names of all bones, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|bone| bone.name)
    }

    /// The parent of a bone.
    pub fn parent(&self, bone: usize) -> Option<usize> {
        self.0[bone].parent
    }

    /// Whether what is connected to a bone is visible at rest.
    pub fn is_visible(&self, bone: usize) -> bool {
        self.0[bone].visible
    }

    /// The transform of a bone relative to its parent.
    pub fn local(&self, bone: usize) -> Transform {
        let Bone {
            parent, transform, ..
        } = self.0[bone];
        let above = parent.map_or(self.0[0].transform, |parent| self.0[parent].transform);
        let back = above.rotation.transpose();
        Transform {
            rotation: back * transform.rotation,
            translation: back * (transform.translation - above.translation),
        }
    }

    /// The bones for a file, each relative to its parent.
    pub fn bones(&self) -> Vec<alo::Bone<'static>> {
        let bone = |(index, bone): (usize, &Bone)| {
            let Transform {
                rotation,
                translation,
            } = self.local(index);
            let parent = bone.parent.map(|parent| parent as u32);
            let rows = rotation.transpose();
            alo::Bone {
                matrix: [
                    rows.x_axis.extend(translation.x).into(),
                    rows.y_axis.extend(translation.y).into(),
                    rows.z_axis.extend(translation.z).into(),
                ],
                billboard: bone.billboard,
                visible: bone.visible,
                ..alo::Bone::new(bone.name, parent, translation.into())
            }
        };
        self.0.iter().enumerate().map(bone).collect()
    }
}
