//! The files of a source that the app has asked for, so that a changed archive reloads them under the paths that Bevy knows.

use super::entry_path::EntryPath;
use super::layer::FoundFile;
use bevy::platform::hash::FixedHasher;
use core::hash::BuildHasher;
use core::ops::DerefMut;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The files that were asked for. Nothing is recorded unless the source is watched. Clones share one state.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_watched: AtomicBool,
    /// Keyed by the path in lower case. The values differ in spelling.
    paths: Mutex<AskedPaths>,
}

pub(super) type AskedPaths = BTreeMap<String, Vec<AskedPath>>;

/// A path as it was asked for.
#[derive(Clone, Debug)]
pub(super) struct AskedPath {
    pub path: PathBuf,
    pub seen: Seen,
}

/// What was found when a path was asked for last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Missing,
    /// An entry of an archive.
    Entry {
        /// The generation of the archive.
        generation: u64,
        /// The hash of the bytes, if all of them were read.
        hash: Option<u64>,
    },
    /// A file in the folder with this index of its layer.
    Loose(usize),
}

impl Seen {
    pub fn of(found: Option<&(usize, FoundFile)>) -> Self {
        match found {
            None => Self::Missing,
            Some((_, FoundFile::Entry(file, _))) => Self::Entry {
                generation: file.generation,
                hash: None,
            },
            Some((layer, FoundFile::Loose(_))) => Self::Loose(*layer),
        }
    }
}

/// The hash by which contents of entries are compared.
pub(super) fn content_hash(bytes: &[u8]) -> u64 {
    FixedHasher.hash_one(bytes)
}

impl Asked {
    /// Begins to record.
    pub fn watch(&self) {
        self.0.is_watched.store(true, Ordering::Relaxed);
    }

    /// Records that a path was asked for. The report records the bytes, if the file is in an archive.
    pub fn note(
        &self,
        path: &Path,
        entry_path: &EntryPath,
        found: Option<&(usize, FoundFile)>,
    ) -> Option<ReadReport> {
        if !self.0.is_watched.load(Ordering::Relaxed) {
            return None;
        }
        let seen = Seen::of(found);
        let mut paths = self.paths();
        let asked = paths.entry(entry_path.key().to_owned()).or_default();
        match asked.iter_mut().find(|asked| asked.path == path) {
            // The same file as before: keep the hash.
            Some(asked) if asked.seen.is_same_file(seen) => {}
            Some(asked) => asked.seen = seen,
            None => asked.push(AskedPath {
                path: path.to_owned(),
                seen,
            }),
        }
        match seen {
            Seen::Entry { generation, .. } => Some(ReadReport {
                asked: self.clone(),
                key: entry_path.key().to_owned(),
                path: path.to_owned(),
                generation,
            }),
            _ => None,
        }
    }

    pub fn paths(&self) -> impl DerefMut<Target = AskedPaths> {
        self.0.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Whether both are the same file of the same opened archive, or of the same folder.
    pub fn is_same_file(self, other: Self) -> bool {
        match (self, other) {
            (Self::Entry { generation: a, .. }, Self::Entry { generation: b, .. }) => a == b,
            _ => self == other,
        }
    }
}

/// Records the bytes of an entry that a reader has read.
#[derive(Debug)]
pub(super) struct ReadReport {
    asked: Asked,
    key: String,
    path: PathBuf,
    generation: u64,
}

impl ReadReport {
    /// Records all bytes of the entry, unless another file was found since.
    pub fn read(&self, bytes: &[u8]) {
        let read = content_hash(bytes);
        let mut paths = self.asked.paths();
        let mut asked = paths.get_mut(&self.key).into_iter().flatten();
        let asked = asked.find(|asked| asked.path == self.path);
        if let Some(AskedPath {
            seen: Seen::Entry { generation, hash },
            ..
        }) = asked
            && *generation == self.generation
        {
            *hash = Some(read);
        }
    }
}
