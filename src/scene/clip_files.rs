//! Clips that are files of their own, for code that works on any format.

use crate::scene::clip_ref::ClipRef;
use bevy::asset::{AssetPath, AssetServer, LoadContext, UntypedHandle};
use bevy::ecs::resource::Resource;

/// Loads clips that are files of their own. The plugin of the format that has such files inserts it.
#[derive(Resource, Clone, Copy)]
pub(crate) struct ClipFiles {
    /// Begins to load the clip of a file.
    pub(crate) load: fn(&AssetServer, &AssetPath<'static>) -> ClipRef,
    /// The same as a dependency of what is being loaded.
    pub(crate) load_within: fn(&mut LoadContext<'_>, &AssetPath<'static>) -> UntypedHandle,
}
