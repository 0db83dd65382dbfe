//! Which parts, skins and materials of a model are drawn, for scenes and crowds alike.

// For maintainers: the components that users write are in `root`, and the shading of one format in the format.

pub(crate) mod parts;
pub(crate) mod rebind_textures;
pub(crate) mod skins;

pub use parts::BoneVisibility;
