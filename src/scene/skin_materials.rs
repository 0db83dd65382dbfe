//! Materials that wear pictures from elsewhere.

use crate::scene::skins::{ActiveImage, ActiveSkin};
use bevy::asset::{Asset, AssetId, Assets, Handle, StrongHandle};
use bevy::color::{Color, LinearRgba};
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{ResMut, SystemParam};
use bevy::image::Image;
use bevy::pbr::StandardMaterial;
use bevy::platform::collections::HashMap;
use core::any::Any;
use std::sync::{Arc, Weak};

impl ActiveSkin {
    /// What to say of a model that has only so many skins.
    pub(crate) fn complaint(&self, skins: usize) -> Option<String> {
        let index = self.index;
        match skins {
            _ if index < skins.max(1) => None,
            0 => Some(format!("has no skins, so skin {index} means nothing")),
            1 => Some(format!("has 1 skin, so skin {index} is drawn as that")),
            _ => Some(format!(
                "has {skins} skins, so skin {index} is drawn as its last"
            )),
        }
    }
}

/// Puts a picture on a material, and has it give off light where the other picture says so.
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

/// Materials that wear pictures from elsewhere: one per material of a model and picture, as long as
/// something is drawn with it.
#[derive(Resource)]
pub(crate) struct ActiveMaterials<M: Asset> {
    made: HashMap<(AssetId<M>, AssetId<Image>), Made>,
}

struct Made {
    /// The model that the material is of: after a change of its file another one, whose materials keep
    /// their names.
    model: Weak<dyn Any + Send + Sync>,
    material: Weak<StrongHandle>,
}

impl<M: Asset> Default for ActiveMaterials<M> {
    fn default() -> Self {
        Self {
            made: HashMap::default(),
        }
    }
}

/// All materials of a kind, and those that wear pictures from elsewhere.
#[derive(SystemParam)]
pub(crate) struct SkinMaterials<'w, M: Asset> {
    pub(crate) all: ResMut<'w, Assets<M>>,
    worn: ResMut<'w, ActiveMaterials<M>>,
}

impl<M: Asset + Clone> SkinMaterials<'_, M> {
    /// The material like `plain` that wears a picture, or `plain` itself without one; none if `plain` is
    /// not loaded. Of a material `base` is what Bevy draws.
    pub(crate) fn dressed<Model: Any + Send + Sync>(
        &mut self,
        model: &Arc<Model>,
        plain: &Handle<M>,
        picture: Option<&ActiveImage>,
        base: impl FnOnce(&mut M) -> &mut StandardMaterial,
    ) -> Option<Handle<M>> {
        let Some(ActiveImage { image, glow }) = picture else {
            return Some(plain.clone());
        };
        let made = &mut self.worn.made;
        let key = (plain.id(), image.id());
        let model: Arc<dyn Any + Send + Sync> = model.clone();
        let model = Arc::downgrade(&model);
        let known = made.get(&key).filter(|made| made.model.ptr_eq(&model));
        if let Some(material) = known.and_then(|made| made.material.upgrade()) {
            return Some(Handle::Strong(material));
        }
        let mut material = self.all.get(plain)?.clone();
        apply_skin(base(&mut material), image.clone(), glow.clone());
        let material = self.all.add(material);
        if let Handle::Strong(material) = &material {
            made.retain(|_, made| made.material.strong_count() > 0);
            let material = Arc::downgrade(material);
            made.insert(key, Made { model, material });
        }
        Some(material)
    }
}
