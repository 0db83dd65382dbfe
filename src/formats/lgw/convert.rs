//! The conversion of a file to Bevy's types, before they become assets.

use crate::formats::lgw::settings::{LgwLoaderSettings, LgwWinding};
use crate::geometry::vertices::{is_position_in_range, replace_missing};
use crate::load::error::{check_counts, limit};
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use classic_model_formats::lgw as text;
use classic_model_formats::lgw::{LgwFile, Vertices};
use classic_model_formats::read::{Format, ParseError, Quoted, TextPosition, Warning};
use core::mem::take;

/// A parsed model with its meshes converted to Bevy's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedLgw<'a> {
    /// The parsed file, without its meshes and warnings.
    pub file: LgwFile<'a>,
    /// The converted meshes, in file order.
    pub meshes: Vec<ConvertedMesh>,
    /// The warnings of the parser and of the conversion.
    pub warnings: Vec<Warning>,
}

impl<'a> ConvertedLgw<'a> {
    /// Parses a file and converts its meshes.
    ///
    /// # Errors
    /// A [`ParseError`] with line and column: see [`text::parse`].
    pub fn load(bytes: &'a [u8], settings: &LgwLoaderSettings) -> Result<Self, ParseError> {
        let mut file = text::parse(bytes, settings.tolerance)?;
        check_limits(&file, bytes.len())?;
        let mut warnings = take(&mut file.warnings);
        // Takes the meshes, so that each is freed when it is converted.
        let meshes = take(&mut file.meshes).into_iter().enumerate();
        let meshes = meshes
            .map(|(index, mesh)| ConvertedMesh::new(index, mesh, settings, &mut warnings))
            .collect();
        Ok(Self {
            file,
            meshes,
            warnings,
        })
    }
}

/// A converted mesh of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedMesh {
    /// Name of the mesh.
    pub name: Box<str>,
    /// The id of its material. The file may have no material with this id.
    pub material: Option<i64>,
    /// The count of vertices in the file.
    pub vertices: usize,
    /// The count of drawn triangles.
    pub triangles: usize,
    /// The count of triangle groups in the file.
    pub groups: usize,
    /// The Bevy mesh, in the file's units; `None` if there are no triangles.
    pub mesh: Option<Mesh>,
    /// The box around its vertices, in the file's units; `None` if there are no vertices.
    pub bounds: Option<Aabb3d>,
}

impl ConvertedMesh {
    /// Converts a mesh. Adds a warning if vertices are too far away to be drawn.
    pub(crate) fn new(
        index: usize,
        mut file: text::Mesh<'_>,
        settings: &LgwLoaderSettings,
        warnings: &mut Vec<Warning>,
    ) -> Self {
        let vertices = file.vertices.len();
        let far = convert_space(&mut file.vertices, settings);
        if far > 0 {
            let name = Quoted(&file.name);
            warnings.push(Warning {
                offset: 0,
                // The parsed mesh doesn't have the positions of vertices in the text.
                position: Some(TextPosition { line: 1, column: 1 }),
                message: format!(
                    "mesh {index} {name}: {far} of {vertices} vertices are too far away to be drawn; \
                     moved to the origin"
                ),
            });
        }
        let bounds = bounds(&file.vertices.positions);
        // 16-bit indices if the vertex count allows, as for most meshes.
        let (indices, triangles) = if u16::try_from(vertices).is_ok() {
            let mut indices = triangles(&file, |index| index as u16);
            orient(&mut indices, &mut file.vertices, settings);
            let count = indices.len();
            (Indices::U16(indices.into_flattened()), count)
        } else {
            let mut indices = triangles(&file, |index| index);
            orient(&mut indices, &mut file.vertices, settings);
            let count = indices.len();
            (Indices::U32(indices.into_flattened()), count)
        };
        Self {
            name: file.name.into(),
            material: file.material,
            vertices,
            triangles,
            groups: file.groups.len(),
            mesh: (triangles > 0).then(|| mesh(file.vertices, indices, settings.asset_usage)),
            bounds,
        }
    }
}

/// The triangles of all groups.
fn triangles<I>(file: &text::Mesh<'_>, index: fn(u32) -> I) -> Vec<[I; 3]> {
    let counts = file.groups.iter().map(|group| group.max_triangle_count());
    let mut triangles = Vec::with_capacity(counts.sum());
    triangles.extend(file.triangles().map(|triangle| triangle.map(index)));
    triangles
}

