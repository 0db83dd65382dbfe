//! Details of LithTech models.

use crate::view::models::file_data::FileCounts;
use crate::view::open::skins::active_skin;
use crate::view::panels::collect::Collector;
use crate::view::panels::collect::textures::file_name;
use crate::view::panels::data::{Lods, OverlayChoices, PanelData, PartRow, SkinRow};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::lithtech::{AbcModel, AbcNodeInfo};
use bevy_classic_models::prelude::*;

impl Collector<'_, '_> {
    pub(super) fn collect_abc(&mut self, entity: Entity, data: &mut PanelData) {
        let Ok(shown) = self.shown.get(entity) else {
            return;
        };
        let Some((instance, counts)) = shown.abc else {
            return;
        };
        let model = instance.model();
        let details = &mut data.details;
        details.facts = facts(model, counts);
        details.lods = lods(model, shown.lod);
        details.overlays = OverlayChoices {
            bones: true,
            dims: model.animations.iter().any(|of| of.dims.is_some()),
            ..OverlayChoices::default()
        };
        details.parts = parts(model, shown.parts, self.entities.parts(entity));
        let last = model.skins.len().saturating_sub(1);
        let active = active_skin(shown.skin).map(|skin| skin.min(last));
        for (index, skin) in model.skins.iter().enumerate() {
            let name = skin.image.path().map(file_name).unwrap_or_default();
            details.skins.push(SkinRow {
                label: format!("{index} {name}"),
                skin: ModelSkin::Index(index),
                is_active: active == Some(index),
            });
            let row = self.textures.row_of(&skin.image);
            details.textures.push(row);
            if let Some(glow) = &skin.glow {
                let row = self.textures.row_of(glow);
                details.textures.push(row);
            }
        }
    }
}

fn facts(model: &AbcModel, counts: Option<&FileCounts>) -> Vec<String> {
    let mut facts = vec!["LithTech model".to_owned()];
    if let Some(counts) = counts {
        facts.push(format!("{} vertices", counts.vertices));
        facts.push(format!("{} levels of detail", counts.lods));
    }
    facts.push(format!("{} nodes", model.nodes.len()));
    let flips = model.transform;
    for (is_flipped, line) in [
        (flips.flip_geometry, "triangles are flipped"),
        (flips.flip_animation, "rotations are flipped"),
    ] {
        facts.extend(is_flipped.then(|| line.to_owned()));
    }
    facts.extend(model.nodes.iter().flat_map(node_facts));
    if !model.command_string.is_empty() {
        facts.push(format!("command string: {}", model.command_string));
    }
    facts
}

/// The deformed vertices and effect flags of a node.
fn node_facts(node: &AbcNodeInfo) -> Vec<String> {
    let count = node.deform_vertices;
    let deforms = (count > 0).then(|| format!("node {} deforms {count} vertices", node.name));
    let flags = [
        (node_flags::ENVIRONMENT_MAP, "reflects the environment"),
        (
            node_flags::ENVIRONMENT_MAP_ONLY,
            "only reflects the environment",
        ),
        (node_flags::SCROLL_U, "scrolls along U"),
        (node_flags::SCROLL_V, "scrolls along V"),
    ];
    let flags = flags
        .into_iter()
        .filter(|(flag, _)| node.flags & flag != 0)
        .map(|(_, effect)| format!("node {} {effect}", node.name));
    deforms.into_iter().chain(flags).collect()
}

fn lods(model: &AbcModel, chosen: Option<&ModelLod>) -> Option<Lods> {
    let last = model.levels.len().checked_sub(1).filter(|last| *last > 0)?;
    let levels = model.levels.iter();
    let labels = levels.map(|level| format!("{} triangles", level.triangles));
    Some(Lods {
        labels: labels.collect(),
        shown: chosen.map_or(0, |lod| lod.0).min(last as u32),
    })
}

/// The nodes that have their own meshes, and the skinned mesh.
fn parts(
    model: &AbcModel,
    hidden: Option<&PartVisibility>,
    parts: Vec<bevy_classic_models::query::ModelPart>,
) -> Vec<PartRow> {
    let rows = parts.into_iter().map(|part| {
        let is_node = !part.name.is_empty();
        let deforms = model.nodes_named(&part.name).iter().any(|node| {
            let node = model.nodes.get(*node);
            node.is_some_and(|node| node.deform_vertices > 0)
        });
        let kind = match (is_node, deforms) {
            (false, _) => "skinned mesh",
            (true, true) => "deforming node",
            (true, false) => "node",
        };
        let detail = (kind, kind.to_owned());
        PartRow::new(part.name, detail, false, hidden, Some(part.entity))
    });
    rows.collect()
}
