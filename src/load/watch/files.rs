//! Reloads files whose changes Bevy's watcher ignores.
//!
//! Bevy reloads a file when it is written to or moved in from another folder. It ignores these events:
//!
//! - a file of the same folder is renamed over it,
//! - its `.meta` file is added or removed,
//! - a file is added that a model searched for but did not find,
//! - the palette of a model changes, if only handles of the model's labels are alive.
//!
//! A second watcher of the same files handles exactly these events ([#10576] lists some of them). It is used for the
//! default asset source, if that is a folder and Bevy watches it, and for sources of archives. Those of archives are
//! watched from the first load of a model in them, because apps cannot list their sources.
//!
//! [#10576]: https://github.com/bevyengine/bevy/issues/10576

use crate::load::find::FileFinder;
use crate::load::find::folder_index::SourceFolders;
use crate::load::watch::missing_files::{
    ARCHIVE_WATCH_WARNING, Change, MissingFileIndex, Start, is_archive_source,
};
use bevy::asset::io::file::{FileAssetReader, FileWatcher};
use bevy::asset::io::{
    AssetSource, AssetSourceBuilder, AssetSourceBuilders, AssetSourceEvent, AssetSourceId,
    AssetWatcher,
};
use bevy::asset::{AssetPath, AssetServerMode, handle_internal_asset_events};
use bevy::prelude::*;
use bevy::tasks::IoTaskPool;
use core::time::Duration;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The time that the watcher waits for further changes of a file, the same as Bevy's.
const DEBOUNCE: Duration = Duration::from_millis(300);

/// Sources of the same files as the app's. Only their watchers are used, because each event has one receiver.
#[derive(Resource, Default)]
struct SecondSources(Vec<SecondSource>);

struct SecondSource {
    source: AssetSource,
    /// The folder on disk. `None` for archives, whose watchers report all files of an added folder.
    root: Option<PathBuf>,
}

/// Adds the second watchers, if Bevy watches for changes.
pub(crate) fn register(app: &mut App) {
    let Some(server) = app.world().get_resource::<AssetServer>() else {
        return;
    };
    if !server.watching_for_changes() {
        return;
    }
    let default = if is_archive_source(app, AssetSourceId::Default) {
        None
    } else {
        folder_source(app)
    };
    let follows_default = default.is_some();
    app.insert_resource(SecondSources(default.into_iter().collect()))
        .insert_resource(MissingFileIndex::new(follows_default))
        .add_systems(
            PreUpdate,
            (watch_new_sources, follow_files)
                .chain()
                .after(handle_internal_asset_events),
        );
}

/// The second source of the default one, if that is a folder.
fn folder_source(app: &App) -> Option<SecondSource> {
    let server = app.world().get_resource::<AssetServer>()?;
    let plugin = *app.get_added_plugins::<AssetPlugin>().first()?;
    let own = server.get_source(AssetSourceId::Default).ok()?;
    // A default source that is not Bevy's has no event receiver of this kind.
    let (events, folder) = match server.mode() {
        AssetServerMode::Unprocessed => (own.event_receiver(), &plugin.file_path),
        AssetServerMode::Processed => (own.processed_event_receiver(), &plugin.processed_file_path),
    };
    let root = FileAssetReader::get_base_path().join(folder);
    if events.is_none() || !root.is_dir() {
        return None;
    }
    let source = builder(folder, root.clone()).build(AssetSourceId::Default, true, false);
    Some(SecondSource {
        source,
        root: Some(root),
    })
}

/// Adds second sources of archives from which models were loaded for the first time.
fn watch_new_sources(
    missing_files: Res<MissingFileIndex>,
    mut sources: ResMut<SecondSources>,
    builders: Option<ResMut<AssetSourceBuilders>>,
) {
    let new = missing_files.new_sources();
    let Some(mut builders) = builders.filter(|_| !new.is_empty()) else {
        return;
    };
    for id in new {
        let builder = builders.get_mut(id.clone());
        let builder = builder.filter(|it| it.watch_warning == Some(ARCHIVE_WATCH_WARNING));
        let Some(builder) = builder else {
            missing_files.ignore_source(&id);
            continue;
        };
        let source = builder.build(id, true, false);
        sources.0.push(SecondSource { source, root: None });
    }
}

/// Builds a source whose watcher may fail, for example at the limits of inotify. Bevy's own helper panics in this case.
/// No upstream report known.
fn builder(folder: &str, root: PathBuf) -> AssetSourceBuilder {
    let watch = move |events| -> Option<Box<dyn AssetWatcher>> {
        match FileWatcher::new(root.clone(), events, DEBOUNCE) {
            Ok(watcher) => Some(Box::new(watcher)),
            Err(error) => {
                warn!(
                    "{}: models are not reloaded when missing files are added or files are renamed: \
                     the second file watcher could not be started: {error}",
                    root.display()
                );
                None
            }
        }
    };
    let mut builder = AssetSourceBuilder::platform_default(folder, None).with_watcher(watch);
    builder.watch_warning = None;
    builder
}

