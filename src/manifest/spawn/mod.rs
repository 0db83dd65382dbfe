//! Applies manifests to entities: components, transforms, attachments and loader overrides.

// For maintainers: what a component does is no matter of manifests.

pub(crate) mod applied;
pub(crate) mod attachments;
pub(crate) mod loading;
pub(crate) mod overrides;
pub(crate) mod plan;
pub(crate) mod space;
pub(crate) mod state;
pub(crate) mod transform;
pub(crate) mod update;
