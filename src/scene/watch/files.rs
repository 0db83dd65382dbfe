//! What Bevy's watcher of files overlooks.
//!
//! Bevy loads a file again when it is written to or comes from elsewhere. It does nothing when a file of
//! the same folder is renamed over it, when its `.meta` comes or goes, when a file comes that a
//! model looked for in vain, and when a palette changes of a model of which only labels are held ([#10576] has some of
//! these). A second watcher of the same folder sees to these, and to nothing else.
//!
//! [#10576]: https://github.com/bevyengine/bevy/issues/10576
//!
//! There is one for the default asset source, if that is of files and Bevy watches it.

use crate::scene::find::{FileFinder, Listings};
use crate::scene::watch::missing_files::{Change, MissingFileIndex, Start};
use bevy::app::{App, PreUpdate};
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::io::{AssetSource, AssetSourceBuilder, AssetSourceEvent, AssetSourceId};
use bevy::asset::io::{AssetWatcher, file::FileWatcher};
use bevy::asset::{
    AssetPath, AssetPlugin, AssetServer, AssetServerMode, handle_internal_asset_events,
};
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::schedule::common_conditions::resource_exists;
use bevy::ecs::system::Res;
use bevy::log::warn;
use bevy::tasks::IoTaskPool;
use core::time::Duration;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most files of a folder that comes as a whole which are looked at.
const MOST_FILES: usize = 10_000;

/// How long the watcher waits for more changes of a file, as Bevy's.
const DEBOUNCE: Duration = Duration::from_millis(300);

/// A source of the same folder as the default one: of it only the watcher is used, because only one
/// reader gets each event.
#[derive(Resource)]
struct SecondSource {
    source: AssetSource,
    root: PathBuf,
}

/// Has models follow what Bevy overlooks, if Bevy watches for changes.
pub(in crate::scene) fn register(app: &mut App) {
    let Some(second) = second_source(app) else {
        return;
    };
    app.insert_resource(second)
        .init_resource::<MissingFileIndex>()
        .add_systems(
            PreUpdate,
            follow_files
                .after(handle_internal_asset_events)
                .run_if(resource_exists::<SecondSource>),
        );
}

fn second_source(app: &App) -> Option<SecondSource> {
    let server = app.world().get_resource::<AssetServer>()?;
    let plugin = *app.get_added_plugins::<AssetPlugin>().first()?;
    let own = server.get_source(AssetSourceId::Default).ok()?;
    // Whoever has put another source in the place of Bevy's has no such watcher.
    let (events, folder) = match server.mode() {
        AssetServerMode::Unprocessed => (own.event_receiver(), &plugin.file_path),
        AssetServerMode::Processed => (own.processed_event_receiver(), &plugin.processed_file_path),
    };
    let root = FileAssetReader::get_base_path().join(folder);
    if events.is_none() || !root.is_dir() {
        return None;
    }
    let source = builder(folder, root.clone()).build(AssetSourceId::Default, true, false);
    Some(SecondSource { source, root })
}

/// Builds a source of which the watcher may fail, as where the limits of inotify are reached. Bevy's own helper
/// panics there. Not reported upstream as far as known.
fn builder(folder: &str, root: PathBuf) -> AssetSourceBuilder {
    let watch = move |events| -> Option<Box<dyn AssetWatcher>> {
        match FileWatcher::new(root.clone(), events, DEBOUNCE) {
            Ok(watcher) => Some(Box::new(watcher)),
            Err(error) => {
                warn!(
                    "{}: files that are renamed, or were missing before, are not followed: \
                     a second watcher could not be started: {error}",
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

/// Loads anew what changed while Bevy did not look.
fn follow_files(
    second: Res<SecondSource>,
    server: Res<AssetServer>,
    wishes: Res<MissingFileIndex>,
    listings: Res<Listings>,
) {
    let Some(events) = second.source.event_receiver() else {
        return;
    };
    let mut follower = Follower {
        server: AssetServer::clone(&server),
        wishes: MissingFileIndex::clone(&wishes),
        listings: Listings::clone(&listings),
        stale: HashSet::new(),
    };
    while let Ok(event) = events.try_recv() {
        match event {
            AssetSourceEvent::AddedFolder(folder) => follower.read_folder(&second.root, folder),
            AssetSourceEvent::RenamedFolder { old, new } => {
                follower.forget(&old);
                follower.read_folder(&second.root, new);
            }
            event => follower.follow(event),
        }
    }
    follower.reload();
}

/// Collects what is to be loaded anew.
struct Follower {
    server: AssetServer,
    wishes: MissingFileIndex,
    listings: Listings,
    stale: HashSet<AssetPath<'static>>,
}

impl Follower {
    /// One that has not collected anything.
    fn empty(&self) -> Self {
        Self {
            server: self.server.clone(),
            wishes: self.wishes.clone(),
            listings: self.listings.clone(),
            stale: HashSet::new(),
        }
    }

    fn follow(&mut self, event: AssetSourceEvent) {
        match event {
            AssetSourceEvent::AddedAsset(path) => {
                self.forget(&path);
                self.change(&path, Change::Came);
            }
            AssetSourceEvent::ModifiedAsset(path) => self.change(&path, Change::Edited),
            AssetSourceEvent::RenamedAsset { old, new } => {
                self.forget(&old);
                self.forget(&new);
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
            | AssetSourceEvent::RemovedUnknown { path, .. } => self.forget(&path),
            _ => {}
        }
    }

    /// Follows a folder that came as a whole, in a task: nothing is told of what is in it.
    fn read_folder(&self, root: &Path, folder: PathBuf) {
        self.forget(&folder);
        let (follower, root) = (self.empty(), root.to_path_buf());
        IoTaskPool::get()
            .spawn(async move { follower.follow_folder(&root, &folder) })
            .detach();
    }

    fn follow_folder(mut self, root: &Path, folder: &Path) {
        for path in files_below(root, folder) {
            self.forget(&path);
            self.change(&path, Change::Replaced);
        }
        self.reload();
    }

    /// Has the folder of a file listed again.
    fn forget(&self, path: &Path) {
        self.listings.forget(path.parent().unwrap_or(Path::new("")));
    }

    fn change(&mut self, path: &Path, change: Change) {
        if change == Change::Replaced {
            self.stale.insert(AssetPath::from(path.to_path_buf()));
        }
        self.stale.extend(self.wishes.of(path, change));
        self.stale.extend(self.wishes.of_read(path, &self.server));
        for (model, was) in self.wishes.of_start(path) {
            reload_if_another(&self.server, model, path, was);
        }
    }

    fn reload(self) {
        for path in self.stale {
            self.server.reload(path);
        }
    }
}

/// Loads a model anew if a file begins otherwise than when it was loaded.
fn reload_if_another(server: &AssetServer, model: AssetPath<'static>, path: &Path, was: Start) {
    let (server, path) = (server.clone(), AssetPath::from(path.to_path_buf()));
    let is_another = async move {
        let finder = FileFinder::new(server.clone());
        if finder.start(&path, was.length).await != was.found {
            server.reload(model);
        }
    };
    IoTaskPool::get().spawn(is_another).detach();
}

/// Files in a folder and in those within it, from the root.
fn files_below(root: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(root.join(&folder)) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            // Links are not followed: they may lead in a circle.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(_) if files.len() < MOST_FILES => files.push(path),
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
    fn a_watcher_that_cannot_be_started_is_left_out() {
        let folder = std::env::temp_dir().join("classic-models-without-such-a-folder");
        let mut builder = builder("unused", folder);
        let source = builder.build(AssetSourceId::Default, true, false);
        assert!(source.event_receiver().is_none());
    }
}
