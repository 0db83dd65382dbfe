//! Rebinds the textures of materials after an image file changes, and checks whether they are loading.
//!
//! A changed file can have another size, format or mip count. Then Bevy creates a new GPU texture, but a material keeps
//! the old one until the material itself changes.

use crate::load::reloads::{add_loading_check, is_asset_loading};
use bevy::asset::AssetEventSystems;
use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use core::marker::PhantomData;
use std::collections::HashSet;

/// Calls `visit` with each texture that a material or its extension binds.
fn visit_textures(value: &dyn PartialReflect, visit: &mut dyn FnMut(&Handle<Image>)) {
    if let Some(texture) = value.try_downcast_ref() {
        return visit(texture);
    }
    match value.reflect_ref() {
        ReflectRef::Struct(fields) => {
            for field in fields.iter_fields() {
                visit_textures(field.1, visit);
            }
        }
        ReflectRef::Enum(option) => {
            for field in option.iter_fields() {
                visit_textures(field.value(), visit);
            }
        }
        _ => {}
    }
}

/// Whether a material binds a texture that meets a condition.
fn has_texture(material: &impl Reflect, mut condition: impl FnMut(&Handle<Image>) -> bool) -> bool {
    let mut found = false;
    visit_textures(material, &mut |texture| found |= condition(texture));
    found
}

/// Adds the system that rebinds changed textures of materials of type `M`, and the check whether they are loading.
/// Calling it again has no effect.
pub(crate) fn rebind_changed_textures<M: Material + Reflect>(app: &mut App) {
    if app.world().contains_resource::<RebindsTextures<M>>() {
        return;
    }
    add_loading_check(app, is_material_loading::<M>);
    app.insert_resource(RebindsTextures::<M>(PhantomData))
        .add_systems(
            PostUpdate,
            mark_stale_materials::<M>
                // So that the materials are updated in the same frame.
                .before(AssetEventSystems)
                .run_if(resource_exists::<Assets<Image>>),
        );
}

#[derive(Resource)]
struct RebindsTextures<M: Asset>(PhantomData<M>);

/// Marks materials as changed if the file of one of their textures has changed, so that Bevy binds the new texture.
///
/// Images without a file are skipped, because apps may modify them in every frame.
fn mark_stale_materials<M: Asset + Reflect>(
    mut events: MessageReader<AssetEvent<Image>>,
    server: Res<AssetServer>,
    mut materials: ResMut<Assets<M>>,
) {
    let changed = events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => server.get_path(*id).map(|_| *id),
        _ => None,
    });
    let changed: HashSet<AssetId<Image>> = changed.collect();
    if changed.is_empty() {
        return;
    }
    let is_affected = |material: &M| has_texture(material, |at| changed.contains(&at.id()));
    let stale = materials
        .iter()
        .filter(|(_, material)| is_affected(material));
    let stale: Vec<AssetId<M>> = stale.map(|(id, _)| id).collect();
    for id in stale {
        if let Some(material) = materials.get_mut(id) {
            material.into_inner();
        }
    }
}

/// Whether the material of an entity, or one of its textures, is loading.
fn is_material_loading<M: Material + Reflect>(world: &World, entity: EntityRef<'_>) -> bool {
    let Some(MeshMaterial3d(material)) = entity.get::<MeshMaterial3d<M>>() else {
        return false;
    };
    let (Some(server), Some(materials)) = (
        world.get_resource::<AssetServer>(),
        world.get_resource::<Assets<M>>(),
    ) else {
        return false;
    };
    let images = world.get_resource::<Assets<Image>>();
    let is_image_loading = |image: &Handle<Image>| {
        let is_loaded = images.is_some_and(|images| images.contains(image));
        !is_loaded && is_asset_loading(server, image.id())
    };
    match materials.get(material) {
        Some(material) => has_texture(material, is_image_loading),
        None => is_asset_loading(server, material.id()),
    }
}
