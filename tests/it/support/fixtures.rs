//! Models made by our own writer, with every field by its name.

use bevy::math::Vec3;
use bevy_classic_models::quake::mdl::write::{
    FrameDocument, MdlDocument, PoseDocument, Shape, SkinDocument, corner, pose_name, quantize,
};
use bevy_classic_models::quake::mdl::{Header, Precision, StVertex, TriVertex, Triangle};

/// A texture coordinate.
pub fn st(on_seam: i32, s: i32, t: i32) -> StVertex {
    StVertex {
        on_seam: on_seam.into(),
        s: s.into(),
        t: t.into(),
    }
}

/// A triangle.
pub fn triangle(faces_front: i32, vertices: [i32; 3]) -> Triangle {
    Triangle {
        faces_front: faces_front.into(),
        vertices: vertices.map(Into::into),
    }
}

fn pose(name: &str, vertices: &[([u8; 3], u8)]) -> PoseDocument {
    let vertices: Vec<_> = vertices
        .iter()
        .map(|&(position, normal)| TriVertex { position, normal })
        .collect();
    PoseDocument {
        name: pose_name(name),
        min: corner(&vertices, u8::min),
        max: corner(&vertices, u8::max),
        vertices,
        low_vertices: Vec::new(),
    }
}

/// A tetrahedron that has everything the format can hold and is small enough to be truncated at
/// every byte: a skin and a skin group, a seam, frames and a frame group. It parses without warnings.
pub fn tetrahedron() -> MdlDocument {
    let shape = |name: &str, top: u8| {
        pose(
            name,
            &[
                ([0, 0, 0], 5),
                ([100, 0, 0], 52),
                ([0, 100, 0], 32),
                ([0, 0, top], 161),
            ],
        )
    };
    let picture = |first: u8| (first..first + 8).collect::<Vec<_>>();
    MdlDocument {
        precision: Precision::Bits8,
        header: Header {
            scale: [0.5, 0.25, 1.0],
            origin: [-10.0, 0.0, -24.0],
            radius: 30.0,
            eye_position: [0.0, 0.0, 22.0],
            skin_width: 4,
            skin_height: 2,
            sync_type: 0,
            flags: 8,
            average_triangle_size: 12.0,
        },
        skins: vec![
            SkinDocument::Single(picture(14)),
            SkinDocument::Group {
                times: vec![0.1, 0.4],
                pictures: vec![picture(94), picture(222)],
            },
        ],
        st_vertices: vec![st(0x20, 0, 0), st(0, 1, 0), st(0, 0, 1), st(0, 1, 1)],
        triangles: vec![
            triangle(1, [0, 1, 2]),
            triangle(0, [0, 2, 3]),
            triangle(1, [0, 3, 1]),
            triangle(1, [1, 3, 2]),
        ],
        frames: vec![
            FrameDocument::Single(shape("run1", 100)),
            FrameDocument::Single(shape("run2", 150)),
            FrameDocument::Single(shape("run3", 200)),
            FrameDocument::Group {
                min: TriVertex::default(),
                max: TriVertex::default(),
                times: vec![0.1, 0.3],
                poses: vec![shape("burn1", 10), shape("burn2", 250)],
            },
            FrameDocument::Single(shape("die1", 90)),
            FrameDocument::Single(shape("die2", 20)),
        ],
    }
}

/// The same shapes with 16 bits per axis.
pub fn wide_tetrahedron() -> MdlDocument {
    let mut document = tetrahedron();
    document.precision = Precision::Bits16;
    let widen = |pose: &mut PoseDocument| {
        let low = |vertex: &TriVertex| TriVertex {
            position: vertex.position.map(|value| value.wrapping_mul(3)),
            normal: 0,
        };
        pose.low_vertices = pose.vertices.iter().map(low).collect();
    };
    for frame in &mut document.frames {
        match frame {
            FrameDocument::Single(pose) => widen(pose),
            FrameDocument::Group { poses, .. } => poses.iter_mut().for_each(widen),
        }
    }
    document
}

/// Where things lie in a file of 8 bits per axis, computed apart from the code under test.
pub struct Offsets {
    /// Of each skin's type.
    pub skins: Vec<u64>,
    /// Of the first texture coordinate.
    pub st_vertices: u64,
    /// Of the first triangle.
    pub triangles: u64,
    /// Of each frame's type.
    pub frames: Vec<u64>,
    /// Of the end.
    pub end: u64,
}

impl Offsets {
    pub fn of(document: &MdlDocument) -> Self {
        let vertices = document.st_vertices.len() as u64;
        let picture = u64::from(document.header.skin_width * document.header.skin_height);
        let mut at = 84;
        let skins = document.skins.iter().map(|skin| {
            let size = match skin {
                SkinDocument::Single(_) => 4 + picture,
                SkinDocument::Group { times, .. } => 8 + (4 + picture) * times.len() as u64,
            };
            advance(&mut at, size)
        });
        let skins = skins.collect();
        let st_vertices = at;
        let triangles = st_vertices + 12 * vertices;
        at = triangles + 16 * document.triangles.len() as u64;
        let pose = 24 + 4 * vertices;
        let frames = document.frames.iter().map(|frame| {
            let size = match frame {
                FrameDocument::Single(_) => 4 + pose,
                FrameDocument::Group { times, .. } => 16 + (4 + pose) * times.len() as u64,
            };
            advance(&mut at, size)
        });
        let frames = frames.collect();
        Self {
            skins,
            st_vertices,
            triangles,
            frames,
            end: at,
        }
    }
}

