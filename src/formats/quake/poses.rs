//! The pose table: a texture from which the vertex shader reads the poses of each instance.

use crate::formats::quake::material::MdlMaterial;
use crate::gpu;
use crate::gpu::pose_table::{PoseBlend, PosePair};
use bevy::math::Vec3;
use classic_model_formats::mdl::{MdlFile, NORMAL_COUNT, Precision, TriVertex, normals};
use classic_model_formats::read::Warning;
use zerocopy::{FromZeros, Immutable, IntoBytes, KnownLayout};

/// The poses that spawned Quake models show, one row per mesh.
pub type MdlPoseTable = gpu::PoseTable<MdlMaterial>;

/// All poses of a model, 4 bytes per vertex and pose (8 for `MD16` files).
///
/// Positions and normals are in the model's own space: X forward, Y left, Z up, in the file's units.
#[derive(Clone, Debug)]
pub struct MdlPoses {
    vertex_count: u32,
    pose_count: u32,
    step: Vec3,
    origin: Vec3,
    min: Vec3,
    max: Vec3,
    texels: Texels,
}

/// Quantized vertices: all of pose 0, then all of pose 1, and so on.
#[derive(Clone, Debug)]
pub(crate) enum Texels {
    Bits8(Vec<TriVertex>),
    Bits16(Vec<WideVertex>),
}

/// A vertex with 16 bits per coordinate.
#[derive(Clone, Copy, Debug, Default, FromZeros, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct WideVertex {
    position: [u16; 3],
    normal: u16,
}

impl MdlPoses {
    /// Vertices per pose.
    pub fn vertex_count(&self) -> u32 {
        self.vertex_count
    }

    /// Count of poses.
    pub fn pose_count(&self) -> u32 {
        self.pose_count
    }

    /// Units per quantization step, along each axis.
    pub fn step(&self) -> Vec3 {
        self.step
    }

