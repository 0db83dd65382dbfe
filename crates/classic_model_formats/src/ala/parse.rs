//! The `.ala` parser: bytes to [`AlaFile`].

use super::file::{AlaBlocks, AlaBone, AlaFile, Track};
use crate::chunk::{Chunk, Chunks, MiniChunk};
use crate::chunk_parser::{self, Mini, Segment};
use crate::read::{Cursor, ErrorKind, Format, ParseError};
use std::borrow::Cow;
use zerocopy::little_endian::{F32, I16, U16, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

const ANIMATION: u32 = 0x1000;
const INFO: u32 = 0x1001;
const BONE: u32 = 0x1002;
const BONE_RECORD: u32 = 0x1003;
const TRANSLATION: u32 = 0x1004;
const SCALE: u32 = 0x1005;
const ROTATION: u32 = 0x1006;
const VISIBILITY: u32 = 0x1007;
const STEPS: u32 = 0x1008;
const ROTATIONS: u32 = 0x1009;
const TRANSLATIONS: u32 = 0x100A;
const SCALES: u32 = 0x100B;

/// Maximum frame count of an animation: 2^24, so that an `f32` can represent each frame exactly.
///
/// At 30 frames per second that is six days.
pub const MAX_FRAMES: u32 = 1 << 24;

/// Minimum size of a bone in the file, in bytes: one of version 1 with an empty name and without optional chunks.
const MIN_BONE_SIZE: u64 = 8 + 8 + 2 + 6 + 4 * 14;

/// The parser of an animation: the current path of chunks, the warnings, and the header.
type Parser = chunk_parser::Parser<Info>;

/// The header, chunk 0x1001.
#[derive(Clone, Copy, Default)]
struct Info {
    frames: u32,
    fps: f32,
    bone_count: u32,
    /// File offset of the bone count.
    bone_count_offset: u64,
    /// Sizes of the blocks of version 2; `None` in version 1.
    sizes: Option<BlockSizes>,
}

/// Words per frame in each block.
#[derive(Clone, Copy)]
struct BlockSizes {
    rotations: u32,
    translations: u32,
    scales: u32,
}

/// The chunks of the blocks of version 2.
#[derive(Default)]
struct BlockChunks<'a> {
    rotations: Option<Chunk<'a>>,
    translations: Option<Chunk<'a>>,
    scales: Option<Chunk<'a>>,
}

/// A value and its file offset.
#[derive(Clone, Copy)]
struct WithOffset<T> {
    value: T,
    offset: u64,
}

/// A bone's record, chunk 0x1003.
struct Record<'a> {
    name: Cow<'a, str>,
    index: u32,
    unknown: Option<u32>,
    translation_offset: [f32; 3],
    translation_scale: WithOffset<[f32; 3]>,
    scale_offset: [f32; 3],
    scale_scale: WithOffset<[f32; 3]>,
    /// The fields of version 2.
    packed: Option<Packed>,
}

/// For each track of a bone in version 2, the index of its first word in each frame of the block. `u16::MAX` means that
/// there is no track.
struct Packed {
    translation: WithOffset<u16>,
    scale: WithOffset<u16>,
    rotation: WithOffset<u16>,
    default_rotation: WithOffset<[i16; 4]>,
}

/// The mini-chunks after the name in chunk 0x1003 of all real files.
///
/// Reading them at once is an optimization: one by one they take most of the parsing time.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct UsualRecord {
    index: Mini<U32>,
    unknown: Mini<U32>,
    vectors: [Mini<[F32; 3]>; 4],
}

/// The mini-chunks after [`UsualRecord`] in version 2.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct UsualPacked {
    indices: [Mini<U16>; 3],
    default_rotation: Mini<[I16; 4]>,
}

