//! Bytes to [`AlaFile`].

use super::file::{AlaBlocks, AlaBone, AlaFile, Track};
use crate::chunk::{Chunk, Chunks, MiniChunk};
use crate::read::{Cursor, ErrorKind, Format, ParseError};
use crate::segments::{self, Segment};
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

/// The most frames an animation may have: as many as a float can tell apart. At 30 frames a second
/// that is six days.
pub const MAX_FRAMES: u32 = 1 << 24;

/// Bytes of a bone of format 1 with no name and nothing that may be absent.
const LEAST_BONE: u64 = 8 + 8 + 2 + 6 + 4 * 14;

/// Where the parser is, and what it has learnt.
type Parser = segments::Parser<Info>;

/// Chunk 0x1001.
#[derive(Clone, Copy, Default)]
struct Info {
    frames: u32,
    fps: f32,
    bones: u32,
    /// Where the number of bones stands.
    bones_offset: u64,
    /// Words of each frame in the blocks of format 2.
    sizes: Option<BlockSizes>,
}

#[derive(Clone, Copy)]
struct BlockSizes {
    rotations: u32,
    translations: u32,
    scales: u32,
}

/// The chunks of blocks.
#[derive(Default)]
struct BlockChunks<'a> {
    rotations: Option<Chunk<'a>>,
    translations: Option<Chunk<'a>>,
    scales: Option<Chunk<'a>>,
}

/// A value, and where it stands.
#[derive(Clone, Copy)]
struct Placed<T> {
    value: T,
    offset: u64,
}

/// Chunk 0x1003.
struct Record<'a> {
    name: Cow<'a, str>,
    index: u32,
    unknown: Option<u32>,
    translation_offset: [f32; 3],
    translation_scale: Placed<[f32; 3]>,
    scale_offset: [f32; 3],
    scale_scale: Placed<[f32; 3]>,
    /// What only format 2 has.
    packed: Option<Packed>,
}

/// Where the tracks of a bone of format 2 begin; `u16::MAX` where there is none.
struct Packed {
    translation: Placed<u16>,
    scale: Placed<u16>,
    rotation: Placed<u16>,
    default_rotation: Placed<[i16; 4]>,
}

/// A mini-chunk whose value is known by its length.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct Mini<T> {
    id: u8,
    length: u8,
    value: T,
}

impl<T> Mini<T> {
    fn is(&self, id: u8) -> bool {
        self.id == id && usize::from(self.length) == size_of::<T>()
    }
}

/// What follows the name in chunk 0x1003 of all real files. Reading these one by one would
/// take most of the time that a file takes.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct UsualRecord {
    index: Mini<U32>,
    unknown: Mini<U32>,
    vectors: [Mini<[F32; 3]>; 4],
}

/// What follows that in format 2.
#[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
#[repr(C)]
struct UsualPacked {
    indices: [Mini<U16>; 3],
    default_rotation: Mini<[I16; 4]>,
}

