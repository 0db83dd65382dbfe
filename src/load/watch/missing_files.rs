//! The file queries of each model's last load: missing files, read files and patterns of added files.

use crate::load::labels::is_model_in_use;
use crate::load::names::{Pattern, file_key};
use crate::load::weak_cache::remove_unused;
use bevy::app::App;
use bevy::asset::AssetPath;
use bevy::asset::io::{AssetSourceBuilders, AssetSourceId};
use bevy::prelude::*;
use std::collections::{HashMap, HashSet};
use std::ops::DerefMut;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum count of recorded queries of each kind per model. Malformed files can name any number of files.
const MAX_PATHS: usize = 4096;

/// The file queries of the last load of a model. Paths are keys (see [`key`]), relative to the root of the asset
/// source.
#[derive(Debug, Default)]
pub(crate) struct FileQueries {
    /// Files that were missing or unusable.
    missing: HashSet<String>,
    /// Files that the model depends on, but that are not loaded as assets.
    read: HashSet<String>,
    /// The first bytes of files that the model's result depends on.
    starts: HashMap<String, Start>,
    patterns: Vec<Patterns>,
}

/// The first bytes of a file.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The count of requested bytes.
    pub(crate) length: usize,
    /// `None` if the file was shorter or could not be read.
    pub(crate) found: Option<Vec<u8>>,
}

impl FileQueries {
    /// Records a file that is missing or unusable.
    pub(crate) fn add_missing(&mut self, path: &Path) {
        if self.missing.len() < MAX_PATHS {
            self.missing.insert(key(path));
        }
    }

    /// Records a file that was read, but is not an asset.
    pub(crate) fn add_read(&mut self, path: &Path) {
        if self.read.len() < MAX_PATHS {
            self.read.insert(key(path));
        }
    }

    /// Records the first bytes of a file.
    pub(crate) fn add_start(&mut self, path: &Path, length: usize, found: Option<Vec<u8>>) {
        if self.starts.len() < MAX_PATHS {
            self.starts.insert(key(path), Start { length, found });
        }
    }

    /// Records a search for files by prefix and extension.
    pub(crate) fn add_listing(
        &mut self,
        folder: &Path,
        prefix: &str,
        extensions: &[impl AsRef<str>],
    ) {
        for extension in extensions {
            let extension = extension.as_ref();
            self.add_patterns(folder, &[&format!("{prefix}*.{extension}")]);
        }
    }

    /// Records a search by patterns, one per component of a path below `folder`.
    pub(crate) fn add_patterns(&mut self, folder: &Path, parts: &[&str]) {
        if self.patterns.len() < MAX_PATHS {
            self.patterns.push(Patterns {
                folder: key(folder),
                parts: parts.iter().map(|part| Pattern::new(part)).collect(),
            });
        }
    }

    /// Whether a path matches one of the recorded patterns.
    fn matches_pattern(&self, path: &str) -> bool {
        self.patterns.iter().any(|patterns| patterns.matches(path))
    }
}

/// A search by patterns. The folders need not exist yet.
#[derive(Debug)]
struct Patterns {
    folder: String,
    /// One pattern per component of the path below `folder`.
    parts: Vec<Pattern>,
}

impl Patterns {
    fn matches(&self, path: &str) -> bool {
        let below = match &*self.folder {
            "" => Some(path),
            folder => path
                .strip_prefix(folder)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        let names: Vec<&str> = below.into_iter().flat_map(|path| path.split('/')).collect();
        let mut pairs = self.parts.iter().zip(&names);
        names.len() == self.parts.len() && pairs.all(|(part, name)| part.matches(name, &mut 0))
    }
}

/// The key of a path: equal for all paths that [`file_key`] considers the same.
fn key(path: &Path) -> String {
    let path = path.to_string_lossy();
    let parts: Vec<String> = path.split(['/', '\\']).map(file_key).collect();
    parts.join("/")
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The file was added.
    Added,
    /// The contents changed, and Bevy reloads the file.
    Edited,
    /// Another file replaced it, or its `.meta` file changed, and Bevy does not reload the file.
    Replaced,
}

/// The file queries of all loaded models in the watched asset sources. Loaders write it, the watcher reads it. Clones
/// share one index.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct MissingFileIndex(Arc<Mutex<Index>>);

/// Whether the files of a source are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceState {
    /// A model was loaded from it, but the watcher does not know it yet.
    New,
    Watched,
    NotWatched,
}

#[derive(Debug, Default)]
struct Index {
    sources: HashMap<AssetSourceId<'static>, SourceState>,
    queries: HashMap<AssetPath<'static>, FileQueries>,
}

impl MissingFileIndex {
    /// An empty index. The files of the default source are watched if it is a watched folder.
    pub(crate) fn new(default_is_watched_folder: bool) -> Self {
        let index = Self::default();
        if default_is_watched_folder {
            let sources = &mut index.all().sources;
            sources.insert(AssetSourceId::Default, SourceState::Watched);
        }
        index
    }

