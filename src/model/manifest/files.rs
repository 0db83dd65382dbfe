//! Where the files are that a manifest names.

use bevy::asset::{AssetPath, UntypedHandle};
use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the names in a manifest stand for, as its loader found it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifestFiles {
    model: Option<AssetPath<'static>>,
    /// Files by their names in the manifest; none for those that are nowhere.
    pub(super) named: BTreeMap<String, Option<AssetPath<'static>>>,
    /// The files that fit each pattern.
    pub(super) patterns: BTreeMap<String, Vec<AssetPath<'static>>>,
    /// Where each folder of pictures may be, from the root of the asset source.
    pub(super) folders: BTreeMap<String, Vec<String>>,
    /// The name that a skin is chosen by, if it was told that no skin has it.
    pub(super) unknown_skin: Option<String>,
    /// Keeps what they name loaded.
    pub(super) preloaded: Preloaded,
}

impl ManifestFiles {
    /// Those of a manifest that names nothing but a model.
    pub(super) fn of_model(name: &str, model: AssetPath<'static>) -> Self {
        Self {
            named: BTreeMap::from([(name.to_owned(), Some(model.clone()))]),
            model: Some(model),
            ..Self::default()
        }
    }

    /// The model; `None` if there is none, or it was not found.
    pub fn model(&self) -> Option<&AssetPath<'static>> {
        self.model.as_ref()
    }

    /// What a name stands for. One that the loader has not seen is code's: a path from the root.
    pub(super) fn path(&self, name: &str) -> Option<AssetPath<'static>> {
        match self.named.get(name) {
            Some(found) => found.clone(),
            None => AssetPath::try_parse(name).ok().map(AssetPath::into_owned),
        }
    }
}

/// Handles that keep loaded what a manifest names. Copies of a manifest share them.
#[derive(Clone, Default)]
pub(super) struct Preloaded(pub(super) Arc<Mutex<Handles>>);

#[derive(Default)]
pub(super) struct Handles {
    /// Models that are loading, or that are held as a whole.
    pub(super) models: Vec<UntypedHandle>,
    /// All else, and the scenes of models that were released.
    pub(super) others: Vec<UntypedHandle>,
}

impl Preloaded {
    pub(super) fn handles(&self) -> MutexGuard<'_, Handles> {
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

/// What is loaded is no part of what a manifest says.
impl PartialEq for Preloaded {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
