//! Models for the benchmarks: from the assets, from the corpus, and generated.

use crate::samples;
use bevy::math::Vec3;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write_unchecked};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh, Vertex};
use bevy_classic_models::alamo::particles::is_particle_system;
use bevy_classic_models::alamo::particles::plugins::is_plugin_system;
use bevy_classic_models::quake::mdl::write::{
    FrameDocument, Grid, MdlDocument, Shape, SkinDocument, quantize,
};
use bevy_classic_models::quake::mdl::{Header, Precision, StVertex, Triangle};
use core::f32::consts::TAU;
use std::path::Path;
use std::process::Command;

/// A file in memory.
#[derive(Clone)]
pub struct Model {
    /// The file name, for tables.
    pub name: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

/// The Quake models in the folder `quake` of the corpus if `CLASSIC_MODELS_CORPUS` is set, otherwise the bundled ones.
pub fn models() -> Vec<Model> {
    let folder = match std::env::var_os("CLASSIC_MODELS_CORPUS") {
        Some(corpus) => Path::new(&corpus).join("quake"),
        None => samples().join("models"),
    };
    files(&folder, "mdl")
}

/// The bundled Alamo models, and all of the corpus. Without particle systems.
pub fn alo_models() -> Vec<Model> {
    let mut models = [bundled("alo"), corpus("alo")].concat();
    models.retain(|Model { bytes, .. }| !is_particle_system(bytes) && !is_plugin_system(bytes));
    models
}

/// The bundled Alamo particle systems, and all of the corpus. Without those made of plug-ins.
pub fn particle_systems() -> Vec<Model> {
    let mut systems = [bundled("alo"), corpus("alo")].concat();
    systems.retain(|model| is_particle_system(&model.bytes));
    systems
}

/// The bundled Alamo animations, and all of the corpus.
pub fn ala_files() -> Vec<Model> {
    [bundled("ala"), corpus("ala")].concat()
}

/// The text of an LGW model of one triangle, with a material per texture.
pub fn lgw_triangle(textures: &[String]) -> String {
    let material = |(index, texture): (usize, &String)| {
        format!(
            "  MATERIAL {index} \"{index}\" TEXTURE 0 FILE_NAME \"{texture}\" END_OF_TEXTURE END_OF_MATERIAL\n"
        )
    };
    let materials: String = textures.iter().enumerate().map(material).collect();
    format!(
        r#"MODEL "wall" EXPORT_VERSION 4
MATERIAL_LIST
{materials}END_OF_MATERIAL_LIST
MESH "wall" MATERIAL_REF 0
  VERTS 3 0 0 0 0 0 0 0 1 1 0 0 1 0 0 0 1 0 1 0 0 1 0 0 1
  PRIMITIVE_GEOMETRY_GROUPS 1 GROUP 0 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 0
END_OF_MESH "wall"
END_OF_MODEL
"#
    )
}

/// A TGA image with this many texels per side.
pub fn tga_square(side: u8) -> Vec<u8> {
    let mut bytes = vec![
        0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, side, 0, side, 0, 32, 0x28,
    ];
    bytes.extend([200].repeat(usize::from(side) * usize::from(side) * 4));
    bytes
}

/// The bundled files with this extension.
pub fn bundled(extension: &str) -> Vec<Model> {
    files(&samples(), extension)
}

/// All files with this extension in the corpus. Empty unless `CLASSIC_MODELS_CORPUS` is set.
pub fn corpus(extension: &str) -> Vec<Model> {
    let corpus = std::env::var_os("CLASSIC_MODELS_CORPUS");
    corpus.map_or_else(Vec::new, |corpus| files(Path::new(&corpus), extension))
}

/// All files with this extension in a folder and its subfolders, in order of their paths. Ignores case.
fn files(folder: &Path, extension: &str) -> Vec<Model> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else {
            continue;
        };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|actual| actual.eq_ignore_ascii_case(extension))
            {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.iter().filter_map(|path| read(path)).collect()
}

