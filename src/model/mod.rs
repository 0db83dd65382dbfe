//! What stands above the formats: one way to ask any spawned model for its bones, things that hang on
//! them, and what is said once about components that mean nothing on a format.
//!
//! The rooms of the formats know nothing of this one. What may not enter: bytes of files, and how any one
//! format does what it does.

mod attach;
#[cfg(feature = "manifest")]
pub mod manifest;
mod models;
mod vocabulary;

pub use attach::Attached;
#[cfg(feature = "manifest")]
pub use manifest::{ClassicModel, ModelManifest};
#[cfg(feature = "manifest")]
pub(crate) use manifest::{FormatsByExtension, ManifestPlugin};
pub use models::{ModelFormat, Models};

use attach::{Ready, close_rooms, on_detached, on_model_ready, place, rescue};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::transform::TransformSystems;

/// Registers what is above the formats.
pub(crate) struct ModelPlugin;

impl Plugin for ModelPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<Attached>()
            .init_resource::<Ready>()
            .add_observer(on_model_ready)
            .add_observer(rescue)
            .add_observer(on_detached)
            .add_systems(
                PostUpdate,
                (place, close_rooms)
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            );
        vocabulary::register(app);
    }
}
