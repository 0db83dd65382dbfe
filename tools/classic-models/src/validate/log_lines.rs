//! Collects the warnings and errors that the crate logs.

use bevy::log::tracing::field::Field;
use bevy::log::tracing::{Event, Level, Subscriber};
use bevy::log::tracing_subscriber::layer::{Context, SubscriberExt};
use bevy::log::tracing_subscriber::util::SubscriberInitExt;
use bevy::log::tracing_subscriber::{Layer, registry};
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Starts to collect. Lines are not printed.
pub fn listen() {
    // It fails only if there is a collector already.
    let _ = registry().with(Listener).try_init();
}

/// Removes and returns the lines since the last call.
pub fn take() -> Vec<String> {
    std::mem::take(&mut *LINES.lock().unwrap_or_else(PoisonError::into_inner))
}

struct Listener;

impl<S: Subscriber> Layer<S> for Listener {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        // Bevy's errors of loads are found by the states of the assets.
        if *metadata.level() > Level::WARN || !metadata.target().starts_with("bevy_classic_models")
        {
            return;
        }
        let mut text = String::new();
        event.record(&mut |field: &Field, value: &dyn Debug| {
            if field.name() == "message" {
                text = format!("{value:?}");
            }
        });
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(text);
    }
}
