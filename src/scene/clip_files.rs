//! Loading of clips that have their own files, for code that works on any format.

use crate::scene::clip_ref::ClipRef;
use bevy::asset::{AssetPath, AssetServer, LoadContext, UntypedHandle};
use bevy::ecs::resource::Resource;

/// Functions that load clips from their own files. The plugin of a format with such files inserts this resource.
#[derive(Resource, Clone, Copy)]
pub(crate) struct ClipFiles {
    /// Starts loading the clip of a file.
    pub(crate) load: fn(&AssetServer, &AssetPath<'static>) -> ClipRef,
    /// Starts loading the clip of a file as a dependency of the asset that is being loaded.
    pub(crate) load_within: fn(&mut LoadContext<'_>, &AssetPath<'static>) -> UntypedHandle,
}
