//! Advances the playback time of a clip.

use crate::scene::{Playback, Repeat, wrap};

impl Playback {
    /// Advances the playback time of a clip of `length` seconds. Returns whether a clip that plays once ended in this
    /// step.
    pub(super) fn advance(&mut self, seconds: f32, length: f32, repeat: Repeat) -> bool {
        let time = self.time + seconds;
        let time = if time.is_finite() { time } else { 0.0 };
        match repeat {
            Repeat::Loop | Repeat::FromManifest => {
                self.time = wrap(time, length);
                self.finished = false;
                false
            }
            Repeat::Once => {
                self.time = time.clamp(0.0, length);
                let at_end = (seconds > 0.0 && time >= length) || (seconds < 0.0 && time <= 0.0);
                let moved_away = seconds != 0.0 && !at_end;
                let just_ended = at_end && !self.finished;
                self.finished = at_end || (self.finished && !moved_away);
                just_ended
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_wraps_in_both_directions() {
        let mut playback = Playback::default();
        assert!(!playback.advance(0.9, 0.8, Repeat::Loop));
        assert!((playback.time - 0.1).abs() < 1e-6);
        playback.advance(-0.2, 0.8, Repeat::Loop);
        assert!((playback.time - 0.7).abs() < 1e-6);
        playback.advance(f32::NAN, 0.8, Repeat::Loop);
        assert_eq!(playback.time, 0.0);
        assert_eq!(wrap(-1e-9, 0.8), 0.0);
        assert_eq!(wrap(3.0, 0.0), 0.0);
    }

    #[test]
    fn once_reports_its_end_again_after_a_seek() {
        let mut playback = Playback::default();
        assert!(!playback.advance(0.5, 0.8, Repeat::Once));
        assert!(playback.advance(0.5, 0.8, Repeat::Once));
        assert_eq!((playback.time, playback.finished), (0.8, true));
        assert!(!playback.advance(0.5, 0.8, Repeat::Once));
        playback.time = 0.0;
        assert!(!playback.advance(0.1, 0.8, Repeat::Once));
        assert!(!playback.finished);
        assert!(playback.advance(1.0, 0.8, Repeat::Once));
        playback.finished = false;
        assert!(playback.advance(-1.0, 0.8, Repeat::Once));
        assert_eq!(playback.time, 0.0);
    }
}
