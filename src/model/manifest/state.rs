//! What became of the models that manifests stand for.

use crate::model::manifest::applied::AppliedComponents;
use crate::model::manifest::transform::ManifestTransform;
use crate::scene::{ModelSkin, PlayClip};
use bevy::asset::{AssetPath, Handle, UntypedHandle};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::transform::components::Transform;
use bevy::world_serialization::WorldAsset;

/// On an entity with a [`ClassicModel`](super::ClassicModel): what became of it.
///
/// It is large, and roots get one component after another: each of the tables that they pass through keeps room for it
/// otherwise.
#[derive(Component, Default)]
#[component(storage = "SparseSet")]
pub(super) struct ModelState {
    /// The model that is shown.
    pub(super) shown: Option<Model>,
    /// The model that is to be shown once it is loaded.
    pub(super) coming: Option<Model>,
    /// Whether there is something to wait for.
    pub(super) is_waiting: bool,
    pub(super) given: AppliedComponents,
    pub(super) hung: Vec<SpawnedAttachment>,
    pub(super) stand: ManifestTransform,
}

#[derive(Clone)]
pub(super) struct Model {
    pub(super) path: AssetPath<'static>,
    /// `None` if no format claims its extension, and where it was let go: see [`Model::let_go`].
    pub(super) asset: Option<UntypedHandle>,
    /// Once it is loaded.
    pub(super) scene: Option<Handle<WorldAsset>>,
}

/// A model that was hung on a bone, and what it was given.
pub(super) struct SpawnedAttachment {
    pub(super) entity: Entity,
    /// Folded, for bones are found in any case.
    pub(super) bone: String,
    pub(super) model: AssetPath<'static>,
    /// Where the manifest states it to be, wherever the game has put it since.
    pub(super) place: Transform,
    pub(super) transform: Option<Transform>,
    pub(super) play: Option<PlayClip>,
    pub(super) skin: Option<ModelSkin>,
}
