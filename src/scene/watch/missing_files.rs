//! What models looked for among files, and would have taken had it been there.

use crate::scene::file_names::file_key;
use crate::scene::labels::scene_path;
use crate::scene::matching::folded;
use crate::scene::pattern::Pattern;
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
pub(in crate::scene) struct FileQueries {
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

impl FileQueries {
    pub(in crate::scene) fn miss(&mut self, path: &Path) {
        if self.missing.len() < MOST_PATHS {
            self.missing.insert(key(path));
        }
    }

    #[cfg(feature = "quake")]
    pub(in crate::scene) fn read(&mut self, path: &Path) {
        if self.read.len() < MOST_PATHS {
            self.read.insert(key(path));
        }
    }

    #[cfg(any(feature = "alamo", feature = "lithtech"))]
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
pub(crate) struct MissingFileIndex(Arc<Mutex<Index>>);

type ModelQuery = HashSet<AssetPath<'static>>;

/// The hopes of models, and which models have them, so that an event of a file costs no more where there are many
/// models.
#[derive(Debug, Default)]
struct Index {
    hopes: HashMap<AssetPath<'static>, FileQueries>,
    missing: HashMap<String, ModelQuery>,
    read: HashMap<String, ModelQuery>,
    starts: HashMap<String, ModelQuery>,
    /// By the folders that were listed.
    listed: HashMap<String, ModelQuery>,
    patterns: ModelQuery,
    /// The number of models at which those are forgotten that nobody uses any more.
    purge_at: usize,
}

impl Index {
    /// Takes what a load looked for in the place of what the load before did.
    fn put(&mut self, model: AssetPath<'static>, hopes: FileQueries) {
        self.remove(&model);
        self.update(&model, &hopes, |models, model| {
            models.insert(model.clone());
        });
        self.hopes.insert(model, hopes);
    }

    fn remove(&mut self, model: &AssetPath<'static>) {
        let Some(hopes) = self.hopes.remove(model) else {
            return;
        };
        self.update(model, &hopes, |models, model| {
            models.remove(model);
        });
    }

    /// Changes all sets in which a model is by its hopes. Empty ones go.
    fn update(
        &mut self,
        model: &AssetPath<'static>,
        hopes: &FileQueries,
        change: fn(&mut ModelQuery, &AssetPath<'static>),
    ) {
        let listed = hopes.listed.iter().map(|listed| &listed.folder);
        let missing = hopes.missing.iter().map(|key| (0, key));
        let keys = missing
            .chain(hopes.read.iter().map(|key| (1, key)))
            .chain(hopes.starts.keys().map(|key| (2, key)))
            .chain(listed.map(|key| (3, key)));
        let maps = [
            &mut self.missing,
            &mut self.read,
            &mut self.starts,
            &mut self.listed,
        ];
        for (map, key) in keys {
            let models = maps[map].entry(key.clone()).or_default();
            change(models, model);
            if models.is_empty() {
                maps[map].remove(key);
            }
        }
        if !hopes.patterns.is_empty() {
            change(&mut self.patterns, model);
        }
    }

    /// Forgets models that nobody uses, if there are twice as many as there were used the last time.
    fn purge(&mut self, is_in_use: impl Fn(&AssetPath<'static>) -> bool) {
        if self.hopes.len() < self.purge_at.max(MANY_MODELS) {
            return;
        }
        let unused = self.hopes.keys().filter(|model| !is_in_use(model));
        for model in unused.cloned().collect::<Vec<_>>() {
            self.remove(&model);
        }
        self.purge_at = 2 * self.hopes.len();
    }

    /// The models that have a key in one of the maps.
    fn of<'a>(
        map: &'a HashMap<String, ModelQuery>,
        key: &str,
    ) -> impl Iterator<Item = &'a AssetPath<'static>> {
        map.get(key).into_iter().flatten()
    }
}

impl MissingFileIndex {
    /// Takes what a load looked for in the place of what the load before did.
    pub(in crate::scene) fn renew(
        &self,
        model: &AssetPath<'static>,
        hopes: FileQueries,
        server: &AssetServer,
    ) {
        if *model.source() != AssetSourceId::Default {
            return;
        }
        let mut all = self.all();
        all.purge(|model| is_in_use(model, server));
        all.put(model.clone().without_label().into_owned(), hopes);
    }

