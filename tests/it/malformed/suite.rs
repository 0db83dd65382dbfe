//! What the suites of malformed files share: a loader, and how its errors and the loaded assets are checked.

use crate::support::prelude::*;
use classic_models_fixtures::malformed;
use core::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
        let mut failed = Vec::new();
        for (index, case) in malformed::rows(cases) {
            let path = format!("class-{}-{index}.{}", case.class, self.extension);
            let check = AssertUnwindSafe(|| self.assert_case(&path, &case, text));
            if catch_unwind(check).is_err() {
                failed.push(format!("{path}: {}", case.name));
            }
        }
        assert!(failed.is_empty(), "{failed:#?}");
    }

    fn assert_case<Location: Debug>(
        &self,
        path: &str,
        case: &Case<&'static str, Location>,
        text: fn(&str, &Location) -> LocationText,
    ) {
        let mut app = TestApp::new(&[(path, case.bytes.clone())]);
        let before = asset_counts(&app);
        let handle = (self.load)(&app, path.to_owned());
        let state = app.finish_load(&handle);
        let all = log::warnings_with(path);
        let mut warnings = all.clone();
        // The parser's sample has arbitrary normals.
        warnings.retain(|warning| !warning.contains("face as their normals do"));
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
        let later = log::warnings_with(path);
        assert_eq!(later, all, "{path}: more warnings in use");
    }

    /// Loads files. Asserts that each error is located, and checks the files that load. Returns their count.
    pub fn run(&self, name: &str, files: impl IntoIterator<Item = Vec<u8>>) -> usize {
        let named = |(index, bytes)| (format!("{name}-{index}.{}", self.extension), bytes);
        let files: Vec<(String, Vec<u8>)> = files.into_iter().enumerate().map(named).collect();
        let mut count = 0;
        for batch in files.chunks(BATCH) {
            let named = batch.iter().map(|(path, bytes)| (&**path, bytes.clone()));
            let mut app = TestApp::new(&named.collect::<Vec<_>>());
            let handles = batch
                .iter()
                .map(|(path, _)| (self.load)(&app, path.clone()));
            let handles: Vec<_> = handles.collect();
            let states = app.finish_loads(&handles);
            let mut loaded = Vec::new();
            for (((path, _), handle), state) in batch.iter().zip(handles).zip(states) {
                match state {
                    LoadState::Failed(error) => {
                        assert!((self.is_located)(path, &error), "{error}");
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
