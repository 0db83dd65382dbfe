//! Timing of groups: which pose or image is shown at which time.

/// Poses per second where the file has no times, as in the games.
pub const DEFAULT_FRAME_RATE: f32 = 10.0;

/// When each element of a sequence of poses or images begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// Elements per second: element `i` begins at `i / rate` seconds.
    Rate(f32),
    /// The end of each element, in seconds from the start of the sequence. Times are strictly increasing and greater
    /// than 0.
    Ends(Box<[f32]>),
}

impl Timing {
    /// Duration of a sequence of `count` elements, in seconds, including the last element.
    pub fn seconds(&self, count: u32) -> f32 {
        match self {
            Self::Rate(rate) => count as f32 / rate,
            Self::Ends(ends) => ends.last().copied().unwrap_or_default(),
        }
    }

    /// When an element begins, in seconds from the start of the sequence.
    pub fn begin(&self, element: u32) -> f32 {
        match self {
            Self::Rate(rate) => element as f32 / rate,
            Self::Ends(ends) => {
                let previous = element
                    .checked_sub(1)
                    .and_then(|last| ends.get(last as usize));
                previous.copied().unwrap_or_default()
            }
        }
    }

    /// When an element ends, in seconds from the start of the sequence.
    pub fn end(&self, element: u32) -> f32 {
        match self {
            Self::Rate(rate) => (element + 1) as f32 / rate,
            Self::Ends(ends) => ends.get(element as usize).copied().unwrap_or_default(),
        }
    }

    /// The timing of the `count` elements from index `first` on, with times from the start of that element.
    pub fn part(&self, first: u32, count: u32) -> Self {
        let Self::Ends(ends) = self else {
            return self.clone();
        };
        let (first, count) = (first as usize, count as usize);
        let begin = first.checked_sub(1).and_then(|before| ends.get(before));
        let begin = begin.copied().unwrap_or_default();
        let mut previous = 0.0_f32;
        let ends = ends.iter().skip(first).take(count).map(|end| {
            // Strictly increasing even where rounding makes two differences equal.
            previous = (end - begin).max(previous.next_up());
            previous
        });
        Self::Ends(ends.collect())
    }

    /// The index of the element at `time` in a sequence of `count` elements, and the elapsed part of that element, from
    /// 0 to 1.
    ///
    /// `time` is in seconds from the start, clamped to the sequence. Returns `(0, 0.0)` for an empty sequence.
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
                let fraction = ((time - begin) / (end - begin)).clamp(0.0, 1.0);
                (element as u32, fraction)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_gives_all_elements_the_same_duration() {
        let timing = Timing::Rate(10.0);
        assert_eq!(timing.seconds(8), 0.8);
        assert_eq!(timing.locate(0.0, 8), (0, 0.0));
        let (element, fraction) = timing.locate(0.25, 8);
        assert_eq!(element, 2);
        assert!((fraction - 0.5).abs() < 1e-6);
        assert_eq!(timing.locate(99.0, 8), (7, 1.0));
        assert_eq!(timing.locate(-1.0, 8), (0, 0.0));
        assert_eq!(timing.locate(0.3, 0), (0, 0.0));
    }

    #[test]
    fn each_element_begins_at_the_end_of_the_previous_one() {
        let timing = Timing::Rate(10.0);
        assert_eq!(
            [0, 1, 3].map(|element| timing.begin(element)),
            [0.0, 0.1, 0.3]
        );
        let timing = Timing::Ends([0.1, 0.4, 0.5].into());
        assert_eq!(
            [0, 1, 2].map(|element| timing.begin(element)),
            [0.0, 0.1, 0.4]
        );
    }

    #[test]
    fn part_starts_at_its_first_element() {
        assert_eq!(Timing::Rate(10.0).part(3, 2), Timing::Rate(10.0));
        let timing = Timing::Ends([0.25, 1.0, 1.5, 3.0].into());
        assert_eq!(timing.part(0, 2), Timing::Ends([0.25, 1.0].into()));
        assert_eq!(timing.part(1, 2), Timing::Ends([0.75, 1.25].into()));
        assert_eq!(timing.part(3, 1), Timing::Ends([1.5].into()));
        let narrow = Timing::Ends([1.0, 1.0_f32.next_up(), 4e7, 4e7_f32.next_up()].into());
        let Timing::Ends(ends) = narrow.part(1, 3) else {
            panic!("the part has a rate instead of times");
        };
        assert!(ends[0] > 0.0 && ends.is_sorted_by(|a, b| a < b), "{ends:?}");
    }

    #[test]
    fn each_cumulative_time_ends_an_element() {
        let timing = Timing::Ends([0.1, 0.4, 0.5].into());
        assert_eq!(timing.seconds(3), 0.5);
        assert_eq!(timing.locate(0.0, 3), (0, 0.0));
        assert_eq!(timing.locate(0.1, 3), (1, 0.0));
        let (element, fraction) = timing.locate(0.25, 3);
        assert_eq!(element, 1);
        assert!((fraction - 0.5).abs() < 1e-6);
        assert_eq!(timing.locate(0.5, 3), (2, 1.0));
    }
}
