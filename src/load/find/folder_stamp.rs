//! Modification times of folders on disk, which decide whether a listing is read again.

use core::time::Duration;
use std::path::Path;
use std::time::SystemTime;

/// The coarsest resolution of modification times in file systems.
const COARSEST_TIMESTAMP: Duration = Duration::from_secs(2);

/// The modification time of a folder. It changes when a file is added, removed or renamed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FolderStamp {
    modified: Option<SystemTime>,
    /// Whether the time is old enough that another change would result in a different time.
    is_settled: bool,
}

impl FolderStamp {
    /// The stamp of a folder. Read it before the folder is listed.
    pub(crate) fn of(folder: &Path) -> Self {
        let modified = std::fs::metadata(folder).and_then(|of| of.modified()).ok();
        let age = modified.and_then(|time| SystemTime::now().duration_since(time).ok());
        Self {
            modified,
            is_settled: age.is_some_and(|age| age > COARSEST_TIMESTAMP),
        }
    }

    /// Whether the folder has a modification time.
    pub(crate) fn is_available(&self) -> bool {
        self.modified.is_some()
    }

    /// Like [`is_unchanged`](Self::is_unchanged). A folder without times counts as unchanged.
    pub(crate) fn is_same(&self, now: Self) -> bool {
        self.is_unchanged(now) || !(self.is_available() || now.is_available())
    }

    /// Whether a listing with this stamp is valid while the folder has the stamp `now`.
    pub(crate) fn is_unchanged(&self, now: Self) -> bool {
        self.is_available() && *self == now && now.is_settled
    }
}
