//! The state of a spawned particle system: its clock, and the simulations that add particles to its records.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::evaluate::{
    EmissionMesh, PreparedEmitter, Simulation, Space,
};
use crate::formats::alamo::particles::record::{EmitterRecords, ParticleRecords};
use crate::formats::alamo::particles::simulate::control::{Demand, ParticleEmission};
use crate::formats::alamo::particles::simulate::stage::{
    NewBirth, Path, Poses, RecordTimes, Surroundings, SystemStage, Target,
};
use bevy::prelude::*;

/// The epoch of records is moved by multiples of these seconds, so that ages in `f32` are exact to 0.1 ms: below twice of
/// it, the sum of two rounded times is wrong by at most 0.06 ms.
const EPOCH: f64 = 256.0;

/// On the entity of an [`AloParticleSystem`](crate::alamo::AloParticleSystem) whose file is loaded.
#[derive(Component, Debug)]
#[component(clone_behavior = Ignore)]
pub(crate) struct RunningParticles {
    /// The entity that has the components of `control`.
    pub(crate) owner: Entity,
    /// Ascends with the time of creation.
    pub(crate) order: u64,
    /// The seed without a `ParticleSeed`, for the first start.
    default_seed: u64,
    demand: Demand,
    /// The share of this system in the `ParticleDemand`.
    counted: u64,
    /// Seconds since the creation. Does not advance while the system is paused.
    clock: f64,
    /// The clock when the last simulation was started.
    begin: f64,
    /// The simulations that are not over, in the order of their begin. All but the last are stopped.
    simulations: Vec<Started>,
    /// Whether the last simulation that was started emits, or has emitted all that it can.
    is_playing: bool,
    /// Whether nothing was started since the creation, and no end was reported. Then a stop is an end.
    is_pending: bool,
    /// How many simulations were started.
    starts: u64,
    /// Whether a simulation was started since the system was over.
    is_active: bool,
    is_endless: bool,
    /// Whether particles stay behind when the system moves.
    stays_behind: bool,
    /// The times of each of the records' emitters.
    times: Vec<RecordTimes>,
    /// The count of emitters in the file.
    emitters: usize,
    /// The position and the clock at the end of the last frame that had births or could be seen.
    last: Option<(Vec3A, f64)>,
    /// The position of the system when it last had births.
    born_at: Option<Vec3A>,
    /// Whether particles may be outside of the bounds of the file.
    has_strayed: bool,
    /// Whether the warning about the limit was logged.
    is_warned: bool,
}

/// A simulation and its begin on the system's clock.
#[derive(Debug)]
struct Started {
    simulation: Simulation,
    begin: f64,
}

impl Started {
    fn next_event(&self) -> f64 {
        self.begin + self.simulation.next_event()
    }
}

/// What a frame is for a system.
pub(crate) struct Frame<'a> {
    pub(crate) particles: &'a AloParticles,
    pub(crate) surroundings: Surroundings,
    pub(crate) mesh: Option<&'a EmissionMesh>,
    /// The most births.
    pub(crate) room: usize,
}

/// The values of the components on the owner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) emission: ParticleEmission,
    pub(crate) seed: Option<u64>,
    /// Seconds by which the clock advances unless it is paused.
    pub(crate) seconds: f64,
}

impl RunningParticles {
    pub(crate) fn new(
        owner: Entity,
        order: u64,
        default_seed: u64,
        particles: &AloParticles,
    ) -> Self {
        Self {
            owner,
            order,
            default_seed,
            demand: Demand::new(particles),
            counted: 0,
            clock: 0.0,
            begin: 0.0,
            simulations: Vec::new(),
            is_playing: false,
            is_pending: true,
            starts: 0,
            is_active: false,
            is_endless: particles.is_endless(),
            stays_behind: particles
                .prepared()
                .any(|prepared| Space::of(prepared) == Space::World),
            times: vec![RecordTimes::NEW; particles.emitters.len()],
            emitters: particles.emitters.len(),
            last: None,
            born_at: None,
            has_strayed: false,
            is_warned: false,
        }
    }

