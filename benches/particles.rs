//! Measures Alamo particle systems without drawing: parsing, births, and evaluating living particles.
//!
//! Goals: parsing at least 300 MB/s, at most 60 ns per birth, and at most 50 ns per evaluated particle. Emitters with
//! more random values, more keys or bounces take longer.

use bevy_classic_models::alamo::particles::evaluate::random::{InstanceKey, ParticleNumber};
use bevy_classic_models::alamo::particles::evaluate::{
    BirthRecord, Draws, EmitterPose, Ground, PreparedEmitter, Source,
};
use bevy_classic_models::alamo::particles::write::write;
use bevy_classic_models::alamo::particles::{
    Emitter, Interpolation, ParticleFile, Properties, Shape, Track, parse,
};
use classic_models_support::bench_models::{Model, particle_systems};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Minimum speed of parsing, in MB/s.
const MIN_SPEED: f64 = 300.0;

/// Maximum duration of a birth, in nanoseconds.
const MAX_BIRTH: f64 = 60.0;

/// Maximum duration of the evaluation of a particle, in nanoseconds.
const MAX_EVALUATION: f64 = 50.0;

/// Time spent on each measurement.
const DURATION: Duration = Duration::from_millis(500);

/// Particles of a measurement. Their records fit into the cache.
const PARTICLES: u32 = 4000;

fn main() {
    // Makes glibc's allocator keep freed memory, so that all measurements allocate under the same conditions.
    drop(black_box(vec![1_u8; 31 << 20]));
    parsing();
    births_and_evaluation();
}

/// The minimum duration of a function. Dropping its result is not measured.
fn min_duration<T>(mut run: impl FnMut() -> T) -> Duration {
    let begin = Instant::now();
    let mut min = Duration::MAX;
    while begin.elapsed() < DURATION {
        let start = Instant::now();
        let result = black_box(run());
        min = min.min(start.elapsed());
        drop(result);
    }
    min
}

/// Prints the time of parsing all particle systems of the assets and of the corpus together, and that of a generated one.
fn parsing() {
    let models = particle_systems();
    let generated = Model {
        name: "generated".to_owned(),
        bytes: write(&system(500)).expect("the system can be written"),
    };
    for (name, files) in [
        ("assets and corpus", &models[..]),
        (&generated.name, &[generated.clone()][..]),
    ] {
        let bytes: usize = files.iter().map(|model| model.bytes.len()).sum();
        let time = min_duration(|| {
            let parsed = files.iter().map(|model| parse(black_box(&model.bytes)));
            parsed.collect::<Vec<_>>()
        });
        let speed = bytes as f64 / 1e6 / time.as_secs_f64();
        println!(
            "parsing, {name}: {} files, {:.1} kB: {:.3} ms, {speed:.0} MB/s (goal {MIN_SPEED})",
            files.len(),
            bytes as f64 / 1e3,
            1e3 * time.as_secs_f64(),
        );
    }
}

/// Prints the time of births, and of position, velocity, size, color, tile and angle.
fn births_and_evaluation() {
    for (name, emitter) in [("plain", plain()), ("smoke", smoke()), ("sparks", sparks())] {
        let emitter = PreparedEmitter::new(&emitter);
        let pose = EmitterPose::default();
        let instance = InstanceKey::of_root(7, 0);
        let mut records = vec![BirthRecord::default(); PARTICLES as usize];
        let births = min_duration(|| {
            for (round, record) in (0..).zip(&mut records) {
                let draws = Draws::new(instance, ParticleNumber { round, index: 0 });
                *record = emitter.birth(draws, black_box(&pose), Source::Group, 0.0);
            }
        });
        let ground = Ground::default();
        let ages: Vec<f32> = (0..PARTICLES)
            .map(|index| 1e-3 * (index % 997) as f32)
            .collect();
        let evaluation = min_duration(|| {
            for (record, age) in records.iter().zip(&ages) {
                black_box(emitter.motion(record, &ground, *age));
                black_box(emitter.appearance(record, *age));
            }
        });
        let nanoseconds = |time: Duration| 1e9 * time.as_secs_f64() / f64::from(PARTICLES);
        println!(
            "{name:8} {:6.1} ns per birth (goal {MAX_BIRTH}), {:6.1} ns per evaluated particle (goal {MAX_EVALUATION})",
            nanoseconds(births),
            nanoseconds(evaluation),
        );
    }
}

/// A system with this count of emitters.
fn system(count: u32) -> ParticleFile<'static> {
    let mut file = ParticleFile::new("p_bench");
    for index in 0..count {
        let mut emitter = match index % 3 {
            0 => plain(),
            1 => smoke(),
            _ => sparks(),
        };
        emitter.properties.index = index;
        file.emitters.push(emitter);
    }
    file
}

/// Particles that move on a line and keep their appearance.
fn plain() -> Emitter<'static> {
    let mut plain = Emitter::new("plain");
    plain.velocity = Shape::Exact([0.0, 0.0, 2.0]).into();
    plain
}

/// Smoke: random positions, velocities, lives and sizes, and tracks with inner keys, as most real emitters have.
fn smoke() -> Emitter<'static> {
    let mut smoke = Emitter::new("smoke");
    smoke.properties = Properties {
        lifetime: 1.0,
        random_lifetime: 0.3,
        random_scale: 0.5,
        outward_speed: 2.0,
        gravity: -1.5,
        blend_mode: 2,
        random_rotation_direction: true,
        ..Properties::default()
    };
    smoke.position = Shape::Sphere {
        radius: 2.0,
        surface: false,
    }
    .into();
    smoke.velocity = Shape::Sphere {
        radius: 4.0,
        surface: true,
    }
    .into();
    smoke.tracks.red = Track::linear(&[[0.0, 255.0], [0.3, 96.0], [1.0, 0.0]]);
    smoke.tracks.green = smoke.tracks.red.clone();
    smoke.tracks.blue = smoke.tracks.red.clone();
    smoke.tracks.alpha = Track::linear(&[[0.0, 0.0], [0.2, 255.0], [0.6, 128.0], [1.0, 0.0]]);
    smoke.tracks.scale = Track::linear(&[[0.0, 1.0], [1.0, 10.0]]);
    let index = Track::linear(&[[0.0, 1.0], [0.25, 2.0], [0.5, 3.0], [0.75, 4.0], [1.0, 4.0]]);
    smoke.tracks.index = index.with(Interpolation::Step);
    smoke.tracks.rotation_speed = Track::linear(&[[0.0, 0.5], [1.0, 0.1]]);
    smoke
}

/// Sparks that bounce.
fn sparks() -> Emitter<'static> {
    let mut sparks = Emitter::new("sparks");
    sparks.properties = Properties {
        lifetime: 1.0,
        gravity: 30.0,
        ground: 2,
        bounciness: 0.4,
        has_tail: true,
        ..Properties::default()
    };
    sparks.velocity = Shape::Cylinder {
        radius: 3.0,
        height: 9.0,
        surface: false,
    }
    .into();
    sparks.tracks.green = Track::linear(&[[0.0, 255.0], [1.0, 64.0]]);
    sparks.tracks.blue = Track::linear(&[[0.0, 255.0], [0.5, 0.0], [1.0, 0.0]]);
    sparks
}
