//! The state of entities with a [`ClassicModel`](crate::manifest::ClassicModel).

use crate::manifest::spawn::applied::AppliedComponents;
use crate::manifest::spawn::transform::ManifestTransform;
use crate::root::play::PlayClip;
use crate::root::skins::ModelSkin;
use bevy::asset::AssetPath;
use bevy::prelude::*;

/// On an entity with a [`ClassicModel`](crate::manifest::ClassicModel): the model that is spawned or being loaded, and the values
/// that were applied from the manifest.
///
/// It is in a sparse set because it is large and roots get one component after another. In table storage, each
/// archetype on the way would allocate memory for it.
#[derive(Component, Default)]
#[component(storage = "SparseSet")]
pub(crate) struct ModelState {
    /// The spawned model.
    pub(crate) current: Option<Model>,
    /// The model that replaces it once it is loaded.
    pub(crate) pending: Option<Model>,
    /// Whether the manifest or the pending model is being loaded.
    pub(crate) is_waiting: bool,
    /// Whether the spawned model was requested as a member of a crowd.
    pub(crate) in_crowd: bool,
    pub(crate) applied: AppliedComponents,
    pub(crate) attachments: Vec<SpawnedAttachment>,
    pub(crate) transform: ManifestTransform,
}

/// A model that is being loaded or is spawned.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) path: AssetPath<'static>,
    /// `None` if no format has its extension.
    pub(crate) asset: Option<UntypedHandle>,
    /// `None` until the model is loaded.
    pub(crate) scene: Option<Handle<WorldAsset>>,
    /// The scene of a crowd's member. `None` until the model is loaded, and if it has none.
    pub(crate) crowd: Option<Handle<WorldAsset>>,
}

/// A model that was spawned for an attachment of a manifest, and the values that were applied to it.
pub(crate) struct SpawnedAttachment {
    pub(crate) entity: Entity,
    /// The index in the manifest.
    pub(crate) index: usize,
    /// Case-folded, because bone names match in any case.
    pub(crate) bone: String,
    pub(crate) model: AssetPath<'static>,
    /// The transform in the manifest. The game may have changed the entity's transform since.
    pub(crate) manifest_transform: Transform,
    pub(crate) transform: Option<Transform>,
    pub(crate) play: Option<PlayClip>,
    pub(crate) skin: Option<ModelSkin>,
}
