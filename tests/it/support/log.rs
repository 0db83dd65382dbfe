//! Remembers the errors that are logged.

use bevy::log::tracing::{self, Subscriber};
use bevy::log::tracing_subscriber::layer::{Context, SubscriberExt};
use bevy::log::tracing_subscriber::util::SubscriberInitExt;
use bevy::log::tracing_subscriber::{self, Layer};
use std::sync::{Mutex, Once};

/// Modules whose errors would leave a test with an old picture.
pub const RENDERER: [&str; 5] = ["wgpu", "naga", "bevy_render", "bevy_pbr", "bevy_shader"];

static ERRORS: Mutex<Vec<(&str, String)>> = Mutex::new(Vec::new());

/// Begins to remember. All tests of a process share what is remembered.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = tracing_subscriber::registry().with(Listener).try_init();
    });
}

/// Errors that these modules have logged so far.
pub fn errors_of(modules: &[&str]) -> Vec<String> {
    let errors = ERRORS.lock().unwrap();
    let of = |target: &str| modules.iter().any(|module| target.starts_with(module));
    let errors = errors.iter().filter(|(target, _)| of(target));
    errors.map(|(_, text)| text.clone()).collect()
}

struct Listener;

impl<S: Subscriber> Layer<S> for Listener {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() == tracing::Level::ERROR {
            let mut text = String::new();
            event.record(
                &mut |_: &tracing::field::Field, value: &dyn core::fmt::Debug| {
                    text.push_str(&format!("{value:?} "));
                },
            );
            ERRORS.lock().unwrap().push((metadata.target(), text));
        }
    }
}
