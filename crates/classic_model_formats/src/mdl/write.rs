//! Plain values back to bytes: for samples, fixtures and tools that make models.
//!
//! [`MdlDocument`] is the file with nothing hidden: every field has the file's meaning, and
//! [`MdlDocument::to_bytes`] writes what it is told, sensible or not. [`quantize`] turns positions
//! in units into what a document holds.

use super::{Header, MdlFile, Precision, StVertex, TriVertex, Triangle, nearest_normal};
use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I32};

/// A whole model, owned and editable.
#[derive(Clone, Debug, PartialEq)]
pub struct MdlDocument {
    /// `IDPO` or `MD16`.
    pub precision: Precision,
    /// The header's values that are not counts.
    pub header: Header,
    /// Skins; every picture must have `skin_width × skin_height` bytes.
    pub skins: Vec<SkinDocument>,
    /// Texture coordinates, one per vertex.
    pub st_vertices: Vec<StVertex>,
    /// Triangles.
    pub triangles: Vec<Triangle>,
    /// Frames; every pose must have one vertex per texture coordinate.
    pub frames: Vec<FrameDocument>,
}

/// One skin of a [`MdlDocument`].
#[derive(Clone, Debug, PartialEq)]
pub enum SkinDocument {
    /// A picture: palette indices row by row from the top.
    Single(Vec<u8>),
    /// Pictures that take turns.
    Group {
        /// When each picture ends, in seconds from the start of the group.
        times: Vec<f32>,
        /// Palette indices of each picture.
        pictures: Vec<Vec<u8>>,
    },
}

/// One frame of a [`MdlDocument`].
#[derive(Clone, Debug, PartialEq)]
pub enum FrameDocument {
    /// One pose.
    Single(PoseDocument),
    /// Poses that take turns by themselves.
    Group {
        /// Least corner, a hint.
        min: TriVertex,
        /// Greatest corner, a hint.
        max: TriVertex,
        /// When each pose ends, in seconds from the start of the group.
        times: Vec<f32>,
        /// The poses.
        poses: Vec<PoseDocument>,
    },
}

/// One pose of a [`MdlDocument`].
#[derive(Clone, Debug, PartialEq)]
pub struct PoseDocument {
    /// Name as the 16 bytes of the file, padded with zeros; see [`pose_name`].
    pub name: [u8; 16],
    /// Least corner, a hint.
    pub min: TriVertex,
    /// Greatest corner, a hint.
    pub max: TriVertex,
    /// One per vertex of the model.
    pub vertices: Vec<TriVertex>,
    /// Low bytes of the positions, one per vertex in `MD16` files and otherwise none.
    pub low_vertices: Vec<TriVertex>,
}

/// A name as the file stores it: its first 15 bytes, padded with zeros.
pub fn pose_name(name: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (byte, from) in bytes.iter_mut().zip(name.bytes().take(15)) {
        *byte = from;
    }
    bytes
}

impl From<&MdlFile<'_>> for MdlDocument {
    fn from(file: &MdlFile<'_>) -> Self {
        let pose = |index: u32| {
            let pose = file.poses.get(index as usize);
            pose.map(|pose| PoseDocument {
                name: *pose.raw_name,
                min: pose.min,
                max: pose.max,
                vertices: pose.vertices.to_vec(),
                low_vertices: pose.low_vertices.to_vec(),
            })
        };
        Self {
            precision: file.precision,
            header: file.header,
            skins: file
                .skins
                .iter()
                .map(|skin| match &skin.timing {
                    None => SkinDocument::Single(skin.pixels.to_vec()),
                    Some(_) => SkinDocument::Group {
                        times: skin.raw_times.iter().map(|time| time.get()).collect(),
                        pictures: skin.pictures().map(<[u8]>::to_vec).collect(),
                    },
                })
                .collect(),
            st_vertices: file.st_vertices.to_vec(),
            triangles: file.triangles.to_vec(),
            frames: file
                .frames
                .iter()
                .filter_map(|frame| match &frame.group {
                    None => pose(frame.first_pose).map(FrameDocument::Single),
                    Some(group) => Some(FrameDocument::Group {
                        min: group.min,
                        max: group.max,
                        times: group.raw_times.clone(),
                        poses: (frame.first_pose..frame.first_pose + frame.pose_count)
                            .filter_map(pose)
                            .collect(),
                    }),
                })
                .collect(),
        }
    }
}

impl MdlDocument {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write_header(&mut out);
        for skin in &self.skins {
            write_skin(&mut out, skin);
        }
        out.extend_from_slice(self.st_vertices.as_bytes());
        out.extend_from_slice(self.triangles.as_bytes());
        for frame in &self.frames {
            write_frame(&mut out, frame);
        }
        out
    }

    fn write_header(&self, out: &mut Vec<u8>) {
        let header = &self.header;
        out.extend_from_slice(match self.precision {
            Precision::Bits8 => b"IDPO",
            Precision::Bits16 => b"MD16",
        });
        put_i32(out, 6);
        put_f32s(out, &header.scale);
        put_f32s(out, &header.origin);
        put_f32s(out, &[header.radius]);
        put_f32s(out, &header.eye_position);
        put_i32(out, self.skins.len() as i32);
        put_i32(out, header.skin_width as i32);
        put_i32(out, header.skin_height as i32);
        put_i32(out, self.st_vertices.len() as i32);
        put_i32(out, self.triangles.len() as i32);
        put_i32(out, self.frames.len() as i32);
        put_i32(out, header.sync_type);
        put_i32(out, header.flags as i32);
        put_f32s(out, &[header.average_triangle_size]);
    }
}

