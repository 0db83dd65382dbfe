//! The simulation of particle systems in plain numbers: the reference for shaders and games.
//!
//! Motion is a closed form, so nothing about a particle changes after its birth: [`PreparedEmitter::birth`] makes a
//! [`BirthRecord`], and position, size, color, tile and angle at any age follow from it. No function depends on a frame
//! rate or on earlier calls.
//!
//! - [`schedule`][mod@schedule]: when particles are born, and how many live at once.
//! - [`random`][mod@random]: random numbers of (seed, emitter, particle, purpose).
//! - [`shape`][mod@shape]: the distributions of positions and velocities.
//! - [`emitter`][mod@emitter]: births.
//! - [`motion`][mod@motion], [`ground`][mod@ground]: position and velocity at an age.
//! - [`track`][mod@track]: values over the life of a particle.
//! - [`mesh`][mod@mesh]: births on the vertices or the surface of a mesh.
//! - [`simulation`][mod@simulation]: a running system, which yields the births of any span of time.
//! - [`pose`][mod@pose]: where an emitter is.
//! - [`system`][mod@system]: the emitters of a system, with their links.
//! - [`state`][mod@state]: all particles of a system that does not move, at any time.
//!
//! A step of a simulation, and an evaluation, does at most 131,072 units of work, for any file and time: one for each particle
//! that it visits, each child, and each 8 steps of a simulated motion. The other births are dropped, which
//! [`Simulation::is_limited`] and [`SystemState::is_limited`] report. One motion has at most 513 steps of bounded time.
//!
//! Emitters made of [plug-ins](crate::particles::plugins) are evaluated by the same functions. For some of their modifiers no
//! closed form is known: then the motion is [simulated](PreparedEmitter::is_stepped) with a fixed step, from the birth to the
//! age. It still depends on nothing else.
//!
//! Positions, velocities and tracks are computed in `f32` with the operations of [`motion`] and [`track`], so that a
//! shader can reproduce them. Clocks and births are `f64`.

// For maintainers: this folder must not read bytes, and it must return for any finite values, in bounded time.

mod angle;
pub mod emitter;
pub mod ground;
pub mod mesh;
pub mod motion;
mod plugins;
pub mod pose;
pub mod random;
pub mod schedule;
pub mod shape;
pub mod simulation;
pub mod state;
pub mod system;
mod timeline;
pub mod track;
mod vector;
mod weather;

pub use emitter::{Appearance, PreparedEmitter, Source};
pub use ground::{Ground, GroundEffect};
pub use mesh::{EmissionMesh, EmitMode, MeshPoint};
pub use motion::{BirthRecord, Motion};
pub use plugins::forces::SteppedMotion;
pub use pose::EmitterPose;
pub use random::Draws;
pub use schedule::{MAX_ALIVE, Schedule};
pub use simulation::{Birth, Simulation, Space, Stage};
pub use state::{LivingParticle, SystemState};
pub use system::ParticleSystem;
