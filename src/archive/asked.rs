//! The files of a source that the app has asked for, so that a changed archive reloads them under the paths that Bevy knows.

use crate::archive::entry_path::EntryPath;
use crate::archive::layer::FoundFile;
use core::hash::Hasher;
use core::ops::DerefMut;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::hash::DefaultHasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The files that were asked for. Nothing is recorded unless the source is watched. Clones share one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_watched: AtomicBool,
    /// Keyed by the path in lower case. The values differ in spelling.
    paths: Mutex<AskedPaths>,
}

pub(crate) type AskedPaths = BTreeMap<String, Vec<AskedPath>>;

/// A path as it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct AskedPath {
    pub path: PathBuf,
    pub seen: Seen,
    /// The count of readers of the seen entry that may read further bytes.
    pub open_readers: usize,
}

/// What was found when a path was asked for last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Missing,
    /// An entry of an archive.
    Entry {
        archive: ArchiveId,
        content: Content,
    },
    /// A file in the folder with this index of its layer.
    Loose(usize),
}

/// An archive as it was opened at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveId {
    pub layer: usize,
    pub generation: u64,
}

/// What readers have read of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// No bytes. For example, Bevy opens files for which it has no loader.
    Unread,
    /// Bytes of which no hash is known, because they are not all or were not read in order.
    Parts,
    /// All bytes, which have this hash.
    Hash(u64),
}

impl Seen {
    pub fn of(found: Option<&(usize, FoundFile)>) -> Self {
        match found {
            None => Self::Missing,
            Some((layer, FoundFile::Entry(file, _))) => Self::Entry {
                archive: ArchiveId {
                    layer: *layer,
                    generation: file.generation,
                },
                content: Content::Unread,
            },
            Some((layer, FoundFile::Loose(_))) => Self::Loose(*layer),
        }
    }
}

impl Asked {
    /// Begins to record.
    pub fn watch(&self) {
        self.0.is_watched.store(true, Ordering::Relaxed);
    }

    /// Searches a file, and records what was found. The report records the bytes, if the file is in an archive.
    pub fn find(
        &self,
        path: &Path,
        entry_path: &EntryPath,
        find: impl Fn() -> Option<(usize, FoundFile)>,
    ) -> (Option<(usize, FoundFile)>, Option<ReadReport>) {
        let mut found = find();
        if !self.0.is_watched.load(Ordering::Relaxed) {
            return (found, None);
        }
        loop {
            let seen = Seen::of(found.as_ref());
            let report = self.note(path, entry_path, seen);
            // A change after the search and before the note was not reported for this path.
            let again = find();
            if Seen::of(again.as_ref()).is_same_file(seen) {
                return (found, report);
            }
            found = again;
        }
    }

    fn note(&self, path: &Path, entry_path: &EntryPath, seen: Seen) -> Option<ReadReport> {
        let mut paths = self.paths();
        let spellings = paths.entry(entry_path.key().to_owned()).or_default();
        let known = spellings.iter().position(|asked| asked.path == path);
        let index = known.unwrap_or_else(|| {
            spellings.push(AskedPath {
                path: path.to_owned(),
                seen,
                open_readers: 0,
            });
            spellings.len() - 1
        });
        let asked = spellings.get_mut(index)?;
        asked.see(seen);
        let Seen::Entry { archive, .. } = seen else {
            return None;
        };
        asked.open_readers += 1;
        Some(ReadReport {
            asked: self.clone(),
            key: entry_path.key().to_owned(),
            path: path.to_owned(),
            archive,
            content: Content::Unread,
            hasher: ContentHasher::default(),
        })
    }

