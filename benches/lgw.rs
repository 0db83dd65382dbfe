//! Compares loading LGW models with loading the same geometry as OBJ with `tobj`.
//!
//! Prints times and speeds for the bundled models and for three generated files of about 50 MB: triangle lists, strips,
//! and many small meshes. Limits for converting bytes to Bevy's meshes: at least 250 MB/s, and at least 3 times the MB/s
//! of `tobj`. `tobj` is measured with one index per vertex, as a renderer needs it, and with several, which is less work.
//! All measurements start with the file's bytes in memory.
//!
//! `cargo bench --bench lgw -- strips` generates only the files whose names contain the argument.

use bevy_classic_models::lgw::lgw::{
    Group, GroupKind, LgwFile, Material, Mesh, Tolerance, Vertices, parse, write,
};
use bevy_classic_models::lgw::{ConvertedLgw, LgwLoaderSettings};
use classic_models_support::bench_models::bundled;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tobj::LoadOptions;

/// Minimum speed of loading, in MB/s.
const MIN_SPEED: f64 = 250.0;

/// Minimum speed of loading, relative to `tobj`.
const MIN_RATIO: f64 = 3.0;

/// Approximate size of a generated file.
const BYTES: usize = 50 << 20;

/// Runs per measurement. The fastest counts.
const RUNS: usize = 7;

fn main() {
    // Makes glibc's allocator keep freed memory, so that all measurements allocate under the same conditions.
    drop(black_box(vec![1_u8; 31 << 20]));
    println!(
        "{:22} {:>7} | {:>8} {:>8} {:>7} | {:>7} {:>8} {:>8} | {:>6} {:>6}",
        "text", "MB", "parse ms", "load ms", "MB/s", "OBJ MB", "one idx", "several", "×", "×"
    );
    for (name, side, kind) in [
        ("lists", 200, GroupKind::List),
        ("strips", 200, GroupKind::Strip),
        ("small meshes", 6, GroupKind::List),
    ] {
        if !is_selected(name) {
            continue;
        }
        let model = grids(side, kind);
        let text = write(&model).expect("the generated model can be written");
        let obj = obj(&model);
        row(name, &text, Some(&obj));
    }
    for model in bundled("lgw") {
        row(&model.name, &model.bytes, None);
    }
    println!("limits: {MIN_SPEED} MB/s, and {MIN_RATIO} × the MB/s of tobj, which reads OBJ");
}

/// Whether the command line selects a generated file. Without arguments all are selected.
fn is_selected(name: &str) -> bool {
    let mut filters = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    filters.next().is_none_or(|filter| name.contains(&filter))
}

fn row(name: &str, text: &[u8], obj: Option<&[u8]>) {
    let settings = LgwLoaderSettings::default();
    let parse = fastest(|| parse(black_box(text), Tolerance::Normal).is_ok());
    let load = fastest(|| ConvertedLgw::load(black_box(text), &settings).is_ok());
    let speed = megabytes(text) / load.as_secs_f64();
    print!(
        "{name:22} {:7.2} | {:8.2} {:8.2} {speed:7.0} |",
        megabytes(text),
        1e3 * parse.as_secs_f64(),
        1e3 * load.as_secs_f64(),
    );
    if let Some(obj) = obj {
        let speed_of = |options: &LoadOptions| {
            let read = || tobj::load_obj_buf(&mut black_box(obj), options, no_materials).is_ok();
            megabytes(obj) / fastest(read).as_secs_f64()
        };
        let one = speed_of(&LoadOptions {
            triangulate: true,
            single_index: true,
            ..LoadOptions::default()
        });
        let several = speed_of(&LoadOptions::default());
        print!(
            " {:7.2} {one:8.0} {several:8.0} | {:6.2} {:6.2}",
            megabytes(obj),
            speed / one,
            speed / several
        );
    }
    println!();
}

