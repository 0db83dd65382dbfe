//! Materials with external skin textures.

use crate::appearance::skins::ActiveImage;
use crate::load::weak_cache::{Address, WeakCache};
use bevy::asset::StrongHandle;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use core::any::Any;
use std::sync::Arc;

/// Replaces the base color texture and the emissive texture of a material.
pub(crate) fn apply_skin(
    material: &mut StandardMaterial,
    image: Handle<Image>,
    glow: Option<Handle<Image>>,
) {
    material.base_color = Color::WHITE;
    material.base_color_texture = Some(image);
    material.emissive = match glow {
        Some(_) => LinearRgba::WHITE,
        None => LinearRgba::BLACK,
    };
    material.emissive_texture = glow;
}

/// The materials with external skin textures: one per model, material of it, image and emissive image. A reload makes
/// another model.
#[derive(Resource)]
pub(crate) struct ActiveMaterials<M: Asset>(WeakCache<SkinKey<M>, StrongHandle>);

type SkinKey<M> = (Address, AssetId<M>, AssetId<Image>, Option<AssetId<Image>>);

impl<M: Asset> Default for ActiveMaterials<M> {
    fn default() -> Self {
        Self(WeakCache::default())
    }
}

/// All materials of type `M`, and those with external skin textures.
#[derive(SystemParam)]
pub struct SkinMaterials<'w, M: Asset> {
    pub(crate) all: ResMut<'w, Assets<M>>,
    active: ResMut<'w, ActiveMaterials<M>>,
}

impl<M: Asset + Clone> SkinMaterials<'_, M> {
    /// A copy of `plain` that uses an external skin texture, or `plain` itself without one. `None` if `plain` is not
    /// loaded. `base` returns the `StandardMaterial` of a material.
    pub(crate) fn with_skin<Model: Any + Send + Sync>(
        &mut self,
        model: &Arc<Model>,
        plain: &Handle<M>,
        image: Option<&ActiveImage>,
        base: impl FnOnce(&mut M) -> &mut StandardMaterial,
    ) -> Option<Handle<M>> {
        let Some(ActiveImage { image, glow }) = image else {
            return Some(plain.clone());
        };
        let glow_id = glow.as_ref().map(Handle::id);
        let key = (Address::of(model), plain.id(), image.id(), glow_id);
        if let Some(material) = self.active.0.handle(&key) {
            return Some(material);
        }
        let mut material = self.all.get(plain)?.clone();
        apply_skin(base(&mut material), image.clone(), glow.clone());
        let material = self.all.add(material);
        self.active.0.insert_handle(key, &material);
        Some(material)
    }
}

#[cfg(test)]
mod tests {
    use super::{ActiveMaterials, SkinMaterials};
    use crate::appearance::skins::ActiveImage;
    use bevy::asset::Assets;
    use bevy::color::LinearRgba;
    use bevy::ecs::system::SystemState;
    use bevy::ecs::world::World;
    use bevy::image::Image;
    use bevy::pbr::StandardMaterial;
    use std::sync::Arc;

    #[test]
    fn skins_with_and_without_an_emissive_image_have_different_materials() {
        let mut images = Assets::<Image>::default();
        let [image, glow] = [(); 2].map(|()| images.add(Image::default()));
        let with_glow = ActiveImage {
            image: image.clone(),
            glow: Some(glow),
        };
        let without_glow = ActiveImage { image, glow: None };
        let mut world = World::new();
        world.init_resource::<Assets<StandardMaterial>>();
        world.init_resource::<ActiveMaterials<StandardMaterial>>();
        let plain = world
            .resource_mut::<Assets<StandardMaterial>>()
            .add(StandardMaterial::default());
        let model = Arc::new(());
        let mut state = SystemState::<SkinMaterials<StandardMaterial>>::new(&mut world);
        let mut materials = state.get_mut(&mut world).unwrap();
        let skins = [&with_glow, &without_glow, &with_glow].map(|skin| {
            let skinned = materials.with_skin(&model, &plain, Some(skin), |material| material);
            skinned.unwrap()
        });
        assert_eq!(skins[0], skins[2], "a skin shares its material");
        let emissive = |index: usize| materials.all.get(&skins[index]).unwrap().emissive;
        assert_eq!(emissive(0), LinearRgba::WHITE);
        assert_eq!(emissive(1), LinearRgba::BLACK);
    }
}
