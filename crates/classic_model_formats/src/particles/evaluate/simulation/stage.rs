//! What a simulation needs to know about its surroundings, and what it passes to them.

use crate::particles::evaluate::emitter::{PreparedEmitter, Source};
use crate::particles::evaluate::ground::Ground;
use crate::particles::evaluate::mesh::EmissionMesh;
use crate::particles::evaluate::motion::{BirthRecord, Motion};
use crate::particles::evaluate::pose::EmitterPose;
use crate::particles::evaluate::random::Draws;

/// The space of a birth record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The system's, for emitters that are linked to it.
    System,
    /// The world's.
    World,
    /// That of weather: the axes of the world and the units of the file. The cube of the particles follows each camera,
    /// so only directions and distances matter.
    Weather,
}

impl Space {
    /// The space of an emitter's records.
    pub fn of(emitter: &PreparedEmitter) -> Self {
        if emitter.weather_cube.is_some() {
            Self::Weather
        } else if emitter.is_linked {
            Self::System
        } else {
            Self::World
        }
    }
}

/// The surroundings of a running system, and the receiver of its births. Times are seconds after the creation of the system.
pub trait Stage {
    /// The pose of the system in a space at a time. Times before the first step are those of skipped births.
    fn pose(&self, space: Space, time: f64) -> EmitterPose;

    /// The mesh on whose vertices or surface particles are born.
    fn mesh(&self) -> Option<&EmissionMesh> {
        None
    }

    /// Where the particles of an emitter that emits from a mesh are born if there is no mesh: at the emitter, unless the
    /// stage says otherwise.
    fn source_without_mesh(&self) -> Source {
        Source::Point
    }

    /// The pose of the mesh in a space at a time.
    fn mesh_pose(&self, space: Space, time: f64) -> EmitterPose {
        self.pose(space, time)
    }

    /// The motion of a particle in the other space.
    fn transfer(&self, motion: Motion, from: Space, to: Space, time: f64) -> Motion;

    /// Whether births are dropped, because there are too many particles.
    fn is_full(&self) -> bool;

    /// Takes a particle that lives at the end of the step.
    fn born(&mut self, birth: &Birth<'_>);
}

/// A particle that is born in a step, and lives at its end.
#[derive(Clone, Copy, Debug)]
pub struct Birth<'s> {
    /// Index of the emitter in the file.
    pub index: usize,
    /// The emitter.
    pub emitter: &'s PreparedEmitter,
    /// Time of birth in seconds after the creation of the system; negative if it was skipped.
    pub born: f64,
    /// Age in seconds at the end of the step.
    pub age: f64,
    /// The random numbers of the particle.
    pub draws: Draws,
    /// The record, in the space of the emitter. Its time of birth is rounded from `born`.
    pub record: BirthRecord,
    /// The ground of [`PreparedEmitter::motion`].
    pub ground: Ground,
    /// Time of death in seconds after the creation of the system; infinite if its clock freezes before.
    pub death: f64,
    /// The age at which its clock freezes; infinite if it does not.
    pub frozen_age: f64,
}
