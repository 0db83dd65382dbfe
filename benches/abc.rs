//! LithTech models: bytes to meshes, skeleton and clips; and pictures to texels.
//!
//! Prints for the median and the largest file, for all together and for the bundled ones, times and
//! two ratios. Limits: 400 MB/s from bytes to meshes, skeleton and clips; and 4 times what one pass
//! over the bytes takes, and what it takes to find the vertices that triangles share. The latter is
//! measured with the plainest loop that does it, over the full model alone; ours makes all levels of detail
//! besides. All begin with the file's bytes in memory.
//!
//! And what a frame of a thousand models costs without a GPU, at rest and as they move.

mod support;

use bevy::prelude::*;
use classic_models_support::gpuless;

use bevy_classic_models::lithtech::abc::{self, AbcFile};
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::lithtech::{ConvertedAbc, dtx};
use bevy_classic_models::prelude::*;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use support::{Model, bundled, corpus};

/// In MB/s.
const SPEED: f64 = 400.0;

/// Of a pass over the bytes.
const PASSES: f64 = 4.0;

/// Time spent on each file.
const PATIENCE: Duration = Duration::from_millis(20);

/// Time spent on files that have a row of their own.
const LONG_PATIENCE: Duration = Duration::from_millis(400);

/// Least number of runs, however long they take.
const MIN_RUNS: usize = 5;

const INSTANCES: usize = 1000;

/// Frames that are measured.
const FRAMES: usize = 100;

fn main() {
    // Makes glibc's allocator keep memory that is freed, of both sides alike.
    drop(black_box(vec![1_u8; 31 << 20]));
    models();
    pictures();
    crowd();
}

fn models() {
    println!(
        "{:34} {:>8} | {:>9} {:>9} {:>7} | {:>9} {:>9} {:>8}",
        "model", "KiB", "parse µs", "load µs", "MB/s", "pass µs", "dedupe µs", "× limit"
    );
    for file in bundled("abc") {
        Times::of(&file, LONG_PATIENCE).print(&file.name);
    }
    let mut files = corpus("abc");
    files.retain(|file| abc::parse(&file.bytes).is_ok());
    files.sort_by_key(|file| file.bytes.len());
    let named = [
        ("median", files.len() / 2),
        ("largest", files.len().wrapping_sub(1)),
    ];
    for (what, index) in named {
        if let Some(file) = files.get(index) {
            Times::of(file, LONG_PATIENCE).print(&format!("{what}: {}", file.name));
        }
    }
    let mut all = Times::default();
    let mut kept = [0, 0];
    for file in &files {
        let times = Times::of(file, PATIENCE);
        kept[0] += usize::from(times.speed() >= SPEED);
        kept[1] += usize::from(times.of_limit() <= 1.0);
        all.add(&times);
    }
    all.print(&format!("all {} of the corpus", files.len()));
    println!(
        "limits: {SPEED} MB/s, kept by {} files; {PASSES} × the pass and the dedupe, kept by {}",
        kept[0], kept[1]
    );
}

/// How long files of so many bytes take.
#[derive(Default)]
struct Times {
    bytes: usize,
    parse: Duration,
    load: Duration,
    pass: Duration,
    dedupe: Duration,
}

impl Times {
    fn of(model: &Model, patience: Duration) -> Self {
        let bytes = &model.bytes;
        let settings = AbcLoaderSettings::default();
        let mut times = Self {
            bytes: bytes.len(),
            parse: Duration::MAX,
            load: Duration::MAX,
            pass: Duration::MAX,
            dedupe: Duration::MAX,
        };
        let Ok(file) = abc::parse(bytes) else {
            return Self::default();
        };
        let begin = Instant::now();
        let mut runs = 0;
        while runs < MIN_RUNS || begin.elapsed() < patience {
            times.parse = times.parse.min(time(|| abc::parse(black_box(bytes))));
            let load = time(|| ConvertedAbc::load(black_box(bytes), &settings));
            times.load = times.load.min(load);
            times.pass = times.pass.min(time(|| pass(black_box(bytes))));
            times.dedupe = times.dedupe.min(time(|| dedupe(black_box(&file))));
            runs += 1;
        }
        times
    }

    fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.parse += other.parse;
        self.load += other.load;
        self.pass += other.pass;
        self.dedupe += other.dedupe;
    }

    /// In MB/s.
    fn speed(&self) -> f64 {
        self.bytes as f64 / micros(self.load)
    }

    fn of_limit(&self) -> f64 {
        micros(self.load) / (PASSES * micros(self.pass) + micros(self.dedupe))
    }

    fn print(&self, name: &str) {
        println!(
            "{name:34} {:8.1} | {:9.2} {:9.2} {:7.0} | {:9.3} {:9.2} {:8.2}",
            self.bytes as f64 / 1024.0,
            micros(self.parse),
            micros(self.load),
            self.speed(),
            micros(self.pass),
            micros(self.dedupe),
            self.of_limit(),
        );
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// How long something takes, less the time to drop what it made.
fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let made = black_box(run());
    let elapsed = start.elapsed();
    drop(made);
    elapsed
}

