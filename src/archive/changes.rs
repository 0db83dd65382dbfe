//! Decides which assets a change on disk affects. It must not watch anything.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::asked::{ArchiveId, AskedPath, Content, ContentHasher, Seen};
use crate::archive::entry_path::EntryPath;
use crate::archive::error::ArchiveSourceError;
use crate::archive::layer::{ArchiveLayer, FoundFile, Layer, with_slashes};
use crate::archive::shared::Shared;
use crate::load::watch::files::files_below;
use bevy::asset::io::AssetSourceEvent;
use bevy::log::warn;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Collects the events of one change on disk.
pub(crate) struct Changes<'a> {
    shared: &'a Shared,
    events: Vec<AssetSourceEvent>,
    /// The paths that were reported as added or modified.
    reported: HashSet<PathBuf>,
}

impl<'a> Changes<'a> {
    /// Sends the events that `follow` collects. Changes are followed one at a time.
    pub fn follow(shared: &'a Shared, follow: impl FnOnce(&mut Self)) {
        let _guard = shared.watch.begin_change();
        let mut changes = Self {
            shared,
            events: Vec::new(),
            reported: HashSet::new(),
        };
        follow(&mut changes);
        shared.watch.send(changes.events);
    }

    /// Follows an event of Bevy's watcher in the folder with this index of its layer.
    pub fn follow_folder(&mut self, layer: usize, event: AssetSourceEvent) {
        use AssetSourceEvent as Event;
        match event {
            Event::AddedAsset(path) => self.file_changed(layer, &path, true),
            Event::ModifiedAsset(path) => self.file_changed(layer, &path, false),
            Event::RenamedAsset { old, new } => {
                self.removed(layer, &old);
                self.file_changed(layer, &new, true);
            }
            Event::RemovedAsset(path)
            | Event::RemovedFolder(path)
            | Event::RemovedUnknown {
                path,
                is_meta: false,
            } => self.removed(layer, &path),
            Event::AddedFolder(path) => self.folder_added(layer, &path),
            Event::RenamedFolder { old, new } => {
                self.removed(layer, &old);
                self.folder_added(layer, &new);
            }
            Event::AddedMeta(path)
            | Event::ModifiedMeta(path)
            | Event::RemovedMeta(path)
            | Event::RemovedUnknown {
                path,
                is_meta: true,
            } => self.meta_changed(layer, &path),
            Event::RenamedMeta { old, new } => {
                self.meta_changed(layer, &old);
                self.meta_changed(layer, &new);
            }
        }
    }

    /// A file of a folder was added or has other bytes.
    fn file_changed(&mut self, layer: usize, path: &Path, is_added: bool) {
        let Some(path) = self.path_in(layer, path) else {
            return;
        };
        match self.shared.layers.find(&path) {
            Some((winner, _)) if winner == layer => {}
            // Another layer wins, or the file is gone again.
            _ => return,
        }
        let listed = self.shared.layers.listed(&path);
        if is_added && !self.is_in_another_layer(layer, &path) {
            self.added(listed)
        } else {
            self.modified(listed)
        }
        self.update_asked(path.key(), Some(layer));
    }

    /// A file or a folder of a folder is gone.
    fn removed(&mut self, layer: usize, path: &Path) {
        let Some(path) = self.path_in(layer, path) else {
            return;
        };
        let layers = &self.shared.layers;
        if layers.find(&path).is_none() && !layers.has_folder(&path) {
            let path = layers.listed(&path);
            self.events.push(AssetSourceEvent::RemovedAsset(path));
        }
        self.update_asked(path.key(), Some(layer));
        for key in self.asked_below(path.key()) {
            self.update_asked(&key, Some(layer));
        }
    }

    /// A folder was added, with files for which there are no events.
    fn folder_added(&mut self, layer: usize, path: &Path) {
        let Some(root) = self.shared.layers.0.get(layer).map(|layer| layer.path()) else {
            return;
        };
        for file in files_below(root, path) {
            let extension = file.extension().unwrap_or_default();
            if extension.eq_ignore_ascii_case("meta") {
                self.meta_changed(layer, &file.with_extension(""))
            } else {
                self.file_changed(layer, &file, true)
            }
        }
        if let Some(path) = self.path_in(layer, path) {
            let path = self.shared.layers.listed(&path);
            self.events.push(AssetSourceEvent::AddedFolder(path));
        }
    }

    /// The settings of an asset were added, changed or removed.
    fn meta_changed(&mut self, layer: usize, path: &Path) {
        let Some(path) = self.path_in(layer, path) else {
            return;
        };
        let paths = self.shared.asked.paths();
        let asked = paths.get(path.key()).into_iter().flatten();
        let events = asked.map(|asked| AssetSourceEvent::ModifiedMeta(asked.path.clone()));
        self.events.extend(events);
    }

    /// The file of an archive may have other bytes.
    pub fn follow_archive(&mut self, layer: usize, archive: &ArchiveLayer) {
        let old = archive.current();
        let new = match self.complete_archive(layer, archive) {
            Ok(new) => {
                self.note_broken(&archive.path, false);
                Arc::new(new)
            }
            Err(error) => {
                if self.note_broken(&archive.path, true) {
                    warn!("{error}; the files of the archive stay as they were");
                }
                return;
            }
        };
        archive.replace(new.clone());
        let (old_paths, new_paths) = (path_set(&old), path_set(&new));
        for path in new_paths.difference(&old_paths) {
            let Some(path) = EntryPath::parse(path) else {
                continue;
            };
            if !self.is_in_another_layer(layer, &path) {
                self.added(self.shared.layers.listed(&path));
            }
        }
        for path in old_paths.difference(&new_paths) {
            let Some(path) = EntryPath::parse(path) else {
                continue;
            };
            if self.shared.layers.find(&path).is_none() {
                let path = self.shared.layers.listed(&path);
                self.events.push(AssetSourceEvent::RemovedAsset(path));
            }
        }
        let keys: Vec<String> = self.shared.asked.paths().keys().cloned().collect();
        for key in keys {
            self.update_asked(&key, None);
        }
    }

