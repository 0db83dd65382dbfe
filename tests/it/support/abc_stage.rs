//! LithTech models on a [`Stage`], and control meshes that the CPU computes for comparison.

use super::abc::{node, track, vertex};
use super::alo_stage::image;
use super::app::KeepLoaded;
use crate::support::prelude::*;
use bevy_classic_models::lithtech::abc::Triangle;
use bevy_classic_models::lithtech::dtx::write::write_unchecked;
use zerocopy::little_endian::{F32, U16};

impl Stage {
    /// Spawns a LithTech model, and waits until its dependencies are loaded.
    pub fn spawn_abc(
        &mut self,
        file: &'static str,
        settings: AbcLoaderSettings,
        bundle: impl Bundle,
    ) -> Entity {
        let (root, model) = self.spawn_loaded::<Abc, _>(file, settings, bundle);
        // Bevy does not reload an asset without a strong handle.
        self.insert(root, KeepLoaded(model.untyped()));
        root
    }
}

/// The conversion from the file's axes to Bevy's: mirrored by default.
#[derive(Clone, Copy)]
pub struct Axes {
    pub mirrors: bool,
}

impl Axes {
    fn vector(self, [x, y, z]: [f32; 3]) -> Vec3 {
        Vec3::new(x, y, if self.mirrors { -z } else { z })
    }
}

pub const MIRRORED: Axes = Axes { mirrors: true };

/// A time of an animation, at a level of detail.
#[derive(Clone, Copy)]
pub struct Shown {
    pub clip: usize,
    pub seconds: f32,
    pub level: u32,
    pub axes: Axes,
}

impl Shown {
    pub fn new(clip: usize, seconds: f32) -> Self {
        Self {
            clip,
            seconds,
            level: 0,
            axes: MIRRORED,
        }
    }
}

/// The corners of all triangles of a level, counter-clockwise: vertices and texture coordinates.
fn corners(file: &AbcFile<'_>, (axes, level): (Axes, u32)) -> Vec<[(usize, [f32; 2]); 3]> {
    let triangles = file.geometry.lod(level).triangles;
    let swaps = axes.mirrors != file.transform().flip_geometry;
    triangles
        .iter()
        .map(|triangle| {
            let uvs = file.geometry.triangles[triangle.triangle as usize].clean_uvs();
            let corner = |corner: usize| (triangle.vertices[corner] as usize, uvs[corner]);
            [0, if swaps { 2 } else { 1 }, if swaps { 1 } else { 2 }].map(corner)
        })
        .collect()
}

fn positions(file: &AbcFile<'_>, shown: Shown) -> Vec<Vec3> {
    let positions = file.vertex_positions_in_model(Some(shown.clip), shown.seconds);
    let positions = positions.into_iter();
    positions
        .map(|position| shown.axes.vector(position))
        .collect()
}

/// The normals of vertices at these positions.
///
/// A vertex that is deformed or has no normal in the file gets the mean unit normal of its triangles in the full model.
/// If these cancel out, it keeps the normal of the file.
///
/// `rotated` rotates a normal of the file by the node of the vertex.
fn normals(
    file: &AbcFile<'_>,
    axes: Axes,
    positions: &[Vec3],
    rotated: impl Fn(usize, [f32; 3]) -> Vec3,
) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    let mut counts = vec![0.0; positions.len()];
    for corners in corners(file, (axes, 0)) {
        let [a, b, c] = corners.map(|(index, _)| positions[index]);
        for (index, _) in corners {
            normals[index] += (b - a).cross(c - a).normalize_or_zero();
            counts[index] += 1.0;
        }
    }
    let first = file.geometry.base_vertices as usize;
    for index in first..normals.len() {
        let pair = file.geometry.vertices[index].replacements;
        let pair = pair.map(|it| normals[usize::from(it.get())].normalize_or_zero());
        normals[index] = pair[0] + pair[1];
    }
    let stored = file.geometry.normals();
    for (index, normal) in normals.iter_mut().enumerate() {
        let node = usize::from(file.geometry.vertices[index].node);
        let deforms = !file.nodes[node].deform_vertices.is_empty();
        let cancel = normal.length() < 1e-3 * counts[index];
        if let (true, Some(stored)) = (!deforms || cancel, stored[index]) {
            *normal = rotated(node, stored);
        }
        *normal = normal.normalize_or(Vec3::Y);
    }
    normals
}

/// The expected mesh of a model.
pub fn control(file: &AbcFile<'_>, shown: Shown) -> Mesh {
    let positions = positions(file, shown);
    // Normals rotate with their nodes, whose rotations are interpolated spherically.
    let nodes = file.node_poses_in_model(Some(shown.clip), shown.seconds);
    let rotated = |node: usize, normal| {
        let [x, y, z, w] = nodes[node].rotation;
        let rotated = Quat::from_xyzw(x, y, z, w) * Vec3::from_array(normal);
        shown.axes.vector(rotated.to_array())
    };
    let normals = normals(file, shown.axes, &positions, rotated);
    mesh(
        &corners(file, (shown.axes, shown.level)),
        &positions,
        &normals,
    )
}