/// Parses an animation. Tracks are not copied: the result borrows them from `bytes`.
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the error, such as
/// `0x1000 / 0x1002 bone 3 "Turret" / 0x1007`.
pub fn parse(bytes: &[u8]) -> Result<AlaFile<'_>, ParseError> {
    let cursor = Cursor::new(Format::Ala, bytes);
    check_magic(&cursor)?;
    let mut parser = Parser::default();
    let mut animation = None;
    let mut chunks = Chunks::new(cursor.clone());
    loop {
        let begin = chunks.rest().cloned();
        let Some(chunk) = chunks.next() else { break };
        match chunk {
            Ok(chunk) if chunk.id == ANIMATION => {
                let read = parser.enter(&chunk, Segment::Chunk(ANIMATION), |parser| {
                    parser.animation(&chunk)
                })?;
                parser.once(&mut animation, read, &chunk, "animations")?;
            }
            Ok(chunk) => parser.skip(&chunk)?,
            Err(error) => match begin {
                Some(rest) if animation.is_some() && !starts_with_animation(&rest) => {
                    let length = rest.remaining();
                    parser.warn("trailing", rest.offset(), |_| {
                        format!("{length} trailing bytes are ignored")
                    });
                }
                _ => return Err(error),
            },
        }
    }
    let animation = parser.require(animation, &cursor, "an animation (0x1000)")?;
    Ok(AlaFile {
        warnings: parser.into_warnings(),
        ..animation
    })
}

/// An empty list with capacity for the declared bone count, limited to the bones that fit into `body`.
fn with_bone_capacity<T>(bone_count: u32, body: &Cursor<'_>) -> Vec<T> {
    let capacity = (body.remaining() / MIN_BONE_SIZE).min(bone_count.into());
    Vec::with_capacity(usize::try_from(capacity).unwrap_or_default())
}

/// Whether a chunk that cannot be read has the type of an animation, so that the file is truncated.
fn starts_with_animation(rest: &Cursor<'_>) -> bool {
    rest.clone().u32("").is_ok_and(|id| id == ANIMATION)
}

/// Checks the type of the first chunk. The error names known other formats.
fn check_magic(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    let mut start = cursor.clone();
    let id = start.u32("type of the first chunk")?;
    let looks_like = match id {
        ANIMATION => return Ok(()),
        0x200 | 0x400 | 0x600 | 0x1300 => "is an Alamo model (ALO), not an animation".to_owned(),
        0x900 => "is an Alamo particle system (version 1), not an animation".to_owned(),
        0x1500 => "is an Alamo particle system (version 2), not an animation".to_owned(),
        _ => format!("begins with \"{}\"", id.to_le_bytes().escape_ascii()),
    };
    Err(cursor.error(0, "first chunk", ErrorKind::WrongMagic { looks_like }))
}

