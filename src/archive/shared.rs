//! The state of a source in an app.

use crate::archive::asked::Asked;
use crate::archive::layer::Layers;

/// The state of a source in an app.
#[derive(Debug)]
pub(crate) struct Shared {
    pub layers: Layers,
    /// The files that were asked for, if they are watched.
    pub asked: Asked,
    #[cfg(feature = "file_watcher")]
    pub watch: crate::archive::watch_state::WatchState,
}

impl Shared {
    pub fn new(layers: Layers) -> Self {
        Self {
            layers,
            asked: Default::default(),
            #[cfg(feature = "file_watcher")]
            watch: Default::default(),
        }
    }
}
