//! Loads and spawns a manifest, and collects its problems.

use crate::engines::{self, BrokenLimit, Engine};
use crate::file_format::is_manifest;
use crate::log_buffer::LogBuffer;
use crate::messages::{self, explain};
use crate::paths::disk;
use bevy::asset::io::AssetSourceId;
use bevy::asset::{AssetPath, LoadState};
use bevy::log::tracing::Level;
use bevy::log::tracing_subscriber::filter::filter_fn;
use bevy::log::tracing_subscriber::layer::SubscriberExt;
use bevy::log::tracing_subscriber::util::SubscriberInitExt;
use bevy::log::tracing_subscriber::{Layer, registry};
use bevy::prelude::*;
use bevy_classic_models::archive::ArchiveSource;
use bevy_classic_models::manifest::{
    ManifestCheck, ManifestLoaderSettings, ManifestProblem, ModelManifest,
};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{Mdl, mdl};
use classic_models_support::gpuless;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Frames in which systems may still warn after everything is loaded.
const LAST_FRAMES: usize = 4;

/// The warnings of the plugin in this process, which are not printed.
pub fn plugin_log() -> &'static LogBuffer {
    static LOG: LazyLock<LogBuffer> = LazyLock::new(|| {
        let log = LogBuffer::default();
        // Bevy's errors of loads are found by the states of the assets.
        let of_crate = filter_fn(|event| {
            *event.level() <= Level::WARN && event.target().starts_with("bevy_classic_models")
        });
        // It fails only if there is a collector already.
        let _ = registry()
            .with(log.clone().with_filter(of_crate))
            .try_init();
        log
    });
    &LOG
}

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
    let mut checker = Checker::new(&root.folder, None);
    let (mut all, is_loaded) = checker.problems(&root);
    if !is_loaded {
        return all;
    }
    if checker.spawned.is_none() {
        messages::message(format_args!(
            "{}: has no `model`, so it is checked as a manifest that others extend: without the values that depend on the model",
            root.show(&root.manifest.to_string())
        ));
    }
    for (model, limit) in broken_limits(checker.app.world(), &root, engines) {
        let text = root.show(&in_manifest_terms(&format!("{model}: {limit}")));
        if engines.is_empty() || limit.is_warning {
            messages::message(text);
        } else {
            all.push(text);
        }
    }
    all
}

/// An app that checks manifests, one after the other.
pub struct Checker {
    app: App,
    /// The root entity of the last manifest. `None` if it has no model.
    spawned: Option<Entity>,
}

impl Checker {
    /// An app whose assets are in a folder, or those of a game.
    pub fn new(folder: &Path, game: Option<&ArchiveSource>) -> Self {
        let mut app = App::new();
        if let Some(source) = game {
            let builder = source.clone().into_builder();
            app.register_asset_source(AssetSourceId::Default, builder);
        }
        app.add_plugins((gpuless::plugins(folder, false), ClassicModelsPlugins));
        gpuless::finish(&mut app);
        Self { app, spawned: None }
    }

