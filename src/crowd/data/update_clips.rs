//! Bakes edited clips again, uploads baked ones, and drops what no member shows any more.

use crate::crowd::data::clip::ClipOrigin;
use crate::crowd::data::models::CrowdModels;
use crate::crowd::format::{CrowdFormat, CrowdMaterial};
use crate::crowd::members::member::CrowdMember;
use crate::crowd::mesh::merge::aabb;
use bevy::asset::UntypedAssetId;
use bevy::camera::primitives::Aabb;
use bevy::prelude::*;

/// The assets that were modified.
fn modified<A: Asset>(events: &mut MessageReader<AssetEvent<A>>) -> Vec<UntypedAssetId> {
    let modified = events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(id.untyped()),
        _ => None,
    });
    modified.collect()
}

/// Retires edited clips, stores the clips whose tasks have finished, and drops what no member shows any more.
pub(crate) fn update_clips<F: CrowdFormat>(
    mut models: ResMut<CrowdModels<F>>,
    mut file_events: MessageReader<AssetEvent<F::ClipFile>>,
    mut clip_events: MessageReader<AssetEvent<AnimationClip>>,
) {
    let (files, clips) = (modified(&mut file_events), modified(&mut clip_events));
    let models = models.bypass_change_detection();
    for model in models.iter_mut() {
        // A skin may hold images.
        model.appearances.remove_dropped();
        let (crowd_clips, mut target) = model.clips();
        if !files.is_empty() || !clips.is_empty() {
            crowd_clips.retire(|clip, origin| match origin {
                ClipOrigin::Model => false,
                ClipOrigin::Clip => clips.contains(&clip.untyped()),
                ClipOrigin::File(file) => clips.contains(&clip.untyped()) || files.contains(&file),
            });
        }
        crowd_clips.finish(&mut target);
        crowd_clips.free_unused(target.texture);
    }
}

/// Uploads the clips that were baked, and updates the boxes of the members' meshes.
pub(crate) fn upload_clips<F: CrowdFormat>(
    mut models: ResMut<CrowdModels<F>>,
    mut images: ResMut<Assets<Image>>,
    mut materials: ResMut<Assets<CrowdMaterial<F>>>,
    members: Query<&CrowdMember<F>>,
    mut boxes: Query<&mut Aabb>,
) {
    let models = models.bypass_change_detection();
    let mut is_any = false;
    for model in models.iter_mut() {
        if !model.texture.is_changed() {
            continue;
        }
        is_any = true;
        model.texture.upload(&mut images);
        for (material, _) in model.appearances.materials() {
            // Marks the material as changed, so that it binds the new texture.
            if let Some(material) = materials.get_mut(&material) {
                material.into_inner();
            }
        }
    }
    if !is_any {
        return;
    }
    for member in &members {
        let Some(model) = models.get(member.slot) else {
            continue;
        };
        let bounds = aabb(model.bounds);
        for mesh in &member.meshes {
            if let Ok(mut current) = boxes.get_mut(*mesh)
                && (current.center, current.half_extents) != (bounds.center, bounds.half_extents)
            {
                *current = bounds;
            }
        }
    }
}

/// Whether the clip of a member is being baked.
pub(crate) fn is_baking<F: CrowdFormat>(_: &World, entity: EntityRef<'_>) -> bool {
    let member = entity.get::<CrowdMember<F>>();
    member.is_some_and(|member| member.is_baking)
}
