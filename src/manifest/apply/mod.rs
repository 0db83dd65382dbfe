//! Applies manifests to entities: components, transforms, attachments and loader overrides.

// For maintainers: what a component does is no matter of manifests.

pub(crate) mod attachments;
pub(crate) mod components;
pub(crate) mod models;
pub(crate) mod overrides;
pub(crate) mod space;
pub(crate) mod state;
