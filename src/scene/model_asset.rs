//! What the assets of all formats have in common.

use bevy::asset::{Asset, Handle};
use bevy::world_serialization::WorldAsset;

/// A format's asset.
pub(crate) trait ModelAsset: Asset {
    /// The model as a scene.
    fn scene(&self) -> &Handle<WorldAsset>;
}
