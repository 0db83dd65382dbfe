//! Masks of bones: which bones a layer of [`ClipLayers`](crate::root::ClipLayers) animates.

use crate::load::names::folded;
use bevy::ecs::VariantDefaults;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use std::sync::Arc;

/// The bones of a model that a layer animates. Names of bones are case-insensitive. If several bones have the same
/// name, all of them are meant.
///
/// A name that no bone has is a warning, and the other names apply.
#[derive(VariantDefaults, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BoneMask {
    /// All bones.
    #[default]
    All,
    /// These bones, without the bones below them.
    Bones(Vec<String>),
    /// These bones and all bones below them.
    Subtrees(Vec<String>),
    /// The mask with this name (case-insensitive) in the root's [`ModelMasks`].
    ///
    /// If no mask has the name, that is a warning, and the layer animates no bone. In [`ModelMasks`], a mask cannot
    /// refer to another one.
    Named(String),
}

impl BoneMask {
    /// These bones, without the bones below them.
    pub fn bones<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Bones(names.into_iter().map(Into::into).collect())
    }

    /// These bones and all bones below them.
    pub fn subtrees<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Subtrees(names.into_iter().map(Into::into).collect())
    }
}

impl From<&str> for BoneMask {
    /// A mask of [`ModelMasks`] by its name.
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for BoneMask {
    /// A mask of [`ModelMasks`] by its name.
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

/// Named masks of bones, which [`BoneMask::Named`] selects from. A manifest's masks are inserted as this component.
///
/// Insert it on the root, and change it at any time. Clones share one table.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelMasks {
    /// Keyed by name in lower case.
    masks: Arc<HashMap<String, BoneMask>>,
}

impl PartialEq for ModelMasks {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.masks, &other.masks) || self.masks == other.masks
    }
}

impl<N: AsRef<str>> FromIterator<(N, BoneMask)> for ModelMasks {
    fn from_iter<T: IntoIterator<Item = (N, BoneMask)>>(masks: T) -> Self {
        let mut table = Self::default();
        for (name, mask) in masks {
            table.insert(name.as_ref(), mask);
        }
        table
    }
}

impl ModelMasks {
    /// Creates the component from names and masks.
    pub fn new<N: AsRef<str>>(masks: impl IntoIterator<Item = (N, BoneMask)>) -> Self {
        masks.into_iter().collect()
    }

    /// Adds a mask, or replaces the mask of the same name.
    pub fn insert(&mut self, name: &str, mask: BoneMask) -> &mut Self {
        Arc::make_mut(&mut self.masks).insert(folded(name), mask);
        self
    }

    /// The mask with this name (case-insensitive).
    pub fn get(&self, name: &str) -> Option<&BoneMask> {
        self.masks.get(&folded(name))
    }

    /// All names, in lower case and in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.masks.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.into_iter()
    }
}
