//! Measures the heap use of a load.

use crate::support::prelude::*;
pub use classic_models_fixtures::heap::{
    HeapBudget, Outcome, in_use, kept, run_in_own_process, run_in_own_process_with,
};

/// An asset, and the settings of its loader.
pub trait Loadable: Asset {
    type Settings: bevy::asset::meta::Settings;
}

/// Measures the peak of a load in an app without a GPU. The loaded assets are part of the peak. The load must have the
/// expected outcome.
pub fn measure_load<A: Loadable>(
    measured: &mut HeapBudget,
    name: &str,
    bytes: Vec<u8>,
    expected: Outcome,
    set: impl Fn(&mut A::Settings) + Send + Sync + 'static,
) {
    measure_load_with::<A>(measured, name, bytes, None, expected, set);
}

/// Like [`measure_load`], in an app that also has the file `other`, which the measured file names.
pub fn measure_load_with<A: Loadable>(
    measured: &mut HeapBudget,
    name: &str,
    bytes: Vec<u8>,
    other: Option<(&'static str, Vec<u8>)>,
    expected: Outcome,
    set: impl Fn(&mut A::Settings) + Send + Sync + 'static,
) {
    let path: &'static str = name.to_owned().leak();
    let length = bytes.len();
    let files: Vec<_> = [(path, bytes)].into_iter().chain(other).collect();
    let mut app = TestApp::new(&files);
    for _ in 0..8 {
        app.step(0.0);
    }
    let server = app.world().resource::<AssetServer>().clone();
    measured.take(name, length, expected, || {
        let handle: Handle<A> = server.load_builder().with_settings(set).load(path);
        match app.finish_load(&handle) {
            LoadState::Failed(error) => Err(error.to_string()),
            _ => Ok(()),
        }
    });
}
