//! Materials with external skin textures.

use crate::appearance::skins::ActiveImage;
use bevy::asset::{Asset, AssetId, Assets, Handle, StrongHandle};
use bevy::color::{Color, LinearRgba};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{ResMut, SystemParam};
use bevy::image::Image;
use bevy::pbr::StandardMaterial;
use bevy::platform::collections::HashMap;
use core::any::Any;
use std::sync::{Arc, Weak};

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

/// The materials with external skin textures: one per material of a model, image and emissive image, while it is in use.
#[derive(Resource)]
pub(crate) struct ActiveMaterials<M: Asset> {
    materials: HashMap<SkinKey<M>, SkinMaterial>,
}

/// The material of a model, the image, and the emissive image if there is one.
type SkinKey<M> = (AssetId<M>, AssetId<Image>, Option<AssetId<Image>>);

struct SkinMaterial {
    /// The model that the material belongs to. A reload creates a new model, but the asset ids in the key stay the
    /// same.
    model: Weak<dyn Any + Send + Sync>,
    material: Weak<StrongHandle>,
}

impl<M: Asset> Default for ActiveMaterials<M> {
    fn default() -> Self {
        Self {
            materials: HashMap::default(),
        }
    }
}

/// All materials of type `M`, and those with external skin textures.
#[derive(SystemParam)]
pub(crate) struct SkinMaterials<'w, M: Asset> {
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
        let materials = &mut self.active.materials;
        let key = (plain.id(), image.id(), glow.as_ref().map(Handle::id));
        let model: Arc<dyn Any + Send + Sync> = model.clone();
        let model = Arc::downgrade(&model);
        let cached = materials
            .get(&key)
            .filter(|cached| cached.model.ptr_eq(&model));
        if let Some(material) = cached.and_then(|cached| cached.material.upgrade()) {
            return Some(Handle::Strong(material));
        }
        let mut material = self.all.get(plain)?.clone();
        apply_skin(base(&mut material), image.clone(), glow.clone());
        let material = self.all.add(material);
        if let Handle::Strong(material) = &material {
            materials.retain(|_, cached| cached.material.strong_count() > 0);
            let material = Arc::downgrade(material);
            materials.insert(key, SkinMaterial { model, material });
        }
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
