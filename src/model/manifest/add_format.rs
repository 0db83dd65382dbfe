//! Adds formats to those whose models manifests may name.

use super::formats::{Format, FormatsByExtension};
use crate::scene::folded;
use bevy::asset::{Asset, Assets, Handle};
use bevy::world_serialization::WorldAsset;
use core::any::TypeId;
use std::sync::Arc;

impl FormatsByExtension {
    /// Adds the format of an asset, which has the scene of a model.
    pub(crate) fn with<A: Asset>(
        mut self,
        extensions: &[String],
        scene: fn(&A) -> &Handle<WorldAsset>,
    ) -> Self {
        let extensions = extensions.iter().map(|extension| folded(extension));
        self.0.push(Format {
            extensions: extensions.collect(),
            asset: TypeId::of::<A>(),
            scene: Arc::new(move |world, handle| {
                let id = handle.id().try_typed::<A>().ok()?;
                let asset = world.get_resource::<Assets<A>>()?.get(id)?;
                Some(scene(asset).clone())
            }),
        });
        self
    }
}
