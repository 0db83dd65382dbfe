//! The state of a crowd's member.

use crate::crowd::bake::skeleton::CrowdSkeleton;
use crate::crowd::members::shown::ShownPoses;
use crate::crowd::mesh::appearance::Appearance;
use bevy::animation::AnimationClip;
use bevy::asset::{Asset, AssetId};
use bevy::ecs::entity::Entity;
use bevy::world_serialization::WorldAsset;
use std::sync::Arc;

/// The state of a crowd's member. `S` samples its clips, `M` is its material, `B` the material that this is made from,
/// and `K` its skin.
#[derive(Debug)]
pub(crate) struct Member<S, M: Asset, B: Asset, K> {
    /// The slot of its model.
    pub(crate) slot: usize,
    pub(crate) row: u32,
    /// The asset of its scene.
    pub(crate) asset: Option<AssetId<WorldAsset>>,
    /// The root entity of its scene.
    pub(crate) scene: Entity,
    pub(crate) meshes: Vec<Entity>,
    /// The meshes that it shows. `None` until they are merged.
    pub(crate) appearance: Option<Arc<Appearance<M, B, K>>>,
    pub(crate) skeleton: Arc<CrowdSkeleton>,
    pub(crate) shown: ShownPoses<S>,
    /// Whether the clip that plays is being baked.
    pub(crate) is_baking: bool,
    /// Whether clips are baked at once, because the member showed one before a reload of its scene.
    pub(crate) bakes_at_once: bool,
    /// A clip that cannot be shown, and the generation of the clips then.
    pub(crate) failed: Option<(AssetId<AnimationClip>, u32)>,
}

impl<S, M: Asset, B: Asset, K> Member<S, M, B, K> {
    /// The slot of its model.
    pub(crate) fn slot(&self) -> usize {
        self.slot
    }

    /// The root entity of its scene, which is the parent of its meshes.
    pub(crate) fn scene(&self) -> Entity {
        self.scene
    }

    /// The entities of its meshes.
    pub(crate) fn meshes(&self) -> &[Entity] {
        &self.meshes
    }

    /// Its row in the pose table.
    pub(crate) fn row(&self) -> u32 {
        self.row
    }

    /// Whether the clip that plays is being baked.
    pub(crate) fn is_baking(&self) -> bool {
        self.is_baking
    }
}
