//! Plain values back to bytes: for samples, fixtures and tools that make animations.
//!
//! An [`AlaDocument`] owns what it holds. It is made of plain numbers, which [`Vectors`] and
//! [`Rotations`] pack, or of a parsed file.

use super::file::{AlaBone, AlaFile, Track, bit};
use super::parse::MAX_FRAMES;
use crate::chunk_write::{
    check_length, container, data, fail, finite, mini, mini_floats, mini_text, mini_u32,
    short_text, within,
};
use crate::read::ErrorKind;
use zerocopy::IntoBytes;
use zerocopy::little_endian::{I16, U16};

pub use crate::chunk_write::WriteError;

/// An animation to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct AlaDocument {
    /// 1 or 2: the format to write.
    pub version: u8,
    /// How many frames there are; at least one.
    pub frames: u32,
    /// Frames per second; greater than 0.
    pub fps: f32,
    /// What moves.
    pub bones: Vec<BoneTracks>,
}

/// How one bone moves.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneTracks {
    /// Name of the bone.
    pub name: String,
    /// Index of the bone in the model.
    pub index: u32,
    /// Mini-chunk 10. Most real files have 1.
    pub unknown: Option<u32>,
    /// Where it is.
    pub translation: Vectors,
    /// How large it is.
    pub scale: Vectors,
    /// How it is turned.
    pub rotation: Rotations,
    /// Whether what hangs on it is drawn, for each frame.
    pub visibility: Option<Vec<bool>>,
    /// Whether the values of a frame hold until the next, for each frame.
    pub steps: Option<Vec<bool>>,
}

/// Vectors in 65536 steps between the least and the greatest.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// The only value, or what is added to those of the track.
    pub offset: [f32; 3],
    /// What those of the track are multiplied with.
    pub scale: [f32; 3],
    /// For each frame.
    pub track: Option<Vec<[u16; 3]>>,
}

/// Rotations as quaternions in 32767ths.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotations {
    /// The only value. Format 2 must have it, and has it beside a track too; format 1 has it only
    /// where there is no track.
    pub default: Option<[i16; 4]>,
    /// For each frame.
    pub track: Option<Vec<[i16; 4]>>,
}

impl Vectors {
    /// The same at all frames.
    pub fn constant(value: [f32; 3]) -> Self {
        Self {
            offset: value,
            scale: [0.0; 3],
            track: None,
        }
    }

    /// A value for each frame, within half a step of it; without a track if all are the same.
    pub fn from_frames(values: &[[f32; 3]]) -> Self {
        let Some((first, others)) = values.split_first() else {
            return Self::constant([0.0; 3]);
        };
        if others.iter().all(|value| value == first) {
            return Self::constant(*first);
        }
        let (mut least, mut greatest) = (*first, *first);
        for value in others {
            for axis in 0..3 {
                least[axis] = least[axis].min(value[axis]);
                greatest[axis] = greatest[axis].max(value[axis]);
            }
        }
        let step = |axis: usize| {
            let extent = f64::from(greatest[axis]) - f64::from(least[axis]);
            (extent / f64::from(u16::MAX)) as f32
        };
        let scale: [f32; 3] = core::array::from_fn(step);
        let pack = |value: &[f32; 3]| {
            core::array::from_fn(|axis| {
                let above = f64::from(value[axis]) - f64::from(least[axis]);
                // Of no extent is 0 / 0, which is 0 as a word.
                (above / f64::from(scale[axis])).round() as u16
            })
        };
        Self {
            offset: least,
            scale,
            track: Some(values.iter().map(pack).collect()),
        }
    }
}

impl Rotations {
    /// The same at all frames: X, Y, Z and W of a quaternion.
    pub fn constant(value: [f32; 4]) -> Self {
        Self {
            default: Some(packed_quaternion(value)),
            track: None,
        }
    }