/// A large Alamo model: 100 meshes of 10,000 vertices, in three vertex formats.
pub fn large_alo() -> Model {
    let vertex = |row: u16, column: u16| Vertex {
        position: [f32::from(row), f32::from(column), f32::from(row % 7)],
        normal: [0.0, 0.0, 1.0],
        tex_coords: [
            [f32::from(row) / 100.0, f32::from(column) / 100.0],
            [0.0; 2],
            [0.0; 2],
            [0.0; 2],
        ],
        tangent: [1.0, 0.0, 0.0],
        binormal: [0.0, 1.0, 0.0],
        color: [1.0; 4],
        bone_indices: [u32::from(row) % 2, 0, 0, 0],
        bone_weights: [1.0, 0.0, 0.0, 0.0],
    };
    let vertices: Vec<Vertex> = (0..100)
        .flat_map(|row| (0..100).map(move |column| vertex(row, column)))
        .collect();
    let mut triangles = Vec::new();
    for row in 0..99 {
        for column in 0..99 {
            let first = 100 * row + column;
            triangles.push([first, first + 1, first + 100]);
            triangles.push([first + 1, first + 101, first + 100]);
        }
    }
    let rigid = SubmeshBuffers::new(&vertices, &triangles);
    let skinned = SubmeshBuffers::new(&vertices, &triangles).with_palette(&[1, 2]);
    let root = Bone::new("Root", None, [0.0; 3]);
    let bone = |name: &'static str| Bone::new(name, Some(0), [0.0; 3]);
    let mut file = AloFile::new(vec![root, bone("A"), bone("B")]);
    for index in 0..100_u32 {
        let submesh = match index % 3 {
            0 => rigid.submesh("MeshGloss.fx", "alD3dVertNU2", vec![]),
            1 => rigid.submesh("MeshBumpColorize.fx", "alD3dVertNU2U3U3", vec![]),
            _ => skinned.submesh("RSkinGloss.fx", "alD3dVertRSkinNU2", vec![]),
        };
        let mesh = Mesh::new(format!("Mesh{index}"), 1, vec![submesh]);
        file.meshes.push(mesh);
    }
    Model {
        name: "synthetic 100 × 10,000".into(),
        bytes: write_unchecked(&file),
    }
}

/// Reads a file. `None` if that fails.
fn read(path: &Path) -> Option<Model> {
    Some(Model {
        name: path.file_name()?.to_string_lossy().into_owned(),
        bytes: std::fs::read(path).ok()?,
    })
}

/// The size of a [`synthetic`] model.
pub struct Size {
    /// Rows of vertices from pole to pole.
    pub rows: usize,
    /// Vertices per row.
    pub columns: usize,
    /// Pose count. Each pose is a separate frame.
    pub poses: usize,
    /// Texels per side of the only skin.
    pub skin: u32,
}

/// A Quake model of a ball with an animated wave from pole to pole.
pub fn synthetic(name: &str, size: &Size) -> Model {
    let shapes: Vec<Shape> = (0..size.poses).map(|pose| shape(size, pose)).collect();
    let quantized = quantize(&shapes, Precision::Bits8, Grid::around(&shapes));
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

/// Calls `vertex` for each vertex with its polar and azimuthal position, 0 to 1 each.
fn grid<T>(size: &Size, vertex: impl Fn(&Size, f32, f32) -> T) -> Vec<T> {
    let fraction = |index: usize, count: usize| index as f32 / (count.max(2) - 1) as f32;
    (0..size.rows)
        .flat_map(|row| (0..size.columns).map(move |column| (row, column)))
        .map(|(row, column)| {
            vertex(
                size,
                fraction(row, size.rows),
                fraction(column, size.columns),
            )
        })
        .collect()
}

/// The shape of a pose.
fn shape(size: &Size, pose: usize) -> Shape {
    let time = pose as f32 / size.poses as f32;
    let direction = |_: &Size, polar: f32, azimuth: f32| {
        let (ring, height) = (polar * TAU / 2.0).sin_cos();
        let (y, x) = (azimuth * TAU).sin_cos();
        Vec3::new(x * ring, y * ring, height)
    };
    let radius = |_: &Size, polar: f32, _: f32| 20.0 + 6.0 * ((polar + time) * TAU).sin();
    let normals = grid(size, direction);
    let radii = grid(size, radius);
    Shape {
        name: format!("wave{pose}"),
        positions: normals
            .iter()
            .zip(radii)
            .map(|(normal, radius)| (*normal * radius).to_array())
            .collect(),
        normals: normals.iter().map(Vec3::to_array).collect(),
    }
}

fn st_vertex(size: &Size, polar: f32, azimuth: f32) -> StVertex {
    let texel = |fraction: f32| ((fraction * (size.skin - 1) as f32) as i32).into();
    StVertex {
        on_seam: 0.into(),
        s: texel(azimuth),
        t: texel(polar),
    }
}

/// Two triangles for each quad of the grid, clockwise when seen from outside.
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

/// The median of some values; 0 if there are none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Starts `classic-models`: the program at a path, or the one of the workspace, which is built in release mode first.
pub fn tool_command(path: Option<&str>) -> Command {
    let cargo = || {
        let mut command = Command::new(env!("CARGO"));
        let package = ["--package", "classic-models", "--"];
        command.args(["run", "--quiet", "--release"]).args(package);
        command
    };
    path.map_or_else(cargo, Command::new)
}
