//! Records logged errors and warnings.

use crate::support::prelude::*;
use bevy::log::tracing::Subscriber;
use bevy::log::tracing_subscriber::Layer;
use bevy::log::tracing_subscriber::layer::{Context, SubscriberExt};
use bevy::log::tracing_subscriber::util::SubscriberInitExt;
use bevy::log::{tracing, tracing_subscriber};
use std::sync::Once;

/// Modules whose errors could leave an outdated image in a rendering test.
pub const RENDERER: [&str; 5] = ["wgpu", "naga", "bevy_render", "bevy_pbr", "bevy_shader"];

static LINES: Mutex<Vec<Line>> = Mutex::new(Vec::new());

struct Line {
    level: tracing::Level,
    target: &'static str,
    text: String,
}

impl Line {
    fn is_of(&self, level: tracing::Level, modules: &[&str]) -> bool {
        self.level == level && modules.iter().any(|module| self.target.starts_with(module))
    }
}

/// Starts recording. All tests of a process share the record.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = tracing_subscriber::registry().with(Listener).try_init();
    });
}

/// The errors that these modules have logged so far.
pub fn errors_of(modules: &[&str]) -> Vec<String> {
    lines(tracing::Level::ERROR, |line| {
        line.is_of(tracing::Level::ERROR, modules)
    })
}

/// Errors or warnings that are logged after a time.
pub struct NewLines {
    level: tracing::Level,
    modules: &'static [&'static str],
    /// The count of lines read.
    read: usize,
}

impl NewLines {
    /// The errors of these modules from now on.
    pub fn errors_of(modules: &'static [&'static str]) -> Self {
        Self::of(tracing::Level::ERROR, modules)
    }

    /// The warnings of these modules from now on.
    pub fn warnings_of(modules: &'static [&'static str]) -> Self {
        Self::of(tracing::Level::WARN, modules)
    }

    fn of(level: tracing::Level, modules: &'static [&'static str]) -> Self {
        let read = LINES.lock().unwrap().len();
        Self {
            level,
            modules,
            read,
        }
    }

    /// The lines since the last call. Earlier lines of other tests cost no time.
    pub fn take(&mut self) -> Vec<String> {
        let lines = LINES.lock().unwrap();
        let new = &lines[self.read..];
        self.read = lines.len();
        let found = new
            .iter()
            .filter(|line| line.is_of(self.level, self.modules))
            .map(|line| line.text.clone());
        found.collect()
    }
}

/// The warnings so far that contain a text.
pub fn warnings_with(text: &str) -> Vec<String> {
    lines(tracing::Level::WARN, |line| line.text.contains(text))
}

/// The warnings so far that contain a text, which must be this many.
#[track_caller]
pub fn expect_warnings(text: &str, count: usize) -> Vec<String> {
    let warnings = warnings_with(text);
    assert_eq!(warnings.len(), count, "{text}: {warnings:?}");
    warnings
}

/// The only warning so far that contains `about`, which must contain a text.
#[track_caller]
pub fn expect_warning(about: &str, text: &str) {
    let warnings = expect_warnings(about, 1);
    assert!(warnings[0].contains(text), "{text}: {warnings:?}");
}

/// The count of warnings so far that contain both texts.
pub fn count_warnings(about: &str, text: &str) -> usize {
    let warnings = warnings_with(about);
    let warnings = warnings.iter().filter(|warning| warning.contains(text));
    warnings.count()
}

/// The errors so far that contain a text.
pub fn errors_with(text: &str) -> Vec<String> {
    lines(tracing::Level::ERROR, |line| line.text.contains(text))
}

fn lines(level: tracing::Level, matches: impl Fn(&Line) -> bool) -> Vec<String> {
    let lines = LINES.lock().unwrap();
    let lines = lines
        .iter()
        .filter(|line| line.level == level && matches(line));
    lines.map(|line| line.text.clone()).collect()
}

struct Listener;

impl<S: Subscriber> Layer<S> for Listener {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        let level = *metadata.level();
        if level <= tracing::Level::WARN {
            let mut text = String::new();
            event.record(
                &mut |_: &tracing::field::Field, value: &dyn core::fmt::Debug| {
                    text.push_str(&format!("{value:?} "));
                },
            );
            let target = metadata.target();
            LINES.lock().unwrap().push(Line {
                level,
                target,
                text,
            });
        }
    }
}
