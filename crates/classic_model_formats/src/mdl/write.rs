//! The `.mdl` writer: plain values to bytes, for samples, tests and tools that make models.
//!
//! [`MdlDocument`] has the fields of the file. [`MdlDocument::to_bytes`] writes them without any check. [`quantize`]
//! converts positions in units to the poses of a document.

use super::{Header, MdlFile, Precision, StVertex, TriVertex, Triangle, nearest_normal};
use zerocopy::IntoBytes;
use zerocopy::little_endian::{F32, I32};

/// A model that owns its values and can be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct MdlDocument {
    /// The precision of positions: `IDPO` or `MD16`.
    pub precision: Precision,
    /// The header's values except counts.
    pub header: Header,
    /// The skins. Each image must have `skin_width * skin_height` bytes.
    pub skins: Vec<SkinDocument>,
    /// Texture coordinates, one per vertex.
    pub st_vertices: Vec<StVertex>,
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// The frames. Each pose must have one vertex per element of `st_vertices`.
    pub frames: Vec<FrameDocument>,
}

/// One skin of a [`MdlDocument`].
#[derive(Clone, Debug, PartialEq)]
pub enum SkinDocument {
    /// One image: palette indices, row by row from the top.
    Single(Vec<u8>),
    /// Images shown in turn.
    Group {
        /// The end of each image, in seconds from the start of the group.
        times: Vec<f32>,
        /// Palette indices of each image, row by row from the top.
        images: Vec<Vec<u8>>,
    },
}

/// One frame of a [`MdlDocument`].
#[derive(Clone, Debug, PartialEq)]
pub enum FrameDocument {
    /// One pose.
    Single(PoseDocument),
    /// Poses shown in turn, in a loop.
    Group {
        /// Minimum corner of the bounding box of all poses; a hint.
        min: TriVertex,
        /// Maximum corner of the bounding box of all poses; a hint.
        max: TriVertex,
        /// The end of each pose, in seconds from the start of the group.
        times: Vec<f32>,
        /// The poses.
        poses: Vec<PoseDocument>,
    },
}

/// One pose of a [`MdlDocument`].
#[derive(Clone, Debug, PartialEq)]
pub struct PoseDocument {
    /// The name as 16 bytes, padded with zeros; see [`pose_name`].
    pub name: [u8; 16],
    /// Minimum corner of the bounding box; a hint.
    pub min: TriVertex,
    /// Maximum corner of the bounding box; a hint.
    pub max: TriVertex,
    /// The quantized vertices, one per vertex of the model.
    pub vertices: Vec<TriVertex>,
    /// In `MD16` files, the low bytes of the positions, one per vertex; otherwise empty.
    pub low_vertices: Vec<TriVertex>,
}

/// The first 15 bytes of a name, padded with zeros to the 16 bytes of the file.
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
                        images: skin.images().map(<[u8]>::to_vec).collect(),
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
    /// The bytes of the file. Values are not checked; counts that do not fit into their field are truncated.
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
        SkinDocument::Single(image) => {
            put_i32(out, 0);
            out.extend_from_slice(image);
        }
        SkinDocument::Group { times, images } => {
            put_i32(out, 1);
            put_i32(out, images.len() as i32);
            put_f32s(out, times);
            for image in images {
                out.extend_from_slice(image);
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

/// A pose before quantization, in the file's units and axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// The pose's name.
    pub name: String,
    /// The position of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// The normal of each vertex, of length 1. As many as positions.
    pub normals: Vec<[f32; 3]>,
}

/// Quantized poses, and the scale and origin that they share.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantized {
    /// Units per step of a quantized position, per axis.
    pub scale: [f32; 3],
    /// The position that is quantized to (0, 0, 0), in units.
    pub origin: [f32; 3],
    /// The greatest distance of a vertex from (0, 0, 0), in units.
    pub radius: f32,
    /// The poses, one per shape.
    pub poses: Vec<PoseDocument>,
}

/// How positions are quantized: `origin + step * scale` per axis, with steps from 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Units per step, per axis.
    pub scale: [f32; 3],
    /// The position of step 0, in units.
    pub origin: [f32; 3],
}

impl Grid {
    /// The grid over the bounding box of all shapes. The box is 255 steps wide, so its minimum and maximum are exact.
    ///
    /// The game's own tool divides by 255.9 and truncates, which moves positions by half a step on average.
    pub fn around(shapes: &[Shape]) -> Self {
        let bound = |select: fn(f32, f32) -> f32| {
            let positions = shapes.iter().flat_map(|shape| &shape.positions);
            let both = |a: [f32; 3], b: [f32; 3]| per_axis(|axis| select(a[axis], b[axis]));
            positions.copied().reduce(both).unwrap_or_default()
        };
        let (min, max) = (bound(f32::min), bound(f32::max));
        Self {
            scale: per_axis(|axis| (max[axis] - min[axis]) / 255.0),
            origin: min,
        }
    }
}

/// Quantizes shapes. With [`Precision::Bits8`], positions are rounded to the nearest step; with [`Precision::Bits16`], they are truncated
/// to 1/256 step. Those outside of the grid are moved to its sides.
pub fn quantize(shapes: &[Shape], precision: Precision, grid: Grid) -> Quantized {
    let Grid { scale, origin } = grid;
    let steps = |position: [f32; 3]| {
        per_axis(|axis| match scale[axis] {
            0.0 => 0.0,
            scale => (position[axis] - origin[axis]) / scale,
        })
    };
    let pose = |shape: &Shape| {
        let vertices = shape.positions.iter().zip(&shape.normals);
        let (vertices, low_vertices): (Vec<_>, Vec<_>) = vertices
            .map(|(position, normal)| quantize_vertex(steps(*position), *normal, precision))
            .unzip();
        PoseDocument {
            name: pose_name(&shape.name),
            min: bounds_corner(&vertices, u8::min),
            max: bounds_corner(&vertices, u8::max),
            vertices,
            low_vertices: match precision {
                Precision::Bits8 => Vec::new(),
                Precision::Bits16 => low_vertices,
            },
        }
    };
    Quantized {
        scale,
        origin,
        radius: shapes
            .iter()
            .flat_map(|shape| &shape.positions)
            .map(length)
            .fold(0.0, f32::max),
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
    // Casts from float to integer saturate, so rounding cannot wrap around at the maximum.
    let vertex = |steps: [f32; 3], normal| TriVertex {
        position: steps.map(|step| step as u8),
        normal,
    };
    (vertex(high, normal), vertex(low, 0))
}

/// The minimum corner of the vertices' bounding box if `select` is [`u8::min`], the maximum corner if it is [`u8::max`].
///
/// Zeros without vertices.
pub fn bounds_corner(vertices: &[TriVertex], select: fn(u8, u8) -> u8) -> TriVertex {
    let corner = vertices.iter().copied().reduce(|a, b| TriVertex {
        position: core::array::from_fn(|axis| select(a.position[axis], b.position[axis])),
        normal: 0,
    });
    TriVertex {
        normal: 0,
        ..corner.unwrap_or_default()
    }
}
