//! The particles of a system instance: birth records in ring buffers.
//!
//! A record never changes after the particle's birth. Everything that is drawn follows from the record and a time: on
//! the CPU through [`EmitterRecords::drawn`], and on the GPU through `particles.wgsl`, which computes the same. So a
//! record need not be uploaded in each frame.
//!
//! Some emitters made of plug-ins have particles that the shader cannot compute. These are [computed](Computed) on the CPU,
//! and uploaded in each frame in which they are visible.
//!
//! # Spaces
//! Records of an emitter that is linked to the system are in the system's space: that of the entity, in the file's
//! units. Records of other emitters are in Bevy's world, so their positions, velocities, accelerations and size factors
//! include the scale of the system at the birth. Records of weather have the axes of the file's world and the file's
//! units, and no origin: each camera draws them in a cube of its own. [`RecordSpace`] has the transforms.

// For maintainers: the simulation decides which particles are born, and where. This module only stores them.

use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::bounds;
use crate::formats::alamo::particles::computed::{Computed, is_computed};
use crate::formats::alamo::particles::drawn::DrawnParticle;
use crate::formats::alamo::particles::evaluate::Draws;
use crate::formats::alamo::particles::evaluate::{
    BirthRecord, EmitterPose, Ground, GroundEffect, PreparedEmitter, Space,
};
use crate::formats::alamo::particles::upload::{Upload, new_generation};
use bevy::camera::visibility::{self, VisibilityClass};
use bevy::math::Affine3A;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::prelude::*;

/// All particles of a system instance. It is on the same entity as the `AloParticleSystem`.
///
/// The entity's `Aabb` culls them. Without an `Aabb` they are always drawn.
#[derive(Component, Debug)]
#[require(Transform, Visibility, VisibilityClass)]
#[component(on_add = visibility::add_visibility_class::<ParticleRecords>)]
#[non_exhaustive]
pub struct ParticleRecords {
    /// The system.
    pub particles: Handle<AloParticles>,
    /// The particles by emitter. The first ones are those of the emitters in file order; more may follow.
    pub emitters: Vec<EmitterRecords>,
    /// Seconds since the system last began. It does not advance while the system is paused, and follows its
    /// [`ParticleSpeed`](crate::alamo::ParticleSpeed).
    pub elapsed: f64,
    /// Multiplies the color. An alpha below 1 also fades particles whose blend mode has no alpha.
    pub tint: LinearRgba,
}

impl ParticleRecords {
    /// No particles, with an [`EmitterRecords`] for each emitter in file order.
    pub fn new(handle: Handle<AloParticles>, particles: &AloParticles) -> Self {
        let emitters = 0..particles.emitters.len();
        Self {
            particles: handle,
            emitters: emitters
                .map(|emitter| EmitterRecords::new(particles, emitter))
                .collect(),
            elapsed: 0.0,
            tint: LinearRgba::WHITE,
        }
    }

    /// The count of living particles of each emitter, in file order. In a culled system it is that of the last frame in
    /// which the system was visible or had births.
    pub fn alive(&self, particles: &AloParticles) -> Vec<usize> {
        let mut counts = vec![0; particles.emitters.len()];
        for records in &self.emitters {
            if let Some(prepared) = particles.prepared_emitter(records.emitter)
                && let Some(count) = counts.get_mut(records.emitter)
            {
                *count += records.alive(prepared);
            }
        }
        counts
    }

    /// Computes the particles that the shader cannot compute, for an entity with this transform to the world. Spawned systems do
    /// that in each frame in which they are visible.
    pub fn compute(&mut self, particles: &AloParticles, world_from_system: &Affine3A) {
        if !world_from_system.is_finite() {
            return;
        }
        for records in &mut self.emitters {
            let Some(prepared) = particles.prepared_emitter(records.emitter) else {
                continue;
            };
            if records.computed.is_some() {
                let space = RecordSpace::new(particles, prepared, *world_from_system);
                let pose = space.pose(space.origin(), Vec3::ZERO, Vec3::ZERO, 0.0);
                records.compute(prepared, &pose);
            }
        }
    }

