//! Poses that instances show, in rows of an instance table.

use crate::scene::instance_rows::InstanceRows;

/// Two poses and the way between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PosePair {
    /// The pose at `towards_b` 0.
    pub a: u32,
    /// The pose at `towards_b` 1.
    pub b: u32,
    /// From 0 to 1.
    pub towards_b: f32,
}

/// What an instance shows: a place between two poses, and while clips cross-fade, a share of
/// another such place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseBlend {
    /// Where the clip is.
    pub to: PosePair,
    /// Where the cross-fade came from.
    pub from: PosePair,
    /// Share of `from`: 1 as a fade begins, 0 without one.
    pub from_weight: f32,
}

impl From<PosePair> for PoseBlend {
    /// A place between two poses, without a cross-fade.
    fn from(to: PosePair) -> Self {
        Self {
            to,
            ..Self::default()
        }
    }
}

impl From<u32> for PoseBlend {
    /// One pose as it stands in the file.
    fn from(pose: u32) -> Self {
        Self::from(PosePair {
            a: pose,
            b: pose,
            towards_b: 0.0,
        })
    }
}

/// A row is four texels: `to.a, to.b, to.towards_b, from_weight`, then `from.a, from.b, from.towards_b, 0`, and the
/// same of the frame before, for motion vectors.
impl InstanceRows {
    /// What the instance in a row shows.
    pub(crate) fn blend(&self, row: u32) -> PoseBlend {
        decode(self.get(row).split_at(8).0)
    }

    /// What the instance in a row showed in the frame before.
    pub(crate) fn previous_blend(&self, row: u32) -> PoseBlend {
        decode(self.get(row).split_at(8).1)
    }

    /// Shows a blend from now on. To be called once in each frame: what showed before is that of the frame
    /// before.
    pub(crate) fn set_blend(&mut self, row: u32, blend: PoseBlend) {
        self.update(row, |row| {
            let now = encode(blend);
            let (current, previous) = row.split_at_mut(8);
            if *current == now && *previous == now {
                return false;
            }
            previous.copy_from_slice(current);
            current.copy_from_slice(&now);
            true
        });
    }

    /// Shows a blend as if it had never shown another.
    pub(crate) fn reset_blend(&mut self, row: u32, blend: PoseBlend) {
        self.set_blend(row, blend);
        self.set_blend(row, blend);
    }
}

fn encode(blend: PoseBlend) -> [u32; 8] {
    let pair = |pair: PosePair| [pair.a, pair.b, pair.towards_b.to_bits()];
    let ([a, b, c], [d, e, f]) = (pair(blend.to), pair(blend.from));
    [a, b, c, blend.from_weight.to_bits(), d, e, f, 0]
}

fn decode(texels: &[u32]) -> PoseBlend {
    let pair = |at: usize| PosePair {
        a: texels[at],
        b: texels[at + 1],
        towards_b: f32::from_bits(texels[at + 2]),
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
    fn rows_keep_this_frame_and_the_one_before() {
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
