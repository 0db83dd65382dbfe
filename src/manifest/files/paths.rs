//! [`ManifestFiles`]: the paths of the files that a manifest names.

use crate::manifest::read::sources::Sources;
use bevy::asset::{AssetPath, UntypedHandle};
use core::fmt;
use std::collections::BTreeMap;
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

    /// The model's path, as found by the loader. `None` in a manifest that is created in code, unless with
    /// [`ModelManifest::of`](crate::manifest::ModelManifest::of).
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