    /// A quaternion for each frame; without a track if all are the same once packed.
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

/// The quaternion of length 1 in 32767ths; no rotation if it has no length.
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
    /// A bone that does not move, visible as the model says.
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

/// The bytes of an animation, which [`parse`](super::parse) reads as the same animation. In format
/// 2 the tracks stand in the blocks in the order of their bones.
///
/// # Errors
/// A [`WriteError`] for what the format cannot say, such as a track without all its frames, and for
/// what the parser would refuse.
pub fn write(animation: &AlaDocument) -> Result<Vec<u8>, WriteError> {
    check(animation)?;
    let bytes = write_unchecked(animation);
    check_length(&bytes)?;
    super::parse(&bytes)?;
    Ok(bytes)
}

/// The bytes of an animation, sensible or not: for tests of bad files.
///
/// What does not fit into its field is cut off.
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
        return fail("number of frames", kind);
    }
    for (number, item) in animation.bones.iter().enumerate() {
        let place = || format!("0x1000 / 0x1002 bone {number} {:?}", item.name);
        bone(item, animation).or_else(within(place))?;
    }
    if version == 2 {
        // The parser cannot know that an index was cut off.
        let first = |width: u32, has: fn(&BoneTracks) -> bool| {
            let tracks = animation.bones.iter().filter(|bone| has(bone)).count();
            (tracks.saturating_sub(1) as u64) * u64::from(width)
        };
        let greatest = first(3, |bone| bone.translation.track.is_some())
            .max(first(3, |bone| bone.scale.track.is_some()))
            .max(first(4, |bone| bone.rotation.track.is_some()));
        if greatest >= u64::from(u16::MAX) {
            let limit = "tracks of format 2 begin within the first 65535 words of a frame";
            return fail("tracks", ErrorKind::LimitExceeded { limit });
        }
    }
    Ok(())
}

fn bone(bone: &BoneTracks, animation: &AlaDocument) -> Result<(), WriteError> {
    short_text("name", &bone.name)?;
    let vectors = [("translation", &bone.translation), ("scale", &bone.scale)];
    for (
        what,
        Vectors {
            offset,
            scale,
            track,
        },
    ) in vectors
    {
        finite(what, offset)?;
        finite(what, scale)?;
        all_frames(what, track.as_deref(), animation.frames)?;
    }
    all_frames("rotation", bone.rotation.track.as_deref(), animation.frames)?;
    all_frames("visibility", bone.visibility.as_deref(), animation.frames)?;
    all_frames("steps", bone.steps.as_deref(), animation.frames)?;
    if animation.version == 2 && bone.rotation.default.is_none() {
        let what = "a default, without which format 2 cannot be";
        return fail("rotation", ErrorKind::Missing { what });
    }
    Ok(())
}

fn all_frames<T>(what: &str, track: Option<&[T]>, frames: u32) -> Result<(), WriteError> {
    match track {
        Some(track) if track.len() as u64 != u64::from(frames) => {
            let kind = ErrorKind::CountMismatch {
                elements: "frames",
                found: track.len() as u64,
                expected: frames.into(),
            };
            fail(what, kind)
        }
        _ => Ok(()),
    }
}

/// Where the tracks of the next bone begin in the blocks of format 2.
#[derive(Default)]
struct Next {
    translation: u32,
    scale: u32,
    rotation: u32,
}

/// Where a track begins, if there is one, which moves where the next begins.
fn begin(next: &mut u32, width: u32, has_track: bool) -> [u8; 2] {
    if !has_track {
        return u16::MAX.to_le_bytes();
    }
    let begin = *next as u16;
    *next += width;
    begin.to_le_bytes()
}

