//! Types and systems for models of any format: `ClassicModel` spawns them, [`ModelQuery`] finds their formats and
//! bones, [`AttachedToBone`] attaches entities to bones, and [`BevySpace`] makes them face −Z in meters. [`ModelReady`]
//! is sent when a model can be drawn. The feature `manifest` reads manifests from files.

// For maintainers: the formats do not depend on this module. The bytes of files and the internals of formats do not
// belong here.

mod attach;
mod components;
mod layers;
pub mod manifest;
mod models;
#[cfg(feature = "collision")]
mod raycast;
mod ready;
mod roots;
mod space;
mod unsupported;

#[cfg(feature = "collision")]
pub use crate::scene::{Backfaces, ColliderMesh, ModelRayCastSettings, ModelRayCastVisibility};
pub use crate::scene::{ModelClip, ModelFormat, ModelPose};
pub use attach::AttachedToBone;
pub use components::BevySpace;
pub(crate) use manifest::ManifestPlugin;
pub use manifest::{ClassicModel, ModelManifest};
pub use models::{ModelBone, ModelPart, ModelQuery, ModelSkinInfo};
#[cfg(feature = "collision")]
pub use raycast::{ColliderParts, ModelColliders, ModelRayCast, ModelRayHit};
#[cfg(feature = "picking")]
pub use raycast::{ModelPickable, ModelPickingCamera, ModelPickingPlugin, ModelPickingSettings};
pub use ready::ModelReady;

use crate::scene::ClassicModelsSystems;
use attach::{despawn_empty_parents, detach_attachments, on_detached, update_attachments};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::transform::TransformSystems;
use layers::propagate_layers;
use ready::{UnreadyModels, on_instance_inserted, send_ready};

/// Registers the components and systems for models of any format.
pub(crate) struct ModelPlugin;

impl Plugin for ModelPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<AttachedToBone>()
            .register_type::<BevySpace>()
            .add_observer(detach_attachments)
            .add_observer(on_detached)
            .init_resource::<UnreadyModels>()
            .add_observer(on_instance_inserted)
            .add_systems(
                PostUpdate,
                send_ready
                    .after(ClassicModelsSystems::Appearance)
                    .after(ClassicModelsSystems::Crowds)
                    .after(update_attachments)
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::VisibilityPropagate),
            )
            .add_systems(
                PostUpdate,
                (
                    update_attachments,
                    despawn_empty_parents,
                    // After the meshes of crowds are spawned.
                    propagate_layers.after(ClassicModelsSystems::Appearance),
                    space::update_scenes,
                )
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            )
            // Bones of crowds that are spawned for attachments are posed in the same frame.
            .configure_sets(
                PostUpdate,
                ClassicModelsSystems::Crowds.after(update_attachments),
            );
        unsupported::register(app);
        #[cfg(feature = "picking")]
        app.add_plugins(ModelPickingPlugin);
    }
}
