//! The component of a crowd's member, and its lifetime.

use crate::alamo::asset::AloModel;
use crate::alamo::crowd::clips::CrowdClip;
use crate::alamo::crowd::looks::Look;
use crate::alamo::crowd::material::AloPoseTable;
use crate::alamo::crowd::model::CrowdModels;
use crate::scene::PoseBlend;
use bevy::animation::AnimationClip;
use bevy::asset::{AssetId, Assets};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::{DeferredWorld, Mut, World};
use bevy::image::Image;
use bevy::mesh::Mesh;
use bevy::world_serialization::{WorldAsset, WorldAssetRoot};
use std::sync::Arc;

/// A member of a crowd. It is on the root entity of a model that was spawned as a [`Crowd`](crate::scene::Crowd), beside
/// [`AloInstance`](crate::alamo::AloInstance).
#[derive(Component, Debug)]
#[component(on_remove = leave_crowd, clone_behavior = Ignore)]
pub struct AloCrowd {
    /// The slot of its model.
    pub(super) slot: usize,
    pub(super) row: u32,
    /// The asset of its scene.
    asset: Option<AssetId<WorldAsset>>,
    /// The root entity of its scene.
    pub(super) scene: Entity,
    pub(super) meshes: Vec<Entity>,
    /// The meshes that it shows. `None` until they are merged.
    pub(super) look: Option<Arc<Look>>,
    pub(super) shown: ShownPoses,
    /// Whether the clip that plays is being baked.
    pub(super) is_baking: bool,
    /// Whether clips are baked at once, because the member showed one before a reload of its scene.
    pub(super) bakes_at_once: bool,
    /// A clip that cannot be shown, and the generation of the clips then.
    pub(super) failed: Option<(AssetId<AnimationClip>, u32)>,
}

impl AloCrowd {
    /// The root entity of its scene, which is the parent of its meshes.
    pub fn scene(&self) -> Entity {
        self.scene
    }

    /// The entities of its meshes. Each draws all sub-meshes with one material.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }

    /// Its row in the [`AloPoseTable`], which is the `MeshTag` of its meshes.
    pub fn row(&self) -> u32 {
        self.row
    }

    /// Whether the clip that plays is being baked. The member shows its previous pose meanwhile.
    pub fn is_baking(&self) -> bool {
        self.is_baking
    }
}

/// A clip that a member shows, and the time in seconds.
#[derive(Debug)]
pub(super) struct ShownClip {
    pub(super) clip: Arc<CrowdClip>,
    /// The [`generation`](crate::alamo::crowd::clips::CrowdClips::generation) of the clips when it was looked up.
    pub(super) generation: u32,
    pub(super) seconds: f32,
}

/// The poses that a member shows.
#[derive(Debug, Default)]
pub(super) struct ShownPoses {
    /// `None` is the rest pose.
    pub(super) to: Option<ShownClip>,
    /// The clip that fades out.
    pub(super) from: Option<ShownClip>,
    /// Its weight.
    pub(super) from_weight: f32,
}

/// Makes a root a member of the crowd of a model. `scene` is the root entity of its scene.
pub(in crate::alamo) fn join_crowd(
    world: &mut World,
    root: Entity,
    scene: Entity,
    model: &Arc<AloModel>,
) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    let asset = entity.get::<WorldAssetRoot>().map(|root| root.0.id());
    let old = entity.get::<AloCrowd>();
    let bakes_at_once = old.is_some_and(|old| old.shown.to.is_some() && old.asset == asset);
    entity.remove::<AloCrowd>();
    let slot = world.resource_scope(|world, mut models: Mut<CrowdModels>| {
        let meshes = world.get_resource::<Assets<Mesh>>()?;
        let images = world.get_resource::<Assets<Image>>()?;
        Some(models.join(model, meshes, images))
    });
    let Some(slot) = slot else {
        return;
    };
    let mut table = world.resource_mut::<AloPoseTable>();
    let row = table.allocate();
    table.reset(row, PoseBlend::default());
    let member = AloCrowd {
        slot,
        row,
        asset,
        scene,
        meshes: Vec::new(),
        look: None,
        shown: ShownPoses::default(),
        is_baking: false,
        bakes_at_once,
        failed: None,
    };
    match world.get_entity_mut(root) {
        Ok(mut entity) => {
            entity.insert(member);
        }
        // An observer of the removal has despawned it.
        Err(_) => {
            world.resource_mut::<AloPoseTable>().release(row);
            world.resource_mut::<CrowdModels>().leave(slot);
        }
    }
}

/// Releases the row and the meshes of a member, and the data of the crowd with its last member. A component hook.
fn leave_crowd(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(member) = world.get::<AloCrowd>(context.entity) else {
        return;
    };
    let (slot, row, meshes) = (member.slot, member.row, member.meshes.clone());
    if let Some(mut table) = world.get_resource_mut::<AloPoseTable>() {
        table.release(row);
    }
    if let Some(mut models) = world.get_resource_mut::<CrowdModels>() {
        models.leave(slot);
    }
    let mut commands = world.commands();
    for mesh in meshes {
        if let Ok(mut mesh) = commands.get_entity(mesh) {
            mesh.try_despawn();
        }
    }
}