    /// The bounds of all particles in the space of an entity with this transform to the world; `None` without
    /// particles. They are kept, so a later call only adds the records that are new.
    pub fn bounds(
        &mut self,
        particles: &AloParticles,
        world_from_system: &Affine3A,
    ) -> Option<Aabb3d> {
        let system_from_world = world_from_system.inverse();
        let boxes = self.emitters.iter_mut().filter_map(|records| {
            let prepared = particles.prepared_emitter(records.emitter)?;
            let space = Space::of(prepared);
            if space == Space::Weather {
                // They are around each camera, and so are the bounds of the file.
                return (!records.is_empty()).then_some(particles.bounds);
            }
            let bounds = if prepared.is_stepped() {
                let space = RecordSpace::new(particles, prepared, *world_from_system);
                let reach = &particles.emitters.get(records.emitter)?.reach;
                let records = records.records();
                let scale = space.scale();
                bounds::stepped_bounds(records, prepared, reach, space.origin(), scale)?
            } else {
                records.update_bounds(particles);
                records.bounds.as_ref()?.all?
            };
            if space == Space::System {
                return Some(bounds);
            }
            Some(transformed(&bounds, &system_from_world))
        });
        boxes.reduce(|a, b| a.merge(&b))
    }
}

/// The box around a transformed box.
fn transformed(bounds: &Aabb3d, transform: &Affine3A) -> Aabb3d {
    let center = transform.transform_point3a(bounds.center());
    let half = bounds.half_size();
    let Mat3A {
        x_axis,
        y_axis,
        z_axis,
    } = transform.matrix3;
    let half = x_axis.abs() * half.x + y_axis.abs() * half.y + z_axis.abs() * half.z;
    Aabb3d {
        min: center - half,
        max: center + half,
    }
}

/// The living particles of one emitter of a system instance, in the order of birth: a ring buffer of birth records.
///
/// It holds the particles of all instances of the emitter: of each particle that spawned it. Their times are relative to
/// the same epoch. If the time of one instance stands still while that of others does not, it needs a ring of its own:
/// a [`ParticleRecords`] may have several for an emitter.
#[derive(Debug)]
pub struct EmitterRecords {
    /// Index of the emitter in the file.
    emitter: usize,
    /// The time at which the particles are drawn, in seconds since the epoch. A particle's age is this time minus
    /// [`BirthRecord::birth`]. It stands still while the emitter is paused or frozen.
    ///
    /// Call [`rebase`](Self::rebase) every few minutes, so that ages remain exact in `f32`.
    pub time: f32,
    /// The ground in the space of the records, from which particles bounce. Of the other effects, the records have all
    /// that is drawn.
    pub ground: Ground,
    /// Units of the records per unit of the file: see [`set_scale`](Self::set_scale).
    scale: f32,
    /// The slots of the ring buffer. The record of number n is in slot n modulo the count, which is a power of two.
    slots: Vec<BirthRecord>,
    /// The number of the oldest record that may live.
    first: u64,
    /// The number of the next record.
    next: u64,
    /// Changes each time that records which exist already have to be uploaded again. No two rings ever have the same.
    generation: u64,
    /// Only systems that move need bounds, so they are computed when they are needed.
    bounds: Option<Box<RecordBounds>>,
    /// The particles, if the shader cannot compute them.
    computed: Option<Box<Computed>>,
    /// The number of the next record when dead particles are removed again: see
    /// [`remove_some_dead`](Self::remove_some_dead).
    removal: u64,
    /// The greatest count of records since `peak_begin`, the number of the next record at that time.
    peak: usize,
    peak_begin: u64,
}

