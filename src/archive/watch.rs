//! Reloads files of watched sources.
//!
//! Folders are watched as Bevy watches them. The files of archives are watched through the folders that contain them, because
//! most programs replace an archive by renaming another file over it. `changes` decides which assets a change affects.

use crate::archive::changes::Changes;
use crate::archive::layer::Layer;
use crate::archive::shared::Shared;
use crate::archive::watch_state::Receiver;
use crate::load::names::folded;
use async_channel::{Sender, unbounded};
use bevy::asset::io::file::FileWatcher;
use bevy::asset::io::{AssetSourceEvent, AssetWatcher};
use bevy::log::warn;
use core::time::Duration;
use notify_debouncer_full::notify::event::{AccessKind, AccessMode};
use notify_debouncer_full::notify::{EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{
    DebounceEventResult, Debouncer, RecommendedCache, new_debouncer, notify,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// Adds a receiver of the events of a source each time it is called. All receivers share the watchers.
pub(crate) fn watcher(
    shared: &Arc<Shared>,
) -> impl FnMut(Sender<AssetSourceEvent>) -> Option<Box<dyn AssetWatcher>> + Send + Sync + use<> {
    let shared = shared.clone();
    move |sender| {
        shared.asked.watch();
        let mut state = shared.watch.state();
        state.last_id += 1;
        let id = state.last_id;
        state.receivers.push(Receiver { id, sender });
        if state.watchers.is_none() {
            state.watchers = Some(Box::new(Watchers::start(&shared)));
        }
        let shared = shared.clone();
        Some(Box::new(SourceWatcher { shared, id }))
    }
}

/// Receives events until it is dropped.
struct SourceWatcher {
    shared: Arc<Shared>,
    id: u64,
}

impl AssetWatcher for SourceWatcher {}

impl Drop for SourceWatcher {
    fn drop(&mut self) {
        let mut state = self.shared.watch.state();
        state.receivers.retain(|receiver| receiver.id != self.id);
        if state.receivers.is_empty() {
            state.watchers = None;
        }
    }
}

/// The time to wait for further changes of a file, the same as Bevy's.
const DEBOUNCE: Duration = Duration::from_millis(300);

/// The watchers of a source. They stop when this value is dropped.
pub(crate) struct Watchers {
    _folders: Vec<FileWatcher>,
    _archives: Option<Debouncer<RecommendedWatcher, RecommendedCache>>,
}

impl AssetWatcher for Watchers {}

impl Watchers {
    /// Starts all watchers. Those that cannot be started are logged.
    pub fn start(shared: &Arc<Shared>) -> Self {
        let layers = shared.layers.0.iter().enumerate();
        let folders = layers.filter_map(|(index, layer)| match &**layer {
            Layer::Folder(folder) if folder.root().is_dir() => {
                let watcher = watch_folder(shared, index, folder.root().to_owned());
                watcher
                    .map_err(|error| not_watched(folder.root(), &*error))
                    .ok()
            }
            _ => None,
        });
        Self {
            _folders: folders.collect(),
            _archives: watch_archives(shared)
                .map_err(|error| not_watched(Path::new("archives"), &error))
                .ok(),
        }
    }
}

fn not_watched(path: &Path, error: &dyn core::error::Error) {
    warn!("{}: changes are not watched: {error}", path.display());
}

/// Watches the folder that is the layer with this index. A thread waits for its events, because they come from a channel.
fn watch_folder(
    shared: &Arc<Shared>,
    layer: usize,
    root: PathBuf,
) -> Result<FileWatcher, Box<dyn core::error::Error>> {
    let (sender, events) = unbounded();
    let watcher = FileWatcher::new(root, sender, DEBOUNCE)?;
    let shared = Arc::downgrade(shared);
    // It ends with the watcher, whose sender is the only one.
    std::thread::Builder::new()
        .name("archive source watcher".to_owned())
        .spawn(move || {
            while let Ok(event) = events.recv_blocking() {
                if let Some(shared) = shared.upgrade() {
                    Changes::follow(&shared, |changes| changes.follow_folder(layer, event));
                }
            }
        })?;
    Ok(watcher)
}

/// Watches the files of all archives.
fn watch_archives(
    shared: &Arc<Shared>,
) -> Result<Debouncer<RecommendedWatcher, RecommendedCache>, notify::Error> {
    let weak = Arc::downgrade(shared);
    let mut debouncer = new_debouncer(DEBOUNCE, None, move |events| {
        follow_archives(&weak, events);
    })?;
    let folders: BTreeSet<&Path> = shared
        .layers
        .0
        .iter()
        .filter(|layer| matches!(***layer, Layer::Archive(_)))
        .filter_map(|layer| layer.path().parent())
        .collect();
    for folder in folders {
        // The other archives are watched nevertheless.
        if let Err(error) = debouncer.watch(folder, RecursiveMode::NonRecursive) {
            not_watched(folder, &error);
        }
    }
    Ok(debouncer)
}

fn follow_archives(shared: &Weak<Shared>, events: DebounceEventResult) {
    let Some(shared) = shared.upgrade() else {
        return;
    };
    let events = match events {
        Ok(events) => events,
        Err(errors) => {
            for error in errors {
                warn!("changes of archives were missed: {error}");
            }
            return;
        }
    };
    let changed = events.iter().filter(|event| is_change(&event.kind));
    let paths: Vec<&PathBuf> = changed.flat_map(|event| &event.paths).collect();
    for (index, layer) in shared.layers.0.iter().enumerate() {
        if let Layer::Archive(archive) = &**layer
            && paths.iter().any(|path| is_same_file(path, &archive.path))
        {
            Changes::follow(&shared, |changes| changes.follow_archive(index, archive));
        }
    }
}

/// Whether an event can mean that the file has other bytes. Opening and reading it are events too.
fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}

/// Whether two absolute paths in the same folder have the same name, in any case.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let name = |path: &Path| folded(&path.file_name().unwrap_or_default().to_string_lossy());
    a.parent() == b.parent() && name(a) == name(b)
}