    pub fn paths(&self) -> impl DerefMut<Target = AskedPaths> {
        self.0.paths.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// Whether both are the same file of the same opened archive, or of the same folder.
    pub fn is_same_file(self, other: Self) -> bool {
        match (self, other) {
            (Self::Entry { archive: a, .. }, Self::Entry { archive: b, .. }) => a == b,
            _ => self == other,
        }
    }
}

impl AskedPath {
    /// Replaces what was seen. The same file keeps its content and readers.
    pub fn see(&mut self, seen: Seen) {
        if !self.seen.is_same_file(seen) {
            self.seen = seen;
            self.open_readers = 0;
        }
    }
}

/// Collects what one reader reads of an entry. Drop it when the reader reads no further: this records the content.
#[derive(Debug)]
pub(crate) struct ReadReport {
    asked: Asked,
    key: String,
    path: PathBuf,
    archive: ArchiveId,
    content: Content,
    /// Of the bytes that were read in order from the start.
    hasher: ContentHasher,
}

impl ReadReport {
    /// Adds bytes at a position in an entry of `len` bytes. Returns whether all bytes are known.
    pub fn read(&mut self, position: u64, bytes: &[u8], len: u64) -> bool {
        if position == self.hasher.count() {
            self.hasher.add(bytes);
        }
        if self.hasher.count() == len {
            self.content = Content::Hash(self.hasher.finish());
        } else if !bytes.is_empty() {
            self.content = Content::Parts;
        }
        matches!(self.content, Content::Hash(_))
    }
}

impl Drop for ReadReport {
    /// Records the content, unless another file was found since.
    fn drop(&mut self) {
        let mut paths = self.asked.paths();
        let mut asked = paths.get_mut(&self.key).into_iter().flatten();
        let asked = asked.find(|asked| asked.path == self.path);
        if let Some(AskedPath {
            seen: Seen::Entry { archive, content },
            open_readers,
            ..
        }) = asked
            && *archive == self.archive
        {
            *open_readers = open_readers.saturating_sub(1);
            *content = match (*content, self.content) {
                (_, hash @ Content::Hash(_)) => hash,
                (Content::Unread, other) => other,
                (known, _) => known,
            };
        }
    }
}

/// Hashes the bytes of an entry, which can come in parts. How they are divided has no effect on the hash.
#[derive(Debug, Default)]
pub(crate) struct ContentHasher {
    hasher: DefaultHasher,
    count: u64,
}

impl ContentHasher {
    /// The hash of all bytes at once.
    pub fn hash(bytes: &[u8]) -> u64 {
        let mut hasher = Self::default();
        hasher.add(bytes);
        hasher.finish()
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.count += bytes.len() as u64;
        self.hasher.write(bytes);
    }

    /// The count of bytes so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The hash of the bytes so far.
    pub fn finish(&self) -> u64 {
        self.hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;

    #[test]
    fn files_that_change_between_search_and_note_are_searched_again() {
        let asked = Asked::default();
        asked.watch();
        let path = EntryPath::parse("a.txt").unwrap();
        let searches = Cell::new(0);
        // The file is added after the first search, and moved to another layer after the second.
        let find = || {
            searches.set(searches.get() + 1);
            let layer = match searches.get() {
                1 => return None,
                2 => 0,
                _ => 1,
            };
            Some((layer, FoundFile::Loose(PathBuf::from("a.txt"))))
        };
        let (found, _) = asked.find(Path::new("A.txt"), &path, find);
        assert_eq!(found.map(|(layer, _)| layer), Some(1));
        let paths = asked.paths();
        let seen: Vec<Seen> = paths["a.txt"].iter().map(|asked| asked.seen).collect();
        assert_eq!(seen, [Seen::Loose(1)]);
        assert_eq!(searches.get(), 4);
    }

    const BLOCK: usize = 1 << 12;

    #[test]
    fn parts_have_the_hash_of_the_whole() {
        let bytes: Vec<u8> = (0..3 * BLOCK + 17).map(|n| (n / 7) as u8).collect();
        let whole = ContentHasher::hash(&bytes);
        for size in [1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 3] {
            let mut hasher = ContentHasher::default();
            for part in bytes.chunks(size) {
                hasher.add(part);
                hasher.add(&[]);
            }
            assert_eq!(hasher.count(), bytes.len() as u64);
            assert_eq!(hasher.finish(), whole, "parts of {size} bytes");
        }
    }

    #[test]
    fn other_bytes_have_other_hashes() {
        let mut bytes = vec![0; 2 * BLOCK];
        let mut hashes = vec![ContentHasher::hash(&[]), ContentHasher::hash(&bytes)];
        hashes.push(ContentHasher::hash(&bytes[1..]));
        for index in [0, BLOCK - 1, BLOCK, 2 * BLOCK - 1] {
            bytes[index] ^= 1;
            hashes.push(ContentHasher::hash(&bytes));
        }
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), 7);
    }
}
