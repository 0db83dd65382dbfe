//! What emitters made of plug-ins have beside one of the first format.

use super::creators::Creator;
use super::modifiers::Modified;

/// What an emitter of the first format cannot store.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::particles::evaluate) struct PluginValues {
    pub(super) creator: Creator,
    pub(super) modified: Modified,
    /// The part of the space in which particles live.
    pub(super) region: Region,
    /// Range of the width of quads divided by their height.
    pub(super) aspect: [f32; 2],
}

/// The part of the space in which particles live, by the distance from the emitter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Region {
    /// All of it.
    #[default]
    All,
    /// At less than a distance.
    Inside(f32),
    /// At a distance or more.
    Outside(f32),
}
