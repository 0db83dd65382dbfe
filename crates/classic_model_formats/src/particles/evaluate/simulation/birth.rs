//! A particle at its birth: its record, and the pose of its emitter.

use super::instance::{Anchor, Carrier, Instance};
use super::stage::{Space, Stage};
use super::step::{Step, Visited};
use crate::particles::evaluate::emitter::Source;
use crate::particles::evaluate::mesh::EmitMode;
use crate::particles::evaluate::motion::Motion;
use crate::particles::evaluate::pose::EmitterPose;
use crate::particles::evaluate::random::{Draws, ParticleNumber};
use crate::particles::evaluate::system::Node;

impl<S: Stage> Step<'_, S> {
    /// A particle of an instance whose clock is `clock`.
    pub(super) fn particle(
        &self,
        instance: &Instance,
        node: &Node,
        number: ParticleNumber,
        clock: f64,
    ) -> Visited {
        let emitter = &node.emitter;
        let round_time = emitter.schedule.round_time(number.round);
        let born = instance.created + round_time - emitter.schedule.skip();
        let draws = Draws::new(instance.key, number);
        let birth = |[pose, system]: [&EmitterPose; 2], source| Visited {
            number,
            born,
            age: clock - round_time,
            draws,
            record: emitter.birth_in(draws, [pose, system], source, born as f32),
            ground: pose.ground,
        };
        self.with_pose(instance, node, (draws, number.index), born, birth)
    }

    /// Calls a function with the poses of an emitter and of the system at a birth, and where the particle is born.
    ///
    /// Returning the pose would copy it several times, which takes as long as a birth.
    #[inline]
    fn with_pose(
        &self,
        instance: &Instance,
        node: &Node,
        (draws, index): (Draws, u32),
        born: f64,
        birth: impl Fn([&EmitterPose; 2], Source) -> Visited,
    ) -> Visited {
        let emitter = &node.emitter;
        let space = Space::of(emitter);
        let time = born.max(instance.created);
        let source = match emitter.emit_mode {
            EmitMode::Group => Source::Group,
            _ => self.stage.source_without_mesh(),
        };
        let motion = match &instance.anchor {
            Anchor::System => {
                let mesh = self.stage.mesh();
                let point = mesh.and_then(|mesh| mesh.point(emitter.emit_mode, draws, index));
                return match point {
                    Some(point) => {
                        let mesh = self.stage.mesh_pose(space, time);
                        let pose = point.pose(&mesh, emitter.emit_offset);
                        birth([&pose, &self.stage.pose(space, time)], Source::Point)
                    }
                    None => birth([&self.stage.pose(space, time); 2], source),
                };
            }
            Anchor::Fixed(motion) => *motion,
            Anchor::Particle(carrier) => self.carried(carrier, space, time),
        };
        let system = self.stage.pose(space, time);
        let pose = EmitterPose {
            position: motion.position,
            velocity: motion.velocity,
            ..system
        };
        birth([&pose, &system], source)
    }

    /// The motion of a particle at an age, in its own space. `time` is that of the age.
    pub(super) fn motion(&self, node: &Node, carrier: &Carrier, age: f64, time: f64) -> Motion {
        let Carrier { record, ground, .. } = carrier;
        if !node.emitter.is_stepped() {
            return node.emitter.motion(record, ground, age as f32);
        }
        let system = EmitterPose {
            ground: *ground,
            ..self.stage.pose(Space::of(&node.emitter), time)
        };
        node.emitter.motion_in(&system, record, age as f32)
    }

    /// The motion of a particle at a time, in a space.
    fn carried(&self, carrier: &Carrier, space: Space, time: f64) -> Motion {
        let Some(node) = self.system.node(carrier.node) else {
            return Motion::default();
        };
        let since = time - carrier.born;
        let age = since.clamp(0.0, carrier.frozen_age.max(0.0));
        let motion = self.motion(node, carrier, age, time);
        let own = Space::of(&node.emitter);
        let mut motion = match own == space {
            true => motion,
            false => self.stage.transfer(motion, own, space, time),
        };
        if since > carrier.frozen_age {
            motion.velocity = [0.0; 3];
        }
        motion
    }
}
