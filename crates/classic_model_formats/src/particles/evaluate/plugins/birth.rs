//! Births, motion and appearance of particles whose emitter is made of plug-ins.

use super::creators::Alignment;
use super::forces::{SteppedMotion, steps_of};
use super::modifiers::StartAngle;
use super::texture::Texture;
use super::values::{PluginValues, Region};
use crate::particles::evaluate::emitter::{Appearance, PreparedEmitter, Source};
use crate::particles::evaluate::ground::{Bounces, Fall, Ground, GroundEffect};
use crate::particles::evaluate::motion::{BirthRecord, Motion, stored_color};
use crate::particles::evaluate::pose::EmitterPose;
use crate::particles::evaluate::random::{Draws, Purpose};
use crate::particles::evaluate::vector::{add, aligned, direction, dot, scaled, transform};

impl PreparedEmitter {
    /// The emitter with what the first format cannot store. A particle dies at the end of its region as at the ground, so
    /// the motion has bounces of its own.
    pub(super) fn with_plugins(mut self, mut values: PluginValues) -> Self {
        if values.region != Region::All {
            if let GroundEffect::Bounce { bounciness } = self.ground {
                values.modified.path.bounce = Some(bounciness);
            }
            self.ground = GroundEffect::Die;
            self.bounces = Bounces::new(self.ground);
        }
        self.plugins = Some(Box::new(values));
        self
    }

    /// Whether the motion is simulated with a fixed step, because no closed form is known.
    /// [`BirthRecord::flight`] and [`passage`](crate::particles::evaluate::ground::passage) do not apply then.
    pub fn is_stepped(&self) -> bool {
        let plugins = self.plugins.as_ref();
        plugins.is_some_and(|plugins| plugins.modified.path.is_stepped())
    }

    /// The most steps of a particle's motion: 0 for a closed form.
    pub(in crate::particles::evaluate) fn steps_of_motion(&self) -> u64 {
        self.steps_if(self.is_stepped())
    }

    /// The most steps of a birth: 0 if the end of the region is not searched.
    pub(in crate::particles::evaluate) fn steps_of_birth(&self) -> u64 {
        let plugins = self.plugins.as_ref();
        let has_region = plugins.is_some_and(|plugins| plugins.region != Region::All);
        self.steps_if(has_region || self.is_stepped() && self.ground == GroundEffect::Die)
    }

    fn steps_if(&self, is_stepped: bool) -> u64 {
        match is_stepped {
            true => steps_of(self.schedule.lifetime() as f32),
            false => 0,
        }
    }

    /// As [`birth`](Self::birth), for an emitter made of plug-ins. `system` is the pose of the system in the space of the
    /// record, and `pose` that of the emitter.
    pub(in crate::particles::evaluate) fn plugin_birth(
        &self,
        plugins: &PluginValues,
        draws: Draws,
        [pose, system]: [&EmitterPose; 2],
        source: Source,
        birth: f32,
    ) -> BirthRecord {
        let PluginValues {
            creator, modified, ..
        } = plugins;
        let local = match source {
            Source::Group => creator.position.sample(draws, Purpose::PluginPosition),
            Source::Point => [0.0; 3],
        };
        let is_on_mesh = source == Source::Point;
        let scale = system.scale();
        let along = |velocity| aligned(direction(velocity)).map(|axis| scaled(axis, scale));
        let columns = |is_local, alignment| match (alignment, is_local) {
            (Alignment::Forward, _) => along(pose.velocity),
            (Alignment::Reverse, _) => along(scaled(pose.velocity, -1.0)),
            (Alignment::None, _) if is_on_mesh && creator.is_aligned_to_normal => pose.orientation,
            (Alignment::None, true) => system.orientation,
            (Alignment::None, false) => system.world,
        };
        let offset = transform(
            columns(creator.is_position_local, creator.position_alignment),
            local,
        );
        let [slow, fast] = creator.outward_speed;
        let outward = scaled(
            direction(offset),
            scale * draws.between(Purpose::OutwardSpeed, 0, slow, fast),
        );
        let own = creator.velocity.sample(draws, Purpose::PluginVelocity);
        let turned = columns(creator.is_velocity_local, creator.velocity_alignment);
        let mut velocity = add(transform(turned, own), outward);
        let [share, max] = creator.inherited_velocity;
        if share != 0.0 {
            let speed = dot(pose.velocity, pose.velocity).sqrt() as f32;
            let inherited = scaled(direction(pose.velocity), (speed * share).min(scale * max));
            velocity = add(velocity, inherited);
        }
        let acceleration = add(
            self.acceleration(system, [0.0; 3]),
            scaled(system.wind, modified.wind_response),
        );
        let drawn = self.drawn_values(draws);
        let mut record = BirthRecord {
            position: add(pose.position, offset),
            birth,
            velocity,
            acceleration,
            life: drawn.life,
            size: drawn.size,
            color: self.added_color(plugins, draws),
            rotation: drawn.rotation,
            ground: f32::INFINITY,
        };
        record.ground = self.end_of_region(plugins, &record, system);
        record
    }

