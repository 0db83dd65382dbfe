//! Random values of births: the distributions of shapes, lives, sizes, angles and colors, and the appearance of the
//! particles.

use crate::prelude::*;
use classic_model_formats::particles::Track;
use classic_model_formats::particles::evaluate::random::Purpose;
use classic_model_formats::particles::evaluate::shape::sample;
use classic_model_formats::particles::evaluate::{Appearance, Source};
use core::f64::consts::PI;

const COUNT: u32 = 40_000;

fn draws(index: u32) -> Draws {
    let instance = InstanceKey::of_root(5, 1);
    Draws::new(instance, ParticleNumber { round: 0, index })
}

fn samples(shape: Shape) -> impl Iterator<Item = [f64; 3]> {
    (0..COUNT).map(move |index| sample(&shape, draws(index), Purpose::Position).map(f64::from))
}

/// Asserts that values are evenly distributed over a range, by their histogram.
#[track_caller]
fn assert_uniform(values: impl Iterator<Item = f64>, min: f64, max: f64) {
    const BUCKETS: usize = 32;
    let mut found = [0.0; BUCKETS];
    let mut count = 0.0;
    for value in values {
        let t = (value - min) / (max - min);
        assert!(
            (-1e-6..=1.0 + 1e-6).contains(&t),
            "{value} is not from {min} to {max}"
        );
        found[((t * BUCKETS as f64) as usize).min(BUCKETS - 1)] += 1.0;
        count += 1.0;
    }
    let expected = count / BUCKETS as f64;
    let chi_square: f64 = found
        .iter()
        .map(|it| (it - expected) * (it - expected) / expected)
        .sum();
    // 31 degrees of freedom: mean 31, standard deviation 7.9.
    assert!(chi_square < 75.0, "{chi_square}: {found:?}");
}

fn length(values: &[f64]) -> f64 {
    values.iter().map(|it| it * it).sum::<f64>().sqrt()
}

#[test]
fn exact_values_are_not_random() {
    assert!(samples(Shape::Exact([1.0, 2.0, 3.0])).all(|it| it == [1.0, 2.0, 3.0]));
}

#[test]
fn boxes_and_cubes_are_filled_evenly() {
    // The second axis is reversed.
    let shape = Shape::Box([-1.0, 4.0, 5.0], [3.0, 2.0, 5.0]);
    assert_uniform(samples(shape).map(|it| it[0]), -1.0, 3.0);
    assert_uniform(samples(shape).map(|it| it[1]), 2.0, 4.0);
    assert!(samples(shape).all(|it| it[2] == 5.0));
    let cube = Shape::Cube { side: 6.0 };
    for axis in 0..3 {
        assert_uniform(samples(cube).map(|it| it[axis]), -3.0, 3.0);
    }
    // Axes are independent: their difference has the variance of both.
    let variance: f64 =
        samples(cube).map(|it| (it[0] - it[1]).powi(2)).sum::<f64>() / f64::from(COUNT);
    assert!((variance - 6.0).abs() < 0.15, "{variance}");
}

#[test]
fn spheres_are_denser_at_poles_and_center() {
    for surface in [true, false] {
        let shape = Shape::Sphere {
            radius: 4.0,
            surface,
        };
        if surface {
            assert!(samples(shape).all(|it| (length(&it) - 4.0).abs() < 1e-5));
        } else {
            assert_uniform(samples(shape).map(|it| length(&it)), 0.0, 4.0);
        }
        assert_uniform(samples(shape).map(|it| it[1].atan2(it[0])), -PI, PI);
        let latitude = |it: [f64; 3]| (it[2] / length(&it)).clamp(-1.0, 1.0).asin();
        assert_uniform(samples(shape).map(latitude), -PI / 2.0, PI / 2.0);
    }
}

