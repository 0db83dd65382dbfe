//! What a parsed file consists of, borrowed from its bytes.

use super::records::PoseHeader;
use super::{StVertex, Timing, TriVertex, Triangle};
use crate::read::Warning;
use zerocopy::little_endian::F32;

/// How finely positions are quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `IDPO`: one byte per axis.
    Bits8,
    /// `MD16`: a second byte per axis, of 1/256 of a step, in a block after each pose.
    Bits16,
}

/// The header's values that are not counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// Units per quantised step, per axis.
    pub scale: [f32; 3],
    /// Position of the quantised (0, 0, 0).
    pub origin: [f32; 3],
    /// The file's own bounding radius, a hint that is wrong in some files.
    pub radius: f32,
    /// Position of the eyes, which no engine uses.
    pub eye_position: [f32; 3],
    /// Texels per row of each skin picture.
    pub skin_width: u32,
    /// Rows of each skin picture.
    pub skin_height: u32,
    /// 0 if instances animate in phase, 1 if each has a random one, 2 if from the frame's change.
    pub sync_type: i32,
    /// Effects that the games attach to the model: 1 rocket trail, 8 rotates, 1 << 14 has holes …
    pub flags: u32,
    /// Mean area of the first frame's triangles.
    pub average_triangle_size: f32,
}

/// A parsed model, borrowed from the file's bytes.
#[derive(Clone, Debug)]
pub struct MdlFile<'a> {
    /// `IDPO` or `MD16`.
    pub precision: Precision,
    /// The header's values.
    pub header: Header,
    /// Skins, which instances choose from.
    pub skins: Vec<Skin<'a>>,
    /// Texture coordinates, one per vertex.
    pub st_vertices: &'a [StVertex],
    /// Triangles; every index has been checked.
    pub triangles: &'a [Triangle],
    /// What game code numbers as frames: single poses or groups.
    pub frames: Vec<Frame>,
    /// All poses of all frames, in file order.
    pub poses: Vec<Pose<'a>>,
    /// Bytes after the last frame.
    pub trailing_bytes: u64,
    /// Flaws that do no harm.
    pub warnings: Vec<Warning>,
}

/// One skin: a picture, or a group of pictures that take turns.
#[derive(Clone, Debug)]
pub struct Skin<'a> {
    /// Palette indices of all pictures, one after the other, each row by row from the top.
    pub pixels: &'a [u8],
    /// Number of pictures, at least 1.
    pub pictures: u32,
    /// For a group, when its pictures change.
    pub timing: Option<Timing>,
    /// For a group, its times as the file has them.
    pub raw_times: &'a [F32],
}

impl<'a> Skin<'a> {
    /// Palette indices of each picture.
    pub fn pictures(&self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let size = self.pixels.len() / (self.pictures as usize).max(1);
        self.pixels.chunks_exact(size.max(1))
    }
}

/// One frame, as game code numbers them.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Index of its first pose.
    pub first_pose: u32,
    /// Number of its poses: 1 unless it is a group.
    pub pose_count: u32,
    /// For a group, what is particular to one.
    pub group: Option<FrameGroup>,
}

/// A frame that animates by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameGroup {
    /// When its poses change.
    pub timing: Timing,
    /// The times as the file has them.
    pub raw_times: Vec<f32>,
    /// Least corner of the group, a hint.
    pub min: TriVertex,
    /// Greatest corner of the group, a hint.
    pub max: TriVertex,
}

/// The shape of the model at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Pose<'a> {
    /// Absolute offset of the pose in the file.
    pub offset: u64,
    /// Name, with whatever stands after its NUL.
    pub raw_name: &'a [u8; 16],
    /// Least corner of the pose, a hint.
    pub min: TriVertex,
    /// Greatest corner of the pose, a hint.
    pub max: TriVertex,
    /// One per vertex of the model.
    pub vertices: &'a [TriVertex],
    /// In `MD16` files, the low bytes of the positions; otherwise empty.
    pub low_vertices: &'a [TriVertex],
}

impl Pose<'_> {
    /// The bytes of the name, up to its NUL if it has one.
    pub fn name_bytes(&self) -> &[u8] {
        self.raw_name.split(|byte| *byte == 0).next().unwrap_or(&[])
    }

    /// The name as text; what is not UTF-8 becomes U+FFFD.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(self.name_bytes()).into_owned()
    }

    /// Absolute offset of the pose's first vertex.
    pub fn vertices_offset(&self) -> u64 {
        self.offset.saturating_add(size_of::<PoseHeader>() as u64)
    }
}
