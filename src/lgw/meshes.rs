//! From the meshes of a file to Bevy's.

use crate::lgw::settings::{LgwLoaderSettings, LgwWinding};
use crate::lgw::text::{self, Vertices};
use crate::read::{Quoted, TextPosition, Warning};
use crate::scene::{is_near, replace_missing};
use bevy::asset::RenderAssetUsages;
use bevy::math::bounding::Aabb3d;
use bevy::math::{Vec3, Vec3A};
use bevy::mesh::{Indices, Mesh, PrimitiveTopology};

/// A mesh of a file, made.
#[derive(Clone, Debug)]
pub struct ConvertedMesh {
    /// Its name.
    pub name: Box<str>,
    /// The number of its material, which there may be or not.
    pub material: Option<i64>,
    /// How many vertices the file has of it.
    pub vertices: usize,
    /// How many triangles are drawn.
    pub triangles: usize,
    /// How many groups the file has them in.
    pub groups: usize,
    /// Vertices and triangles in the file's units; none if there are no triangles.
    pub mesh: Option<Mesh>,
    /// The box around its vertices; none if there are none.
    pub bounds: Option<Aabb3d>,
}

impl ConvertedMesh {
    /// Makes a mesh, and tells of vertices that no renderer can draw.
    pub(super) fn new(
        index: usize,
        mut file: text::Mesh<'_>,
        settings: &LgwLoaderSettings,
        warnings: &mut Vec<Warning>,
    ) -> Self {
        let vertices = file.vertices.len();
        let far = turn(&mut file.vertices, settings);
        if far > 0 {
            let name = Quoted(&file.name);
            let told = "too far away to be drawn, and stand at the origin";
            warnings.push(Warning {
                offset: 0,
                // Which of its lines they are in is not known any more.
                position: Some(TextPosition { line: 1, column: 1 }),
                message: format!("mesh {index} {name}: {far} of {vertices} vertices are {told}"),
            });
        }
        let bounds = bounds(&file.vertices.positions);
        // With the same number of bits for all, which those of most meshes fit into.
        let (indices, triangles) = if u16::try_from(vertices).is_ok() {
            let mut indices = triangles(&file, |index| index as u16);
            face(&mut indices, &mut file.vertices, settings);
            let count = indices.len();
            (Indices::U16(indices.into_flattened()), count)
        } else {
            let mut indices = triangles(&file, |index| index);
            face(&mut indices, &mut file.vertices, settings);
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

/// An index of a vertex.
trait Index: Copy + Into<u32> {}

impl Index for u16 {}
impl Index for u32 {}

/// The triangles of all groups.
fn triangles<I>(file: &text::Mesh<'_>, index: fn(u32) -> I) -> Vec<[I; 3]> {
    let indices = file.groups.iter().map(|group| group.max_triangle_count());
    let mut triangles = Vec::with_capacity(indices.sum());
    triangles.extend(file.triangles().map(|triangle| triangle.map(index)));
    triangles
}

/// Brings vertices into a right-handed space whose pictures begin at their top. How many were too far
/// away is told.
fn turn(vertices: &mut Vertices, settings: &LgwLoaderSettings) -> usize {
    let mut far = 0;
    for position in &mut vertices.positions {
        if !is_near(Vec3::from_array(*position)) {
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

/// Turns triangles round if they should be, and makes normals be of length 1.
fn face<I: Index>(triangles: &mut [[I; 3]], vertices: &mut Vertices, settings: &LgwLoaderSettings) {
    let is_turned = match settings.winding {
        // Without a majority of normals the file's order counts, as with `Keep`.
        LgwWinding::Auto => is_inside_out(triangles, vertices).unwrap_or(settings.is_mirrored()),
        // A mirror turns all of them.
        LgwWinding::Keep => settings.is_mirrored(),
        LgwWinding::Flip => !settings.is_mirrored(),
    };
    if is_turned {
        for triangle in triangles.iter_mut() {
            triangle.swap(1, 2);
        }
    }
    normalize(triangles, vertices);
}

/// The corners of a triangle out of a list.
fn corners<I: Index>(triangle: [I; 3], of: &[[f32; 3]]) -> [Vec3; 3] {
    triangle.map(|index| {
        let corner = of.get(index.into() as usize).copied();
        Vec3::from_array(corner.unwrap_or_default())
    })
}

/// At right angles to a triangle, on the side from which it is counter-clockwise.
fn across<I: Index>(triangle: [I; 3], vertices: &Vertices) -> Vec3 {
    let [a, b, c] = corners(triangle, &vertices.positions);
    (b - a).cross(c - a)
}

/// Whether more triangles face away from their normals than with them; none if as many do both.
fn is_inside_out<I: Index>(triangles: &[[I; 3]], vertices: &Vertices) -> Option<bool> {
    let mut votes = 0_isize;
    for (done, triangle) in triangles.iter().enumerate() {
        // The others cannot outvote them.
        if votes.unsigned_abs() > triangles.len() - done {
            break;
        }
        let [a, b, c] = corners(*triangle, &vertices.normals);
        let with = across(*triangle, vertices).dot(a + b + c);
        if with > 0.0 {
            votes += 1;
        } else if with < 0.0 {
            votes -= 1;
        }
    }
    (votes != 0).then_some(votes < 0)
}

/// Gives all normals the length 1. Those that have none are made of the triangles around.
fn normalize<I: Index>(triangles: &[[I; 3]], vertices: &mut Vertices) {
    let mut has_none = false;
    for normal in &mut vertices.normals {
        let length = Vec3::from_array(*normal).length_squared();
        if (length - 1.0).abs() > 1e-4 {
            let unit = unit(Vec3::from_array(*normal));
            has_none |= unit == Vec3::ZERO;
            *normal = unit.to_array();
        }
    }
    if !has_none {
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

/// The direction of a vector, however long it is; zero if it has none.
fn unit(vector: Vec3) -> Vec3 {
    let longest = vector.abs().max_element();
    (vector / longest).try_normalize().unwrap_or_default()
}

fn bounds(positions: &[[f32; 3]]) -> Option<Aabb3d> {
    let mut places = positions.iter().map(|place| Vec3A::from_array(*place));
    let first = places.next()?;
    let (min, max) = places.fold((first, first), |(min, max), place| {
        (min.min(place), max.max(place))
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
