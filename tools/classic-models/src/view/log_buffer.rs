//! Keeps the latest lines of the log, for the log panel, and the latest events of clips, which the panels show until they have faded
//! out.

use crate::messages::message_of;
use crate::view::viewed_model::ViewedModel;
use bevy::log::BoxedLayer;
use bevy::log::tracing::{Event, Level, Subscriber};
use bevy::log::tracing_subscriber::Layer;
use bevy::log::tracing_subscriber::layer::Context;
use bevy::prelude::*;
use bevy::time::Real;
use bevy_classic_models::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum count of lines.
const MOST: usize = 500;

/// How important a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    pub severity: Severity,
    pub text: String,
}

/// The latest lines, the oldest first.
#[derive(Resource, Clone, Default)]
pub struct LogBuffer(Arc<Mutex<VecDeque<LogLine>>>);

impl LogBuffer {
    /// The lines, the oldest first.
    pub fn lines(&self) -> Vec<LogLine> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// Adds a line.
    pub fn add(&self, severity: Severity, text: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MOST {
            lines.pop_front();
        }
        lines.push_back(LogLine { severity, text });
    }
}

/// Collects the lines of the log in a [`LogBuffer`]. For `LogPlugin::custom_layer`.
pub fn layer(app: &mut App) -> Option<BoxedLayer> {
    let buffer = LogBuffer::default();
    app.insert_resource(buffer.clone());
    Some(Box::new(BufferLayer(buffer)))
}

struct BufferLayer(LogBuffer);

impl<S: Subscriber> Layer<S> for BufferLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let severity = match *event.metadata().level() {
            Level::ERROR => Severity::Error,
            Level::WARN => Severity::Warning,
            _ => Severity::Info,
        };
        self.0.add(severity, message_of(event));
    }
}

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
    use super::{BufferLayer, EventLog, FADE_SECONDS, LINES, LogBuffer, MOST, Severity};
    use bevy::log::tracing::subscriber::with_default;
    use bevy::log::tracing_subscriber::layer::SubscriberExt;
    use bevy::log::tracing_subscriber::registry;
    use bevy::prelude::*;

    #[test]
    fn the_latest_lines_are_kept_with_their_severity() {
        let buffer = LogBuffer::default();
        let log = registry().with(BufferLayer(buffer.clone()));
        with_default(log, || {
            info!("walker.alo: {} bones", 3);
            warn!("a texture is missing");
            error!("broken");
        });
        let lines = buffer.lines();
        let lines: Vec<_> = lines.iter().map(|l| (l.severity, &*l.text)).collect();
        assert_eq!(
            lines,
            [
                (Severity::Info, "walker.alo: 3 bones"),
                (Severity::Warning, "a texture is missing"),
                (Severity::Error, "broken"),
            ]
        );
        for index in 0..=MOST {
            buffer.add(Severity::Info, index.to_string());
        }
        assert_eq!(buffer.lines().len(), MOST);
        assert_eq!(buffer.lines()[0].text, "1");
    }

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
