//! The `.ala` writer: plain values to bytes, for samples, tests and tools that make animations.
//!
//! An [`AlaDocument`] owns its values. It is made from a parsed file, or from plain numbers, which [`Vectors`] and
//! [`Rotations`] quantize.

use super::file::{AlaBone, AlaFile, Track, bit};
use super::parse::MAX_FRAMES;
use crate::chunk_write::{
    check_finite, check_length, check_short_text, container, data, fail, mini, mini_floats,
    mini_text, mini_u32, within,
};
use crate::read::ErrorKind;
use zerocopy::IntoBytes;
use zerocopy::little_endian::{I16, U16};

pub use crate::chunk_write::WriteError;

/// An animation to write.
#[derive(Clone, Debug, PartialEq)]
pub struct AlaDocument {
    /// The version of the format to write: 1 or 2.
    pub version: u8,
    /// Frame count, at least 1.
    pub frames: u32,
    /// Frames per second; greater than 0.
    pub fps: f32,
    /// The animated bones.
    pub bones: Vec<BoneTracks>,
}

/// The animation of one bone.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneTracks {
    /// Name of the bone.
    pub name: String,
    /// Index of the bone in the model.
    pub index: u32,
    /// Mini-chunk 10, meaning unknown. Most real files have 1.
    pub unknown: Option<u32>,
    /// The translation, in the space of the bone's parent.
    pub translation: Vectors,
    /// The scale.
    pub scale: Vectors,
    /// The rotation.
    pub rotation: Rotations,
    /// For each frame, whether objects connected to the bone are visible; `None` if they are in all frames.
    pub visibility: Option<Vec<bool>>,
    /// For each frame, whether values are constant until the next frame instead of interpolated.
    pub steps: Option<Vec<bool>>,
}

/// A constant vector, or a track of vectors quantized to 16 bits per axis.
///
/// The value of a frame is `offset + word * scale`, per axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// The constant value, or the offset of the track.
    pub offset: [f32; 3],
    /// The factor for the words of the track.
    pub scale: [f32; 3],
    /// The words for each frame; `None` for a constant value.
    pub track: Option<Vec<[u16; 3]>>,
}

/// A constant rotation, or a track of rotations: quaternions X, Y, Z and W in 32767ths.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotations {
    /// The constant value. Version 2 requires it, also with a track. Version 1 stores it only without a track; `None`
    /// there means the model's rotation.
    pub default: Option<[i16; 4]>,
    /// The value for each frame; `None` for a constant rotation.
    pub track: Option<Vec<[i16; 4]>>,
}

impl Vectors {
    /// The same value for all frames.
    pub fn constant(value: [f32; 3]) -> Self {
        Self {
            offset: value,
            scale: [0.0; 3],
            track: None,
        }
    }

    /// Quantizes a value for each frame, with an error of at most half a step. Equal values need no track.
    ///
    /// A step is 1/65535 of the range of the values, per axis.
    pub fn from_frames(values: &[[f32; 3]]) -> Self {
        let Some((first, others)) = values.split_first() else {
            return Self::constant([0.0; 3]);
        };
        if others.iter().all(|value| value == first) {
            return Self::constant(*first);
        }
        let (mut min, mut max) = (*first, *first);
        for value in others {
            for axis in 0..3 {
                min[axis] = min[axis].min(value[axis]);
                max[axis] = max[axis].max(value[axis]);
            }
        }
        let step = |axis: usize| {
            let extent = f64::from(max[axis]) - f64::from(min[axis]);
            (extent / f64::from(u16::MAX)) as f32
        };
        let scale: [f32; 3] = core::array::from_fn(step);
        let pack = |value: &[f32; 3]| {
            core::array::from_fn(|axis| {
                let distance = f64::from(value[axis]) - f64::from(min[axis]);
                // Without extent this is 0 / 0, and the NaN casts to 0.
                (distance / f64::from(scale[axis])).round() as u16
            })
        };
        Self {
            offset: min,
            scale,
            track: Some(values.iter().map(pack).collect()),
        }
    }
}

impl Rotations {
    /// The same rotation for all frames: X, Y, Z and W of a quaternion, normalized here.
    pub fn constant(value: [f32; 4]) -> Self {
        Self {
            default: Some(packed_quaternion(value)),
            track: None,
        }
    }