fn encode(out: &mut Vec<u8>, animation: &AlaDocument) {
    let bones = &animation.bones;
    let width = |width: u32, has: fn(&BoneTracks) -> bool| {
        width * bones.iter().filter(|bone| has(bone)).count() as u32
    };
    data(out, 0x1001, |out| {
        mini_u32(out, 1, animation.frames);
        mini_floats(out, 2, &[animation.fps]);
        mini_u32(out, 3, bones.len() as u32);
        if animation.version == 2 {
            mini_u32(out, 11, width(4, |bone| bone.rotation.track.is_some()));
            mini_u32(out, 12, width(3, |bone| bone.translation.track.is_some()));
            mini_u32(out, 13, width(3, |bone| bone.scale.track.is_some()));
        }
    });
    let mut next = Next::default();
    for bone in bones {
        container(out, 0x1002, |out| {
            data(out, 0x1003, |out| {
                record(out, bone, (animation.version == 2).then_some(&mut next));
            });
            if animation.version == 1 {
                own_tracks(out, bone);
            }
            for (id, frames) in [(0x1007, &bone.visibility), (0x1008, &bone.steps)] {
                if let Some(frames) = frames {
                    data(out, id, |out| bits(out, frames));
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
        block(out, 0x100B, animation.frames, scales);
        block(out, 0x100A, animation.frames, translations);
        block(out, 0x1009, animation.frames, rotations);
    }
}

fn record(out: &mut Vec<u8>, bone: &BoneTracks, next: Option<&mut Next>) {
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
        mini(out, 14, &begin(&mut next.translation, 3, translation));
        mini(out, 15, &begin(&mut next.scale, 3, scale));
        mini(out, 16, &begin(&mut next.rotation, 4, rotation));
        let default = bone.rotation.default.unwrap_or_default();
        mini(out, 17, default.map(I16::new).as_bytes());
    }
}

/// The tracks that format 1 keeps with their bone.
fn own_tracks(out: &mut Vec<u8>, bone: &BoneTracks) {
    for (id, track) in [
        (0x1004, &bone.translation.track),
        (0x1005, &bone.scale.track),
    ] {
        if let Some(track) = track {
            data(out, id, |out| {
                track.iter().for_each(|words| word_bytes(out, *words));
            });
        }
    }
    let rotations = match (&bone.rotation.track, &bone.rotation.default) {
        (Some(track), _) => &track[..],
        (None, Some(default)) => core::slice::from_ref(default),
        (None, None) => return,
    };
    data(out, 0x1006, |out| {
        rotations.iter().for_each(|words| word_bytes(out, *words));
    });
}

/// A word of a track, with the same bytes whether it is signed or not.
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

fn word_bytes<T: Word, const N: usize>(out: &mut Vec<u8>, words: [T; N]) {
    out.extend_from_slice(words.map(T::bytes).as_flattened());
}

/// A block of format 2, frame by frame; none if there are no tracks.
fn block<'t, T: Word + 't, const N: usize>(
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
                word_bytes(out, *words);
            }
        }
    });
}

fn bits(out: &mut Vec<u8>, frames: &[bool]) {
    out.extend(frames.chunks(8).map(|frames| {
        let bits = frames.iter().enumerate();
        bits.fold(0, |byte, (bit, set)| byte | u8::from(*set) << bit)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_within_half_a_step() {
        let values = [[-1.0, 5.0, 1e-30], [2.5, 5.0, 3e-30], [0.1, 5.0, 2e-30]];
        let vectors = Vectors::from_frames(&values);
        assert_eq!(vectors.scale[1], 0.0);
        for (value, packed) in values.iter().zip(vectors.track.unwrap()) {
            for axis in 0..3 {
                let step = vectors.scale[axis];
                let read = vectors.offset[axis] + f32::from(packed[axis]) * step;
                let error = (read - value[axis]).abs();
                assert!(error <= 0.51 * step + 1e-6 * value[axis].abs(), "{error}");
            }
        }
        assert_eq!(
            Vectors::from_frames(&[[1.0; 3]; 4]),
            Vectors::constant([1.0; 3])
        );
    }

    #[test]
    fn quaternions_are_packed_at_length_1() {
        assert_eq!(packed_quaternion([0.0, 0.0, -2.0, 0.0]), [0, 0, -32767, 0]);
        assert_eq!(packed_quaternion([0.0; 4]), [0, 0, 0, 32767]);
        let still = Rotations::from_frames(&[[0.0, 0.0, 0.0, 1.0]; 3]);
        assert_eq!(still, Rotations::constant([0.0, 0.0, 0.0, 1.0]));
    }
}
