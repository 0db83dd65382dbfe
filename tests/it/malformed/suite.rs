//! What the suites of malformed files share: a loader, and how its errors and the loaded assets are checked.

use crate::support::prelude::*;
use bevy::asset::AssetLoadError;
use bevy_classic_models::lgw::{LgwMaterial, LgwTexEnvMaterial};
use bevy_classic_models::load::ModelLoadError;
use classic_models_fixtures::malformed::{self, Case, LocationText};
use core::fmt::Debug;

/// How many files an app loads, because an app with many models is slow.
const BATCH: usize = 100;

/// How the files of a format are loaded and checked.
pub struct Suite<A: Asset> {
    pub extension: &'static str,
    pub load: fn(&TestApp, String) -> Handle<A>,
    /// Whether an error has the path of its file, and the location.
    pub is_located: fn(&str, &AssetLoadError) -> bool,
    /// Checks loaded files: spawns them, for example.
    pub check: fn(&mut TestApp, &[Handle<A>]),
}

impl<A: Asset> Suite<A> {
    /// Asserts the result of each row of a table in an app of its own. `text` formats a location of a path as in messages.
    pub fn assert_classes<Location: Debug>(
        &self,
        cases: Vec<Case<&'static str, Location>>,
        text: fn(&str, &Location) -> LocationText,
    ) {
        log::listen();
        for (index, case) in malformed::rows(cases) {
            let path = &format!("class-{}-{index}.{}", case.class, self.extension);
            let mut app = TestApp::new(&[(path, case.bytes.clone())]);
            let before = asset_counts(&app);
            let handle = (self.load)(&app, path.clone());
            let state = app.finish_load(&handle);
            let warnings = log::warnings_with(path);
            let error = match &state {
                LoadState::Failed(error) => Some(error.to_string()),
                _ => None,
            };
            case.assert_logged(path, error.as_deref(), &warnings, |at| text(path, at));
            match state {
                LoadState::Failed(error) => {
                    assert!((self.is_located)(path, &error), "{path}: {error}");
                    assert_eq!(asset_counts(&app), before, "{path}");
                }
                _ => (self.check)(&mut app, &[handle]),
            }
            let later = log::warnings_with(path).len();
            assert_eq!(later, warnings.len(), "{path}: more warnings in use");
        }
    }

    /// Loads files. Asserts that each error is located, and checks the files that load. Returns their count.
    pub fn run(&self, name: &str, files: impl IntoIterator<Item = Vec<u8>>) -> usize {
        let named = |(index, bytes)| (format!("{name}-{index}.{}", self.extension), bytes);
        let files: Vec<(String, Vec<u8>)> = files.into_iter().enumerate().map(named).collect();
        let mut count = 0;
        for batch in files.chunks(BATCH) {
            let named = batch.iter().map(|(path, bytes)| (&**path, bytes.clone()));
            let mut app = TestApp::new(&named.collect::<Vec<_>>());
            let load =
                |(path, _): &(String, Vec<u8>)| (path.clone(), (self.load)(&app, path.clone()));
            let handles: Vec<_> = batch.iter().map(load).collect();
            let mut loaded = Vec::new();
            for (path, handle) in handles {
                match app.finish_load(&handle) {
                    LoadState::Failed(error) => {
                        assert!((self.is_located)(&path, &error), "{error}");
                    }
                    _ => loaded.push(handle),
                }
            }
            (self.check)(&mut app, &loaded);
            count += loaded.len();
        }
        count
    }
}

/// The counts of the kinds of assets that models have.
fn asset_counts(app: &TestApp) -> [usize; 7] {
    [
        app.assets::<Lgw>().len(),
        app.assets::<Abc>().len(),
        app.assets::<Mesh>().len(),
        app.assets::<StandardMaterial>().len(),
        app.assets::<LgwTexEnvMaterial>().len(),
        app.assets::<LgwMaterial>().len(),
        app.assets::<WorldAsset>().len(),
    ]
}

/// The error of the loader of a model, if the load failed with one.
pub fn loader_error(state: &LoadState) -> Option<&ModelLoadError> {
    match state {
        LoadState::Failed(error) => model_error(error),
        _ => None,
    }
}

/// The error of the loader of a model.
pub fn model_error(error: &AssetLoadError) -> Option<&ModelLoadError> {
    match error {
        AssetLoadError::AssetLoaderError(error) => error.error().downcast_ref(),
        _ => None,
    }
}
