//! The particles that the shader cannot compute from birth records, because their motion has no closed form, or because
//! their appearance depends on random numbers that the record does not have.
//!
//! They are uploaded in the slots of birth records: see [`given`].

use crate::formats::alamo::particles::drawn::DrawnParticle;
use crate::formats::alamo::particles::evaluate::{
    BirthRecord, Draws, EmitterPose, PreparedEmitter, SteppedMotion,
};
use crate::formats::alamo::particles::upload::{Upload, new_generation};
use core::ops::Range;
use std::collections::VecDeque;

/// Whether the particles of an emitter are computed on the CPU.
pub(crate) fn is_computed(prepared: &PreparedEmitter) -> bool {
    prepared.is_stepped() || !prepared.has_plain_appearance()
}

/// The particles of an emitter.
#[derive(Debug, Default)]
pub(crate) struct Computed {
    /// The number of the record of the first particle.
    first: u64,
    particles: VecDeque<Particle>,
    /// The pose of the system when the particles were last computed.
    pose: EmitterPose,
    /// The records to draw, and unused slots after them.
    drawn: Vec<BirthRecord>,
    count: usize,
    /// Whether motions are not continued, because the system has moved.
    is_restarted: bool,
    generation: u64,
}

/// What a particle has beside its record.
#[derive(Clone, Copy, Debug)]
struct Particle {
    draws: Draws,
    motion: SteppedMotion,
}

impl Particle {
    fn drawn(
        &mut self,
        prepared: &PreparedEmitter,
        system: &EmitterPose,
        record: &BirthRecord,
        age: f32,
    ) -> DrawnParticle {
        DrawnParticle {
            age,
            motion: prepared.continued_motion(&mut self.motion, system, record, age),
            appearance: prepared.appearance_of(record, self.draws, age),
            texture_part: prepared.texture_part(record, self.draws, age),
            aspect: prepared.aspect(self.draws),
        }
    }
}

/// The contents of a slot with a particle as it is drawn, for `given` in `particles.wgsl`.
///
/// | record | particle |
/// |---|---|
/// | `position`, `velocity` | position, velocity |
/// | `birth` | angle in turns |
/// | `life` | size |
/// | `acceleration`, `size` | left, top and width, height of the part of the texture |
/// | `color` | color |
/// | `rotation` | width of the quad divided by its height |
fn given(particle: &DrawnParticle) -> BirthRecord {
    let [left, top, width, height] = particle.texture_part;
    let appearance = &particle.appearance;
    BirthRecord {
        position: particle.motion.position,
        birth: appearance.turns,
        velocity: particle.motion.velocity,
        life: appearance.size,
        acceleration: [left, top, width],
        size: height,
        color: appearance
            .color
            .map(|value| (value * 32767.0).round() as i16),
        rotation: particle.aspect,
        ground: 0.0,
    }
}

impl Computed {
    /// Adds a particle after those with records of these numbers.
    pub(crate) fn push(&mut self, numbers: Range<u64>, record: &BirthRecord, draws: Draws) {
        self.remove_before(numbers.start);
        if self.particles.is_empty() {
            self.first = numbers.end;
        }
        self.particles.push_back(Particle {
            draws,
            motion: SteppedMotion::new(record),
        });
    }

    fn remove_before(&mut self, number: u64) {
        let count = (number.saturating_sub(self.first) as usize).min(self.particles.len());
        self.particles.drain(..count);
        self.first += count as u64;
    }

    fn index(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    /// The particle whose record has this number, at an age in seconds, as it is drawn.
    pub(crate) fn drawn(
        &self,
        prepared: &PreparedEmitter,
        number: u64,
        record: &BirthRecord,
        age: f32,
    ) -> Option<DrawnParticle> {
        let mut particle = *self.particles.get(self.index(number)?)?;
        Some(particle.drawn(prepared, &self.pose, record, age))
    }

    /// Begins to compute all particles, the first of which has the record of this number. `slots` is the count of slots of
    /// the ring buffer.
    pub(crate) fn begin(
        &mut self,
        prepared: &PreparedEmitter,
        pose: EmitterPose,
        first: u64,
        slots: usize,
    ) {
        self.remove_before(first);
        self.is_restarted = !prepared.is_motion_same([&self.pose, &pose]);
        self.pose = pose;
        self.drawn.resize(slots, BirthRecord::default());
        self.count = 0;
        self.generation = new_generation();
    }

    /// Computes a living particle. Particles must be computed in order.
    pub(crate) fn compute(
        &mut self,
        prepared: &PreparedEmitter,
        number: u64,
        record: &BirthRecord,
        age: f32,
    ) {
        let index = self.index(number);
        let particle = index.and_then(|index| self.particles.get_mut(index));
        let slot = self.drawn.get_mut(self.count);
        if let (Some(particle), Some(slot)) = (particle, slot) {
            if self.is_restarted {
                particle.motion = SteppedMotion::new(record);
            }
            *slot = given(&particle.drawn(prepared, &self.pose, record, age));
            self.count += 1;
        }
    }

    /// What was computed, for uploads.
    pub(crate) fn upload(&self) -> Upload<'_> {
        Upload {
            first: 0,
            next: self.count as u64,
            generation: self.generation,
            slots: &self.drawn,
        }
    }
}
