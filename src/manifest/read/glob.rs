//! The search for files that match patterns with `*` and `?`.

use crate::load::find::FileSearch;
use crate::load::find::paths::{PathPart, in_source, path_parts, split_source};
use crate::load::names::{Pattern, folded};
use bevy::asset::AssetPath;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The maximum count of steps for all patterns of a manifest, which take tenths of a second. Matching takes one or two
/// steps per character of a name.
const MAX_STEPS: usize = 1 << 26;

/// The cost of a disk access in steps.
const DISK_ACCESS_STEPS: usize = 1 << 10;

/// The error if the patterns of a manifest take more than [`MAX_STEPS`].
pub(crate) struct StepLimitExceeded;

/// The search for the patterns of one manifest.
pub(crate) struct Globs {
    /// The entries of the folders that were listed.
    folders: HashMap<PathBuf, Vec<Entry>>,
    steps: StepBudget,
}

/// The remaining steps.
struct StepBudget(usize);

impl StepBudget {
    fn spend(&mut self, steps: usize) -> Result<(), StepLimitExceeded> {
        self.0 = self.0.checked_sub(steps).ok_or(StepLimitExceeded)?;
        Ok(())
    }
}

/// A file or folder in a folder.
struct Entry {
    path: PathBuf,
    /// The case-folded name, as patterns need it.
    name: String,
    /// `None` until it is needed, because it takes a disk access.
    is_folder: Option<bool>,
}

impl Globs {
    pub(crate) fn new() -> Self {
        Self {
            folders: HashMap::new(),
            steps: StepBudget(MAX_STEPS),
        }
    }

    /// The files that match a pattern, sorted by name. The folders in the pattern may have `*` and `?` too. Searches
    /// below `folder`, and if no file matches, below the root of the asset source; with an asset source in the pattern
    /// only there. Returns at most `limit` + 1 files.
    pub(crate) async fn matching(
        &mut self,
        search: &mut FileSearch<'_>,
        folder: &Path,
        pattern: &str,
        limit: usize,
    ) -> Result<Vec<AssetPath<'static>>, StepLimitExceeded> {
        let (source, pattern) = split_source(pattern).map_or((None, pattern), |(source, rest)| {
            (Some(in_source(source, Path::new(""))), rest)
        });
        let parts = path_parts(pattern).filter_map(|part| match part {
            PathPart::Name(name) => Some(name),
            PathPart::Outside => None,
        });
        let parts: Vec<&str> = parts.collect();
        let patterns: Vec<Pattern> = parts.iter().map(|part| Pattern::new(part)).collect();
        let Some((last, folders)) = patterns.split_last() else {
            return Ok(Vec::new());
        };
        let mut starts = match &source {
            Some(source) => vec![source.as_path()],
            None => vec![folder, Path::new("")],
        };
        starts.dedup();
        for start in starts {
            search.watch_patterns(start, &parts);
            let mut found = vec![start.to_path_buf()];
            for part in folders {
                found = self.entries(search, &found, part, usize::MAX, true).await?;
            }
            let found = self.entries(search, &found, last, limit, false).await?;
            if !found.is_empty() {
                let asset = |path| search.asset_path(path);
                return Ok(found.into_iter().map(asset).collect());
            }
        }
        Ok(Vec::new())
    }

    /// The folders or files in `folders` whose names match. At most `limit` + 1.
    async fn entries(
        &mut self,
        search: &mut FileSearch<'_>,
        folders: &[PathBuf],
        part: &Pattern,
        limit: usize,
        are_folders: bool,
    ) -> Result<Vec<PathBuf>, StepLimitExceeded> {
        let mut found = Vec::new();
        for folder in folders {
            self.list(search, folder).await?;
            let entries = self.folders.get_mut(folder);
            for entry in entries.into_iter().flatten() {
                let mut steps = 0;
                let is_match = part.matches(&entry.name, &mut steps);
                self.steps.spend(steps)?;
                if is_match && entry.is_folder(search, &mut self.steps).await? == are_folders {
                    found.push(entry.path.clone());
                    if found.len() > limit {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Lists a folder once.
    async fn list(
        &mut self,
        search: &mut FileSearch<'_>,
        folder: &Path,
    ) -> Result<(), StepLimitExceeded> {
        // Also for an empty folder.
        self.steps.spend(1)?;
        if !self.folders.contains_key(folder) {
            self.steps.spend(DISK_ACCESS_STEPS)?;
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
        search: &mut FileSearch<'_>,
        steps: &mut StepBudget,
    ) -> Result<bool, StepLimitExceeded> {
        if let Some(is_folder) = self.is_folder {
            return Ok(is_folder);
        }
        steps.spend(DISK_ACCESS_STEPS)?;
        let is_folder = search.is_folder(&self.path).await;
        self.is_folder = Some(is_folder);
        Ok(is_folder)
    }
}
