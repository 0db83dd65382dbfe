//! The registry of an app's model formats by file extension, and the loads of clips that have their own files.

use crate::load::names::{ends_with_extension, folded};
use crate::root::play::ClipRef;
use crate::spawn::format::Format;
use crate::spawn::instance::ModelFormat;
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;
use core::any::TypeId;

/// A registered model format.
#[derive(Clone)]
struct Registered {
    /// In lower case.
    extensions: Vec<String>,
    asset: TypeId,
    /// [`Format::scene`], once the model is loaded.
    scene: fn(&World, &UntypedHandle) -> Option<Handle<WorldAsset>>,
    format: ModelFormat,
    /// Removes [`Format::OnRoot`].
    remove_instance: fn(EntityWorldMut<'_>),
}

/// The registered model formats. A later format takes precedence if two have the same extension.
#[derive(Resource, Clone, Default)]
pub(crate) struct ModelFormats(Vec<Registered>);

impl ModelFormats {
    /// Adds a format, or further extensions of it.
    pub(crate) fn add<F: Format>(&mut self, extensions: &[String]) {
        let extensions = extensions.iter().map(|extension| folded(extension));
        self.0.push(Registered {
            extensions: extensions.collect(),
            asset: TypeId::of::<F>(),
            scene: |world, handle| Some(asset::<F>(world, handle)?.scene().clone()),
            format: F::FORMAT,
            remove_instance: |mut root| {
                root.remove::<F::OnRoot>();
            },
        });
    }

    /// The format of a file: the last registered one with its extension.
    fn format_of(&self, path: &AssetPath<'_>) -> Option<&Registered> {
        let name = folded(&path.path().file_name()?.to_string_lossy());
        let is_match = |extension: &String| ends_with_extension(&name, extension);
        let mut formats = self.0.iter().rev();
        formats.find(|format| format.extensions.iter().any(is_match))
    }

    /// The extensions of all formats, in lower case.
    pub(crate) fn extensions(&self) -> Vec<String> {
        let all = self.0.iter().flat_map(|format| &format.extensions);
        all.cloned().collect()
    }

    /// Those of some extensions that belong to no format yet.
    pub(crate) fn unknown(&self, extensions: &[String]) -> Vec<String> {
        let known = self.extensions();
        let mut unknown = extensions.to_vec();
        unknown.retain(|extension| !known.contains(&folded(extension)));
        unknown
    }

    /// The error message for a file whose extension belongs to no format. It follows the file's path.
    pub(crate) fn unknown_extension(&self) -> String {
        let extensions = self.extensions().into_iter();
        let extensions: Vec<String> = extensions
            .map(|extension| format!(".{extension}"))
            .collect();
        let extensions = extensions.join(", ");
        format!("has no extension of a model format; expected one of {extensions}")
    }

    /// Whether the extension of a file belongs to a model format.
    pub(crate) fn is_model(&self, path: &AssetPath<'_>) -> bool {
        self.format_of(path).is_some()
    }

    /// Starts loading a model; `None` if its extension belongs to no format.
    pub(crate) fn load(
        &self,
        server: &AssetServer,
        path: &AssetPath<'static>,
    ) -> Option<UntypedHandle> {
        let format = self.format_of(path)?;
        let builder = server.load_builder();
        Some(builder.load_erased(format.asset, path.clone()))
    }

    /// Starts loading a model as a dependency of the asset that is being loaded; `None` if its extension belongs to no
    /// format.
    pub(crate) fn load_within(
        &self,
        load_context: &mut LoadContext<'_>,
        path: &AssetPath<'static>,
    ) -> Option<UntypedHandle> {
        let format = self.format_of(path)?;
        let builder = load_context.load_builder();
        Some(builder.load_erased(format.asset, path.clone()))
    }

    /// The scene of a model, once the model is loaded.
    pub(crate) fn scene(&self, world: &World, model: &UntypedHandle) -> Option<Handle<WorldAsset>> {
        let mut formats = self.0.iter();
        let format = formats.find(|format| format.asset == model.type_id())?;
        (format.scene)(world, model)
    }

    /// The function that removes the components of a format from a root.
    pub(crate) fn remove_instance(&self, format: ModelFormat) -> Option<fn(EntityWorldMut<'_>)> {
        let mut formats = self.0.iter();
        let format = formats.find(|other| other.format == format)?;
        Some(format.remove_instance)
    }
}

/// The asset of a handle, if it is of this type and loaded.
fn asset<'w, A: Asset>(world: &'w World, handle: &UntypedHandle) -> Option<&'w A> {
    let id = handle.id().try_typed::<A>().ok()?;
    world.get_resource::<Assets<A>>()?.get(id)
}

/// Functions that load clips from their own files. The plugin of a format with such files inserts this resource.
#[derive(Resource, Clone, Copy)]
pub(crate) struct ClipFiles {
    /// Starts loading the clip of a file.
    pub(crate) load: fn(&AssetServer, &AssetPath<'static>) -> ClipRef,
    /// Starts loading the clip of a file as a dependency of the asset that is being loaded.
    pub(crate) load_within: fn(&mut LoadContext<'_>, &AssetPath<'static>) -> UntypedHandle,
}