    /// Opens an archive again. Fails if it is not written completely.
    fn complete_archive(
        &self,
        layer: usize,
        archive: &ArchiveLayer,
    ) -> Result<ArchiveFile, ArchiveSourceError> {
        let generation = archive.current().generation;
        let old = ArchiveId { layer, generation };
        let new = ArchiveFile::reopen(&archive.path, generation + 1)?;
        // Tables can be complete while data are missing. Other entries cannot be used before the next event.
        // Without the lock, because loads need it too.
        let all: Vec<AskedPath> = self
            .shared
            .asked
            .paths()
            .values()
            .flatten()
            .cloned()
            .collect();
        for asked in all {
            let was_read = matches!(
                asked.seen,
                Seen::Entry { archive, content: Content::Hash(_) | Content::Parts } if archive == old
            );
            let path = EntryPath::new(&asked.path).filter(|_| was_read);
            if let Some(entry) = path.and_then(|path| new.find(path.text())) {
                new.archive
                    .read(entry)
                    .map_err(|error| ArchiveSourceError::Archive {
                        path: archive.path.clone(),
                        error,
                    })?;
            }
        }
        Ok(new)
    }

    /// Records whether an archive can be opened. Returns whether it could be opened before.
    fn note_broken(&self, path: &Path, is_broken: bool) -> bool {
        let mut state = self.shared.watch.state();
        if is_broken {
            state.broken.insert(path.to_owned())
        } else {
            state.broken.remove(path);
            false
        }
    }

    /// Reports the asked spellings of a path whose file or bytes have changed. A file of the folder `touched` has changed.
    fn update_asked(&mut self, key: &str, touched: Option<usize>) {
        let asked = self.shared.asked.paths().get(key).cloned();
        for AskedPath {
            path,
            seen,
            open_readers,
        } in asked.into_iter().flatten()
        {
            let Some(entry_path) = EntryPath::new(&path) else {
                continue;
            };
            let found = self.shared.layers.find(&entry_path);
            let mut now = Seen::of(found.as_ref());
            let is_same = seen.is_same_file(now);
            let is_changed = match (seen, &mut now) {
                (Seen::Loose(layer), _) if is_same => touched == Some(layer),
                _ if is_same => false,
                (Seen::Entry { content, .. }, Seen::Entry { content: new, .. }) => {
                    if let Content::Hash(_) = content {
                        *new = content_of(found.as_ref());
                    }
                    // An open reader may read bytes of both files.
                    open_readers > 0 || content == Content::Parts || content != *new
                }
                _ => true,
            };
            self.set_seen(key, &path, seen, now);
            match (is_changed, seen, now) {
                (false, ..) => {}
                (true, Seen::Missing, _) => self.added(path),
                (true, _, Seen::Missing) => {
                    self.events.push(AssetSourceEvent::RemovedAsset(path));
                }
                (true, ..) => self.modified(path),
            }
        }
    }

    /// Replaces what was seen, unless the path was asked for again meanwhile.
    fn set_seen(&self, key: &str, path: &Path, before: Seen, now: Seen) {
        let mut paths = self.shared.asked.paths();
        let mut asked = paths.get_mut(key).into_iter().flatten();
        let asked = asked.find(|asked| asked.path == path);
        if let Some(asked) = asked.filter(|asked| asked.seen.is_same_file(before)) {
            asked.see(now);
        }
    }

    /// The keys of the asked paths below a folder.
    fn asked_below(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{folder}/");
        let paths = self.shared.asked.paths();
        let below = paths.range(prefix.clone()..).map(|(key, _)| key);
        let below = below.take_while(|key| key.starts_with(&prefix));
        below.cloned().collect()
    }

    /// The path of a file from the root of a folder, if the layer contains it.
    fn path_in(&self, layer: usize, path: &Path) -> Option<EntryPath> {
        let Layer::Folder(folder) = &**self.shared.layers.0.get(layer)? else {
            return None;
        };
        let path = EntryPath::parse(&with_slashes(path))?;
        folder.contains(path.key()).then_some(path)
    }

    fn is_in_another_layer(&self, layer: usize, path: &EntryPath) -> bool {
        let mut others = self.shared.layers.0.iter().enumerate();
        others.any(|(index, other)| index != layer && other.find(path).is_some())
    }

    fn added(&mut self, path: PathBuf) {
        if self.reported.insert(path.clone()) {
            self.events.push(AssetSourceEvent::AddedAsset(path));
        }
    }

    fn modified(&mut self, path: PathBuf) {
        if self.reported.insert(path.clone()) {
            self.events.push(AssetSourceEvent::ModifiedAsset(path));
        }
    }
}

fn path_set(file: &ArchiveFile) -> HashSet<String> {
    file.listed_paths().collect()
}

/// The hash of an entry's bytes. `Unread` if they cannot be read.
fn content_of(found: Option<&(usize, FoundFile)>) -> Content {
    let Some((_, FoundFile::Entry(file, entry))) = found else {
        return Content::Unread;
    };
    let entry = file.archive.entry(*entry);
    let bytes = entry.and_then(|entry| file.archive.read(entry).ok());
    bytes.map_or(Content::Unread, |bytes| {
        Content::Hash(ContentHasher::hash(&bytes))
    })
}
