//! What models looked for among files, and would have taken had it been there.

use crate::scene::matching::{Pattern, file_key, folded};
use bevy::asset::io::AssetSourceId;
use bevy::asset::{AssetPath, AssetServer};
use bevy::ecs::resource::Resource;
use std::collections::{HashMap, HashSet};
use std::ops::DerefMut;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The most paths that are remembered of one model: broken files can name any number.
const MOST_PATHS: usize = 4096;

/// From this many models on, those that nobody uses any more are forgotten.
const MANY_MODELS: usize = 1024;

/// What the last load of one model looked for. Paths are from the root of the asset source and in
/// lower case, as names are matched.
#[derive(Debug, Default)]
pub(in crate::scene) struct Hopes {
    /// Where a file would have been taken, had it been there and good.
    missing: HashSet<String>,
    /// Files that the model is made of, without being assets that anybody holds.
    read: HashSet<String>,
    /// First bytes of files that decided about the model.
    starts: HashMap<String, Start>,
    listed: Vec<Listed>,
    patterns: Vec<Patterns>,
}

/// The first bytes of a file.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// How many were asked for.
    pub(super) length: usize,
    /// None if the file had not so many.
    pub(super) found: Option<Vec<u8>>,
}

/// A folder that was listed.
#[derive(Debug)]
struct Listed {
    folder: String,
    /// What the names of files that count begin with.
    prefix: String,
    extensions: Vec<String>,
}

impl Hopes {
    pub(in crate::scene) fn miss(&mut self, path: &Path) {
        if self.missing.len() < MOST_PATHS {
            self.missing.insert(key(path));
        }
    }

    pub(in crate::scene) fn read(&mut self, path: &Path) {
        if self.read.len() < MOST_PATHS {
            self.read.insert(key(path));
        }
    }

    pub(in crate::scene) fn start(&mut self, path: &Path, length: usize, found: Option<Vec<u8>>) {
        if self.starts.len() < MOST_PATHS {
            self.starts.insert(key(path), Start { length, found });
        }
    }

    pub(in crate::scene) fn list(&mut self, folder: &Path, prefix: &str, extensions: &[&str]) {
        if self.listed.len() < MOST_PATHS {
            self.listed.push(Listed {
                folder: key(folder),
                prefix: folded(prefix),
                extensions: extensions.iter().map(|of| folded(of)).collect(),
            });
        }
    }

    pub(in crate::scene) fn fit(&mut self, folder: &Path, parts: &[&str]) {
        if self.patterns.len() < MOST_PATHS {
            self.patterns.push(Patterns {
                folder: key(folder),
                parts: parts.iter().map(|part| Pattern::new(part)).collect(),
            });
        }
    }

    fn fits(&self, path: &str) -> bool {
        self.patterns.iter().any(|patterns| patterns.fit(path))
    }

    fn lists(&self, path: &str) -> bool {
        let path = Path::new(path);
        let folder = path.parent().and_then(Path::to_str).unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        self.listed.iter().any(|listed| {
            listed.folder == folder
                && name.starts_with(&listed.prefix)
                && listed.extensions.iter().any(|of| *of == extension)
        })
    }
}

/// Files whose paths fit, whether their folders are there yet or not.
#[derive(Debug)]
struct Patterns {
    folder: String,
    /// Of what is below the folder, part by part.
    parts: Vec<Pattern>,
}

impl Patterns {
    fn fit(&self, path: &str) -> bool {
        let below = match &*self.folder {
            "" => Some(path),
            folder => path
                .strip_prefix(folder)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        let names: Vec<&str> = below.into_iter().flat_map(|path| path.split('/')).collect();
        let mut pairs = self.parts.iter().zip(&names);
        names.len() == self.parts.len() && pairs.all(|(part, name)| part.fits(name, &mut 0))
    }
}

/// A path as names are matched.
fn key(path: &Path) -> String {
    let path = path.to_string_lossy();
    let parts: Vec<String> = path.split(['/', '\\']).map(file_key).collect();
    parts.join("/")
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It was not there before.
    Came,
    /// It is another one than before, and Bevy knows.
    Edited,
    /// Another file has taken its place, or its `.meta` has changed, and Bevy does not know.
    Replaced,
}

/// The hopes of all models in the default asset source that were loaded, by their paths. Loaders
/// write it, the watcher reads it.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Wishes(Arc<Mutex<HashMap<AssetPath<'static>, Hopes>>>);

impl Wishes {
    /// Takes what a load looked for in the place of what the load before did.
    pub(in crate::scene) fn renew(
        &self,
        model: &AssetPath<'static>,
        hopes: Hopes,
        server: &AssetServer,
    ) {
        if *model.source() != AssetSourceId::Default {
            return;
        }
        let mut all = self.all();
        if all.len() >= MANY_MODELS && !all.contains_key(model) {
            all.retain(|path, _| is_in_use(path, server));
        }
        all.insert(model.clone().without_label().into_owned(), hopes);
    }

