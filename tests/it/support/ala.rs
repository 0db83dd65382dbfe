//! Alamo animations made by our own writer, and a decoder of the tests' own.

use super::alo::{Body, Raw, minis, taken_apart};
use bevy_classic_models::alamo::ala::write::{
    AlaDocument, BoneTracks, Rotations, Vectors, write, write_unchecked,
};
use bevy_classic_models::alamo::ala::{AlaPose, parse};

/// What a bone of [`every_track`] has, by the bits of its number.
pub const TRANSLATION: usize = 1;
pub const ROTATION: usize = 2;
pub const SCALE: usize = 4;
pub const VISIBILITY: usize = 8;
pub const STEPS: usize = 16;

/// As many frames as do not fill the bytes of their bits.
pub const FRAMES: u32 = 11;

/// A bone for every set of tracks that a bone can have.
pub fn every_track(version: u8, frames: u32) -> Vec<u8> {
    let bones = (0..32).map(|number| bone(number, frames)).collect();
    write(&AlaDocument {
        version,
        frames,
        fps: 30.0,
        bones,
    })
    .unwrap()
}

/// Bones that have every track that a bone can have.
pub fn all_tracks(version: u8, bones: u32, frames: u32) -> Vec<u8> {
    let bones = (0..bones).map(|number| BoneTracks {
        index: number,
        ..bone(31 + 32 * number as usize, frames)
    });
    write(&AlaDocument {
        version,
        frames,
        fps: 30.0,
        bones: bones.collect(),
    })
    .unwrap()
}

/// The file of which the malformed ones are made.
pub fn clean(version: u8) -> Vec<u8> {
    every_track(version, FRAMES)
}

/// One frame of one bone that does nothing.
pub fn minimal(version: u8) -> Vec<u8> {
    write(&AlaDocument {
        version,
        frames: 1,
        fps: 30.0,
        bones: vec![BoneTracks::new("Root", 0, [0.0; 3])],
    })
    .unwrap()
}

/// A few bones, among them one with everything.
pub fn small(version: u8) -> Vec<u8> {
    let bones = [0, 31, 14].map(|number| bone(number, 3)).into();
    write(&AlaDocument {
        version,
        frames: 3,
        fps: 15.0,
        bones,
    })
    .unwrap()
}

fn bone(number: usize, frames: u32) -> BoneTracks {
    let has = |what| number & what != 0;
    let each = |seed: usize| move |frame: u32| wave(seed + number, frame);
    let vectors = |seed, size: f32| {
        let vector = |frame| [0_usize, 40, 80].map(|axis| size * (1.5 + each(seed + axis)(frame)));
        Vectors::from_frames(&(0..frames).map(vector).collect::<Vec<_>>())
    };
    let rotations = || {
        let quaternion = |frame| {
            // Some frames are on the other hemisphere.
            let sign = if frame % 3 == 1 { -1.0 } else { 1.0 };
            [120_usize, 160, 200, 240].map(|axis| sign * each(axis)(frame / 2 + frame % 2))
        };
        Rotations::from_frames(&(0..frames).map(quaternion).collect::<Vec<_>>())
    };
    let bits = |by| (0..frames).map(|frame| frame % by != 1).collect();
    let mut bone = BoneTracks::new(
        format!("B_{number:02}"),
        number as u32 + 1,
        [1.0, -2.0, 3.5],
    );
    bone.scale = Vectors {
        // Means nothing without a track.
        scale: [1.0; 3],
        ..Vectors::constant([1.0, 2.0, 0.5])
    };
    bone.rotation = Rotations::constant([0.0, 0.6, 0.0, -0.8]);
    if has(TRANSLATION) {
        bone.translation = vectors(0, 100.0);
    }
    if has(ROTATION) {
        bone.rotation = rotations();
    }
    if has(SCALE) {
        bone.scale = vectors(300, 0.5);
    }
    bone.visibility = has(VISIBILITY).then(|| bits(3));
    bone.steps = has(STEPS).then(|| bits(2));
    bone
}

/// Any number from −1 to 1, the same every time.
fn wave(seed: usize, frame: u32) -> f32 {
    (seed as f32 * 12.9898 + frame as f32 * 2.233).sin()
}

/// Whatever the file says now.
pub fn edited(bytes: &[u8], edit: impl FnOnce(&mut AlaDocument)) -> Vec<u8> {
    let mut document = AlaDocument::from(&parse(bytes).unwrap());
    edit(&mut document);
    write_unchecked(&document)
}

/// A bone at a time, from nothing but the bytes, in doubles: what the format means, told again.
pub struct Decoder {
    frames: usize,
    /// Words of a frame in the blocks of rotations, translations and scales; `None` in format 1.
    sizes: Option<[usize; 3]>,
    chunks: Vec<Raw>,
}

fn data_of(chunks: &[Raw], id: u32) -> Option<&[u8]> {
    let chunk = chunks.iter().find(|chunk| chunk.id == id)?;
    match &chunk.body {
        Body::Data(data) => Some(data),
        Body::Chunks(_) => panic!("{id:#x} is a container"),
    }
}