#[test]
fn cylinders_stand_on_their_center() {
    for surface in [true, false] {
        let shape = Shape::Cylinder {
            radius: 2.0,
            height: 5.0,
            surface,
        };
        if surface {
            assert!(samples(shape).all(|it| (length(&it[..2]) - 2.0).abs() < 1e-5));
        } else {
            assert_uniform(samples(shape).map(|it| length(&it[..2])), 0.0, 2.0);
        }
        assert_uniform(samples(shape).map(|it| it[1].atan2(it[0])), -PI, PI);
        assert_uniform(samples(shape).map(|it| it[2]), 0.0, 5.0);
    }
}

fn records(emitter: &Emitter<'_>) -> Vec<BirthRecord> {
    let prepared = PreparedEmitter::new(emitter);
    let birth = |index| prepared.birth(draws(index), &EmitterPose::default(), Source::Group, 0.0);
    (0..COUNT).map(birth).collect()
}

#[test]
fn lives_and_sizes_are_shares_of_the_longest() {
    let records = records(&emitter(Properties {
        lifetime: 4.0,
        random_lifetime: 0.25,
        random_scale: 0.5,
        ..Properties::default()
    }));
    assert_uniform(records.iter().map(|it| it.life.into()), 3.0, 4.0);
    assert_uniform(records.iter().map(|it| it.size.into()), 0.5, 1.0);
    assert!(
        records
            .iter()
            .all(|it| it.rotation == 1.0 && it.color == [0; 4])
    );
}

#[test]
fn shares_out_of_range_are_clamped() {
    for (share, min) in [(3.0, 0.0), (-1.0, 1.0)] {
        let records = records(&emitter(Properties {
            random_lifetime: share,
            random_scale: share,
            ..Properties::default()
        }));
        if min < 1.0 {
            assert_uniform(records.iter().map(|it| it.life.into()), min, 1.0);
        } else {
            assert!(records.iter().all(|it| (it.life, it.size) == (1.0, 1.0)));
        }
    }
}

#[test]
fn colors_are_drawn_for_each_channel_or_all() {
    let random_color = [0.5, 0.25, -0.5, 8.0];
    let mut properties = Properties {
        random_color,
        ..Properties::default()
    };
    let additions: Vec<_> = records(&emitter(properties.clone()));
    let additions: Vec<_> = additions.iter().map(BirthRecord::color_addition).collect();
    for (channel, limit) in [(0, 0.5), (1, 0.25), (2, -0.5)] {
        let channel = additions.iter().map(|it| f64::from(it[channel]));
        assert_uniform(channel, f64::min(limit, 0.0), f64::max(limit, 0.0));
    }
    // Most draws are clamped.
    let full = additions.iter().filter(|it| it[3] == 1.0).count() as f64;
    assert!((full / f64::from(COUNT) - 7.0 / 8.0).abs() < 0.02, "{full}");
    properties.random_color_is_gray = true;
    for record in records(&emitter(properties)) {
        let [red, green, blue, alpha] = record.color_addition();
        assert!([green, blue, alpha] == [red; 3] && (0.0..=0.5).contains(&red));
    }
}

fn turning(properties: Properties) -> Emitter<'static> {
    let mut turning = emitter(properties);
    turning.tracks.rotation_speed = Track::linear(&[[0.0, 2.0], [1.0, 4.0]]);
    turning
}

#[test]
fn rotation_is_the_integral_of_its_speed() {
    let emitter = turning(Properties {
        lifetime: 3.0,
        random_lifetime: 0.5,
        random_rotation_direction: true,
        // Without effect on particles that turn.
        rotation_variance: 1.0,
        ..Properties::default()
    });
    let prepared = PreparedEmitter::new(&emitter);
    let records = records(&emitter);
    let left = records.iter().filter(|it| it.rotation == 1.0).count() as f64;
    assert!((left / f64::from(COUNT) - 0.5).abs() < 0.02, "{left}");
    for record in records.iter().take(100) {
        assert!(record.rotation.abs() == 1.0);
        let age = 0.6 * record.life;
        // At 0.6 of the life the speed is 3.2: the mean speed is 2.6.
        let expected = 2.6 * age * record.rotation;
        let found = prepared.appearance(record, age).turns;
        assert!(
            (found - expected).abs() < 1e-5,
            "{found} instead of {expected}"
        );
    }
}

