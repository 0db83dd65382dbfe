//! Which files are models of which format.

use crate::scene::folded;
use bevy::asset::{AssetPath, AssetServer, Handle, LoadContext, UntypedHandle};
use bevy::ecs::resource::Resource;
use bevy::ecs::world::World;
use bevy::world_serialization::WorldAsset;
use core::any::TypeId;
use std::sync::Arc;

/// A format whose models manifests may name.
#[derive(Clone)]
pub(super) struct Format {
    /// In lower case.
    pub(super) extensions: Vec<String>,
    pub(super) asset: TypeId,
    pub(super) scene: Arc<FindScene>,
}

/// Finds the scene of a model, once it is loaded.
pub(super) type FindScene =
    dyn Fn(&World, &UntypedHandle) -> Option<Handle<WorldAsset>> + Send + Sync;

/// The formats, by the extensions of their files.
#[derive(Resource, Clone, Default)]
pub(crate) struct FormatsByExtension(pub(super) Vec<Format>);

impl FormatsByExtension {
    /// The format of a file, which the last one that claims its extension has.
    fn of(&self, path: &AssetPath<'_>) -> Option<&Format> {
        let name = folded(&path.path().file_name()?.to_string_lossy());
        let is_of = |extension: &String| {
            let stem = name.strip_suffix(extension.as_str());
            stem.is_some_and(|stem| stem.ends_with('.'))
        };
        let mut formats = self.0.iter().rev();
        formats.find(|format| format.extensions.iter().any(is_of))
    }

    /// The extensions of all formats, in lower case.
    pub(super) fn extensions(&self) -> Vec<String> {
        let all = self.0.iter().flat_map(|format| &format.extensions);
        all.cloned().collect()
    }

    /// What is wrong with a file that is of no format.
    pub(super) fn unknown(&self, path: &AssetPath<'_>) -> String {
        let extensions = self.extensions().into_iter();
        let known: Vec<String> = extensions
            .map(|extension| format!(".{extension}"))
            .collect();
        let known = known.join(", ");
        format!("{path} has no extension of a model format; those are {known}")
    }

    /// Whether a file is of any format.
    pub(super) fn has(&self, path: &AssetPath<'_>) -> bool {
        self.of(path).is_some()
    }

    /// Begins to load a model; `None` if nobody claims its extension.
    pub(super) fn load(
        &self,
        server: &AssetServer,
        path: &AssetPath<'static>,
    ) -> Option<UntypedHandle> {
        let format = self.of(path)?;
        let builder = server.load_builder();
        Some(builder.load_erased(format.asset, path.clone()))
    }

    /// The same as a dependency of what is being loaded.
    pub(super) fn load_within(
        &self,
        load_context: &mut LoadContext<'_>,
        path: &AssetPath<'static>,
    ) -> Option<UntypedHandle> {
        let format = self.of(path)?;
        let builder = load_context.load_builder();
        Some(builder.load_erased(format.asset, path.clone()))
    }

    /// The handle of a model that somebody has begun to load.
    pub(super) fn known(
        &self,
        server: &AssetServer,
        path: &AssetPath<'static>,
    ) -> Option<UntypedHandle> {
        let format = self.of(path)?;
        server.get_path_and_type_id_handle(path, format.asset)
    }

    /// The scene of a model, once it is loaded.
    pub(super) fn scene(&self, world: &World, model: &UntypedHandle) -> Option<Handle<WorldAsset>> {
        let mut formats = self.0.iter();
        let format = formats.find(|format| format.asset == model.type_id())?;
        (format.scene)(world, model)
    }
}