    /// Continues a system whose file was reloaded: if that was over, a stop is not another end.
    pub(crate) fn after_reload(self, before: &Self) -> Self {
        Self {
            is_pending: before.is_pending || before.is_active,
            ..self
        }
    }

    /// Starts, stops or removes particles, and advances the clock.
    pub(crate) fn apply(
        &mut self,
        wanted: &Wanted,
        particles: &AloParticles,
        records: &mut ParticleRecords,
    ) {
        match wanted.emission {
            ParticleEmission::Playing => {
                if !self.is_playing {
                    // The time of this frame has passed before.
                    return self.start(wanted.seed, particles);
                }
            }
            ParticleEmission::Paused => return,
            ParticleEmission::Stopped => self.stop(particles, records, particles.leave_particles),
            ParticleEmission::Finishing => self.stop(particles, records, true),
            ParticleEmission::Killed => self.stop(particles, records, false),
            ParticleEmission::Restarting => {
                self.kill(records);
                return self.start(wanted.seed, particles);
            }
        }
        self.clock += wanted.seconds;
    }

    /// Whether the system is already in the state of the components, so that only its clock advances.
    pub(crate) fn is_as_wanted(&self, emission: ParticleEmission) -> bool {
        match emission {
            ParticleEmission::Playing => self.is_playing,
            ParticleEmission::Paused => true,
            ParticleEmission::Killed => {
                !self.is_playing && !self.is_pending && self.simulations.is_empty()
            }
            ParticleEmission::Stopped | ParticleEmission::Finishing => {
                !self.is_playing && !self.is_pending
            }
            ParticleEmission::Restarting => false,
        }
    }

    /// Advances the clock only.
    pub(crate) fn tick(&mut self, wanted: &Wanted) {
        if wanted.emission != ParticleEmission::Paused {
            self.clock += wanted.seconds;
        }
    }

    fn start(&mut self, seed: Option<u64>, particles: &AloParticles) {
        // Without a seed, each system and each start differ.
        let seed = seed.unwrap_or_else(|| {
            let start = self.starts.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            self.default_seed ^ start
        });
        self.simulations.push(Started {
            simulation: Simulation::new(particles.system(), seed),
            begin: self.clock,
        });
        self.begin = self.clock;
        self.starts += 1;
        self.is_pending = false;
        self.is_playing = true;
        self.is_active = true;
        self.last = None;
    }

    /// Computes about how many particles the system may have at once, at most `limit`. `vertices` is the count of the mesh
    /// on which they are born. Returns the count of the last call and the present one.
    pub(crate) fn update_demand(&mut self, vertices: usize, limit: usize) -> [u64; 2] {
        // A stopped simulation has particles beside those of the next one.
        let simulations = self.simulations.len().max(1);
        let count = self.demand.count(vertices, simulations);
        let count = count.min(limit as u64);
        [core::mem::replace(&mut self.counted, count), count]
    }

    /// Seconds since the last start.
    pub(crate) fn elapsed(&self) -> f64 {
        self.clock - self.begin
    }

    /// Ends the births. Particles finish their life, or vanish at once.
    fn stop(&mut self, particles: &AloParticles, records: &mut ParticleRecords, finish: bool) {
        // A system that is stopped before it begins is over at once.
        self.is_active |= core::mem::replace(&mut self.is_pending, false);
        if !finish {
            return self.kill(records);
        }
        if core::mem::replace(&mut self.is_playing, false)
            && let Some(Started { simulation, begin }) = self.simulations.last_mut()
        {
            simulation.stop(particles.system(), self.clock - *begin);
        }
    }

    fn kill(&mut self, records: &mut ParticleRecords) {
        self.simulations.clear();
        self.is_playing = false;
        self.clear(records);
    }

