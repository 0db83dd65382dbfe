//! LithTech models on a stage, and controls of them that Bevy draws from what the CPU computed.

use super::abc::{IDENTITY_ROTATION, keyframe, node, track, vertex};
use super::alo_stage::{cuboid, image, quarters, texels};
use super::stage::Stage;
use bevy::asset::RenderAssetUsages;
use bevy::math::Affine3A;
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::write::{AbcDocument, AnimationDocument, GeometryDocument};
use bevy_classic_models::lithtech::abc::{AbcFile, TransformInfo, Triangle, node_flags};
use bevy_classic_models::lithtech::dtx::write::{DtxDocument, write_unchecked};
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::prelude::*;
use zerocopy::little_endian::{F32, U16};

impl Stage {
    /// Spawns a LithTech model of the files and waits for all it wears.
    pub fn spawn_abc(
        &mut self,
        file: &'static str,
        settings: AbcLoaderSettings,
        bundle: impl Bundle,
    ) -> Entity {
        let server = self.world().resource::<AssetServer>().clone();
        let set = move |to: &mut AbcLoaderSettings| *to = settings.clone();
        let model: Handle<Abc> = server.load_builder().with_settings(set).load(file);
        self.headless.wait_until("the model is loaded", |_| {
            server.is_loaded_with_dependencies(&model)
        });
        let abcs = self.world().resource::<Assets<Abc>>();
        let scene = abcs.get(&model).unwrap().scene.clone();
        // Whoever lets go of the handle would not see the file change.
        let root = (WorldAssetRoot(scene), KeepsAbc(model), bundle);
        let root = self.world().spawn(root).id();
        self.headless.wait_until("the model is there", |world| {
            world.get::<AbcInstance>(root).is_some()
        });
        root
    }
}

#[derive(Component)]
struct KeepsAbc(#[expect(dead_code, reason = "it is kept, not read")] Handle<Abc>);

/// Which way the file's axes become Bevy's: by default mirrored.
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

/// A moment of an animation at a level of detail.
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
    let left = file.geometry.lod(level).triangles;
    let swaps = axes.mirrors != file.transform().flip_geometry;
    left.iter()
        .map(|left| {
            let uvs = file.geometry.triangles[left.triangle as usize].clean_uvs();
            let corner = |corner: usize| (left.vertices[corner] as usize, uvs[corner]);
            [0, if swaps { 2 } else { 1 }, if swaps { 1 } else { 2 }].map(corner)
        })
        .collect()
}

fn positions(file: &AbcFile<'_>, shown: Shown) -> Vec<Vec3> {
    let positions = file.vertex_positions_in_model(Some(shown.clip), shown.seconds);
    let positions = positions.into_iter();
    positions.map(|place| shown.axes.vector(place)).collect()
}

/// The normals of vertices that are at these places: the means of the unit normals of the full model's triangles
/// around where vertices deform or the file has none, unless they cancel each other out.
///
/// `turned` turns the normals of the file with the nodes of the vertices.
fn normals(
    file: &AbcFile<'_>,
    axes: Axes,
    positions: &[Vec3],
    turned: impl Fn(usize, [f32; 3]) -> Vec3,
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
            *normal = turned(node, stored);
        }
        *normal = normal.normalize_or(Vec3::Y);
    }
    normals
}

/// A model as it should look.
pub fn control(file: &AbcFile<'_>, shown: Shown) -> Mesh {
    let positions = positions(file, shown);
    // They turn with their nodes, which do so on an arc and not on a line.
    let nodes = file.node_poses_in_model(Some(shown.clip), shown.seconds);
    let turned = |node: usize, normal| {
        let [x, y, z, w] = nodes[node].rotation;
        let turned = Quat::from_xyzw(x, y, z, w) * Vec3::from_array(normal);
        shown.axes.vector(turned.to_array())
    };
    let normals = normals(file, shown.axes, &positions, turned);
    mesh(
        &corners(file, (shown.axes, shown.level)),
        &positions,
        &normals,
    )
}

/// A full model whose nodes are where those of a spawned one are, and its vertices at these places in
/// their nodes.
pub fn control_of(world: &World, root: Entity, file: &AbcFile<'_>, places: &[[f32; 3]]) -> Mesh {
    let nodes = world.get::<AbcInstance>(root).unwrap().nodes().iter();
    let node = |entity: &Entity| world.get::<GlobalTransform>(*entity).unwrap().affine();
    let nodes: Vec<Affine3A> = nodes.map(node).collect();
    let vertices = file.geometry.vertices.iter().zip(places);
    let positions = vertices.map(|(vertex, place)| {
        let place = MIRRORED.vector(*place);
        nodes[usize::from(vertex.node)].transform_point3(place)
    });
    let positions: Vec<Vec3> = positions.collect();
    let turned = |node: usize, normal| {
        nodes[node]
            .transform_vector3(MIRRORED.vector(normal))
            .normalize()
    };
    let normals = normals(file, MIRRORED, &positions, turned);
    mesh(&corners(file, (MIRRORED, 0)), &positions, &normals)
}