    /// Quantizes a quaternion (X, Y, Z and W) for each frame. Equal values need no track.
    pub fn from_frames(values: &[[f32; 4]]) -> Self {
        let packed: Vec<_> = values.iter().copied().map(packed_quaternion).collect();
        let default = packed.first().copied();
        let default = default.unwrap_or_else(|| packed_quaternion([0.0, 0.0, 0.0, 1.0]));
        Self {
            default: Some(default),
            track: packed
                .iter()
                .any(|value| *value != default)
                .then_some(packed),
        }
    }
}

/// Normalizes a quaternion (X, Y, Z and W) and packs it into 32767ths. A zero quaternion becomes the identity.
pub fn packed_quaternion(value: [f32; 4]) -> [i16; 4] {
    let value = value.map(f64::from);
    let length = value.iter().map(|value| value * value).sum::<f64>().sqrt();
    if length > 0.0 {
        value.map(|value| (value / length * 32767.0).round() as i16)
    } else {
        [0, 0, 0, 32767]
    }
}

impl BoneTracks {
    /// A bone with a constant translation, without rotation, with scale 1, and visible.
    pub fn new(name: impl Into<String>, index: u32, translation: [f32; 3]) -> Self {
        Self {
            name: name.into(),
            index,
            unknown: Some(1),
            translation: Vectors::constant(translation),
            scale: Vectors::constant([1.0; 3]),
            rotation: Rotations::constant([0.0, 0.0, 0.0, 1.0]),
            visibility: None,
            steps: None,
        }
    }
}

impl From<&AlaFile<'_>> for AlaDocument {
    fn from(file: &AlaFile<'_>) -> Self {
        Self {
            version: file.version,
            frames: file.frames,
            fps: file.fps,
            bones: file
                .bones
                .iter()
                .map(|bone| bone_tracks(bone, file.frames))
                .collect(),
        }
    }
}

fn bone_tracks(bone: &AlaBone<'_>, frames: u32) -> BoneTracks {
    fn owned<T: Copy, U, const N: usize>(
        track: &Option<Track<'_, T, N>>,
        value: fn(T) -> U,
    ) -> Option<Vec<[U; N]>> {
        track.map(|track| track.iter().map(|words| words.map(value)).collect())
    }
    let bits = |bits: &[u8]| (0..frames).map(|frame| bit(bits, frame)).collect();
    BoneTracks {
        name: bone.name.clone().into_owned(),
        index: bone.index,
        unknown: bone.unknown,
        translation: Vectors {
            offset: bone.translation_offset,
            scale: bone.translation_scale,
            track: owned(&bone.translation, U16::get),
        },
        scale: Vectors {
            offset: bone.scale_offset,
            scale: bone.scale_scale,
            track: owned(&bone.scale, U16::get),
        },
        rotation: Rotations {
            default: bone.default_rotation,
            track: owned(&bone.rotation, I16::get),
        },
        visibility: bone.visibility.map(bits),
        steps: bone.steps.map(bits),
    }
}

/// Writes an animation. [`parse`](super::parse) reads the same animation from the bytes.
///
/// In version 2, blocks contain the tracks in the order of their bones.
///
/// # Errors
/// A [`WriteError`] if the format cannot store a value, such as a track with a wrong frame count, or if the parser would
/// reject the file.
pub fn write(animation: &AlaDocument) -> Result<Vec<u8>, WriteError> {
    check(animation)?;
    let bytes = write_unchecked(animation);
    check_length(&bytes)?;
    super::parse(&bytes)?;
    Ok(bytes)
}

/// Writes an animation without any check, for tests of malformed files.
///
/// Values that do not fit into their field are truncated.
pub fn write_unchecked(animation: &AlaDocument) -> Vec<u8> {
    let mut out = Vec::new();
    container(&mut out, 0x1000, |out| encode(out, animation));
    out
}

fn check(animation: &AlaDocument) -> Result<(), WriteError> {
    let AlaDocument {
        version, frames, ..
    } = *animation;
    if !matches!(version, 1 | 2) {
        let kind = ErrorKind::BadCount {
            value: version.into(),
            min: 1,
            max: 2,
        };
        return fail("version", kind);
    }
    if !(1..=MAX_FRAMES).contains(&frames) {
        let kind = ErrorKind::BadCount {
            value: frames.into(),
            min: 1,
            max: MAX_FRAMES.into(),
        };
        return fail("frame count", kind);
    }
    for (index, bone) in animation.bones.iter().enumerate() {
        let context = || format!("0x1000 / 0x1002 bone {index} {:?}", bone.name);
        check_bone(bone, animation).or_else(within(context))?;
    }
    if version == 2 {
        // Checked here because the parser cannot detect a truncated index.
        let last_index = |width: u32, has_track: fn(&BoneTracks) -> bool| {
            let tracks = animation
                .bones
                .iter()
                .filter(|bone| has_track(bone))
                .count();
            (tracks.saturating_sub(1) as u64) * u64::from(width)
        };
        let max_index = last_index(3, |bone| bone.translation.track.is_some())
            .max(last_index(3, |bone| bone.scale.track.is_some()))
            .max(last_index(4, |bone| bone.rotation.track.is_some()));
        if max_index >= u64::from(u16::MAX) {
            let limit =
                "in version 2 every track must begin within the first 65535 words of a frame";
            return fail("tracks", ErrorKind::LimitExceeded { limit });
        }
    }
    Ok(())
}