    fn clear(&mut self, records: &mut ParticleRecords) {
        records.emitters.truncate(self.emitters);
        self.times.truncate(self.emitters);
        for times in &mut self.times {
            *times = RecordTimes {
                epoch: self.clock,
                ..RecordTimes::NEW
            };
        }
        for records in &mut records.emitters {
            records.free();
            records.time = 0.0;
        }
        self.has_strayed = false;
        self.born_at = None;
    }

    /// Whether births are due. A culled system has none if it emits without end: it catches up when it is visible.
    pub(crate) fn is_due(&self, is_visible: bool) -> bool {
        let can_wait = !is_visible && self.is_endless && self.is_playing;
        let mut simulations = self.simulations.iter();
        !can_wait && simulations.any(|started| started.next_event() <= self.clock)
    }

    fn has_moved_to(&self, position: Vec3A) -> bool {
        self.last.is_some_and(|(from, _)| from != position)
    }

    /// Whether the warning about the limit was not logged before. Counts it as logged.
    pub(crate) fn is_first_warning(&mut self) -> bool {
        !core::mem::replace(&mut self.is_warned, true)
    }

    /// Forgets the position, so that births after a pause in the simulation are not spread over the way since then.
    pub(crate) fn forget_position(&mut self) {
        self.last = None;
    }

    /// Notes the position of a frame without births.
    pub(crate) fn note_position(&mut self, position: Vec3A) {
        self.last = Some((position, self.clock));
    }

    /// Whether particles of a system at this position may be outside of the bounds of the file. Those of a system that
    /// has moved may have stayed behind.
    pub(crate) fn has_strayed(&mut self, position: Vec3A) -> bool {
        self.has_strayed |= self.stays_behind && self.born_at.is_some_and(|at| at != position);
        self.has_strayed
    }

    /// Whether the system is over since the last call. Forgets the simulations that are over, and removes their frozen
    /// particles.
    pub(crate) fn take_finished(&mut self, records: &mut ParticleRecords) -> bool {
        let clock = self.clock;
        let is_over = |it: &Started| it.simulation.is_over(clock - it.begin);
        if self.simulations.iter().any(is_over) {
            for over in self.simulations.extract_if(.., |it| is_over(it)) {
                let all = records.emitters.iter_mut().zip(&self.times);
                for (records, times) in all {
                    if times.frozen < f64::INFINITY && times.begin == over.begin {
                        records.clear();
                    }
                }
            }
        }
        let is_finished = self.is_active && self.simulations.is_empty();
        if is_finished {
            self.is_active = false;
            self.clear(records);
        }
        is_finished
    }

    /// Sets the times of the records to the clock's.
    pub(crate) fn update_times(&mut self, records: &mut ParticleRecords) {
        for (times, records) in self.times.iter_mut().zip(&mut records.emitters) {
            let mut seconds = times.frozen.min(self.clock) - times.epoch;
            if seconds >= 2.0 * EPOCH {
                // A multiple of a power of two, so that the time remains exact.
                let moved = (seconds / EPOCH).floor() * EPOCH;
                times.epoch += moved;
                seconds -= moved;
                records.rebase(moved as f32);
            }
            records.time = seconds as f32;
        }
    }

    /// Removes dead particles if there are many, and returns the count of the others. If that is above half of a limit,
    /// all dead ones are removed.
    pub(crate) fn remove_some_dead(
        &mut self,
        particles: &AloParticles,
        records: &mut ParticleRecords,
        limit: usize,
    ) -> usize {
        let count = self.remove(particles, records, EmitterRecords::remove_some_dead);
        if count > limit / 2 {
            return self.remove_dead(particles, records);
        }
        count
    }

    /// Removes dead particles, and returns the count of the others.
    pub(crate) fn remove_dead(
        &mut self,
        particles: &AloParticles,
        records: &mut ParticleRecords,
    ) -> usize {
        self.remove(particles, records, EmitterRecords::remove_dead)
    }

