//! Keeps the latest lines of the log, for the log panel and for `validate`.

use crate::messages::message_of;
use crate::paths::disk_source::DiskSource;
use bevy::log::tracing::{Event, Level, Subscriber};
use bevy::log::tracing_subscriber::Layer;
use bevy::log::tracing_subscriber::fmt;
use bevy::log::tracing_subscriber::layer::Context;
use bevy::log::{BoxedFmtLayer, BoxedLayer};
use bevy::prelude::*;
use std::collections::VecDeque;
use std::io::{self, Write};
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
pub struct LogBuffer {
    lines: Arc<Mutex<VecDeque<LogLine>>>,
    /// Replaces asset paths by those of files.
    disk: DiskSource,
}

impl LogBuffer {
    /// The lines, the oldest first.
    pub fn lines(&self) -> Vec<LogLine> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// Removes and returns the lines.
    pub fn take(&self) -> Vec<LogLine> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.drain(..).collect()
    }

    /// Adds a line.
    pub fn add(&self, severity: Severity, text: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MOST {
            lines.pop_front();
        }
        lines.push_back(LogLine { severity, text });
    }
}

/// Collects the lines of the log in a [`LogBuffer`]. For `LogPlugin::custom_layer`. Needs [`DiskSource`].
pub fn layer(app: &mut App) -> Option<BoxedLayer> {
    let disk = app.world().resource::<DiskSource>().clone();
    let buffer = LogBuffer { disk, ..default() };
    app.insert_resource(buffer.clone());
    Some(Box::new(buffer))
}

/// Prints the log to standard error. For `LogPlugin::fmt_layer`. Needs [`DiskSource`].
pub fn print_layer(app: &mut App) -> Option<BoxedFmtLayer> {
    let disk = app.world().resource::<DiskSource>().clone();
    let layer = fmt::Layer::default().with_writer(move || Printer(disk.clone()));
    Some(Box::new(layer))
}

/// Prints messages with paths of files.
struct Printer(DiskSource);

impl Write for Printer {
    fn write(&mut self, message: &[u8]) -> io::Result<usize> {
        let text = self.0.readable(&String::from_utf8_lossy(message));
        io::stderr().write_all(text.as_bytes())?;
        Ok(message.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl<S: Subscriber> Layer<S> for LogBuffer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let severity = match *event.metadata().level() {
            Level::ERROR => Severity::Error,
            Level::WARN => Severity::Warning,
            _ => Severity::Info,
        };
        self.add(severity, self.disk.readable(&message_of(event)));
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
