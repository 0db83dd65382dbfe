//! Selections of parts, and the merged meshes that show them.

use crate::crowd::format::{CrowdFormat, CrowdMaterial, Selection};
use crate::load::weak_cache::WeakCache;
use bevy::prelude::*;

/// The merged meshes of a selection.
pub(crate) struct Appearance<F: CrowdFormat> {
    pub(crate) draws: Vec<Draw<F>>,
    pub(crate) selection: Selection<F::Skin>,
}

/// A merged mesh.
pub(crate) struct Draw<F: CrowdFormat> {
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) material: Handle<CrowdMaterial<F>>,
    /// The material that `material` is a copy of. Its id identifies the copy, so it must not be dropped before.
    pub(crate) base: Handle<F::Base>,
    pub(crate) casts_shadows: bool,
    /// The index of its first sub-mesh.
    pub(crate) first: usize,
}

/// The appearances that members show.
pub(crate) type Appearances<F> = WeakCache<Selection<<F as CrowdFormat>::Skin>, Appearance<F>>;

impl<F: CrowdFormat> WeakCache<Selection<F::Skin>, Appearance<F>> {
    /// The material that members show instead of another one.
    pub(crate) fn material(&self, base: AssetId<F::Base>) -> Option<Handle<CrowdMaterial<F>>> {
        self.values().find_map(|appearance| {
            let mut draws = appearance.draws.iter();
            let draw = draws.find(|draw| draw.base.id() == base)?;
            Some(draw.material.clone())
        })
    }

    /// The materials that members show, each with the index of a sub-mesh that has it. Some occur several times.
    pub(crate) fn materials(&self) -> Vec<(Handle<CrowdMaterial<F>>, usize)> {
        let mut all = Vec::new();
        for appearance in self.values() {
            let draws = appearance.draws.iter();
            all.extend(draws.map(|draw| (draw.material.clone(), draw.first)));
        }
        all
    }
}
