//! Loads and spawns a manifest, and collects its problems.

use crate::engines::{self, BrokenLimit, ENGINES, Engine};
use crate::file_format::is_manifest;
use crate::messages;
use crate::validate::asset_root::AssetRoot;
use crate::validate::log_lines;
use bevy::asset::{AssetLoadError, LoadState};
use bevy::prelude::*;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::manifest::{ManifestCheck, ManifestLoaderSettings, ManifestProblem};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{Mdl, mdl};
use classic_models_support::gpuless;
use std::path::Path;

/// Frames in which systems may still warn after everything is loaded.
const LAST_FRAMES: usize = 4;

/// The problems of a manifest, each beginning with the name of a file. If there are engines, the limits that models exceed
/// are problems; otherwise those of all engines are messages.
pub fn problems(file: &Path, assets: Option<&Path>, engines: &[Engine]) -> Vec<String> {
    let of_file = |error: &dyn std::fmt::Display| vec![format!("{}: {error}", file.display())];
    if let Err(error) = file.metadata() {
        return of_file(&error);
    }
    if !is_manifest(file) {
        return of_file(&"is not a manifest, `*.model.ron`");
    }
    let root = match AssetRoot::of(file, assets) {
        Ok(root) => root,
        Err(error) => return of_file(&error),
    };
    let mut app = App::new();
    app.add_plugins((gpuless::plugins(&root.folder, false), ClassicModelsPlugins));
    gpuless::finish(&mut app);
    log_lines::take();
    let mut problems = match check(&mut app, &root) {
        Ok(found) => found,
        Err(error) => return vec![root.show(&error)],
    };
    problems.sort_by(|a, b| (&a.path, a.position).cmp(&(&b.path, b.position)));
    // The log has some of the problems too, without their positions. Some lines begin with the path of the manifest.
    let is_new = |line: &String| {
        let message = line.split_once(": ").map_or("", |(_, message)| message);
        let is_same = |problem: &ManifestProblem| {
            problem.message.contains(line)
                || !message.is_empty() && problem.message.ends_with(&format!(": {message}"))
        };
        !problems.iter().any(is_same)
    };
    let logged = log_lines::take().into_iter().filter(is_new);
    let mut all: Vec<String> = problems.iter().map(ToString::to_string).collect();
    all.extend(logged);
    for (model, limit) in broken_limits(app.world(), &root, engines) {
        let text = format!("{model}: {limit}");
        if engines.is_empty() || limit.is_warning {
            messages::message(root.show(&text));
        } else {
            all.push(text);
        }
    }
    all.iter().map(|problem| root.show(problem)).collect()
}

/// The limits of engines that the loaded Quake models exceed, with the paths of the models.
fn broken_limits(
    world: &World,
    root: &AssetRoot,
    engines: &[Engine],
) -> Vec<(String, BrokenLimit)> {
    let engines = match engines {
        [] => &ENGINES[..],
        engines => engines,
    };
    let server = world.resource::<AssetServer>();
    let models = world.resource::<Assets<Mdl>>();
    let mut paths: Vec<_> = models.ids().filter_map(|id| server.get_path(id)).collect();
    paths.sort_by_cached_key(ToString::to_string);
    let mut broken = Vec::new();
    for path in paths {
        let bytes = std::fs::read(root.folder.join(path.path())).unwrap_or_default();
        let limits = mdl::parse(&bytes).map(|model| engines::of_model(&model, engines));
        let limits = limits.unwrap_or_default().into_iter();
        broken.extend(limits.map(|limit| (path.to_string(), limit)));
    }
    broken
}

/// Loads and spawns a manifest.
///
/// # Errors
/// The message of a manifest that cannot be loaded, beginning with the path of the file.
fn check(app: &mut App, root: &AssetRoot) -> Result<Vec<ManifestProblem>, String> {
    let server = app.world().resource::<AssetServer>().clone();
    let builder = server.load_builder();
    let builder =
        builder.with_settings(|it: &mut ManifestLoaderSettings| it.allow_missing_model = true);
    let manifest: Handle<ModelManifest> = builder.load(root.manifest.clone());
    let mut check = None;
    let mut result = None;
    gpuless::wait_until(app, |world| {
        result = match server.load_state(&manifest) {
            LoadState::Failed(error) => Some(Err(explain(&error))),
            LoadState::Loaded => {
                let check = check.get_or_insert_with(|| begin(world, &manifest, root));
                check.poll(world).map(Ok)
            }
            _ => None,
        };
        result.is_some()
    });
    for _ in 0..LAST_FRAMES {
        gpuless::step(app, 0.0);
    }
    result.unwrap_or_else(|| Err(format!("{}: did not load in time", root.manifest)))
}

/// Begins the check of a loaded manifest. It is spawned if it has a model.
fn begin(world: &mut World, manifest: &Handle<ModelManifest>, root: &AssetRoot) -> ManifestCheck {
    let loaded = world.resource::<Assets<ModelManifest>>().get(manifest);
    if loaded.is_some_and(|manifest| manifest.model.is_empty()) {
        messages::message(format_args!(
            "{}: has no `model`, so it is checked as a manifest that others extend: without the values that depend on the model",
            root.show(&root.manifest.to_string())
        ));
        return ManifestCheck::of_base(manifest.clone());
    }
    ManifestCheck::new(world.spawn(ClassicModel(manifest.clone())).id())
}

/// The loader's error message, without Bevy's text around it.
fn explain(error: &AssetLoadError) -> String {
    let text = match error {
        AssetLoadError::AssetLoaderError(error) => error.error().to_string(),
        error => error.to_string(),
    };
    // A backtrace may follow.
    text.lines().next().unwrap_or_default().to_owned()
}
