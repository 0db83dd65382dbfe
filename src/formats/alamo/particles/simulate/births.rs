//! Births of a frame on the way to the records of a system. Which particles are born does not belong here.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::evaluate::{BirthRecord, Ground};
use crate::formats::alamo::particles::record::EmitterRecords;

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
        records.push(BirthRecord {
            birth: (birth.born - times.epoch) as f32,
            ..birth.record
        });
    }
}
