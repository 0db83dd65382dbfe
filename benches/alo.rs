//! Compares parsing an Alamo model with copying its bytes, and converting it to meshes with a plain loop.
//!
//! Prints times and two ratios, per file and in total. All measurements start with the file's bytes in memory.
//! - The speed of parsing relative to `memcpy` of the file. Limit: at least 0.5, or 10 GB/s.
//! - The speed of converting bytes to Bevy's meshes relative to a loop that deinterleaves the same vertices. Limit: at
//!   least 0.6. The loop starts from the parsed file; the conversion also parses and validates.

use bevy::asset::RenderAssetUsages;
use bevy_classic_models::alamo::ConvertedAlo;
use bevy_classic_models::alamo::alo::{self, AloFile, Submesh, VertexRecord, Vertices};
use classic_models_support::bench_models::{Model, alo_models, large_alo};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Minimum speed of parsing, relative to `memcpy`.
const PARSE_LIMIT: f64 = 0.5;

/// Minimum speed of the conversion, relative to the loop.
const CONVERT_LIMIT: f64 = 0.6;

/// Time spent on each file.
const DURATION: Duration = Duration::from_millis(400);

/// Minimum run count, however long the runs take.
const MIN_RUNS: usize = 5;

fn main() {
    // Makes glibc's allocator keep freed memory, so that all measurements allocate under the same conditions.
    drop(black_box(vec![1_u8; 31 << 20]));
    println!(
        "{:28} {:>8} | {:>9} {:>9} {:>7} {:>8} | {:>10} {:>9} {:>8}",
        "file",
        "KiB",
        "parse µs",
        "memcpy µs",
        "GB/s",
        "× memcpy",
        "convert µs",
        "loop µs",
        "× loop"
    );
    let mut all = Times::default();
    for file in alo_models() {
        all.add(measure(&file));
    }
    all.print("all files");
    measure(&large_alo());
    println!("limits: {PARSE_LIMIT} × memcpy or 10 GB/s, {CONVERT_LIMIT} × the loop");
}

/// The total size of one or more files, and the fastest times for them.
#[derive(Default)]
struct Times {
    bytes: usize,
    parse: Duration,
    memcpy: Duration,
    convert: Duration,
    plain: Duration,
}

impl Times {
    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.parse += other.parse;
        self.memcpy += other.memcpy;
        self.convert += other.convert;
        self.plain += other.plain;
    }

    fn print(&self, name: &str) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "{name:28} {:8.1} | {:9.1} {:9.1} {:7.1} {:8.2} | {:10.1} {:9.1} {:8.2}",
            self.bytes as f64 / 1024.0,
            micros(self.parse),
            micros(self.memcpy),
            self.bytes as f64 / micros(self.parse) / 1000.0,
            micros(self.memcpy) / micros(self.parse),
            micros(self.convert),
            micros(self.plain),
            micros(self.plain) / micros(self.convert),
        );
    }
}

/// Measures a file and prints its row. Files that do not parse are skipped.
fn measure(model: &Model) -> Times {
    let bytes = &model.bytes;
    let Ok(file) = alo::parse(bytes) else {
        return Times::default();
    };
    let usage = RenderAssetUsages::default();
    let mut copy = vec![0_u8; bytes.len()];
    let mut times = Times {
        bytes: bytes.len(),
        parse: Duration::MAX,
        memcpy: Duration::MAX,
        convert: Duration::MAX,
        plain: Duration::MAX,
    };
    let begin = Instant::now();
    let mut runs = 0;
    while runs < MIN_RUNS || begin.elapsed() < DURATION {
        times.parse = times.parse.min(time(|| alo::parse(black_box(bytes))));
        let memcpy = time(|| black_box(&mut copy).copy_from_slice(black_box(bytes)));
        times.memcpy = times.memcpy.min(memcpy);
        let convert = time(|| ConvertedAlo::load(black_box(bytes), usage).is_ok());
        times.convert = times.convert.min(convert);
        times.plain = times.plain.min(time(|| deinterleave(black_box(&file))));
        runs += 1;
    }
    times.print(&model.name);
    times
}

/// Runs a function and returns its duration. Dropping the result is not measured.
fn time<T>(mut run: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    let result = black_box(run());
    let elapsed = start.elapsed();
    drop(result);
    elapsed
}

/// The attributes of a sub-mesh, one allocation each.
#[expect(dead_code, reason = "only the time to fill them is measured")]
struct Arrays {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    tangents: Vec<[f32; 4]>,
    colors: Vec<[f32; 4]>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    indices: Vec<u16>,
}

/// The loop: the attributes that each sub-mesh's format has, and its indices.
fn deinterleave(file: &AloFile<'_>) -> Vec<Arrays> {
    let submeshes = file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    submeshes
        .map(|submesh| match submesh.vertices {
            Vertices::V1(vertices) => arrays(vertices, submesh),
            Vertices::V2(vertices) => arrays(vertices, submesh),
        })
        .collect()
}

fn arrays<T: VertexRecord>(vertices: &[T], submesh: &Submesh<'_>) -> Arrays {
    let format = &submesh.vertex_format;
    let capacity = |is_present: bool| if is_present { vertices.len() } else { 0 };
    let (tangents, colors) = (format.contains("U3U3"), format.ends_with('C'));
    let skinned = !submesh.palette.is_empty();
    let mut arrays = Arrays {
        positions: Vec::with_capacity(vertices.len()),
        normals: Vec::with_capacity(vertices.len()),
        uvs: Vec::with_capacity(vertices.len()),
        tangents: Vec::with_capacity(capacity(tangents)),
        colors: Vec::with_capacity(capacity(colors)),
        joints: Vec::with_capacity(capacity(skinned)),
        weights: Vec::with_capacity(capacity(skinned)),
        indices: submesh.indices.iter().map(|index| index.get()).collect(),
    };
    for vertex in vertices {
        let (head, tail) = (vertex.head(), vertex.tail());
        arrays
            .positions
            .push(head.position.map(|value| value.get()));
        arrays.normals.push(head.normal.map(|value| value.get()));
        arrays.uvs.push(head.tex_coords[0].map(|value| value.get()));
        if tangents {
            let [x, y, z] = head.tangent.map(|value| value.get());
            arrays
                .tangents
                .push([x, y, z, head.binormal[0].get().signum()]);
        }
        if colors {
            arrays.colors.push(head.color.map(|value| value.get()));
        }
        if skinned {
            arrays
                .joints
                .push(tail.bone_indices.map(|index| index.get() as u16));
            arrays
                .weights
                .push(tail.bone_weights.map(|weight| weight.get()));
        }
    }
    arrays
}
