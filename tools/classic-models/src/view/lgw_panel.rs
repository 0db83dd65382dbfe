//! The panel's items for an LGW model.

use crate::lgw_text;
use crate::view::action::Action;
use crate::view::lgw_models::ModelMaterials;
use crate::view::panel_item::{Item, Tone, button};
use bevy::ecs::query::QueryData;
use bevy_classic_models::lgw::{LgwInstance, LgwMaterial};
use bevy_classic_models::lgw::{LgwMeshInfo, LgwModel};
use bevy_classic_models::prelude::*;

/// The components of an LGW model that the panel shows.
#[derive(QueryData)]
pub struct LgwPanelModel {
    instance: &'static LgwInstance,
    materials: Option<&'static ModelMaterials>,
    hidden: Option<&'static PartVisibility>,
}

/// The items of an LGW model.
pub fn lgw_items(lgw: &LgwPanelModelItem<'_, '_>) -> Vec<Item> {
    let model = lgw.instance.model();
    let mut items = facts(model);
    items.push(Item::Heading("Materials"));
    let materials = lgw.materials.map_or(&[][..], |materials| &materials.0);
    if materials.is_empty() {
        items.push(remark("The model has no materials."));
    }
    items.extend(materials.iter().flat_map(textures));
    items.push(Item::Heading("Meshes"));
    for (index, meshes) in meshes_by_name(model).iter().enumerate() {
        items.extend(part(model, index, meshes, lgw.hidden));
    }
    let reset = button("show all", Action::ResetParts, false);
    items.push(Item::Buttons(vec![reset]));
    items
}

/// The meshes grouped by name, in the file order of each name's first mesh.
pub fn meshes_by_name(model: &LgwModel) -> Vec<Vec<&LgwMeshInfo>> {
    let meshes = model.meshes.iter().enumerate();
    let firsts = meshes.filter_map(|(index, mesh)| {
        let namesakes = model.meshes_named(&mesh.name);
        (namesakes.first() == Some(&index)).then_some(namesakes)
    });
    let found = |namesakes: &[usize]| {
        let meshes = namesakes
            .iter()
            .filter_map(|index| model.meshes.get(*index));
        meshes.collect()
    };
    firsts.map(found).collect()
}

fn remark(text: impl Into<String>) -> Item {
    Item::Text(text.into(), Tone::Remark)
}

fn facts(model: &LgwModel) -> Vec<Item> {
    let version = model.version.map_or_else(
        || "no version".to_owned(),
        |version| format!("version {version}"),
    );
    let meshes = model.meshes.iter();
    let counts = format!(
        "\"{}\", {version}\n{} vertices, {} triangles",
        model.name,
        meshes.clone().map(|mesh| mesh.vertices).sum::<usize>(),
        meshes.map(|mesh| mesh.triangles).sum::<usize>(),
    );
    let source = model.source.as_ref();
    let source = source.map(|source| remark(format!("exported from {source}")));
    let warnings = model.warnings.iter().map(ToString::to_string);
    let warnings = warnings.map(|warning| Item::Text(warning, Tone::Warning));
    [remark(counts)]
        .into_iter()
        .chain(source)
        .chain(warnings)
        .collect()
}

/// A material and its textures, with a warning for each texture file that was not found.
fn textures(material: &LgwMaterial) -> Vec<Item> {
    let source = &material.source;
    let mut items = vec![remark(format!("{} \"{}\"", source.id, source.name))];
    let units = source.units().into_iter().flatten();
    for (texture, image) in units.zip(&material.textures) {
        let description = lgw_text::texture(texture);
        items.push(remark(format!("  {}: {description}", texture.number)));
        // The placeholder of a missing file has no path.
        let is_found = image.as_ref().is_some_and(|image| image.path().is_some());
        if texture.file.is_some() && !is_found {
            items.push(Item::Text("  not found".to_owned(), Tone::Warning));
        }
    }
    items
}

/// A button for all meshes of one name, and the counts of each.
fn part(
    model: &LgwModel,
    index: usize,
    meshes: &[&LgwMeshInfo],
    hidden: Option<&PartVisibility>,
) -> Vec<Item> {
    let Some(first) = meshes.first() else {
        return Vec::new();
    };
    let name = match &*first.name {
        "" => "(no name)",
        name => name,
    };
    let is_hidden = hidden.and_then(|hidden| hidden.get(&first.name));
    let shows = !is_hidden.unwrap_or(false);
    let toggle = button(name, Action::TogglePart(index), shows);
    let lines = meshes.iter().map(|mesh| remark(counts(model, mesh)));
    [Item::Buttons(vec![toggle])]
        .into_iter()
        .chain(lines)
        .collect()
}

fn counts(model: &LgwModel, mesh: &LgwMeshInfo) -> String {
    let material = mesh.material.and_then(|index| model.materials.get(index));
    let material = match (mesh.material_ref, material) {
        (_, Some(material)) => format!("material {} \"{}\"", material.id, material.name),
        (Some(id), None) => format!("material {id} (missing)"),
        (None, None) => "no material".to_owned(),
    };
    let groups = match mesh.groups {
        1 => "1 group".to_owned(),
        count => format!("{count} groups"),
    };
    format!(
        "  {material}\n  {} vertices, {} triangles, {groups}",
        mesh.vertices, mesh.triangles
    )
}
