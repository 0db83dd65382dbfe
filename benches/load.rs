//! Loading a Quake model against one loop that copies its poses and expands its skins.
//!
//! Prints, per file and in total, the time of both and their ratio, which should stay below 3. Both
//! begin with the file's bytes in memory: ours ends with images and mesh data of all poses and skins,
//! the loop with the bytes of all vertices of all poses and the RGBA texels of all skins. The loop
//! is told where everything lies; ours parses, checks and finds out.

mod support;

use bevy_classic_models::quake::mdl::{self, MdlFile};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette};
use std::hint::black_box;
use std::time::{Duration, Instant};
use support::{Model, Size, models, synthetic};
use zerocopy::IntoBytes;

/// What [`ConvertedMdl::load`] may take of the loop's time.
const LIMIT: f64 = 3.0;

/// Time spent on each file.
const PATIENCE: Duration = Duration::from_millis(400);

/// More than either side allocates, yet less than what glibc's allocator always gives back.
const WARM_BYTES: usize = 31 << 20;

/// Least number of runs, however long they take.
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
        all.add(measured(&file));
    }
    all.print("all files");
    all.add(measured(&synthetic("synthetic 2000 × 1000", &large)));
    all.print("all files and synthetic");
    println!("limit of the ratio: {LIMIT}");
}

/// How long files of so many bytes take.
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

/// The times of a file, printed; nothing for a file that is no model.
fn measured(file: &Model) -> Times {
    let Some((ours, plain)) = measure(file) else {
        println!("{:24} is no model", file.name);
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

/// Makes glibc's allocator keep memory that is freed, of both sides alike: otherwise it gives memory
/// back to the system and fetches it anew on every run of the side that allocates more, and only there.
fn keep_memory() {
    drop(black_box(vec![1_u8; WARM_BYTES]));
}

/// The shortest time of ours and of the loop, over runs that take turns.
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
    while runs < MIN_RUNS || begin.elapsed() < PATIENCE {
        ours = ours.min(time(load));
        plain = plain.min(time(copy));
        runs += 1;
    }
    Some((ours, plain))
}

/// How long something takes, less the time to drop what it made.
fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let made = black_box(run());
    let elapsed = start.elapsed();
    drop(made);
    elapsed
}

/// The loop: all vertices of all poses, and the colours of all skins.
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
