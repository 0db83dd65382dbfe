//! Compares loading a Quake model with a plain loop that copies its poses and expands its skins.
//!
//! Prints both times and their ratio, per file and in total. Limit of the ratio: 3. Both start with the file's bytes in
//! memory. The loader returns images and mesh data of all poses and skins. The loop returns the bytes of all vertices of
//! all poses and the RGBA texels of all skins. The loop starts from the parsed file; the loader also parses and validates.

use bevy_classic_models::quake::mdl::{self, MdlFile};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette};
use classic_models_support::bench_models::{Model, Size, models, synthetic};
use std::hint::black_box;
use std::time::{Duration, Instant};
use zerocopy::IntoBytes;

/// Maximum time of [`ConvertedMdl::load`], relative to the loop.
const LIMIT: f64 = 3.0;

/// Time spent on each file.
const DURATION: Duration = Duration::from_millis(400);

/// More than a run allocates, and less than the 32 MiB above which glibc's allocator always returns memory.
const WARM_BYTES: usize = 31 << 20;

/// Minimum run count, however long the runs take.
const MIN_RUNS: usize = 5;

fn main() {
    keep_memory();
    let large = Size {
        rows: 40,
        columns: 50,
        poses: 1000,
        skin: 1024,
    };
    println!(
        "{:24} {:>9} {:>10} {:>10} {:>9} {:>6}",
        "file", "KiB", "ours µs", "loop µs", "ours MB/s", "ratio"
    );
    let mut all = Times::default();
    for file in models() {
        all.add(measure_file(&file));
    }
    all.print("all files");
    all.add(measure_file(&synthetic("synthetic 2000 × 1000", &large)));
    all.print("all files and synthetic");
    println!("limit of the ratio: {LIMIT}");
}

/// The total size of one or more files, and the fastest times for them.
#[derive(Default)]
struct Times {
    bytes: usize,
    ours: Duration,
    plain: Duration,
}

impl Times {
    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.ours += other.ours;
        self.plain += other.plain;
    }

    fn print(&self, name: &str) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "{name:24} {:9.1} {:10.1} {:10.1} {:9.0} {:6.2}",
            self.bytes as f64 / 1024.0,
            micros(self.ours),
            micros(self.plain),
            self.bytes as f64 / micros(self.ours),
            micros(self.ours) / micros(self.plain),
        );
    }
}

/// Measures a file and prints its row. Files that do not parse are skipped.
fn measure_file(file: &Model) -> Times {
    let Some((ours, plain)) = measure(file) else {
        println!("{:24} skipped: not a valid MDL file", file.name);
        return Times::default();
    };
    let times = Times {
        bytes: file.bytes.len(),
        ours,
        plain,
    };
    times.print(&file.name);
    times
}

/// Makes glibc's allocator keep freed memory. Otherwise the side that allocates more returns memory to the system and
/// requests it again in every run, and the other side does not.
fn keep_memory() {
    drop(black_box(vec![1_u8; WARM_BYTES]));
}

/// The minimum times of the loader and of the loop. Their runs alternate.
fn measure(model: &Model) -> Option<(Duration, Duration)> {
    let settings = MdlLoaderSettings::default();
    let palette = Palette::default();
    let bytes = &model.bytes;
    let file = mdl::parse(bytes).ok()?;
    let table: [[u8; 4]; 256] = palette.0.map(|[r, g, b]| [r, g, b, 255]);
    let load = || ConvertedMdl::load(black_box(bytes), &settings, &palette);
    let copy = || copy(black_box(&file), &table);
    let (mut ours, mut plain) = (Duration::MAX, Duration::MAX);
    let begin = Instant::now();
    let mut runs = 0;
    while runs < MIN_RUNS || begin.elapsed() < DURATION {
        ours = ours.min(time(load));
        plain = plain.min(time(copy));
        runs += 1;
    }
    Some((ours, plain))
}

/// Runs a function and returns its duration. Dropping the result is not measured.
fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(run());
    let elapsed = start.elapsed();
    drop(result);
    elapsed
}

/// The loop: copies the vertices of all poses, and expands the colors of all skins.
fn copy(file: &MdlFile<'_>, table: &[[u8; 4]; 256]) -> (Vec<u8>, Vec<Vec<[u8; 4]>>) {
    let mut poses = Vec::with_capacity(file.poses.len() * file.st_vertices.len() * 4);
    for pose in &file.poses {
        poses.extend_from_slice(pose.vertices.as_bytes());
        poses.extend_from_slice(pose.low_vertices.as_bytes());
    }
    let expand = |pixels: &[u8]| {
        pixels
            .iter()
            .map(|index| table[usize::from(*index)])
            .collect()
    };
    let skins = file.skins.iter().map(|skin| expand(skin.pixels)).collect();
    (poses, skins)
}
