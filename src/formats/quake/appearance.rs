//! Applies the skin and the player colors that a root entity selects.

use crate::appearance::skins::ActiveSkin;
use crate::appearance::skins::SkinMaterials;
use crate::formats::quake::asset::{MdlModel, MdlSkinImage};
use crate::formats::quake::components::{MaterialInputs, MdlInstance};
use crate::formats::quake::material::MdlMaterial;
use crate::formats::quake::player::group_index_at;
use crate::load::warnings::ModelWarnings;
use crate::load::weak_cache::{Address, WeakCache};
use crate::root::skins::PlayerColors;
use bevy::asset::StrongHandle;
use bevy::prelude::*;
use std::sync::Arc;

/// Materials with recolored skins: one per model, material of it and player colors. A reload makes another model.
#[derive(Resource, Default)]
pub(crate) struct ColoredMaterials(
    WeakCache<(Address, AssetId<MdlMaterial>, PlayerColors), StrongHandle>,
);

impl ColoredMaterials {
    fn get_or_make(
        &mut self,
        model: &Arc<MdlModel>,
        skin: &MdlSkinImage,
        colors: PlayerColors,
        materials: &mut Assets<MdlMaterial>,
        images: &mut Assets<Image>,
    ) -> Option<Handle<MdlMaterial>> {
        let plain = &skin.material;
        let key = (Address::of(model), plain.id(), colors);
        if let Some(colored) = self.0.handle(&key) {
            return Some(colored);
        }
        let Some(image) = model
            .skin_converter
            .recolored(&skin.indices, &model.palette, colors)
        else {
            return Some(plain.clone());
        };
        let mut material = materials.get(plain)?.clone();
        material.base.base_color_texture = Some(images.add(image));
        let material = materials.add(material);
        self.0.insert_handle(key, &material);
        Some(material)
    }
}

/// The root's components that determine the material of a model.
type SkinInputs = (
    Entity,
    &'static mut MdlInstance,
    Option<&'static ActiveSkin>,
    Option<&'static PlayerColors>,
);

/// Sets the material of every model whose skin or colors changed.
pub(crate) fn apply_appearance(
    time: Res<Time>,
    mut colored: ResMut<ColoredMaterials>,
    mut skin_materials: SkinMaterials<MdlMaterial>,
    mut images: ResMut<Assets<Image>>,
    mut models: Query<SkinInputs>,
    mut meshes: Query<&mut MeshMaterial3d<MdlMaterial>>,
    mut warnings: ModelWarnings,
) {
    for (root, mut animator, skin, colors) in &mut models {
        let external_image = skin.and_then(|skin| skin.image.as_ref());
        let inputs = MaterialInputs {
            skin: skin.map_or(0, |skin| skin.index),
            image: 0,
            // Only the model's own skins have palette indices to recolor.
            colors: colors
                .copied()
                .filter(|_| !animator.model().skins.is_empty() && external_image.is_none()),
            external_image: external_image.map(|external| external.image.id()),
        };
        let inputs = with_group_image(inputs, &animator, &time);
        if animator.material_inputs == Some(inputs) {
            continue;
        }
        let model = animator.model().clone();
        if let Some(warning) = skin.and_then(|skin| skin.index_warning(model.skins.len())) {
            warnings.warn_once(root, &warning);
        }
        if let Some((field, row)) = inputs.colors.and_then(PlayerColors::beyond) {
            let last = PlayerColors::LAST_ROW;
            let warning = format!(
                "has `PlayerColors` whose `{field}` is {row}; the palette's rows are 0 to {last}, so {last} is used"
            );
            warnings.warn_once(root, &warning);
        }
        let Some(plain) = model.material(inputs.skin, inputs.image) else {
            continue;
        };
        let material = match (inputs.colors, model.skin_image(inputs.skin, inputs.image)) {
            (Some(colors), Some(skin)) => {
                let materials = &mut skin_materials.all;
                colored.get_or_make(&model, skin, colors, materials, &mut images)
            }
            _ => skin_materials.with_skin(&model, plain, external_image, |made| &mut made.base),
        };
        if let Some(material) = material
            && let Ok(mut mesh) = meshes.get_mut(animator.mesh())
        {
            let animator = animator.bypass_change_detection();
            let before = animator.material_inputs.replace(inputs);
            let selection = |inputs: MaterialInputs| (inputs.skin, inputs.colors);
            if before.map(selection) != Some(selection(inputs)) {
                animator.used_materials.clear();
            }
            if !animator.used_materials.contains(&material) {
                animator.used_materials.push(material.clone());
            }
            mesh.set_if_neq(MeshMaterial3d(material));
        }
    }
}

/// Selects the image of a skin group that is due now, by the client's clock.
fn with_group_image(inputs: MaterialInputs, animator: &MdlInstance, time: &Time) -> MaterialInputs {
    let skins = &animator.model().skins;
    let Some(skin) = skins.get(inputs.skin).or(skins.last()) else {
        return inputs;
    };
    let Some(timing) = &skin.timing else {
        return inputs;
    };
    let image = group_index_at(timing, skin.images.len() as u32, animator.clock(time));
    MaterialInputs {
        image: image as usize,
        ..inputs
    }
}
