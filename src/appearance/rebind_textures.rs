//! Rebinds the textures of materials after an image file changes, and checks whether they are loading.
//!
//! A changed file can have another size, format or mip count. Then Bevy creates a new GPU texture, but a material keeps
//! the old one until the material itself changes.

use crate::load::reloads::{add_loading_check, is_asset_loading};
use bevy::asset::AssetEventSystems;
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::prelude::*;
use core::marker::PhantomData;
use std::collections::HashSet;

/// A material or a material extension that binds textures.
pub trait HasTextures {
    /// All bound textures that can change.
    fn textures(&self) -> Vec<&Handle<Image>>;
}

impl HasTextures for StandardMaterial {
    fn textures(&self) -> Vec<&Handle<Image>> {
        let textures = [
            &self.base_color_texture,
            &self.emissive_texture,
            &self.metallic_roughness_texture,
            &self.normal_map_texture,
            &self.occlusion_texture,
            &self.depth_map,
        ];
        textures.into_iter().flatten().collect()
    }
}

impl<B, E> HasTextures for ExtendedMaterial<B, E>
where
    B: Material + HasTextures,
    E: MaterialExtension + HasTextures,
{
    fn textures(&self) -> Vec<&Handle<Image>> {
        let mut textures = self.base.textures();
        textures.extend(self.extension.textures());
        textures
    }
}

/// Adds the system that rebinds changed textures of materials of type `M`, and the check whether they are loading.
/// Calling it again has no effect.
pub(crate) fn rebind_changed_textures<M: Material + HasTextures>(app: &mut App) {
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
fn mark_stale_materials<M: Asset + HasTextures>(
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
    let is_affected = |material: &M| {
        let mut textures = material.textures().into_iter();
        textures.any(|texture| changed.contains(&texture.id()))
    };
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
fn is_material_loading<M: Material + HasTextures>(world: &World, entity: EntityRef<'_>) -> bool {
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
    let is_image_loading = |image: &&Handle<Image>| {
        let is_loaded = images.is_some_and(|images| images.contains(*image));
        !is_loaded && is_asset_loading(server, image.id())
    };
    match materials.get(material) {
        Some(material) => material.textures().iter().any(is_image_loading),
        None => is_asset_loading(server, material.id()),
    }
}
