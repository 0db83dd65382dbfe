//! The particles of weather in a step: those that are born and reborn.

use super::instance::{Instance, ROUNDING};
use super::stage::{Birth, Space, Stage};
use super::step::Step;
use crate::particles::evaluate::pose::EmitterPose;
use crate::particles::evaluate::schedule::MAX_ALIVE;
use crate::particles::evaluate::system::Node;

impl<S: Stage> Step<'_, S> {
    /// Counts a particle of weather. Returns false if it is one too many.
    fn has_room_for_weather(&mut self) -> bool {
        let simulation = &mut *self.simulation;
        let has_room = simulation.weather_particles < MAX_ALIVE;
        simulation.weather_particles += u64::from(has_room);
        simulation.is_limited |= !has_room;
        has_room
    }

    /// Visits the particles of weather that are born or reborn.
    pub(super) fn emit_weather(&mut self, instance: &mut Instance, node: &Node) {
        let Some(mut weather) = instance.weather.take() else {
            return;
        };
        weather.fill(&node.emitter, || self.has_room_for_weather());
        let schedule = &node.emitter.schedule;
        let elapsed = schedule.clock(self.now - instance.created) - schedule.skip();
        let freeze = schedule.freeze();
        let frozen = freeze.map_or(f64::INFINITY, |freeze| freeze - schedule.skip());
        let stopped = instance.emission.stopped;
        let pose = EmitterPose {
            velocity: [0.0; 3],
            ..self.stage.pose(Space::of(&node.emitter), self.now)
        };
        for life in weather.take_current(elapsed, stopped) {
            if !self.has_room_for(1) {
                break;
            }
            let born = instance.created + life.begin;
            let draws = weather.draws(&life);
            let record = weather.record(&node.emitter, &life, &pose, born as f32);
            let duration = f64::from(record.life);
            let frozen_age = frozen - life.begin;
            let birth = Birth {
                index: instance.node,
                emitter: &node.emitter,
                born,
                draws,
                // Rounding could put it just outside its life.
                age: (elapsed - life.begin).clamp(0.0, duration),
                record,
                ground: pose.ground,
                death: match frozen_age < duration {
                    true => f64::INFINITY,
                    false => born + duration,
                },
                frozen_age,
            };
            self.pass(&birth);
        }
        let next = weather.next_birth();
        instance.next = match next < stopped && next <= frozen {
            true => instance.created + next - ROUNDING,
            false => f64::INFINITY,
        };
        instance.weather = Some(weather);
    }
}