/// The bounds of the records of an emitter.
#[derive(Clone, Copy, Debug, Default)]
struct RecordBounds {
    /// Contains all records up to `end`, and perhaps some earlier ones.
    all: Option<Aabb3d>,
    /// The number of the first record that the bounds may lack.
    end: u64,
    /// The ground of the bounds.
    ground: Ground,
    /// The count of records that were added since the bounds were last computed from all records.
    added: usize,
}

/// Dead particles are removed after as many births as this share of the particles: 1/16.
const KEPT_DEAD: u64 = 16;

/// The least count of slots of a ring buffer with records.
const MIN_SLOTS: usize = 8;

impl EmitterRecords {
    /// No particles of the emitter with this index, at time 0.
    pub fn new(particles: &AloParticles, emitter: usize) -> Self {
        let prepared = particles.prepared_emitter(emitter);
        Self {
            emitter,
            computed: prepared.is_some_and(is_computed).then(Box::default),
            time: 0.0,
            ground: Ground::default(),
            scale: 1.0,
            slots: Vec::new(),
            first: 0,
            next: 0,
            generation: new_generation(),
            bounds: None,
            removal: 0,
            peak: 0,
            peak_begin: 0,
        }
    }

    /// Units of the records per unit of the file.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Sets the [`scale`](Self::scale) of the records that are added from now on, and of their tails: that of
    /// [`RecordSpace::scale`]. 1 by default.
    pub fn set_scale(&mut self, particles: &AloParticles, scale: f32) {
        if self.scale != scale {
            // The bounds of earlier records depend on the earlier scale.
            self.update_bounds(particles);
            self.scale = scale;
        }
    }

    /// Index of the emitter in the file.
    pub fn emitter(&self) -> usize {
        self.emitter
    }

    /// The count of records, of which some may be dead: see [`remove_dead`](Self::remove_dead).
    pub fn len(&self) -> usize {
        (self.next - self.first) as usize
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.first == self.next
    }