fn no_materials(_: &std::path::Path) -> tobj::MTLLoadResult {
    Ok(Default::default())
}

fn megabytes(text: &[u8]) -> f64 {
    text.len() as f64 / 1e6
}

fn fastest(mut run: impl FnMut() -> bool) -> Duration {
    let times = (0..RUNS).map(|_| {
        let begin = Instant::now();
        assert!(run(), "a measured file must load without errors");
        begin.elapsed()
    });
    times.min().unwrap_or_default()
}

/// Grids with `side` × `side` vertices each, enough for a file of about [`BYTES`].
fn grids(side: u32, kind: GroupKind) -> LgwFile<'static> {
    const BYTES_OF_VERTEX: usize = 100;
    let vertices = (side * side) as usize;
    let count = BYTES / (vertices * BYTES_OF_VERTEX + 200);
    let mut file = LgwFile {
        name: "grids".into(),
        version: Some(4),
        materials: vec![Material::default()],
        ..LgwFile::default()
    };
    for index in 0..count {
        file.meshes.push(grid(index, side, kind));
    }
    file
}

/// Rounds to six decimals, like the game's exporter.
fn rounded(value: f32) -> f32 {
    let text = format!("{value:.6}");
    text.parse().unwrap_or_default()
}

/// A mesh with a wavy grid of `side` × `side` vertices.
fn grid(index: usize, side: u32, kind: GroupKind) -> Mesh<'static> {
    let mut vertices = Vertices::default();
    for row in 0..side {
        for column in 0..side {
            let (x, z) = (column as f32 * 1.7 - 83.6, row as f32 * 1.3 - 87.154);
            let y = (x * 0.37).sin() * 9.1 + (z * 0.21).cos() * 8.3 + index as f32;
            let (nx, nz) = ((x * 0.37).cos() * 0.31, (z * 0.21).sin() * 0.29);
            let ny = (1.0 - nx * nx - nz * nz).sqrt();
            let (u, v) = (column as f32 / side as f32, row as f32 / side as f32);
            vertices.push([x, y, z, u, v, nx, ny, nz].map(rounded));
        }
    }
    let mut groups = Vec::new();
    match kind {
        GroupKind::Strip => {
            for row in 0..side - 1 {
                let pair = |column| [row * side + column, (row + 1) * side + column];
                groups.push(Group {
                    id: row.into(),
                    kind,
                    indices: (0..side).flat_map(pair).collect(),
                });
            }
        }
        _ => {
            let mut indices = Vec::new();
            for row in 0..side - 1 {
                for column in 0..side - 1 {
                    let a = row * side + column;
                    let (b, c, d) = (a + side, a + 1, a + side + 1);
                    indices.extend([a, b, c, c, b, d]);
                }
            }
            groups.push(Group {
                id: 0,
                kind: GroupKind::List,
                indices,
            });
        }
    }
    Mesh {
        name: format!("Mesh{index:02}").into(),
        material: Some(0),
        vertices,
        groups,
        ..Mesh::default()
    }
}

/// The same geometry as OBJ, with the same decimals.
fn obj(file: &LgwFile<'_>) -> Vec<u8> {
    let mut out = String::new();
    let mut first = 1;
    for mesh in &file.meshes {
        // Writing to a `String` does not fail.
        let _ = write_obj(mesh, first, &mut out);
        first += mesh.vertices.len() as u32;
    }
    out.into_bytes()
}

fn write_obj(mesh: &Mesh<'_>, first: u32, out: &mut String) -> std::fmt::Result {
    writeln!(out, "o {}", mesh.name)?;
    for [x, y, z] in &mesh.vertices.positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for [u, v] in &mesh.vertices.uvs {
        writeln!(out, "vt {u} {v}")?;
    }
    for [x, y, z] in &mesh.vertices.normals {
        writeln!(out, "vn {x} {y} {z}")?;
    }
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|index| first + index);
        writeln!(out, "f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}")?;
    }
    Ok(())
}
