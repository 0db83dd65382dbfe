//! The component that people spawn.

use crate::model::manifest::manifest::ModelManifest;
use crate::scene::{WarningLog, same_name};
use bevy::asset::{AssetPath, AssetServer, Assets, Handle};
use bevy::camera::visibility::Visibility;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::world::World;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::transform::components::Transform;

/// Spawns a model: of a manifest, `soldier.model.ron`, with all that it states, or a bare one, `ogre.mdl`.
///
/// Once the model is loaded, its entity gets a `WorldAssetRoot` and the components that the manifest states:
/// [`PlayClip`](crate::scene::PlayClip), [`ModelClips`](crate::scene::ModelClips),
/// [`ModelSkins`](crate::scene::ModelSkins), [`ModelSkin`](crate::scene::ModelSkin),
/// [`LodDistances`](crate::scene::LodDistances), [`TeamColor`](crate::scene::TeamColor),
/// [`PlayerColors`](crate::scene::PlayerColors), [`PartVisibility`](crate::scene::PartVisibility) and
/// [`DamageStage`](crate::scene::DamageStage), but for those that it has already. When the manifest changes, those follow
/// that are still as they were given. When this component is removed or replaced, what was given goes. A
/// `WorldAssetRoot` that is removed without it is given anew.
///
/// `WorldAssetRoot` with the label `Scene` of a manifest gives its entity this component.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(Transform, Visibility)]
pub struct ClassicModel(pub Handle<ModelManifest>);

impl ClassicModel {
    /// Opens a manifest or a bare model, by what its name ends with.
    ///
    /// `ClassicModel(assets.load(path))` does the same. But where a bare model has a `.meta` file, as every file
    /// has in `AssetMode::Processed`, Bevy then logs errors, because that names the model's loader and a manifest's
    /// is asked for. The model is spawned all the same; this way there are no errors.
    pub fn open<'a>(server: &AssetServer, path: impl Into<AssetPath<'a>>) -> Self {
        let path = path.into().into_owned();
        Self(match is_manifest(&path) {
            true => server.load(path),
            false => server.add(ModelManifest::of(path.without_label().into_owned())),
        })
    }
}

impl From<Handle<ModelManifest>> for ClassicModel {
    fn from(manifest: Handle<ModelManifest>) -> Self {
        Self(manifest)
    }
}

/// Whether a file is a manifest by its name.
pub(super) fn is_manifest(path: &AssetPath<'_>) -> bool {
    const END: &str = ".model.ron";
    let name = path.path().file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    let start = name.len().checked_sub(END.len());
    let end = start.and_then(|start| name.get(start..));
    end.is_some_and(|end| same_name(end, END))
}

/// Warns once about the manifest of an entity, however many entities it has. One without a file goes by its model,
/// as many may be made of that.
pub(super) fn warn_of(world: &mut World, entity: Entity, message: &str) {
    let Some(ClassicModel(manifest)) = world.get::<ClassicModel>(entity).cloned() else {
        return;
    };
    let stated = world.resource::<Assets<ModelManifest>>().get(&manifest);
    let name = match (manifest.path(), stated) {
        (Some(path), _) => format!("{path}:"),
        (None, Some(stated)) if !stated.model.is_empty() => {
            format!("a manifest of {}, made by code:", stated.model)
        }
        (None, _) => "a manifest made by code:".to_owned(),
    };
    let id = manifest.id().untyped();
    let mut said = world.resource_mut::<WarningLog>();
    said.warn_once(Some(id), &name, message);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_known_by_their_names() {
        for name in ["a/b.model.ron", "a.MODEL.Ron", "a.b.model.ron"] {
            assert!(is_manifest(&AssetPath::from(name)), "{name}");
        }
        for name in ["model.ron", "a.ron", "a.mdl", "a.model.ron.mdl", "á.ron"] {
            assert!(!is_manifest(&AssetPath::from(name)), "{name}");
        }
    }
}
