//! The members of crowds: the clips that each shows, its row, and the bones that were asked for.

// For maintainers: what members share is in `crowd::data`.

pub(crate) mod bones;
pub(crate) mod lifetime;
pub(crate) mod member;
pub(crate) mod shown;
pub(crate) mod write_poses;
