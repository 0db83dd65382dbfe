//! Which element of a sequence shows at a time.

/// Poses per second of frames that carry no times of their own, as the games play them.
pub const DEFAULT_FRAME_RATE: f32 = 10.0;

/// When each element of a sequence of poses or pictures begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// Element `i` begins at `i / rate` seconds.
    Rate(f32),
    /// Element `i` ends, and the next begins, at the `i`-th of these times: seconds from the start
    /// of the sequence, strictly increasing, the first greater than 0.
    Ends(Box<[f32]>),
}

impl Timing {
    /// Seconds that one pass over `count` elements takes, the last one's time included.
    pub fn seconds(&self, count: u32) -> f32 {
        match self {
            Self::Rate(rate) => count as f32 / rate,
            Self::Ends(ends) => ends.last().copied().unwrap_or_default(),
        }
    }

    /// When each of `count` elements begins of which the first is number `first`, told from there.
    pub fn part(&self, first: u32, count: u32) -> Self {
        let Self::Ends(ends) = self else {
            return self.clone();
        };
        let (first, count) = (first as usize, count as usize);
        let begin = first.checked_sub(1).and_then(|before| ends.get(before));
        let begin = begin.copied().unwrap_or_default();
        let mut last = 0.0_f32;
        let ends = ends.iter().skip(first).take(count).map(|end| {
            // They ascend still where the difference is too small for the numbers.
            last = (end - begin).max(last.next_up());
            last
        });
        Self::Ends(ends.collect())
    }

    /// The element that shows `time` seconds into a pass over `count` elements, and how far it is
    /// towards the next one, from 0 to 1.
    ///
    /// `time` is clamped to the pass. Returns `(0, 0.0)` for an empty sequence.
    pub fn locate(&self, time: f32, count: u32) -> (u32, f32) {
        let Some(last) = count.checked_sub(1) else {
            return (0, 0.0);
        };
        match self {
            Self::Rate(rate) => {
                let position = (time * rate).clamp(0.0, count as f32);
                let element = (position as u32).min(last);
                (element, (position - element as f32).clamp(0.0, 1.0))
            }
            Self::Ends(ends) => {
                let element = ends.partition_point(|end| *end <= time).min(last as usize);
                let end = ends.get(element).copied().unwrap_or_default();
                let begin = element
                    .checked_sub(1)
                    .and_then(|previous| ends.get(previous))
                    .copied()
                    .unwrap_or_default();
                let towards_next = ((time - begin) / (end - begin)).clamp(0.0, 1.0);
                (element as u32, towards_next)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_puts_each_pose_on_its_tenth() {
        let timing = Timing::Rate(10.0);
        assert_eq!(timing.seconds(8), 0.8);
        assert_eq!(timing.locate(0.0, 8), (0, 0.0));
        let (element, towards) = timing.locate(0.25, 8);
        assert_eq!(element, 2);
        assert!((towards - 0.5).abs() < 1e-6);
        assert_eq!(timing.locate(99.0, 8), (7, 1.0));
        assert_eq!(timing.locate(-1.0, 8), (0, 0.0));
        assert_eq!(timing.locate(0.3, 0), (0, 0.0));
    }

    #[test]
    fn a_part_has_the_times_of_its_own_elements() {
        assert_eq!(Timing::Rate(10.0).part(3, 2), Timing::Rate(10.0));
        let timing = Timing::Ends([0.25, 1.0, 1.5, 3.0].into());
        assert_eq!(timing.part(0, 2), Timing::Ends([0.25, 1.0].into()));
        assert_eq!(timing.part(1, 2), Timing::Ends([0.75, 1.25].into()));
        assert_eq!(timing.part(3, 1), Timing::Ends([1.5].into()));
        let narrow = Timing::Ends([1.0, 1.0_f32.next_up(), 4e7, 4e7_f32.next_up()].into());
        let Timing::Ends(ends) = narrow.part(1, 3) else {
            panic!("no times of its own");
        };
        assert!(ends[0] > 0.0 && ends.is_sorted_by(|a, b| a < b), "{ends:?}");
    }

    #[test]
    fn cumulative_times_end_their_pose() {
        let timing = Timing::Ends([0.1, 0.4, 0.5].into());
        assert_eq!(timing.seconds(3), 0.5);
        assert_eq!(timing.locate(0.0, 3), (0, 0.0));
        assert_eq!(timing.locate(0.1, 3), (1, 0.0));
        let (element, towards) = timing.locate(0.25, 3);
        assert_eq!(element, 1);
        assert!((towards - 0.5).abs() < 1e-6);
        assert_eq!(timing.locate(0.5, 3), (2, 1.0));
    }
}
