//! What is seen where a texture is that cannot be loaded: without an image Bevy would draw nothing.

use crate::alamo::dazzle::DazzleMaterial;
use crate::alamo::material::{AloMaterial, base_placeholder};
use crate::texture::Placeholder;
use bevy::asset::{AssetEvent, AssetLoadFailedEvent, AssetServer, Assets, Handle, LoadState};
use bevy::ecs::message::MessageReader;
use bevy::ecs::system::{Res, ResMut};
use bevy::image::Image;

/// Puts a placeholder where an image should be that could not be loaded the first time. Should it be
/// loaded after all, because somebody mended the file, that takes its place.
pub(super) fn replace_failed_textures(
    mut failed: MessageReader<AssetLoadFailedEvent<Image>>,
    mut made: MessageReader<AssetEvent<AloMaterial>>,
    mut made_dazzles: MessageReader<AssetEvent<DazzleMaterial>>,
    server: Res<AssetServer>,
    materials: Res<Assets<AloMaterial>>,
    dazzles: Res<Assets<DazzleMaterial>>,
    mut images: ResMut<Assets<Image>>,
) {
    // A texture may fail before the material that uses it is there.
    if failed.read().count() + made.read().count() + made_dazzles.read().count() == 0 {
        return;
    }
    let has_failed =
        |handle: &Handle<Image>| matches!(server.load_state(handle), LoadState::Failed(_));
    let mut replace = |handle: &Option<Handle<Image>>, by: Placeholder| {
        if let Some(handle) = handle
            && !images.contains(handle)
            && has_failed(handle)
        {
            // Fails only for an image that nobody needs any more.
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
