//! The surroundings of a system instance in Bevy's world for the simulation of one frame, and its births on the way to
//! the records.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::evaluate::{
    Birth, BirthRecord, Draws, EmissionMesh, EmitterPose, Ground, Motion, Space, Stage,
};
use crate::formats::alamo::particles::record::{EmitterRecords, RecordSpace, uniform_scale};
use bevy::math::Affine3A;
use bevy::prelude::*;
use core::cell::OnceCell;

/// A system that moves faster than this, in units of the file per second, has jumped: nothing is born on the way.
const MAX_SPEED: f32 = 5000.0;

/// Shorter distances are no jumps, in units of the file.
const MIN_JUMP: f32 = 10.0;

/// What surrounds a system instance at the end of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surroundings {
    pub(crate) world_from_system: Affine3A,
    /// The velocity of the wind in the world.
    pub(crate) wind: Vec3,
    /// The height of the ground in the world.
    pub(crate) ground: f32,
    pub(crate) world_from_mesh: Option<Affine3A>,
}

/// The poses of emitters that follow from the surroundings. Each is computed when it is needed first: most systems need
/// only one.
pub(crate) struct Poses {
    surroundings: Surroundings,
    world_rotation: Quat,
    /// Units of the world per unit of the file.
    pub(crate) scale: f32,
    system: OnceCell<EmitterPose>,
    world: OnceCell<EmitterPose>,
    weather: OnceCell<EmitterPose>,
    mesh_in_system: OnceCell<EmitterPose>,
    mesh_in_world: OnceCell<EmitterPose>,
}

impl Poses {
    pub(crate) fn new(particles: &AloParticles, surroundings: Surroundings) -> Self {
        Self {
            surroundings,
            world_rotation: particles.world_rotation,
            scale: uniform_scale(&surroundings.world_from_system),
            system: OnceCell::new(),
            world: OnceCell::new(),
            weather: OnceCell::new(),
            mesh_in_system: OnceCell::new(),
            mesh_in_world: OnceCell::new(),
        }
    }

    /// The pose of the system in a space.
    fn of_system(&self, space: Space) -> &EmitterPose {
        let pose = match space {
            Space::System => &self.system,
            Space::World => &self.world,
            Space::Weather => &self.weather,
        };
        pose.get_or_init(|| {
            let Surroundings {
                world_from_system,
                wind,
                ground,
                ..
            } = self.surroundings;
            let space = RecordSpace::of_emitters(space, self.world_rotation, world_from_system);
            space.pose(space.origin(), Vec3::ZERO, wind, ground)
        })
    }

    /// The pose of the mesh in a space. There is no mesh for weather.
    fn of_mesh(&self, space: Space) -> &EmitterPose {
        let from_system = self.surroundings.world_from_system;
        let mesh = self.surroundings.world_from_mesh.unwrap_or(from_system);
        match space {
            Space::System => self.mesh_in_system.get_or_init(|| {
                let mesh = inverse(&from_system) * mesh;
                at(&mesh, self.of_system(space))
            }),
            Space::World => self
                .mesh_in_world
                .get_or_init(|| at(&mesh, self.of_system(space))),
            Space::Weather => self.of_system(space),
        }
    }
}

/// The inverse, or the identity for a transform without one.
fn inverse(transform: &Affine3A) -> Affine3A {
    let inverse = transform.inverse();
    if inverse.is_finite() {
        inverse
    } else {
        Affine3A::IDENTITY
    }
}

/// An emitter's pose with another position and orientation.
fn at(transform: &Affine3A, pose: &EmitterPose) -> EmitterPose {
    EmitterPose {
        position: transform.translation.to_array(),
        orientation: Mat3::from(transform.matrix3).to_cols_array_2d(),
        ..*pose
    }
}

/// The way of a system in a frame. Times are those of the system's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    /// From the position at the end of the frame to that at its begin, in the world.
    back: Vec3,
    end: f64,
    duration: f64,
}

impl Path {
    /// The way from one position to another. `None` if the system did not move, or jumped.
    pub(crate) fn new(from: Vec3A, to: Vec3A, [begin, end]: [f64; 2], scale: f32) -> Option<Self> {
        let back = Vec3::from(from - to);
        let duration = end - begin;
        if back == Vec3::ZERO || !back.is_finite() || duration <= 0.0 {
            return None;
        }
        let distance = back.length() / scale.max(f32::MIN_POSITIVE);
        let is_jump = distance > MIN_JUMP && distance > MAX_SPEED * duration as f32;
        (!is_jump).then_some(Self {
            back,
            end,
            duration,
        })
    }

    /// The velocity of the system in the world.
    fn velocity(&self) -> Vec3 {
        -self.back / self.duration as f32
    }

    /// What is added to the position at the end of the frame.
    fn offset(&self, clock: f64) -> Vec3 {
        let share = (self.end - clock) / self.duration;
        self.back * share.clamp(0.0, 1.0) as f32
    }
}

