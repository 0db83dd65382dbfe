//! Measures the LithTech loaders: ABC bytes to meshes, skeleton and clips, and DTX bytes to RGBA texels.
//!
//! Prints a row for each bundled model, for the median and the largest model of the corpus, and for the whole
//! corpus. All measurements start with the file's bytes in memory. There are two limits for loading a model:
//! - at least 400 MB/s;
//! - at most the time of 4 passes over the bytes plus the time of vertex deduplication. Deduplication is measured
//!   with a simple loop over the full model. The loader also builds all levels of detail.
//!
//! Also prints the time of a frame without a GPU for 1,000 idle and 1,000 animated models.

use bevy::prelude::*;
use classic_models_support::gpuless;

use bevy_classic_models::lithtech::abc::{self, AbcFile};
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::lithtech::{ConvertedAbc, dtx};
use bevy_classic_models::prelude::*;
use classic_models_support::bench_models::{Model, bundled, corpus};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// Minimum speed of loading, in MB/s.
const MIN_SPEED: f64 = 400.0;

/// Passes over the bytes that loading may take, besides the deduplication.
const MAX_PASSES: f64 = 4.0;

/// Time spent on each file.
const FILE_DURATION: Duration = Duration::from_millis(20);

/// Time spent on each file that has its own row.
const ROW_DURATION: Duration = Duration::from_millis(400);

/// Minimum run count, however long the runs take.
const MIN_RUNS: usize = 5;

const INSTANCES: usize = 1000;

/// Measured frames.
const FRAMES: usize = 100;

fn main() {
    // Makes glibc's allocator keep freed memory, so that all measurements allocate under the same conditions.
    drop(black_box(vec![1_u8; 31 << 20]));
    models();
    textures();
    crowd();
}

fn models() {
    println!(
        "{:34} {:>8} | {:>9} {:>9} {:>7} | {:>9} {:>9} {:>8}",
        "model", "KiB", "parse µs", "load µs", "MB/s", "pass µs", "dedupe µs", "× limit"
    );
    for file in bundled("abc") {
        Times::measure(&file, ROW_DURATION).print(&file.name);
    }
    let mut files = corpus("abc");
    files.retain(|file| abc::parse(&file.bytes).is_ok());
    files.sort_by_key(|file| file.bytes.len());
    let selected = [
        ("median", files.len() / 2),
        ("largest", files.len().wrapping_sub(1)),
    ];
    for (label, index) in selected {
        if let Some(file) = files.get(index) {
            Times::measure(file, ROW_DURATION).print(&format!("{label}: {}", file.name));
        }
    }
    let mut all = Times::default();
    let mut met = [0, 0];
    for file in &files {
        let times = Times::measure(file, FILE_DURATION);
        met[0] += usize::from(times.speed() >= MIN_SPEED);
        met[1] += usize::from(times.limit_ratio() <= 1.0);
        all.add(&times);
    }
    all.print(&format!("all {} of the corpus", files.len()));
    println!(
        "limits: {MIN_SPEED} MB/s, met by {} files; {MAX_PASSES} × the pass and the dedupe, met by {}",
        met[0], met[1]
    );
}

/// The total size of one or more files, and the fastest times for them.
#[derive(Default)]
struct Times {
    bytes: usize,
    parse: Duration,
    load: Duration,
    pass: Duration,
    dedupe: Duration,
}

