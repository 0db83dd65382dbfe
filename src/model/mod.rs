//! Types and systems for models of any format: `ClassicModel` spawns them, [`ModelQuery`] finds their formats and
//! bones, [`AttachedToBone`] attaches entities to bones, and [`BevySpace`] makes them face −Z in meters. The feature
//! `manifest` reads manifests from files.

// For maintainers: the formats do not depend on this module. The bytes of files and the internals of formats do not
// belong here.

mod attach;
mod components;
mod layers;
pub mod manifest;
mod models;
mod space;
mod unsupported;

pub use crate::scene::ModelFormat;
pub use attach::AttachedToBone;
pub use components::BevySpace;
pub(crate) use manifest::ManifestPlugin;
pub use manifest::{ClassicModel, ModelManifest};
pub use models::ModelQuery;

use attach::{despawn_empty_pending_parents, detach_attachments, on_detached, update_attachments};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::transform::TransformSystems;
use layers::propagate_layers;

/// Registers the components and systems for models of any format.
pub(crate) struct ModelPlugin;

impl Plugin for ModelPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<AttachedToBone>()
            .register_type::<BevySpace>()
            .add_observer(detach_attachments)
            .add_observer(on_detached)
            .add_systems(
                PostUpdate,
                (
                    update_attachments,
                    despawn_empty_pending_parents,
                    propagate_layers,
                    space::update_scenes,
                )
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            );
        unsupported::register(app);
    }
}
