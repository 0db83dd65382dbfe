//! The component of a crowd's member.

use crate::crowd::bake::skeleton::CrowdSkeleton;
use crate::crowd::data::models::CrowdModels;
use crate::crowd::format::CrowdFormat;
use crate::crowd::format::CrowdMaterial;
use crate::crowd::members::shown::ShownPoses;
use crate::crowd::mesh::appearance::Appearance;
use crate::gpu::pose_table::PoseTable;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use core::fmt;
use std::sync::Arc;

/// A member of a crowd. It is on the root entity of a model that was spawned as a [`Crowd`](crate::root::Crowd), beside
/// the component of its format, such as `AloInstance`.
#[derive(Component)]
#[component(on_remove = leave_crowd::<F>, clone_behavior = Ignore)]
pub struct CrowdMember<F: CrowdFormat> {
    /// The slot of its model.
    pub(crate) slot: usize,
    pub(crate) row: u32,
    /// The asset of its scene.
    pub(crate) asset: Option<AssetId<WorldAsset>>,
    pub(crate) scene: Entity,
    pub(crate) meshes: Vec<Entity>,
    /// The meshes that it shows. `None` until they are merged.
    pub(crate) appearance: Option<Arc<Appearance<F>>>,
    pub(crate) skeleton: Arc<CrowdSkeleton>,
    pub(crate) shown: ShownPoses<F::Sampler>,
    pub(crate) is_baking: bool,
    /// Whether clips are baked at once, because the member showed one before a reload of its scene.
    pub(crate) bakes_at_once: bool,
    /// A clip that cannot be shown, and the generation of the clips then.
    pub(crate) failed: Option<(AssetId<AnimationClip>, u32)>,
}

impl<F: CrowdFormat> CrowdMember<F> {
    /// The root entity of its scene, which is the parent of its meshes.
    pub fn scene(&self) -> Entity {
        self.scene
    }

    /// The entities of its meshes. Each draws all parts with one material.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }

    /// Its row in the pose table of the format's crowds, which is the `MeshTag` of its meshes.
    pub fn row(&self) -> u32 {
        self.row
    }

    /// Whether the clip that plays is being baked. The member shows its previous pose meanwhile.
    pub fn is_baking(&self) -> bool {
        self.is_baking
    }
}

impl<F: CrowdFormat> fmt::Debug for CrowdMember<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrowdMember")
            .field("row", &self.row)
            .field("scene", &self.scene)
            .field("meshes", &self.meshes)
            .finish_non_exhaustive()
    }
}

/// On the root entity in the world of a crowd's scene.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Default, Clone, Debug)]
pub(crate) struct CrowdScene;

/// Releases the row and the meshes of a member, and the data of the crowd with its last member. A component hook.
fn leave_crowd<F: CrowdFormat>(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(member) = world.get::<CrowdMember<F>>(context.entity) else {
        return;
    };
    let (slot, row, meshes) = (member.slot, member.row, member.meshes.clone());
    if let Some(mut table) = world.get_resource_mut::<PoseTable<CrowdMaterial<F>>>() {
        table.release(row);
    }
    if let Some(mut models) = world.get_resource_mut::<CrowdModels<F>>() {
        models.leave(slot);
    }
    let mut commands = world.commands();
    for mesh in meshes {
        if let Ok(mut mesh) = commands.get_entity(mesh) {
            mesh.try_despawn();
        }
    }
}