    /// The models that are to be loaded anew because something happened to a file.
    pub(super) fn of(&self, path: &Path, change: Change) -> Vec<AssetPath<'static>> {
        let path = key(path);
        let all = self.all();
        let mut models: ModelQuery = Index::of(&all.missing, &path).cloned().collect();
        if change == Change::Replaced {
            models.extend(Index::of(&all.read, &path).cloned());
        }
        if change != Change::Edited {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let listed = Index::of(&all.listed, folder);
            let listed = listed.filter(|model| all.hopes[*model].lists(&path));
            let fitting = all.patterns.iter();
            let fitting = fitting.filter(|model| all.hopes[*model].fits(&path));
            models.extend(listed.chain(fitting).cloned());
        }
        models.into_iter().collect()
    }

    /// The models that are made of a file whose edits Bevy does not follow, because it has let go of all but their
    /// labels.
    pub(super) fn of_read(&self, path: &Path, server: &AssetServer) -> Vec<AssetPath<'static>> {
        let path = key(path);
        let all = self.all();
        let models = Index::of(&all.read, &path);
        let meant = models.filter(|model| server.get_path_ids(*model).is_empty());
        meant.cloned().collect()
    }

    /// The models that the first bytes of a file decided about, each with those bytes.
    pub(super) fn of_start(&self, path: &Path) -> Vec<(AssetPath<'static>, Start)> {
        let path = key(path);
        let all = self.all();
        let meant = Index::of(&all.starts, &path).filter_map(|model| {
            let start = all.hopes[model].starts.get(&path)?;
            Some((model.clone(), start.clone()))
        });
        meant.collect()
    }

    fn all(&self) -> impl DerefMut<Target = Index> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether anybody has the model itself or its scene.
fn is_in_use(model: &AssetPath<'static>, server: &AssetServer) -> bool {
    let scene = scene_path(model);
    !server.get_path_ids(model).is_empty() || !server.get_path_ids(&scene).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hopes_are_matched_without_regard_to_case() {
        let wishes = MissingFileIndex::default();
        let mut hopes = FileQueries::default();
        hopes.miss(Path::new("Art/Hull.DDS"));
        hopes.read(Path::new("gfx/Palette.lmp"));
        hopes.list(Path::new("Art"), "Ship", &["ALA"]);
        let model = AssetPath::from("Art/Ship.alo");
        wishes.all().put(model.clone(), hopes);
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
    fn later_hopes_replace_earlier_ones() {
        let mut index = Index::default();
        let model = AssetPath::from("ship.alo");
        for name in ["a.dds", "b.dds"] {
            let mut hopes = FileQueries::default();
            hopes.miss(Path::new(name));
            index.put(model.clone(), hopes);
        }
        let wishes = MissingFileIndex(Arc::new(Mutex::new(index)));
        assert_eq!(wishes.of(Path::new("a.dds"), Change::Came), []);
        assert_eq!(wishes.of(Path::new("b.dds"), Change::Came), [model]);
        assert_eq!(wishes.all().missing.len(), 1);
    }

    #[test]
    fn models_are_purged_each_time_their_number_has_doubled() {
        let mut index = Index::default();
        let asked = core::cell::Cell::new(0);
        for number in 0..8 * MANY_MODELS {
            index.purge(|_| {
                asked.set(asked.get() + 1);
                true
            });
            index.put(
                AssetPath::from(format!("{number}.alo")),
                FileQueries::default(),
            );
        }
        assert_eq!(asked.get(), 7 * MANY_MODELS);
        index.purge(|_| false);
        assert!(index.hopes.is_empty());
    }

    #[test]
    fn no_model_has_more_hopes_than_a_limit() {
        let mut hopes = FileQueries::default();
        for number in 0..2 * MOST_PATHS {
            hopes.miss(Path::new(&format!("{number}.dds")));
        }
        assert_eq!(hopes.missing.len(), MOST_PATHS);
    }
}
