//! Measures the heap use of a load.

use super::app::TestApp;
use bevy::prelude::*;
pub use classic_models_fixtures::heap::{HeapBudget, in_use, kept, peak, run_in_own_process};

/// An asset, and the settings of its loader.
pub trait Loadable: Asset {
    type Settings: bevy::asset::meta::Settings;
}

/// Measures the peak of a load in an app without a GPU. The loaded assets are part of the peak.
pub fn measure_load<A: Loadable>(
    measured: &mut HeapBudget,
    name: &str,
    bytes: Vec<u8>,
    set: impl Fn(&mut A::Settings) + Send + Sync + 'static,
) {
    let path: &'static str = name.to_owned().leak();
    let length = bytes.len();
    let mut app = TestApp::new(&[(path, bytes)]);
    for _ in 0..8 {
        app.step(0.0);
    }
    let server = app.world().resource::<AssetServer>().clone();
    measured.take(name, length, || {
        let handle: Handle<A> = server.load_builder().with_settings(set).load(path);
        _ = app.finish_load(&handle);
    });
}
