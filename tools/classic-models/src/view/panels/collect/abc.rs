//! Details of LithTech and Quake models, which have skins.

use crate::view::models::file_data::FileCounts;
use crate::view::models::shown_model::ShownModelItem;
use crate::view::open::files::active_skin;
use crate::view::panels::collect::textures::{Textures, file_name};
use crate::view::panels::data::{Details, Lods, OverlayChoices, PartRow, SkinRow};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::lithtech::{AbcModel, AbcNodeInfo};
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::ModelPart;

pub fn collect_abc(
    shown: &ShownModelItem<'_, '_>,
    parts: Vec<ModelPart>,
    textures: &mut Textures<'_, '_>,
    details: &mut Details,
) {
    let Some((instance, counts)) = shown.abc else {
        return;
    };
    let model = instance.model();
    let levels = model.levels.iter();
    details.facts = facts(model, counts);
    details.lods = Lods::new(
        levels.map(|level| format!("{} triangles", level.triangles)),
        shown.lod,
    );
    details.overlays = OverlayChoices {
        bones: true,
        dims: model.animations.iter().any(|of| of.dims.is_some()),
        ..OverlayChoices::default()
    };
    let parts = parts.into_iter();
    details.parts = parts.map(|part| part_row(model, part, shown)).collect();
    let labels = model.skins.iter().enumerate().map(|(index, skin)| {
        let name = skin.image.path().map(file_name).unwrap_or_default();
        format!("{index} {name}")
    });
    details.skins = skin_rows(shown, labels.collect());
    for skin in &model.skins {
        let images = [&skin.image].into_iter().chain(&skin.glow);
        let rows = images.map(|image| textures.row_of(image));
        details.textures.extend(rows);
    }
}

/// The model's own skins.
fn skin_rows(shown: &ShownModelItem<'_, '_>, labels: Vec<String>) -> Vec<SkinRow> {
    let last = labels.len().saturating_sub(1);
    let active = active_skin(shown.skin).map(|skin| skin.min(last));
    let row = |(index, label)| SkinRow {
        label,
        skin: ModelSkin::Index(index),
        is_active: active == Some(index),
    };
    labels.into_iter().enumerate().map(row).collect()
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
    const FLAGS: [(u8, &str); 4] = [
        (node_flags::ENVIRONMENT_MAP, "reflects the environment"),
        (
            node_flags::ENVIRONMENT_MAP_ONLY,
            "only reflects the environment",
        ),
        (node_flags::SCROLL_U, "scrolls along U"),
        (node_flags::SCROLL_V, "scrolls along V"),
    ];
    let count = node.deform_vertices;
    let deforms = (count > 0).then(|| format!("node {} deforms {count} vertices", node.name));
    let flags = FLAGS.iter().filter(|(flag, _)| node.flags & flag != 0);
    let flags = flags.map(|(_, effect)| format!("node {} {effect}", node.name));
    deforms.into_iter().chain(flags).collect()
}

/// A node that has its own mesh, or the skinned mesh.
fn part_row(model: &AbcModel, part: ModelPart, shown: &ShownModelItem<'_, '_>) -> PartRow {
    let deforms = model.nodes_named(&part.name).iter().any(|node| {
        let node = model.nodes.get(*node);
        node.is_some_and(|node| node.deform_vertices > 0)
    });
    let kind = match (part.name.is_empty(), deforms) {
        (true, _) => "skinned mesh",
        (false, true) => "deforming node",
        (false, false) => "node",
    };
    let detail = (kind, kind.to_owned());
    PartRow::new(part.name, detail, false, shown.parts, Some(part.entity))
}

pub fn collect_mdl(
    shown: &ShownModelItem<'_, '_>,
    meshes: &Assets<Mesh>,
    textures: &mut Textures<'_, '_>,
    details: &mut Details,
) {
    let Some(instance) = shown.mdl else {
        return;
    };
    let model = instance.model();
    details.facts = vec![
        "Quake model".to_owned(),
        format!("{} vertices", model.poses.vertex_count()),
        format!("{} poses", model.poses.pose_count()),
    ];
    let mesh = meshes.get(&model.mesh);
    if let Some(indices) = mesh.and_then(|mesh| mesh.try_indices().ok()) {
        let triangles = indices.len() / 3;
        details.facts.push(format!("{triangles} triangles"));
    }
    details.player = Some(shown.colors.copied());
    details.interpolates = shown.play.map(|(play, _)| play.interpolate);
    let skins = model.skins.iter().enumerate();
    let labels = skins.clone().map(|(index, skin)| match skin.images.len() {
        1 => format!("skin {index}"),
        count => format!("skin {index} ({count} images)"),
    });
    details.skins = skin_rows(shown, labels.collect());
    let mut add = |name: String, image| details.textures.push(textures.row(name, Some(image)));
    for (index, skin) in skins {
        for (number, image) in skin.images.iter().enumerate() {
            let name = format!("skin {index}, image {number}");
            add(name.clone(), &image.image);
            if let Some(fullbright) = &image.fullbright {
                add(format!("{name}, fullbright"), fullbright);
            }
        }
    }
}
