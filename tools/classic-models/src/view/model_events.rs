//! The latest events of models' clips. The panels show them until they have faded out.

use crate::view::models::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::collections::VecDeque;

/// The largest count of events that are shown at once.
const LINES: usize = 8;

/// Seconds until an event has faded out.
const FADE_SECONDS: f32 = 4.0;

/// The latest events, the latest first.
#[derive(Resource, Default)]
pub struct EventLog(VecDeque<LoggedEvent>);

struct LoggedEvent {
    text: String,
    /// Seconds since the program started.
    at: f32,
}

impl EventLog {
    /// The events with their opacity, the latest first. `now` is in seconds since the program started.
    pub fn shown(&self, now: f32) -> Vec<(String, f32)> {
        let shown = self.0.iter().filter_map(|event| {
            let opacity = 1.0 - (now - event.at) / FADE_SECONDS;
            (opacity > 0.0).then(|| (event.text.clone(), opacity.min(1.0)))
        });
        shown.collect()
    }

    fn add(&mut self, text: String, at: f32) {
        self.0.push_front(LoggedEvent { text, at });
        self.0.truncate(LINES);
    }
}

/// Adds an event.
pub fn log_event(
    event: On<ModelEvent>,
    models: Query<&ViewedModel>,
    time: Res<Time<Real>>,
    mut log: ResMut<EventLog>,
) {
    if let Ok(model) = models.get(event.entity) {
        let text = format!(
            "{}, clip {}, frame {}: {}",
            model.name, event.clip, event.frame, event.name
        );
        log.add(text, time.elapsed_secs());
    }
}

#[cfg(test)]
mod tests {
    use super::{EventLog, FADE_SECONDS, LINES};

    #[test]
    fn the_latest_events_fade_out() {
        let mut log = EventLog::default();
        for index in 0..LINES + 2 {
            log.add(index.to_string(), index as f32 * 0.1);
        }
        let shown = log.shown(1.0);
        assert_eq!(shown.len(), LINES);
        assert_eq!(shown[0].0, (LINES + 1).to_string());
        assert!(shown[0].1 > shown[1].1);
        assert!(log.shown(2.0 + FADE_SECONDS).is_empty());
    }
}
