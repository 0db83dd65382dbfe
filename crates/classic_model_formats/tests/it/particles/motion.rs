//! The motion of single particles: the ground against closed forms of its own, turned emitters, and records.

use crate::prelude::*;
use classic_model_formats::particles::evaluate::{GroundEffect, Source, ground};
use zerocopy::IntoBytes;

fn record(height: f32, speed: f32, acceleration: f32) -> BirthRecord {
    BirthRecord {
        position: [0.0, 0.0, height],
        velocity: [1.0, 0.0, speed],
        acceleration: [0.0, 0.0, acceleration],
        life: 100.0,
        ..BirthRecord::default()
    }
}

/// The record with the age at which it passes below the ground.
fn falling(height: f32, speed: f32, acceleration: f32, effect: GroundEffect) -> BirthRecord {
    let mut record = record(height, speed, acceleration);
    record.ground = ground::passage(&record, effect, &Ground::default());
    record
}

const BOUNCE: GroundEffect = GroundEffect::Bounce { bounciness: 0.5 };

#[test]
fn particles_pass_below_the_ground_at_the_right_age() {
    let never = f32::INFINITY;
    for (height, speed, acceleration, expected) in [
        (8.0, 0.0, -4.0, 2.0),
        (0.0, 4.0, -4.0, 2.0),
        (0.0, 0.0, -4.0, 0.0),
        (0.0, -1.0, 0.0, 0.0),
        (6.0, -3.0, 0.0, 2.0),
        (6.0, 3.0, 0.0, never),
        (6.0, 0.0, 0.0, never),
        (6.0, 1.0, 5.0, never),
        // It is braked before the ground, or not.
        (6.0, -3.0, 1.0, never),
        (4.0, -3.0, 1.0, 2.0),
        (0.0, 1.0, 1.0, never),
        (0.0, 0.0, 1.0, never),
    ] {
        for effect in [GroundEffect::Die, GroundEffect::Stop, BOUNCE] {
            let found = falling(height, speed, acceleration, effect).ground;
            assert_eq!(
                found, expected,
                "{height} {speed} {acceleration} {effect:?}"
            );
        }
        let none = falling(height, speed, acceleration, GroundEffect::None);
        assert_eq!(none.ground, never);
    }
}

#[test]
fn particles_born_below_the_ground_die_stop_or_must_rise_first() {
    for effect in [GroundEffect::Die, GroundEffect::Stop] {
        assert_eq!(falling(-1.0, 5.0, -1.0, effect).ground, -1.0);
    }
    let stopped = falling(-1.0, 5.0, -1.0, GroundEffect::Stop);
    let motion = ground::motion(&stopped, GroundEffect::Stop, &Ground::default(), 3.0);
    assert_eq!(
        (motion.position, motion.velocity),
        ([0.0, 0.0, -1.0], [0.0; 3])
    );
    // It rises through the ground at 1 s and is back at 3 s.
    assert_eq!(falling(-3.0, 4.0, -2.0, BOUNCE).ground, 3.0);
    assert_eq!(falling(-5.0, 4.0, -2.0, BOUNCE).ground, f32::INFINITY);
    assert_eq!(falling(-3.0, -4.0, -2.0, BOUNCE).ground, f32::INFINITY);
    assert_eq!(falling(-3.0, 4.0, 2.0, BOUNCE).ground, f32::INFINITY);
}

/// Height and speed after bounces, flight by flight.
fn bounced(record: &BirthRecord, bounciness: f64, age: f64) -> (f64, f64) {
    let [_, _, height] = record.position.map(f64::from);
    let [_, _, mut speed] = record.velocity.map(f64::from);
    let [_, _, gravity] = record.acceleration.map(f64::from);
    // From above the ground, with a negative acceleration.
    let mut rest = age;
    let first = (-speed - (speed * speed - 2.0 * gravity * height).sqrt()) / gravity;
    if rest < first {
        return (
            height + rest * (speed + 0.5 * gravity * rest),
            speed + gravity * rest,
        );
    }
    rest -= first;
    speed = -(speed + gravity * first) * bounciness;
    for _ in 0..1_000_000 {
        let flight = -2.0 * speed / gravity;
        if rest < flight {
            return (
                rest * (speed + 0.5 * gravity * rest),
                speed + gravity * rest,
            );
        }
        rest -= flight;
        speed *= bounciness;
        if speed < 1e-12 {
            break;
        }
    }
    (0.0, 0.0)
}

