//! LGW models: bytes to Bevy's meshes, beside `tobj` on the same geometry as OBJ.
//!
//! Prints for each of three texts of about 50 MB (lists, strips, and many small meshes) and for the
//! bundled models times and speeds. Limits: 250 MB/s from bytes to meshes, and 3 times the MB/s of
//! `tobj`, which is measured with one index per vertex, as a renderer needs it, and without, where it
//! has less to do. All begin with the file's bytes in memory.

mod support;

use bevy_classic_models::lgw::text::{
    Group, GroupKind, LgwFile, Material, Mesh, Tolerance, Vertices, parse, write,
};
use bevy_classic_models::lgw::{ConvertedLgw, LgwLoaderSettings};
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};
use support::bundled;
use tobj::LoadOptions;

/// In MB/s.
const SPEED: f64 = 250.0;

/// Of the MB/s of the peer.
const TIMES_PEER: f64 = 3.0;

const BYTES: usize = 50 << 20;

/// Runs of which the fastest counts.
const RUNS: usize = 7;

fn main() {
    // Makes glibc's allocator keep memory that is freed, of both sides alike.
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
        if !is_asked_for(name) {
            continue;
        }
        let model = grids(side, kind);
        let text = write(&model).expect("what was made can be written");
        let obj = obj(&model);
        row(name, &text, Some(&obj));
    }
    for model in bundled("lgw") {
        row(&model.name, &model.bytes, None);
    }
    println!("limits: {SPEED} MB/s, and {TIMES_PEER} × the MB/s of tobj, which reads OBJ");
}

/// All are, or what the command line names.
fn is_asked_for(name: &str) -> bool {
    let mut asked = std::env::args().skip(1).filter(|of| !of.starts_with('-'));
    asked.next().is_none_or(|asked| name.contains(&asked))
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
        assert!(run(), "what is measured must be read");
        begin.elapsed()
    });
    times.min().unwrap_or_default()
}

/// As many grids of so many vertices along each side as make the text as long as it should be.
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
    for number in 0..count {
        file.meshes.push(grid(number, side, kind));
    }
    file
}

/// With as many digits as the game's exporter wrote.
fn digits(value: f32) -> f32 {
    let text = format!("{value:.6}");
    text.parse().unwrap_or_default()
}

fn grid(number: usize, side: u32, kind: GroupKind) -> Mesh<'static> {
    let mut vertices = Vertices::default();
    for row in 0..side {
        for column in 0..side {
            let (x, z) = (column as f32 * 1.7 - 83.6, row as f32 * 1.3 - 87.154);
            let y = (x * 0.37).sin() * 9.1 + (z * 0.21).cos() * 8.3 + number as f32;
            let (nx, nz) = ((x * 0.37).cos() * 0.31, (z * 0.21).sin() * 0.29);
            let ny = (1.0 - nx * nx - nz * nz).sqrt();
            let (u, v) = (column as f32 / side as f32, row as f32 / side as f32);
            vertices.push([x, y, z, u, v, nx, ny, nz].map(digits));
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
        name: format!("Mesh{number:02}").into(),
        material: Some(0),
        vertices,
        groups,
        ..Mesh::default()
    }
}

/// The same as OBJ, with the same digits.
fn obj(file: &LgwFile<'_>) -> Vec<u8> {
    let mut out = String::new();
    let mut first = 1;
    for mesh in &file.meshes {
        // Writing to a string does not fail.
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
