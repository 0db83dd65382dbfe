//! Encoding of an instance's poses in a row of [`InstanceRows`].

use crate::gpu::instance_rows::InstanceRows;

/// Two poses and the interpolation factor between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PosePair {
    /// The pose at `towards_b` 0.
    pub a: u32,
    /// The pose at `towards_b` 1.
    pub b: u32,
    /// The interpolation factor from `a` to `b`, from 0 to 1.
    pub towards_b: f32,
}

/// The pose of an instance: two interpolated poses, and during a cross-fade two more with a weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseBlend {
    /// The poses of the current clip.
    pub to: PosePair,
    /// The poses that the cross-fade starts from.
    pub from: PosePair,
    /// The weight of `from`: 1 at the start of a cross-fade, 0 without one.
    pub from_weight: f32,
}

impl From<PosePair> for PoseBlend {
    /// Two interpolated poses without a cross-fade.
    fn from(to: PosePair) -> Self {
        Self {
            to,
            ..Self::default()
        }
    }
}

impl From<u32> for PoseBlend {
    /// A single pose of the file.
    fn from(pose: u32) -> Self {
        Self::from(PosePair {
            a: pose,
            b: pose,
            towards_b: 0.0,
        })
    }
}

/// The words of a pose in a row. The word after them is not part of it.
const POSE_WORDS: usize = 7;

/// A row has four texels: `to.a, to.b, to.towards_b, from_weight`, then `from.a, from.b, from.towards_b, extra`, then the
/// same two of the previous frame, for motion vectors. `extra` is 0 unless a format sets it.
impl InstanceRows {
    /// The current pose in a row.
    pub(crate) fn blend(&self, row: u32) -> PoseBlend {
        decode(self.get(row).split_at(8).0)
    }

    /// The previous frame's pose in a row.
    pub(crate) fn previous_blend(&self, row: u32) -> PoseBlend {
        decode(self.get(row).split_at(8).1)
    }

    /// Sets the current pose, and moves the old one to the previous frame. Call it once per frame.
    pub(crate) fn set_blend(&mut self, row: u32, blend: PoseBlend) {
        self.update(row, |row| {
            let new = encode(blend);
            let (current, previous) = row.split_at_mut(8);
            let (current, previous) = (&mut current[..POSE_WORDS], &mut previous[..POSE_WORDS]);
            if *current == new && *previous == new {
                return false;
            }
            previous.copy_from_slice(current);
            current.copy_from_slice(&new);
            true
        });
    }

    /// Sets the current and the previous pose, without motion between them.
    pub(crate) fn reset_blend(&mut self, row: u32, blend: PoseBlend) {
        self.set_blend(row, blend);
        self.set_blend(row, blend);
    }

    /// Sets the word that poses do not use.
    pub(crate) fn set_extra(&mut self, row: u32, extra: u32) {
        self.update(row, |row| {
            let is_changed = row[POSE_WORDS] != extra;
            row[POSE_WORDS] = extra;
            is_changed
        });
    }
}

fn encode(blend: PoseBlend) -> [u32; POSE_WORDS] {
    let pair = |pair: PosePair| [pair.a, pair.b, pair.towards_b.to_bits()];
    let ([a, b, c], [d, e, f]) = (pair(blend.to), pair(blend.from));
    [a, b, c, blend.from_weight.to_bits(), d, e, f]
}

fn decode(texels: &[u32]) -> PoseBlend {
    let pair = |index: usize| PosePair {
        a: texels[index],
        b: texels[index + 1],
        towards_b: f32::from_bits(texels[index + 2]),
    };
    PoseBlend {
        to: pair(0),
        from: pair(4),
        from_weight: f32::from_bits(texels[3]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_the_current_and_previous_frame() {
        let mut rows = InstanceRows::default();
        let row = rows.allocate();
        rows.reset_blend(row, PoseBlend::from(3));
        assert_eq!(rows.get(row)[8], 3);
        rows.set_blend(row, PoseBlend::from(4));
        assert_eq!((rows.get(row)[0], rows.get(row)[8]), (4, 3));
        assert_eq!(rows.blend(row), PoseBlend::from(4));
        assert_eq!(rows.previous_blend(row), PoseBlend::from(3));
        rows.set_blend(row, PoseBlend::from(4));
        assert_eq!(rows.get(row)[8], 4);
    }
}
