//! Animation graphs of fades, layers and masks, and the rest poses of bones that a clip does not animate.

// For maintainers: which clips play is decided by `playback::skeletal`.

pub(crate) mod bone_set;
pub(crate) mod build;
pub(crate) mod derived_clips;
pub(crate) mod rest_poses;
