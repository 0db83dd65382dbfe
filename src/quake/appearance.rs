//! Applies the skin and the player's colors that a root chooses.

use crate::quake::animation::element_at;
use crate::quake::asset::MdlModel;
use crate::quake::components::{Look, MdlAnimator};
use crate::quake::material::MdlMaterial;
use crate::scene::{ActiveSkin, ModelWarnings, PlayerColors, SkinMaterials};
use bevy::asset::{AssetEvent, AssetId, Assets, Handle};
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::message::MessageReader;
use bevy::ecs::query::Changed;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Query, Res, ResMut};
use bevy::pbr::MeshMaterial3d;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::time::Time;
use std::sync::{Arc, Weak};

/// Materials in player's colours: one per material of a model and colours in use.
#[derive(Resource, Default)]
pub(super) struct ColoredMaterials(HashMap<(AssetId<MdlMaterial>, PlayerColors), Colored>);

struct Colored {
    /// The model that the material was made of; another one after a reload.
    model: Weak<MdlModel>,
    material: Handle<MdlMaterial>,
}

impl ColoredMaterials {
    fn get_or_make(
        &mut self,
        model: &Arc<MdlModel>,
        plain: &Handle<MdlMaterial>,
        colors: PlayerColors,
        materials: &mut Assets<MdlMaterial>,
    ) -> Option<Handle<MdlMaterial>> {
        let key = (plain.id(), colors);
        if let Some(colored) = self.0.get(&key)
            && colored.model.ptr_eq(&Arc::downgrade(model))
        {
            return Some(colored.material.clone());
        }
        let mut material = materials.get(plain)?.clone();
        material.extension.recolor = true;
        material.extension.uniform.shirt = colors.shirt.min(PlayerColors::LAST_ROW).into();
        material.extension.uniform.pants = colors.pants.min(PlayerColors::LAST_ROW).into();
        let material = materials.add(material);
        let colored = Colored {
            model: Arc::downgrade(model),
            material: material.clone(),
        };
        self.0.insert(key, colored);
        Some(material)
    }
}

/// What of a root decides how its model looks.
type SkinInputs = (
    Entity,
    &'static mut MdlAnimator,
    Option<&'static ActiveSkin>,
    Option<&'static PlayerColors>,
);

/// Sets the material of every model whose look has changed.
pub(super) fn apply_looks(
    time: Res<Time>,
    mut colored: ResMut<ColoredMaterials>,
    mut wardrobe: SkinMaterials<MdlMaterial>,
    mut models: Query<SkinInputs>,
    mut meshes: Query<&mut MeshMaterial3d<MdlMaterial>>,
    mut told: ModelWarnings,
) {
    for (root, mut animator, skin, colors) in &mut models {
        let picture = skin.and_then(|skin| skin.picture.as_ref());
        let look = Look {
            skin: skin.map_or(0, |skin| skin.index),
            picture: 0,
            // Without a skin there is nothing to recolour, nor in a picture without a palette.
            colors: colors
                .copied()
                .filter(|_| !animator.model().skins.is_empty() && picture.is_none()),
            worn: picture.map(|picture| picture.image.id()),
        };
        let look = with_picture(look, &animator, &time);
        if animator.look == Some(look) {
            continue;
        }
        let model = animator.model().clone();
        if let Some(complaint) = skin.and_then(|skin| skin.complaint(model.skins.len())) {
            told.warn_once(root, &complaint);
        }
        if let Some((field, row)) = look.colors.and_then(PlayerColors::beyond) {
            let last = PlayerColors::LAST_ROW;
            let what = format!(
                "has `PlayerColors` whose `{field}` is {row}, which is drawn as {last}: the palette's rows are 0 to {last}"
            );
            told.warn_once(root, &what);
        }
        let Some(plain) = model.material(look.skin, look.picture) else {
            continue;
        };
        let material = match look.colors {
            None => wardrobe.dressed(&model, plain, picture, |made| &mut made.base),
            Some(colors) => colored.get_or_make(&model, plain, colors, &mut wardrobe.all),
        };
        if let Some(material) = material
            && let Ok(mut mesh) = meshes.get_mut(animator.mesh())
        {
            mesh.set_if_neq(MeshMaterial3d(material));
            animator.bypass_change_detection().look = Some(look);
        }
    }
}

/// Chooses the picture of a skin group by the client's clock.
fn with_picture(look: Look, animator: &MdlAnimator, time: &Time) -> Look {
    let skins = &animator.model().skins;
    let Some(skin) = skins.get(look.skin).or(skins.last()) else {
        return look;
    };
    let Some(timing) = &skin.timing else {
        return look;
    };
    let picture = element_at(timing, skin.pictures.len() as u32, animator.clock(time));
    Look {
        picture: picture as usize,
        ..look
    }
}

/// Forgets materials of colours that nobody wears any more and of models that are gone.
pub(super) fn forget_colors(
    mut colored: ResMut<ColoredMaterials>,
    mut events: MessageReader<AssetEvent<MdlMaterial>>,
    changed: Query<(), Changed<PlayerColors>>,
    mut removed: RemovedComponents<PlayerColors>,
    worn: Query<&PlayerColors>,
) {
    for event in events.read() {
        if let AssetEvent::Removed { id } = event {
            colored.0.retain(|(plain, _), _| plain != id);
        }
    }
    let any_removed = removed.read().count() > 0;
    if colored.0.is_empty() || (changed.is_empty() && !any_removed) {
        return;
    }
    let worn: HashSet<_> = worn.iter().copied().collect();
    colored
        .0
        .retain(|(_, colors), colored| worn.contains(colors) && colored.model.strong_count() > 0);
}
