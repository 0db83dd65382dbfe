//! The creators of emitters: when particles are born, where, and how fast.
//!
//! Source of the formulas: GlyphXTools' alo-viewer. It emits one more round, at the stop time or after it.

use super::distribution::Distribution;
use crate::particles::evaluate::schedule::{Interval, Rounds};
use crate::particles::file::Emitter;
use crate::particles::plugins::{Plugin, PropertyGroup};

/// What a creator sets, beside the values of the first format.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Creator {
    pub(super) position: Distribution,
    pub(super) velocity: Distribution,
    /// The range of speeds away from the center, which are added.
    pub(super) outward_speed: [f32; 2],
    /// Whether positions turn with the emitter.
    pub(super) is_position_local: bool,
    /// Whether velocities turn with the emitter.
    pub(super) is_velocity_local: bool,
    /// How positions and velocities are turned to the velocity of the particle that the emitter is attached to.
    pub(super) position_alignment: Alignment,
    pub(super) velocity_alignment: Alignment,
    /// Share of the velocity of the emitter, and the greatest speed of that.
    pub(super) inherited_velocity: [f32; 2],
    /// Whether velocities turn with the normal of the mesh.
    pub(super) is_aligned_to_normal: bool,
}

/// Where +Z points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Alignment {
    /// As for the emitter.
    #[default]
    None,
    /// Along the velocity.
    Forward,
    /// Against it.
    Reverse,
}

impl Alignment {
    fn new(value: i32) -> Self {
        match value {
            1 => Self::Forward,
            2 => Self::Reverse,
            _ => Self::None,
        }
    }
}

/// Sets the values of an emitter, and returns the others with the rounds of births.
pub(super) fn apply(it: &Plugin<'_>, emitter: &mut Emitter<'_>) -> (Creator, Rounds) {
    let properties = &mut emitter.properties;
    properties.skip_time = it.number("pre_simulate_seconds").max(0.0);
    properties.initial_delay = it.number("start_delay").max(0.0);
    let mut creator = Creator {
        is_position_local: true,
        is_velocity_local: true,
        is_aligned_to_normal: true,
        ..Creator::default()
    };
    let rounds = match it.name() {
        "point" | "trail" | "sphere" | "box" | "torus" | "mesh" => {
            set_early(it, emitter, &mut creator);
            early_rounds(it)
        }
        "shape"
        | "aligned_shape"
        | "outward_velocity_shape"
        | "enhanced_trail"
        | "enhanced_mesh" => {
            set_shape(it, emitter, &mut creator);
            rounds(it)
        }
        "death" => {
            set_shape(it, emitter, &mut creator);
            Rounds {
                interval: Interval::Once,
                per_round: it.number("particles_per_interval") as u32,
                stop: None,
            }
        }
        _ => Rounds::NONE,
    };
    (creator, rounds)
}

/// The rounds of the creators with a rate: more than one particle only if the threshold is not less than the rate.
fn early_rounds(it: &Plugin<'_>) -> Rounds {
    let (rate, threshold) = (
        it.number("particles_per_second"),
        it.number("burst_threshold"),
    );
    let per_round = match rate > 0.0 && threshold >= rate {
        true => (rate * threshold) as u32,
        false => 1,
    };
    Rounds {
        interval: Interval::of_rate(f64::from(rate) / f64::from(threshold.max(1.0))),
        per_round,
        stop: None,
    }
}

fn rounds(it: &Plugin<'_>) -> Rounds {
    let (particles, interval) = (
        it.number("particles_per_interval"),
        it.number("spawn_interval"),
    );
    let stop = it.number("stop_time");
    let (interval, per_round) = match it.flag("bursting") {
        true => (Interval::of_seconds(interval), particles as u32),
        false => {
            let rate = f64::from(particles) / f64::from(interval);
            (Interval::of_rate(rate), 1)
        }
    };
    Rounds {
        interval,
        per_round,
        stop: (stop != 0.0).then_some(stop.into()),
    }
}

/// The creators of the first kind: a shape, and a speed away from its center.
fn set_early(it: &Plugin<'_>, emitter: &mut Emitter<'_>, creator: &mut Creator) {
    let (speed, variation) = (it.number("speed"), it.number("speed_variation") / 100.0);
    let speeds = [1.0 - variation, 1.0 + variation].map(|factor| speed * factor);
    // They do not turn with the emitter, except on a mesh.
    creator.is_position_local = false;
    creator.is_velocity_local = false;
    let group = |group: PropertyGroup| Distribution {
        group,
        is_hollow: false,
    };
    match it.name() {
        "sphere" => creator.position = Distribution::sphere([it.number("radius"); 2], true),
        "box" => {
            let half = ["length", "width", "height"].map(|name| 0.5 * it.number(name));
            creator.position = group(PropertyGroup {
                shape: 3,
                min: half.map(|it| -it),
                max: half,
                ..PropertyGroup::default()
            });
        }
        "torus" => {
            creator.position = group(PropertyGroup {
                shape: 6,
                torus_radius: it.number("torus_radius"),
                tube_radius: it.number("tube_radius"),
                ..PropertyGroup::default()
            });
        }
        "mesh" => {
            emitter.properties.emit_mode = 2;
            creator.is_velocity_local = true;
            creator.velocity = group(PropertyGroup {
                shape: 1,
                direction: [0.0, 0.0, 1.0],
                magnitude: speeds,
                ..PropertyGroup::default()
            });
            return;
        }
        _ => {
            creator.velocity = Distribution::sphere(speeds, false);
            return;
        }
    }
    creator.outward_speed = speeds;
}

fn set_shape(it: &Plugin<'_>, emitter: &mut Emitter<'_>, creator: &mut Creator) {
    creator.position = Distribution {
        group: it.group("position"),
        is_hollow: it.flag("hollow_position"),
    };
    creator.velocity = Distribution {
        group: it.group("velocity"),
        is_hollow: it.flag("hollow_velocity"),
    };
    creator.is_velocity_local = it.flag("local_velocity");
    if it.flag("inherit_velocity") {
        creator.inherited_velocity = [
            it.number("inherited_velocity_scale"),
            it.number("max_inherited_velocity"),
        ];
    }
    creator.outward_speed = [it.number("outward_speed"); 2];
    if matches!(it.name(), "death" | "enhanced_trail") {
        creator.position_alignment = Alignment::new(it.integer("position_alignment"));
        creator.velocity_alignment = Alignment::new(it.integer("velocity_alignment"));
    }
    if it.name() == "enhanced_mesh" {
        emitter.properties.emit_mode = match it.integer("spawn_location") {
            1 => 2,
            2 => 3,
            _ => 1,
        };
        emitter.properties.emit_offset = it.number("surface_offset");
        creator.is_aligned_to_normal = it.flag("align_velocity_to_normal");
    }
}
