//! [`ClassicModel`], the component that spawns a manifest or a model.

use crate::load::names::same_name;
use crate::load::warnings::WarningLog;
use crate::manifest::model_manifest::ModelManifest;
use crate::spawn::instance::RandomSeed;
use bevy::asset::AssetPath;
use bevy::prelude::*;

/// Spawns a model, either with a manifest, `soldier.model.ron`, or without, `ogre.mdl`.
///
/// Once the model is loaded, its entity gets a `WorldAssetRoot` and the components for the manifest's fields:
/// [`PlayClip`](crate::root::PlayClip), [`ModelClips`](crate::root::ModelClips),
/// [`ModelSkins`](crate::root::ModelSkins), [`ModelSkin`](crate::root::ModelSkin),
/// [`LodDistances`](crate::root::LodDistances), [`TeamColor`](crate::root::TeamColor),
/// [`PlayerColors`](crate::root::PlayerColors), [`PartVisibility`](crate::root::PartVisibility),
/// [`DamageStage`](crate::root::DamageStage) and [`Crowd`](crate::root::Crowd). Components that the entity already has are not replaced.
///
/// When the manifest changes, the components that still have the manifest's old values are updated. When this component
/// is removed or replaced, they are removed. If only the `WorldAssetRoot` is removed, it is inserted again.
///
/// A `WorldAssetRoot` with the label `Scene` of a manifest inserts this component.
#[derive(Component, FromTemplate, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(RandomSeed, Transform, Visibility)]
pub struct ClassicModel(pub Handle<ModelManifest>);

impl ClassicModel {
    /// Opens a manifest if the path ends with `.model.ron`, otherwise a model without a manifest.
    ///
    /// `ClassicModel(assets.load(path))` does the same, but Bevy logs errors for a model that has a `.meta` file, as
    /// every file has in `AssetMode::Processed`: the `.meta` file names the model's loader, not the manifest's. The
    /// model is spawned nevertheless. With `open` there are no errors.
    pub fn open<'a>(server: &AssetServer, path: impl Into<AssetPath<'a>>) -> Self {
        let path = path.into().into_owned();
        Self(if is_manifest(&path) {
            server.load(path)
        } else {
            server.add(ModelManifest::of(path.without_label().into_owned()))
        })
    }
}

impl From<Handle<ModelManifest>> for ClassicModel {
    fn from(manifest: Handle<ModelManifest>) -> Self {
        Self(manifest)
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

/// Logs a warning about the manifest of an entity, once for all entities with the manifest. Manifests without a file
/// are identified by their model.
pub(crate) fn warn_manifest(world: &mut World, entity: Entity, message: &str) {
    let Some(ClassicModel(manifest)) = world.get::<ClassicModel>(entity).cloned() else {
        return;
    };
    let value = world.resource::<Assets<ModelManifest>>().get(&manifest);
    let name = match (manifest.path(), value) {
        (Some(path), _) => format!("{path}:"),
        (None, Some(value)) if !value.model.is_empty() => {
            format!("a manifest of {}, created in code:", value.model)
        }
        (None, _) => "a manifest created in code:".to_owned(),
    };
    let id = manifest.id().untyped();
    let mut log = world.resource_mut::<WarningLog>();
    log.warn_once(Some(id), &name, message);
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
