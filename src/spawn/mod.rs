//! The spawned model: the registry of formats, scenes, [`ModelInstance`] on its root, attachments and render layers.

// For maintainers: what one format spawns does not belong here.

pub(crate) mod attach;
pub(crate) mod format;
pub(crate) mod formats;
pub(crate) mod instance;
pub(crate) mod plugin;
pub(crate) mod render_layers;
pub(crate) mod roots;
pub(crate) mod scene;
pub(crate) mod transforms;
pub(crate) mod unsupported;

pub use attach::AttachedToBone;
pub use format::ModelLoader;
pub use format::{ModelClip, ModelPose};
pub use instance::{ModelFormat, ModelInstance};