/// Reloads files whose changes Bevy's watcher missed.
fn follow_files(
    sources: Res<SecondSources>,
    server: Res<AssetServer>,
    missing_files: Res<MissingFileIndex>,
    folders: Res<SourceFolders>,
) {
    for SecondSource { source, root } in &sources.0 {
        let Some(events) = source.event_receiver() else {
            continue;
        };
        let mut follower = Follower {
            server: AssetServer::clone(&server),
            missing_files: MissingFileIndex::clone(&missing_files),
            folders: SourceFolders::clone(&folders),
            source: source.id(),
            stale: HashSet::new(),
        };
        while let Ok(event) = events.try_recv() {
            match (event, root) {
                (AssetSourceEvent::AddedFolder(folder), Some(root)) => {
                    follower.read_folder(root, folder);
                }
                (AssetSourceEvent::RenamedFolder { old, new }, Some(root)) => {
                    follower.remove_index(&old);
                    follower.read_folder(root, new);
                }
                (event, _) => follower.follow(event),
            }
        }
        follower.reload();
    }
}

/// Collects the files and models to reload.
#[derive(Clone)]
struct Follower {
    server: AssetServer,
    missing_files: MissingFileIndex,
    folders: SourceFolders,
    source: AssetSourceId<'static>,
    stale: HashSet<AssetPath<'static>>,
}

impl Follower {
    fn follow(&mut self, event: AssetSourceEvent) {
        match event {
            AssetSourceEvent::AddedAsset(path) => {
                self.remove_index(&path);
                self.change(&path, Change::Added);
            }
            AssetSourceEvent::ModifiedAsset(path) => self.change(&path, Change::Edited),
            AssetSourceEvent::RenamedAsset { old, new } => {
                self.remove_index(&old);
                self.remove_index(&new);
                self.change(&new, Change::Replaced);
            }
            AssetSourceEvent::AddedMeta(path)
            | AssetSourceEvent::RemovedMeta(path)
            | AssetSourceEvent::RemovedUnknown {
                path,
                is_meta: true,
            } => self.change(&path, Change::Replaced),
            AssetSourceEvent::RenamedMeta { old, new } => {
                self.change(&old, Change::Replaced);
                self.change(&new, Change::Replaced);
            }
            AssetSourceEvent::RemovedAsset(path)
            | AssetSourceEvent::RemovedFolder(path)
            | AssetSourceEvent::RemovedUnknown { path, .. } => self.remove_index(&path),
            _ => {}
        }
    }

    /// Processes an added folder in a task, because there are no events for the files in it.
    fn read_folder(&self, root: &Path, folder: PathBuf) {
        self.remove_index(&folder);
        let (mut follower, root) = (self.clone(), root.to_path_buf());
        let follow_files = async move {
            follower.stale.clear();
            for path in files_below(&root, &folder) {
                follower.remove_index(&path);
                follower.change(&path, Change::Replaced);
            }
            follower.reload();
        };
        IoTaskPool::get().spawn(follow_files).detach();
    }

    /// Drops the index of a file's folder.
    fn remove_index(&self, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new(""));
        self.folders.remove(&self.source, folder);
    }

    /// Collects the models that a change of a file affects.
    fn change(&mut self, path: &Path, change: Change) {
        let changed = AssetPath::from(path.to_path_buf()).with_source(self.source.clone());
        if change == Change::Replaced {
            self.stale.insert(changed.clone());
        }
        self.stale
            .extend(self.missing_files.models_affected(&changed, change));
        self.stale
            .extend(self.missing_files.models_that_read(&changed, &self.server));
        for (model, was) in self.missing_files.models_with_start(&changed) {
            reload_if_start_changed(&self.server, model, changed.clone(), was);
        }
    }

    fn reload(self) {
        for path in self.stale {
            self.server.reload(path);
        }
    }
}

/// Reloads a model if the first bytes of a file differ from those that were read at the last load.
fn reload_if_start_changed(
    server: &AssetServer,
    model: AssetPath<'static>,
    path: AssetPath<'static>,
    was: Start,
) {
    let server = server.clone();
    let compare = async move {
        let finder = FileFinder::new(server.clone());
        if finder.start(&path, was.length).await != was.found {
            server.reload(model);
        }
    };
    IoTaskPool::get().spawn(compare).detach();
}

/// The maximum count of files that are processed when a whole folder is added.
const MAX_FILES: usize = 10_000;

/// The files in a folder and its subfolders. Paths are relative to `root`.
pub(crate) fn files_below(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            // Symbolic links are not followed, because they can be circular.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(_) if files.len() < MAX_FILES => files.push(path),
                _ => {}
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_to_start_a_watcher_is_not_fatal() {
        let folder = std::env::temp_dir().join("classic-models-without-such-a-folder");
        let mut builder = builder("unused", folder);
        let source = builder.build(AssetSourceId::Default, true, false);
        assert!(source.event_receiver().is_none());
    }
}