/// The expected mesh of the full model with the node transforms of a spawned instance. `positions` are the vertices in the
/// space of their nodes.
pub fn control_of(world: &World, root: Entity, file: &AbcFile<'_>, positions: &[[f32; 3]]) -> Mesh {
    let nodes = world.get::<AbcInstance>(root).unwrap().nodes().iter();
    let node = |entity: &Entity| world.get::<GlobalTransform>(*entity).unwrap().affine();
    let nodes: Vec<Affine3A> = nodes.map(node).collect();
    let vertices = file.geometry.vertices.iter().zip(positions);
    let positions = vertices.map(|(vertex, position)| {
        let position = MIRRORED.vector(*position);
        nodes[usize::from(vertex.node)].transform_point3(position)
    });
    let positions: Vec<Vec3> = positions.collect();
    let rotated = |node: usize, normal| {
        nodes[node]
            .transform_vector3(MIRRORED.vector(normal))
            .normalize()
    };
    let normals = normals(file, MIRRORED, &positions, rotated);
    mesh(&corners(file, (MIRRORED, 0)), &positions, &normals)
}

fn mesh(corners: &[[(usize, [f32; 2]); 3]], positions: &[Vec3], normals: &[Vec3]) -> Mesh {
    let corners = corners.as_flattened().iter();
    let at_corners =
        |all: &[Vec3]| -> Vec<Vec3> { corners.clone().map(|(index, _)| all[*index]).collect() };
    let normals: Vec<Vec3> = at_corners(normals)
        .into_iter()
        .map(Vec3::normalize)
        .collect();
    let uvs: Vec<[f32; 2]> = corners.clone().map(|(_, uv)| *uv).collect();
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, at_corners(positions))
    .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
    .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
}

/// 8 × 8 texels: a color for each quarter, each with its alpha.
pub fn colors(alphas: [u8; 4]) -> Vec<[u8; 4]> {
    let fine = quarters(alphas);
    texels(8, |x, y| fine[(32 * y + 2 * x) as usize])
}

impl Stage {
    /// Adds texels as a Bevy image with four mip levels, as in a DTX file.
    pub fn add_levels(&mut self, texels: &[[u8; 4]]) -> Handle<Image> {
        let mut image = image(texels, true);
        let side = texels.len().isqrt();
        let mut data = Vec::new();
        for level in 0..4 {
            let steps = (0..side).step_by(1 << level);
            let rows = steps.clone().map(|y| y * side);
            let indices = rows.flat_map(|row| steps.clone().map(move |x| row + x));
            data.extend(indices.flat_map(|index| texels[index]));
        }
        image.data = Some(data);
        image.texture_descriptor.mip_level_count = 4;
        self.world().resource_mut::<Assets<Image>>().add(image)
    }
}

/// A DTX file of version −3, with alpha if any texel is not opaque. Each mip level takes every second texel.
pub fn dtx(texels: &[[u8; 4]]) -> Vec<u8> {
    let mut colors: Vec<[u8; 3]> = Vec::new();
    let mut index = |[r, g, b, _]: &[u8; 4]| {
        let color = [*r, *g, *b];
        let existing = colors.iter().position(|existing| *existing == color);
        existing.unwrap_or_else(|| {
            colors.push(color);
            colors.len() - 1
        }) as u8
    };
    let indices: Vec<u8> = texels.iter().map(&mut index).collect();
    let side = texels.len().isqrt() as u16;
    let texture = DtxDocument::indexed(side, side, &colors, &indices);
    let alpha: Vec<u8> = texels.iter().map(|[.., alpha]| *alpha).collect();
    write_unchecked(&match alpha.iter().all(|alpha| *alpha == 255) {
        true => texture,
        false => texture.with_alpha(&alpha),
    })
}

