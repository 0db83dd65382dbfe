//! The probes: how they fly, and where each of them looks.

use crate::Options;
use crate::field::Field;
use crate::support::dice::Dice;
use bevy::prelude::*;
use std::f32::consts::TAU;

/// Lets the probes fly.
pub struct SwarmPlugin;

impl Plugin for SwarmPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, gather)
            .add_systems(Update, fly.run_if(resource_exists::<Field>));
    }
}

/// All probes.
#[derive(Resource)]
pub struct Swarm {
    /// How many there are to be.
    pub count: usize,
    /// Where each of them is, and where it looks.
    pub rays: Vec<Ray3d>,
    /// How far they see.
    pub reach: f32,
    /// Seconds that they have flown.
    time: f32,
}

fn gather(mut commands: Commands, options: Res<Options>) {
    commands.insert_resource(Swarm {
        count: options.probes,
        rays: Vec::new(),
        reach: 0.0,
        time: 0.0,
    });
}

fn fly(mut swarm: ResMut<Swarm>, field: Res<Field>, time: Res<Time>) {
    swarm.time += time.delta_secs();
    swarm.reach = 3.0 * field.spacing;
    let (count, now) = (swarm.count, swarm.time);
    swarm.rays.clear();
    swarm
        .rays
        .extend((0..count).map(|probe| ray(probe as u32, now, &field)));
}

/// Each probe goes around a circle of its own, above the walkers or among them, and looks ahead, a
/// little down and to the side.
fn ray(probe: u32, now: f32, field: &Field) -> Ray3d {
    let mut dice = Dice::new(0x0b5e_55ed ^ probe);
    let mut between = |low: f32, high: f32| low + (high - low) * dice.roll();
    let center = Vec3::new(between(-1.0, 1.0), 0.0, between(-1.0, 1.0)) * field.half;
    let radius = between(0.3, 1.5) * field.spacing;
    let height = between(0.25, 1.4) * field.height;
    let (start, speed) = (between(0.0, TAU), between(0.2, 0.5));
    let down = 0.25 * height / field.height + between(-0.1, 0.1);
    let aside = between(-0.5, 0.5);
    let (sin, cos) = (start + speed * now).sin_cos();
    let out = Vec3::new(cos, 0.0, sin);
    let ahead = Vec3::new(-sin, 0.0, cos);
    Ray3d {
        origin: center + out * radius + Vec3::Y * height,
        direction: Dir3::new(ahead + out * aside - Vec3::Y * down).unwrap_or(Dir3::NEG_Y),
    }
}