fn mini_of(data: &[u8], id: u8) -> Option<&[u8]> {
    let (_, at) = minis(data, 0).into_iter().find(|mini| mini.0 == id)?;
    let at = at as usize;
    Some(&data[at + 2..at + 2 + usize::from(data[at + 1])])
}

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

fn doubles(bytes: &[u8]) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        let bytes: [u8; 4] = bytes[4 * axis..][..4].try_into().unwrap();
        f64::from(f32::from_le_bytes(bytes))
    })
}

fn quaternion(bytes: &[u8]) -> [f64; 4] {
    let packed = [0, 1, 2, 3].map(|axis| {
        let at = 2 * axis;
        f64::from(i16::from_le_bytes([bytes[at], bytes[at + 1]]))
    });
    let length = packed.iter().map(|value| value * value).sum::<f64>().sqrt();
    packed.map(|value| value / length)
}

/// The product of two quaternions.
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// By axis and angle: the way from `a` to `b`, of which a part is gone.
pub fn between(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    let back = [-a[0], -a[1], -a[2], a[3]];
    let mut way = product(b, back);
    if way[3] < 0.0 {
        way = way.map(|value| -value);
    }
    let sine = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]).sqrt();
    let half = sine.atan2(way[3]) * t;
    let factor = if sine > 0.0 { half.sin() / sine } else { 0.0 };
    product(
        [
            way[0] * factor,
            way[1] * factor,
            way[2] * factor,
            half.cos(),
        ],
        a,
    )
}

impl Decoder {
    pub fn new(bytes: &[u8]) -> Self {
        let chunks = match taken_apart(bytes).remove(0).body {
            Body::Chunks(chunks) => chunks,
            Body::Data(_) => panic!("no container"),
        };
        let info = data_of(&chunks, 0x1001).unwrap();
        let value = |id| mini_of(info, id).map(number);
        Self {
            frames: value(1).unwrap(),
            sizes: value(11).map(|size| [size, value(12).unwrap(), value(13).unwrap()]),
            chunks,
        }
    }

    /// The bytes of a bone's words at a frame; `None` without a track. `which` is 0 for rotations,
    /// 1 for translations and 2 for scales.
    fn words<'d>(&'d self, bone: &'d [Raw], which: usize, frame: usize) -> Option<&'d [u8]> {
        if let Some(sizes) = self.sizes {
            let record = data_of(bone, 0x1003).unwrap();
            let index = number(mini_of(record, [16, 14, 15][which]).unwrap());
            let block = data_of(&self.chunks, [0x1009, 0x100A, 0x100B][which]);
            (index != 0xffff).then(|| &block.unwrap()[2 * (frame * sizes[which] + index)..])
        } else {
            let track = data_of(bone, [0x1006, 0x1004, 0x1005][which])?;
            let is_constant = which == 0 && track.len() == 8;
            (!is_constant).then(|| &track[[8, 6, 6][which] * frame..])
        }
    }

    pub fn sample(&self, bone: usize, time: f64) -> AlaPose {
        let mut bones = self.chunks.iter().filter(|chunk| chunk.id == 0x1002);
        let Body::Chunks(bone) = &bones.nth(bone).unwrap().body else {
            panic!("no container");
        };
        let record = data_of(bone, 0x1003).unwrap();
        let time = time.clamp(0.0, (self.frames - 1) as f64);
        let frame = time as usize;
        let bit = |id| data_of(bone, id).map(|bits| bits[frame / 8] & 1 << (frame % 8) != 0);
        let t = if bit(0x1008) == Some(true) {
            0.0
        } else {
            time - frame as f64
        };
        let next = (frame + 1).min(self.frames - 1);
        let vector = |which, offset, scale| {
            let offset = doubles(mini_of(record, offset).unwrap());
            let scale = doubles(mini_of(record, scale).unwrap());
            let at = |frame| {
                self.words(bone, which, frame).map(|words| {
                    [0, 1, 2].map(|axis| {
                        offset[axis] + number(&words[2 * axis..][..2]) as f64 * scale[axis]
                    })
                })
            };
            let value = match (at(frame), at(next)) {
                (Some(a), Some(b)) => [0, 1, 2].map(|axis| a[axis] + (b[axis] - a[axis]) * t),
                _ => offset,
            };
            value.map(|value| value as f32)
        };
        let at = |frame| self.words(bone, 0, frame).map(quaternion);
        let rotation = match (at(frame), at(next)) {
            (Some(a), Some(b)) => Some(between(a, b, t)),
            _ if self.sizes.is_some() => mini_of(record, 17).map(quaternion),
            _ => data_of(bone, 0x1006).map(quaternion),
        };
        AlaPose {
            translation: vector(1, 6, 7),
            rotation: rotation.map(|values| values.map(|value| value as f32)),
            scale: vector(2, 8, 9),
            visible: bit(0x1007),
        }
    }
}