fn put_i32(out: &mut Vec<u8>, value: i32) {
    out.extend_from_slice(I32::new(value).as_bytes());
}

fn put_f32s(out: &mut Vec<u8>, values: &[f32]) {
    for value in values {
        out.extend_from_slice(F32::new(*value).as_bytes());
    }
}

fn write_skin(out: &mut Vec<u8>, skin: &SkinDocument) {
    match skin {
        SkinDocument::Single(picture) => {
            put_i32(out, 0);
            out.extend_from_slice(picture);
        }
        SkinDocument::Group { times, pictures } => {
            put_i32(out, 1);
            put_i32(out, pictures.len() as i32);
            put_f32s(out, times);
            for picture in pictures {
                out.extend_from_slice(picture);
            }
        }
    }
}

fn write_frame(out: &mut Vec<u8>, frame: &FrameDocument) {
    match frame {
        FrameDocument::Single(pose) => {
            put_i32(out, 0);
            write_pose(out, pose);
        }
        FrameDocument::Group {
            min,
            max,
            times,
            poses,
        } => {
            put_i32(out, 1);
            put_i32(out, poses.len() as i32);
            out.extend_from_slice(min.as_bytes());
            out.extend_from_slice(max.as_bytes());
            put_f32s(out, times);
            for pose in poses {
                write_pose(out, pose);
            }
        }
    }
}

fn write_pose(out: &mut Vec<u8>, pose: &PoseDocument) {
    out.extend_from_slice(pose.min.as_bytes());
    out.extend_from_slice(pose.max.as_bytes());
    out.extend_from_slice(&pose.name);
    out.extend_from_slice(pose.vertices.as_bytes());
    out.extend_from_slice(pose.low_vertices.as_bytes());
}

/// The shape of a model at one moment, in the file's units and axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Name of the pose.
    pub name: String,
    /// Position of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// Normal of each vertex, of length 1.
    pub normals: Vec<[f32; 3]>,
}

/// Shapes as the file stores them: poses, and the scale and origin that all of them share.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// Units per step, per axis.
    pub scale: [f32; 3],
    /// Position of the quantised (0, 0, 0).
    pub origin: [f32; 3],
    /// Distance of the vertex that is furthest from (0, 0, 0).
    pub radius: f32,
    /// One per shape.
    pub poses: Vec<PoseDocument>,
}

/// Quantises shapes over the box that holds them all.
///
/// The box is 255 steps wide, so that both of its sides are met, and positions are rounded to the
/// nearest step. (The game's own tool divides by 255.9 and cuts off, which moves everything by half a
/// step.)
pub fn quantize(shapes: &[Shape], precision: Precision) -> Quantized {
    let positions = || shapes.iter().flat_map(|shape| &shape.positions);
    let corner_of = |pick: fn(f32, f32) -> f32| {
        let both = |a: [f32; 3], b: [f32; 3]| per_axis(|axis| pick(a[axis], b[axis]));
        positions().copied().reduce(both).unwrap_or_default()
    };
    let (min, max) = (corner_of(f32::min), corner_of(f32::max));
    let scale = per_axis(|axis| (max[axis] - min[axis]) / 255.0);
    let steps = |position: [f32; 3]| {
        per_axis(|axis| match scale[axis] > 0.0 {
            true => (position[axis] - min[axis]) / scale[axis],
            false => 0.0,
        })
    };
    let pose = |shape: &Shape| {
        let vertices = shape.positions.iter().zip(&shape.normals);
        let (vertices, low_vertices): (Vec<_>, Vec<_>) = vertices
            .map(|(position, normal)| quantize_vertex(steps(*position), *normal, precision))
            .unzip();
        PoseDocument {
            name: pose_name(&shape.name),
            min: corner(&vertices, u8::min),
            max: corner(&vertices, u8::max),
            vertices,
            low_vertices: match precision {
                Precision::Bits8 => Vec::new(),
                Precision::Bits16 => low_vertices,
            },
        }
    };
    Quantized {
        scale,
        origin: min,
        radius: positions().map(length).fold(0.0, f32::max),
        poses: shapes.iter().map(pose).collect(),
    }
}

fn per_axis(value: impl Fn(usize) -> f32) -> [f32; 3] {
    core::array::from_fn(value)
}

fn length([x, y, z]: &[f32; 3]) -> f32 {
    (x * x + y * y + z * z).sqrt()
}

fn quantize_vertex(
    steps: [f32; 3],
    normal: [f32; 3],
    precision: Precision,
) -> (TriVertex, TriVertex) {
    let normal = nearest_normal(normal);
    let (high, low) = match precision {
        Precision::Bits8 => (steps.map(f32::round), [0.0; 3]),
        Precision::Bits16 => (
            steps.map(f32::floor),
            steps.map(|step| (step.fract() * 256.0).floor()),
        ),
    };
    // Float to integer casts saturate, so a position on the box's far side stays on it.
    let vertex = |steps: [f32; 3], normal| TriVertex {
        position: steps.map(|step| step as u8),
        normal,
    };
    (vertex(high, normal), vertex(low, 0))
}

/// The corner of a pose's box: `pick` applied along each axis.
pub fn corner(vertices: &[TriVertex], pick: fn(u8, u8) -> u8) -> TriVertex {
    let corner = vertices.iter().copied().reduce(|a, b| TriVertex {
        position: core::array::from_fn(|axis| pick(a.position[axis], b.position[axis])),
        normal: 0,
    });
    TriVertex {
        normal: 0,
        ..corner.unwrap_or_default()
    }
}
