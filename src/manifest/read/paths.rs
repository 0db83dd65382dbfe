//! [`ManifestFiles`]: the paths of the files that a manifest names; and the texts in which problems of its values are found.

use crate::load::names::folded;
use crate::manifest::read::error::Step::{Field, Key};
use crate::manifest::read::error::{ManifestError, ManifestLoaderError, Problem, Step};
use bevy::asset::{AssetPath, UntypedHandle};
use core::fmt;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The paths of the files that a manifest names, as found by its loader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifestFiles {
    model: Option<AssetPath<'static>>,
    /// Paths by the names in the manifest. `None` for files that were not found.
    pub(crate) named: BTreeMap<String, Option<AssetPath<'static>>>,
    /// The files that match each pattern.
    pub(crate) patterns: BTreeMap<String, Vec<AssetPath<'static>>>,
    /// The possible paths of each texture folder, from the root of the asset source.
    pub(crate) folders: BTreeMap<String, Vec<String>>,
    /// The name in the field `skin`, if the loader has warned that no skin has it.
    pub(crate) unknown_skin: Option<String>,
    /// The texts of the files. `None` in a manifest that is created in code.
    pub(crate) sources: Option<SharedSources>,
    /// Keeps the assets that the manifest names loaded.
    pub(crate) preloaded: Preloaded,
}

impl ManifestFiles {
    /// For a manifest that names only a model.
    pub(crate) fn of_model(name: &str, model: AssetPath<'static>) -> Self {
        Self {
            named: BTreeMap::from([(name.to_owned(), Some(model.clone()))]),
            model: Some(model),
            ..Self::default()
        }
    }

    /// The model's path, as found by the loader. `None` in a manifest that is created in code.
    pub fn model(&self) -> Option<&AssetPath<'static>> {
        self.model.as_ref()
    }

    /// The path for a name. A name that the loader has not seen was set by code and is a path from the root.
    pub(crate) fn path(&self, name: &str) -> Option<AssetPath<'static>> {
        match self.named.get(name) {
            Some(found) => found.clone(),
            None => AssetPath::try_parse(name).ok().map(AssetPath::into_owned),
        }
    }
}

/// The texts of a manifest's files. Clones of a manifest share them.
#[derive(Clone, Debug)]
pub(crate) struct SharedSources(pub(crate) Arc<Sources>);

/// Always equal, because comments and notations are not part of a manifest's value.
impl PartialEq for SharedSources {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Handles that keep the assets of a manifest loaded. Clones of a manifest share them.
#[derive(Clone, Default)]
pub(crate) struct Preloaded(pub(crate) Arc<Mutex<Handles>>);

#[derive(Default)]
pub(crate) struct Handles {
    /// The model and attached models.
    pub(crate) models: Vec<UntypedHandle>,
    /// Clips, skins and attached manifests.
    pub(crate) others: Vec<UntypedHandle>,
}

impl Preloaded {
    pub(crate) fn handles(&self) -> MutexGuard<'_, Handles> {
        lock(&self.0)
    }
}

impl fmt::Debug for Preloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handles = self.handles();
        let count = handles.models.len() + handles.others.len();
        write!(f, "Preloaded({count})")
    }
}

/// Always equal, because loaded assets are not part of a manifest's value.
impl PartialEq for Preloaded {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of one file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: AssetPath<'static>,
    /// Without a byte order mark.
    text: String,
    /// The names of the fields that the text sets, and `field/key` for each key of a map, case-folded.
    values: HashSet<String>,
}

/// The files that the values of a manifest are from.
#[derive(Debug)]
pub(crate) struct Sources {
    own: Source,
    /// The manifest that it extends, the one that this extends, and so on.
    bases: Vec<Source>,
}

impl Source {
    /// `fields` are the names of the fields that the text sets; `keys` are those of its maps, with their fields.
    pub(crate) fn new<'a>(
        path: AssetPath<'static>,
        text: &str,
        fields: Vec<String>,
        keys: impl Iterator<Item = (&'a str, &'a String)>,
    ) -> Self {
        let keys = keys.map(|(field, key)| map_key(field, key));
        Self {
            path,
            values: fields.into_iter().chain(keys).collect(),
            text: text.to_owned(),
        }
    }

    /// Whether the text sets a field.
    pub(crate) fn sets(&self, field: &str) -> bool {
        self.values.contains(field)
    }

    /// Whether the text sets a key of a map, in any case.
    pub(crate) fn sets_key(&self, field: &str, key: &str) -> bool {
        self.values.contains(&map_key(field, key))
    }

    /// The error for a problem with a value of this file.
    pub(crate) fn error(&self, problem: Problem<'_>) -> ManifestLoaderError {
        ManifestLoaderError::Manifest {
            path: self.path.to_string(),
            source: self.locate(problem),
        }
    }

    /// Adds the position in this file.
    pub(crate) fn locate(&self, problem: Problem<'_>) -> ManifestError {
        problem.in_text(&self.text)
    }
}

fn map_key(field: &str, key: &str) -> String {
    format!("{field}/{}", folded(key))
}

impl Sources {
    /// Each of `bases` is extended by the one before it, the first one by the manifest itself.
    pub(crate) fn new(own: Source, bases: Vec<Source>) -> Self {
        Self { own, bases }
    }

    /// Whether the manifest extends another one.
    pub(crate) fn has_bases(&self) -> bool {
        !self.bases.is_empty()
    }

    /// The file that a value is from. If none sets it, this is the manifest itself.
    pub(crate) fn of(&self, value: &[Step<'_>]) -> &Source {
        let sets = |source: &&Source| match value {
            [Field(field @ ("masks" | "skins")), Key(key), ..] => source.sets_key(field, key),
            [Field(field), ..] => source.sets(field),
            _ => true,
        };
        let mut sources = core::iter::once(&self.own).chain(&self.bases);
        sources.find(sets).unwrap_or(&self.own)
    }
}