    fn remove(
        &mut self,
        particles: &AloParticles,
        records: &mut ParticleRecords,
        remove: fn(&mut EmitterRecords, &PreparedEmitter),
    ) -> usize {
        self.update_times(records);
        let mut count = 0;
        for records in &mut records.emitters {
            if !records.is_empty()
                && let Some(prepared) = particles.prepared_emitter(records.emitter())
            {
                remove(records, prepared);
                count += records.len();
            }
        }
        count
    }

    /// Adds the births that are due. Returns whether some were dropped.
    pub(crate) fn advance(
        &mut self,
        frame: &Frame<'_>,
        records: &mut ParticleRecords,
        births: &mut Vec<NewBirth>,
    ) -> bool {
        let position = frame.surroundings.world_from_system.translation;
        let poses = &Poses::new(frame.particles, frame.surroundings);
        let path = self
            .last
            .and_then(|(from, begin)| Path::new(from, position, [begin, self.clock], poses.scale));
        self.has_strayed |= self.stays_behind && self.has_moved_to(position);
        self.has_strayed |= frame.surroundings.wind != Vec3::ZERO;
        self.born_at = Some(position);
        self.last = Some((position, self.clock));
        births.clear();
        let mut is_limited = false;
        let mut room = frame.room;
        for Started { simulation, begin } in &mut self.simulations {
            let was_limited = simulation.is_limited();
            let mut stage = SystemStage {
                poses,
                path,
                start: *begin,
                mesh: frame.mesh,
                births,
                room,
            };
            simulation.advance(frame.particles.system(), self.clock - *begin, &mut stage);
            room = stage.room;
            is_limited |= simulation.is_limited() && !was_limited;
        }
        self.add_sorted(frame.particles, records, births);
        is_limited
    }

    /// Adds births in the order of their times. Not earlier, because each is written to another line of memory, for which the
    /// computation of the next would wait.
    fn add_sorted(
        &mut self,
        particles: &AloParticles,
        records: &mut ParticleRecords,
        births: &mut [NewBirth],
    ) {
        let order = |a: &NewBirth, b: &NewBirth| {
            let by_emitter = a.emitter.cmp(&b.emitter);
            by_emitter.then(a.born.total_cmp(&b.born))
        };
        if !births.is_sorted_by(|a, b| order(a, b).is_le()) {
            births.sort_by(order);
        }
        for birth in births {
            let index = self.records_of(particles, records, birth);
            let mut target = Target {
                particles,
                records: &mut records.emitters,
                times: &self.times,
                clock: self.clock,
            };
            target.add(index, birth);
        }
    }

    /// The index of the records to which a birth is added. Particles whose clocks freeze at different times are in
    /// different records.
    fn records_of(
        &mut self,
        particles: &AloParticles,
        records: &mut ParticleRecords,
        birth: &NewBirth,
    ) -> usize {
        let own = birth.emitter;
        if birth.frozen == f64::INFINITY {
            return own;
        }
        let begin = self.simulations.last().map_or(0.0, |last| last.begin);
        let is_same = |times: &RecordTimes| (times.frozen - birth.frozen).abs() < 1e-6;
        let mut all = records.emitters.iter().zip(&self.times).enumerate();
        let found = all.find(|(_, (records, times))| {
            records.emitter() == own && (is_same(times) || records.is_empty())
        });
        let index = match found {
            Some((index, _)) => index,
            None => {
                records.emitters.push(EmitterRecords::new(particles, own));
                self.times.push(RecordTimes::NEW);
                self.times.len() - 1
            }
        };
        if let Some(times) = self.times.get_mut(index)
            && !is_same(times)
        {
            *times = RecordTimes {
                epoch: self.clock,
                frozen: birth.frozen,
                begin,
            };
        }
        index
    }
}