/// The stage of a system instance in a frame. Collects the births.
pub(crate) struct SystemStage<'a> {
    pub(crate) poses: &'a Poses,
    pub(crate) path: Option<Path>,
    /// The begin of the simulation on the system's clock.
    pub(crate) start: f64,
    pub(crate) mesh: Option<&'a EmissionMesh>,
    pub(crate) births: &'a mut Vec<NewBirth>,
    /// The most births.
    pub(crate) room: usize,
}

impl SystemStage<'_> {
    /// The pose at a time, if it is that at the end of the frame otherwise.
    fn moved(&self, pose: &EmitterPose, time: f64) -> EmitterPose {
        let Some(path) = &self.path else {
            return *pose;
        };
        let position = Vec3::from(pose.position) + path.offset(self.start + time);
        EmitterPose {
            position: position.to_array(),
            velocity: path.velocity().to_array(),
            ..*pose
        }
    }
}

impl Stage for SystemStage<'_> {
    fn pose(&self, space: Space, time: f64) -> EmitterPose {
        match space {
            Space::System | Space::Weather => *self.poses.of_system(space),
            Space::World => self.moved(self.poses.of_system(space), time),
        }
    }

    fn mesh(&self) -> Option<&EmissionMesh> {
        self.mesh
    }

    fn mesh_pose(&self, space: Space, time: f64) -> EmitterPose {
        let pose = self.poses.of_mesh(space);
        match space {
            Space::System | Space::Weather => *pose,
            Space::World => self.moved(pose, time),
        }
    }

    fn transfer(&self, motion: Motion, from: Space, _: Space, time: f64) -> Motion {
        let clock = self.start + time;
        let offset = self.path.map_or(Vec3::ZERO, |path| path.offset(clock));
        let velocity = self.path.map_or(Vec3::ZERO, |path| path.velocity());
        let mut world_from_system = self.poses.surroundings.world_from_system;
        world_from_system.translation += Vec3A::from(offset);
        let (position, own) = (Vec3::from(motion.position), Vec3::from(motion.velocity));
        let (position, velocity) = match from {
            Space::System => (
                world_from_system.transform_point3(position),
                world_from_system.transform_vector3(own) + velocity,
            ),
            Space::World => {
                let system_from_world = inverse(&world_from_system);
                (
                    system_from_world.transform_point3(position),
                    system_from_world.transform_vector3(own - velocity),
                )
            }
            // It spawns nothing.
            Space::Weather => (position, own),
        };
        Motion {
            position: position.to_array(),
            velocity: velocity.to_array(),
        }
    }

    fn is_full(&self) -> bool {
        self.room == 0
    }

    #[inline]
    fn born(&mut self, birth: &Birth<'_>) {
        self.room = self.room.saturating_sub(1);
        let scale = match Space::of(birth.emitter) {
            Space::System | Space::Weather => 1.0,
            Space::World => self.poses.scale,
        };
        self.births.push(NewBirth {
            emitter: birth.index,
            born: self.start + birth.born,
            frozen: self.start + birth.born + birth.frozen_age,
            scale,
            record: BirthRecord {
                size: birth.record.size * scale,
                ..birth.record
            },
            draws: birth.draws,
            ground: birth.ground,
        });
    }
}

/// The times of an emitter's records, on the system's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordTimes {
    pub(crate) epoch: f64,
    /// The time at which the records freeze; infinite if they do not.
    pub(crate) frozen: f64,
    /// The begin of the simulation whose records are frozen.
    pub(crate) begin: f64,
}

impl RecordTimes {
    pub(crate) const NEW: Self = Self {
        epoch: 0.0,
        frozen: f64::INFINITY,
        begin: 0.0,
    };

    /// The time of the records.
    #[inline]
    pub(crate) fn time(&self, clock: f64) -> f32 {
        (self.frozen.min(clock) - self.epoch) as f32
    }
}

/// A birth, until it is added to the records. Times are those of the system's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewBirth {
    pub(crate) emitter: usize,
    pub(crate) born: f64,
    /// When the particle's clock freezes; infinite if it does not.
    pub(crate) frozen: f64,
    /// Units of the record per unit of the file.
    pub(crate) scale: f32,
    /// The record to store, without its time of birth.
    pub(crate) record: BirthRecord,
    pub(crate) draws: Draws,
    pub(crate) ground: Ground,
}

/// The records to which the births of a frame are added.
pub(crate) struct Target<'a> {
    pub(crate) particles: &'a AloParticles,
    pub(crate) records: &'a mut [EmitterRecords],
    pub(crate) times: &'a [RecordTimes],
    /// The system's clock at the end of the frame.
    pub(crate) clock: f64,
}

impl Target<'_> {
    /// Adds a birth to the records with an index, after all earlier ones.
    #[inline]
    pub(crate) fn add(&mut self, index: usize, birth: &NewBirth) {
        let (Some(times), Some(records)) = (self.times.get(index), self.records.get_mut(index))
        else {
            return;
        };
        records.set_scale(self.particles, birth.scale);
        records.ground = birth.ground;
        records.time = times.time(self.clock);
        let record = BirthRecord {
            birth: (birth.born - times.epoch) as f32,
            ..birth.record
        };
        records.push(record, birth.draws);
    }
}