fn mesh(corners: &[[(usize, [f32; 2]); 3]], positions: &[Vec3], normals: &[Vec3]) -> Mesh {
    let corners = corners.as_flattened().iter();
    let of =
        |all: &[Vec3]| -> Vec<Vec3> { corners.clone().map(|(index, _)| all[*index]).collect() };
    let normals: Vec<Vec3> = of(normals).into_iter().map(Vec3::normalize).collect();
    let uvs: Vec<[f32; 2]> = corners.clone().map(|(_, uv)| *uv).collect();
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, of(positions))
    .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
    .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
}

/// Four colours that tell every corner from every other.
pub fn colors(alphas: [u8; 4]) -> Vec<[u8; 4]> {
    let fine = quarters(alphas);
    texels(8, |x, y| fine[(32 * y + 2 * x) as usize])
}

impl Stage {
    /// Those texels as an image of Bevy's with the levels that a DTX picture has.
    pub fn add_levels(&mut self, texels: &[[u8; 4]]) -> Handle<Image> {
        let mut image = image(texels, true);
        let side = texels.len().isqrt();
        let mut data = Vec::new();
        for level in 0..4 {
            let places = (0..side).step_by(1 << level);
            let rows = places.clone().map(|y| y * side);
            let places = rows.flat_map(|row| places.clone().map(move |x| row + x));
            data.extend(places.flat_map(|place| texels[place]));
        }
        image.data = Some(data);
        image.texture_descriptor.mip_level_count = 4;
        self.world().resource_mut::<Assets<Image>>().add(image)
    }
}

/// Texels as a picture of version −3, with their alpha if they have any. Its smaller levels are made
/// of every second texel.
pub fn dtx(texels: &[[u8; 4]]) -> Vec<u8> {
    let mut colors: Vec<[u8; 3]> = Vec::new();
    let mut index = |[r, g, b, _]: &[u8; 4]| {
        let color = [*r, *g, *b];
        let known = colors.iter().position(|known| *known == color);
        known.unwrap_or_else(|| {
            colors.push(color);
            colors.len() - 1
        }) as u8
    };
    let indices: Vec<u8> = texels.iter().map(&mut index).collect();
    let side = texels.len().isqrt() as u16;
    let picture = DtxDocument::indexed(side, side, &colors, &indices);
    let alpha: Vec<u8> = texels.iter().map(|[.., alpha]| *alpha).collect();
    write_unchecked(&match alpha.iter().all(|alpha| *alpha == 255) {
        true => picture,
        false => picture.with_alpha(&alpha),
    })
}

/// A tower of two boxes of which the upper turns on the lower, each side with the whole picture; when both are
/// flipped, it is the same model told the other way round.
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
            // Counter-clockwise where they are right-handed is clockwise here.
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
    let turn = |axis: Vec3, degrees: f32| {
        let turn = Quat::from_axis_angle(axis.normalize(), degrees.to_radians());
        if flips.1 { turn.conjugate() } else { turn }.to_array()
    };
    let animation = AnimationDocument {
        name: "turn".into(),
        length: 400,
        keyframes: vec![keyframe(0, ""), keyframe(100, ""), keyframe(400, "")],
        tracks: vec![
            track(&[([0.0, -6.0, 0.0], turn(Vec3::Y, 10.0)); 3]),
            track(&[
                ([0.0; 3], IDENTITY_ROTATION),
                ([2.0, 0.0, 0.0], turn(Vec3::Y, 30.0)),
                ([0.0, 2.0, -3.0], turn(Vec3::new(1.0, 2.0, 0.0), -40.0)),
            ]),
            track(&[
                ([0.0, 6.0, 0.0], turn(Vec3::X, 10.0)),
                ([0.0, 6.0, 1.0], turn(Vec3::Z, 50.0)),
                ([1.0, 6.0, 0.0], turn(Vec3::Y, -60.0)),
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

/// A ball of rings whose vertices fall together one after the other, in as many levels of detail as there can be.
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
            let place = normal.map(|value| value * 20.0);
            geometry.vertices.push(vertex(
                place,
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
            for of in [[0, 1, 2], [2, 1, 3]] {
                geometry.triangles.push(Triangle {
                    uvs: of.map(|it: usize| uv(corners[it].0, corners[it].1)),
                    vertices: of.map(|it: usize| U16::new(at(corners[it].0, corners[it].1))),
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
            // The two neighbours that are furthest back.
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