    /// [`BirthRecord::ground`]: the age at which a particle passes below the ground or leaves its region.
    fn end_of_region(
        &self,
        plugins: &PluginValues,
        record: &BirthRecord,
        system: &EmitterPose,
    ) -> f32 {
        let path = &plugins.modified.path;
        let scale = f64::from(system.scale());
        let distance = |position| {
            let from_center = add(position, scaled(system.position, -1.0));
            dot(from_center, from_center).sqrt()
        };
        match plugins.region {
            Region::Inside(radius) => path.first_exit(record, system, |position| {
                scale * f64::from(radius) - distance(position)
            }),
            Region::Outside(radius) => path.first_exit(record, system, |position| {
                distance(position) - scale * f64::from(radius)
            }),
            Region::All if path.is_stepped() && self.ground == GroundEffect::Die => {
                let Ground { up, height } = system.ground;
                path.first_exit(record, system, |position| {
                    dot(position, up) - f64::from(height)
                })
            }
            Region::All if self.ground == GroundEffect::None || path.is_stepped() => f32::INFINITY,
            Region::All => {
                let begin = [record.position, record.velocity, record.acceleration];
                Fall::new(begin, &system.ground).passage(self.ground)
            }
        }
    }

    /// [`BirthRecord::color`].
    fn added_color(&self, plugins: &PluginValues, draws: Draws) -> [i16; 4] {
        let ranges = plugins.modified.added_color;
        let between =
            |channel: u8, [min, max]: [f32; 2]| draws.between(Purpose::Color, channel, min, max);
        let [red, green, blue, alpha] = ranges;
        stored_color(if self.is_random_color_gray {
            [between(0, red); 4]
        } else {
            [
                between(0, red),
                between(1, green),
                between(2, blue),
                between(3, alpha),
            ]
        })
    }

    /// Position and velocity of a particle at an age in seconds. `system` is the pose of the system in the space of the
    /// record: its ground is that of the birth, and a stepped motion is as if the system had always been there.
    pub fn motion_in(&self, system: &EmitterPose, record: &BirthRecord, age: f32) -> Motion {
        match &self.plugins {
            Some(plugins) if plugins.modified.path.is_stepped() => {
                plugins.modified.path.motion(record, system, age)
            }
            _ => self.closed_motion([0.0; 3], record, &system.ground, age),
        }
    }

    /// As [`motion_in`](Self::motion_in), continued from the last age of the same particle. In another pose of the system, it
    /// needs a new [`SteppedMotion`], unless the motion is the [same](Self::is_motion_same).
    pub fn continued_motion(
        &self,
        state: &mut SteppedMotion,
        system: &EmitterPose,
        record: &BirthRecord,
        age: f32,
    ) -> Motion {
        match &self.plugins {
            Some(plugins) if plugins.modified.path.is_stepped() => {
                plugins.modified.path.continued(state, record, system, age)
            }
            _ => self.closed_motion([0.0; 3], record, &system.ground, age),
        }
    }

    /// Whether motions are the same in two poses of the system.
    pub fn is_motion_same(&self, poses: [&EmitterPose; 2]) -> bool {
        let plugins = self.plugins.as_ref();
        plugins.is_none_or(|plugins| plugins.modified.path.is_same_in(poses))
    }

    /// Upper bounds of the distance from the system and of the speed during the life of a particle with a
    /// [stepped](Self::is_stepped) motion: from its distance, its speed and its constant acceleration at its birth. Infinite
    /// if there is no bound; `None` for a closed form. `scale` is units of these numbers per unit of the file.
    pub fn limits_of_motion(&self, birth: [f32; 3], scale: f32) -> Option<[f32; 2]> {
        let path = &self.plugins.as_ref()?.modified.path;
        path.is_stepped()
            .then(|| path.limits(birth, scale, self.schedule.lifetime()))
    }

    /// Whether the appearance follows from the record alone, as for emitters of the first format: the angle does not need the
    /// particle's random numbers, and the texture is drawn as a whole or by tiles.
    pub fn has_plain_appearance(&self) -> bool {
        self.plugins.as_ref().is_none_or(|plugins| {
            let modified = &plugins.modified;
            let has_plain_angle =
                modified.angle.is_none() && modified.start == StartAngle::default();
            has_plain_angle && modified.texture == Texture::default() && plugins.aspect == [1.0; 2]
        })
    }

    /// As [`appearance`](Self::appearance), with the random numbers of the particle: emitters made of plug-ins may have
    /// random angles that the record does not have.
    pub fn appearance_of(&self, record: &BirthRecord, draws: Draws, age: f32) -> Appearance {
        let mut appearance = self.appearance(record, age);
        let Some(plugins) = &self.plugins else {
            return appearance;
        };
        let modified = &plugins.modified;
        if let Some(angle) = &modified.angle {
            appearance.turns = record.rotation * angle.value(age / record.life);
        }
        let start = &modified.start;
        let variation = draws.between(Purpose::Angle, 0, -start.variation, start.variation);
        let is_negative = start.is_reversed && draws.unit(Purpose::StartDirection, 0) < 0.5;
        let sign = if is_negative { -1.0 } else { 1.0 };
        let turns = appearance.turns + sign * (start.angle + variation);
        appearance.turns = turns.clamp(f32::MIN, f32::MAX);
        appearance
    }

    /// The part of the texture that a particle has at an age in seconds: left, top, width and height, as shares of the
    /// texture. Left and top may be greater than 1, because textures repeat.
    pub fn texture_part(&self, record: &BirthRecord, draws: Draws, age: f32) -> [f32; 4] {
        match &self.plugins {
            Some(plugins) => plugins.modified.texture.part(draws, age / record.life),
            None => {
                let side = self.tiles_per_side;
                let tile = self.appearance(record, age).tile;
                let size = 1.0 / side as f32;
                let [column, row] = [tile % side, tile / side].map(|it| it as f32);
                [column * size, row * size, size, size]
            }
        }
    }

    /// Width of a particle's quad divided by its height.
    pub fn aspect(&self, draws: Draws) -> f32 {
        self.plugins.as_ref().map_or(1.0, |plugins| {
            let [min, max] = plugins.aspect;
            draws.between(Purpose::Aspect, 0, min, max)
        })
    }
}
