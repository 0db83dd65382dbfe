//! The `.mdl` parser: bytes to [`MdlFile`].

use super::records::{PoseHeader, RawHeader, offsets};
use super::{
    DEFAULT_FRAME_RATE, Frame, FrameGroup, Header, MdlFile, Pose, Precision, Skin, StVertex,
    Timing, TriVertex, Triangle,
};
use crate::read::{Cursor, ErrorKind, Format, ParseError, Warning};
use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

/// The version of the format that the games support.
const VERSION: i32 = 6;

/// The first trailing bytes of models from an editor that appends its own data.
const EDITOR_DATA: &[u8] = b"QMEX";

/// Maximum vertex count of a model: vertex indices are passed to the GPU as `f32`, which is exact up to 2^24.
const MAX_VERTICES: i32 = 1 << 24;

/// Maximum count of skin images if they have fewer texels than [`SMALL_IMAGE_TEXELS`].
///
/// Each image becomes textures and a material, which take at least about 9 KiB. Without this limit, a file of one
/// megabyte with one-texel skins would take two gigabytes.
const MAX_SMALL_IMAGES: u32 = 96;

/// Texels per image below which [`MAX_SMALL_IMAGES`] applies.
const SMALL_IMAGE_TEXELS: u64 = 32 * 64;

/// Maximum vertex count in engines up to GLQuake, for a warning to authors of models.
const GLQUAKE_MAX_VERTICES: u32 = 1024;

/// Parses an `IDPO` or `MD16` model of version 6. Arrays are not copied: the result borrows them from `bytes`.
///
/// # Errors
/// A [`ParseError`] with the offset of the wrong value. Harmless flaws are in [`MdlFile::warnings`] instead, such as
/// trailing bytes, names without NUL and unusable times.
pub fn parse(bytes: &[u8]) -> Result<MdlFile<'_>, ParseError> {
    let mut reader = Reader {
        cursor: Cursor::new(Format::Mdl, bytes),
        warnings: Vec::new(),
    };
    reader.file()
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    warnings: Vec<Warning>,
}