    /// The position whose quantized coordinates are 0.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Minimum and maximum of the bounding box of all vertices in all poses.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        (self.min, self.max)
    }

    pub(crate) fn texels(&self) -> &Texels {
        &self.texels
    }

    /// Position and unit normal of a vertex in a pose.
    ///
    /// Indices beyond the last pose or vertex mean the last one.
    pub fn vertex(&self, pose: u32, vertex: u32) -> (Vec3, Vec3) {
        let (steps, normal) = self.texel(pose, vertex);
        let normal = normals().get(normal).copied().unwrap_or([0.0, 0.0, 1.0]);
        let position = steps * self.step + self.origin;
        (position, Vec3::from_array(normal))
    }

    /// Quantized position and index of the normal of a vertex in a pose.
    fn texel(&self, pose: u32, vertex: u32) -> (Vec3, usize) {
        let pose = pose.min(self.pose_count.saturating_sub(1)) as usize;
        let vertex = vertex.min(self.vertex_count.saturating_sub(1)) as usize;
        let index = pose * self.vertex_count as usize + vertex;
        let (steps, normal) = match &self.texels {
            Texels::Bits8(texels) => texels.get(index).map_or_else(Default::default, |texel| {
                (texel.position.map(f32::from), usize::from(texel.normal))
            }),
            Texels::Bits16(texels) => texels.get(index).map_or_else(Default::default, |texel| {
                (texel.position.map(f32::from), usize::from(texel.normal))
            }),
        };
        (Vec3::from_array(steps), normal)
    }

    /// Positions and unit normals of all vertices of a pose.
    pub fn pose(&self, pose: u32) -> impl ExactSizeIterator<Item = (Vec3, Vec3)> {
        (0..self.vertex_count).map(move |vertex| self.vertex(pose, vertex))
    }

    /// Positions and unit normals of all vertices in a blend of poses, as the shader computes them.
    ///
    /// Positions and normals are interpolated linearly. Then normals are normalized.
    pub fn blend(&self, blend: PoseBlend) -> impl ExactSizeIterator<Item = (Vec3, Vec3)> {
        (0..self.vertex_count).map(move |vertex| {
            let mut blended = self.interpolate(blend.to, vertex);
            if blend.from_weight > 0.0 {
                let from = self.interpolate(blend.from, vertex);
                blended.0 = blended.0.lerp(from.0, blend.from_weight);
                blended.1 = blended.1.lerp(from.1, blend.from_weight);
            }
            (blended.0, blended.1.normalize_or(Vec3::Z))
        })
    }

    fn interpolate(&self, pair: PosePair, vertex: u32) -> (Vec3, Vec3) {
        let a = self.vertex(pair.a, vertex);
        let b = self.vertex(pair.b, vertex);
        (a.0.lerp(b.0, pair.towards_b), a.1.lerp(b.1, pair.towards_b))
    }

    /// The position of a vertex in a blend of poses, as [`blend`](Self::blend) computes it, without the normal.
    pub(crate) fn position(&self, blend: PoseBlend, vertex: u32) -> Vec3 {
        let between = |pair: PosePair| {
            let a = self.texel(pair.a, vertex).0;
            match pair.towards_b {
                0.0 => a,
                towards_b => a.lerp(self.texel(pair.b, vertex).0, towards_b),
            }
        };
        let to = between(blend.to);
        let steps = if blend.from_weight > 0.0 {
            to.lerp(between(blend.from), blend.from_weight)
        } else {
            to
        };
        steps * self.step + self.origin
    }

    /// Copies the poses of a parsed file. Normal indices beyond the last normal are clamped, with a warning.
    pub(crate) fn decode(file: &MdlFile<'_>, warnings: &mut Vec<Warning>) -> Self {
        let scale = Vec3::from_array(file.header.scale);
        let origin = Vec3::from_array(file.header.origin);
        let vertex_count = file.st_vertices.len();
        let total = vertex_count * file.poses.len();
        let (texels, step, [low, high]) = match file.precision {
            Precision::Bits8 => {
                let mut texels = Vec::with_capacity(total);
                let mut range = ByteRange::default();
                for pose in &file.poses {
                    texels.extend_from_slice(pose.vertices);
                    range.include(pose.vertices.as_bytes());
                }
                let range = range.min_max();
                if usize::from(range[1][3]) >= NORMAL_COUNT {
                    warn_of_invalid_normals(file, warnings);
                    for texel in &mut texels {
                        texel.normal = texel.normal.min(LAST_NORMAL);
                    }
                }
                let range = range.map(|bytes| bytes.map(u16::from));
                (Texels::Bits8(texels), scale, range)
            }
            Precision::Bits16 => {
                let mut texels = Vec::with_capacity(total);
                for pose in &file.poses {
                    texels.extend(pose.vertices.iter().zip(pose.low_vertices).map(widen));
                }
                let range = wide_range(&texels);
                if usize::from(range[1][3]) >= NORMAL_COUNT {
                    warn_of_invalid_normals(file, warnings);
                    for texel in &mut texels {
                        texel.normal = texel.normal.min(LAST_NORMAL.into());
                    }
                }
                (Texels::Bits16(texels), scale / 256.0, range)
            }
        };
        let position = |corner: [u16; 4]| {
            let [x, y, z, _] = corner.map(f32::from);
            Vec3::new(x, y, z) * step + origin
        };
        // A negative scale exchanges the corners. The format allows it.
        let (a, b) = (position(low), position(high));
        Self {
            vertex_count: vertex_count as u32,
            pose_count: file.poses.len() as u32,
            step,
            origin,
            min: a.min(b),
            max: a.max(b),
            texels,
        }
    }
}

/// Index of the last normal.
const LAST_NORMAL: u8 = NORMAL_COUNT as u8 - 1;

fn widen((high, low): (&TriVertex, &TriVertex)) -> WideVertex {
    let join = |axis: usize| u16::from_be_bytes([high.position[axis], low.position[axis]]);
    WideVertex {
        position: [join(0), join(1), join(2)],
        normal: high.normal.into(),
    }
}

/// Vertices per block of a [`ByteRange`]: 64 bytes, to fill the widest vector registers.
const VERTICES_PER_BLOCK: usize = 16;