    /// The models that are to be loaded anew because something happened to a file.
    pub(super) fn of(&self, path: &Path, change: Change) -> Vec<AssetPath<'static>> {
        let path = key(path);
        let is_meant = |hopes: &Hopes| {
            hopes.missing.contains(&path)
                || change == Change::Replaced && hopes.read.contains(&path)
                || change != Change::Edited && (hopes.lists(&path) || hopes.fits(&path))
        };
        let all = self.all();
        let meant = all.iter().filter(|(_, hopes)| is_meant(hopes));
        meant.map(|(model, _)| model.clone()).collect()
    }

    /// The models that are made of a file whose edits Bevy does not follow, because it has let go of all but their
    /// labels.
    pub(super) fn of_read(&self, path: &Path, server: &AssetServer) -> Vec<AssetPath<'static>> {
        let path = key(path);
        let all = self.all();
        let meant = all.iter().filter(|(model, hopes)| {
            hopes.read.contains(&path) && server.get_path_ids(*model).is_empty()
        });
        meant.map(|(model, _)| model.clone()).collect()
    }

    /// The models that the first bytes of a file decided about, each with those bytes.
    pub(super) fn of_start(&self, path: &Path) -> Vec<(AssetPath<'static>, Start)> {
        let path = key(path);
        let all = self.all();
        let meant = all.iter().filter_map(|(model, hopes)| {
            let start = hopes.starts.get(&path)?;
            Some((model.clone(), start.clone()))
        });
        meant.collect()
    }

    fn all(&self) -> impl DerefMut<Target = HashMap<AssetPath<'static>, Hopes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether anybody has the model itself or its scene.
fn is_in_use(model: &AssetPath<'static>, server: &AssetServer) -> bool {
    let scene = model.clone().with_label("Scene");
    !server.get_path_ids(model).is_empty() || !server.get_path_ids(&scene).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hopes_are_matched_without_regard_to_case() {
        let wishes = Wishes::default();
        let mut hopes = Hopes::default();
        hopes.miss(Path::new("Art/Hull.DDS"));
        hopes.read(Path::new("gfx/Palette.lmp"));
        hopes.list(Path::new("Art"), "Ship", &["ALA"]);
        let model = AssetPath::from("Art/Ship.alo");
        wishes.all().insert(model.clone(), hopes);
        let wants = |path: &str, change| wishes.of(Path::new(path), change) == [model.clone()];
        for change in [Change::Came, Change::Edited, Change::Replaced] {
            assert!(wants("art/HULL.dds", change));
            assert!(!wants("hull.dds", change));
        }
        // Bevy follows edits of what was read for models that are held, and of what is held itself.
        assert!(wants("GFX/palette.LMP", Change::Replaced));
        assert!(!wants("gfx/palette.lmp", Change::Edited));
        assert!(wants("ART/SHIP_move_00.ala", Change::Came));
        assert!(!wants("art/ship_move_00.ala", Change::Edited));
        assert!(!wants("art/tank_move_00.ala", Change::Came));
        assert!(!wants("art/deep/ship_move_00.ala", Change::Came));
        assert!(!wants("art/ship_move_00.alo", Change::Came));
    }

    #[test]
    fn no_model_has_more_hopes_than_a_limit() {
        let mut hopes = Hopes::default();
        for number in 0..2 * MOST_PATHS {
            hopes.miss(Path::new(&format!("{number}.dds")));
        }
        assert_eq!(hopes.missing.len(), MOST_PATHS);
    }
}
