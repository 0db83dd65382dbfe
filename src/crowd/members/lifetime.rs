//! Members join and leave crowds.

use crate::crowd::data::models::CrowdModels;
use crate::crowd::format::{CrowdFormat, CrowdMaterial};
use crate::crowd::members::member::CrowdMember;
use crate::crowd::members::shown::ShownPoses;
use crate::gpu::pose_table::PoseTable;
use crate::gpu::poses::PoseBlend;
use bevy::prelude::*;
use std::sync::Arc;

/// Makes a root a member of the crowd of a model, or removes it from its crowd. `scene` is the root entity of the member's
/// scene.
pub(crate) fn update_member<F: CrowdFormat>(
    commands: &mut Commands<'_, '_>,
    root: Entity,
    scene: Option<Entity>,
    model: &Arc<F::Model>,
) {
    let Some(scene) = scene else {
        commands.entity(root).try_remove::<CrowdMember<F>>();
        return;
    };
    let model = model.clone();
    commands.queue(move |world: &mut World| join_crowd::<F>(world, root, scene, &model));
}

fn join_crowd<F: CrowdFormat>(
    world: &mut World,
    root: Entity,
    scene: Entity,
    model: &Arc<F::Model>,
) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    let asset = entity.get::<WorldAssetRoot>().map(|root| root.0.id());
    let old = entity.get::<CrowdMember<F>>();
    let bakes_at_once = old.is_some_and(|old| old.shown.to.is_some() && old.asset == asset);
    entity.remove::<CrowdMember<F>>();
    let joined = world.resource_scope(|world, mut models: Mut<CrowdModels<F>>| {
        let meshes = world.get_resource::<Assets<Mesh>>()?;
        let images = world.get_resource::<Assets<Image>>()?;
        Some(models.join(model, meshes, images))
    });
    let Some((slot, skeleton)) = joined else {
        return;
    };
    let mut table = world.resource_mut::<PoseTable<CrowdMaterial<F>>>();
    let row = table.allocate();
    table.reset(row, PoseBlend::default());
    let member = CrowdMember::<F> {
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
            entity.insert(member);
        }
        // An observer of the removal has despawned it.
        Err(_) => {
            world
                .resource_mut::<PoseTable<CrowdMaterial<F>>>()
                .release(row);
            world.resource_mut::<CrowdModels<F>>().leave(slot);
        }
    }
}
