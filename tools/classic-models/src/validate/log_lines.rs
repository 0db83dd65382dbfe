//! Collects the warnings and errors that the crate logs.

use crate::messages::message_of;
use bevy::log::tracing::{Event, Level, Subscriber};
use bevy::log::tracing_subscriber::layer::{Context, SubscriberExt};
use bevy::log::tracing_subscriber::util::SubscriberInitExt;
use bevy::log::tracing_subscriber::{Layer, registry};
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
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(message_of(event));
    }
}