impl Parser {
    fn animation<'a>(&mut self, container: &Chunk<'a>) -> Result<AlaFile<'a>, ParseError> {
        // Two passes: parsing bones needs the header, which precedes them, and the blocks, which follow them.
        let mut info = None;
        let mut chunks = BlockChunks::default();
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                INFO => {
                    let read = self.data(&chunk, |parser, _| parser.info(&chunk))?;
                    self.once(&mut info, read, &chunk, "headers")?;
                }
                ROTATIONS => {
                    let slot = &mut chunks.rotations;
                    self.once(slot, chunk.clone(), &chunk, "blocks of rotations")?;
                }
                TRANSLATIONS => {
                    let slot = &mut chunks.translations;
                    self.once(slot, chunk.clone(), &chunk, "blocks of translations")?;
                }
                SCALES => {
                    let slot = &mut chunks.scales;
                    self.once(slot, chunk.clone(), &chunk, "blocks of scales")?;
                }
                _ => {}
            }
        }
        let info = self.require(info, &container.body, "its header (0x1001)")?;
        self.state = info;
        let blocks = match info.sizes {
            Some(sizes) => self.blocks(sizes, &chunks, container)?,
            None => AlaBlocks::default(),
        };
        let mut bones = with_bone_capacity(info.bone_count, &container.body);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                INFO => {}
                BONE => {
                    let segment = Segment::element(BONE, "bone", bones.len());
                    // Bones are large: pushing them in place avoids copies.
                    let read = |parser: &mut Self| parser.bone(&chunk, blocks, &mut bones);
                    self.enter(&chunk, segment, read)?;
                }
                ROTATIONS | TRANSLATIONS | SCALES if info.sizes.is_some() => {}
                _ => self.skip(&chunk)?,
            }
        }
        let body = &container.body;
        self.check_declared_count(
            body,
            info.bone_count_offset,
            "bones",
            bones.len(),
            info.bone_count,
        )?;
        self.warn_about_repeated_bones(&bones, container.offset);
        Ok(AlaFile {
            version: if info.sizes.is_some() { 2 } else { 1 },
            frames: info.frames,
            fps: info.fps,
            bones,
            blocks,
            warnings: Vec::new(),
        })
    }

    fn info(&mut self, chunk: &Chunk<'_>) -> Result<Info, ParseError> {
        let (mut frames, mut fps, mut bone_count) = (None, None, None);
        let (mut rotations, mut translations, mut scales) = (None, None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                1 => {
                    frames = Some(self.count(&mini, 1, MAX_FRAMES, "frame count")?.value);
                }
                2 => fps = Some(self.fps(&mini)?),
                3 => bone_count = Some(self.count(&mini, 0, i32::MAX as u32, "bone count")?),
                11 => rotations = Some(self.block_size(&mini, 4)?),
                12 => translations = Some((self.block_size(&mini, 3)?, mini)),
                13 => scales = Some((self.block_size(&mini, 3)?, mini)),
                _ => self.skip_mini(&mini),
            }
        }
        let body = &chunk.body;
        let frames = self.require(frames, body, "its frame count (mini-chunk 1)")?;
        let fps: WithOffset<f32> =
            self.require(fps, body, "its frames per second (mini-chunk 2)")?;
        let bone_count = self.require(bone_count, body, "its bone count (mini-chunk 3)")?;
        if !((frames - 1) as f32 / fps.value).is_finite() {
            let kind = ErrorKind::NotFinite;
            return Err(body.error(fps.offset, self.at("duration"), kind));
        }
        let sizes = match rotations {
            Some(rotations) => Some(BlockSizes {
                rotations,
                translations: self
                    .require(
                        translations,
                        body,
                        "its words of translation per frame (mini-chunk 12)",
                    )?
                    .0,
                scales: self
                    .require(scales, body, "its words of scale per frame (mini-chunk 13)")?
                    .0,
            }),
            None => {
                for (_, mini) in [translations, scales].into_iter().flatten() {
                    self.skip_mini(&mini);
                }
                None
            }
        };
        Ok(Info {
            frames,
            fps: fps.value,
            bone_count: bone_count.value,
            bone_count_offset: bone_count.offset,
            sizes,
        })
    }

    /// The count in a mini-chunk, from `min` to `max`.
    fn count(
        &self,
        mini: &MiniChunk<'_>,
        min: i32,
        max: u32,
        field: &str,
    ) -> Result<WithOffset<u32>, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let max = i32::try_from(max).unwrap_or(i32::MAX);
        let value = body.count(min, max, self.at(field))?;
        Ok(WithOffset { value, offset })
    }

    fn fps(&self, mini: &MiniChunk<'_>) -> Result<WithOffset<f32>, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let context = self.at("frames per second");
        let value = body.f32("")?;
        let value = body.check_finite(value, offset, &context)?;
        if value <= 0.0 {
            return Err(body.error(offset, context, ErrorKind::NotPositive));
        }
        Ok(WithOffset { value, offset })
    }

    /// The words per frame of a block, in which each track has `width` words.
    fn block_size(&self, mini: &MiniChunk<'_>, width: u32) -> Result<u32, ParseError> {
        let field = match mini.id {
            11 => "words of rotation per frame",
            12 => "words of translation per frame",
            _ => "words of scale per frame",
        };
        let size = self.count(mini, 0, i32::MAX as u32, field)?;
        if !size.value.is_multiple_of(width) {
            let kind = ErrorKind::NotMultiple {
                value: size.value.into(),
                of: width.into(),
            };
            return Err(mini.body.error(size.offset, self.at(field), kind));
        }
        Ok(size.value)
    }

    /// The blocks of version 2.
    fn blocks<'a>(
        &mut self,
        sizes: BlockSizes,
        chunks: &BlockChunks<'a>,
        container: &Chunk<'a>,
    ) -> Result<AlaBlocks<'a>, ParseError> {
        let blocks = AlaBlocks {
            translations: self.block(
                sizes.translations,
                &chunks.translations,
                container,
                "a block of translations (0x100a)",
            )?,
            scales: self.block(
                sizes.scales,
                &chunks.scales,
                container,
                "a block of scales (0x100b)",
            )?,
            rotations: self.block(
                sizes.rotations,
                &chunks.rotations,
                container,
                "a block of rotations (0x1009)",
            )?,
        };
        if let Some(chunk) = &chunks.rotations {
            self.inside(Segment::Chunk(ROTATIONS), |parser| {
                parser.warn_about_zero_quaternions(blocks.rotations, chunk.body.offset());
            });
        }
        Ok(blocks)
    }

    /// The words of a block, which can be missing if it has no words per frame.
    fn block<'a, T>(
        &mut self,
        size: u32,
        chunk: &Option<Chunk<'a>>,
        container: &Chunk<'a>,
        name: &'static str,
    ) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        match chunk {
            Some(chunk) => self.data(chunk, |parser, body| parser.words(body, size)),
            None if size == 0 => Ok(&[]),
            None => self.require(None, &container.body, name),
        }
    }

    /// The body of a chunk that holds `per_frame` words for each frame.
    fn words<'a, T>(&mut self, body: &mut Cursor<'a>, per_frame: u32) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        // Cannot overflow: at most 2^24 * 2^31.
        let count = u64::from(self.state.frames) * u64::from(per_frame);
        let (offset, found, expected) = (body.offset(), body.remaining(), 2 * count);
        if found < expected {
            let kind = ErrorKind::WrongLength { found, expected };
            return Err(body.error(offset, self.at(""), kind));
        }
        if found > expected {
            self.warn("long track", offset + expected, |parser| {
                let (path, extra) = (parser.at(""), found - expected);
                format!("{extra} bytes of {path} beyond the last frame are ignored")
            });
        }
        body.array(count, self.at(""))
    }

    fn warn_about_zero_quaternions(&mut self, words: &[I16], offset: u64) {
        let (quaternions, _) = words.as_chunks::<4>();
        // Compares 64-bit words without branches, for speed: there may be millions of quaternions.
        let is_zero = |quaternion: &[I16; 4]| {
            let word: u64 = zerocopy::transmute!(*quaternion);
            word == 0
        };
        let found = quaternions
            .iter()
            .fold(false, |found, quaternion| found | is_zero(quaternion));
        if !found {
            return;
        }
        for (index, quaternion) in quaternions.iter().enumerate() {
            if is_zero(quaternion) {
                let offset = offset + 8 * index as u64;
                self.warn("zero quaternion", offset, |parser| {
                    let path = parser.at("");
                    format!("quaternion {index} of {path} is zero: the identity is used")
                });
            }
        }
    }

    fn bone<'a>(
        &mut self,
        container: &Chunk<'a>,
        blocks: AlaBlocks<'a>,
        bones: &mut Vec<AlaBone<'a>>,
    ) -> Result<(), ParseError> {
        let is_v1 = self.state.sizes.is_none();
        let mut record = None;
        let (mut translation, mut scale, mut rotation) = (None, None, None);
        let (mut visibility, mut steps) = (None, None);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                BONE_RECORD => {
                    let read =
                        self.data(&chunk, |parser, _| match parser.usual_record(&chunk) {
                            Some(record) => Ok(record),
                            None => parser.record(&chunk),
                        })?;
                    self.name_element(&read.name);
                    self.once(&mut record, read, &chunk, "records")?;
                }
                TRANSLATION if is_v1 => {
                    let track = self.data(&chunk, |parser, body| parser.words(body, 3))?;
                    self.once(&mut translation, track, &chunk, "tracks")?;
                }
                SCALE if is_v1 => {
                    let track = self.data(&chunk, |parser, body| parser.words(body, 3))?;
                    self.once(&mut scale, track, &chunk, "tracks")?;
                }
                ROTATION if is_v1 => {
                    let track = self.data(&chunk, Self::rotation_words)?;
                    self.once(&mut rotation, track, &chunk, "tracks")?;
                }
                VISIBILITY => {
                    let bits = self.data(&chunk, |parser, body| parser.bits(body))?;
                    self.once(&mut visibility, bits, &chunk, "tracks")?;
                }
                STEPS => {
                    let bits = self.data(&chunk, |parser, body| parser.bits(body))?;
                    self.once(&mut steps, bits, &chunk, "tracks")?;
                }
                _ => self.skip(&chunk)?,
            }
        }
        let record: Record<'_> = self.require(record, &container.body, "its record (0x1003)")?;
        let mut bone = AlaBone {
            name: record.name,
            index: record.index,
            unknown: record.unknown,
            translation_offset: record.translation_offset,
            translation_scale: record.translation_scale.value,
            scale_offset: record.scale_offset,
            scale_scale: record.scale_scale.value,
            default_rotation: None,
            translation: translation.map(|words| Track::new(words, 0, 3)),
            scale: scale.map(|words| Track::new(words, 0, 3)),
            rotation: None,
            visibility,
            steps,
        };
        match rotation {
            // A single quaternion is constant for all frames, also if there is only one frame.
            Some([x, y, z, w]) => bone.default_rotation = Some([x, y, z, w].map(|word| word.get())),
            Some(words) => bone.rotation = Some(Track::new(words, 0, 4)),
            None => {}
        }
        if let (Some(packed), Some(sizes)) = (record.packed, self.state.sizes) {
            let body = &container.body;
            let Packed {
                translation,
                scale,
                rotation,
                default_rotation,
            } = packed;
            bone.translation =
                self.track(blocks.translations, translation, sizes.translations, body)?;
            bone.scale = self.track(blocks.scales, scale, sizes.scales, body)?;
            bone.rotation = self.track(blocks.rotations, rotation, sizes.rotations, body)?;
            bone.default_rotation = Some(default_rotation.value);
            if bone.rotation.is_none() && default_rotation.value == [0; 4] {
                self.warn("zero quaternion", default_rotation.offset, |parser| {
                    let path = parser.at("default rotation");
                    format!("{path} is zero: the identity is used")
                });
            }
        }
        if bone.translation.is_some() {
            self.check_extent(
                bone.translation_offset,
                record.translation_scale,
                &container.body,
                "translation",
            )?;
        }
        if bone.scale.is_some() {
            self.check_extent(
                bone.scale_offset,
                record.scale_scale,
                &container.body,
                "scale",
            )?;
        }
        bones.push(bone);
        Ok(())
    }

    /// Reads a record that has the mini-chunks of all real files in their order.
    ///
    /// `None` if the mini-chunks differ or need an error or a warning: then [`record`](Self::record) reads them.
    fn usual_record<'a>(&mut self, chunk: &Chunk<'a>) -> Option<Record<'a>> {
        let mut body = chunk.body.clone();
        let [id, length]: &[u8; 2] = body.record("").ok()?;
        if *id != 4 {
            return None;
        }
        let mut name = body.part((*length).into(), "").ok()?;
        let begin = body.offset();
        let UsualRecord {
            index,
            unknown,
            vectors,
        } = body.record("").ok()?;
        let is_usual = index.is(5)
            && unknown.is(10)
            && (6..).zip(vectors).all(|(id, vector)| {
                vector.is(id) && vector.value.iter().all(|value| value.get().is_finite())
            });
        if !is_usual {
            return None;
        }
        let packed = if self.state.sizes.is_some() {
            let begin = body.offset();
            let UsualPacked {
                indices,
                default_rotation,
            } = body.record("").ok()?;
            let [translation, scale, rotation] = indices;
            let is_usual =
                translation.is(14) && scale.is(15) && rotation.is(16) && default_rotation.is(17);
            if !is_usual {
                return None;
            }
            let index = |position: u64, index: &Mini<U16>| WithOffset {
                value: index.value.get(),
                offset: begin + 4 * position + 2,
            };
            Some(Packed {
                translation: index(0, translation),
                scale: index(1, scale),
                rotation: index(2, rotation),
                default_rotation: WithOffset {
                    value: default_rotation.value.map(I16::get),
                    offset: begin + 4 * 3 + 2,
                },
            })
        } else {
            None
        };
        if body.remaining() != 0 {
            return None;
        }
        let vector = |position: u64, vector: &Mini<[F32; 3]>| WithOffset {
            value: vector.value.map(F32::get),
            offset: begin + 6 * 2 + 14 * position + 2,
        };
        let [t_offset, t_scale, s_offset, s_scale] = vectors;
        Some(Record {
            name: self.string(&mut name),
            index: index.value.get(),
            unknown: Some(unknown.value.get()),
            translation_offset: vector(0, t_offset).value,
            translation_scale: vector(1, t_scale),
            scale_offset: vector(2, s_offset).value,
            scale_scale: vector(3, s_scale),
            packed,
        })
    }

    /// Reads a record of any mini-chunks.
    fn record<'a>(&mut self, chunk: &Chunk<'a>) -> Result<Record<'a>, ParseError> {
        let is_v2 = self.state.sizes.is_some();
        let (mut name, mut index, mut unknown) = (None, None, None);
        let mut vectors = [None; 4];
        let mut indices = [None; 3];
        let mut default_rotation = None;
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                4 => name = Some(self.string(&mut mini.body.clone())),
                5 => index = Some(self.mini_u32(&mini)?),
                10 => unknown = Some(self.mini_u32(&mini)?),
                6..=9 => {
                    let vector = self.vector(&mini)?;
                    if let Some(slot) = vectors.get_mut(usize::from(mini.id - 6)) {
                        *slot = Some(vector);
                    }
                }
                14..=16 if is_v2 => {
                    let body = self.fixed_mini(&mini, 2)?;
                    let word = body.clone().record::<U16>(self.at(""))?;
                    if let Some(slot) = indices.get_mut(usize::from(mini.id - 14)) {
                        *slot = Some(WithOffset {
                            value: word.get(),
                            offset: body.offset(),
                        });
                    }
                }
                17 if is_v2 => {
                    let body = self.fixed_mini(&mini, 8)?;
                    let words = body.clone().record::<[I16; 4]>(self.at(""))?;
                    default_rotation = Some(WithOffset {
                        value: words.map(|word| word.get()),
                        offset: body.offset(),
                    });
                }
                _ => self.skip_mini(&mini),
            }
        }
        let body = &chunk.body;
        let [t_offset, t_scale, s_offset, s_scale] = vectors;
        let [t_index, s_index, r_index] = indices;
        let packed = if is_v2 {
            Some(Packed {
                translation: self.require(
                    t_index,
                    body,
                    "its translation index (mini-chunk 14)",
                )?,
                scale: self.require(s_index, body, "its scale index (mini-chunk 15)")?,
                rotation: self.require(r_index, body, "its rotation index (mini-chunk 16)")?,
                default_rotation: self.require(
                    default_rotation,
                    body,
                    "its default rotation (mini-chunk 17)",
                )?,
            })
        } else {
            None
        };
        Ok(Record {
            name: self.require(name, body, "its name (mini-chunk 4)")?,
            index: self.require(index, body, "its index (mini-chunk 5)")?,
            unknown,
            translation_offset: self
                .require(t_offset, body, "its translation offset (mini-chunk 6)")?
                .value,
            translation_scale: self.require(
                t_scale,
                body,
                "its translation scale (mini-chunk 7)",
            )?,
            scale_offset: self
                .require(s_offset, body, "its scale offset (mini-chunk 8)")?
                .value,
            scale_scale: self.require(s_scale, body, "its scale factor (mini-chunk 9)")?,
            packed,
        })
    }

    fn vector(&self, mini: &MiniChunk<'_>) -> Result<WithOffset<[f32; 3]>, ParseError> {
        let mut body = self.fixed_mini(mini, 12)?;
        let offset = body.offset();
        let field = match mini.id {
            6 => "translation offset",
            7 => "translation scale",
            8 => "scale offset",
            _ => "scale factor",
        };
        let mut value = [0.0; 3];
        for value in &mut value {
            let offset = body.offset();
            let number = body.f32("")?;
            *value = body.check_finite(number, offset, self.at(field))?;
        }
        Ok(WithOffset { value, offset })
    }

    /// Checks that the value of the greatest word, 65535, is finite; all other values of a track are between it and the
    /// offset.
    fn check_extent(
        &self,
        offset: [f32; 3],
        scale: WithOffset<[f32; 3]>,
        cursor: &Cursor<'_>,
        field: &str,
    ) -> Result<(), ParseError> {
        for (axis, (offset, factor)) in offset.into_iter().zip(scale.value).enumerate() {
            let factor_offset = scale.offset + 4 * axis as u64;
            let extreme = offset + f32::from(u16::MAX) * factor;
            cursor.check_finite(extreme, factor_offset, self.at(field))?;
        }
        Ok(())
    }

    /// Chunk 0x1006: a quaternion for each frame, or one for all frames.
    fn rotation_words<'a>(&mut self, body: &mut Cursor<'a>) -> Result<&'a [I16], ParseError> {
        let offset = body.offset();
        let words = if body.remaining() == 8 {
            body.array(4, self.at(""))?
        } else {
            self.words(body, 4)?
        };
        self.warn_about_zero_quaternions(words, offset);
        Ok(words)
    }

    /// A bit for each frame.
    fn bits<'a>(&self, body: &mut Cursor<'a>) -> Result<&'a [u8], ParseError> {
        let (found, expected) = (body.remaining(), self.state.frames.div_ceil(8).into());
        if found != expected {
            let kind = ErrorKind::WrongLength { found, expected };
            return Err(body.error(body.offset(), self.at(""), kind));
        }
        Ok(body.remainder())
    }

    /// The track of a bone in a block; `None` if the bone has no track.
    fn track<'a, T: Copy, const N: usize>(
        &mut self,
        words: &'a [T],
        first: WithOffset<u16>,
        stride: u32,
        cursor: &Cursor<'_>,
    ) -> Result<Option<Track<'a, T, N>>, ParseError> {
        let WithOffset { value, offset } = first;
        if value == u16::MAX {
            return Ok(None);
        }
        if usize::from(value) + N > stride as usize {
            let kind = ErrorKind::IndexOutOfRange {
                element: "word",
                index: value.into(),
                count: stride.into(),
            };
            return Err(cursor.error(offset, self.at("track"), kind));
        }
        if !usize::from(value).is_multiple_of(N) {
            self.warn("overlapping track", offset, |parser| {
                let path = parser.at("");
                format!(
                    "a track of {path} overlaps others: its first word {value} is not a multiple of {N}"
                )
            });
        }
        Ok(Some(Track::new(words, value.into(), stride)))
    }

    fn warn_about_repeated_bones(&mut self, bones: &[AlaBone<'_>], offset: u64) {
        let mut indices: Vec<u32> = bones.iter().map(|bone| bone.index).collect();
        indices.sort_unstable();
        let mut pairs = indices.windows(2);
        if let Some([index, _]) = pairs.find(|pair| matches!(pair, [a, b] if a == b)) {
            self.warn("repeated bones", offset, |_| {
                format!("bone {index} is animated more than once")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loading an animation may take 16 times the heap of its file. This limit leaves enough of that for the values that
    /// are converted from the parsed ones.
    #[test]
    fn parsed_bones_take_less_than_5_times_their_file_size() {
        // The bone, and its index in the search for repeated bones.
        let size = size_of::<AlaBone<'_>>() + size_of::<u32>();
        let factor = size as f64 / MIN_BONE_SIZE as f64;
        assert!(
            factor < 5.0,
            "{size} bytes in memory for {MIN_BONE_SIZE} bytes in the file"
        );
    }
}
