//! Details of LGW models.

use crate::lgw_text;
use crate::view::models::shown_model::ShownModelItem;
use crate::view::panels::collect::textures::Textures;
use crate::view::panels::data::{Details, MaterialRow, PartRow};
use bevy::prelude::*;
use bevy_classic_models::lgw::{LgwMaterial, LgwMeshInfo, LgwModel};
use bevy_classic_models::prelude::*;

pub fn collect_lgw(
    shown: &ShownModelItem<'_, '_>,
    textures: &mut Textures<'_, '_>,
    details: &mut Details,
) {
    let Some((instance, materials)) = shown.lgw else {
        return;
    };
    let model = instance.model();
    let materials = materials.map_or(&[][..], |materials| &materials.0);
    details.facts = facts(model);
    details.parts = meshes_by_name(model)
        .iter()
        .filter_map(|meshes| part_row(model, meshes, shown.parts, instance.meshes()))
        .collect();
    details.materials = materials.iter().map(material_row).collect();
    for material in materials {
        let units = material.source.units().into_iter().flatten();
        for (texture, image) in units.zip(&material.textures) {
            // The placeholder of a missing file has no path.
            let image = image.as_ref().filter(|image| image.path().is_some());
            if let Some(file) = &texture.file
                && !details.textures.iter().any(|row| row.name == **file)
            {
                details.textures.push(textures.row(file.to_string(), image));
            }
        }
    }
}

/// The meshes grouped by name, in the file order of each name's first mesh, with their indices.
fn meshes_by_name(model: &LgwModel) -> Vec<Vec<(usize, &LgwMeshInfo)>> {
    let meshes = model.meshes.iter().enumerate();
    let firsts = meshes.filter_map(|(index, mesh)| {
        let namesakes = model.meshes_named(&mesh.name);
        (namesakes.first() == Some(&index)).then_some(namesakes)
    });
    let found = |namesakes: &[usize]| {
        let meshes = namesakes
            .iter()
            .filter_map(|index| Some((*index, model.meshes.get(*index)?)));
        meshes.collect()
    };
    firsts.map(found).collect()
}

fn facts(model: &LgwModel) -> Vec<String> {
    let version = model.version.map_or_else(
        || "no version".to_owned(),
        |version| format!("version {version}"),
    );
    let meshes = model.meshes.iter();
    let vertices: usize = meshes.clone().map(|mesh| mesh.vertices).sum();
    let triangles: usize = meshes.map(|mesh| mesh.triangles).sum();
    let mut facts = vec![
        format!("LGW model, {version}"),
        format!("name \"{}\"", model.name),
        format!("{vertices} vertices"),
        format!("{triangles} triangles"),
    ];
    if let Some(source) = &model.source {
        facts.push(format!("exported from {source}"));
    }
    facts
}

/// A row for all meshes of one name.
fn part_row(
    model: &LgwModel,
    meshes: &[(usize, &LgwMeshInfo)],
    hidden: Option<&PartVisibility>,
    entities: &[Entity],
) -> Option<PartRow> {
    let (index, first) = meshes.first()?;
    let lines = meshes.iter().map(|(_, mesh)| counts(model, mesh));
    let detail = ("mesh", lines.collect::<Vec<_>>().join("; "));
    let entity = entities.get(*index).copied();
    let name = first.name.to_string();
    Some(PartRow::new(name, detail, false, hidden, entity))
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
        "{} vertices, {} triangles, {groups}, {material}",
        mesh.vertices, mesh.triangles
    )
}

/// A material and its textures.
fn material_row(material: &LgwMaterial) -> MaterialRow {
    let source = &material.source;
    let units = source.units().into_iter().flatten();
    let lines = units.map(|texture| {
        let description = lgw_text::texture(texture);
        format!("{}: {description}", texture.number)
    });
    MaterialRow {
        name: format!("{} \"{}\"", source.id, source.name),
        lines: lines.collect(),
    }
}
