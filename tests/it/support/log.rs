//! Remembers the errors and warnings that are logged.

use bevy::log::tracing::{self, Subscriber};
use bevy::log::tracing_subscriber::layer::{Context, SubscriberExt};
use bevy::log::tracing_subscriber::util::SubscriberInitExt;
use bevy::log::tracing_subscriber::{self, Layer};
use std::sync::{Mutex, Once};

/// Modules whose errors would leave a test with an old picture.
pub const RENDERER: [&str; 5] = ["wgpu", "naga", "bevy_render", "bevy_pbr", "bevy_shader"];

static LINES: Mutex<Vec<Line>> = Mutex::new(Vec::new());

struct Line {
    level: tracing::Level,
    target: &'static str,
    text: String,
}

impl Line {
    fn is_error_of(&self, modules: &[&str]) -> bool {
        self.level == tracing::Level::ERROR
            && modules.iter().any(|module| self.target.starts_with(module))
    }
}

/// Begins to remember. All tests of a process share what is remembered.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = tracing_subscriber::registry().with(Listener).try_init();
    });
}

/// Errors that these modules have logged so far.
pub fn errors_of(modules: &[&str]) -> Vec<String> {
    lines(tracing::Level::ERROR, |line| line.is_error_of(modules))
}

/// Errors that are logged from some moment on.
pub struct NewErrors {
    modules: &'static [&'static str],
    /// How many lines have been looked at.
    seen: usize,
}

impl NewErrors {
    /// Those of these modules, from now on.
    pub fn of(modules: &'static [&'static str]) -> Self {
        let seen = LINES.lock().unwrap().len();
        Self { modules, seen }
    }

    /// The errors since the last call. It costs nothing that other tests have logged thousands before.
    pub fn take(&mut self) -> Vec<String> {
        let lines = LINES.lock().unwrap();
        let new = &lines[self.seen..];
        self.seen = lines.len();
        let errors = new
            .iter()
            .filter(|line| line.is_error_of(self.modules))
            .map(|line| line.text.clone());
        errors.collect()
    }
}

/// Warnings so far in which a text occurs.
pub fn warnings_with(text: &str) -> Vec<String> {
    lines(tracing::Level::WARN, |line| line.text.contains(text))
}

fn lines(level: tracing::Level, is_meant: impl Fn(&Line) -> bool) -> Vec<String> {
    let lines = LINES.lock().unwrap();
    let lines = lines
        .iter()
        .filter(|line| line.level == level && is_meant(line));
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