impl<'a> Reader<'a> {
    fn file(&mut self) -> Result<MdlFile<'a>, ParseError> {
        let precision = self.magic()?;
        let raw: &RawHeader = self.cursor.record("header")?;
        let counts = self.counts(raw)?;
        let header = self.header(raw, counts.skins)?;
        let skins = self.skins(&header, counts.skins)?;
        let st_vertices = self
            .cursor
            .array(counts.vertices.into(), "texture coordinates")?;
        self.warn_about_texture_coordinates(st_vertices, &header);
        let triangles = self.triangles(&counts)?;
        let (frames, poses) = self.frames(&counts, precision)?;
        let trailing_bytes = self.cursor.remaining();
        let is_editor_data = self.cursor.clone().remainder().starts_with(EDITOR_DATA);
        if trailing_bytes > 0 && !is_editor_data {
            let offset = self.cursor.offset();
            self.warn(
                offset,
                format!("{trailing_bytes} trailing bytes are ignored"),
            );
        }
        self.warn_about_names(&poses);
        Ok(MdlFile {
            precision,
            header,
            skins,
            st_vertices,
            triangles,
            frames,
            poses,
            trailing_bytes,
            warnings: core::mem::take(&mut self.warnings),
        })
    }

    fn warn(&mut self, offset: u64, message: impl Into<String>) {
        self.warnings.push(Warning {
            offset,
            position: None,
            message: message.into(),
        });
    }

    /// Checks the magic bytes and the version. The error names known other formats.
    fn magic(&self) -> Result<Precision, ParseError> {
        let mut ahead = self.cursor.clone();
        let magic: &[u8; 4] = ahead.record("magic")?;
        let precision = match magic {
            b"IDPO" => Precision::Bits8,
            b"MD16" => Precision::Bits16,
            _ => return Err(self.cursor.unrecognized("magic")),
        };
        let version = ahead.i32("version")?;
        if version == VERSION {
            return Ok(precision);
        }
        Err(self.cursor.error(
            offsets::VERSION,
            "version",
            ErrorKind::UnsupportedVersion {
                found: version.into(),
                supported: VERSION.into(),
                hint: if version == 3 {
                    " (version 3 is from the Quake test release)"
                } else {
                    ""
                },
            },
        ))
    }

    fn counts(&self, raw: &RawHeader) -> Result<Counts, ParseError> {
        let check = |value: zerocopy::little_endian::I32, offset, min, max, name| {
            self.cursor.check_count(value.get(), offset, min, max, name)
        };
        Ok(Counts {
            skins: check(
                raw.skin_count,
                offsets::SKIN_COUNT,
                0,
                i32::MAX,
                "skin count",
            )?,
            vertices: check(
                raw.vertex_count,
                offsets::VERTEX_COUNT,
                1,
                MAX_VERTICES,
                "vertex count",
            )?,
            triangles: check(
                raw.triangle_count,
                offsets::TRIANGLE_COUNT,
                1,
                i32::MAX,
                "triangle count",
            )?,
            frames: check(
                raw.frame_count,
                offsets::FRAME_COUNT,
                1,
                i32::MAX,
                "frame count",
            )?,
        })
    }

    fn header(&mut self, raw: &RawHeader, skin_count: u32) -> Result<Header, ParseError> {
        let scale = self.finite_vector(raw.scale, offsets::SCALE, "scale")?;
        let origin = self.finite_vector(raw.origin, offsets::ORIGIN, "origin")?;
        for axis in 0..3 {
            // Vertices reach less than 256 steps.
            let extreme = scale[axis] * 256.0 + origin[axis];
            let offset = offsets::SCALE + 4 * axis as u64;
            self.cursor
                .check_finite(extreme, offset, "origin + 256 * scale")?;
        }
        // Without skins their size is unused and may be 0 or negative.
        let min = i32::from(skin_count > 0);
        let size = |value: i32, offset, name| {
            let value = if skin_count == 0 { value.max(0) } else { value };
            self.cursor.check_count(value, offset, min, i32::MAX, name)
        };
        let skin_width = size(raw.skin_width.get(), offsets::SKIN_WIDTH, "skin width")?;
        let skin_height = size(raw.skin_height.get(), offsets::SKIN_HEIGHT, "skin height")?;
        if skin_count == 0 {
            self.warn(
                offsets::SKIN_COUNT,
                "the model has no skins and is drawn in gray",
            );
        }
        if skin_count > 0 && skin_width % 4 != 0 {
            self.warn(
                offsets::SKIN_WIDTH,
                format!(
                    "skin width {skin_width} is not a multiple of 4: WinQuake rejects the model"
                ),
            );
        }
        let vertices = raw.vertex_count.get().unsigned_abs();
        if vertices > GLQUAKE_MAX_VERTICES {
            self.warn(
                offsets::VERTEX_COUNT,
                format!("the model has {vertices} vertices: GLQuake supports at most {GLQUAKE_MAX_VERTICES}"),
            );
        }
        Ok(Header {
            scale,
            origin,
            radius: self.hint([raw.radius], offsets::RADIUS, "radius")[0],
            eye_position: self.hint(raw.eye_position, offsets::EYE_POSITION, "eye position"),
            skin_width,
            skin_height,
            sync_type: raw.sync_type.get(),
            flags: raw.flags.get(),
            average_triangle_size: raw.average_triangle_size.get(),
        })
    }

    fn finite_vector(
        &self,
        values: [F32; 3],
        offset: u64,
        context: &str,
    ) -> Result<[f32; 3], ParseError> {
        let mut finite = [0.0; 3];
        for ((finite, value), offset) in finite.iter_mut().zip(values).zip((offset..).step_by(4)) {
            *finite = self.cursor.check_finite(value.get(), offset, context)?;
        }
        Ok(finite)
    }

    /// Numbers that nothing depends on. If one is not finite, all become zero, with a warning.
    fn hint<const N: usize>(&mut self, values: [F32; N], offset: u64, name: &str) -> [f32; N] {
        let values = values.map(F32::get);
        if values.iter().all(|value| value.is_finite()) {
            return values;
        }
        self.warn(offset, format!("{name} is not a finite number: 0 is used"));
        [0.0; N]
    }

    fn skins(&mut self, header: &Header, count: u32) -> Result<Vec<Skin<'a>>, ParseError> {
        let texels = u64::from(header.skin_width) * u64::from(header.skin_height);
        // No capacity is reserved: a wrong count must not allocate more memory than the file's skins need.
        let mut skins = Vec::new();
        let mut image_count = 0_u32;
        for index in 0..count {
            let offset = self.cursor.offset();
            let skin = self.skin(index, texels)?;
            image_count = image_count.saturating_add(skin.image_count);
            if image_count > MAX_SMALL_IMAGES && texels < SMALL_IMAGE_TEXELS {
                return Err(self.cursor.error(
                    offset,
                    format_args!("skin {index}"),
                    ErrorKind::LimitExceeded {
                        limit: "96 skin images, unless each has at least 2048 texels",
                    },
                ));
            }
            skins.push(skin);
        }
        Ok(skins)
    }

    /// A skin whose images have `texels` texels each.
    fn skin(&mut self, index: u32, texels: u64) -> Result<Skin<'a>, ParseError> {
        if self.cursor.i32(format_args!("type of skin {index}"))? == 0 {
            return Ok(Skin {
                pixels: self
                    .cursor
                    .take(texels, format_args!("image of skin {index}"))?,
                image_count: 1,
                timing: None,
                raw_times: &[],
            });
        }
        let context = format_args!("image count of skin group {index}");
        let image_count = self.cursor.count(1, i32::MAX, context)?;
        let context = format_args!("times of skin group {index}");
        let (timing, raw_times) = self.group_timing(image_count, context)?;
        let pixels = self.cursor.take(
            texels.saturating_mul(image_count.into()),
            format_args!("images of skin group {index}"),
        )?;
        Ok(Skin {
            pixels,
            image_count,
            timing: Some(timing),
            raw_times,
        })
    }

    /// The timing of a group, and its times as stored. If the times are unusable, the timing is [`DEFAULT_FRAME_RATE`].
    fn group_timing(
        &mut self,
        count: u32,
        context: core::fmt::Arguments<'_>,
    ) -> Result<(Timing, &'a [F32]), ParseError> {
        let offset = self.cursor.offset();
        let times: &[F32] = self.cursor.array(count.into(), context)?;
        let mut previous = 0.0;
        let increasing = times.iter().all(|time| {
            let begin = core::mem::replace(&mut previous, time.get());
            time.get().is_finite() && time.get() > begin
        });
        if increasing {
            return Ok((
                Timing::Ends(times.iter().map(|time| time.get()).collect()),
                times,
            ));
        }
        self.warn(
            offset,
            format!("{context} are not greater than 0 and increasing: steps of 0.1 s are used"),
        );
        Ok((Timing::Rate(DEFAULT_FRAME_RATE), times))
    }

    fn warn_about_texture_coordinates(&mut self, st_vertices: &[StVertex], header: &Header) {
        let offset = self
            .cursor
            .offset()
            .saturating_sub(size_of_val(st_vertices) as u64);
        let size = (header.skin_width, header.skin_height);
        let inside = |value: i32, size: u32| u32::try_from(value).is_ok_and(|value| value < size);
        let mut outside = st_vertices
            .iter()
            .zip((offset..).step_by(size_of::<StVertex>()))
            .filter(|(st, _)| !(inside(st.s.get(), size.0) && inside(st.t.get(), size.1)));
        if header.skin_width > 0
            && let Some((first, offset)) = outside.next()
        {
            let count = 1 + outside.count();
            self.warn(
                offset,
                format!(
                    "texture coordinates of {count} vertices are outside the skin, \
                     the first at ({}, {}): the skin repeats",
                    first.s, first.t
                ),
            );
        }
    }

    fn triangles(&mut self, counts: &Counts) -> Result<&'a [Triangle], ParseError> {
        let offset = self.cursor.offset();
        let triangles: &[Triangle] = self.cursor.array(counts.triangles.into(), "triangles")?;
        let in_range = |index: &zerocopy::little_endian::I32| {
            u32::try_from(index.get()).is_ok_and(|index| index < counts.vertices)
        };
        let invalid = triangles
            .iter()
            .position(|triangle| !triangle.vertices.iter().all(in_range));
        let Some((index, triangle)) =
            invalid.and_then(|index| Some((index, triangles.get(index)?)))
        else {
            return Ok(triangles);
        };
        let corner = triangle.vertices.iter().position(|index| !in_range(index));
        let corner = corner.unwrap_or_default();
        Err(self.cursor.error(
            offset + (index * size_of::<Triangle>() + 4 + 4 * corner) as u64,
            format_args!("triangle {index}"),
            ErrorKind::IndexOutOfRange {
                element: "vertex",
                index: triangle.vertices[corner].get().into(),
                count: counts.vertices.into(),
            },
        ))
    }

    fn frames(
        &mut self,
        counts: &Counts,
        precision: Precision,
    ) -> Result<(Vec<Frame>, Vec<Pose<'a>>), ParseError> {
        let blocks = match precision {
            Precision::Bits8 => 1,
            Precision::Bits16 => 2,
        };
        let vertices = u64::from(counts.vertices) * blocks * size_of::<TriVertex>() as u64;
        let pose_size = size_of::<PoseHeader>() as u64 + vertices;
        let max_poses = self.cursor.remaining() / pose_size;
        let mut frames = Vec::with_capacity(max_poses.min(counts.frames.into()) as usize);
        let mut poses = Vec::with_capacity(max_poses as usize);
        for index in 0..counts.frames {
            let is_single = self.cursor.i32(format_args!("type of frame {index}"))? == 0;
            let first_pose = poses.len() as u32;
            let group = if is_single {
                None
            } else {
                Some(self.frame_group(index, pose_size)?)
            };
            let pose_count = group.as_ref().map_or(1, |(_, count)| *count);
            for pose in 0..pose_count {
                let context = format_args!("pose {pose} of frame {index}");
                poses.push(self.pose(counts.vertices, precision, context)?);
            }
            frames.push(Frame {
                first_pose,
                pose_count,
                group: group.map(|(group, _)| group),
            });
        }
        Ok((frames, poses))
    }

    /// The data of a group before its poses, and its pose count.
    fn frame_group(&mut self, index: u32, pose_size: u64) -> Result<(FrameGroup, u32), ParseError> {
        let context = format_args!("pose count of frame group {index}");
        let count = self.cursor.count(1, i32::MAX, context)?;
        let [min, max]: &[TriVertex; 2] = self
            .cursor
            .record(format_args!("bounds of frame group {index}"))?;
        let context = format_args!("times of frame group {index}");
        let (timing, raw_times) = self.group_timing(count, context)?;
        // Checks the length of all poses now, so that a wrong count fails before any pose is read.
        self.cursor.clone().take(
            pose_size.saturating_mul(count.into()),
            format_args!("poses of frame group {index}"),
        )?;
        let group = FrameGroup {
            timing,
            raw_times: raw_times.iter().map(|time| time.get()).collect(),
            min: *min,
            max: *max,
        };
        Ok((group, count))
    }

    fn pose(
        &mut self,
        vertices: u32,
        precision: Precision,
        context: core::fmt::Arguments<'_>,
    ) -> Result<Pose<'a>, ParseError> {
        let offset = self.cursor.offset();
        let header = self.cursor.take(size_of::<PoseHeader>() as u64, context)?;
        let (raw_name, bounds) = pose_header(header).ok_or_else(|| {
            let kind = ErrorKind::Truncated {
                needed: size_of::<PoseHeader>() as u64,
                available: header.len() as u64,
            };
            self.cursor.error(offset, context, kind)
        })?;
        Ok(Pose {
            offset,
            raw_name,
            min: bounds[0],
            max: bounds[1],
            vertices: self
                .cursor
                .array(vertices.into(), format_args!("vertices of {context}"))?,
            low_vertices: match precision {
                Precision::Bits8 => &[],
                Precision::Bits16 => self
                    .cursor
                    .array(vertices.into(), format_args!("low bytes of {context}"))?,
            },
        })
    }

    fn warn_about_names(&mut self, poses: &[Pose<'_>]) {
        let mut unterminated = poses.iter().filter(|pose| !pose.raw_name.contains(&0));
        if let Some(first) = unterminated.next() {
            let message = format!(
                "names of {} poses fill their 16 bytes without a NUL, the first is {:?}",
                1 + unterminated.count(),
                first.name()
            );
            self.warn(first.offset + 8, message);
        }
        let not_text = |pose: &&Pose<'_>| core::str::from_utf8(pose.name_bytes()).is_err();
        let mut not_text = poses.iter().filter(not_text);
        if let Some(first) = not_text.next() {
            let message = format!(
                "names of {} poses are not UTF-8, the first is read as {:?}",
                1 + not_text.count(),
                first.name()
            );
            self.warn(first.offset + 8, message);
        }
    }
}

/// The header's counts. Each is in its range, but not yet checked against the length of the file.
struct Counts {
    skins: u32,
    vertices: u32,
    triangles: u32,
    frames: u32,
}

/// The name of a pose, and the minimum and maximum corner of its bounding box.
fn pose_header(bytes: &[u8]) -> Option<(&[u8; 16], [TriVertex; 2])> {
    let header = PoseHeader::ref_from_bytes(bytes).ok()?;
    Some((&header.name, [header.min, header.max]))
}
