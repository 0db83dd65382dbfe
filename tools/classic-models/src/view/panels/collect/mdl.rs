//! Details of Quake models.

use crate::view::open::skins::active_skin;
use crate::view::panels::collect::Collector;
use crate::view::panels::data::{PanelData, SkinRow};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

impl Collector<'_, '_> {
    pub(super) fn collect_mdl(&mut self, entity: Entity, data: &mut PanelData) {
        let Ok(shown) = self.shown.get(entity) else {
            return;
        };
        let Some(animator) = shown.mdl else {
            return;
        };
        let model = animator.model();
        let details = &mut data.details;
        details.facts = vec![
            "Quake model".to_owned(),
            format!("{} vertices", model.poses.vertex_count()),
            format!("{} poses", model.poses.pose_count()),
        ];
        let mesh = self.meshes.get(&model.mesh);
        if let Some(indices) = mesh.and_then(|mesh| mesh.try_indices().ok()) {
            let triangles = indices.len() / 3;
            details.facts.push(format!("{triangles} triangles"));
        }
        details.player = Some(shown.colors.copied());
        details.interpolates = shown.play.map(|(play, _)| play.interpolate);
        let last = model.skins.len().saturating_sub(1);
        let active = active_skin(shown.skin).map(|skin| skin.min(last));
        for (index, skin) in model.skins.iter().enumerate() {
            let label = match skin.images.len() {
                1 => format!("skin {index}"),
                count => format!("skin {index} ({count} images)"),
            };
            details.skins.push(SkinRow {
                label,
                skin: ModelSkin::Index(index),
                is_active: active == Some(index),
            });
            for (number, image) in skin.images.iter().enumerate() {
                let name = format!("skin {index}, image {number}");
                let row = self.textures.row(name, Some(&image.image));
                details.textures.push(row);
                if let Some(fullbright) = &image.fullbright {
                    let name = format!("skin {index}, image {number}, fullbright");
                    let row = self.textures.row(name, Some(fullbright));
                    details.textures.push(row);
                }
            }
        }
        let palette = self
            .textures
            .row("palette".to_owned(), Some(&model.palette));
        details.textures.push(palette);
    }
}
