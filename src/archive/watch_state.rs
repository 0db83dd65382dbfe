//! The state of a watched source. It must not know the source.

use async_channel::Sender;
use bevy::asset::io::{AssetSourceEvent, AssetWatcher};
use core::fmt::{self, Debug};
use core::ops::DerefMut;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The watchers of a source, and who receives their events.
#[derive(Default)]
pub(crate) struct WatchState {
    state: Mutex<State>,
    /// Held while a change is followed.
    order: Mutex<()>,
}

#[derive(Default)]
pub(crate) struct State {
    pub receivers: Vec<Receiver>,
    pub last_id: u64,
    /// `None` while there are no receivers.
    pub watchers: Option<Box<dyn AssetWatcher>>,
    /// The archives that cannot be opened at the moment.
    pub broken: HashSet<PathBuf>,
}

pub(crate) struct Receiver {
    pub id: u64,
    pub sender: Sender<AssetSourceEvent>,
}

impl WatchState {
    pub fn state(&self) -> impl DerefMut<Target = State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other change is followed. The change ends when the result is dropped.
    pub fn begin_change(&self) -> MutexGuard<'_, ()> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends events to all receivers.
    pub fn send(&self, events: Vec<AssetSourceEvent>) {
        let state = self.state();
        for event in events {
            for receiver in &state.receivers {
                // A receiver that is gone needs no events.
                let _ = receiver.sender.try_send(event.clone());
            }
        }
    }
}

impl Debug for WatchState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchState").finish_non_exhaustive()
    }
}
