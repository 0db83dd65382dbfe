//! Selections of parts, and the merged meshes that show them.

use bevy::asset::{Asset, AssetId, Handle};
use bevy::mesh::Mesh;
use bevy::platform::collections::HashMap;
use core::hash::Hash;
use std::sync::{Arc, Weak};

/// The choices that decide about meshes and materials.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Selection<K> {
    /// Whether each part of the model is shown.
    pub(crate) parts: Box<[bool]>,
    /// The skin, for formats that have skins.
    pub(crate) skin: K,
}

/// The merged meshes of a selection.
#[derive(Debug)]
pub(crate) struct Appearance<M: Asset, B: Asset, K> {
    pub(crate) draws: Vec<Draw<M, B>>,
    pub(crate) selection: Selection<K>,
}

/// A merged mesh.
#[derive(Debug)]
pub(crate) struct Draw<M: Asset, B: Asset> {
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) material: Handle<M>,
    /// The material that `material` is a copy of. Its id identifies the copy, so it must not be dropped before.
    pub(crate) base: Handle<B>,
    pub(crate) casts_shadows: bool,
    /// The index of its first sub-mesh.
    pub(crate) first: usize,
}

/// The appearances that members show.
#[derive(Debug)]
pub(crate) struct Appearances<M: Asset, B: Asset, K>(
    HashMap<Selection<K>, Weak<Appearance<M, B, K>>>,
);

impl<M: Asset, B: Asset, K> Default for Appearances<M, B, K> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<M: Asset, B: Asset, K: Clone + Eq + Hash> Appearances<M, B, K> {
    /// The appearance of a selection, if a member shows it.
    pub(crate) fn get(&self, selection: &Selection<K>) -> Option<Arc<Appearance<M, B, K>>> {
        self.0.get(selection).and_then(Weak::upgrade)
    }

    pub(crate) fn insert(&mut self, appearance: &Arc<Appearance<M, B, K>>) {
        self.0
            .insert(appearance.selection.clone(), Arc::downgrade(appearance));
    }

    /// Removes selections that no member shows: a skin may hold images.
    pub(crate) fn remove_unused(&mut self) {
        self.0.retain(|_, appearance| appearance.strong_count() > 0);
    }

    /// The material that members show instead of another one.
    pub(crate) fn material(&self, base: AssetId<B>) -> Option<Handle<M>> {
        let appearances: Vec<_> = self.0.values().filter_map(Weak::upgrade).collect();
        let mut draws = appearances.iter().flat_map(|appearance| &appearance.draws);
        let draw = draws.find(|draw| draw.base.id() == base)?;
        Some(draw.material.clone())
    }

    /// The materials that members show, each with the index of a sub-mesh that has it. Some occur several times.
    pub(crate) fn materials(&self) -> Vec<(Handle<M>, usize)> {
        let appearances: Vec<_> = self.0.values().filter_map(Weak::upgrade).collect();
        let draws = appearances.iter().flat_map(|appearance| &appearance.draws);
        draws
            .map(|draw| (draw.material.clone(), draw.first))
            .collect()
    }
}
