//! Keeps the latest lines of the log, for the log panel and for `validate`.

use crate::messages::message_of;
use bevy::log::BoxedLayer;
use bevy::log::tracing::{Event, Level, Subscriber};
use bevy::log::tracing_subscriber::Layer;
use bevy::log::tracing_subscriber::layer::Context;
use bevy::prelude::*;
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

    /// Removes and returns the lines.
    pub fn take(&self) -> Vec<LogLine> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.drain(..).collect()
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
    Some(Box::new(buffer))
}

impl<S: Subscriber> Layer<S> for LogBuffer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let severity = match *event.metadata().level() {
            Level::ERROR => Severity::Error,
            Level::WARN => Severity::Warning,
            _ => Severity::Info,
        };
        self.add(severity, message_of(event));
    }
}

#[cfg(test)]
mod tests {
    use super::{LogBuffer, MOST, Severity};
    use bevy::log::tracing::subscriber::with_default;
    use bevy::log::tracing_subscriber::layer::SubscriberExt;
    use bevy::log::tracing_subscriber::registry;
    use bevy::prelude::*;

    #[test]
    fn the_latest_lines_are_kept_with_their_severity() {
        let buffer = LogBuffer::default();
        let log = registry().with(buffer.clone());
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
}