fn check_bone(bone: &BoneTracks, animation: &AlaDocument) -> Result<(), WriteError> {
    check_short_text("name", &bone.name)?;
    let vectors = [("translation", &bone.translation), ("scale", &bone.scale)];
    for (
        field,
        Vectors {
            offset,
            scale,
            track,
        },
    ) in vectors
    {
        check_finite(field, offset)?;
        check_finite(field, scale)?;
        check_frame_count(field, track.as_deref(), animation.frames)?;
    }
    check_frame_count("rotation", bone.rotation.track.as_deref(), animation.frames)?;
    check_frame_count("visibility", bone.visibility.as_deref(), animation.frames)?;
    check_frame_count("steps", bone.steps.as_deref(), animation.frames)?;
    if animation.version == 2 && bone.rotation.default.is_none() {
        let what = "a default, which version 2 requires";
        return fail("rotation", ErrorKind::Missing { what });
    }
    Ok(())
}

fn check_frame_count<T>(field: &str, track: Option<&[T]>, frames: u32) -> Result<(), WriteError> {
    match track {
        Some(track) if track.len() as u64 != u64::from(frames) => {
            let kind = ErrorKind::CountMismatch {
                elements: "frames",
                found: track.len() as u64,
                expected: frames.into(),
            };
            fail(field, kind)
        }
        _ => Ok(()),
    }
}

/// The indices of the next tracks' first words in a frame of the blocks of version 2.
#[derive(Default)]
struct NextIndices {
    translation: u32,
    scale: u32,
    rotation: u32,
}

/// The bytes of a track's index; `u16::MAX` without a track. Advances the next index.
fn take_index(next: &mut u32, width: u32, has_track: bool) -> [u8; 2] {
    if !has_track {
        return u16::MAX.to_le_bytes();
    }
    let index = *next as u16;
    *next += width;
    index.to_le_bytes()
}

fn encode(out: &mut Vec<u8>, animation: &AlaDocument) {
    let bones = &animation.bones;
    let words_per_frame = |width: u32, has_track: fn(&BoneTracks) -> bool| {
        width * bones.iter().filter(|bone| has_track(bone)).count() as u32
    };
    data(out, 0x1001, |out| {
        mini_u32(out, 1, animation.frames);
        mini_floats(out, 2, &[animation.fps]);
        mini_u32(out, 3, bones.len() as u32);
        if animation.version == 2 {
            let rotations = words_per_frame(4, |bone| bone.rotation.track.is_some());
            let translations = words_per_frame(3, |bone| bone.translation.track.is_some());
            let scales = words_per_frame(3, |bone| bone.scale.track.is_some());
            mini_u32(out, 11, rotations);
            mini_u32(out, 12, translations);
            mini_u32(out, 13, scales);
        }
    });
    let mut next = NextIndices::default();
    for bone in bones {
        container(out, 0x1002, |out| {
            data(out, 0x1003, |out| {
                encode_record(out, bone, (animation.version == 2).then_some(&mut next));
            });
            if animation.version == 1 {
                encode_tracks(out, bone);
            }
            for (id, frames) in [(0x1007, &bone.visibility), (0x1008, &bone.steps)] {
                if let Some(frames) = frames {
                    data(out, id, |out| encode_bits(out, frames));
                }
            }
        });
    }
    if animation.version == 2 {
        let scales = bones.iter().filter_map(|bone| bone.scale.track.as_deref());
        let translations = bones
            .iter()
            .filter_map(|bone| bone.translation.track.as_deref());
        let rotations = bones
            .iter()
            .filter_map(|bone| bone.rotation.track.as_deref());
        encode_block(out, 0x100B, animation.frames, scales);
        encode_block(out, 0x100A, animation.frames, translations);
        encode_block(out, 0x1009, animation.frames, rotations);
    }
}