    /// The sources from which models were loaded since the last call for the first time. They count as watched.
    pub(crate) fn new_sources(&self) -> Vec<AssetSourceId<'static>> {
        let mut all = self.all();
        let sources = all.sources.iter_mut();
        let new = sources.filter(|(_, state)| **state == SourceState::New);
        new.map(|(id, state)| {
            *state = SourceState::Watched;
            id.clone()
        })
        .collect()
    }

    /// Removes the queries of models in a source that is not watched, and records no others.
    pub(crate) fn ignore_source(&self, source: &AssetSourceId<'static>) {
        let mut all = self.all();
        all.sources.insert(source.clone(), SourceState::NotWatched);
        all.queries.retain(|model, _| model.source() != source);
    }

    /// Replaces the queries of a model by those of a new load.
    pub(crate) fn replace(
        &self,
        model: &AssetPath<'static>,
        queries: FileQueries,
        server: &AssetServer,
    ) {
        let mut all = self.all();
        let source = model.source().clone_owned();
        let state = all.sources.entry(source).or_insert(SourceState::New);
        if *state == SourceState::NotWatched {
            return;
        }
        remove_unused(&mut all.queries, |model, _| is_model_in_use(server, model));
        let model = model.clone().without_label().into_owned();
        all.queries.insert(model, queries);
    }

    /// The models that must be reloaded after a change of a file.
    pub(crate) fn models_affected(
        &self,
        path: &AssetPath<'_>,
        change: Change,
    ) -> Vec<AssetPath<'static>> {
        self.find(path, |model, queries, path| {
            let is_affected = queries.missing.contains(path)
                || change == Change::Replaced && queries.read.contains(path)
                || change != Change::Edited && queries.matches_pattern(path);
            is_affected.then(|| model.clone())
        })
    }

    /// The models that depend on a file, and that Bevy does not reload because only handles of their labels are alive.
    pub(crate) fn models_that_read(
        &self,
        path: &AssetPath<'_>,
        server: &AssetServer,
    ) -> Vec<AssetPath<'static>> {
        self.find(path, |model, queries, path| {
            let is_affected = queries.read.contains(path) && server.get_path_ids(model).is_empty();
            is_affected.then(|| model.clone())
        })
    }

    /// The models that depend on the first bytes of a file, each with those bytes.
    pub(crate) fn models_with_start(
        &self,
        path: &AssetPath<'_>,
    ) -> Vec<(AssetPath<'static>, Start)> {
        self.find(path, |model, queries, path| {
            Some((model.clone(), queries.starts.get(path)?.clone()))
        })
    }

    /// What `find` returns for the models in the source of a path, their queries and the key of the path.
    fn find<T>(
        &self,
        path: &AssetPath<'_>,
        find: impl Fn(&AssetPath<'static>, &FileQueries, &str) -> Option<T>,
    ) -> Vec<T> {
        let key = key(path.path());
        let all = self.all();
        let models = all.queries.iter();
        let models = models.filter(|(model, _)| model.source() == path.source());
        models
            .filter_map(|(model, queries)| find(model, queries, &key))
            .collect()
    }

    fn all(&self) -> impl DerefMut<Target = Index> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text by which the builder of an archive source is recognized. Bevy shows it if the source is not watched.
pub(crate) const ARCHIVE_WATCH_WARNING: &str =
    "Enable the feature `file_watcher` of `bevy_classic_models` to reload files of archives.";

/// Whether a source is one of archives.
pub(crate) fn is_archive_source(app: &mut App, id: AssetSourceId<'static>) -> bool {
    let builders = app.world_mut().get_resource_mut::<AssetSourceBuilders>();
    let mut builders = builders;
    let builder = builders.as_mut().and_then(|builders| builders.get_mut(id));
    builder.is_some_and(|builder| builder.watch_warning == Some(ARCHIVE_WATCH_WARNING))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_matched_case_insensitively() {
        let missing_files = MissingFileIndex::default();
        let mut queries = FileQueries::default();
        queries.add_missing(Path::new("Art/Hull.DDS"));
        queries.add_read(Path::new("gfx/Palette.lmp"));
        queries.add_listing(Path::new("Art"), "Ship", &["ALA"]);
        let model = AssetPath::from("Art/Ship.alo");
        missing_files.all().queries.insert(model.clone(), queries);
        let is_affected = |path: &str, change| {
            missing_files.models_affected(&AssetPath::from(path.to_owned()), change)
                == [model.clone()]
        };
        for change in [Change::Added, Change::Edited, Change::Replaced] {
            assert!(is_affected("art/HULL.dds", change));
            assert!(!is_affected("hull.dds", change));
        }
        // Bevy reloads a model whose handle is alive after edits of files that it has read, and assets after their own
        // edits.
        assert!(is_affected("GFX/palette.LMP", Change::Replaced));
        assert!(!is_affected("gfx/palette.lmp", Change::Edited));
        assert!(is_affected("ART/SHIP_move_00.ala", Change::Added));
        assert!(!is_affected("art/ship_move_00.ala", Change::Edited));
        assert!(!is_affected("art/tank_move_00.ala", Change::Added));
        assert!(!is_affected("art/deep/ship_move_00.ala", Change::Added));
        assert!(!is_affected("art/ship_move_00.alo", Change::Added));
    }

    #[test]
    fn new_queries_replace_those_of_the_previous_load() {
        let missing_files = MissingFileIndex::default();
        let model = AssetPath::from("ship.alo");
        for name in ["a.dds", "b.dds"] {
            let mut queries = FileQueries::default();
            queries.add_missing(Path::new(name));
            missing_files.all().queries.insert(model.clone(), queries);
        }
        assert_eq!(
            missing_files.models_affected(&"a.dds".into(), Change::Added),
            []
        );
        assert_eq!(
            missing_files.models_affected(&"b.dds".into(), Change::Added),
            core::slice::from_ref(&model)
        );
        assert_eq!(missing_files.all().queries[&model].missing.len(), 1);
    }

    #[test]
    fn queries_per_model_are_limited() {
        let mut queries = FileQueries::default();
        for number in 0..2 * MAX_PATHS {
            queries.add_missing(Path::new(&format!("{number}.dds")));
        }
        assert_eq!(queries.missing.len(), MAX_PATHS);
    }
}