    /// The count of slots: a power of two, or 0.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// Adds a particle. Particles must be added in the order of their births. The random numbers are those of
    /// [`Birth::draws`](crate::alamo::particles::evaluate::Birth::draws).
    ///
    /// If all slots are in use, their count is doubled, and all records are uploaded again. The count shrinks if, for as many
    /// births as there are slots, at most a quarter was in use.
    #[inline]
    pub fn push(&mut self, record: BirthRecord, draws: Draws) {
        if let Some(computed) = &mut self.computed {
            computed.push(self.first..self.next, &record, draws);
        }
        let count = self.len() + 1;
        self.peak = self.peak.max(count);
        let slots = self.slots.len();
        if count > slots {
            self.resize(count);
        } else if self.next - self.peak_begin >= slots as u64 {
            if slots > MIN_SLOTS && 4 * self.peak <= slots {
                self.resize(2 * self.peak);
            }
            (self.peak, self.peak_begin) = (count, self.next);
        }
        let ground = record.ground.min(f32::MAX);
        let record = BirthRecord { ground, ..record };
        let slot = self.slot(self.next);
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = record;
        }
        self.next += 1;
    }

    /// Makes room for this count of records without growing again.
    pub fn reserve(&mut self, count: usize) {
        if count > self.slots.len() {
            self.resize(count);
        }
    }

    /// Removes all records. The slots are kept for later ones.
    pub fn clear(&mut self) {
        self.first = self.next;
        self.removal = self.next;
        if let Some(bounds) = &mut self.bounds {
            **bounds = RecordBounds::default();
        }
    }

    /// Removes all records and slots.
    pub fn free(&mut self) {
        self.clear();
        if let Some(computed) = &mut self.computed {
            **computed = Computed::default();
        }
        self.slots = Vec::new();
        self.peak = 0;
    }

    /// Removes dead particles, from the oldest record to the first that lives. Others in between stay, and are not
    /// drawn.
    pub fn remove_dead(&mut self, prepared: &PreparedEmitter) {
        while let Some(oldest) = self.record(self.first) {
            if prepared.is_alive(oldest, self.age(oldest)) || self.age(oldest) < 0.0 {
                self.removal = self.next + self.len() as u64 / KEPT_DEAD;
                return;
            }
            self.first += 1;
        }
        self.clear();
    }

    /// Removes dead particles as [`remove_dead`](Self::remove_dead), if enough were born since the last time. Reading old
    /// records in each frame would be slow, because they are not in the processor's cache.
    pub(crate) fn remove_some_dead(&mut self, prepared: &PreparedEmitter) {
        if self.next >= self.removal || self.len() == self.slots.len() {
            self.remove_dead(prepared);
        }
    }

    /// Moves the epoch forward by a time in seconds: all births and the present time become earlier. All records are
    /// uploaded again.
    pub fn rebase(&mut self, seconds: f32) {
        self.time -= seconds;
        for record in &mut self.slots {
            record.birth -= seconds;
        }
        self.generation = new_generation();
    }

    /// All records in the order of birth, also of dead particles that were not removed yet.
    pub fn records(&self) -> impl Iterator<Item = &BirthRecord> {
        (self.first..self.next).filter_map(|number| self.record(number))
    }

    /// The age of a particle at the present time, in seconds. `f64`, as [`PreparedEmitter::is_alive`] expects it.
    pub fn age(&self, record: &BirthRecord) -> f64 {
        f64::from(self.time) - f64::from(record.birth)
    }

    /// The count of living particles at the present time: that of [`drawn`](Self::drawn).
    pub fn alive(&self, prepared: &PreparedEmitter) -> usize {
        let is_alive = |record: &&BirthRecord| prepared.is_alive(record, self.age(record));
        self.records().filter(is_alive).count()
    }

    /// The living particles at the present time, in the order in which they are drawn: the specification of
    /// `particles.wgsl`. Weather is in a cube around the origin: see [`drawn_around`](Self::drawn_around). Motions without a
    /// closed form are around the system where it was when they were [computed](ParticleRecords::compute).
    pub fn drawn(&self, prepared: &PreparedEmitter) -> impl Iterator<Item = DrawnParticle> {
        self.drawn_around(Vec3::ZERO, prepared)
    }

    /// As [`drawn`](Self::drawn), with weather in a cube around a point in the space of the records: that of a camera is
    /// [`RecordSpace::weather_center`].
    pub fn drawn_around(
        &self,
        center: Vec3,
        prepared: &PreparedEmitter,
    ) -> impl Iterator<Item = DrawnParticle> {
        (self.first..self.next).filter_map(move |number| {
            let record = self.record(number)?;
            let age = self.age(record);
            let age = prepared.is_alive(record, age).then_some(age as f32)?;
            if let Some(computed) = &self.computed {
                return computed.drawn(prepared, number, record, age);
            }
            // Nothing that the shader computes needs random numbers.
            let draws = Draws::default();
            Some(DrawnParticle {
                age,
                motion: prepared.motion_around(center.into(), record, &self.ground, age),
                appearance: prepared.appearance(record, age),
                texture_part: prepared.texture_part(record, draws, age),
                aspect: prepared.aspect(draws),
            })
        })
    }

    /// Computes the living particles. `system` is the pose of the system in the space of the records.
    fn compute(&mut self, prepared: &PreparedEmitter, system: &EmitterPose) {
        let Some(mut computed) = self.computed.take() else {
            return;
        };
        let pose = EmitterPose {
            ground: self.ground,
            ..*system
        };
        computed.begin(prepared, pose, self.first, self.slots.len());
        for number in self.first..self.next {
            if let Some(record) = self.record(number) {
                let age = self.age(record);
                if prepared.is_alive(record, age) {
                    computed.compute(prepared, number, record, age as f32);
                }
            }
        }
        self.computed = Some(computed);
    }

    fn slot(&self, number: u64) -> usize {
        (number & (self.slots.len() as u64).wrapping_sub(1)) as usize
    }

    fn record(&self, number: u64) -> Option<&BirthRecord> {
        let exists = number >= self.first && number < self.next;
        self.slots.get(self.slot(number)).filter(|_| exists)
    }

    /// Sets the count of slots to the power of two that holds `count` records.
    fn resize(&mut self, count: usize) {
        let mut slots = vec![BirthRecord::default(); count.next_power_of_two().max(MIN_SLOTS)];
        let mask = slots.len() as u64 - 1;
        for number in self.first..self.next {
            let slot = slots.get_mut((number & mask) as usize);
            if let (Some(slot), Some(record)) = (slot, self.record(number)) {
                *slot = *record;
            }
        }
        self.slots = slots;
        self.peak_begin = self.next;
        self.generation = new_generation();
    }

    /// Adds the records to the bounds that they lack.
    fn update_bounds(&mut self, particles: &AloParticles) {
        let known = self.bounds.as_deref().copied().unwrap_or_default();
        let begin = known.end.clamp(self.first, self.next);
        let missing = (self.next - begin) as usize;
        let (Some(info), Some(prepared)) = (
            particles.emitters.get(self.emitter),
            particles.prepared_emitter(self.emitter),
        ) else {
            return;
        };
        let effect = prepared.ground;
        // All particles that bounce have the ground of the latest births.
        let is_moved = known.ground != self.ground && matches!(effect, GroundEffect::Bounce { .. });
        if missing == 0 && !is_moved {
            return;
        }
        let added = known.added + missing;
        // Without this, the bounds of a moving system would contain its whole path.
        let (begin, before, added) = if is_moved || added > 2 * self.len() {
            (self.first, None, 0)
        } else {
            (begin, known.all, added)
        };
        let records = (begin..self.next).filter_map(|number| self.record(number));
        let boxes = records.map(|record| {
            bounds::record_bounds(record, effect, &self.ground, &info.reach, self.scale)
        });
        let bounds = RecordBounds {
            all: before.into_iter().chain(boxes).reduce(|a, b| a.merge(&b)),
            end: self.next,
            ground: self.ground,
            added,
        };
        **self.bounds.get_or_insert_default() = bounds;
    }
}

