//! The builder of sources.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::entry_path::EntryPath;
use crate::archive::error::{ArchiveSourceError, SourceWarning};
use crate::archive::folder::Folder;
use crate::archive::layer::{ArchiveLayer, Layer, Layers, LocatedFile};
use crate::archive::mega_files::{
    AlamoGame, Preset, absolute_path, archive_warnings, existing_folder,
};
use crate::archive::reader::ArchiveReader;
use crate::archive::shared::Shared;
use crate::load::watch::missing_files::ARCHIVE_WATCH_WARNING;
use bevy::asset::io::{AssetSourceBuilder, ErasedAssetReader};
use bevy::log::warn;
use classic_model_formats::read::Format;
use std::path::{Path, absolute};
use std::sync::{Arc, Once};

/// An asset source of archives and folders, the *layers*. Later layers win.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError};
/// # fn add(app: &mut App) -> Result<(), ArchiveSourceError> {
/// let source = ArchiveSource::new()
///     .archive("NOLF/NOLF.REZ")? // lowest first
///     .folder("NOLF/custom")
///     .archive("NOLF/NOLFP.REZ")?;
/// // Before `DefaultPlugins`.
/// app.register_asset_source("nolf", source.into_builder());
/// # Ok(())
/// # }
/// ```
///
/// Relative paths are relative to the current directory of the process. Clones share the opened archives, also when these are
/// reloaded, so a clone can [`locate`](Self::locate) files while the app runs.
#[derive(Clone, Debug, Default)]
pub struct ArchiveSource {
    /// The game of a preset with mods.
    alamo: Option<AlamoGame>,
    /// The count of layers of the preset, which are lowest.
    preset_layers: usize,
    layers: Layers,
    warnings: Vec<SourceWarning>,
}

/// A layer of an [`ArchiveSource`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceLayer<'a> {
    /// The absolute path of the archive or folder.
    pub path: &'a Path,
    /// The format of an archive. `None` for a folder.
    pub format: Option<Format>,
}

impl ArchiveSource {
    /// A source without layers.
    pub fn new() -> Self {
        Self::default()
    }

    /// A source with the layers of a preset, and the game if it can have mods.
    pub(crate) fn from_preset(preset: Preset, alamo: Option<AlamoGame>) -> Self {
        Self {
            alamo,
            preset_layers: preset.layers.0.len(),
            layers: preset.layers,
            warnings: preset.warnings,
        }
    }

    /// Adds an archive that wins over all layers before it.
    ///
    /// Its first bytes decide the format. Its extension decides only if they do not: see
    /// [`detect`](super::detect).
    ///
    /// # Errors
    /// [`ArchiveSourceError`] if the archive does not exist, cannot be read, or is damaged.
    pub fn archive(mut self, path: impl AsRef<Path>) -> Result<Self, ArchiveSourceError> {
        let file = ArchiveFile::open(&absolute_path(path.as_ref())?)?;
        self.warnings.extend(archive_warnings(&file));
        let layer = Layer::Archive(ArchiveLayer::new(file));
        self.layers.0.push(Arc::new(layer));
        Ok(self)
    }

    /// Adds a folder whose files win over all layers before it. The folder need not exist.
    pub fn folder(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        // Only an empty path has no absolute path: it means the current directory.
        let path = absolute(path).unwrap_or_else(|_| path.to_owned());
        self.layers
            .0
            .push(Arc::new(Layer::Folder(Folder::new(path, None))));
        self
    }

    /// Adds a mod of Empire at War or Forces of Corruption, such as `corruption/Mods/MyMod`. Without one of these presets, it
    /// is the same as [`folder`](Self::folder).
    ///
    /// Call it once for each mod; mods that are added first win. Files of mods win over the game, and the game's
    /// `MegaFiles.xml` is replaced by that of the first mod that has one. Listed archives are searched in the mods and then in
    /// the game. Layers that were added by [`archive`](Self::archive) and [`folder`](Self::folder) win over mods.
    ///
    /// # Errors
    /// [`ArchiveSourceError`] if the folder does not exist, or if its list cannot be read.
    pub fn mod_folder(mut self, path: impl AsRef<Path>) -> Result<Self, ArchiveSourceError> {
        let Some(mut game) = self.alamo.take() else {
            return Ok(self.folder(path));
        };
        game.add_mod(existing_folder(path.as_ref())?);
        let added = self.layers.0.split_off(self.preset_layers);
        let mut preset = Preset::reusing(core::mem::take(&mut self.layers));
        game.add_layers(&mut preset)?;
        let mut source = Self::from_preset(preset, None);
        // The warnings of the layers that were added afterwards.
        let others = self.warnings.into_iter().filter(|warning| {
            let SourceWarning::Archive { path, .. } = warning else {
                return false;
            };
            added.iter().any(|layer| layer.path() == path)
        });
        source.warnings.extend(others);
        source.layers.0.extend(added);
        source.alamo = Some(game);
        Ok(source)
    }

    /// The layers, lowest first.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = SourceLayer<'_>> {
        self.layers.0.iter().map(|layer| SourceLayer {
            path: layer.path(),
            format: layer.format(),
        })
    }

    /// Harmless flaws of the archives, and archives that a preset has skipped. The app logs them when it starts.
    pub fn warnings(&self) -> &[SourceWarning] {
        &self.warnings
    }

    /// Where the file of an asset path is stored: the layer that wins. `None` if no layer has the file.
    ///
    /// The path is without the name of the source, with `/` or `\`, in any case.
    pub fn locate(&self, path: impl AsRef<Path>) -> Option<LocatedFile> {
        self.layers.locate(&EntryPath::new(path.as_ref())?)
    }

    /// The builder for `register_asset_source`. Register it before `DefaultPlugins`; for the app's own assets with
    /// `AssetSourceId::Default`.
    ///
    /// The source cannot be written. If the app processes assets, those of this source are loaded as they are.
    pub fn into_builder(self) -> AssetSourceBuilder {
        let shared = Arc::new(Shared::new(self.layers));
        let log_once = Arc::new(Once::new());
        let warnings: Arc<[SourceWarning]> = self.warnings.into();
        let reader = |shared: &Arc<Shared>| {
            let (shared, log_once) = (shared.clone(), log_once.clone());
            let warnings = warnings.clone();
            move || -> Box<dyn ErasedAssetReader> {
                // Logging starts with the app.
                log_once.call_once(|| warnings.iter().for_each(|warning| warn!("{warning}")));
                Box::new(ArchiveReader(shared.clone()))
            }
        };
        let builder = AssetSourceBuilder::new(reader(&shared))
            .with_processed_reader(reader(&shared))
            .with_watch_warning(ARCHIVE_WATCH_WARNING)
            .with_processed_watch_warning(ARCHIVE_WATCH_WARNING);
        #[cfg(feature = "file_watcher")]
        let builder = builder
            .with_watcher(crate::archive::watch::watcher(&shared))
            .with_processed_watcher(crate::archive::watch::watcher(&shared));
        builder
    }
}