/// Converts vertices to a right-handed space, and UVs to V pointing down. Moves vertices that are too far
/// away to the origin, and returns their count.
fn convert_space(vertices: &mut Vertices, settings: &LgwLoaderSettings) -> usize {
    let mut far = 0;
    for position in &mut vertices.positions {
        if !is_position_in_range(Vec3::from_array(*position)) {
            *position = [0.0; 3];
            far += 1;
        }
    }
    if settings.flip_v {
        for [_, v] in &mut vertices.uvs {
            *v = 1.0 - *v;
        }
    }
    if settings.is_mirrored() {
        let mirror = settings.mirror();
        let positions = vertices.positions.iter_mut();
        for vector in positions.chain(&mut vertices.normals) {
            *vector = (Vec3::from_array(*vector) * mirror).to_array();
        }
    }
    far
}

/// Reverses the winding of the triangles if the settings require it, and normalizes the normals.
fn orient<I: Copy + Into<u32>>(
    triangles: &mut [[I; 3]],
    vertices: &mut Vertices,
    settings: &LgwLoaderSettings,
) {
    let is_reversed = match settings.winding {
        // Without a majority of normals, the same as `Keep`.
        LgwWinding::Auto => is_inside_out(triangles, vertices).unwrap_or(settings.is_mirrored()),
        // Mirroring reverses the winding.
        LgwWinding::Keep => settings.is_mirrored(),
        LgwWinding::Flip => !settings.is_mirrored(),
    };
    if is_reversed {
        for triangle in triangles.iter_mut() {
            triangle.swap(1, 2);
        }
    }
    normalize(triangles, vertices);
}

/// The values of a triangle's corners. Zero for an index that is out of range.
fn corners<I: Copy + Into<u32>>(triangle: [I; 3], values: &[[f32; 3]]) -> [Vec3; 3] {
    triangle.map(|index| {
        let corner = values.get(index.into() as usize).copied();
        Vec3::from_array(corner.unwrap_or_default())
    })
}

/// The unnormalized normal of a triangle, on the side from which it is counterclockwise.
fn triangle_normal<I: Copy + Into<u32>>(triangle: [I; 3], vertices: &Vertices) -> Vec3 {
    let [a, b, c] = corners(triangle, &vertices.positions);
    (b - a).cross(c - a)
}

/// Whether most triangles face away from their vertex normals; `None` if there is no majority.
fn is_inside_out<I: Copy + Into<u32>>(triangles: &[[I; 3]], vertices: &Vertices) -> Option<bool> {
    let mut votes = 0_isize;
    for (done, triangle) in triangles.iter().enumerate() {
        // The remaining triangles can't change the majority.
        if votes.unsigned_abs() > triangles.len() - done {
            break;
        }
        let [a, b, c] = corners(*triangle, &vertices.normals);
        let agreement = triangle_normal(*triangle, vertices).dot(a + b + c);
        if agreement > 0.0 {
            votes += 1;
        } else if agreement < 0.0 {
            votes -= 1;
        }
    }
    (votes != 0).then_some(votes < 0)
}

/// Normalizes all normals. A zero normal is replaced by the mean normal of the vertex's triangles.
fn normalize<I: Copy + Into<u32>>(triangles: &[[I; 3]], vertices: &mut Vertices) {
    let mut has_zero = false;
    for normal in &mut vertices.normals {
        let length = Vec3::from_array(*normal).length_squared();
        if (length - 1.0).abs() > 1e-4 {
            let unit = unit(Vec3::from_array(*normal));
            has_zero |= unit == Vec3::ZERO;
            *normal = unit.to_array();
        }
    }
    if !has_zero {
        return;
    }
    let triangles = triangles.iter().copied();
    replace_missing(
        &mut vertices.normals,
        |normal| *normal == [0.0; 3],
        &vertices.positions,
        triangles.map(|triangle| triangle.map(|index| index.into() as usize)),
        Vec3::Y,
    );
}

/// The direction of a vector of any finite length; zero for a zero vector.
fn unit(vector: Vec3) -> Vec3 {
    let longest = vector.abs().max_element();
    (vector / longest).try_normalize().unwrap_or_default()
}

fn bounds(positions: &[[f32; 3]]) -> Option<Aabb3d> {
    let mut positions = positions.iter().map(|at| Vec3A::from_array(*at));
    let first = positions.next()?;
    let (min, max) = positions.fold((first, first), |(min, max), position| {
        (min.min(position), max.max(position))
    });
    Some(Aabb3d { min, max })
}

fn mesh(vertices: Vertices, indices: Indices, usage: RenderAssetUsages) -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, usage)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vertices.positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vertices.normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, vertices.uvs)
        .with_inserted_indices(indices)
}

/// Returns an error if a count exceeds its limit. `length` is the file's, in bytes.
pub(crate) fn check_limits(file: &LgwFile<'_>, length: usize) -> Result<(), ParseError> {
    let limits = [
        limit!(file.meshes.len(), "meshes", 192, per 384, "384 bytes"),
        limit!(file.materials.len(), "materials", 128, per 512, "512 bytes"),
    ];
    let start = TextPosition { line: 1, column: 1 };
    check_counts(Format::Lgw, Some(start), length, &limits)
}