/// The transforms of a system instance, for births.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordSpace {
    space: Space,
    /// The system's transform to Bevy's world.
    world_from_system: Affine3A,
    /// The rotation from the file's world to Bevy's: [`AloParticles::world_rotation`].
    world_rotation: Quat,
}

impl RecordSpace {
    /// The space of the records of an emitter.
    pub fn new(
        particles: &AloParticles,
        prepared: &PreparedEmitter,
        world_from_system: Affine3A,
    ) -> Self {
        Self::of_emitters(
            Space::of(prepared),
            particles.world_rotation,
            world_from_system,
        )
    }

    /// The space of the records of all emitters with this space.
    pub(crate) fn of_emitters(
        space: Space,
        world_rotation: Quat,
        world_from_system: Affine3A,
    ) -> Self {
        Self {
            space,
            world_from_system,
            world_rotation,
        }
    }

    /// The units of records per unit of the file. The size factor of each record must be multiplied by it: see
    /// [`scaled`](Self::scaled).
    pub fn scale(&self) -> f32 {
        match self.space {
            Space::System | Space::Weather => 1.0,
            Space::World => uniform_scale(&self.world_from_system),
        }
    }

    /// A record of [`PreparedEmitter::birth`] as it is stored.
    pub fn scaled(&self, record: BirthRecord) -> BirthRecord {
        BirthRecord {
            size: record.size * self.scale(),
            ..record
        }
    }

    /// The transform of the records to Bevy's world. That of weather has no translation.
    pub fn world_from_records(&self) -> Affine3A {
        match self.space {
            Space::System => self.world_from_system,
            Space::World => Affine3A::IDENTITY,
            Space::Weather => {
                let scale = Vec3::splat(uniform_scale(&self.world_from_system));
                Affine3A::from_scale_rotation_translation(scale, self.world_rotation, Vec3::ZERO)
            }
        }
    }

