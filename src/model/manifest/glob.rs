//! Names with `*` and `?` in them.

use crate::scene::{FileSearch, Pattern, folded};
use bevy::asset::AssetPath;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// How many steps all patterns of a manifest may take: tenths of a second. A letter of a name is one or two.
const MOST_STEPS: usize = 1 << 26;

/// What it takes to ask the disk for something, in steps.
const STEPS_OF_DISK: usize = 1 << 10;

/// The patterns of a manifest have taken [`MOST_STEPS`].
pub(super) struct TooSlow;

/// The search for what fits the patterns of one manifest.
pub(super) struct Globs {
    /// What is in the folders that were looked into.
    folders: HashMap<PathBuf, Vec<Entry>>,
    steps: Steps,
}

/// The steps that are left.
struct Steps(usize);

impl Steps {
    fn spend(&mut self, steps: usize) -> Result<(), TooSlow> {
        self.0 = self.0.checked_sub(steps).ok_or(TooSlow)?;
        Ok(())
    }
}

/// Something in a folder.
struct Entry {
    path: PathBuf,
    /// Its name, as patterns want it.
    name: String,
    /// `None` until that was asked for.
    is_folder: Option<bool>,
}

impl Globs {
    pub(super) fn new() -> Self {
        Self {
            folders: HashMap::new(),
            steps: Steps(MOST_STEPS),
        }
    }

    /// The files that fit a pattern, whose folders may have stars as well, by name: those below `folder`, and if there
    /// are none, those below the root of the asset source. No more than `limit` and one.
    pub(super) async fn matching(
        &mut self,
        search: &mut FileSearch<'_>,
        folder: &Path,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<AssetPath<'static>>, TooSlow> {
        let parts = pattern.split(['/', '\\']);
        let parts: Vec<&str> = parts
            .filter(|part| !matches!(*part, "" | "." | ".."))
            .collect();
        let patterns: Vec<Pattern> = parts.iter().map(|part| Pattern::new(part)).collect();
        let Some((last, folders)) = patterns.split_last() else {
            return Ok(Vec::new());
        };
        let mut begins = Vec::from([folder, Path::new("")]);
        begins.dedup();
        for begin in begins {
            search.awaits(begin, &parts);
            let mut found = vec![begin.to_path_buf()];
            for part in folders {
                found = self.entries(search, &found, part, usize::MAX, true).await?;
            }
            let found = self.entries(search, &found, last, limit, false).await?;
            if !found.is_empty() {
                let asset = |path| search.asset(path);
                return Ok(found.into_iter().map(asset).collect());
            }
        }
        Ok(Vec::new())
    }

    /// The folders, or files, within some folders whose names fit: no more than `limit` and one.
    async fn entries(
        &mut self,
        search: &mut FileSearch<'_>,
        folders: &[PathBuf],
        part: &Pattern,
        limit: usize,
        are_folders: bool,
    ) -> Result<Vec<PathBuf>, TooSlow> {
        let mut found = Vec::new();
        for folder in folders {
            self.list(search, folder).await?;
            let entries = self.folders.get_mut(folder);
            for entry in entries.into_iter().flatten() {
                let mut steps = 0;
                let fits = part.fits(&entry.name, &mut steps);
                self.steps.spend(steps)?;
                if fits && entry.is_folder(search, &mut self.steps).await? == are_folders {
                    found.push(entry.path.clone());
                    if found.len() > limit {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Makes known what is in a folder.
    async fn list(&mut self, search: &mut FileSearch<'_>, folder: &Path) -> Result<(), TooSlow> {
        // Also for a folder in which nothing is.
        self.steps.spend(1)?;
        if !self.folders.contains_key(folder) {
            self.steps.spend(STEPS_OF_DISK)?;
            let paths = search.entries(folder).await.into_iter();
            self.folders
                .insert(folder.to_owned(), paths.map(Entry::new).collect());
        }
        Ok(())
    }
}

impl Entry {
    fn new(path: PathBuf) -> Self {
        let name = path.file_name().unwrap_or_default();
        Self {
            name: folded(&name.to_string_lossy()),
            path,
            is_folder: None,
        }
    }

    async fn is_folder(
        &mut self,
        search: &FileSearch<'_>,
        steps: &mut Steps,
    ) -> Result<bool, TooSlow> {
        if let Some(is_folder) = self.is_folder {
            return Ok(is_folder);
        }
        steps.spend(STEPS_OF_DISK)?;
        let is_folder = search.is_folder(&self.path).await;
        self.is_folder = Some(is_folder);
        Ok(is_folder)
    }
}
