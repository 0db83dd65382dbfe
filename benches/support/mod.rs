//! What the benchmarks share: models to measure with.

#![allow(dead_code, reason = "no benchmark needs all of it")]

use bevy::math::Vec3;
use bevy_classic_models::quake::mdl::write::{
    FrameDocument, MdlDocument, Shape, SkinDocument, quantize,
};
use bevy_classic_models::quake::mdl::{Header, Precision, StVertex, Triangle};
use core::f32::consts::TAU;
use std::path::{Path, PathBuf};

/// A model as a file.
pub struct Model {
    /// Its name, for tables.
    pub name: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

/// The Quake models of the corpus that `CLASSIC_MODELS_CORPUS` names, or else the bundled ones.
pub fn models() -> Vec<Model> {
    let folder = match std::env::var_os("CLASSIC_MODELS_CORPUS") {
        Some(corpus) => Path::new(&corpus).join("quake"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models"),
    };
    let mut paths = files(&folder);
    paths.sort();
    paths.iter().filter_map(|path| read(path)).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "mdl"))
        .collect()
}

fn read(path: &Path) -> Option<Model> {
    Some(Model {
        name: path.file_name()?.to_string_lossy().into_owned(),
        bytes: std::fs::read(path).ok()?,
    })
}

/// How large [`synthetic`] makes a model.
pub struct Size {
    /// Rows of vertices from pole to pole.
    pub rows: usize,
    /// Vertices per row.
    pub columns: usize,
    /// Poses, each a frame of its own.
    pub poses: usize,
    /// Texels per side of its one skin.
    pub skin: u32,
}

/// A ball on which a wave runs from pole to pole.
pub fn synthetic(name: &str, size: &Size) -> Model {
    let shapes: Vec<Shape> = (0..size.poses).map(|pose| shape(size, pose)).collect();
    let quantized = quantize(&shapes, Precision::Bits8);
    let texels =
        (0..size.skin * size.skin).map(|texel| (texel.wrapping_mul(0x9e37_79b9) >> 24) as u8);
    let document = MdlDocument {
        precision: Precision::Bits8,
        header: Header {
            scale: quantized.scale,
            origin: quantized.origin,
            radius: quantized.radius,
            eye_position: [0.0; 3],
            skin_width: size.skin,
            skin_height: size.skin,
            sync_type: 0,
            flags: 0,
            average_triangle_size: 1.0,
        },
        skins: vec![SkinDocument::Single(texels.collect())],
        st_vertices: grid(size, st_vertex),
        triangles: triangles(size),
        frames: quantized
            .poses
            .into_iter()
            .map(FrameDocument::Single)
            .collect(),
    };
    Model {
        name: name.into(),
        bytes: document.to_bytes(),
    }
}

/// Something for every vertex, from its way down from the pole and around it, 0 to 1 each.
fn grid<T>(size: &Size, vertex: impl Fn(&Size, f32, f32) -> T) -> Vec<T> {
    let part = |index: usize, count: usize| index as f32 / (count.max(2) - 1) as f32;
    (0..size.rows)
        .flat_map(|row| (0..size.columns).map(move |column| (row, column)))
        .map(|(row, column)| vertex(size, part(row, size.rows), part(column, size.columns)))
        .collect()
}

fn shape(size: &Size, pose: usize) -> Shape {
    let time = pose as f32 / size.poses as f32;
    let direction = |_: &Size, down: f32, around: f32| {
        let (ring, height) = (down * TAU / 2.0).sin_cos();
        let (y, x) = (around * TAU).sin_cos();
        Vec3::new(x * ring, y * ring, height)
    };
    let radius = |_: &Size, down: f32, _: f32| 20.0 + 6.0 * ((down + time) * TAU).sin();
    let normals = grid(size, direction);
    let radii = grid(size, radius);
    Shape {
        name: format!("wave{pose}"),
        positions: normals
            .iter()
            .zip(radii)
            .map(|(normal, radius)| *normal * radius)
            .collect(),
        normals,
    }
}

fn st_vertex(size: &Size, down: f32, around: f32) -> StVertex {
    let texel = |part: f32| ((part * (size.skin - 1) as f32) as i32).into();
    StVertex {
        on_seam: 0.into(),
        s: texel(around),
        t: texel(down),
    }
}

/// Two triangles between every four neighbours, clockwise from outside.
fn triangles(size: &Size) -> Vec<Triangle> {
    let mut triangles = Vec::new();
    for row in 1..size.rows {
        for column in 1..size.columns {
            let corner = |row: usize, column: usize| (row * size.columns + column) as i32;
            let [a, b] = [corner(row - 1, column - 1), corner(row - 1, column)];
            let [c, d] = [corner(row, column - 1), corner(row, column)];
            for vertices in [[a, b, c], [b, d, c]] {
                triangles.push(Triangle {
                    faces_front: 1.into(),
                    vertices: vertices.map(Into::into),
                });
            }
        }
    }
    triangles
}

/// The middle of some measurements.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
