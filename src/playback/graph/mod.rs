//! Animation graphs of fades, layers and masks, and the rest poses of bones that a clip does not animate.

// For maintainers: which clips play is decided by `playback::skeletal`.

pub(crate) mod additive;
pub(crate) mod bone_set;
pub(crate) mod build;
pub(crate) mod clip_parts;
pub(crate) mod properties;
pub(crate) mod rest_bones;
pub(crate) mod rest_curves;