/// Parses an animation. Nothing of the tracks is copied: the result borrows from `bytes`.
///
/// # Errors
/// A [`ParseError`] whose context is the path of chunks to the fault, such as
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
                Some(rest) if animation.is_some() && !begins_animation(&rest) => {
                    let length = rest.remaining();
                    parser.warn("trailing", rest.offset(), |_| {
                        format!("{length} bytes after the end are ignored")
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

/// An empty list with room for all bones announced, but not for more than the bytes there can hold.
fn room_for<T>(bones: u32, body: &Cursor<'_>) -> Vec<T> {
    let most = (body.remaining() / LEAST_BONE).min(bones.into());
    Vec::with_capacity(usize::try_from(most).unwrap_or_default())
}

fn begins_animation(rest: &Cursor<'_>) -> bool {
    rest.clone().u32("").is_ok_and(|id| id == ANIMATION)
}

/// Refuses other files by name.
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
        // Bones cannot be read before what stands before them and after them.
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
        self.known = info;
        let blocks = match info.sizes {
            Some(sizes) => self.blocks(sizes, &chunks, container)?,
            None => AlaBlocks::default(),
        };
        let mut bones = room_for(info.bones, &container.body);
        for chunk in container.children() {
            let chunk = chunk.map_err(|error| self.within(error))?;
            match chunk.id {
                INFO => {}
                BONE => {
                    let segment = Segment::element(BONE, "bone", bones.len());
                    // A bone is large: where it is made it stays.
                    let read = |parser: &mut Self| parser.bone(&chunk, blocks, &mut bones);
                    self.enter(&chunk, segment, read)?;
                }
                ROTATIONS | TRANSLATIONS | SCALES if info.sizes.is_some() => {}
                _ => self.skip(&chunk)?,
            }
        }
        let body = &container.body;
        self.check_announced(body, info.bones_offset, "bones", bones.len(), info.bones)?;
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
        let (mut frames, mut fps, mut bones) = (None, None, None);
        let (mut rotations, mut translations, mut scales) = (None, None, None);
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            match mini.id {
                1 => {
                    let frame_count = "number of frames";
                    frames = Some(self.count(&mini, 1, MAX_FRAMES, frame_count)?.value);
                }
                2 => fps = Some(self.fps(&mini)?),
                3 => bones = Some(self.count(&mini, 0, i32::MAX as u32, "number of bones")?),
                11 => rotations = Some(self.block_size(&mini, 4)?),
                12 => translations = Some((self.block_size(&mini, 3)?, mini)),
                13 => scales = Some((self.block_size(&mini, 3)?, mini)),
                _ => self.skip_mini(&mini),
            }
        }
        let body = &chunk.body;
        let frames = self.require(frames, body, "its number of frames (mini-chunk 1)")?;
        let fps: Placed<f32> = self.require(fps, body, "its frames per second (mini-chunk 2)")?;
        let bones = self.require(bones, body, "its number of bones (mini-chunk 3)")?;
        if !((frames - 1) as f32 / fps.value).is_finite() {
            let kind = ErrorKind::NotFinite;
            return Err(body.error(fps.offset, self.at("duration"), kind));
        }
        let sizes = match rotations {
            Some(rotations) => Some(BlockSizes {
                rotations,
                translations: self.require(translations, body, "mini-chunk 12")?.0,
                scales: self.require(scales, body, "mini-chunk 13")?.0,
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
            bones: bones.value,
            bones_offset: bones.offset,
            sizes,
        })
    }

    /// A number in a mini-chunk.
    fn count(
        &self,
        mini: &MiniChunk<'_>,
        min: i32,
        max: u32,
        what: &str,
    ) -> Result<Placed<u32>, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let max = i32::try_from(max).unwrap_or(i32::MAX);
        let value = body.count(min, max, self.at(what))?;
        Ok(Placed { value, offset })
    }

    fn fps(&self, mini: &MiniChunk<'_>) -> Result<Placed<f32>, ParseError> {
        let mut body = self.fixed_mini(mini, 4)?;
        let offset = body.offset();
        let place = self.at("frames per second");
        let value = body.f32("")?;
        let value = body.check_finite(value, offset, &place)?;
        if value <= 0.0 {
            return Err(body.error(offset, place, ErrorKind::NotPositive));
        }
        Ok(Placed { value, offset })
    }

    /// The words of a frame, of which each bone has `width`.
    fn block_size(&self, mini: &MiniChunk<'_>, width: u32) -> Result<u32, ParseError> {
        let what = match mini.id {
            11 => "words of rotation per frame",
            12 => "words of translation per frame",
            _ => "words of scale per frame",
        };
        let size = self.count(mini, 0, i32::MAX as u32, what)?;
        if !size.value.is_multiple_of(width) {
            let kind = ErrorKind::NotMultiple {
                value: size.value.into(),
                of: width.into(),
            };
            return Err(mini.body.error(size.offset, self.at(what), kind));
        }
        Ok(size.value)
    }

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
                parser.warn_about_zeros(blocks.rotations, chunk.body.offset());
            });
        }
        Ok(blocks)
    }

    fn block<'a, T>(
        &mut self,
        size: u32,
        chunk: &Option<Chunk<'a>>,
        container: &Chunk<'a>,
        what: &'static str,
    ) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        match chunk {
            Some(chunk) => self.data(chunk, |parser, body| parser.words(body, size)),
            None if size == 0 => Ok(&[]),
            None => self.require(None, &container.body, what),
        }
    }

    /// The body of a chunk that holds `per_frame` words for each frame.
    fn words<'a, T>(&mut self, body: &mut Cursor<'a>, per_frame: u32) -> Result<&'a [T], ParseError>
    where
        T: FromBytes + KnownLayout + Immutable + Unaligned,
    {
        // At most 2^24 times 2^31.
        let count = u64::from(self.known.frames) * u64::from(per_frame);
        let (offset, found, expected) = (body.offset(), body.remaining(), 2 * count);
        if found < expected {
            let kind = ErrorKind::WrongLength { found, expected };
            return Err(body.error(offset, self.at(""), kind));
        }
        if found > expected {
            self.warn("long track", offset + expected, |parser| {
                let (place, more) = (parser.at(""), found - expected);
                format!("{more} bytes of {place} are beyond the last frame: ignored")
            });
        }
        body.array(count, self.at(""))
    }

    fn warn_about_zeros(&mut self, words: &[I16], offset: u64) {
        let (quaternions, _) = words.as_chunks::<4>();
        // As words of the machine and without a branch, since there may be millions.
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
        for (number, quaternion) in quaternions.iter().enumerate() {
            if is_zero(quaternion) {
                let offset = offset + 8 * number as u64;
                self.warn("zero quaternion", offset, |parser| {
                    let place = parser.at("");
                    format!("quaternion {number} of {place} is zero: taken for no rotation")
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
        let is_v1 = self.known.sizes.is_none();
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
            // One quaternion is for all frames, and may be all frames.
            Some([x, y, z, w]) => bone.default_rotation = Some([x, y, z, w].map(|word| word.get())),
            Some(words) => bone.rotation = Some(Track::new(words, 0, 4)),
            None => {}
        }
        if let (Some(packed), Some(sizes)) = (record.packed, self.known.sizes) {
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
                    let place = parser.at("default rotation");
                    format!("{place} is zero: taken for no rotation")
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

    /// A record of the mini-chunks that all real files have, in their order; `None` if it is any
    /// other, or has a flaw to be told of.
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
        let packed = if self.known.sizes.is_some() {
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
            let index = |number: u64, index: &Mini<U16>| Placed {
                value: index.value.get(),
                offset: begin + 4 * number + 2,
            };
            Some(Packed {
                translation: index(0, translation),
                scale: index(1, scale),
                rotation: index(2, rotation),
                default_rotation: Placed {
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
        let vector = |number: u64, vector: &Mini<[F32; 3]>| Placed {
            value: vector.value.map(F32::get),
            offset: begin + 6 * 2 + 14 * number + 2,
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

    fn record<'a>(&mut self, chunk: &Chunk<'a>) -> Result<Record<'a>, ParseError> {
        let is_v2 = self.known.sizes.is_some();
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
                        *slot = Some(Placed {
                            value: word.get(),
                            offset: body.offset(),
                        });
                    }
                }
                17 if is_v2 => {
                    let body = self.fixed_mini(&mini, 8)?;
                    let words = body.clone().record::<[I16; 4]>(self.at(""))?;
                    default_rotation = Some(Placed {
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
                translation: self.require(t_index, body, "its translation (mini-chunk 14)")?,
                scale: self.require(s_index, body, "its scale (mini-chunk 15)")?,
                rotation: self.require(r_index, body, "its rotation (mini-chunk 16)")?,
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
                .require(t_offset, body, "its translation (mini-chunk 6)")?
                .value,
            translation_scale: self.require(
                t_scale,
                body,
                "the scale of its translations (mini-chunk 7)",
            )?,
            scale_offset: self
                .require(s_offset, body, "its scale (mini-chunk 8)")?
                .value,
            scale_scale: self.require(s_scale, body, "the scale of its scales (mini-chunk 9)")?,
            packed,
        })
    }

    fn vector(&self, mini: &MiniChunk<'_>) -> Result<Placed<[f32; 3]>, ParseError> {
        let mut body = self.fixed_mini(mini, 12)?;
        let offset = body.offset();
        let what = match mini.id {
            6 => "translation offset",
            7 => "translation scale",
            8 => "scale offset",
            _ => "scale of scales",
        };
        let mut value = [0.0; 3];
        for value in &mut value {
            let at = body.offset();
            let number = body.f32("")?;
            *value = body.check_finite(number, at, self.at(what))?;
        }
        Ok(Placed { value, offset })
    }

    /// What a track of the greatest words gives, and with it everything between, must be a number.
    fn check_extent(
        &self,
        offset: [f32; 3],
        scale: Placed<[f32; 3]>,
        cursor: &Cursor<'_>,
        what: &str,
    ) -> Result<(), ParseError> {
        for (axis, (offset, factor)) in offset.into_iter().zip(scale.value).enumerate() {
            let at = scale.offset + 4 * axis as u64;
            let greatest = offset + f32::from(u16::MAX) * factor;
            cursor.check_finite(greatest, at, self.at(what))?;
        }
        Ok(())
    }

    /// Chunk 0x1006: a quaternion for each frame, or one for all.
    fn rotation_words<'a>(&mut self, body: &mut Cursor<'a>) -> Result<&'a [I16], ParseError> {
        let offset = body.offset();
        let words = if body.remaining() == 8 {
            body.array(4, self.at(""))?
        } else {
            self.words(body, 4)?
        };
        self.warn_about_zeros(words, offset);
        Ok(words)
    }

    /// A bit for each frame.
    fn bits<'a>(&self, body: &mut Cursor<'a>) -> Result<&'a [u8], ParseError> {
        let (found, expected) = (body.remaining(), self.known.frames.div_ceil(8).into());
        if found != expected {
            let kind = ErrorKind::WrongLength { found, expected };
            return Err(body.error(body.offset(), self.at(""), kind));
        }
        Ok(body.remainder())
    }

    /// The track of a bone in a block.
    fn track<'a, T: Copy, const N: usize>(
        &mut self,
        words: &'a [T],
        first: Placed<u16>,
        stride: u32,
        cursor: &Cursor<'_>,
    ) -> Result<Option<Track<'a, T, N>>, ParseError> {
        let Placed { value, offset } = first;
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
            self.warn("uneven track", offset, |parser| {
                let place = parser.at("");
                format!("a track of {place} begins within another: at word {value}")
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

    /// What is made of the fewest bytes that a bone can take in a file. Less than the promise on
    /// heap by so much that there is enough left for what is made of the plain values.
    #[test]
    fn plain_values_are_not_much_larger_than_their_bytes() {
        // And its index among those that may be repeated.
        let size = size_of::<AlaBone<'_>>() + 4;
        let factor = size as f64 / LEAST_BONE as f64;
        assert!(factor < 5.0, "{size} bytes of {LEAST_BONE}");
    }
}