/// A tower of two boxes. The upper one rotates on the lower one, and each side shows the whole texture. With both flips
/// it is the same model with inverted winding and rotations.
pub fn tower(transform_info: Option<TransformInfo>) -> AbcDocument {
    let flips = transform_info.map_or((true, true), |it| (it.flip_geometry, it.flip_animation));
    let mut geometry = GeometryDocument::default();
    for (index, (half, center)) in [
        ([10.0, 12.0, 6.0], [0.0, 0.0, 0.0]),
        ([7.0, 7.0, 9.0], [0.0, 1.0, 9.0]),
    ]
    .into_iter()
    .enumerate()
    {
        let (vertices, triangles) = cuboid(half, center);
        let first = geometry.vertices.len() as u16;
        for found in &vertices {
            // From Z up and right-handed to Y up and left-handed.
            let [position, normal] = [found.position, found.normal].map(|[x, y, z]| [x, z, y]);
            let normal = normal.map(|value| (value * 127.0) as i8);
            geometry
                .vertices
                .push(vertex(position, normal, 1 + index, [0; 2]));
        }
        for [a, b, c] in triangles {
            // Counter-clockwise in right-handed axes is clockwise in left-handed axes.
            let corners = if flips.0 { [a, b, c] } else { [a, c, b] };
            let uv = |corner: u16| vertices[usize::from(corner)].tex_coords[0].map(F32::new);
            geometry.triangles.push(Triangle {
                uvs: corners.map(uv),
                vertices: corners.map(|corner| U16::new(first + corner)),
                normal: [0; 3],
            });
        }
    }
    geometry.base_vertices = geometry.vertices.len() as u32;
    let rotation = |axis: Vec3, degrees: f32| {
        let rotation = Quat::from_axis_angle(axis.normalize(), degrees.to_radians());
        match flips.1 {
            true => rotation.conjugate(),
            false => rotation,
        }
        .to_array()
    };
    let animation = AnimationDocument {
        name: "turn".into(),
        length: 400,
        keyframes: vec![keyframe(0, ""), keyframe(100, ""), keyframe(400, "")],
        tracks: vec![
            track(&[([0.0, -6.0, 0.0], rotation(Vec3::Y, 10.0)); 3]),
            track(&[
                ([0.0; 3], IDENTITY_ROTATION),
                ([2.0, 0.0, 0.0], rotation(Vec3::Y, 30.0)),
                ([0.0, 2.0, -3.0], rotation(Vec3::new(1.0, 2.0, 0.0), -40.0)),
            ]),
            track(&[
                ([0.0, 6.0, 0.0], rotation(Vec3::X, 10.0)),
                ([0.0, 6.0, 1.0], rotation(Vec3::Z, 50.0)),
                ([1.0, 6.0, 0.0], rotation(Vec3::Y, -60.0)),
            ]),
        ],
        ..AnimationDocument::default()
    };
    AbcDocument {
        geometry,
        nodes: vec![
            node("Root", 0, node_flags::NULL, 1),
            node("Base", 1, node_flags::TRIANGLES, 1),
            node("Head", 2, node_flags::TRIANGLES, 0),
        ],
        animations: vec![animation],
        transform_info,
        ..AbcDocument::default()
    }
}

/// A ball made of rings, with the maximum count of levels of detail. Each level merges two vertices of each ring.
pub fn ball() -> AbcDocument {
    const RINGS: u16 = 9;
    const SIDES: u16 = 14;
    let mut geometry = GeometryDocument::default();
    for ring in 0..=RINGS {
        for side in 0..SIDES {
            let (height, radius) =
                (core::f32::consts::PI * f32::from(ring) / f32::from(RINGS)).sin_cos();
            let (radius, height) = (height, radius);
            let (sin, cos) =
                (core::f32::consts::TAU * f32::from(side) / f32::from(SIDES)).sin_cos();
            let normal = [radius * cos, height, radius * sin];
            let position = normal.map(|value| value * 20.0);
            geometry.vertices.push(vertex(
                position,
                normal.map(|it| (it * 127.0) as i8),
                0,
                [0; 2],
            ));
        }
    }
    let at = |ring: u16, side: u16| ring * SIDES + side % SIDES;
    let uv = |ring: u16, side: u16| [side, ring].map(|it| F32::new(f32::from(it) / 7.0));
    for ring in 0..RINGS {
        for side in 0..SIDES {
            let corners = [
                (ring, side),
                (ring, side + 1),
                (ring + 1, side),
                (ring + 1, side + 1),
            ];
            for triangle in [[0, 1, 2], [2, 1, 3]] {
                geometry.triangles.push(Triangle {
                    uvs: triangle.map(|it: usize| uv(corners[it].0, corners[it].1)),
                    vertices: triangle.map(|it: usize| U16::new(at(corners[it].0, corners[it].1))),
                    normal: [0; 3],
                });
            }
        }
    }
    geometry.base_vertices = geometry.vertices.len() as u32;
    let mut rings: Vec<Vec<u16>> = (0..=RINGS)
        .map(|ring| (0..SIDES).map(|side| at(ring, side)).collect())
        .collect();
    while rings.iter().any(|ring| ring.len() > 4) {
        for ring in rings.iter_mut().filter(|ring| ring.len() > 4) {
            // The two adjacent vertices that were merged least recently.
            let [a, b] = [ring.remove(0), ring.remove(0)];
            let middle = [a, b].map(|it| geometry.vertices[usize::from(it)].position.map(F32::get));
            let middle = [0, 1, 2].map(|axis| (middle[0][axis] + middle[1][axis]) / 2.0);
            ring.push(geometry.vertices.len() as u16);
            geometry
                .vertices
                .push(vertex(middle, [0; 3], 0, [a.min(b), a.max(b)]));
            geometry.lod_starts.push(0);
        }
    }
    AbcDocument {
        geometry,
        nodes: vec![node("Ball", 0, node_flags::TRIANGLES, 0)],
        animations: vec![AnimationDocument {
            keyframes: vec![keyframe(0, "")],
            tracks: vec![track(&[([0.0, 2.0, 0.0], IDENTITY_ROTATION)])],
            ..AnimationDocument::default()
        }],
        transform_info: Some(TransformInfo {
            flip_geometry: false,
            flip_animation: false,
        }),
        ..AbcDocument::default()
    }
}