#[test]
fn fixed_rotation_is_drawn_around_the_first_value() {
    for (variance, min, max) in [(0.25, 1.5, 2.5), (17.3, 0.0, 4.0)] {
        let emitter = turning(Properties {
            fixed_rotation: true,
            rotation_variance: variance,
            ..Properties::default()
        });
        let records = records(&emitter);
        let prepared = PreparedEmitter::new(&emitter);
        assert_uniform(records.iter().map(|it| it.rotation.into()), min, max);
        for age in [0.0, 0.3, 0.9] {
            assert_eq!(
                prepared.appearance(&records[7], age).turns,
                records[7].rotation
            );
        }
    }
    let both = turning(Properties {
        fixed_rotation: true,
        random_rotation_direction: true,
        ..Properties::default()
    });
    let records = records(&both);
    assert!(records.iter().all(|it| it.rotation.abs() == 2.0));
    assert!(records.iter().any(|it| it.rotation == -2.0));
}

#[test]
fn appearance_follows_the_tracks() {
    let mut emitter = emitter(Properties {
        lifetime: 2.0,
        random_color: [0.5, 0.0, 0.0, -1.0],
        ..Properties::default()
    });
    emitter.tracks.red = Track::constant(255.0);
    emitter.tracks.green = Track::linear(&[[0.0, 0.0], [0.5, 255.0], [1.0, 0.0]]);
    emitter.tracks.alpha = Track::constant(0.0);
    emitter.tracks.scale = Track::linear(&[[0.0, 10.0], [1.0, 20.0]]);
    let index = Track::linear(&[
        [0.0, 62.5],
        [0.25, 64.0],
        [0.5, -1.0],
        [0.75, 1e30],
        [1.0, 0.0],
    ]);
    emitter.tracks.index = index.with(Interpolation::Step);
    let prepared = PreparedEmitter::new(&emitter);
    let record = BirthRecord {
        size: 0.5,
        ..records(&emitter)[3]
    };
    let at = |age| prepared.appearance(&record, age);
    // Sums are clamped: red is full, and alpha cannot become negative.
    assert_eq!(at(0.5).color, [1.0, 0.5, 1.0, 0.0]);
    assert_eq!([0.0, 1.0, 2.0].map(|age| at(age).size), [5.0, 7.5, 10.0]);
    // Rounded down, and wrapped around 64 tiles.
    assert_eq!([0.0, 0.5, 1.0].map(|age| at(age).tile), [62, 0, 63]);
    assert!(at(1.5).tile < 64);
}

#[test]
fn appearances_are_finite_for_all_finite_values() {
    let mut extreme = emitter(Properties {
        lifetime: f32::MAX,
        random_color: [f32::MAX, f32::MIN, 0.0, 0.0],
        ..Properties::default()
    });
    let far = Track::linear(&[[0.0, f32::MAX], [0.5, f32::MIN], [1.0, f32::MAX]]);
    extreme.tracks.scale = far.clone();
    extreme.tracks.index = far.clone();
    extreme.tracks.rotation_speed = far;
    let prepared = PreparedEmitter::new(&extreme);
    let record = prepared.birth(draws(0), &EmitterPose::default(), Source::Group, 0.0);
    for share in [0.0, 0.1, 0.25, 0.5, 0.9] {
        let appearance = prepared.appearance(&record, share * f32::MAX);
        let Appearance { size, turns, .. } = appearance;
        assert!(size.is_finite() && turns.is_finite(), "{appearance:?}");
        assert!(appearance.color.iter().all(|it| (0.0..=1.0).contains(it)));
    }
    // A variance of the greatest angle.
    extreme.properties.fixed_rotation = true;
    extreme.properties.rotation_variance = 1.0;
    let prepared = PreparedEmitter::new(&extreme);
    for index in 0..100 {
        let record = prepared.birth(draws(index), &EmitterPose::default(), Source::Group, 0.0);
        assert!(record.rotation.is_finite());
    }
}
