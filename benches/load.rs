//! Compares loading a Quake model with a plain loop that copies its poses and expands its skins.
//!
//! Prints their times and two ratios, per file and in total. Limits of the second: 2.5 in sum, 3 for files above 16 KiB. All
//! start with the file's bytes in memory. The loader returns images and mesh data of all poses and skins. The loop returns the
//! bytes of all vertices of all poses and the RGBA texels of all skins; in the second column, skins have mip levels, by the
//! plainest filter: each byte is the mean of four. The loop starts from the parsed file; the loader also parses and validates,
//! averages linear colors without those of the background, and makes images of fullbright texels.

use bevy_classic_models::quake::mdl::{self, MdlFile};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette};
use classic_models_support::bench_models::{Model, Size, models, synthetic};
use std::hint::black_box;
use std::time::{Duration, Instant};
use zerocopy::IntoBytes;

/// Maximum time of [`ConvertedMdl::load`] for all files, relative to the loop with mip levels.
const LIMIT: f64 = 2.5;

/// The same for each file above `MIN_BYTES`.
const FILE_LIMIT: f64 = 3.0;

const MIN_BYTES: usize = 16 << 10;

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
        "{:24} {:>9} {:>10} {:>10} {:>10} {:>9} {:>7} {:>7}",
        "file", "KiB", "ours µs", "loop µs", "levels µs", "ours MB/s", "× loop", "× levels"
    );
    let mut all = Times::default();
    let mut exceeded = 0;
    for file in models() {
        let times = measure_file(&file);
        exceeded += u32::from(times.bytes > MIN_BYTES && times.ratio(times.leveled) > FILE_LIMIT);
        all.add(times);
    }
    all.print("all files");
    all.add(measure_file(&synthetic("synthetic 2000 × 1000", &large)));
    all.print("all files and synthetic");
    println!(
        "limits of the last ratio: {LIMIT} in sum, {FILE_LIMIT} for each file above 16 KiB (exceeded by {exceeded})"
    );
}

/// The total size of one or more files, and the fastest times for them.
#[derive(Default)]
struct Times {
    bytes: usize,
    ours: Duration,
    plain: Duration,
    /// The loop with mip levels.
    leveled: Duration,
}

impl Times {
    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.ours += other.ours;
        self.plain += other.plain;
        self.leveled += other.leveled;
    }

    fn ratio(&self, to: Duration) -> f64 {
        self.ours.as_secs_f64() / to.as_secs_f64()
    }

    fn print(&self, name: &str) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "{name:24} {:9.1} {:10.1} {:10.1} {:10.1} {:9.0} {:7.2} {:7.2}",
            self.bytes as f64 / 1024.0,
            micros(self.ours),
            micros(self.plain),
            micros(self.leveled),
            self.bytes as f64 / micros(self.ours),
            self.ratio(self.plain),
            self.ratio(self.leveled),
        );
    }
}

/// Measures a file and prints its row. Files that do not parse are skipped.
fn measure_file(file: &Model) -> Times {
    let Some(times) = measure(file) else {
        println!("{:24} skipped: not a valid MDL file", file.name);
        return Times::default();
    };
    times.print(&file.name);
    times
}

/// Makes glibc's allocator keep freed memory. Otherwise the side that allocates more returns memory to the system and
/// requests it again in every run, and the other side does not.
fn keep_memory() {
    drop(black_box(vec![1_u8; WARM_BYTES]));
}

/// The minimum times of the loader and of the loops. Their runs alternate.
fn measure(model: &Model) -> Option<Times> {
    let settings = MdlLoaderSettings::default();
    let palette = Palette::default();
    let bytes = &model.bytes;
    let file = mdl::parse(bytes).ok()?;
    let table: [[u8; 4]; 256] = palette.0.map(|[r, g, b]| [r, g, b, 255]);
    let load = || ConvertedMdl::load(black_box(bytes), &settings, &palette);
    let copy = |has_levels| copy(black_box(&file), &table, has_levels);
    let mut times = Times {
        bytes: bytes.len(),
        ours: Duration::MAX,
        plain: Duration::MAX,
        leveled: Duration::MAX,
    };
    let begin = Instant::now();
    let mut runs = 0;
    while runs < MIN_RUNS || begin.elapsed() < DURATION {
        times.ours = times.ours.min(time(load));
        times.plain = times.plain.min(time(|| copy(false)));
        times.leveled = times.leveled.min(time(|| copy(true)));
        runs += 1;
    }
    Some(times)
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
fn copy(
    file: &MdlFile<'_>,
    table: &[[u8; 4]; 256],
    has_levels: bool,
) -> (Vec<u8>, Vec<Vec<[u8; 4]>>) {
    let mut poses = Vec::with_capacity(file.poses.len() * file.st_vertices.len() * 4);
    for pose in &file.poses {
        poses.extend_from_slice(pose.vertices.as_bytes());
        poses.extend_from_slice(pose.low_vertices.as_bytes());
    }
    let expand = |pixels: &[u8]| {
        let mut texels = Vec::with_capacity(pixels.len() * (3 + usize::from(has_levels)) / 3);
        texels.extend(pixels.iter().map(|index| table[usize::from(*index)]));
        if has_levels {
            append_levels(&mut texels, file.header.skin_width as usize);
        }
        texels
    };
    let skins = file.skins.iter().map(|skin| expand(skin.pixels)).collect();
    (poses, skins)
}

/// Appends levels of half the size, as long as both sides have two texels. A last odd row or column is not used.
fn append_levels(texels: &mut Vec<[u8; 4]>, mut width: usize) {
    let mut start = 0;
    while width > 1 && texels.len() - start >= 2 * width {
        let end = texels.len();
        let rows = (end - start) / width / 2;
        texels.resize(end + rows * (width / 2), [0; 4]);
        let (level, smaller) = texels[start..].split_at_mut(end - start);
        let pairs = level.chunks_exact(2 * width);
        for (rows, smaller) in pairs.zip(smaller.chunks_exact_mut(width / 2)) {
            let (upper, lower) = rows.split_at(width);
            let upper = upper.as_chunks::<2>().0.iter();
            let blocks = upper.zip(lower.as_chunks::<2>().0);
            for (texel, ([a, b], [c, d])) in smaller.iter_mut().zip(blocks) {
                let mean = |byte: usize| {
                    let sum = [a, b, c, d].map(|texel| u16::from(texel[byte]));
                    (sum.iter().sum::<u16>() / 4) as u8
                };
                *texel = [0, 1, 2, 3].map(mean);
            }
        }
        (start, width) = (end, width / 2);
    }
}
