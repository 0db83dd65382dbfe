//! The progress of a cross-fade.

/// A cross-fade. Times are in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fade {
    duration: f32,
    remaining: f32,
}

impl Fade {
    /// `None` if the duration is not a positive number.
    pub(crate) fn new(duration: f32) -> Option<Self> {
        (duration > 0.0 && duration.is_finite()).then_some(Self {
            duration,
            remaining: duration,
        })
    }

    /// Returns false once the fade is over.
    pub(crate) fn advance(&mut self, seconds: f32) -> bool {
        self.remaining -= seconds;
        self.remaining > 0.0
    }

    /// The fraction that remains, from 1 to 0.
    pub(crate) fn fraction(&self) -> f32 {
        self.remaining / self.duration
    }
}
