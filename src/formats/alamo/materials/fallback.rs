//! Placeholders for textures that cannot be loaded. Without an image, nothing that uses it would be drawn.

use crate::formats::alamo::materials::material::{AloMaterial, base_placeholder};
use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::parts::dazzle::DazzleMaterial;
use crate::texture::placeholder::Placeholder;
use bevy::asset::{AssetLoadFailedEvent, LoadState};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Finds out whether a material or a particle system may use an image that failed to load.
#[derive(SystemParam)]
pub(crate) struct FailedLoads<'w, 's> {
    failures: MessageReader<'w, 's, AssetLoadFailedEvent<Image>>,
    materials: MessageReader<'w, 's, AssetEvent<AloMaterial>>,
    dazzles: MessageReader<'w, 's, AssetEvent<DazzleMaterial>>,
    particles: MessageReader<'w, 's, AssetEvent<AloParticles>>,
    /// Whether any image has failed so far.
    any: Local<'s, bool>,
}

impl FailedLoads<'_, '_> {
    /// Reads the events. A texture may fail before the material that uses it exists, so changes of materials count too.
    fn is_check_needed(&mut self) -> bool {
        let failures = self.failures.read().count();
        let changes = self.materials.read().count()
            + self.dazzles.read().count()
            + self.particles.read().count();
        *self.any |= failures > 0;
        *self.any && failures + changes > 0
    }
}

/// Inserts a placeholder for each image whose first load failed. If the file is fixed and reloaded later, its image
/// replaces the placeholder.
pub(crate) fn replace_failed_textures(
    mut failed: FailedLoads<'_, '_>,
    server: Res<AssetServer>,
    materials: Res<Assets<AloMaterial>>,
    dazzles: Res<Assets<DazzleMaterial>>,
    particles: Res<Assets<AloParticles>>,
    mut images: ResMut<Assets<Image>>,
) {
    if !failed.is_check_needed() {
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
        replace(&Some(dazzle.texture.clone()), Placeholder::Outline);
    }
    for (_, particles) in particles.iter() {
        for emitter in &particles.emitters {
            replace(&emitter.texture, Placeholder::Checkers);
        }
    }
}