    /// The problems of a manifest, each beginning with the name of a file, and whether it could be loaded.
    pub fn problems(&mut self, root: &AssetRoot) -> (Vec<String>, bool) {
        let log = plugin_log();
        log.take();
        if let Some(spawned) = self.spawned.take() {
            self.app.world_mut().despawn(spawned);
        }
        let mut problems = match self.check(root) {
            Ok(found) => found,
            Err(error) => return (vec![root.show(&in_manifest_terms(&error))], false),
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
        let logged = log.take().into_iter().map(|line| line.text).filter(is_new);
        let mut all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        all.extend(logged);
        let all = all.iter();
        let all = all.map(|problem| root.show(&in_manifest_terms(problem)));
        (all.collect(), true)
    }

    /// Loads and spawns a manifest.
    ///
    /// # Errors
    /// The message of a manifest that cannot be loaded, beginning with the path of the file.
    fn check(&mut self, root: &AssetRoot) -> Result<Vec<ManifestProblem>, String> {
        let app = &mut self.app;
        let server = app.world().resource::<AssetServer>().clone();
        let builder = server.load_builder();
        let builder =
            builder.with_settings(|it: &mut ManifestLoaderSettings| it.allow_missing_model = true);
        let manifest: Handle<ModelManifest> = builder.load(root.manifest.clone());
        let mut check = None;
        let mut result = None;
        let spawned = &mut self.spawned;
        gpuless::wait_until(app, |world| {
            result = match server.load_state(&manifest) {
                LoadState::Failed(error) => {
                    // A backtrace may follow.
                    let error = explain(&root.manifest, &error);
                    Some(Err(error.lines().next().unwrap_or_default().to_owned()))
                }
                LoadState::Loaded => {
                    let check = check.get_or_insert_with(|| begin(world, &manifest, spawned));
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
}

/// The names of Rust types in messages, and of the same in manifests.
const TERMS: &[(&str, &str)] = &[
    (" that `PartVisibility` can hide or show", ""),
    ("; Bevy's `VisibilityRange` switches between models", ""),
    ("; move the entities of `LgwInstance::meshes`", ""),
    ("; replace the materials on its entities", ""),
    ("; replace the materials on their entities", ""),
    ("; names in `ModelClips`: ", "; names in `clips`: "),
    (" needs `ModelSkins` on the root", " must be in `skins`"),
    ("`ClipLayers`", "`masks`"),
    ("`Crowd`", "`crowd`"),
    ("`DamageStage`", "`damage_stage`"),
    ("`LodDistances`", "`lod_distances`"),
    ("`ModelSkin`", "`skin`"),
    ("`ModelSkins`", "`skins`"),
    ("`PartVisibility`", "`hidden`"),
    ("`PlayClip`", "`play`"),
    ("`PlayerColors`", "`player_colors`"),
    ("`TeamColor`", "`team_color`"),
    (" in `ModelManifest`", ""),
    (" in `ManifestAttachment`", ""),
    (" in `ManifestClip`", ""),
    (" in `ManifestEvent`", ""),
];

/// A message for people who write manifests and no Rust.
fn in_manifest_terms(message: &str) -> String {
    let terms = TERMS.iter();
    terms.fold(message.to_owned(), |message, (rust, manifest)| {
        message.replace(rust, manifest)
    })
}

/// The limits of engines that the loaded Quake models exceed, with the paths of the models.
fn broken_limits(
    world: &World,
    root: &AssetRoot,
    engines: &[Engine],
) -> Vec<(String, BrokenLimit)> {
    let engines = engines::or_all(engines);
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

/// Begins the check of a loaded manifest. It is spawned if it has a model.
fn begin(
    world: &mut World,
    manifest: &Handle<ModelManifest>,
    spawned: &mut Option<Entity>,
) -> ManifestCheck {
    let loaded = world.resource::<Assets<ModelManifest>>().get(manifest);
    if loaded.is_some_and(|manifest| manifest.model.is_empty()) {
        return ManifestCheck::of_base(manifest.clone());
    }
    let entity = world.spawn(ClassicModel::new(manifest.clone())).id();
    *spawned = Some(entity);
    ManifestCheck::new(entity)
}

/// The root of an asset source.
pub struct AssetRoot {
    /// Absolute.
    pub folder: PathBuf,
    /// As messages name it: relative if the file was given so.
    shown: PathBuf,
    /// The path of the manifest.
    pub manifest: AssetPath<'static>,
}

impl AssetRoot {
    /// The root of a manifest: the given folder, otherwise the nearest folder `assets`, otherwise that of the manifest.
    ///
    /// # Errors
    /// A message if the manifest is not in the folder, or the current folder is not known.
    pub fn of(file: &Path, given: Option<&Path>) -> Result<Self, String> {
        let absolute = |path: &Path| disk::absolute(path).map_err(|error| error.to_string());
        let path = absolute(file)?;
        let own = path.parent().unwrap_or(&path);
        let is_assets = |folder: &&Path| {
            let name = folder.file_name().unwrap_or_default();
            name.eq_ignore_ascii_case("assets")
        };
        let folder = match given {
            Some(folder) => absolute(folder)?,
            None => own.ancestors().find(is_assets).unwrap_or(own).to_path_buf(),
        };
        let Ok(within) = path.strip_prefix(&folder) else {
            return Err(format!("is not in {}", folder.display()));
        };
        let depth = within.components().count();
        let shown = given.or_else(|| file.ancestors().nth(depth));
        Ok(Self {
            manifest: AssetPath::from_path_buf(within.to_path_buf()),
            shown: shown.unwrap_or(&folder).to_path_buf(),
            folder,
        })
    }

    /// The root of a manifest of a game, by its path in the game.
    pub fn of_game(root: &Path, manifest: &str) -> Self {
        Self {
            folder: root.to_path_buf(),
            shown: PathBuf::new(),
            manifest: AssetPath::from_path_buf(manifest.into()),
        }
    }

    /// The name of a file of the asset source, at the beginning of a message.
    pub fn show(&self, message: &str) -> String {
        self.shown.join(message).display().to_string()
    }
}

#[cfg(test)]
mod asset_root_tests {
    use super::AssetRoot;
    use std::path::Path;

    #[track_caller]
    fn assert_root(file: &str, given: Option<&str>, manifest: &str, shown: &str) {
        let root = AssetRoot::of(Path::new(file), given.map(Path::new)).unwrap();
        assert_eq!(root.manifest.to_string(), manifest);
        assert_eq!(root.show(manifest), shown);
        assert!(root.folder.is_absolute());
    }

    #[test]
    fn roots_are_the_nearest_folders_of_assets() {
        assert_root(
            "assets/a/b.model.ron",
            None,
            "a/b.model.ron",
            "assets/a/b.model.ron",
        );
        assert_root(
            "x/Assets/b.model.ron",
            None,
            "b.model.ron",
            "x/Assets/b.model.ron",
        );
        assert_root("/x/a/b.model.ron", None, "b.model.ron", "/x/a/b.model.ron");
        assert_root(
            "x/a/b.model.ron",
            Some("x"),
            "a/b.model.ron",
            "x/a/b.model.ron",
        );
    }

    #[test]
    fn manifests_outside_of_the_given_root_are_errors() {
        let root = AssetRoot::of(Path::new("a/b.model.ron"), Some(Path::new("c")));
        assert!(root.err().unwrap().starts_with("is not in "));
    }
}