/// One pass over the bytes that needs all of them.
fn pass(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<4>();
    let words = words.iter().map(|word| u32::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u32::from(*byte));
    words.chain(rest).fold(0, u32::wrapping_add)
}

/// What a GPU needs of the full model: each vertex once for each of its texture coordinates, and
/// indices of those.
fn dedupe(file: &AbcFile<'_>) -> (Vec<(u32, [u32; 2])>, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let triangles = file.geometry.triangles;
    let mut made: Vec<(u32, [u32; 2])> = Vec::with_capacity(triangles.len());
    let mut previous = Vec::with_capacity(triangles.len());
    let mut last = vec![NONE; file.geometry.vertices.len()];
    let mut indices = Vec::with_capacity(triangles.len() * 3);
    for triangle in triangles {
        for (vertex, uv) in triangle.vertices.iter().zip(triangle.uvs) {
            let vertex = u32::from(vertex.get());
            let key = (vertex, uv.map(|value| value.get().to_bits()));
            let mut index = last[vertex as usize];
            while index != NONE && made[index as usize] != key {
                index = previous[index as usize];
            }
            if index == NONE {
                index = made.len() as u32;
                made.push(key);
                previous.push(last[vertex as usize]);
                last[vertex as usize] = index;
            }
            indices.push(index);
        }
    }
    (made, indices)
}

fn pictures() {
    println!(
        "\n{:34} {:>8} | {:>9} {:>9} {:>7}",
        "picture", "KiB", "parse µs", "texels µs", "MB/s"
    );
    let mut files = [bundled("dtx"), corpus("dtx")].concat();
    files.retain(|file| dtx::parse(&file.bytes).is_ok());
    files.sort_by_key(|file| file.bytes.len());
    let named = [
        ("median", files.len() / 2),
        ("largest", files.len().wrapping_sub(1)),
    ];
    for (what, index) in named {
        let Some(file) = files.get(index) else {
            continue;
        };
        let (mut parse, mut texels) = (Duration::MAX, Duration::MAX);
        let begin = Instant::now();
        while begin.elapsed() < LONG_PATIENCE {
            parse = parse.min(time(|| dtx::parse(black_box(&file.bytes))));
            texels = texels.min(time(|| {
                let file = dtx::parse(black_box(&file.bytes)).ok()?;
                let levels = (0..file.levels.len()).map(|level| file.rgba(level));
                Some(levels.collect::<Vec<_>>())
            }));
        }
        println!(
            "{:34} {:8.1} | {:9.2} {:9.1} {:7.0}",
            format!("{what}: {}", file.name),
            file.bytes.len() as f64 / 1024.0,
            micros(parse),
            micros(texels),
            file.bytes.len() as f64 / micros(texels),
        );
    }
}

/// A thousand of the bundled warden, of 19 nodes and two meshes that deform.
fn crowd() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = App::new();
    app.add_plugins((gpuless::plugins(&assets, false), ClassicModelsPlugins));
    gpuless::finish(&mut app);
    let server = app.world().resource::<AssetServer>().clone();
    let abc: Handle<Abc> = server.load("models/warden.abc");
    gpuless::wait_until(&mut app, |_| server.is_loaded_with_dependencies(&abc));
    let scene = app.world().resource::<Assets<Abc>>().get(&abc);
    let scene = WorldAssetRoot(scene.expect("it is bundled").scene.clone());
    let roots: Vec<Entity> = (0..INSTANCES)
        .map(|_| app.world_mut().spawn(scene.clone()).id())
        .collect();
    let are_there = |world: &mut World| {
        let mut roots = roots.iter();
        roots.all(|root| world.get::<AbcInstance>(*root).is_some())
    };
    assert!(gpuless::wait_until(&mut app, are_there));
    let still = median_frame(&mut app);
    for (number, root) in roots.iter().enumerate() {
        let clip = ["walk", "attack"][number % 2];
        let play = PlayClip::looping(clip).starting_at(number as f32 * 0.037);
        app.world_mut().entity_mut(*root).insert(play);
    }
    let moving = median_frame(&mut app);
    println!(
        "\n{INSTANCES} wardens, a frame without a GPU, median: {still:.0} µs at rest, {moving:.0} µs as they \
         move"
    );
}

fn median_frame(app: &mut App) -> f64 {
    for _ in 0..3 {
        gpuless::step(app, 1.0 / 60.0);
    }
    let mut times: Vec<f64> = (0..FRAMES)
        .map(|_| micros(time(|| gpuless::step(app, 1.0 / 60.0))))
        .collect();
    times.sort_by(f64::total_cmp);
    times[FRAMES / 2]
}
