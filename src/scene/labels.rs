//! Labels that the files of all formats have.

/// Label of the scene in the files of all formats.
pub(super) const SCENE: &str = "Scene";