    /// The center of the weather of a camera with this transform to Bevy's world, in the space of the records.
    pub fn weather_center(&self, prepared: &PreparedEmitter, world_from_camera: &Affine3A) -> Vec3 {
        let units = self.units();
        let view = world_from_camera.matrix3.z_axis.normalize_or_zero();
        let distance = prepared.weather_distance * units;
        let center = world_from_camera.translation - view * distance;
        self.world_rotation.inverse() * Vec3::from(center) / units
    }

    /// The pose of an emitter at a birth.
    ///
    /// `position` is the emitter's, in the space of the records: see [`origin`](Self::origin) for roots. `velocity` is
    /// likewise. `wind` is in Bevy's world, in its units per second. The ground is the plane with this height in Bevy's
    /// world, along the file's up.
    pub fn pose(&self, position: Vec3, velocity: Vec3, wind: Vec3, ground: f32) -> EmitterPose {
        let (orientation, world, wind) = match self.space {
            Space::System => {
                let records_from_world = self.rotation().transpose();
                (
                    Mat3::IDENTITY,
                    records_from_world * Mat3::from_quat(self.world_rotation),
                    records_from_world * wind / self.units(),
                )
            }
            Space::World => (
                Mat3::from(self.world_from_system.matrix3),
                Mat3::from_quat(self.world_rotation) * self.scale(),
                wind,
            ),
            Space::Weather => {
                let records_from_world = Mat3::from_quat(self.world_rotation.inverse());
                (
                    records_from_world * self.rotation(),
                    Mat3::IDENTITY,
                    records_from_world * wind / self.units(),
                )
            }
        };
        EmitterPose {
            position: position.to_array(),
            orientation: orientation.to_cols_array_2d(),
            world: world.to_cols_array_2d(),
            velocity: velocity.to_array(),
            wind: wind.to_array(),
            ground: self.ground(ground),
        }
    }

    /// The position of the system in the space of the records.
    pub fn origin(&self) -> Vec3 {
        match self.space {
            Space::System | Space::Weather => Vec3::ZERO,
            Space::World => self.world_from_system.translation.into(),
        }
    }

    /// The ground in the space of the records: the plane with this height in Bevy's world, along the file's up. Weather
    /// has none.
    pub fn ground(&self, height: f32) -> Ground {
        let up = self.world_rotation * Vec3::Z;
        match self.space {
            Space::System => {
                let origin = Vec3A::from(up).dot(self.world_from_system.translation);
                Ground {
                    up: (self.rotation().transpose() * up).to_array(),
                    height: (height - origin) / self.units(),
                }
            }
            Space::World => Ground {
                up: up.to_array(),
                height,
            },
            Space::Weather => Ground::default(),
        }
    }

    /// Units of the world per unit of the file, never 0.
    fn units(&self) -> f32 {
        uniform_scale(&self.world_from_system).max(f32::MIN_POSITIVE)
    }

    /// The rotation of the system to Bevy's world.
    fn rotation(&self) -> Mat3 {
        let (_, rotation, _) = self.world_from_system.to_scale_rotation_translation();
        if rotation.is_finite() && rotation.is_normalized() {
            Mat3::from_quat(rotation)
        } else {
            Mat3::IDENTITY
        }
    }
}

/// The factor of lengths: the smallest of the three axes, if they differ.
pub(crate) fn uniform_scale(transform: &Affine3A) -> f32 {
    let Mat3A {
        x_axis,
        y_axis,
        z_axis,
    } = transform.matrix3;
    let squared = x_axis.length_squared().min(y_axis.length_squared());
    squared.min(z_axis.length_squared()).sqrt()
}

impl EmitterRecords {
    /// The ring buffer, for uploads.
    pub(crate) fn upload(&self) -> Upload<'_> {
        if let Some(computed) = &self.computed {
            return computed.upload();
        }
        Upload {
            first: self.first,
            next: self.next,
            generation: self.generation,
            slots: &self.slots,
        }
    }
}
