//! The state of entities with a [`ClassicModel`](super::ClassicModel).

use crate::model::manifest::applied::AppliedComponents;
use crate::model::manifest::transform::ManifestTransform;
use crate::scene::{ModelSkin, PlayClip};
use bevy::asset::{AssetPath, Handle, UntypedHandle};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::transform::components::Transform;
use bevy::world_serialization::WorldAsset;

/// On an entity with a [`ClassicModel`](super::ClassicModel): the model that is spawned or being loaded, and the values
/// that were applied from the manifest.
///
/// It is in a sparse set because it is large and roots get one component after another. In table storage, each
/// archetype on the way would allocate memory for it.
#[derive(Component, Default)]
#[component(storage = "SparseSet")]
pub(super) struct ModelState {
    /// The spawned model.
    pub(super) current: Option<Model>,
    /// The model that replaces it once it is loaded.
    pub(super) pending: Option<Model>,
    /// Whether the manifest or the pending model is being loaded.
    pub(super) is_waiting: bool,
    /// Whether the spawned model was requested as a member of a crowd.
    pub(super) in_crowd: bool,
    pub(super) applied: AppliedComponents,
    pub(super) attachments: Vec<SpawnedAttachment>,
    pub(super) transform: ManifestTransform,
}

/// A model that is being loaded or is spawned.
#[derive(Clone)]
pub(super) struct Model {
    pub(super) path: AssetPath<'static>,
    /// `None` if no format has its extension, and after [`Model::release`].
    pub(super) asset: Option<UntypedHandle>,
    /// `None` until the model is loaded.
    pub(super) scene: Option<Handle<WorldAsset>>,
    /// The scene of a crowd's member. `None` until the model is loaded, and if it has none.
    pub(super) crowd: Option<Handle<WorldAsset>>,
}

/// A model that was spawned for an attachment of a manifest, and the values that were applied to it.
pub(super) struct SpawnedAttachment {
    pub(super) entity: Entity,
    /// The index in the manifest.
    pub(super) index: usize,
    /// Case-folded, because bone names match in any case.
    pub(super) bone: String,
    pub(super) model: AssetPath<'static>,
    /// The transform in the manifest. The game may have changed the entity's transform since.
    pub(super) manifest_transform: Transform,
    pub(super) transform: Option<Transform>,
    pub(super) play: Option<PlayClip>,
    pub(super) skin: Option<ModelSkin>,
}