/// Minimum and maximum of each of a vertex's four bytes, computed for many vertices at a time.
struct ByteRange {
    low: [u8; 4 * VERTICES_PER_BLOCK],
    high: [u8; 4 * VERTICES_PER_BLOCK],
}

impl Default for ByteRange {
    fn default() -> Self {
        Self {
            low: [u8::MAX; 4 * VERTICES_PER_BLOCK],
            high: [0; 4 * VERTICES_PER_BLOCK],
        }
    }
}

impl ByteRange {
    /// Extends the range by the bytes of vertices.
    fn include(&mut self, bytes: &[u8]) {
        // Local copies stay in registers during the loop.
        let (mut low, mut high) = (self.low, self.high);
        let (blocks, rest) = bytes.as_chunks::<{ 4 * VERTICES_PER_BLOCK }>();
        let extend = |low: &mut [u8], high: &mut [u8], block: &[u8]| {
            for ((low, high), byte) in low.iter_mut().zip(high).zip(block) {
                *low = (*low).min(*byte);
                *high = (*high).max(*byte);
            }
        };
        for block in blocks {
            extend(&mut low, &mut high, block);
        }
        extend(&mut low, &mut high, rest);
        (self.low, self.high) = (low, high);
    }

    /// The minimum and the maximum of each byte.
    fn min_max(&self) -> [[u8; 4]; 2] {
        let fold = |bytes: &[u8; 4 * VERTICES_PER_BLOCK], pick: fn(u8, u8) -> u8| {
            let (vertices, _) = bytes.as_chunks::<4>();
            let combine =
                |a: [u8; 4], b: [u8; 4]| core::array::from_fn(|index| pick(a[index], b[index]));
            vertices.iter().copied().reduce(combine).unwrap_or_default()
        };
        [fold(&self.low, u8::min), fold(&self.high, u8::max)]
    }
}

/// Like [`ByteRange`], for vertices with 16 bits per coordinate.
fn wide_range(texels: &[WideVertex]) -> [[u16; 4]; 2] {
    let mut range = [[u16::MAX; 4], [0; 4]];
    for texel in texels {
        let [x, y, z] = texel.position;
        for (index, value) in [x, y, z, texel.normal].into_iter().enumerate() {
            range[0][index] = range[0][index].min(value);
            range[1][index] = range[1][index].max(value);
        }
    }
    range
}

/// Warns about normal indices beyond the last normal. The caller clamps them.
fn warn_of_invalid_normals(file: &MdlFile<'_>, warnings: &mut Vec<Warning>) {
    let vertices = file.poses.iter().flat_map(|pose| {
        let offsets = (pose.vertices_offset()..).step_by(size_of::<TriVertex>());
        pose.vertices.iter().zip(offsets)
    });
    let mut invalid = vertices.filter(|(vertex, _)| vertex.normal > LAST_NORMAL);
    if let Some((first, offset)) = invalid.next() {
        let message = format!(
            "{} vertices have a normal index above {LAST_NORMAL}, the first has {}; clamped",
            1 + invalid.count(),
            first.normal
        );
        // The normal is the fourth byte of its vertex.
        warnings.push(Warning {
            offset: offset + 3,
            position: None,
            message,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_ranges_cover_all_bytes_for_any_length() {
        for count in 1..70 {
            for index in 0..count {
                let mut vertices = vec![[100, 100, 100, 100]; count];
                vertices[index] = [1, 200, 100, 161];
                let mut range = ByteRange::default();
                let (first_half, second_half) = vertices.split_at(count / 2);
                range.include(first_half.as_flattened());
                range.include(second_half.as_flattened());
                let range = range.min_max();
                let low = if count == 1 {
                    [1, 200, 100, 161]
                } else {
                    [1, 100, 100, 100]
                };
                let high = if count == 1 {
                    [1, 200, 100, 161]
                } else {
                    [100, 200, 100, 161]
                };
                assert_eq!(range, [low, high], "{index} of {count}");
            }
        }
    }
}
