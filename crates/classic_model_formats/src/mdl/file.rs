//! The contents of an `.mdl` file: plain values that borrow from the file's bytes.

use super::records::PoseHeader;
use super::{StVertex, Timing, TriVertex, Triangle};
use crate::read::Warning;
use zerocopy::little_endian::F32;

/// The precision of quantized positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `IDPO`: one byte per axis.
    Bits8,
    /// `MD16`: a second byte per axis, in units of 1/256 step, in a block after each pose.
    Bits16,
}

/// The header's values except counts. Z is up and the model faces +X; the unit of length is Quake's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// Units per step of a quantized position, per axis.
    pub scale: [f32; 3],
    /// The position that is quantized to (0, 0, 0), in units.
    pub origin: [f32; 3],
    /// Bounding radius in units: a hint, wrong in some files.
    pub radius: f32,
    /// Position of the eyes, in units; unused by engines.
    pub eye_position: [f32; 3],
    /// Width of each skin image, in texels.
    pub skin_width: u32,
    /// Height of each skin image, in texels.
    pub skin_height: u32,
    /// When the groups of an instance start: 0 for all instances together, 1 at a random phase per instance, 2 when the
    /// frame changes.
    pub sync_type: i32,
    /// Bits for effects that the games apply to the model, such as `1` (rocket trail), `8` (rotates) and `1 << 14` (skin
    /// with holes).
    pub flags: u32,
    /// Mean area of the first frame's triangles, in square units; a hint.
    pub average_triangle_size: f32,
}

impl Header {
    /// Whether the flag for skins with holes is set.
    ///
    /// Holes are the texels of palette index 255 in Quake's source ports, and of index 0 in Hexen II, which has models of this
    /// format too. Nothing in the file says which game it is from.
    pub fn has_holes(&self) -> bool {
        self.flags & 1 << 14 != 0
    }
}

/// A parsed model, borrowed from the file's bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MdlFile<'a> {
    /// The precision of positions, from the file's magic bytes: `IDPO` or `MD16`.
    pub precision: Precision,
    /// The header's values except counts.
    pub header: Header,
    /// The skins. Each instance of the model uses one.
    pub skins: Vec<Skin<'a>>,
    /// Texture coordinates, one per vertex.
    pub st_vertices: &'a [StVertex],
    /// The triangles. The parser guarantees that their vertices exist.
    pub triangles: &'a [Triangle],
    /// The frames, as game code counts them: single poses or groups of poses.
    pub frames: Vec<Frame>,
    /// All poses of all frames, in file order.
    pub poses: Vec<Pose<'a>>,
    /// Count of bytes after the last frame. Those of an editor, which begin with `QMEX`, give no warning.
    pub trailing_bytes: u64,
    /// Harmless flaws of the file.
    pub warnings: Vec<Warning>,
}

/// A skin: one image, or a group of images shown in turn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skin<'a> {
    /// Palette indices of all images in order, row by row from the top.
    pub pixels: &'a [u8],
    /// Image count, at least 1.
    pub image_count: u32,
    /// For a group, when its images change; otherwise `None`.
    pub timing: Option<Timing>,
    /// For a group, the times as stored, even if unusable; otherwise empty.
    pub raw_times: &'a [F32],
}

impl<'a> Skin<'a> {
    /// Palette indices of each image, row by row from the top.
    pub fn images(&self) -> impl ExactSizeIterator<Item = &'a [u8]> {
        let size = self.pixels.len() / (self.image_count as usize).max(1);
        self.pixels.chunks_exact(size.max(1))
    }
}

/// A frame, as game code counts them: one pose, or a group of poses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// Index of the first pose in [`MdlFile::poses`].
    pub first_pose: u32,
    /// Pose count: 1 unless the frame is a group.
    pub pose_count: u32,
    /// The data of a group; `None` for a single pose.
    pub group: Option<FrameGroup>,
}

/// A frame that loops through its poses.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FrameGroup {
    /// When the poses change.
    pub timing: Timing,
    /// The times as stored, even if unusable.
    pub raw_times: Vec<f32>,
    /// Minimum corner of the bounding box of all poses; a hint.
    pub min: TriVertex,
    /// Maximum corner of the bounding box of all poses; a hint.
    pub max: TriVertex,
}

/// The vertices of the model at one point of an animation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Pose<'a> {
    /// File offset of the pose, in bytes.
    pub offset: u64,
    /// The name as stored, including any bytes after its NUL.
    pub raw_name: &'a [u8; 16],
    /// Minimum corner of the bounding box; a hint.
    pub min: TriVertex,
    /// Maximum corner of the bounding box; a hint.
    pub max: TriVertex,
    /// The quantized vertices, one per vertex of the model.
    pub vertices: &'a [TriVertex],
    /// In `MD16` files, the low bytes of the positions, one per vertex; otherwise empty.
    pub low_vertices: &'a [TriVertex],
}

impl Pose<'_> {
    /// The bytes of the name up to the first NUL, or all 16 bytes.
    pub fn name_bytes(&self) -> &[u8] {
        self.raw_name.split(|byte| *byte == 0).next().unwrap_or(&[])
    }

    /// The name as text. Bytes that are not UTF-8 become U+FFFD.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(self.name_bytes()).into_owned()
    }

    /// File offset of the pose's first vertex, in bytes.
    pub fn vertices_offset(&self) -> u64 {
        self.offset.saturating_add(size_of::<PoseHeader>() as u64)
    }
}