/// Chunk 0x1003; `next` only in version 2.
fn encode_record(out: &mut Vec<u8>, bone: &BoneTracks, next: Option<&mut NextIndices>) {
    mini_text(out, 4, &bone.name);
    mini_u32(out, 5, bone.index);
    if let Some(unknown) = bone.unknown {
        mini_u32(out, 10, unknown);
    }
    mini_floats(out, 6, &bone.translation.offset);
    mini_floats(out, 7, &bone.translation.scale);
    mini_floats(out, 8, &bone.scale.offset);
    mini_floats(out, 9, &bone.scale.scale);
    if let Some(next) = next {
        let [translation, scale, rotation] = [
            bone.translation.track.is_some(),
            bone.scale.track.is_some(),
            bone.rotation.track.is_some(),
        ];
        mini(out, 14, &take_index(&mut next.translation, 3, translation));
        mini(out, 15, &take_index(&mut next.scale, 3, scale));
        mini(out, 16, &take_index(&mut next.rotation, 4, rotation));
        let default = bone.rotation.default.unwrap_or_default();
        mini(out, 17, default.map(I16::new).as_bytes());
    }
}

/// The tracks that version 1 stores with their bone.
fn encode_tracks(out: &mut Vec<u8>, bone: &BoneTracks) {
    for (id, track) in [
        (0x1004, &bone.translation.track),
        (0x1005, &bone.scale.track),
    ] {
        if let Some(track) = track {
            data(out, id, |out| {
                track.iter().for_each(|words| encode_words(out, *words));
            });
        }
    }
    let rotations = match (&bone.rotation.track, &bone.rotation.default) {
        (Some(track), _) => &track[..],
        (None, Some(default)) => core::slice::from_ref(default),
        (None, None) => return,
    };
    data(out, 0x1006, |out| {
        rotations.iter().for_each(|words| encode_words(out, *words));
    });
}

/// A signed or unsigned 16-bit word of a track.
trait Word: Copy {
    fn bytes(self) -> [u8; 2];
}

impl Word for u16 {
    fn bytes(self) -> [u8; 2] {
        self.to_le_bytes()
    }
}

impl Word for i16 {
    fn bytes(self) -> [u8; 2] {
        self.to_le_bytes()
    }
}

fn encode_words<T: Word, const N: usize>(out: &mut Vec<u8>, words: [T; N]) {
    out.extend_from_slice(words.map(T::bytes).as_flattened());
}

/// A block of version 2, frame by frame. Without tracks there is no chunk.
fn encode_block<'t, T: Word + 't, const N: usize>(
    out: &mut Vec<u8>,
    id: u32,
    frames: u32,
    tracks: impl Iterator<Item = &'t [[T; N]]>,
) {
    let tracks: Vec<_> = tracks.collect();
    if tracks.is_empty() {
        return;
    }
    data(out, id, |out| {
        for frame in 0..frames as usize {
            for words in tracks.iter().filter_map(|track| track.get(frame)) {
                encode_words(out, *words);
            }
        }
    });
}

/// One bit per frame, from the least significant.
fn encode_bits(out: &mut Vec<u8>, frames: &[bool]) {
    out.extend(frames.chunks(8).map(|frames| {
        let bits = frames.iter().enumerate();
        bits.fold(0, |byte, (bit, set)| byte | u8::from(*set) << bit)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantized_vectors_are_within_half_a_step() {
        let values = [[-1.0, 5.0, 1e-30], [2.5, 5.0, 3e-30], [0.1, 5.0, 2e-30]];
        let vectors = Vectors::from_frames(&values);
        assert_eq!(vectors.scale[1], 0.0);
        for (value, packed) in values.iter().zip(vectors.track.unwrap()) {
            for axis in 0..3 {
                let step = vectors.scale[axis];
                let unpacked = vectors.offset[axis] + f32::from(packed[axis]) * step;
                let error = (unpacked - value[axis]).abs();
                assert!(error <= 0.51 * step + 1e-6 * value[axis].abs(), "{error}");
            }
        }
        assert_eq!(
            Vectors::from_frames(&[[1.0; 3]; 4]),
            Vectors::constant([1.0; 3])
        );
    }

    #[test]
    fn quaternions_are_normalized_before_packing() {
        assert_eq!(packed_quaternion([0.0, 0.0, -2.0, 0.0]), [0, 0, -32767, 0]);
        assert_eq!(packed_quaternion([0.0; 4]), [0, 0, 0, 32767]);
        let still = Rotations::from_frames(&[[0.0, 0.0, 0.0, 1.0]; 3]);
        assert_eq!(still, Rotations::constant([0.0, 0.0, 0.0, 1.0]));
    }
}
