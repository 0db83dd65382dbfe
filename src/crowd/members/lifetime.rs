//! Members join and leave crowds.

use crate::crowd::data::models::CrowdModels;
use crate::crowd::format::{CrowdFormat, ModelOf};
use crate::crowd::members::member::Member;
use crate::crowd::members::shown::ShownPoses;
use crate::gpu::pose_table::PoseTable;
use crate::gpu::poses::PoseBlend;
use bevy::asset::Assets;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::{DeferredWorld, Mut, World};
use bevy::image::Image;
use bevy::mesh::Mesh;
use bevy::world_serialization::WorldAssetRoot;
use std::sync::Arc;

/// Makes a root a member of the crowd of a model. `scene` is the root entity of its scene.
pub(crate) fn join_crowd<F: CrowdFormat>(
    world: &mut World,
    root: Entity,
    scene: Entity,
    model: &Arc<ModelOf<F>>,
) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    let asset = entity.get::<WorldAssetRoot>().map(|root| root.0.id());
    let old = entity.get::<F>().map(F::member);
    let bakes_at_once = old.is_some_and(|old| old.shown.to.is_some() && old.asset == asset);
    entity.remove::<F>();
    let joined = world.resource_scope(|world, mut models: Mut<CrowdModels<F>>| {
        let meshes = world.get_resource::<Assets<Mesh>>()?;
        let images = world.get_resource::<Assets<Image>>()?;
        Some(models.join(model, meshes, images))
    });
    let Some((slot, skeleton)) = joined else {
        return;
    };
    let mut table = world.resource_mut::<PoseTable<F::Material>>();
    let row = table.allocate();
    table.reset(row, PoseBlend::default());
    let member = Member {
        slot,
        row,
        asset,
        scene,
        meshes: Vec::new(),
        appearance: None,
        skeleton,
        shown: ShownPoses::default(),
        is_baking: false,
        bakes_at_once,
        failed: None,
    };
    match world.get_entity_mut(root) {
        Ok(mut entity) => {
            entity.insert(F::new(member));
        }
        // An observer of the removal has despawned it.
        Err(_) => {
            world.resource_mut::<PoseTable<F::Material>>().release(row);
            world.resource_mut::<CrowdModels<F>>().leave(slot);
        }
    }
}

/// Releases the row and the meshes of a member, and the data of the crowd with its last member. A component hook.
pub(crate) fn leave_crowd<F: CrowdFormat>(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(member) = world.get::<F>(context.entity).map(F::member) else {
        return;
    };
    let (slot, row, meshes) = (member.slot, member.row, member.meshes.clone());
    if let Some(mut table) = world.get_resource_mut::<PoseTable<F::Material>>() {
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