impl Times {
    fn measure(model: &Model, duration: Duration) -> Self {
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
        while runs < MIN_RUNS || begin.elapsed() < duration {
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

    /// The speed of loading, in MB/s.
    fn speed(&self) -> f64 {
        self.bytes as f64 / micros(self.load)
    }

    /// The time of loading as a ratio of its second limit.
    fn limit_ratio(&self) -> f64 {
        micros(self.load) / (MAX_PASSES * micros(self.pass) + micros(self.dedupe))
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
            self.limit_ratio(),
        );
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Runs a function and returns its duration. Dropping the result is not measured.
fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(run());
    let elapsed = start.elapsed();
    drop(result);
    elapsed
}

/// Sums all bytes: the cheapest pass that reads the whole file.
fn pass(bytes: &[u8]) -> u32 {
    let (words, rest) = bytes.as_chunks::<4>();
    let words = words.iter().map(|word| u32::from_le_bytes(*word));
    let rest = rest.iter().map(|byte| u32::from(*byte));
    words.chain(rest).fold(0, u32::wrapping_add)
}

/// The render vertices of the full model, as pairs of file vertex and texture coordinates, and the indices into
/// them.
fn dedupe(file: &AbcFile<'_>) -> (Vec<(u32, [u32; 2])>, Vec<u32>) {
    const NONE: u32 = u32::MAX;
    let triangles = file.geometry.triangles;
    let mut vertices: Vec<(u32, [u32; 2])> = Vec::with_capacity(triangles.len());
    let mut previous = Vec::with_capacity(triangles.len());
    let mut last = vec![NONE; file.geometry.vertices.len()];
    let mut indices = Vec::with_capacity(triangles.len() * 3);
    for triangle in triangles {
        for (vertex, uv) in triangle.vertices.iter().zip(triangle.uvs) {
            let vertex = u32::from(vertex.get());
            let key = (vertex, uv.map(|value| value.get().to_bits()));
            let mut index = last[vertex as usize];
            while index != NONE && vertices[index as usize] != key {
                index = previous[index as usize];
            }
            if index == NONE {
                index = vertices.len() as u32;
                vertices.push(key);
                previous.push(last[vertex as usize]);
                last[vertex as usize] = index;
            }
            indices.push(index);
        }
    }
    (vertices, indices)
}

fn textures() {
    println!(
        "\n{:34} {:>8} | {:>9} {:>9} {:>7}",
        "texture", "KiB", "parse µs", "texels µs", "MB/s"
    );
    let mut files = [bundled("dtx"), corpus("dtx")].concat();
    files.retain(|file| dtx::parse(&file.bytes).is_ok());
    files.sort_by_key(|file| file.bytes.len());
    let selected = [
        ("median", files.len() / 2),
        ("largest", files.len().wrapping_sub(1)),
    ];
    for (label, index) in selected {
        let Some(file) = files.get(index) else {
            continue;
        };
        let (mut parse, mut texels) = (Duration::MAX, Duration::MAX);
        let begin = Instant::now();
        while begin.elapsed() < ROW_DURATION {
            parse = parse.min(time(|| dtx::parse(black_box(&file.bytes))));
            texels = texels.min(time(|| {
                let file = dtx::parse(black_box(&file.bytes)).ok()?;
                let levels = (0..file.levels.len()).map(|level| file.rgba(level));
                Some(levels.collect::<Vec<_>>())
            }));
        }
        println!(
            "{:34} {:8.1} | {:9.2} {:9.1} {:7.0}",
            format!("{label}: {}", file.name),
            file.bytes.len() as f64 / 1024.0,
            micros(parse),
            micros(texels),
            file.bytes.len() as f64 / micros(texels),
        );
    }
}

/// Measures frames with 1,000 instances of the bundled warden: 19 nodes, two of them with deforming meshes.
fn crowd() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = App::new();
    app.add_plugins((gpuless::plugins(&assets, false), ClassicModelsPlugins));
    gpuless::finish(&mut app);
    let server = app.world().resource::<AssetServer>().clone();
    let abc: Handle<Abc> = server.load("models/warden.abc");
    gpuless::wait_until(&mut app, |_| server.is_loaded_with_dependencies(&abc));
    let scene = app.world().resource::<Assets<Abc>>().get(&abc);
    let scene = WorldAssetRoot(
        scene
            .expect("the loaded model is in its assets")
            .scene
            .clone(),
    );
    let roots: Vec<Entity> = (0..INSTANCES)
        .map(|_| app.world_mut().spawn(scene.clone()).id())
        .collect();
    let all_spawned = |world: &mut World| {
        let mut roots = roots.iter();
        roots.all(|root| world.get::<AbcInstance>(*root).is_some())
    };
    assert!(
        gpuless::wait_until(&mut app, all_spawned),
        "not all instances spawned"
    );
    let idle = median_frame(&mut app);
    for (index, root) in roots.iter().enumerate() {
        let clip = ["walk", "attack"][index % 2];
        let play = PlayClip::looping(clip).starting_at(index as f32 * 0.037);
        app.world_mut().entity_mut(*root).insert(play);
    }
    let animated = median_frame(&mut app);
    println!(
        "\n{INSTANCES} wardens, median of a frame without a GPU: {idle:.0} µs idle, {animated:.0} µs animated"
    );
}

/// The median duration of a frame, in microseconds.
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
