//! Chunk 0x200: the skeleton.

use super::super::file::Bone;
use super::state::Parser;
use crate::chunk::Chunk;
use crate::chunk_parser::{Segment, vec_for_chunks};
use crate::read::{Cursor, ErrorKind, ParseError, Quoted};
use zerocopy::little_endian::F32;

const BONE_COUNT: u32 = 0x201;
const BONE: u32 = 0x202;
const BONE_NAME: u32 = 0x203;
const BONE_V1: u32 = 0x205;
const BONE_V2: u32 = 0x206;

/// Minimum size of a bone in the file, in bytes: one with an empty name and the older record.
pub(super) const MIN_BONE_SIZE: u64 = 8 + 8 + 8 + 56;

/// Maximum depth of the bone hierarchy; a root has depth 1.
///
/// Real models have about a dozen levels. Bevy's systems descend hierarchies recursively and overflow the stack at
/// some thousands of levels.
const MAX_BONE_DEPTH: u16 = 256;

/// A bone's record, 0x205 or 0x206.
struct Record {
    /// −1 for a root.
    parent: i32,
    parent_offset: u64,
    visible: bool,
    billboard: u32,
    is_v1: bool,
    matrix: [[f32; 4]; 3],
}

impl Parser {
    pub(super) fn skeleton<'a>(
        &mut self,
        skeleton: &Chunk<'a>,
    ) -> Result<Vec<Bone<'a>>, ParseError> {
        let mut declared = None;
        let mut bones = vec_for_chunks(&skeleton.body, MIN_BONE_SIZE, |id| id == BONE);
        for chunk in skeleton.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                BONE_COUNT => {
                    let count = self.data(&chunk, |parser, body| {
                        let mut record = parser.padded_record(body, 4)?;
                        Ok((
                            record.offset(),
                            record.count(1, i32::MAX, parser.at("bone count"))?,
                        ))
                    })?;
                    self.once(&mut declared, count, &chunk, "bone counts")?;
                }
                BONE => {
                    let index = bones.len();
                    let segment = Segment::element(BONE, "bone", index);
                    let bone = self.enter(&chunk, segment, |parser| parser.bone(&chunk, index))?;
                    bones.push(bone);
                }
                _ => self.skip(&chunk)?,
            }
        }
        let (offset, count) = self.require(declared, &skeleton.body, "a bone count (0x201)")?;
        self.check_declared_count(&skeleton.body, offset, "bones", bones.len(), count)?;
        self.warn_about_repeated_names(&bones, skeleton.offset);
        Ok(bones)
    }

    fn bone<'a>(&mut self, container: &Chunk<'a>, index: usize) -> Result<Bone<'a>, ParseError> {
        let mut name = None;
        let mut record = None;
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                BONE_NAME => {
                    let text = self.data(&chunk, |parser, body| Ok(parser.string(body)))?;
                    self.name_element(&text);
                    self.once(&mut name, text, &chunk, "names")?;
                }
                BONE_V1 | BONE_V2 => {
                    let is_v1 = chunk.id == BONE_V1;
                    let read = self.data(&chunk, |parser, body| parser.bone_record(body, is_v1))?;
                    self.once(&mut record, read, &chunk, "records")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        let record = self.require(record, &container.body, "its record (0x205 or 0x206)")?;
        Ok(Bone {
            name: self.require(name, &container.body, "its name (0x203)")?,
            parent: self.parent(&record, &container.body, index)?,
            visible: record.visible,
            billboard: record.billboard,
            is_v1: record.is_v1,
            matrix: record.matrix,
        })
    }

    fn bone_record(&mut self, body: &mut Cursor<'_>, is_v1: bool) -> Result<Record, ParseError> {
        let expected = if is_v1 { 56 } else { 60 };
        if body.remaining() != expected {
            let kind = ErrorKind::WrongLength {
                found: body.remaining(),
                expected,
            };
            return Err(body.error(body.offset(), self.at(""), kind));
        }
        let parent_offset = body.offset();
        let parent = body.i32(self.at("parent"))?;
        let visible = body.u32(self.at("visibility"))? != 0;
        let billboard = if is_v1 {
            0
        } else {
            body.u32(self.at("billboard mode"))?
        };
        let matrix_offset = body.offset();
        let rows: &[[F32; 4]; 3] = body.record(self.at("matrix"))?;
        let matrix = rows.map(|row| row.map(F32::get));
        for (value, offset) in matrix
            .as_flattened()
            .iter()
            .zip((matrix_offset..).step_by(4))
        {
            body.check_finite(*value, offset, self.at("matrix"))?;
        }
        if is_singular(&matrix) {
            self.warn("singular matrix", matrix_offset, |parser| {
                format!("the matrix of {} cannot be inverted", parser.at(""))
            });
        }
        Ok(Record {
            parent,
            parent_offset,
            visible,
            billboard,
            is_v1,
            matrix,
        })
    }

    fn parent(
        &mut self,
        record: &Record,
        cursor: &Cursor<'_>,
        index: usize,
    ) -> Result<Option<u32>, ParseError> {
        match record.parent {
            -1 => {
                self.state.bone_depths.push(1);
                Ok(None)
            }
            parent if u32::try_from(parent).is_ok_and(|parent| (parent as usize) < index) => {
                let parent = parent.unsigned_abs();
                let depth = self
                    .state
                    .bone_depths
                    .get(parent as usize)
                    .map_or(1, |depth| depth + 1);
                if depth > MAX_BONE_DEPTH {
                    let kind = ErrorKind::TooDeep {
                        limit: MAX_BONE_DEPTH.into(),
                    };
                    return Err(cursor.error(record.parent_offset, self.at("parent"), kind));
                }
                self.state.bone_depths.push(depth);
                Ok(Some(parent))
            }
            parent => {
                let kind = ErrorKind::BadCount {
                    value: parent.into(),
                    min: -1,
                    max: index as i64 - 1,
                };
                Err(cursor.error(record.parent_offset, self.at("parent"), kind))
            }
        }
    }

    /// One warning for all repeated names, because half of all real models have some.
    fn warn_about_repeated_names(&mut self, bones: &[Bone<'_>], offset: u64) {
        let names = bones
            .iter()
            .map(|bone| (bone.name.to_lowercase(), &*bone.name));
        let mut names: Vec<(String, &str)> = names.collect();
        names.sort_unstable();
        let same_names = names.chunk_by(|(a, _), (b, _)| a == b);
        let mut repeated = same_names.filter(|same| same.len() > 1);
        if let Some([(_, first), ..]) = repeated.next() {
            self.warn("repeated bone names", offset, |_| {
                let (count, first) = (1 + repeated.count(), Quoted(first));
                format!(
                    "{count} bone names occur more than once regardless of case, such as {first}"
                )
            });
        }
    }
}

/// Whether the determinant of the matrix is about zero, relative to the lengths of its columns: a small scale is not
/// singular.
fn is_singular(matrix: &[[f32; 4]; 3]) -> bool {
    let [[a, b, c, _], [d, e, f, _], [g, h, i, _]] = *matrix;
    let determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
    let length = |x: f32, y: f32, z: f32| (x * x + y * y + z * z).sqrt();
    let scale = length(a, d, g) * length(b, e, h) * length(c, f, i);
    // Negated, so that a NaN (after an overflow) counts as singular.
    let is_invertible = determinant.abs() > 1e-6 * scale;
    !is_invertible
}
