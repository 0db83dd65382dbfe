//! Reloads files of watched sources.
//!
//! Folders are watched as Bevy watches them. The files of archives are watched through the folders that contain them, because
//! most programs replace an archive by renaming another file over it. `changes` decides which assets a change affects.

pub(crate) mod changes;
pub(crate) mod state;
pub(crate) mod watchers;

use crate::archive::shared::Shared;
use crate::archive::watch::state::Receiver;
use crate::archive::watch::watchers::Watchers;
use async_channel::Sender;
use bevy::asset::io::{AssetSourceEvent, AssetWatcher};
use std::sync::Arc;

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