/// Where something lies, and the next after it.
fn advance(at: &mut u64, size: u64) -> u64 {
    *at += size;
    *at - size
}

/// Rings and segments of [`figure`].
const RINGS: i32 = 8;
const SEGMENTS: i32 = 12;

/// A figure to look at: a ball with a beak that points forward (+X), a mast on its left (+Y) and a
/// bulge at its top, so that any turn, mirror or swap of axes shows; its back half takes the back
/// half of the skin.
///
/// Frames `run1` to `run4`, `die1` and `die2`, and a frame group `spin1` to `spin3`. Skins: a chart
/// with rows for shirt and pants and fullbright spots, another chart, and a group of two.
pub fn figure(precision: Precision) -> MdlDocument {
    let mut shapes = Vec::new();
    for (name, count) in [("run", 4), ("die", 2), ("spin", 3)] {
        for index in 0..count {
            let seed = shapes.len() as f32;
            shapes.push(figure_shape(format!("{name}{}", index + 1), seed));
        }
    }
    let quantized = quantize(&shapes, precision);
    let mut poses = quantized.poses.into_iter();
    let mut frames: Vec<_> = poses.by_ref().take(6).map(FrameDocument::Single).collect();
    frames.push(FrameDocument::Group {
        min: TriVertex::default(),
        max: TriVertex::default(),
        times: vec![0.1, 0.35, 0.5],
        poses: poses.collect(),
    });
    let (st_vertices, triangles) = figure_surface();
    MdlDocument {
        precision,
        header: Header {
            scale: quantized.scale,
            origin: quantized.origin,
            radius: quantized.radius,
            eye_position: [0.0; 3],
            skin_width: 2 * SEGMENTS as u32 * 4,
            skin_height: 36,
            sync_type: 0,
            flags: 0,
            average_triangle_size: 1.0,
        },
        skins: vec![
            SkinDocument::Single(chart(0)),
            SkinDocument::Single(chart(5)),
            SkinDocument::Group {
                times: vec![0.2, 0.5],
                pictures: vec![chart(9), chart(12)],
            },
        ],
        st_vertices,
        triangles,
        frames,
    }
}

fn figure_shape(name: String, seed: f32) -> Shape {
    let point = |ring: i32, segment: i32| {
        let polar = core::f32::consts::PI * ring as f32 / RINGS as f32;
        let around = core::f32::consts::TAU * segment as f32 / SEGMENTS as f32;
        let direction = Vec3::new(
            polar.sin() * around.cos(),
            polar.sin() * around.sin(),
            polar.cos(),
        );
        let towards = |axis: Vec3, sharpness: i32| direction.dot(axis).max(0.0).powi(sharpness);
        let radius = 12.0
            + 14.0 * towards(Vec3::X, 8)
            + 9.0 * towards(Vec3::Y, 12)
            + (4.0 + 2.0 * seed) * towards(Vec3::Z, 4);
        let lean = Vec3::new(0.8 * seed, -0.4 * seed, 0.0) * direction.z;
        let position = direction * radius + lean * 2.0;
        (position.to_array(), direction.to_array())
    };
    let vertices = (0..=RINGS).flat_map(|ring| (0..SEGMENTS).map(move |at| point(ring, at)));
    let (positions, normals) = vertices.unzip();
    Shape {
        name,
        positions,
        normals,
    }
}

fn figure_surface() -> (Vec<StVertex>, Vec<Triangle>) {
    let mut st_vertices = Vec::new();
    for ring in 0..=RINGS {
        for segment in 0..SEGMENTS {
            // Both halves of the skin show the ring from its seam to its seam.
            let half = segment.min(SEGMENTS - segment);
            let on_seam = if half == 0 || 2 * half == SEGMENTS {
                0x20
            } else {
                0
            };
            let back = i32::from(2 * segment > SEGMENTS) * SEGMENTS * 4;
            st_vertices.push(st(on_seam, half * 7 + 1 + back, ring * 4 + 1));
        }
    }
    let index = |ring: i32, segment: i32| ring * SEGMENTS + segment % SEGMENTS;
    let mut triangles = Vec::new();
    for ring in 0..RINGS {
        for segment in 0..SEGMENTS {
            let front = i32::from(2 * segment < SEGMENTS);
            let [a, b] = [index(ring, segment), index(ring, segment + 1)];
            let [c, d] = [index(ring + 1, segment), index(ring + 1, segment + 1)];
            // Clockwise seen from outside.
            triangles.push(triangle(front, [a, b, c]));
            triangles.push(triangle(front, [b, d, c]));
        }
    }
    (st_vertices, triangles)
}

/// A picture of 96 × 36 with texels of every kind.
fn chart(shift: usize) -> Vec<u8> {
    let (width, height) = (2 * SEGMENTS as usize * 4, 36);
    let texel = |x: usize, y: usize| {
        let cell = (x / 6 + y / 4 + shift) % 7;
        let shade = ((x + 2 * y) % 12) as u8 + 2;
        match cell {
            0 => 16 + shade,
            1 => 96 + shade,
            2 => 240 + shade % 8,
            3 => 64 + shade,
            4 => 192 + shade,
            _ => shade,
        }
    };
    (0..height)
        .flat_map(|y| (0..width).map(move |x| texel(x, y)))
        .collect()
}
