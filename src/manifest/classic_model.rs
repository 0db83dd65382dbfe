//! [`ClassicModel`], the component that spawns a manifest or a model.

use crate::load::names::same_name;
use crate::load::warnings::WarningLog;
use crate::manifest::model_manifest::ModelManifest;
use crate::spawn::format::Format;
use crate::spawn::instance::RandomSeed;
use bevy::asset::AssetPath;
use bevy::prelude::*;

/// Spawns a model: a file of any format, with or without a manifest, or a loaded asset.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::prelude::*;
/// # fn spawn(mut commands: Commands) {
/// commands.spawn((ClassicModel::new("models/ogre.mdl"), BevySpace::default()));
/// commands.spawn(ClassicModel::new("units/soldier.model.ron"));
/// # }
/// ```
///
/// Once the model is loaded, its entities are spawned below this one, which gets the components for the manifest's fields:
/// [`PlayClip`](crate::root::PlayClip), [`ModelClips`](crate::root::ModelClips),
/// [`ModelSkins`](crate::root::ModelSkins), [`ModelSkin`](crate::root::ModelSkin),
/// [`LodDistances`](crate::root::LodDistances), [`TeamColor`](crate::root::TeamColor),
/// [`PlayerColors`](crate::root::PlayerColors), [`PartVisibility`](crate::root::PartVisibility),
/// [`DamageStage`](crate::root::DamageStage) and [`Crowd`](crate::root::Crowd). Components that the entity already has are not replaced.
///
/// When the manifest changes, the components that still have the manifest's old values are updated. When this component
/// is removed or replaced, they are removed.
///
/// A `WorldAssetRoot` with a manifest inserts this component.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(RandomSeed, Transform, Visibility)]
pub struct ClassicModel(pub ModelSource);

impl ClassicModel {
    /// Spawns the model of a path, such as `"models/ogre.mdl"` or `"units/soldier.model.ron"`, or of a handle:
    /// `Handle<ModelManifest>`, or that of a format's asset, such as `Handle<Mdl>`.
    ///
    /// A handle is for a model that is already loaded, is loaded with settings, or is created in code.
    pub fn new(source: impl Into<ModelSource>) -> Self {
        Self(source.into())
    }
}

/// What a [`ClassicModel`] spawns.
///
/// `From` converts paths and handles.
#[derive(Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Default, Clone, Debug, PartialEq)]
pub enum ModelSource {
    /// The path of a manifest, which ends with `.model.ron`, or of a model, without a label. It is loaded when the
    /// component is applied, in the schedule `SpawnScene`.
    Path(AssetPath<'static>),
    /// A manifest.
    Manifest(Handle<ModelManifest>),
    /// A model without a manifest: the asset of a format, such as [`Mdl`](crate::quake::Mdl).
    Model(UntypedHandle),
}

// As for `ModelSkin`: otherwise `bsn!` does not accept a type with handles.
impl Unpin for ModelSource {}

/// An empty path, for which nothing is spawned.
impl Default for ModelSource {
    fn default() -> Self {
        Self::Path(AssetPath::default())
    }
}

impl From<AssetPath<'static>> for ModelSource {
    fn from(path: AssetPath<'static>) -> Self {
        Self::Path(path)
    }
}

impl From<&str> for ModelSource {
    /// # Panics
    /// If the path is invalid, as `AssetPath::parse`.
    fn from(path: &str) -> Self {
        Self::Path(AssetPath::parse(path).into_owned())
    }
}

impl From<String> for ModelSource {
    /// # Panics
    /// If the path is invalid, as `AssetPath::parse`.
    fn from(path: String) -> Self {
        Self::from(path.as_str())
    }
}

impl From<Handle<ModelManifest>> for ModelSource {
    fn from(manifest: Handle<ModelManifest>) -> Self {
        Self::Manifest(manifest)
    }
}

/// A manifest, or the asset of a format.
impl From<UntypedHandle> for ModelSource {
    fn from(handle: UntypedHandle) -> Self {
        let manifest = handle.clone().try_typed().map(Self::Manifest);
        manifest.unwrap_or(Self::Model(handle))
    }
}

impl<F: Format> From<Handle<F>> for ModelSource {
    fn from(model: Handle<F>) -> Self {
        Self::Model(model.untyped())
    }
}

impl ModelSource {
    /// The path of the file. `None` for assets that are created in code.
    pub fn path(&self) -> Option<&AssetPath<'static>> {
        match self {
            Self::Path(path) => Some(path),
            Self::Manifest(manifest) => manifest.path(),
            Self::Model(model) => model.path(),
        }
    }

    /// The manifest, if there is one and its load has begun.
    pub(crate) fn manifest(&self, server: &AssetServer) -> Option<Handle<ModelManifest>> {
        match self {
            Self::Path(path) if is_manifest(path) => server.get_handle(path.clone()),
            Self::Manifest(manifest) => Some(manifest.clone()),
            _ => None,
        }
    }
}

/// Whether a path ends with `.model.ron`, in any case.
pub(crate) fn is_manifest(path: &AssetPath<'_>) -> bool {
    const SUFFIX: &str = ".model.ron";
    let name = path.path().file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let start = name.len().checked_sub(SUFFIX.len());
    let end = start.and_then(|start| name.get(start..));
    end.is_some_and(|end| same_name(end, SUFFIX))
}

/// Logs a warning about the manifest or model of an entity, once for all entities with it. Manifests without a file are
/// identified by their model.
pub(crate) fn warn_manifest(world: &mut World, entity: Entity, message: &str) {
    let Some(ClassicModel(source)) = world.get::<ClassicModel>(entity).cloned() else {
        return;
    };
    let manifest = source.manifest(world.resource::<AssetServer>());
    let manifests = world.resource::<Assets<ModelManifest>>();
    let value = manifest
        .as_ref()
        .and_then(|manifest| manifests.get(manifest));
    let name = match (source.path(), value) {
        (Some(path), _) => format!("{path}:"),
        (None, Some(value)) if !value.model.is_empty() => {
            format!("a manifest of {}, created in code:", value.model)
        }
        (None, Some(_)) => "a manifest created in code:".to_owned(),
        (None, None) => "a model created in code:".to_owned(),
    };
    let id = manifest.map(|manifest| manifest.id().untyped());
    let mut log = world.resource_mut::<WarningLog>();
    log.warn_once(id, &name, message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_paths_end_with_model_ron() {
        for name in ["a/b.model.ron", "a.MODEL.Ron", "a.b.model.ron"] {
            assert!(is_manifest(&AssetPath::from(name)), "{name}");
        }
        for name in ["model.ron", "a.ron", "a.mdl", "a.model.ron.mdl", "á.ron"] {
            assert!(!is_manifest(&AssetPath::from(name)), "{name}");
        }
    }
}
