//! Models of any format: `ClassicModel` spawns them, [`ModelQuery`] finds their format and bones, [`AttachedToBone`] attaches entities
//! to bones, and [`BevySpace`] makes them face −Z in meters. The feature `manifest` reads manifests from
//! files.

// For maintainers: the formats do not depend on this module. Bytes of files, and how a format does what it does, do not
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

use attach::{close_rooms, detach_attachments, on_detached, place};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::transform::TransformSystems;
use layers::pass_on_layers;

/// Registers what is above the formats.
pub(crate) struct ModelPlugin;

impl Plugin for ModelPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<AttachedToBone>()
            .register_type::<BevySpace>()
            .add_observer(detach_attachments)
            .add_observer(on_detached)
            .add_systems(
                PostUpdate,
                (place, close_rooms, pass_on_layers, space::follow_spaces)
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            );
        unsupported::register(app);
    }
}