#[test]
fn bounces_match_flight_by_flight_control() {
    for bounciness in [0.0, 0.2, 0.5, 0.9, 0.999, 1.0, 1.05] {
        for (height, speed, acceleration) in
            [(2.0, 0.0, -9.8), (0.5, 3.0, -4.0), (10.0, -6.0, -1.0)]
        {
            let effect = GroundEffect::Bounce { bounciness };
            let record = falling(height, speed, acceleration, effect);
            for step in 0..2000 {
                let age = 0.0137 * step as f32;
                let motion = ground::motion(&record, effect, &Ground::default(), age);
                let (height, speed) = bounced(&record, bounciness.into(), age.into());
                let found = motion.position.map(f64::from);
                let context = format!("{bounciness} {record:?} at {age}");
                let tolerance = 2e-4 * (1.0 + f64::from(age));
                assert!(
                    (found[2] - height).abs() < tolerance,
                    "{} is not {height}: {context}",
                    found[2]
                );
                assert!(found[2] > -1e-5, "{context}");
                assert_eq!(motion.position[0], age, "{context}");
                // Near a bounce, either speed is right.
                if height > 0.01 {
                    let found = f64::from(motion.velocity[2]);
                    assert!(
                        (found - speed).abs() < 1e-2,
                        "{found} is not {speed}: {context}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_ground_can_be_any_plane() {
    let up = [0.6, 0.0, 0.8];
    let plane = Ground { up, height: 2.0 };
    let effect = GroundEffect::Bounce { bounciness: 0.5 };
    // Along the normal as in `particles_pass_below_the_ground_at_the_right_age`, and across it with speed 3.
    let along = |height: f32| up.map(|axis| axis * height);
    let mut record = BirthRecord {
        position: along(2.0 + 8.0),
        velocity: [0.0, 3.0, 0.0],
        acceleration: along(-4.0),
        life: 100.0,
        ..BirthRecord::default()
    };
    record.ground = ground::passage(&record, effect, &plane);
    assert!((record.ground - 2.0).abs() < 1e-5, "{}", record.ground);
    // It hits the plane with 8 and leaves with 4: after another second it is 2 above it, at its highest.
    let motion = ground::motion(&record, effect, &plane, 3.0);
    let expected = along(2.0 + 2.0);
    for axis in [0, 2] {
        assert!(
            (motion.position[axis] - expected[axis]).abs() < 1e-4,
            "{motion:?}"
        );
        assert!(motion.velocity[axis].abs() < 1e-4, "{motion:?}");
    }
    assert_eq!((motion.position[1], motion.velocity[1]), (9.0, 3.0));
}

fn draws() -> Draws {
    Draws::new(
        InstanceKey::of_root(0, 0),
        ParticleNumber { round: 0, index: 0 },
    )
}

fn born(emitter: &Emitter<'_>, pose: &EmitterPose, source: Source) -> BirthRecord {
    PreparedEmitter::new(emitter).birth(draws(), pose, source, 0.0)
}

/// A rotation by 90° about X: +Y becomes +Z, and +Z becomes −Y.
const TURNED: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]];

fn jet() -> Emitter<'static> {
    let mut jet = emitter(Properties {
        acceleration: [0.0, 0.0, 1.0],
        gravity: 10.0,
        outward_speed: 2.0,
        outward_acceleration: -3.0,
        affected_by_wind: true,
        emitter_speed: 0.5,
        uses_emitter_speed: true,
        ..Properties::default()
    });
    jet.position = Shape::Exact([0.0, 5.0, 0.0]).into();
    jet.velocity = Shape::Exact([0.0, 0.0, 7.0]).into();
    jet
}

fn pose() -> EmitterPose {
    EmitterPose {
        position: [100.0, 0.0, 0.0],
        orientation: TURNED,
        velocity: [20.0, 0.0, 0.0],
        wind: [0.0, 0.25, 0.0],
        ..EmitterPose::default()
    }
}

#[test]
fn turned_emitters_turn_position_and_velocity_but_not_gravity() {
    let record = born(&jet(), &pose(), Source::Group);
    assert_eq!(record.position, [100.0, 0.0, 5.0]);
    // Velocity of the group, then outwards, then half the emitter's, then the wind.
    assert_eq!(record.velocity, [10.0, -7.0 + 0.25, 2.0]);
    // The world's acceleration and gravity, and −3 along the direction of birth, which is +Z now.
    assert_eq!(record.acceleration, [0.0, 0.0, 1.0 - 10.0 - 3.0]);
    let mut local = jet();
    local.properties.object_space_acceleration = true;
    let record = born(&local, &pose(), Source::Group);
    assert_eq!(record.acceleration, [0.0, -1.0, -10.0 - 3.0]);
}

#[test]
fn linked_emitters_get_gravity_in_the_system_space_and_no_velocity() {
    let mut linked = jet();
    linked.properties.link_to_system = true;
    // The world in the space of a system that is turned by 90° about X: the inverse rotation.
    let world = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];
    let pose = EmitterPose {
        orientation: EmitterPose::default().orientation,
        world,
        ..pose()
    };
    let record = born(&linked, &pose, Source::Group);
    assert_eq!(record.position, [100.0, 5.0, 0.0]);
    assert_eq!(record.velocity, [0.0, 2.0 + 0.25, 7.0]);
    assert_eq!(record.acceleration, [0.0, 1.0 - 10.0 - 3.0, 0.0]);
}

#[test]
fn births_on_a_mesh_do_not_use_the_position_group() {
    let record = born(&jet(), &pose(), Source::Point);
    assert_eq!(record.position, [100.0, 0.0, 0.0]);
    assert_eq!(record.velocity, [10.0, -7.0 + 0.25, 0.0]);
    assert_eq!(record.acceleration, [0.0, 0.0, -9.0]);
}

#[test]
fn speed_of_the_emitter_needs_its_flag() {
    let mut still = jet();
    still.properties.uses_emitter_speed = false;
    still.properties.affected_by_wind = false;
    assert_eq!(
        born(&still, &pose(), Source::Group).velocity,
        [0.0, -7.0, 2.0]
    );
}

#[test]
fn records_are_16_words() {
    let record = BirthRecord {
        position: [1.0, 2.0, 3.0],
        birth: 4.0,
        velocity: [5.0, 6.0, 7.0],
        life: 8.0,
        acceleration: [9.0, 10.0, 11.0],
        size: 12.0,
        color: [0, 1, 2, -1],
        rotation: 13.0,
        ground: 14.0,
    };
    let mut expected = Vec::new();
    for value in 1..=12 {
        expected.extend((value as f32).to_ne_bytes());
    }
    for value in [0_i16, 1, 2, -1] {
        expected.extend(value.to_ne_bytes());
    }
    expected.extend([13.0_f32, 14.0].map(f32::to_ne_bytes).as_flattened());
    assert_eq!(record.as_bytes(), expected);
    assert_eq!(record.color_addition()[0], 0.0);
}
