//! Placeholders for textures that cannot be loaded. Without an image, Bevy would not draw the material.

use crate::alamo::dazzle::DazzleMaterial;
use crate::alamo::material::{AloMaterial, base_placeholder};
use crate::texture::Placeholder;
use bevy::asset::{AssetEvent, AssetLoadFailedEvent, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::message::MessageReader;
use bevy::ecs::system::{Res, ResMut};
use bevy::image::Image;

/// Inserts a placeholder for each image whose first load failed. If the file is fixed and reloaded later, its image
/// replaces the placeholder.
pub(super) fn replace_failed_textures(
    mut failed: MessageReader<AssetLoadFailedEvent<Image>>,
    mut material_events: MessageReader<AssetEvent<AloMaterial>>,
    mut dazzle_events: MessageReader<AssetEvent<DazzleMaterial>>,
    server: Res<AssetServer>,
    materials: Res<Assets<AloMaterial>>,
    dazzles: Res<Assets<DazzleMaterial>>,
    mut images: ResMut<Assets<Image>>,
) {
    // A texture may fail before the material that uses it exists.
    let events = material_events.read().count() + dazzle_events.read().count();
    if failed.read().count() + events == 0 {
        return;
    }
    let has_failed =
        |handle: &Handle<Image>| matches!(server.load_state(handle), LoadState::Failed(_));
    let mut replace = |handle: &Option<Handle<Image>>, by: Placeholder| {
        if let Some(handle) = handle
            && !images.contains(handle)
            && has_failed(handle)
        {
            // This fails only for an image that is no longer in use.
            let _ = images.insert(handle, by.image());
        }
    };
    for (_, material) in materials.iter() {
        replace(
            &material.base.base_color_texture,
            base_placeholder(material.base.alpha_mode),
        );
        replace(&material.base.normal_map_texture, Placeholder::Flat);
        replace(
            &material.extension.extra_texture,
            material.extension.extra_placeholder(),
        );
    }
    for (_, dazzle) in dazzles.iter() {
        replace(&Some(dazzle.texture.clone()), Placeholder::Black);
    }
}
