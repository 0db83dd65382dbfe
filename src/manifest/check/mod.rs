//! Checks of a manifest: of its values alone, and of a spawned manifest against its model.

// For maintainers: checks do not change a manifest or an entity.

pub(crate) mod clips;
pub(crate) mod model;
pub(crate) mod values;
